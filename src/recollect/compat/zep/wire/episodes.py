"""Episodes."""

from datetime import datetime

from recollect.compat.zep.wire.base import Count, DataType, Direction, Json, Request, RoleType, Wire
from recollect.compat.zep.wire.filters import MetadataFilterGroup, SearchFilters
from recollect.graph.types import EpisodeKind


class Episode(Wire):
    """An episode as Zep v2 and v3 read it."""

    uuid: str
    content: str
    source: EpisodeKind
    source_description: str | None = None
    role: str | None = None
    role_type: RoleType | None = None
    session_id: str | None = None
    thread_id: str | None = None
    document_id: str | None = None
    metadata: Json | None = None
    processed: bool
    error: str | None = None
    task_id: str | None = None
    score: float | None = None
    relevance: float | None = None
    selection_rank: int | None = None
    created_at: datetime


class Episodes(Wire):
    """Several episodes."""

    episodes: list[Episode]


class AddData(Request):
    """POST graph."""

    data: str
    type: DataType
    user_id: str | None = None
    graph_id: str | None = None
    group_id: str | None = None
    created_at: str | None = None
    source_description: str | None = None
    document_id: str | None = None
    metadata: Json | None = None
    strict_ontology: bool | None = None


class BatchEpisode(Request):
    """One piece of data of POST graph-batch."""

    data: str
    type: DataType
    created_at: str | None = None
    source_description: str | None = None
    metadata: Json | None = None


class AddDataBatch(Request):
    """POST graph-batch."""

    episodes: list[BatchEpisode]
    user_id: str | None = None
    graph_id: str | None = None
    group_id: str | None = None
    document_id: str | None = None
    strict_ontology: bool | None = None


class LastQuery(Request):
    """GET graph/episodes/…/{id}."""

    lastn: Count | None = None


class DocumentQuery(Request):
    """GET graph/documents/{document_id}/episodes."""

    graph_id: str


class PageRequest(Request):
    """POST of a list of nodes, edges or episodes."""

    limit: Count | None = None
    cursor: str | None = None
    uuid_cursor: str | None = None
    order_by: str | None = None
    direction: Direction | None = None
    filters: SearchFilters | None = None
    mentioned_node_uuids: list[str] | None = None
    episode_metadata_filters: MetadataFilterGroup | None = None


class EdgePageRequest(PageRequest):
    """POST of a list of edges. `valid_at` and `known_at` are ours: facts as of both clocks."""

    valid_at: str | None = None
    known_at: str | None = None
