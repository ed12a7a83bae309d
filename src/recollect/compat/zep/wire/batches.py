"""Batches, tasks, the project."""

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType

from recollect.app.batches import BatchStatus, ItemKind, ItemStatus
from recollect.compat.zep.wire.base import Count, DataType, Json, Request, RoleType, Wire
from recollect.graph.types import TaskStatus


class CreateBatch(Request):
    """POST batches."""

    ignore_roles: list[RoleType] | None = None
    strict_ontology: bool | None = None
    metadata: Json | None = None


class BatchAddItem(Request):
    """One item: a message of a thread, or a piece of data for a graph."""

    type: ItemKind
    thread_id: str | None = None
    content: str | None = None
    role: RoleType | None = None
    name: str | None = None
    user_id: str | None = None
    graph_id: str | None = None
    data: str | None = None
    data_type: DataType | None = None
    document_id: str | None = None
    source_description: str | None = None
    metadata: Json | None = None
    created_at: str | None = None


def _shape(model: Any) -> Json:
    """The JSON schema of a model that refers to no other."""
    found: Json = msgspec.json.schema(model)["$defs"][model.__name__]
    return found


# Items are decoded one by one, so that an error can say which of hundreds it is about.
AnyItem = Annotated[Raw, Meta(extra_json_schema=_shape(BatchAddItem))]


class AddBatchItems(Request):
    """POST batches/{batch_id}/items."""

    items: list[AnyItem]


class BatchesQuery(Request):
    """GET batches, 20 at most; `cursor` is what the page before gave as `next_cursor`."""

    limit: Count | None = None
    cursor: Count | None = None
    status: BatchStatus | None = None


class BatchItemsQuery(Request):
    """GET batches/{batch_id}/items."""

    limit: Count | None = None
    cursor: Count | None = None
    status: ItemStatus | None = None


class BatchProgress(Wire):
    """How many items stand where."""

    total_items: int
    queued_items: int
    processing_items: int
    succeeded_items: int
    failed_items: int
    skipped_items: int
    canceled_items: int
    percent_complete: float


class BatchSummary(Wire):
    """A batch."""

    batch_id: str
    status: BatchStatus
    item_count: int
    progress: BatchProgress
    ignore_roles: list[RoleType]
    strict_ontology: bool
    metadata: Json | None = None
    created_at: datetime
    updated_at: datetime
    processed_at: datetime | None = None
    completed_at: datetime | None = None


class BatchList(Wire):
    """A page of batches."""

    batches: list[BatchSummary]
    next_cursor: int | None = None


class BatchItemError(Wire):
    """Why an item failed."""

    code: Literal["target_not_found", "job_parked"]
    message: str


class BatchItemDetail(Wire):
    """An item."""

    item_id: str
    sequence_index: int
    kind: ItemKind
    status: ItemStatus
    episode_uuid: str
    source_uuid: str
    error: BatchItemError | None = None
    user_id: str | None = None
    user_uuid: str | None = None
    graph_id: str | None = None
    graph_uuid: str | None = None
    thread_id: str | None = None
    document_id: str | None = None
    created_at: datetime
    updated_at: datetime


class BatchItemList(Wire):
    """A page of items."""

    items: list[BatchItemDetail]
    next_cursor: int | None = None


class TaskError(Wire):
    """Why a task failed."""

    code: Literal["job_parked"]
    message: str


class TaskProgress(Wire):
    """How far a task is."""

    stage: TaskStatus
    message: str


class Task(Wire):
    """A task; *params* has the uuids of what was written down directly, once it is there."""

    task_id: str
    type: Literal["ingest"]
    status: TaskStatus
    progress: TaskProgress
    error: TaskError | None = None
    params: Json | None = None
    created_at: datetime
    updated_at: datetime
    started_at: datetime | None = None
    completed_at: datetime | None = None


class ProjectInfo(Wire):
    """A project."""

    uuid: str
    name: str
    description: str | None = None
    default_time_zone: str | None = None
    created_at: datetime


class ProjectAnswer(Wire):
    """The project that the key belongs to."""

    project: ProjectInfo


class UpdateProject(Request):
    """PATCH projects/info."""

    default_time_zone: str | UnsetType | None = UNSET
