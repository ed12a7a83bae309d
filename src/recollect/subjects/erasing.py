"""Erasing with a receipt: episodes, a fact, an entity, a thread, a graph, a user, a session with its log."""

from collections.abc import Sequence

from recollect.governance import audit, erasure, receipts
from recollect.governance.erasure import Mode
from recollect.governance.receipts import Erased
from recollect.graph.types import Access, Episode, Graph
from recollect.store import rows
from recollect.store.protocol import Row, Transaction
from recollect.subjects import episodes, graphs, knowledge, session_logs, threads, users


def episode(tx: Transaction, access: Access, uuid: str, mode: Mode) -> Erased:
    """Erase an episode, and what rested on it alone."""
    graph_id = episodes.get(tx, access, uuid).graph_id
    removed = episodes.delete(tx, access, uuid, mode)
    receipt = receipts.of_part(tx, access, "episode", uuid, mode, removed)
    return Erased(receipt=receipt, graph_uuid=_graph_uuid(tx, graph_id))


def fact(tx: Transaction, access: Access, uuid: str) -> Erased:
    """Erase a fact; what said it stays, and does not say it again."""
    graph_id = knowledge.fact(tx, access, uuid).graph_id
    removed = knowledge.delete_fact(tx, access, uuid)
    receipt = receipts.of_part(tx, access, "fact", uuid, "delete", removed)
    return Erased(receipt=receipt, graph_uuid=_graph_uuid(tx, graph_id))


def several(
    tx: Transaction, access: Access, graph: Graph, found: Sequence[Episode], mode: Mode = "delete"
) -> Erased:
    """Erase episodes of one graph together, and what rested on them alone."""
    removed = erasure.forget_episodes(tx, [one.id for one in found], mode)
    receipt = receipts.of_part(tx, access, "episodes", graph.uuid, mode, removed)
    return Erased(receipt=receipt, graph_uuid=graph.uuid)


def entity(tx: Transaction, access: Access, uuid: str) -> Erased:
    """Erase an entity and the facts about it."""
    graph_id = knowledge.entity(tx, access, uuid).graph_id
    removed = knowledge.delete_entity(tx, access, uuid)
    receipt = receipts.of_part(tx, access, "entity", uuid, "delete", removed)
    return Erased(receipt=receipt, graph_uuid=_graph_uuid(tx, graph_id))


def thread(tx: Transaction, access: Access, thread_id: str, mode: Mode) -> Erased:
    """Erase a thread with its episodes, and what rested on them alone."""
    found = threads.get(tx, access, thread_id)
    removed = threads.delete(tx, access, thread_id, mode)
    receipt = receipts.of_part(tx, access, "thread", found.uuid, mode, removed, {"threads": 1})
    return Erased(receipt=receipt, graph_uuid=found.graph_uuid)


def graph(tx: Transaction, access: Access, graph_id: str, mode: Mode = "delete") -> Erased:
    """Erase a standalone graph with all it holds."""
    found = graphs.get(tx, access, graph_id)
    removed = {"graphs": 1, **_contents(tx, found.id)}
    graphs.delete(tx, access, graph_id)
    redacted = audit.redact(tx, access.project_id, [f"graph:{graph_id}"])
    receipt = receipts.of_graph(tx, access, "graph", found.uuid, mode, removed, redacted)
    return Erased(receipt=receipt, graph_uuid=found.uuid)


def user(tx: Transaction, access: Access, user_id: str, mode: Mode = "delete") -> Erased:
    """Erase a user with threads, messages and graph: afterwards nothing tells that they were."""
    found = users.get(tx, access, user_id)
    removed = {"users": 1, **_contents(tx, found.graph_id)}
    said_in = tx.all("thread_names_of_graph", id=found.graph_id)
    logs = tx.all("session_logs_of_graph", graph_id=found.graph_id)
    if logs:
        removed |= {"sessions": len(logs), "log_episodes": sum(row["episodes"] for row in logs)}
    users.delete(tx, access, user_id)
    targets = [f"user:{user_id}", f"graph:{user_id}"]
    targets += [f"thread:{row['thread_id']}" for row in said_in]
    targets += [f"session_log:{row['session_id']}" for row in logs]
    redacted = audit.redact(tx, access.project_id, targets)
    receipt = receipts.of_graph(tx, access, "user", found.uuid, mode, removed, redacted)
    return Erased(receipt=receipt, graph_uuid=found.graph_uuid)


def session(tx: Transaction, access: Access, session_id: str) -> Erased:
    """Erase a session with its log; what it fed to a graph stays there."""
    found = session_logs.get(tx, access, session_id)
    removed = session_logs.delete(tx, access, session_id)
    receipt = receipts.of_session(tx, access, found.uuid, removed)
    return Erased(receipt=receipt, graph_uuid="")


def _contents(tx: Transaction, graph_id: int) -> dict[str, int]:
    row: Row | None = tx.one("graph_contents", id=graph_id)
    return {} if row is None else {name: row[name] for name in row.keys() if row[name]}  # noqa: SIM118


def _graph_uuid(tx: Transaction, graph_id: int) -> str:
    row = tx.one("graph_by_id", id=graph_id)
    return "" if row is None else rows.graph(row).uuid
