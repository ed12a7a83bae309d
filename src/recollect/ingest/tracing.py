"""Records what agents do: traces as session logs, their turns as episodes of the agent's graph.

The log is append-only and holds everything. What people and the agent said is also read into the
graph, unless nothing should be learned from the trace. Sending the same event again changes nothing.
"""

import re
from typing import Any, Final

from recollect.errors import Conflict, InvalidInput, NotAllowed, NotFound
from recollect.governance import quotas
from recollect.governance.receipts import Erased
from recollect.graph import checks
from recollect.graph.types import Access, Json, NewEpisode, Record
from recollect.ingest import intake, session_feed, session_writing
from recollect.ingest.session_writing import draft
from recollect.limits import DESCRIPTION_CHARS_MAX, INTEGER_MAX
from recollect.records import erasing, session_logs, traces
from recollect.records.agents import AgentRecord, expect
from recollect.records.session_logs import episode_of
from recollect.records.traces import TOOL_EVENTS, Status, Trace, TraceEvent, carried, logged
from recollect.session_log.episode import BOUNDARY, META
from recollect.store import rows
from recollect.store.protocol import Transaction

_FAMILY = re.compile(r"[a-z0-9][a-z0-9._/-]{0,127}")


class NewTrace(Record):
    """A trace to start."""

    objective: str
    trace_id: str | None = None
    task_family: str | None = None
    parent: str | None = None
    learn_from: bool = True
    metadata: Json | None = None


class NewEvent(Record):
    """An event to append; without a sequence it is the next one."""

    event_type: str
    content: str | None = None
    event_id: str | None = None
    sequence: int | None = None
    occurred_at: str | None = None
    tool_call_id: str | None = None
    context: Json | None = None
    metadata: Json | None = None
    sources: list[Json] | None = None


def begin(tx: Transaction, access: Access, agent: AgentRecord, new: NewTrace) -> Trace:
    """A new trace, or the one that was started with the same id and the same parameters."""
    _check(new)
    known = None
    if new.trace_id is not None:
        known = _named(tx, access, agent, new.trace_id)
    if known is not None:
        return _same(known, new)
    first = None if new.parent is None else traces.get(tx, access, agent, new.parent)
    log = session_logs.create(tx, access, None, feeds=False, metadata=new.metadata)
    tx.traces.insert(
        log_id=log.id,
        graph_id=agent.graph.id,
        trace_id=new.trace_id,
        objective=new.objective,
        task_family=new.task_family,
        parent=new.parent,
        family=first.family if first else log.uuid,
        learn_from=new.learn_from,
        task_uuid=tx.new_id(),
    )
    intent = {"reason": "intent", "title": new.objective}
    session_writing.append(tx, access, log.session_id, [draft("objective", BOUNDARY, intent, {})])
    return traces.get(tx, access, agent, log.uuid)


def _check(new: NewTrace) -> None:
    checks.text("objective", new.objective, DESCRIPTION_CHARS_MAX, required=True)
    if new.trace_id is not None:
        checks.caller_id("trace_id", new.trace_id)
    check_family(new.task_family)


def check_family(slug: str | None) -> None:
    """Refuse a task family that is not a slug."""
    if slug is not None and _FAMILY.fullmatch(slug) is None:
        raise InvalidInput(
            "task_family: 1 to 128 lowercase letters, digits, dots, underscores, slashes and hyphens, "
            "the first of them a letter or a digit"
        )


def _named(tx: Transaction, access: Access, agent: AgentRecord, trace_id: str) -> Trace | None:
    row = tx.traces.by_name(graph_id=agent.graph.id, trace_id=trace_id)
    try:
        return None if row is None else traces.get(tx, access, agent, row)
    except NotFound as error:  # it exists, but this caller may not see it
        raise Conflict(f"trace_id: {trace_id!r} was begun with other metadata") from error


def _same(known: Trace, new: NewTrace) -> Trace:
    """The known trace, if it is started again with the same parameters; otherwise its id is taken."""
    told = (known.objective, known.task_family, known.parent, known.learn_from)
    if told != (new.objective, new.task_family, new.parent, new.learn_from):
        raise Conflict(f"trace_id: {known.trace_id!r} was begun with other parameters")
    if (known.metadata or None) != (new.metadata or None):
        raise Conflict(f"trace_id: {known.trace_id!r} was begun with other metadata")
    return known


def tell(
    tx: Transaction, access: Access, agent: AgentRecord, uuid: str, new: NewEvent, *, may_feed: bool
) -> TraceEvent:
    """Append an event to an open trace; one that was sent before is returned again."""
    trace = traces.get(tx, access, agent, uuid)
    _check_event(new)
    known = None
    if new.event_id is not None or new.sequence is not None:
        known = traces.find_event(tx, trace, event_id=new.event_id, sequence=new.sequence)
    if known is not None:
        return _told_before(known, new, seen=traces.sees_event(access, trace, known))
    if traces.was_erased(tx, trace, event_id=new.event_id, sequence=new.sequence):
        named = "sequence" if new.event_id is None else "event_id"
        raise Conflict(f"{named}: the event was deleted, and is not told again")
    if trace.status != "open":
        raise Conflict(f"the trace is {trace.status}: reopen it to add to it")
    metadata = checks.episode_metadata("metadata", carried(trace.metadata, new.metadata))
    sequence = trace.last_sequence + 1 if new.sequence is None else new.sequence
    event_uuid = tx.new_id()
    event_id = new.event_id or event_uuid
    told = _asked(new) | {"event_id": event_id, "created_at": tx.now.isoformat()}
    type_, meta, payload = logged(told, new.content, agent.details.name)
    made = session_writing.append(
        tx, access, trace.session_id, [draft("content", type_, payload, meta)]
    )
    (line,) = made.lines
    tx.traces.event_insert(
        log_id=trace.log_id,
        number=line.number,
        uuid=event_uuid,
        event_id=event_id,
        sequence=sequence,
    )
    if trace.learn_from:
        said = session_feed.said_in(episode_of(line))
        if said is not None:
            _feed(tx, access, agent, trace, line.number, said, metadata, may_feed=may_feed)
    return traces.event(tx, trace, event_uuid)


def _check_event(new: NewEvent) -> None:
    if new.event_id is not None:
        checks.caller_id("event_id", new.event_id)
    if new.sequence is not None and not 1 <= new.sequence <= INTEGER_MAX:
        raise InvalidInput(f"sequence: must be from 1 to {INTEGER_MAX}, got {new.sequence}")
    if new.tool_call_id is not None and new.event_type not in TOOL_EVENTS:
        raise InvalidInput("tool_call_id: only the call of a tool and its result have one")
    checks.moment("occurred_at", new.occurred_at)
    checks.json_object("metadata", new.metadata)
    checks.json_object("context", new.context)


def _asked(new: NewEvent) -> Json:
    """The fields of an event, except for its content and ids."""
    fields: dict[str, Any] = {
        "event_type": new.event_type,
        "occurred_at": new.occurred_at,
        "tool_call_id": new.tool_call_id,
        "context": new.context,
        "metadata": new.metadata,
        "sources": new.sources,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _told_before(known: TraceEvent, new: NewEvent, *, seen: bool) -> TraceEvent:
    named = "sequence" if new.event_id is None else "event_id"
    ids = (new.event_id in (None, known.event_id), new.sequence in (None, known.sequence))
    before = {k: v for k, v in known.told.items() if k not in ("event_id", "created_at")}
    if not seen or not all(ids) or before != _asked(new) or known.content != (new.content or None):
        raise Conflict(f"{named}: another event was told under it")
    return known


def _feed(
    tx: Transaction,
    access: Access,
    agent: AgentRecord,
    trace: Trace,
    number: int,
    said: session_feed.Said,
    metadata: Json | None,
    *,
    may_feed: bool,
) -> None:
    """Add a turn to the agent's graph, as an episode of a document that stands for the trace."""
    if not may_feed:
        raise NotAllowed("this key may not do graph.add, and what is said in a trace is remembered")
    texts = session_feed.pieces(said.text)
    new = [
        NewEpisode(
            kind="message",
            content=text,
            role=said.role,
            speaker=said.name,
            source_description=f"trace {trace.session_id}, episode {number}",
            document_id=trace.session_id,
            metadata=metadata,
            created_at=said.at,
        )
        for text in texts
    ]
    planned = [(tx.new_id(), one) for one in new]
    quotas.spend(tx, access, "episodes", len(planned))
    intake.add_planned(
        tx, graph_id=agent.graph.id, thread_key=None, task_uuid=trace.task_uuid, planned=planned
    )
    for uuid, _ in planned:
        tx.traces.fed_insert(log_id=trace.log_id, number=number, uuid=uuid)


FINALIZED: Final = "agent.trajectory.finalize"


class TraceEnding(Record):
    """How a trace ended.

    *upto* is the sequence of its last event; *told* are the ranges of sequences known to be missing.
    """

    status: Status
    outcome: str | None = None
    verification: str | None = None
    reason: str | None = None
    upto: int | None = None
    told: tuple[tuple[int, int], ...] = ()


def end(
    tx: Transaction,
    access: Access,
    agent: AgentRecord,
    uuid: str,
    expected_revision: int | None,
    how: TraceEnding,
) -> Trace:
    """End an open trace; one that already ended the same way stays as it is.

    Its task is done when all its turns are read.
    """
    trace = traces.get(tx, access, agent, uuid)
    if (trace.status, trace.outcome, trace.verification) == (
        how.status,
        how.outcome,
        how.verification,
    ):
        return trace
    expect(expected_revision, trace.revision)
    if trace.status != "open":
        raise Conflict(f"the trace is {trace.status} already")
    upto = trace.last_sequence if how.upto is None else how.upto
    lost = traces.missing(tx, trace, upto, how.told)
    if how.upto is not None and lost is not None:
        raise Conflict(
            f"the event of sequence {lost} is missing: tell it, or name it in missing_sequence_ranges"
        )
    change = {"outcome": how.outcome, "verification": how.verification, "reason": how.reason}
    _note(tx, access, trace, how.status, {k: v for k, v in change.items() if v is not None})
    ended_at = rows.micros(tx.now)
    _change(tx, trace, how, upto=upto, ended_at=ended_at, family=trace.task_family)
    settle(tx, agent, trace)
    return traces.get(tx, access, agent, uuid)


def settle(tx: Transaction, agent: AgentRecord, trace: Trace) -> None:
    """Make the jobs of a trace's turns a task that callers can see."""
    tx.traces.task_put(
        uuid=trace.task_uuid,
        graph_id=agent.graph.id,
        type=FINALIZED,
        now=rows.micros(tx.now),
    )


def reopen(tx: Transaction, access: Access, agent: AgentRecord, uuid: str, expected: int) -> Trace:
    """Reopen a trace that has ended."""
    trace = traces.get(tx, access, agent, uuid)
    expect(expected, trace.revision)
    if trace.status == "open":
        raise Conflict("the trace is open")
    _note(tx, access, trace, "reopened", {})
    _change(tx, trace, TraceEnding(status="open"), family=trace.task_family)
    return traces.get(tx, access, agent, uuid)


def sort(
    tx: Transaction,
    access: Access,
    agent: AgentRecord,
    uuid: str,
    expected: int,
    family: str | None,
) -> Trace:
    """Change the task family of a trace; None removes it."""
    trace = traces.get(tx, access, agent, uuid)
    expect(expected, trace.revision)
    check_family(family)
    _as_it_is(tx, trace, family)
    tx.traces.touched(id=trace.log_id, now=rows.micros(tx.now))
    return traces.get(tx, access, agent, uuid)


def untell(
    tx: Transaction, access: Access, agent: AgentRecord, uuid: str, event_uuid: str, expected: int
) -> tuple[Trace, Erased]:
    """Erase an event from a trace and from the graph; the log notes that there was one."""
    trace = traces.get(tx, access, agent, uuid)
    expect(expected, trace.revision)
    event = traces.event(tx, trace, event_uuid)
    erased = erasing.trace_event(tx, access, agent, trace, event)
    _note(tx, access, trace, "event_deleted", {"sequence": event.sequence})
    _as_it_is(tx, trace, trace.task_family)
    return traces.get(tx, access, agent, uuid), erased


def _as_it_is(tx: Transaction, trace: Trace, family: str | None) -> None:
    """Write a change of a trace that leaves its status as it was."""
    how = TraceEnding(status=trace.status, outcome=trace.outcome, verification=trace.verification)
    ended_at = rows.micros_or_none(trace.ended_at)
    _change(tx, trace, how, upto=trace.closing_sequence, ended_at=ended_at, family=family)


def _change(
    tx: Transaction,
    trace: Trace,
    how: TraceEnding,
    *,
    upto: int | None = None,
    ended_at: int | None = None,
    family: str | None = None,
) -> None:
    tx.traces.change(
        log_id=trace.log_id,
        task_family=family,
        status=how.status,
        outcome=how.outcome,
        verification=how.verification,
        closing_sequence=upto,
        ended_at=ended_at,
    )


def _note(tx: Transaction, access: Access, trace: Trace, event: str, data: Json) -> None:
    """Record a change of the trace in its log."""
    told = {"event": f"trace.{event}", "data": data}
    line = draft("reason", META, told, {"source": "runtime"})
    session_writing.append(tx, access, trace.session_id, [line])
