"""Traces of agents: what an agent did to reach an objective, as a session log of events.

The visibility of a trace is decided by its own metadata, like that of its log. The visibility of an
event is decided by both.
"""

import json
from datetime import datetime
from hashlib import blake2b
from typing import Any, Literal

from recollect.errors import NotFound
from recollect.graph.types import Access, Json, Record
from recollect.graph.visibility import effective
from recollect.limits import INTEGER_MAX
from recollect.records.agents import AgentRecord, contains
from recollect.records.pages import Page, PageRequest, page_seen
from recollect.session_log.episode import ITEM, META
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.traces import TraceEventRow, TraceRow
from recollect.store.statements import Keyed

# How events appear in the log: the words of people and of the agent are messages, tool calls and
# their results are items, and anything else is recorded without being part of the conversation.

# The role of an event's words, if they are a turn of the conversation.
_ROLES = {
    "input_reference": "user",
    "feedback": "user",
    "correction": "user",
    "observation": "assistant",
    "decision": "assistant",
    "reflection": "assistant",
}
_SOURCES = {"user": "user", "assistant": "agent"}
TOOL_EVENTS = frozenset({"tool_call", "tool_result"})


def logged(told: Json, content: str | None, name: str) -> tuple[str, Json, Json]:
    """The type, meta and payload of an event; *name* is the agent's name."""
    kind = told["event_type"]
    role = _ROLES.get(kind)
    meta: Json = {"source": "runtime", "event": told}
    if told.get("occurred_at"):
        meta["date"] = told["occurred_at"]
    if role is not None:
        item: Json = {"type": "message", "role": role, "content": content or ""}
        if role == "assistant":
            item["name"] = name
        return ITEM, {**meta, "source": _SOURCES[role]}, {"item": item}
    if kind in TOOL_EVENTS:
        return ITEM, {**meta, "source": "tool"}, {"item": _tool_item(told, content or "")}
    return META, meta, {"event": f"trace.{kind}", "data": {"content": content}}


def _tool_item(told: Json, content: str) -> Json:
    call_id = told.get("tool_call_id") or told["event_id"]
    if told["event_type"] == "tool_result":
        return {"type": "function_call_output", "call_id": call_id, "output": content}
    tools = (told.get("context") or {}).get("tools") or [{}]
    named = tools[0].get("name") or "tool"
    return {"type": "function_call", "call_id": call_id, "name": named, "arguments": content}


def content_of(payload: Json) -> str | None:
    """The text of an event, from its payload."""
    held: Any = payload.get("item") or payload.get("data") or {}
    for name in ("content", "arguments", "output"):
        if isinstance(held.get(name), str):
            return held[name] or None
    return None


def carried(shared: Json | None, own: Json | None) -> Json | None:
    """The metadata that decides an event's visibility: its own over its trace's."""
    return {**(shared or {}), **(own or {})} or None


Status = Literal["open", "closed", "abandoned"]
EventState = Literal["pending", "processed", "failed"]


class Trace(Record):
    """A trace of an agent.

    *family* is the uuid of the first of several attempts, *last_sequence* that of its newest event. One
    task covers the jobs that read its turns.
    """

    log_id: int
    uuid: str
    session_id: str
    trace_id: str | None
    objective: str
    task_family: str | None
    parent: str | None
    family: str
    learn_from: bool
    metadata: Json | None
    status: Status
    outcome: str | None
    verification: str | None
    closing_sequence: int | None
    last_sequence: int
    task_uuid: str
    revision: int
    created_at: datetime
    updated_at: datetime
    ended_at: datetime | None


class TraceEvent(Record):
    """An event as reported; *number* is its id in the log, *state* how far its text was read."""

    uuid: str
    event_id: str
    sequence: int
    number: int
    told: Json
    content: str | None
    state: EventState
    completed_at: datetime | None


class TraceFilter(Record):
    """Filters for an agent's traces; None does not filter."""

    status: str | None = None
    outcome: str | None = None
    verification: str | None = None
    task_family: str | None = None
    parent: str | None = None
    metadata: Json | None = None


def get(tx: Transaction, access: Access, agent: AgentRecord, uuid: str) -> Trace:
    """A trace of an agent by its uuid."""
    row = tx.traces.by_uuid(uuid=uuid, graph_id=agent.graph.id)
    if row is None or not _seen(access, row):
        raise NotFound(f"trace not found: {uuid}")
    return _trace(row)


def _seen(access: Access, row: TraceRow) -> bool:
    if access.visibility is None:
        return True
    return access.visibility.sees(effective([rows.from_json(row.metadata)]))


def page(
    tx: Transaction, access: Access, agent: AgentRecord, wanted: TraceFilter, request: PageRequest
) -> Page[Trace]:
    """A page of an agent's visible traces that pass the filter."""

    def read(bounds: dict[str, Any]) -> list[Keyed[TraceRow]]:
        return tx.traces.page(
            order=request.order,
            graph_id=agent.graph.id,
            status=wanted.status,
            outcome=wanted.outcome,
            verification=wanted.verification,
            task_family=wanted.task_family,
            parent=wanted.parent,
            **bounds,
        )

    def tell(found: list[TraceRow]) -> dict[int, Trace]:
        several = ((row.id, _trace(row)) for row in found if _seen(access, row))
        return {id_: one for id_, one in several if contains(one.metadata, wanted.metadata)}

    narrowing = access.visibility is not None or bool(wanted.metadata)
    return page_seen(read, request, tell, narrowing=narrowing)


def event(tx: Transaction, trace: Trace, uuid: str) -> TraceEvent:
    """An event of a trace by its uuid."""
    found = find_event(tx, trace, uuid=uuid)
    if found is None:
        raise NotFound(f"event not found: {uuid}")
    return found


def find_event(
    tx: Transaction,
    trace: Trace,
    *,
    uuid: str | None = None,
    event_id: str | None = None,
    sequence: int | None = None,
) -> TraceEvent | None:
    """The event of a trace with one of these ids, if any."""
    row = tx.traces.event_told(log_id=trace.log_id, uuid=uuid, event_id=event_id, sequence=sequence)
    return None if row is None else _event(row)


def erased_id(event_id: str) -> str:
    """What is kept of an erased event's id: a hash, because the id may contain text."""
    return blake2b(event_id.encode(), digest_size=16).hexdigest()


def was_erased(
    tx: Transaction, trace: Trace, *, event_id: str | None, sequence: int | None
) -> bool:
    """Whether an event of a trace with one of these ids was erased."""
    hashed = None if event_id is None else erased_id(event_id)
    row = tx.traces.event_erased(log_id=trace.log_id, erased_id=hashed, sequence=sequence)
    return row is not None


def sees_event(access: Access, trace: Trace, event: TraceEvent) -> bool:
    """Whether the caller may see an event of a trace that they may see."""
    if access.visibility is None:
        return True
    return access.visibility.sees(effective([carried(trace.metadata, event.told.get("metadata"))]))


def events(
    tx: Transaction, access: Access, trace: Trace, *, after: int, limit: int
) -> list[TraceEvent]:
    """The visible events of a trace in order, after a given sequence."""
    found: list[TraceEvent] = []
    while len(found) < limit:
        read = tx.traces.events_page(log_id=trace.log_id, after=after, limit=limit)
        found += [one for one in map(_event, read) if sees_event(access, trace, one)]
        if len(read) < limit:
            break
        after = read[-1].sequence
    return found[:limit]


def count_events(tx: Transaction, access: Access, trace: Trace) -> int | None:
    """The number of events of a trace; None for a caller with restricted visibility."""
    if access.visibility is not None:
        return None
    row = tx.traces.events_count(log_id=trace.log_id)
    return 0 if row is None else int(row)


def missing(
    tx: Transaction, trace: Trace, upto: int, told: tuple[tuple[int, int], ...]
) -> str | None:
    """The first sequence up to *upto* that no event has or had and no range of *told* covers, as text."""
    have = (row for row in tx.traces.sequences(log_id=trace.log_id, upto=upto))
    covered = sorted([*told, *((one, one) for one in have)])
    due = 1
    for first, last in covered:
        if first > due:
            break
        due = max(due, min(last, INTEGER_MAX - 1) + 1)
    return None if due > upto else str(due)


def _trace(row: TraceRow) -> Trace:
    return Trace(
        log_id=row.id,
        uuid=row.uuid,
        session_id=row.session_id,
        trace_id=row.trace_id,
        objective=row.objective,
        task_family=row.task_family,
        parent=row.parent,
        family=row.family,
        learn_from=bool(row.learn_from),
        metadata=rows.from_json(row.metadata),
        status=row.status,
        outcome=row.outcome,
        verification=row.verification,
        closing_sequence=row.closing_sequence,
        last_sequence=row.last_sequence,
        task_uuid=row.task_uuid,
        revision=row.revision,
        created_at=rows.moment(row.created_at),
        updated_at=rows.moment(row.updated_at),
        ended_at=rows.moment_or_none(row.ended_at),
    )


def _event(row: TraceEventRow) -> TraceEvent:
    state: EventState = "pending" if row.waiting else "failed" if row.parked else "processed"
    return TraceEvent(
        uuid=row.uuid,
        event_id=row.event_id,
        sequence=row.sequence,
        number=row.number,
        told=json.loads(row.meta)["event"],
        content=content_of(json.loads(row.payload)),
        state=state,
        completed_at=None if row.waiting else rows.moment_or_none(row.completed_at),
    )
