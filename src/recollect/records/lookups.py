"""Users, threads and graphs by the server's own ids (uuids)."""

from collections.abc import Iterable

from recollect.errors import NotFound
from recollect.graph.types import Access, Episode, Graph, Record, Thread, User
from recollect.records import graphs, threads, users
from recollect.store import rows
from recollect.store.protocol import Transaction


class OwnedGraph(Record):
    """A graph and its owner."""

    graph: Graph
    user_uuid: str | None = None

    @property
    def user_id(self) -> str | None:
        """The caller's id of the user, if it is a user's graph."""
        return self.graph.graph_id if self.graph.kind == "user" else None

    @property
    def graph_id(self) -> str | None:
        """The caller's id of the graph, if it is a standalone one."""
        return self.graph.graph_id if self.graph.kind == "standalone" else None


def user(tx: Transaction, access: Access, uuid: str) -> User:
    """A user by uuid."""
    row = tx.users.by_uuid(project_id=access.project_id, uuid=uuid)
    if row is None:
        raise NotFound(f"user not found: {uuid}")
    return rows.user(row)


def thread(tx: Transaction, access: Access, uuid: str) -> Thread:
    """A thread by uuid."""
    row = tx.threads.by_uuid(project_id=access.project_id, uuid=uuid)
    if row is None:
        raise NotFound(f"thread not found: {uuid}")
    return rows.thread(row)


def graph(tx: Transaction, access: Access, uuid: str) -> OwnedGraph:
    """A graph by its uuid, or by the uuid of its user."""
    row = tx.graphs.by_uuid(project_id=access.project_id, uuid=uuid)
    if row is not None:
        return with_owner(tx, rows.graph(row))
    owner = tx.users.by_uuid(project_id=access.project_id, uuid=uuid)
    if owner is None:
        raise NotFound(f"graph not found: {uuid}")
    known = rows.user(owner)
    return OwnedGraph(graph=graphs.of_user(tx, access, known.user_id), user_uuid=known.uuid)


def is_graph(tx: Transaction, access: Access, uuid: str) -> bool:
    """Whether a graph has this uuid."""
    return tx.graphs.by_uuid(project_id=access.project_id, uuid=uuid) is not None


def with_owner(tx: Transaction, found: Graph) -> OwnedGraph:
    """Add the owner to a graph."""
    owner = tx.users.of_graph(graph_id=found.id) if found.kind == "user" else None
    return OwnedGraph(graph=found, user_uuid=owner.uuid if owner else None)


def thread_uuids(tx: Transaction, access: Access, thread_ids: Iterable[str]) -> dict[str, str]:
    """The uuids of threads by the caller's ids."""
    listed = rows.to_json(sorted(set(thread_ids)))
    found = tx.threads.uuids(project_id=access.project_id, thread_ids=listed)
    return {row.thread_id: row.uuid for row in found}


def uuid_of(tx: Transaction, access: Access, kind: str, id_: str) -> str | None:
    """The uuid for a caller's id of a user, thread or graph; None if there is none."""
    try:
        if kind == "user":
            return users.get(tx, access, id_).uuid
        if kind == "thread":
            return threads.get(tx, access, id_).uuid
        return graphs.get(tx, access, id_).uuid
    except NotFound:
        return None


def threads_of(tx: Transaction, access: Access, found: Iterable[Episode]) -> dict[str, str]:
    """The uuids of the threads that episodes belong to."""
    return thread_uuids(tx, access, [one.thread_id for one in found if one.thread_id])
