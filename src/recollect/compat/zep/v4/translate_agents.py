"""From our records of agents and their traces to the wire types of Zep v4."""

from datetime import datetime

import msgspec

from recollect.compat.zep.v4.wire import agents as wire
from recollect.records.agents import AgentRecord
from recollect.records.traces import Trace, TraceEvent


def agent(found: AgentRecord) -> wire.Agent4:
    """An agent."""
    details = found.details
    return wire.Agent4(
        uuid=found.uuid,
        agent_id=found.agent_id,
        name=details.name,
        security_domain=found.security_domain,
        description=details.description,
        deployment_id=details.deployment_id,
        version=details.version,
        metadata=details.metadata,
        status="active",
        revision=found.revision,
        created_at=found.created_at,
        updated_at=found.updated_at,
    )


def trace(owner: AgentRecord, found: Trace) -> wire.Trace4:
    """A trace."""
    ended = found.status != "open"
    internal = wire.TraceInternal4(
        next_sequence=found.last_sequence + 1,
        closing_sequence=found.closing_sequence,
        last_task_uuid=found.task_uuid if ended else None,
    )
    return wire.Trace4(
        uuid=found.uuid,
        agent_uuid=owner.uuid,
        trace_id=found.trace_id,
        objective=found.objective,
        status=found.status,
        outcome=found.outcome,  # type: ignore[arg-type]
        verification=found.verification,  # type: ignore[arg-type]
        task_family=found.task_family,
        task_family_source=None if found.task_family is None else "declared",
        parent_trace_uuid=found.parent,
        attempt_family_uuid=found.family,
        learn_from=found.learn_from,
        metadata=found.metadata,
        revision=found.revision,
        internal=internal,
        created_at=found.created_at,
        updated_at=found.updated_at,
        closed_at=found.ended_at if found.status == "closed" else None,
        abandoned_at=found.ended_at if found.status == "abandoned" else None,
    )


def trace_after_erasure(owner: AgentRecord, found: Trace, *, whole: bool) -> wire.Trace4:
    """A trace that something was erased from, or that was erased as a *whole*: none of its words, as
    the answer is kept for whoever asks again."""
    shown = msgspec.structs.replace(
        trace(owner, found),
        objective="",  # clients want one
        trace_id=None,
        task_family=None,
        task_family_source=None,
        metadata=None,
    )
    if not whole:
        return shown
    internal = msgspec.structs.replace(shown.internal, last_task_uuid=None)
    return msgspec.structs.replace(shown, status="deleted", internal=internal)


def event(owner: AgentRecord, trace_uuid: str, found: TraceEvent) -> wire.Event4:
    """An event of a trace."""
    told, failed = found.told, found.state == "failed"
    made = datetime.fromisoformat(told["created_at"])
    return wire.Event4(
        uuid=found.uuid,
        agent_uuid=owner.uuid,
        trace_uuid=trace_uuid,
        event_id=found.event_id,
        event_type=told["event_type"],
        sequence=found.sequence,
        content=found.content,
        context=msgspec.convert(told.get("context"), wire.EventContext4 | None),
        sources=msgspec.convert(told.get("sources"), list[wire.EventSource4] | None),
        tool_call_id=told.get("tool_call_id"),
        metadata=told.get("metadata"),
        occurred_at=told.get("occurred_at"),
        processing_state=found.state,
        processed_at=None if failed else found.completed_at,
        failed_at=found.completed_at if failed else None,
        created_at=made,
        updated_at=found.completed_at or made,
    )
