"""Where things go and are looked for: a user, a graph or a thread, made when they are missing."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from msgspec.structs import replace

from recollect.errors import InvalidInput, NotFound
from recollect.governance.audit_targets import Target
from recollect.graph.types import Access, Graph, Thread, User
from recollect.store.protocol import Transaction
from recollect.subjects import graphs, threads, users
from recollect.subjects.graphs import GraphDetails
from recollect.subjects.users import UserDetails

_DETAILS = ("email", "first_name", "last_name", "metadata", "time_zone")


class Place(NamedTuple):
    """A user or a graph, or a thread; of the latter perhaps with its user."""

    user: str | None = None
    graph: str | None = None
    thread: str | None = None

    @property
    def target(self) -> Target:
        """What the audit log calls it."""
        kind = "thread" if self.thread else "user" if self.user else "graph"
        return Target(kind, self.thread or self.user or self.graph or "", chosen=True)


def one_place(user: str | None, graph: str | None, thread: str | None = None) -> Place:
    """The one place that is named; a thread may be named with its user."""
    if graph is not None and (user is not None or thread is not None):
        raise InvalidInput("graph: give either a graph or a user, not both")
    if user is None and graph is None and thread is None:
        raise InvalidInput("user, graph or thread: give one, to say whose memory is meant")
    return Place(user, graph, thread)


def graph_of(tx: Transaction, access: Access, place: Place) -> Graph:
    """The graph of a place that must be there."""
    if place.thread is not None:
        thread = thread_of(tx, access, place.thread, place.user)
        return graphs.of_user(tx, access, thread.user_id)
    return graphs.target(tx, access, place.user, place.graph)


def thread_of(tx: Transaction, access: Access, thread_id: str, user: str | None) -> Thread:
    """A thread that must be there, and be that user's if one is named."""
    found = threads.get(tx, access, thread_id)
    if user is not None and found.user_id != user:
        raise InvalidInput(f"thread: {thread_id!r} is a thread of {found.user_id!r}")
    return found


def make(tx: Transaction, access: Access, place: Place) -> None:
    """Make what is missing of a place."""
    if place.graph is not None:
        _make_graph(tx, access, place.graph)
    if place.user is not None:
        make_user(tx, access, place.user, {})
    if place.thread is not None:
        make_thread(tx, access, place.thread, place.user)


def _make_graph(tx: Transaction, access: Access, graph_id: str) -> None:
    try:
        graphs.get(tx, access, graph_id)
    except NotFound:
        graphs.create(tx, access, graph_id, GraphDetails(), field="graph")


def make_user(tx: Transaction, access: Access, user_id: str, told: Mapping[str, Any]) -> User:
    """The user, with what is *told* of them; what is not told stays."""
    try:
        old = users.get(tx, access, user_id)
    except NotFound:
        return users.create(tx, access, user_id, UserDetails(**told))
    if not told:
        return old
    kept = UserDetails(
        **{name: getattr(old, name) for name in _DETAILS},
        disable_default_ontology=old.disable_default_ontology,
        rating=old.rating,
    )
    return users.update(tx, access, user_id, replace(kept, **told))


def make_thread(tx: Transaction, access: Access, thread_id: str, user: str | None) -> Thread:
    """The thread; a new one needs its user."""
    try:
        return thread_of(tx, access, thread_id, user)
    except NotFound:
        if user is None:
            message = f"thread not found: {thread_id}; give its user to make it"
            raise NotFound(message) from None
    make_user(tx, access, user, {})
    return threads.create(tx, access, thread_id, user, field="thread")
