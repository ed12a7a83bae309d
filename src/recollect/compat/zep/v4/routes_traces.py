"""Traces of agents: session logs whose turns are remembered in the graph of the agent; their events,
and what was said in them in a few sentences."""

from functools import partial

import msgspec

from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.app import traces
from recollect.app.traces import (
    Ended,
    ErasedTrace,
    NewEvent,
    NewTrace,
    OfAgent,
    Trace,
    TraceEnding,
    TraceEvent,
    TraceFilter,
    TraceRef,
)
from recollect.compat.zep.v4 import idempotency, paging, translate
from recollect.compat.zep.v4.wire import agents as wire
from recollect.compat.zep.v4.wire.base import Json, Page4, PageQuery4
from recollect.errors import NotOffered

_NO_VERIFIERS = (
    "verifier: verifiers are not kept here; say in `verification` what the outcome was verified by"
)


def _ref(call: Call) -> TraceRef:
    return TraceRef(agent_uuid=call.path["agent_uuid"], trace_uuid=call.path["trace_uuid"])


def _trace(found: OfAgent[Trace]) -> wire.Trace4:
    return translate.trace(found.agent, found.value)


def _ended(found: Ended) -> wire.EndedTrace4:
    trace = translate.trace(found.agent, found.trace)
    return wire.EndedTrace4(trace=trace, task=translate.task(found.task))


def _erased(found: ErasedTrace, *, whole: bool) -> wire.DeletedTrace4:
    return wire.DeletedTrace4(
        trace=translate.trace_after_erasure(found.agent, found.trace, whole=whole),
        deletion_uuid=found.uuid,
        affected_skills=0,
        summary_repair_task=translate.task(found.task),
    )


async def create(call: Call) -> Reply:
    """A new trace, or the one that was begun in the same words under the same id."""
    sent: wire.CreateTrace4 = call.body
    new = NewTrace(
        objective=sent.objective,
        trace_id=sent.trace_id,
        task_family=sent.task_family,
        parent=sent.parent_trace_uuid,
        learn_from=sent.learn_from is not False,
        metadata=sent.metadata,
    )
    create = traces.create.bind(call.services, call.access, call.path["agent_uuid"], new)
    return await idempotency.write(call, create, _trace)


async def get(call: Call) -> wire.Trace4:
    """A trace by its uuid."""
    return _trace(await traces.get(call.services, call.access, _ref(call)))


async def list_all(call: Call) -> Page4[wire.Trace4]:
    """A page of an agent's traces, the newest first unless asked otherwise."""
    asked: wire.TracesQuery4 = call.query
    sent: wire.ListTraces4 = call.body
    wanted = TraceFilter(
        status=sent.status,
        outcome=sent.outcome,
        verification=sent.verification,
        task_family=sent.task_family,
        parent=sent.parent_trace_uuid,
        metadata=sent.metadata,
    )
    given = (call.path["agent_uuid"], wanted, paging.keyset(asked, "created_at"))
    found = await traces.page(call.services, call.access, *given)
    if asked.import_uuid is not None or asked.source_kind == "trace_import":
        return Page4(items=[])  # what is here was told by callers
    items = [translate.trace(found.agent, one) for one in found.value.items]
    return Page4(items=items, next_cursor=found.value.next_cursor)


async def update(call: Call) -> Reply:
    """Say anew to which family of tasks a trace belongs."""
    sent: wire.SortTrace4 = call.body
    given = (_ref(call), sent.expected_revision, sent.task_family)
    sort = partial(traces.sort, call.services, call.access, *given)
    return await idempotency.write(call, sort, _trace)


async def correct(call: Call) -> Reply:
    """The same of a trace that has ended; the task is done when this answers."""
    sent: wire.CorrectTrace4 = call.body
    given = (_ref(call), sent.expected_revision, sent.task_family)
    sort = traces.sort_tracked.bind(call.services, call.access, *given)
    return await idempotency.write(call, sort, _ended)


def _ranges(sent: list[wire.SequenceRange4] | None) -> tuple[tuple[int, int], ...]:
    return tuple((part.first, part.last) for part in sent or ())


async def _end(call: Call, expected_revision: int | None, how: TraceEnding) -> Reply:
    end = traces.end.bind(call.services, call.access, _ref(call), expected_revision, how)
    return await idempotency.write(call, end, _ended)


async def close(call: Call) -> Reply:
    """End a trace with its outcome; the task ends when all that was said in it is read."""
    sent: wire.CloseTrace4 = call.body
    if sent.verifier or sent.verifier_id is not None:
        raise NotOffered(_NO_VERIFIERS)
    how = TraceEnding(
        status="closed",
        outcome=sent.outcome or "unknown",
        verification=sent.verification or "none",
        reason=sent.reason,
        upto=sent.closing_sequence,
        told=_ranges(sent.missing_sequence_ranges),
    )
    return await _end(call, sent.expected_revision, how)


async def abandon(call: Call) -> Reply:
    """End a trace that came to nothing; the task ends when all that was said in it is read."""
    sent: wire.AbandonTrace4 = call.body
    how = TraceEnding(
        status="abandoned",
        outcome="abandoned",
        verification=sent.verification or "none",
        reason=sent.reason,
        upto=sent.highest_accepted_sequence,
        told=_ranges(sent.missing_sequence_ranges),
    )
    return await _end(call, sent.expected_revision, how)


async def reopen(call: Call) -> Reply:
    """Let a trace that has ended go on."""
    given = (_ref(call), call.body.expected_revision)
    reopen = traces.reopen.bind(call.services, call.access, *given)
    return await idempotency.write(call, reopen, _trace)


async def delete(call: Call) -> Reply:
    """Erase a trace with its log and what it became in the graph; the task ends when that is wiped."""
    given = (_ref(call), call.body.expected_revision)
    delete = traces.delete.bind(call.services, call.access, *given)
    return await idempotency.write(call, delete, partial(_erased, whole=True))


# ---------------------------------------------------------------- events


def _plain(sent: msgspec.Struct | None) -> Json | None:
    told: Json | None = msgspec.to_builtins(sent)
    return told


def _new(sent: wire.AppendEvent4) -> NewEvent:
    return NewEvent(
        event_type=sent.event_type,
        content=sent.content,
        event_id=sent.event_id,
        sequence=sent.sequence,
        occurred_at=sent.occurred_at,
        tool_call_id=sent.tool_call_id,
        context=_plain(sent.context),
        metadata=sent.metadata,
        sources=None if sent.sources is None else msgspec.to_builtins(sent.sources),
    )


async def append_event(call: Call) -> Reply:
    """One more event of a trace; it is on disk when this answers, and sent again it is the same."""
    append = traces.append_event.bind(
        call.services,
        call.access,
        _ref(call),
        _new(call.body),
        may_feed=call.access_for("graph.add") is not None,
    )
    return await idempotency.write(call, append, partial(_event, call))


def _event(call: Call, found: OfAgent[TraceEvent]) -> wire.Event4:
    return translate.event(found.agent, call.path["trace_uuid"], found.value)


async def list_events(call: Call) -> Page4[wire.Event4]:
    """A page of the events of a trace, by their sequence."""
    asked: PageQuery4 = call.query
    after, most = paging.offset(asked), paging.size(asked) + 1
    found = await traces.events(call.services, call.access, _ref(call), after=after, limit=most)
    shown = found.events[: most - 1]
    following = paging.cursor(shown[-1].sequence) if len(found.events) == most else None
    return Page4(
        items=[translate.event(found.agent, found.trace.uuid, event) for event in shown],
        next_cursor=following,
        total_size=found.total,
    )


async def delete_event(call: Call) -> Reply:
    """Erase an event from its trace and from the graph; the task ends when that is wiped."""
    given = (_ref(call), call.path["event_uuid"], call.body.expected_revision)
    delete = traces.delete_event.bind(call.services, call.access, *given)
    return await idempotency.write(call, delete, partial(_erased, whole=False))


# ---------------------------------------------------------------- summaries


async def get_summary(call: Call) -> wire.TraceSummary4:
    """What was said in a trace, in a few sentences, once some of it is read."""
    of, found = await traces.summary(call.services, call.access, _ref(call))
    trace = of.value
    return wire.TraceSummary4(
        uuid=found.uuid,
        agent_uuid=of.agent.uuid,
        trace_uuid=trace.uuid,
        version=1,
        text=found.summary,
        outcome=trace.outcome,  # type: ignore[arg-type]
        verification=trace.verification,  # type: ignore[arg-type]
        first_sequence=1 if trace.last_sequence else None,
        last_sequence=trace.last_sequence or None,
        created_at=found.updated_at,
    )


async def list_summaries(call: Call) -> Page4[wire.TraceSummary4]:
    """The summary of a trace as it stands; earlier ones are not kept."""
    return Page4(items=[await get_summary(call)], total_size=1)


_TRACE = "/agents/{agent_uuid}/traces/{trace_uuid}"

ROUTES = [
    Route(
        "POST",
        "/agents/{agent_uuid}/traces",
        "agent.trace.create",
        create,
        "Begin a trace of what an agent does",
        body=wire.CreateTrace4,
        answer=wire.Trace4,
    ),
    Route(
        "POST",
        "/agents/{agent_uuid}/traces/list",
        "agent.trace.list",
        list_all,
        "List the traces of an agent",
        body=wire.ListTraces4,
        query=wire.TracesQuery4,
        reads=True,
    ),
    Route("GET", _TRACE, "agent.trace.get", get, "Get a trace"),
    Route(
        "PATCH",
        _TRACE,
        "agent.trace.update",
        update,
        "Sort a trace into a family of tasks",
        body=wire.SortTrace4,
        answer=wire.Trace4,
    ),
    Route(
        "DELETE",
        _TRACE,
        "agent.trace.delete",
        delete,
        "Delete a trace and what was remembered of it",
        body=wire.Expected4,
        answer=wire.DeletedTrace4,
    ),
    Route(
        "POST",
        f"{_TRACE}/close",
        "agent.trace.close",
        close,
        "End a trace with its outcome",
        body=wire.CloseTrace4,
        answer=wire.EndedTrace4,
        also=(NotOffered,),
    ),
    Route(
        "POST",
        f"{_TRACE}/abandon",
        "agent.trace.abandon",
        abandon,
        "Give a trace up",
        body=wire.AbandonTrace4,
        answer=wire.EndedTrace4,
    ),
    Route(
        "POST",
        f"{_TRACE}/reopen",
        "agent.trace.reopen",
        reopen,
        "Let a trace go on",
        body=wire.Expected4,
        answer=wire.Trace4,
    ),
    Route(
        "POST",
        f"{_TRACE}/correct-task-family",
        "agent.trace.correct_task_family",
        correct,
        "Sort a trace that has ended into another family of tasks",
        body=wire.CorrectTrace4,
        answer=wire.EndedTrace4,
    ),
    Route(
        "POST",
        f"{_TRACE}/events",
        "agent.trace.append_event",
        append_event,
        "Tell an event of a trace",
        body=wire.AppendEvent4,
        answer=wire.Event4,
    ),
    Route(
        "GET",
        f"{_TRACE}/events",
        "agent.trace.list_events",
        list_events,
        "List the events of a trace",
        query=PageQuery4,
    ),
    Route(
        "DELETE",
        f"{_TRACE}/events/{{event_uuid}}",
        "agent.trace.delete_event",
        delete_event,
        "Delete an event of a trace and what was remembered of it",
        body=wire.Expected4,
        answer=wire.DeletedTrace4,
    ),
    Route(
        "GET",
        f"{_TRACE}/summary",
        "agent.trace.get_summary",
        get_summary,
        "Get the summary of a trace",
    ),
    Route(
        "GET",
        f"{_TRACE}/summary/versions",
        "agent.trace.list_summary_versions",
        list_summaries,
        "List the summaries of a trace",
        query=PageQuery4,
    ),
]
