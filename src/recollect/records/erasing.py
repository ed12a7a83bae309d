"""Erasure with a receipt.

Covers episodes, facts, entities, threads, graphs, users, session logs, agents and traces.
"""

from collections.abc import Sequence

from recollect.errors import Conflict
from recollect.governance import audit, erasure, receipts
from recollect.governance.erasure import Mode
from recollect.governance.receipts import Erased, Kind
from recollect.graph.types import Access, Episode, Graph
from recollect.records import episodes, graphs, knowledge, session_logs, threads, traces, users
from recollect.records.agents import AgentRecord
from recollect.records.traces import Trace, TraceEvent
from recollect.store import rows
from recollect.store.protocol import Transaction


def episode(tx: Transaction, access: Access, uuid: str, mode: Mode) -> Erased:
    """Erase an episode, and what rested on it alone."""
    graph_id = episodes.get(tx, access, uuid).graph_id
    removed = episodes.delete(tx, access, uuid, mode)
    receipt = receipts.of_part(tx, access, "episode", uuid, mode, removed)
    return Erased(receipt=receipt, graph_uuid=_graph_uuid(tx, graph_id))


def fact(tx: Transaction, access: Access, uuid: str) -> Erased:
    """Erase a fact; its episodes stay, but will not state it again."""
    graph_id = knowledge.fact(tx, access, uuid).graph_id
    removed = knowledge.delete_fact(tx, access, uuid)
    receipt = receipts.of_part(tx, access, "fact", uuid, "delete", removed)
    return Erased(receipt=receipt, graph_uuid=_graph_uuid(tx, graph_id))


def several(tx: Transaction, access: Access, graph: Graph, found: Sequence[Episode]) -> Erased:
    """Erase episodes of one graph together, and what rested on them alone."""
    removed = erasure.forget_episodes(tx, [episode.id for episode in found], "delete")
    receipt = receipts.of_part(tx, access, "episodes", graph.uuid, "delete", removed)
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
    """Erase a standalone graph with all its content; an agent's graph with the agent and its traces."""
    found = graphs.get(tx, access, graph_id)
    agent = tx.agents.by_uuid(uuid=found.uuid, project_id=access.project_id)
    removed = {"graphs": 1, **_contents(tx, found.id)}
    logs = tx.traces.of_graph(graph_id=found.id)
    if logs:
        removed |= {"sessions": len(logs), "log_episodes": sum(row.episodes for row in logs)}
    graphs.delete(tx, access, graph_id)
    for row in logs:
        tx.session_logs.delete(id=row.id)
    targets = [f"graph:{graph_id}", *(f"session_log:{row.session_id}" for row in logs)]
    redacted = audit.redact(tx, access.project_id, targets)
    kind: Kind = "graph" if agent is None else "agent"
    receipt = receipts.of_graph(tx, access, kind, found.uuid, mode, removed, redacted)
    return Erased(receipt=receipt, graph_uuid=found.uuid)


def trace(tx: Transaction, access: Access, agent: AgentRecord, found: Trace) -> Erased:
    """Erase a trace: its log, and what it became in its agent's graph."""
    erasure.require_full_visibility(access)
    fed = tx.traces.fed(log_id=found.log_id, number=None)
    removed = erasure.forget_episodes(tx, list(fed))
    erasure.unsay_answers(tx, agent.graph.id)
    held = session_logs.delete(tx, access, found.session_id)
    receipt = receipts.of_part(tx, access, "trace", found.uuid, "delete", removed, held)
    return Erased(receipt=receipt, graph_uuid=agent.uuid)


def trace_event(
    tx: Transaction, access: Access, agent: AgentRecord, found: Trace, event: TraceEvent
) -> Erased:
    """Erase one event from the log of a trace, and what it became in its agent's graph."""
    erasure.require_full_visibility(access)
    fed = tx.traces.fed(log_id=found.log_id, number=event.number)
    removed = erasure.forget_episodes(tx, list(fed))
    erasure.unsay_answers(tx, agent.graph.id)
    erased_id = traces.erased_id(event.event_id)
    tx.traces.event_erase(log_id=found.log_id, number=event.number, erased_id=erased_id)
    tx.session_logs.episode_delete(log_id=found.log_id, number=event.number)
    held = {"log_episodes": 1}
    receipt = receipts.of_part(tx, access, "trace_event", event.uuid, "delete", removed, held)
    return Erased(receipt=receipt, graph_uuid=agent.uuid)


def user(tx: Transaction, access: Access, user_id: str, mode: Mode = "delete") -> Erased:
    """Erase a user with threads, messages and graph: afterwards nothing shows that they existed."""
    found = users.get(tx, access, user_id)
    removed = {"users": 1, **_contents(tx, found.graph_id)}
    said_in = tx.threads.names_of_graph(id=found.graph_id)
    logs = tx.session_logs.of_graph(graph_id=found.graph_id)
    if logs:
        removed |= {"sessions": len(logs), "log_episodes": sum(row.episodes for row in logs)}
    users.delete(tx, access, user_id)
    targets = [f"user:{user_id}", f"graph:{user_id}"]
    targets += [f"thread:{row}" for row in said_in]
    targets += [f"session_log:{row.session_id}" for row in logs]
    redacted = audit.redact(tx, access.project_id, targets)
    receipt = receipts.of_graph(tx, access, "user", found.uuid, mode, removed, redacted)
    return Erased(receipt=receipt, graph_uuid=found.graph_uuid)


def session(tx: Transaction, access: Access, session_id: str) -> Erased:
    """Erase a session with its log; what it fed to a graph stays there."""
    found = session_logs.get(tx, access, session_id)
    if tx.traces.session_log_is_trace(id=found.id) is not None:
        raise Conflict("this session is the trace of an agent: delete the trace instead")
    removed = session_logs.delete(tx, access, session_id)
    receipt = receipts.of_session(tx, access, found.uuid, removed)
    return Erased(receipt=receipt, graph_uuid="")


def _contents(tx: Transaction, graph_id: int) -> dict[str, int]:
    row = tx.graphs.contents(id=graph_id)
    return {} if row is None else {name: n for name, n in row._asdict().items() if n}


def _graph_uuid(tx: Transaction, graph_id: int) -> str:
    row = tx.graphs.by_id(id=graph_id)
    return "" if row is None else rows.graph(row).uuid
