"""Search, tasks, the project."""

from datetime import datetime

from msgspec import UNSET, UnsetType

from recollect.api.compat.zep.wire.base import (
    Count,
    Json,
    Request,
    Wire,
)
from recollect.api.compat.zep.wire.episodes import Episode
from recollect.api.compat.zep.wire.knowledge import Edge, Node


class Search(Request):
    """POST graph/search."""

    query: str
    user_id: str | None = None
    graph_id: str | None = None
    group_id: str | None = None
    limit: Count | None = None
    scope: str | None = None
    reranker: str | None = None
    search_filters: Json | None = None
    min_fact_rating: float | None = None
    min_score: float | None = None
    mmr_lambda: float | None = None
    center_node_uuid: str | None = None
    bfs_origin_node_uuids: list[str] | None = None
    max_characters: Count | None = None
    return_raw_results: bool | None = None


class SearchAnswer(Wire):
    """What was found."""

    episodes: list[Episode] | None = None
    nodes: list[Node] | None = None
    edges: list[Edge] | None = None


class TaskError(Wire):
    """Why a task failed."""

    code: str
    message: str


class TaskProgress(Wire):
    """How far a task is."""

    stage: str
    message: str


class Task(Wire):
    """A task; *params* has the uuids of what was written down directly, once it is there."""

    task_id: str
    type: str
    status: str
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
