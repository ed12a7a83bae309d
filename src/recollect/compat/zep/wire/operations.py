"""Tasks, the project."""

from datetime import datetime
from typing import Literal

from msgspec import UNSET, UnsetType

from recollect.compat.zep.wire.base import Json, Request, Wire
from recollect.graph.types import TaskStatus


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
