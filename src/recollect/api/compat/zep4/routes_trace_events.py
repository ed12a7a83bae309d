"""The events of a trace: telling them, reading them back, taking one out."""

import msgspec

from recollect.api import once
from recollect.api.compat.zep4 import answers, paging, show_agents
from recollect.api.compat.zep4.routes_agents import owner
from recollect.api.compat.zep4.routes_traces import TRACE, Path, one
from recollect.api.compat.zep4.wire import agents as wire
from recollect.api.compat.zep4.wire.base import Json, Page4, PageQuery4
from recollect.api.http import Reply
from recollect.api.once import Done
from recollect.api.router import Call, Route
from recollect.graph.types import Access
from recollect.ingest import trace_endings, tracing
from recollect.ingest.tracing import NewEvent
from recollect.store.protocol import Transaction
from recollect.subjects import traces


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


def _append(tx: Transaction, access: Access, path: Path, new: NewEvent, *, may_feed: bool) -> Done:
    agent, trace = one(tx, access, path)
    made = tracing.tell(tx, access, agent, trace.uuid, new, may_feed=may_feed)
    shown = show_agents.event(agent, trace, made)
    return Done(answer=shown, graph_id=agent.graph.id, made=made)


async def append(call: Call) -> Reply:
    """One more event of a trace; it is on disk when this answers, and told again it is the same."""
    may_feed = call.access_for("graph.add") is not None
    return await once.write(call, _append, call.path, _new(call.body), may_feed=may_feed)


def _events(tx: Transaction, access: Access, path: Path, asked: PageQuery4) -> Page4[wire.Event4]:
    agent, trace = one(tx, access, path)
    after, most = paging.offset(asked), paging.size(asked) + 1
    found = traces.events(tx, access, trace, after=after, limit=most)
    told = found[: most - 1]
    following = paging.cursor(told[-1].sequence) if len(found) == most else None
    return Page4(
        items=[show_agents.event(agent, trace, event) for event in told],
        next_cursor=following,
        total_size=traces.count_events(tx, access, trace),
    )


async def list_all(call: Call) -> Page4[wire.Event4]:
    """A page of the events of a trace, by their sequence."""
    return await call.services.store.read(_events, call.access, call.path, call.query)


def _delete(tx: Transaction, access: Access, path: Path, expected: int) -> Done:
    agent = owner(tx, access, path)
    made, erased = trace_endings.untell(
        tx, access, agent, path["trace_uuid"], path["event_uuid"], expected
    )
    answer = wire.DeletedTrace4(
        trace=show_agents.trace_after_erasure(agent, made, whole=False),
        deletion_uuid=erased.uuid,
        affected_skills=0,
        summary_repair_task=answers.task(tx, access, erased.uuid, ""),
    )
    return Done(answer=answer, graph_id=agent.graph.id, erased=erased)


async def delete(call: Call) -> Reply:
    """Erase an event from its trace and from the graph; the task ends when that is wiped."""
    return await once.write(call, _delete, call.path, call.body.expected_revision)


ROUTES = [
    Route(
        "POST",
        f"{TRACE}/events",
        "agent.trace.append_event",
        append,
        "Tell an event of a trace",
        body=wire.AppendEvent4,
        answer=wire.Event4,
    ),
    Route(
        "GET",
        f"{TRACE}/events",
        "agent.trace.list_events",
        list_all,
        "List the events of a trace",
        query=PageQuery4,
        answer=Page4[wire.Event4],
    ),
    Route(
        "DELETE",
        f"{TRACE}/events/{{event_uuid}}",
        "agent.trace.delete_event",
        delete,
        "Delete an event of a trace and what was remembered of it",
        body=wire.Expected4,
        answer=wire.DeletedTrace4,
    ),
]
