"""Agents, the traces of what they did, and the events of these."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from recollect.compat.zep.v4.wire.base import Json, Order, PageQuery4, Request, Wire
from recollect.compat.zep.v4.wire.tasks import Task4
from recollect.limits import INTEGER_MAX

Revision4 = Annotated[int, Meta(ge=1, le=INTEGER_MAX)]
Sequence4 = Annotated[int, Meta(ge=0, le=INTEGER_MAX)]
AgentStatus4 = Literal["active", "deleting", "deletion_failed"]
TraceStatus4 = Literal["open", "closing", "closed", "abandoned", "deleted"]
TraceOutcome4 = Literal["succeeded", "failed", "partial", "abandoned", "unknown"]
Verification4 = Literal["none", "agent", "tool", "customer", "external"]
EventType4 = Literal[
    "input_reference",
    "observation",
    "decision",
    "tool_call",
    "tool_result",
    "artifact",
    "checkpoint",
    "feedback",
    "correction",
    "reflection",
    "verification",
]


class Agent4(Wire):
    """An agent. Its uuid is that of the graph as well in which its traces are remembered."""

    uuid: str
    agent_id: str
    name: str
    security_domain: str
    description: str | None = None
    deployment_id: str | None = None
    version: str | None = None
    metadata: Json | None = None
    status: AgentStatus4
    revision: int
    created_at: datetime
    updated_at: datetime


class CreateAgent4(Request):
    """POST agents."""

    agent_id: str
    name: str
    security_domain: str
    description: str | None = None
    deployment_id: str | None = None
    version: str | None = None
    metadata: Json | None = None
    memory_settings: Json | None = None


class UpdateAgent4(Request):
    """PATCH agents/{agent_uuid}: what is left out stays, a null clears."""

    expected_revision: Revision4
    name: str | None = None
    description: str | UnsetType | None = UNSET
    deployment_id: str | UnsetType | None = UNSET
    version: str | UnsetType | None = UNSET
    metadata: Json | UnsetType | None = UNSET
    memory_settings: Json | None = None


class Expected4(Request):
    """The revision that the caller has seen."""

    expected_revision: Revision4


class ListAgents4(Request):
    """POST agents/list."""

    agent_id: str | None = None
    deployment_id: str | None = None
    version: str | None = None
    status: AgentStatus4 | None = None
    metadata: Json | None = None
    search: str | None = None


class AgentsQuery4(PageQuery4):
    """Which page of the agents, in which order."""

    order_by: Literal["created_at", "updated_at", "name"] | None = None
    order: Order | None = None


class ContextResource4(Request):
    """A model, a tool or an environment, by its name."""

    name: str
    version: str | None = None


class AskAgentContext4(Request):
    """POST agents/{agent_uuid}/context: what to know for an objective, or for that of a trace."""

    objective: str | None = None
    trace_uuid: str | None = None
    max_characters: int | None = None
    task_family: str | None = None
    kind: str | None = None
    environments: list[ContextResource4] | None = None
    models: list[ContextResource4] | None = None
    tools: list[ContextResource4] | None = None


class AgentContext4(Wire):
    """What is known for an objective, as one text for a prompt."""

    context: str
    objective: str
    task_family: str | None = None
    trace_uuid: str | None = None
    truncated: bool


class TraceInternal4(Wire):
    """How far a trace is."""

    next_sequence: int
    closing_sequence: int | None = None
    last_task_uuid: str | None = None
    processing_state: Literal["idle", "pending", "processing", "failed"] | None = None


class Trace4(Wire):
    """A trace of what an agent did."""

    uuid: str
    agent_uuid: str
    trace_id: str | None = None
    objective: str
    status: TraceStatus4
    outcome: TraceOutcome4 | None = None
    verification: Verification4 | None = None
    task_family: str | None = None
    task_family_source: Literal["declared", "import_rule", "inferred"] | None = None
    parent_trace_uuid: str | None = None
    attempt_family_uuid: str
    learn_from: bool
    metadata: Json | None = None
    revision: int
    internal: TraceInternal4
    created_at: datetime
    updated_at: datetime
    closed_at: datetime | None = None
    abandoned_at: datetime | None = None


class CreateTrace4(Request):
    """POST agents/{agent_uuid}/traces."""

    objective: str
    trace_id: str | None = None
    task_family: str | None = None
    parent_trace_uuid: str | None = None
    learn_from: bool | None = None
    metadata: Json | None = None


class ListTraces4(Request):
    """POST agents/{agent_uuid}/traces/list."""

    status: TraceStatus4 | None = None
    outcome: TraceOutcome4 | None = None
    verification: Verification4 | None = None
    task_family: str | None = None
    parent_trace_uuid: str | None = None
    metadata: Json | None = None


class TracesQuery4(PageQuery4):
    """Which page of the traces, in which order, and where they come from."""

    order_by: Literal["created_at", "updated_at"] | None = None
    order: Order | None = None
    import_uuid: str | None = None
    source_kind: Literal["native", "trace_import"] | None = None


class SortTrace4(Expected4):
    """PATCH agents/{agent_uuid}/traces/{trace_uuid}."""

    task_family: str | None = None


class CorrectTrace4(SortTrace4):
    """POST agents/{agent_uuid}/traces/{trace_uuid}/correct-task-family."""

    reason: str


class SequenceRange4(Request):
    """Sequences from one to another, both included."""

    first: Sequence4
    last: Sequence4


class CloseTrace4(Request):
    """POST agents/{agent_uuid}/traces/{trace_uuid}/close."""

    outcome: TraceOutcome4 | None = None
    verification: Verification4 | None = None
    reason: str | None = None
    closing_sequence: Sequence4 | None = None
    missing_sequence_ranges: list[SequenceRange4] | None = None
    expected_revision: Revision4 | None = None
    verifier: Json | None = None
    verifier_id: str | None = None


class AbandonTrace4(Request):
    """POST agents/{agent_uuid}/traces/{trace_uuid}/abandon."""

    highest_accepted_sequence: Sequence4
    verification: Verification4 | None = None
    reason: str | None = None
    missing_sequence_ranges: list[SequenceRange4] | None = None
    expected_revision: Revision4 | None = None
    assertion_uuid: str | None = None


class EndedTrace4(Wire):
    """A trace as it is now, and the task of reading what was said in it."""

    trace: Trace4
    task: Task4


class DeletedTrace4(Wire):
    """What is left to tell of a trace, the receipt of the erasure, and the task that ends it."""

    trace: Trace4
    deletion_uuid: str
    affected_skills: int
    summary_repair_task: Task4


class TraceSummary4(Wire):
    """What was said in a trace, in a few sentences."""

    uuid: str
    agent_uuid: str
    trace_uuid: str
    version: int
    text: str
    outcome: TraceOutcome4 | None = None
    verification: Verification4 | None = None
    first_sequence: int | None = None
    last_sequence: int | None = None
    created_at: datetime


class ResourceRef4(Wire):
    """A model, a tool, an environment or an artifact, by its name."""

    name: str
    version: str | None = None


class EventContext4(Wire):
    """With what an event came about."""

    model: ResourceRef4 | None = None
    tools: list[ResourceRef4] | None = None
    environments: list[ResourceRef4] | None = None
    artifacts: list[ResourceRef4] | None = None
    verification: Verification4 | None = None


class EventSource4(Wire):
    """What an event was taken from."""

    kind: str
    uuid: str
    copy_mode: Literal["reference", "copied"] | None = None
    retention_mode: Literal["delete_with_source", "keep"] | None = None


class AppendEvent4(Request):
    """POST agents/{agent_uuid}/traces/{trace_uuid}/events."""

    event_type: EventType4
    content: str | None = None
    event_id: str | None = None
    sequence: Annotated[int, Meta(ge=1, le=INTEGER_MAX)] | None = None
    occurred_at: str | None = None
    tool_call_id: str | None = None
    context: EventContext4 | None = None
    metadata: Json | None = None
    sources: list[EventSource4] | None = None


class Event4(Wire):
    """One thing that happened in a trace."""

    uuid: str
    agent_uuid: str
    trace_uuid: str
    event_id: str
    event_type: EventType4
    sequence: int
    content: str | None = None
    context: EventContext4 | None = None
    sources: list[EventSource4] | None = None
    tool_call_id: str | None = None
    metadata: Json | None = None
    occurred_at: str | None = None
    processing_state: Literal["pending", "processing", "processed", "failed"]
    processed_at: datetime | None = None
    failed_at: datetime | None = None
    created_at: datetime
    updated_at: datetime
