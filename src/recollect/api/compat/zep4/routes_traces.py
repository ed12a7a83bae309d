"""Traces of agents: session logs whose turns are remembered in the graph of the agent."""

from recollect.api import once
from recollect.api.compat.zep4 import answers, paging, show_agents
from recollect.api.compat.zep4.routes_agents import owner
from recollect.api.compat.zep4.wire import agents as wire
from recollect.api.compat.zep4.wire.base import Page4
from recollect.api.http import Reply
from recollect.api.once import Done
from recollect.api.router import Call, Route
from recollect.errors import NotOffered
from recollect.graph.types import Access
from recollect.ingest import trace_endings, tracing
from recollect.ingest.trace_endings import Ending
from recollect.ingest.tracing import NewTrace
from recollect.store.protocol import Transaction
from recollect.subjects import agents, erasing, traces
from recollect.subjects.agents import Agent
from recollect.subjects.traces import Trace, Wanted

Path = dict[str, str]
_NO_VERIFIERS = (
    "verifier: verifiers are not kept here; say in `verification` what the outcome was verified by"
)


def one(tx: Transaction, access: Access, path: Path) -> tuple[Agent, Trace]:
    """The trace that a path names, and whose it is."""
    agent = owner(tx, access, path)
    return agent, traces.get(tx, access, agent, path["trace_uuid"])


def _shown(agent: Agent, made: Trace) -> Done:
    return Done(answer=show_agents.trace(agent, made), graph_id=agent.graph.id, made=made)


def _create(tx: Transaction, access: Access, path: Path, sent: wire.CreateTrace4) -> Done:
    new = NewTrace(
        objective=sent.objective,
        trace_id=sent.trace_id,
        task_family=sent.task_family,
        parent=sent.parent_trace_uuid,
        learn_from=sent.learn_from is not False,
        metadata=sent.metadata,
    )
    agent = owner(tx, access, path)
    return _shown(agent, tracing.begin(tx, access, agent, new))


async def create(call: Call) -> Reply:
    """A new trace, or the one that was begun in the same words under the same id."""
    return await once.write(call, _create, call.path, call.body)


def _get(tx: Transaction, access: Access, path: Path) -> wire.Trace4:
    return show_agents.trace(*one(tx, access, path))


async def get(call: Call) -> wire.Trace4:
    """A trace by its uuid."""
    return await call.services.store.read(_get, call.access, call.path)


def _page(
    tx: Transaction, access: Access, path: Path, asked: wire.TracesQuery4, sent: wire.ListTraces4
) -> Page4[wire.Trace4]:
    agent = owner(tx, access, path)
    if asked.import_uuid is not None or asked.source_kind == "trace_import":
        return Page4(items=[])  # what is here was told by callers
    wanted = Wanted(
        status=sent.status,
        outcome=sent.outcome,
        verification=sent.verification,
        task_family=sent.task_family,
        parent=sent.parent_trace_uuid,
        metadata=sent.metadata,
    )
    page = traces.page(tx, access, agent, wanted, paging.keyset(asked, "created_at"))
    items = [show_agents.trace(agent, found) for found in page.items]
    return Page4(items=items, next_cursor=page.next_cursor)


async def list_all(call: Call) -> Page4[wire.Trace4]:
    """A page of an agent's traces, the newest first unless asked otherwise."""
    return await call.services.store.read(_page, call.access, call.path, call.query, call.body)


def _sort(tx: Transaction, access: Access, path: Path, sent: wire.SortTrace4) -> Done:
    agent, expected = owner(tx, access, path), sent.expected_revision
    made = trace_endings.sort(tx, access, agent, path["trace_uuid"], expected, sent.task_family)
    return _shown(agent, made)


async def update(call: Call) -> Reply:
    """Say anew to which family of tasks a trace belongs."""
    return await once.write(call, _sort, call.path, call.body)


def _correct(tx: Transaction, access: Access, path: Path, sent: wire.CorrectTrace4) -> Done:
    agent, expected = owner(tx, access, path), sent.expected_revision
    made = trace_endings.sort(tx, access, agent, path["trace_uuid"], expected, sent.task_family)
    task = answers.task(tx, access, None, "agent.trajectory.repair.task_family")
    answer = wire.EndedTrace4(trace=show_agents.trace(agent, made), task=task)
    return Done(answer=answer, graph_id=agent.graph.id, made=made)


async def correct(call: Call) -> Reply:
    """The same of a trace that has ended; the task is done when this answers."""
    return await once.write(call, _correct, call.path, call.body)


def _ranges(sent: list[wire.SequenceRange4] | None) -> tuple[tuple[int, int], ...]:
    return tuple((part.first, part.last) for part in sent or ())


def _end(tx: Transaction, access: Access, path: Path, expected: int | None, how: Ending) -> Done:
    agent = owner(tx, access, path)
    made = trace_endings.end(tx, access, agent, path["trace_uuid"], expected, how)
    task = answers.task(tx, access, made.task_uuid, trace_endings.FINALIZED)
    answer = wire.EndedTrace4(trace=show_agents.trace(agent, made), task=task)
    return Done(answer=answer, graph_id=agent.graph.id, made=made)


async def close(call: Call) -> Reply:
    """End a trace with its outcome; the task ends when all that was said in it is read."""
    sent: wire.CloseTrace4 = call.body
    if sent.verifier or sent.verifier_id is not None:
        raise NotOffered(_NO_VERIFIERS)
    how = Ending(
        status="closed",
        outcome=sent.outcome or "unknown",
        verification=sent.verification or "none",
        reason=sent.reason,
        upto=sent.closing_sequence,
        told=_ranges(sent.missing_sequence_ranges),
    )
    return await once.write(call, _end, call.path, sent.expected_revision, how)


async def abandon(call: Call) -> Reply:
    """End a trace that came to nothing; the task ends when all that was said in it is read."""
    sent: wire.AbandonTrace4 = call.body
    how = Ending(
        status="abandoned",
        outcome="abandoned",
        verification=sent.verification or "none",
        reason=sent.reason,
        upto=sent.highest_accepted_sequence,
        told=_ranges(sent.missing_sequence_ranges),
    )
    return await once.write(call, _end, call.path, sent.expected_revision, how)


def _reopen(tx: Transaction, access: Access, path: Path, expected: int) -> Done:
    agent = owner(tx, access, path)
    return _shown(agent, trace_endings.reopen(tx, access, agent, path["trace_uuid"], expected))


async def reopen(call: Call) -> Reply:
    """Let a trace that has ended go on."""
    return await once.write(call, _reopen, call.path, call.body.expected_revision)


def _delete(tx: Transaction, access: Access, path: Path, expected: int) -> Done:
    agent, trace = one(tx, access, path)
    agents.expect(expected, trace.revision)
    erased = erasing.trace(tx, access, agent, trace)
    answer = wire.DeletedTrace4(
        trace=show_agents.trace_after_erasure(agent, trace, whole=True),
        deletion_uuid=erased.uuid,
        affected_skills=0,
        summary_repair_task=answers.task(tx, access, erased.uuid, ""),
    )
    return Done(answer=answer, graph_id=agent.graph.id, erased=erased)


async def delete(call: Call) -> Reply:
    """Erase a trace with its log and what it became in the graph; the task ends when that is wiped."""
    return await once.write(call, _delete, call.path, call.body.expected_revision)


TRACE = "/agents/{agent_uuid}/traces/{trace_uuid}"

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
        answer=Page4[wire.Trace4],
        reads=True,
    ),
    Route("GET", TRACE, "agent.trace.get", get, "Get a trace", answer=wire.Trace4),
    Route(
        "PATCH",
        TRACE,
        "agent.trace.update",
        update,
        "Sort a trace into a family of tasks",
        body=wire.SortTrace4,
        answer=wire.Trace4,
    ),
    Route(
        "DELETE",
        TRACE,
        "agent.trace.delete",
        delete,
        "Delete a trace and what was remembered of it",
        body=wire.Expected4,
        answer=wire.DeletedTrace4,
    ),
    Route(
        "POST",
        f"{TRACE}/close",
        "agent.trace.close",
        close,
        "End a trace with its outcome",
        body=wire.CloseTrace4,
        answer=wire.EndedTrace4,
    ),
    Route(
        "POST",
        f"{TRACE}/abandon",
        "agent.trace.abandon",
        abandon,
        "Give a trace up",
        body=wire.AbandonTrace4,
        answer=wire.EndedTrace4,
    ),
    Route(
        "POST",
        f"{TRACE}/reopen",
        "agent.trace.reopen",
        reopen,
        "Let a trace go on",
        body=wire.Expected4,
        answer=wire.Trace4,
    ),
    Route(
        "POST",
        f"{TRACE}/correct-task-family",
        "agent.trace.correct_task_family",
        correct,
        "Sort a trace that has ended into another family of tasks",
        body=wire.CorrectTrace4,
        answer=wire.EndedTrace4,
    ),
]
