"""The project, what it tells the memory, batches and groups of users."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Raw, UnsetType

from recollect.compat.zep.v4.wire.base import DataType4, Json, PageQuery4, Request, Role4, Wire
from recollect.compat.zep.v4.wire.tasks import Task4
from recollect.limits import INTEGER_MAX


class Project4(Wire):
    """The project of a key."""

    uuid: str
    name: str
    description: str | None = None
    default_time_zone: str | None = None
    hyperedges_enabled: bool
    include_policy_violating_episodes: bool
    created_at: datetime


class UpdateProject4(Request):
    """PATCH project: what is left out stays, a null clears."""

    default_time_zone: str | UnsetType | None = UNSET
    hyperedges_enabled: bool | None = None
    include_policy_violating_episodes: bool | None = None


class Instruction4(Request):
    """A named piece of advice."""

    name: str
    text: str


class Instructions4(Wire):
    """The advice that holds; `inherited`: it is the project's."""

    inherited: bool
    instructions: list[Instruction4]


class SetInstructions4(Request):
    """Advice in place of what is there; none, or `inherited`, leaves it to the project."""

    inherited: bool | None = None
    instructions: list[Instruction4] | None = None


class ObservationType4(Request):
    """A kind of observation worth making."""

    name: str
    description: str


class Steering4(Wire):
    """What observations look for; `inherited`: it is the project's."""

    inherited: bool
    instruction: str | None = None
    types: list[ObservationType4]


class SetSteering4(Request):
    """What observations shall look for; nothing, or `inherited`, leaves it to the project."""

    inherited: bool | None = None
    instruction: str | None = None
    types: list[ObservationType4] | None = None


class Property4(Request, omit_defaults=True):
    """A field of a custom type."""

    name: str
    type: Literal["text", "int", "float", "boolean"]
    description: str | None = None
    protected: bool | None = None


class EntityType4(Request, omit_defaults=True):
    """A custom kind of node; two nodes whose identity properties agree are one."""

    name: str
    description: str | None = None
    properties: list[Property4] | None = None
    identity_properties: list[str] | None = None
    expires_after_days: float | None = None


class SourceTarget4(Request, omit_defaults=True):
    """The types an edge may join; a missing side is any type."""

    source: str | None = None
    target: str | None = None


class EdgeType4(Request, omit_defaults=True):
    """A custom kind of edge."""

    name: str
    description: str | None = None
    properties: list[Property4] | None = None
    source_targets: list[SourceTarget4] | None = None
    expires_after_days: float | None = None


class Ontology4(Wire):
    """The custom types that hold; `inherited`: they are the project's."""

    inherited: bool
    entity_types: list[EntityType4]
    edge_types: list[EdgeType4]


class SetOntology4(Request):
    """Custom types in place of those there; none, or `inherited`, leaves it to the project."""

    inherited: bool | None = None
    entity_types: list[EntityType4] | None = None
    edge_types: list[EdgeType4] | None = None
    entity_type_hierarchy: Json | None = None


class Template4(Wire):
    """A context template."""

    uuid: str
    name: str
    template: str
    created_at: datetime


class CreateTemplate4(Request):
    """POST context-templates."""

    template: str
    name: str | None = None


class UpdateTemplate4(Request):
    """PUT context-templates/{template_uuid}."""

    template: str | None = None
    name: str | None = None


class ListTemplates4(Request):
    """POST context-templates/list."""

    name: str | None = None


BatchStatus4 = Literal[
    "draft", "invalid", "queued", "processing", "succeeded", "partial", "failed", "canceled"
]


class BatchProgress4(Wire):
    """How many items stand where."""

    total_items: int
    queued_items: int
    processing_items: int
    succeeded_items: int
    failed_items: int
    skipped_items: int
    canceled_items: int
    percent_complete: float


class Batch4(Wire):
    """A batch as it stands."""

    uuid: str
    status: BatchStatus4
    progress: BatchProgress4
    strict_ontology: bool
    metadata: Json | None = None
    created_at: datetime


class CreateBatch4(Request):
    """POST batches."""

    ignore_roles: list[Role4] | None = None
    metadata: Json | None = None
    strict_ontology: bool | None = None


class BatchesQuery4(PageQuery4):
    """Which page of the batches, of which status."""

    status: BatchStatus4 | None = None


class BatchItemInput4(Request):
    """An episode on its way to a graph, or a message on its way to a thread."""

    type: Literal["graph_episode", "thread_message"]
    content: str | None = None
    data: str | None = None
    data_type: DataType4 | None = None
    document_id: str | None = None
    graph_uuid: str | None = None
    metadata: Json | None = None
    name: str | None = None
    reference_time: str | None = None
    role: Role4 | None = None
    source_description: str | None = None
    thread_uuid: str | None = None
    user_uuid: str | None = None


class AddBatchItems4(Request):
    """POST batches/{batch_uuid}/items; each item is looked at by itself."""

    items: list[Raw]


class BatchItem4(Wire):
    """An item as it stands. Its uuid is that of its episode, once there is one."""

    uuid: str
    sequence_index: int
    type: Literal["graph_episode", "thread_message"]
    status: Literal["pending", "queued", "processing", "succeeded", "failed", "skipped", "canceled"]
    graph_uuid: str | None = None
    thread_uuid: str | None = None
    user_uuid: str | None = None
    episode_uuid: str | None = None
    created_at: datetime


class RejectedItem4(Wire):
    """An item that was not taken, by its place in the request."""

    index: int
    reason: str


class BatchItems4(Wire):
    """What was taken into a batch, and what was not."""

    items: list[BatchItem4]
    rejected_items: list[RejectedItem4]


class ProcessBatch4(Wire):
    """A batch under way, and its task."""

    batch: Batch4
    task: Task4 | None = None


class UserGroup4(Wire):
    """A group of users."""

    uuid: str
    name: str
    description: str | None = None
    version: int
    created_at: datetime
    updated_at: datetime


class CreateUserGroup4(Request):
    """POST user-groups."""

    name: str
    description: str | None = None


class UpdateUserGroup4(Request):
    """PATCH user-groups/{group_uuid}: if it is still at the version seen, when one is given."""

    name: str | UnsetType = UNSET
    description: str | UnsetType | None = UNSET
    expected_version: Annotated[int, Meta(ge=0, le=INTEGER_MAX)] | None = None


class Members4(Request):
    """Users to be put into a group, or taken out."""

    user_uuids: list[str]


class Membership4(Wire):
    """How many were put in, taken out, or left as they were."""

    added_count: int
    removed_count: int
    no_op_count: int
