"""Traces of agents: session logs whose turns are remembered in the agent's graph."""

from typing import Generic, TypeVar

from recollect.app import tasks
from recollect.app.idempotency import Done, Once, repeatable, write
from recollect.app.services import Services
from recollect.app.tasks import Tracked
from recollect.app.units import reads
from recollect.graph.types import Access, DocumentSummary, Record
from recollect.ingest import tracing
from recollect.ingest.tracing import NewEvent, NewTrace, TraceEnding
from recollect.records import agents, derived, erasing, traces
from recollect.records.agents import AgentRecord
from recollect.records.pages import Page, PageRequest
from recollect.records.traces import Trace, TraceEvent, TraceFilter
from recollect.store.protocol import Transaction

__all__ = ["NewEvent", "NewTrace", "Trace", "TraceEnding", "TraceEvent", "TraceFilter"]

T = TypeVar("T")
_REPAIR = "agent.trajectory.repair.evidence_deletion"


class TraceRef(Record):
    """A trace by its uuid, and the agent it belongs to."""

    agent_uuid: str
    trace_uuid: str


class OfAgent(Record, Generic[T]):
    """Something that belongs to an agent."""

    agent: AgentRecord
    value: T


class Ended(Record):
    """A trace of an agent, and the task that follows from ending or reclassifying it."""

    agent: AgentRecord
    trace: Trace
    task: Tracked


class ErasedTrace(Record):
    """A trace that was erased, fully or in part, and the task that completes once the files are wiped.

    *uuid* is that of the receipt.
    """

    agent: AgentRecord
    trace: Trace
    uuid: str
    task: Tracked


class TraceEvents(Record):
    """Some events of a trace, and its total if the caller may know it."""

    agent: AgentRecord
    trace: Trace
    events: list[TraceEvent]
    total: int | None


def _one(tx: Transaction, access: Access, ref: TraceRef) -> tuple[AgentRecord, Trace]:
    agent = agents.get(tx, access, ref.agent_uuid)
    return agent, traces.get(tx, access, agent, ref.trace_uuid)


def _done(agent: AgentRecord, made: Trace) -> Done[OfAgent[Trace]]:
    return Done(value=OfAgent(agent=agent, value=made), graph_id=agent.graph.id, made=made)


@repeatable
def create(tx: Transaction, access: Access, agent_uuid: str, new: NewTrace) -> Done[OfAgent[Trace]]:
    """A new trace, or the existing one that was begun with the same id and content."""
    agent = agents.get(tx, access, agent_uuid)
    return _done(agent, tracing.begin(tx, access, agent, new))


@reads
def get(tx: Transaction, access: Access, ref: TraceRef) -> OfAgent[Trace]:
    """A trace."""
    agent, found = _one(tx, access, ref)
    return OfAgent(agent=agent, value=found)


@reads
def page(
    tx: Transaction, access: Access, agent_uuid: str, wanted: TraceFilter, request: PageRequest
) -> OfAgent[Page[Trace]]:
    """A page of an agent's traces."""
    agent = agents.get(tx, access, agent_uuid)
    return OfAgent(agent=agent, value=traces.page(tx, access, agent, wanted, request))


async def sort(
    services: Services,
    access: Access,
    ref: TraceRef,
    expected_revision: int,
    task_family: str | None,
    *,
    once: Once | None = None,
) -> OfAgent[Trace]:
    """Change the task family of a trace."""
    return await write(services, access, once, _sort, ref, expected_revision, task_family)


def _sort(
    tx: Transaction,
    access: Access,
    ref: TraceRef,
    expected_revision: int,
    task_family: str | None,
) -> Done[OfAgent[Trace]]:
    agent = agents.get(tx, access, ref.agent_uuid)
    made = tracing.sort(tx, access, agent, ref.trace_uuid, expected_revision, task_family)
    return _done(agent, made)


@repeatable
def sort_tracked(
    tx: Transaction, access: Access, ref: TraceRef, expected_revision: int, task_family: str | None
) -> Done[Ended]:
    """Change the task family of a trace; returns a task, which is already complete."""
    sorted_ = _sort(tx, access, ref, expected_revision, task_family).value
    agent, made = sorted_.agent, sorted_.value
    task = tasks.of_write(tx, access, None, "agent.trajectory.repair.task_family")
    ended = Ended(agent=agent, trace=made, task=task)
    return Done(value=ended, graph_id=agent.graph.id, made=made)


@repeatable
def end(
    tx: Transaction, access: Access, ref: TraceRef, expected_revision: int | None, how: TraceEnding
) -> Done[Ended]:
    """End a trace; the task completes once everything in it has been read."""
    agent = agents.get(tx, access, ref.agent_uuid)
    made = tracing.end(tx, access, agent, ref.trace_uuid, expected_revision, how)
    task = tasks.of_write(tx, access, made.task_uuid, tracing.FINALIZED)
    ended = Ended(agent=agent, trace=made, task=task)
    return Done(value=ended, graph_id=agent.graph.id, made=made)


@repeatable
def reopen(
    tx: Transaction, access: Access, ref: TraceRef, expected_revision: int
) -> Done[OfAgent[Trace]]:
    """Reopen a trace that has ended."""
    agent = agents.get(tx, access, ref.agent_uuid)
    made = tracing.reopen(tx, access, agent, ref.trace_uuid, expected_revision)
    return _done(agent, made)


@repeatable
def delete(
    tx: Transaction, access: Access, ref: TraceRef, expected_revision: int
) -> Done[ErasedTrace]:
    """Erase a trace with its log and what the graph learned from it."""
    agent, trace = _one(tx, access, ref)
    agents.expect(expected_revision, trace.revision)
    erased = erasing.trace(tx, access, agent, trace)
    task = tasks.of_write(tx, access, erased.uuid, _REPAIR)
    value = ErasedTrace(agent=agent, trace=trace, uuid=erased.uuid, task=task)
    return Done(value=value, graph_id=agent.graph.id, made=erased, erased=erased)


# ---------------------------------------------------------------- events


@repeatable
def append_event(
    tx: Transaction, access: Access, ref: TraceRef, new: NewEvent, *, may_feed: bool
) -> Done[OfAgent[TraceEvent]]:
    """Append an event to a trace; a repeated event is not added twice.

    It is also fed into the graph if the caller may add to that.
    """
    agent, trace = _one(tx, access, ref)
    made = tracing.tell(tx, access, agent, trace.uuid, new, may_feed=may_feed)
    return Done(value=OfAgent(agent=agent, value=made), graph_id=agent.graph.id, made=made)


@reads
def events(
    tx: Transaction, access: Access, ref: TraceRef, *, after: int, limit: int
) -> TraceEvents:
    """The events of a trace after a sequence number, in order."""
    agent, trace = _one(tx, access, ref)
    return TraceEvents(
        agent=agent,
        trace=trace,
        events=traces.events(tx, access, trace, after=after, limit=limit),
        total=traces.count_events(tx, access, trace),
    )


@repeatable
def delete_event(
    tx: Transaction, access: Access, ref: TraceRef, event_uuid: str, expected_revision: int
) -> Done[ErasedTrace]:
    """Erase an event from its trace and from the graph."""
    agent = agents.get(tx, access, ref.agent_uuid)
    made, erased = tracing.untell(tx, access, agent, ref.trace_uuid, event_uuid, expected_revision)
    task = tasks.of_write(tx, access, erased.uuid, _REPAIR)
    value = ErasedTrace(agent=agent, trace=made, uuid=erased.uuid, task=task)
    return Done(value=value, graph_id=agent.graph.id, made=erased, erased=erased)


# ---------------------------------------------------------------- summaries


@reads
def summary(
    tx: Transaction, access: Access, ref: TraceRef
) -> tuple[OfAgent[Trace], DocumentSummary]:
    """A trace and its summary, available once some of it has been read."""
    agent, trace = _one(tx, access, ref)
    found = derived.document_summary(tx, access, agent.graph, trace.session_id)
    return OfAgent(agent=agent, value=trace), found
