"""How traces of agents end, go on, and are sorted."""

from typing import Final

from recollect.errors import Conflict
from recollect.governance.receipts import Erased
from recollect.graph.types import Access, Json, Record
from recollect.ingest import session_writing
from recollect.ingest.session_writing import draft
from recollect.ingest.tracing import check_family
from recollect.records import erasing, traces
from recollect.records.agents import AgentRecord, expect
from recollect.records.traces import Status, Trace
from recollect.session_log.episode import META
from recollect.store import rows
from recollect.store.protocol import Transaction

FINALIZED: Final = "agent.trajectory.finalize"


class TraceEnding(Record):
    """How a trace ended. *upto* is the sequence of its last event; *told* are ranges of sequences that
    are known to be missing before it."""

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
    """End a trace that is open; one that has ended so stays as it is. Its task is done when all its
    turns are read."""
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
    """Let the jobs of a trace's turns be a task that is told of."""
    tx.traces.task_put(
        uuid=trace.task_uuid,
        graph_id=agent.graph.id,
        type=FINALIZED,
        now=rows.micros(tx.now),
    )


def reopen(tx: Transaction, access: Access, agent: AgentRecord, uuid: str, expected: int) -> Trace:
    """Let a trace that has ended go on."""
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
    """Say anew to which family of tasks a trace belongs; None: to none."""
    trace = traces.get(tx, access, agent, uuid)
    expect(expected, trace.revision)
    check_family(family)
    _as_it_is(tx, trace, family)
    tx.traces.touched(id=trace.log_id, now=rows.micros(tx.now))
    return traces.get(tx, access, agent, uuid)


def untell(
    tx: Transaction, access: Access, agent: AgentRecord, uuid: str, event_uuid: str, expected: int
) -> tuple[Trace, Erased]:
    """Erase an event from a trace and from the graph; the log says that there was one."""
    trace = traces.get(tx, access, agent, uuid)
    expect(expected, trace.revision)
    event = traces.event(tx, trace, event_uuid)
    erased = erasing.trace_event(tx, access, agent, trace, event)
    _note(tx, access, trace, "event_deleted", {"sequence": event.sequence})
    _as_it_is(tx, trace, trace.task_family)
    return traces.get(tx, access, agent, uuid), erased


def _as_it_is(tx: Transaction, trace: Trace, family: str | None) -> None:
    """Count a change that leaves a trace as open or ended as it was."""
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
    """Let the log of a trace tell what became of the trace."""
    told = {"event": f"trace.{event}", "data": data}
    line = draft("reason", META, told, {"source": "runtime"})
    session_writing.append(tx, access, trace.session_id, [line])
