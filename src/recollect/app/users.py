"""Users."""

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from recollect.app import refs, tasks
from recollect.app.idempotency import Done, repeatable
from recollect.app.refs import GraphRef, InGraph, UserRef
from recollect.app.tasks import Tracked
from recollect.app.units import glances, reads
from recollect.graph import checks
from recollect.graph.types import Access, Json, Record, User
from recollect.records import derived, erasing, listing, lookups, threads, users
from recollect.records.listing import ListedEntity
from recollect.records.users import UserDetails
from recollect.store.protocol import Transaction


class UserChange(Record):
    """A partial update of a user: fields left UNSET keep their value."""

    email: str | UnsetType | None = UNSET
    first_name: str | UnsetType | None = UNSET
    last_name: str | UnsetType | None = UNSET
    metadata: Json | UnsetType | None = UNSET  # merged; None removes all of it
    time_zone: str | UnsetType | None = UNSET
    disable_default_ontology: bool | UnsetType | None = UNSET
    rating: Json | None = None  # can be changed but not unset


@repeatable
def create(
    tx: Transaction, access: Access, user_id: str | None, details: UserDetails
) -> Done[User]:
    """A new user with an empty graph, under the caller's id or a generated one."""
    made = users.create(tx, access, user_id, details)
    return Done(value=made, graph_id=made.graph_id, made=made)


get = glances(refs.user)


@repeatable
def update(tx: Transaction, access: Access, ref: UserRef, change: UserChange) -> Done[User]:
    """Update the given fields of a user."""
    old = refs.user(tx, access, ref)
    made = users.update(tx, access, old.user_id, _changed(old, change))
    return Done(value=made, graph_id=made.graph_id, made=made)


def _changed(old: User, change: UserChange) -> UserDetails:
    plain = ("email", "first_name", "last_name", "time_zone", "disable_default_ontology")
    given = {name: getattr(change, name) for name in plain}
    kept = {name: getattr(old, name) if value is UNSET else value for name, value in given.items()}
    kept["disable_default_ontology"] = bool(kept["disable_default_ontology"])
    metadata = {} if isinstance(change.metadata, UnsetType) else change.metadata
    return UserDetails(
        **kept,
        metadata=None if metadata is None else checks.merge(old.metadata, metadata) or None,
        rating=change.rating or old.rating,
    )


@repeatable
def delete(tx: Transaction, access: Access, ref: UserRef) -> Done[Tracked]:
    """Erase a user with all threads and the graph; the task completes once the files are wiped."""
    erased = erasing.user(tx, access, refs.user(tx, access, ref).user_id)
    task = tasks.of_write(tx, access, erased.uuid, "user.delete")
    return Done(value=task, made=erased, erased=erased)


page = reads(users.page)
page_after = reads(users.page_after)


@reads
def node(tx: Transaction, access: Access, ref: UserRef) -> InGraph[ListedEntity]:
    """The user's own node, which is where clients look for the user's summary."""
    known = refs.user(tx, access, ref)
    found = users.told_node(tx, access, known.user_id)
    summed = replace(found, summary=derived.user_summary(tx, access, known.user_id))
    (listed,) = listing.with_episodes(tx, access, [summed])
    where = refs.graph(tx, access, GraphRef(user_id=known.user_id))
    return InGraph(where=where, value=listed)


threads_of = reads(threads.told_of_user)


@reads
def uuids(tx: Transaction, access: Access, named: list[tuple[str, str]]) -> list[str | None]:
    """The uuids for pairs of a kind (`user`, `thread` or `graph`) and the caller's id."""
    return [lookups.uuid_of(tx, access, kind, id_) for kind, id_ in named]
