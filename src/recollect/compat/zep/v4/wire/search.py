"""Searches, contexts and questions."""

from typing import Literal

from recollect.compat.zep.v4.errors import ErrorBody4
from recollect.compat.zep.v4.wire.base import Request, Wire
from recollect.compat.zep.v4.wire.filters import (
    EdgeSearchFilters4,
    EpisodeFilters4,
    NodeSearchFilters4,
    ObservationFilters4,
    ThreadSummarySearchFilters4,
    WalkFilters4,
)
from recollect.compat.zep.v4.wire.graphs import Episode4, Observation4, ThreadSummary4
from recollect.compat.zep.v4.wire.knowledge import Edge4, Node4

Reranker4 = Literal["rrf", "mmr", "node_distance", "episode_mentions", "cross_encoder"]


class Searched4(Request):
    """What every search says."""

    query: str
    reranker: Reranker4 | None = None
    mmr_lambda: float | None = None
    center_node_uuid: str | None = None
    bfs_origin_node_uuids: list[str] | None = None
    filter_low_quality_results: bool | None = None


class SearchEdges4(Searched4):
    """POST graphs/{graph_uuid}/search/edges."""

    filters: EdgeSearchFilters4 | None = None


class SearchNodes4(Searched4):
    """POST graphs/{graph_uuid}/search/nodes."""

    filters: NodeSearchFilters4 | None = None


class SearchEpisodes4(Searched4):
    """POST graphs/{graph_uuid}/search/episodes."""

    filters: EpisodeFilters4 | None = None


class SearchObservations4(Searched4):
    """POST graphs/{graph_uuid}/search/observations."""

    filters: ObservationFilters4 | None = None


class SearchThreadSummaries4(Searched4):
    """POST graphs/{graph_uuid}/search/thread-summaries."""

    filters: ThreadSummarySearchFilters4 | None = None


class ContextRequest4(Request):
    """POST graphs/{graph_uuid}/context."""

    query: str
    filters: WalkFilters4 | None = None
    include_results: bool | None = None
    max_characters: int | None = None
    recency_bias: Literal["off", "mild", "strong"] | None = None
    template_uuid: str | None = None


class Results4(Wire):
    """What was found, by kind."""

    edges: list[Edge4]
    nodes: list[Node4]
    episodes: list[Episode4]
    observations: list[Observation4]
    thread_summaries: list[ThreadSummary4]


class GraphContext4(Wire):
    """A context for a prompt, and what stands in it if that was asked for."""

    context: str
    truncated: bool
    results: Results4 | None = None


class GraphQuery4(Request):
    """POST graphs/query."""

    graph_uuids: list[str]
    query: str
    generate_answer: bool | None = None
    guidance: str | None = None
    mode: Literal["fast", "deep"] | None = None
    stream: bool | None = None


class Citations4(Wire):
    """What an answer rests on."""

    edge_uuids: list[str]
    node_uuids: list[str]
    episode_uuids: list[str]


class QueryAnswer4(Wire):
    """An answer, what it rests on, and all that was found for it."""

    answer: str | None = None
    citations: Citations4
    results: Results4
    truncated: bool


class QueryHandle4(Wire):
    """A short name of something that was found."""

    handle: str
    item_type: Literal["node", "edge", "episode"]
    uuid: str
    graph_uuid: str


class QueryPlanStep4(Wire):
    """A step of a plan."""

    tool: str
    purpose: str
    arguments_hint: str


class QueryPlan4(Wire):
    """How a question is going to be answered."""

    subjects: list[str]
    steps: list[QueryPlanStep4]
    evidence_needed: list[str]
    stop_when: str
    answer_language: str


class QueryListing4(Wire):
    """Which of what was found are told."""

    first_item: int
    last_item: int
    complete: bool


class QueryEvent4(Wire):
    """One event of an answer in pieces; which fields it has, its type says."""

    type: Literal["started", "plan", "tool_call", "tool_result", "tool_error", "result", "error"]
    sequence: int
    step: int | None = None
    revision: int | None = None
    graph_uuids: list[str] | None = None
    handles: list[QueryHandle4] | None = None
    plan: QueryPlan4 | None = None
    call_number: int | None = None
    tool: str | None = None
    arguments: str | None = None
    reason: str | None = None
    duration_ms: int | None = None
    listing: QueryListing4 | None = None
    answer: str | None = None
    citations: Citations4 | None = None
    results: Results4 | None = None
    truncated: bool | None = None
    status: int | None = None
    error: ErrorBody4 | None = None
