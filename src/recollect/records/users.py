"""Users. Each has a graph of their own, whose first node is the user."""

from typing import Any

from recollect.derive import knowledge, readings
from recollect.errors import AlreadyExists, InvariantViolated, NotFound
from recollect.governance import erasure, outbox
from recollect.graph import checks
from recollect.graph.gist import gist
from recollect.graph.types import Access, Entity, Json, Record, User
from recollect.limits import NAME_CHARS_MAX
from recollect.records import graphs, pages, seeing, telling
from recollect.records.graphs import GraphDetails
from recollect.records.pages import Page, PageRequest
from recollect.store import index, numbers, rows
from recollect.store.index import IndexItem
from recollect.store.protocol import Transaction
from recollect.store.statements import Keyed

USER_LABELS = ["Entity", "User"]


class UserDetails(Record):
    """What a caller can set for a user."""

    email: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    metadata: Json | None = None
    time_zone: str | None = None
    disable_default_ontology: bool = False
    rating: Json | None = None


class UserPage(Record):
    """Some users, and how many there are."""

    users: list[User]
    total: int


def _check(details: UserDetails) -> None:
    for field in ("email", "first_name", "last_name"):
        checks.text(field, getattr(details, field), NAME_CHARS_MAX)
    checks.json_object("metadata", details.metadata)
    checks.json_object("fact_rating_instruction", details.rating)
    checks.time_zone("time_zone", details.time_zone)


def create(tx: Transaction, access: Access, user_id: str | None, details: UserDetails) -> User:
    """Create a user with a graph that holds only the user's node and profile facts.

    Without a caller's id, the server's own becomes the user id.
    """
    uuid = tx.new_id()
    user_id = uuid if user_id is None else user_id
    checks.caller_id("user_id", user_id)
    _check(details)
    if _find(tx, access, user_id) is not None:
        raise AlreadyExists(f"user_id: {user_id!r} exists already")
    graph = graphs.insert(tx, access, "user", user_id, _graph_details(details))
    entity_uuid = tx.new_id()
    tx.users.insert(
        uuid=uuid,
        project_id=access.project_id,
        user_id=user_id,
        graph_id=graph.id,
        entity_uuid=entity_uuid,
        email=details.email,
        first_name=details.first_name,
        last_name=details.last_name,
        metadata=rows.to_json(details.metadata),
        time_zone=details.time_zone,
        disable_default_ontology=details.disable_default_ontology,
        now=rows.micros(tx.now),
    )
    user = get(tx, access, user_id)
    _seed_node(tx, user)
    return user


def _graph_details(details: UserDetails) -> GraphDetails:
    return GraphDetails(time_zone=details.time_zone, rating=details.rating)


def _find(tx: Transaction, access: Access, user_id: str) -> User | None:
    row = tx.users.by_name(project_id=access.project_id, user_id=user_id)
    return None if row is None else rows.user(row)


def get(tx: Transaction, access: Access, user_id: str) -> User:
    """A user by the caller's id."""
    user = _find(tx, access, user_id)
    if user is None:
        raise NotFound(f"user not found: {user_id}")
    return user


def update(tx: Transaction, access: Access, user_id: str, details: UserDetails) -> User:
    """Replace a user's details, and update the node and the profile facts."""
    old = get(tx, access, user_id)
    _check(details)
    tx.users.update(
        id=old.id,
        email=details.email,
        first_name=details.first_name,
        last_name=details.last_name,
        metadata=rows.to_json(details.metadata),
        time_zone=details.time_zone,
        disable_default_ontology=details.disable_default_ontology,
        now=rows.micros(tx.now),
    )
    graph = graphs.of_user(tx, access, user_id)
    tx.graphs.update(
        id=graph.id,
        name=graph.name,
        description=graph.description,
        time_zone=details.time_zone,
        rating=rows.to_json(details.rating),
        now=rows.micros(tx.now),
    )
    new = get(tx, access, user_id)
    _refresh_node(tx, access, old, new)
    if (_profile(old), _names(old)) != (_profile(new), _names(new)):
        readings.fold_again(tx, graph.id, 0)
    return new


def delete(tx: Transaction, access: Access, user_id: str) -> None:
    """Delete a user with all threads, messages and the graph, and their pending batch items."""
    user = get(tx, access, user_id)
    erasure.require_full_visibility(access)
    tx.batches.items_forget_user(
        project_id=access.project_id,
        user_id=user_id,
        now=rows.micros(tx.now),
    )
    erasure.unsay_answers(tx, user.graph_id)
    tx.graphs.delete(id=user.graph_id)


def page(
    tx: Transaction, access: Access, *, search: str, order: str, limit: int, offset: int
) -> UserPage:
    """Users in the requested order."""
    found = tx.users.page(
        order=order,
        project_id=access.project_id,
        search=search,
        limit=limit,
        offset=offset,
    )
    count = tx.users.count(project_id=access.project_id, search=search)
    return UserPage(users=[rows.user(row) for row in found], total=count or 0)


def page_after(
    tx: Transaction, access: Access, request: PageRequest, *, search: str = ""
) -> Page[User]:
    """Users in the requested order, after the cursor."""
    wanted: dict[str, Any] = {"project_id": access.project_id, "search": search}
    found = tx.users.page_after(order=request.order, **wanted, **request.bounds())
    told = [Keyed(rows.user(one.row), one.key) for one in found]
    return pages.counted(told, request, tx.users.count(**wanted))


def node(tx: Transaction, access: Access, user_id: str) -> Entity:
    """The user's own node; NotFound if the caller may not see it, as if there were none."""
    return _if_any(user_id, seeing.entities(tx, access, [_own_node(tx, access, user_id)]))


def told_node(tx: Transaction, access: Access, user_id: str) -> Entity:
    """The same, with its metadata."""
    return _if_any(user_id, telling.entities(tx, access, [_own_node(tx, access, user_id)]))


def _if_any(user_id: str, seen: list[Entity]) -> Entity:
    if not seen:
        raise NotFound(f"node not found: the node of user {user_id}")
    return seen[0]


def _own_node(tx: Transaction, access: Access, user_id: str) -> Entity:
    """The node regardless of visibility; it exists for as long as the user does."""
    user = get(tx, access, user_id)
    row = tx.entities.by_uuid(uuid=user.entity_uuid, project_id=access.project_id)
    if row is None:
        raise InvariantViolated(f"the node of user {user.uuid} is missing")
    return rows.entity(row)


def restore_node(tx: Transaction, graph_id: int) -> None:
    """Reset the user's node and profile facts to the user's record."""
    row = tx.users.of_graph(graph_id=graph_id)
    if row is None:
        return
    user = rows.user(row)
    (found,) = tx.entities.who(graph_id=graph_id)
    tx.entities.learn(
        id=found.id,
        name=display_name(user),
        labels=rows.to_json(USER_LABELS),
        summary="",
        attributes=rows.to_json(_attributes(user)),
        kind="person",
        names=rows.to_json(_names(user)),
    )
    tx.entities.set_given(id=found.id, given=None)
    tx.entities.names_delete(entity_id=found.id)
    tx.entities.takes_in_nobody(entity_id=found.id)
    knowledge.put_names(tx, graph_id, found.id, _names(user))
    told = rows.to_json(list(_profile(user).values()))
    tx.graphs.reopen_profile(graph_id=graph_id, told=told)
    left = tx.facts.ids_of_entity(entity_id=found.id)
    items = [index.fact_item(row.id, row.fact) for row in left]
    index.put(tx, graph_id, [index.entity_item(found.id, display_name(user), ""), *items])


def display_name(user: User) -> str:
    """The name of the user's node."""
    full = " ".join(part for part in (user.first_name, user.last_name) if part)
    return full or user.user_id


def _profile(user: User) -> dict[str, str]:
    """The facts that follow from the user's record, by relation name."""
    name = display_name(user)
    facts = {"HAS_USER_ID": f"{name} has the user id {user.user_id}"}
    if name != user.user_id:
        facts["HAS_NAME"] = f"The user's name is {name}"
    if user.email:
        facts["HAS_EMAIL"] = f"{name} has the email {user.email}"
    return facts


def _names(user: User) -> tuple[str, ...]:
    """The names that the user's node is known by."""
    given = (display_name(user), user.first_name, user.user_id, user.email)
    return tuple(dict.fromkeys(name for name in given if name))


def _attributes(user: User) -> Json:
    values = {
        "user_id": user.user_id,
        "email": user.email,
        "first_name": user.first_name,
        "last_name": user.last_name,
        "role_type": "user",
    }
    return {key: value for key, value in values.items() if value is not None}


def _seed_node(tx: Transaction, user: User) -> None:
    entity_id = tx.entities.insert(
        **numbers.of_graph(user.graph_id),
        uuid=user.entity_uuid,
        graph_id=user.graph_id,
        name=display_name(user),
        labels=rows.to_json(USER_LABELS),
        summary="",
        attributes=rows.to_json(_attributes(user)),
        is_user=True,
        is_assistant=False,
        kind="person",
        names=rows.to_json(_names(user)),
        side="",
        now=rows.micros(tx.now),
    )
    knowledge.put_names(tx, user.graph_id, entity_id, _names(user))
    items = [index.entity_item(entity_id, display_name(user), "")]
    for name, fact in _profile(user).items():
        items.append(_insert_fact(tx, user, entity_id, name, fact))
    index.put(tx, user.graph_id, items)


def _insert_fact(tx: Transaction, user: User, entity_id: int, name: str, fact: str) -> IndexItem:
    """Write a profile fact, and return its index row."""
    fact_id = tx.facts.insert(
        **numbers.of_graph(user.graph_id),
        uuid=tx.new_id(),
        graph_id=user.graph_id,
        source_id=entity_id,
        target_id=entity_id,
        name=name,
        fact=fact,
        attributes=None,
        rating=None,
        created_at=rows.micros(tx.now),
        expired_at=None,
        valid_at=rows.micros(tx.now),
        invalid_at=None,
        predicate=name,
        gist=gist(fact),
        negated=False,
        ends=False,
        slot=None,
        confidence=1.0,
        extractor=None,
        event_at=None,
        side="",
    )
    return index.fact_item(fact_id, fact)


def _refresh_node(tx: Transaction, access: Access, old: User, new: User) -> None:
    """Rename the node and close profile facts that no longer hold; nothing is rewritten."""
    entity = _own_node(tx, access, new.user_id)
    name = display_name(new) if display_name(old) != display_name(new) else entity.name
    kept = {k: v for k, v in (entity.attributes or {}).items() if k not in _attributes(old)}
    tx.entities.update(
        id=entity.id,
        name=name,
        labels=rows.to_json(entity.labels),
        summary=entity.summary,
        attributes=rows.to_json({**kept, **_attributes(new)}),
    )
    index.put(tx, entity.graph_id, [index.entity_item(entity.id, name, entity.summary)])
    _rename(tx, entity, old, new)
    before, after = _profile(old), _profile(new)
    now = rows.micros(tx.now)
    for name in {**before, **after}:
        if before.get(name) == after.get(name):
            continue
        if name in before:
            tx.closings.profile_closings_add(entity_id=entity.id, name=name, now=now)
            closed = tx.facts.close(entity_id=entity.id, name=name, invalid_at=now, now=now)
            index.touch(tx, entity.graph_id, "fact", list(closed))
            ended = tx.facts.told_by_ids(ids=rows.to_json(list(closed)))
            outbox.tell(tx, entity.graph_id, outbox.closed(row.uuid for row in ended))
        if name in after:
            made = _insert_fact(tx, new, entity.id, name, after[name])
            index.put(tx, entity.graph_id, [made])


def _rename(tx: Transaction, entity: Entity, old: User, new: User) -> None:
    """Set the node's names to those of the current record and those learned from episodes."""
    row = tx.entities.by_id(id=entity.id)
    learned = rows.from_json(row.names) if row else []
    kept = [name for name in learned if name not in _names(old)]
    answers = list(dict.fromkeys([*_names(new), *kept]))
    tx.entities.set_names(id=entity.id, names=rows.to_json(answers))
    tx.entities.names_delete(entity_id=entity.id)
    knowledge.put_names(tx, entity.graph_id, entity.id, answers)
