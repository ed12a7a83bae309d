"""How callers refer to a user, a thread or a graph: by an id they chose, or by the server's uuid."""

from typing import Generic, TypeVar

import msgspec

from recollect.errors import NotFound
from recollect.graph.types import Access, Record, Thread, User
from recollect.records import graphs, lookups, threads, users
from recollect.records.lookups import OwnedGraph
from recollect.store.protocol import Transaction

__all__ = ["GraphRef", "InGraph", "OwnedGraph", "ThreadRef", "UserRef", "graph", "thread", "user"]

T = TypeVar("T")


class UserRef(Record):
    """A user by one of these; *thread_id* is one of the user's threads."""

    user_id: str | None = None
    uuid: str | None = None
    thread_id: str | None = None


class ThreadRef(Record):
    """A thread by one of these."""

    thread_id: str | None = None
    uuid: str | None = None


class GraphRef(Record):
    """A graph by one of these; *uuid* may also be its user's."""

    graph_id: str | None = None
    user_id: str | None = None
    thread_id: str | None = None
    uuid: str | None = None


class InGraph(Record, Generic[T]):
    """A result from a graph, with the graph and its owner, and the uuid of each thread that the result
    names by its id."""

    where: OwnedGraph
    value: T
    thread_uuids: dict[str, str] = msgspec.field(default_factory=dict)


def user(tx: Transaction, access: Access, ref: UserRef) -> User:
    """The user that a reference names."""
    if ref.uuid is not None:
        return lookups.user(tx, access, ref.uuid)
    if ref.user_id is not None:
        return users.get(tx, access, ref.user_id)
    return users.get(tx, access, threads.get(tx, access, str(ref.thread_id)).user_id)


def thread(tx: Transaction, access: Access, ref: ThreadRef) -> Thread:
    """The thread that a reference names."""
    if ref.uuid is not None:
        return lookups.thread(tx, access, ref.uuid)
    return threads.get(tx, access, str(ref.thread_id))


def graph(tx: Transaction, access: Access, ref: GraphRef) -> OwnedGraph:
    """The graph that a reference names."""
    if ref.uuid is not None:
        return lookups.graph(tx, access, ref.uuid)
    if ref.thread_id is not None:
        return lookups.graph(tx, access, threads.get(tx, access, ref.thread_id).graph_uuid)
    return lookups.with_owner(tx, graphs.target(tx, access, ref.user_id, ref.graph_id))


def require_within(where: OwnedGraph, graph_id: int, noun: str, uuid: str) -> None:
    """Raise NotFound for an object that is not in the named graph."""
    if graph_id != where.graph.id:
        raise NotFound(f"{noun} not found: {uuid}")
