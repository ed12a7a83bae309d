"""Search: what is asked, and what is found."""

from datetime import datetime

from recollect.compat.zep.wire.base import Count, Json, Request, Wire
from recollect.compat.zep.wire.derived import Observation
from recollect.compat.zep.wire.episodes import Episode
from recollect.compat.zep.wire.filters import SearchFilters
from recollect.compat.zep.wire.knowledge import Edge, Node


class Search(Request):
    """POST graph/search. `valid_at` and `known_at` are ours: facts as of both clocks."""

    query: str
    user_id: str | None = None
    graph_id: str | None = None
    group_id: str | None = None
    limit: Count | None = None
    scope: str | None = None
    reranker: str | None = None
    search_filters: SearchFilters | None = None
    min_fact_rating: float | None = None
    min_score: float | None = None
    mmr_lambda: float | None = None
    center_node_uuid: str | None = None
    bfs_origin_node_uuids: list[str] | None = None
    max_characters: Count | None = None
    return_raw_results: bool | None = None
    valid_at: str | None = None
    known_at: str | None = None


class FoundThreadSummary(Wire):
    """A thread's summary as a search finds it; its name is the thread's id."""

    uuid: str
    name: str
    summary: str
    labels: list[str]
    metadata: Json
    score: float | None = None
    relevance: float | None = None
    selection_rank: int | None = None
    created_at: datetime
    last_summarized_at: datetime | None = None
    last_summarized_episode_valid_at: datetime | None = None


class SearchMetadata(Wire):
    """How a search went."""

    server_latency_ms: int


class SearchAnswer(Wire):
    """The list of the scope that was asked for, best first; `context` with scope `auto` only.

    Clients of Zep v2 get no `response`: they know none, and what they do not know
    they hand on as it came.
    """

    context: str | None = None
    edges: list[Edge] | None = None
    nodes: list[Node] | None = None
    episodes: list[Episode] | None = None
    observations: list[Observation] | None = None
    thread_summaries: list[FoundThreadSummary] | None = None
    response: SearchMetadata | None = None
