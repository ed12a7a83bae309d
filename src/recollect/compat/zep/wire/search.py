"""Searching graphs, and sessions as clients of Zep v2 ask for it."""

from datetime import datetime

from recollect.compat.zep.wire.base import Count, Json, Request, SearchFilters, Wire
from recollect.compat.zep.wire.graphs import Episode
from recollect.compat.zep.wire.knowledge import Edge, Fact2, Node, Observation
from recollect.compat.zep.wire.messages import Message2
from recollect.compat.zep.wire.threads import Summary


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


class SearchSession(Request):
    """POST sessions/{session_id}/search."""

    text: str | None = None
    metadata: Json | None = None
    min_fact_rating: float | None = None
    min_score: float | None = None
    mmr_lambda: float | None = None
    search_scope: str | None = None
    search_type: str | None = None


class SearchSessions(Request):
    """POST sessions/search; some sessions, those of a user, or both."""

    text: str
    user_id: str | None = None
    session_ids: list[str] | None = None
    record_filter: Json | None = None
    min_fact_rating: float | None = None
    min_score: float | None = None
    mmr_lambda: float | None = None
    search_scope: str | None = None
    search_type: str | None = None


class SearchLimit(Request):
    """How many hits a search may answer."""

    limit: Count | None = None


class SessionHit(Wire):
    """A hit among sessions. A fact that no session told has none."""

    session_id: str | None = None
    score: float
    message: Message2 | None = None
    fact: Fact2 | None = None
    summary: Summary | None = None


class SessionHits(Wire):
    """What a search over sessions found."""

    results: list[SessionHit]


class MemoryHit(Wire):
    """A hit in one session. For a fact, the message is the newest one that states it."""

    score: float
    message: Message2 | None = None
    fact: Fact2 | None = None
    summary: Summary | None = None
    metadata: Json | None = None
