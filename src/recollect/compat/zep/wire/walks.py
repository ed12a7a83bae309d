"""Neighbours, subgraphs and patterns."""

from recollect.compat.zep.wire.base import Count, Direction, Json, Request, Wire
from recollect.compat.zep.wire.filters import SearchFilters
from recollect.compat.zep.wire.knowledge import Edge, Node
from recollect.graph.patterns import Shape
from recollect.records.walking import Bound


class NeighborsRequest(Request):
    """POST graph/node/{uuid}/neighbors."""

    direction: str | None = None
    direction_sort: Direction | None = None
    filters: SearchFilters | None = None
    limit: Count | None = None
    cursor: str | None = None
    order_by: str | None = None


class Neighbor(Wire):
    """A node one step away, with the edges that lead there."""

    node: Node
    edges: list[Edge]


class SubgraphRequest(Request):
    """POST graph/subgraph. `valid_at` and `known_at` are ours: facts as of both clocks."""

    seed_node_uuids: list[str]
    user_id: str | None = None
    graph_id: str | None = None
    depth: int | None = None
    direction: str | None = None
    max_nodes: int | None = None
    max_edges: int | None = None
    search_filters: SearchFilters | None = None
    valid_at: str | None = None
    known_at: str | None = None


class Subgraph(Wire):
    """What lies around the seeds; both ends of every edge are among the nodes."""

    nodes: list[Node]
    edges: list[Edge]
    truncated: bool
    truncation_reason: Bound | None = None


class Hops(Request):
    """How far a shape may reach."""

    max_hops: int | None = None


class HubDetect(Request):
    """How many nodes must be beside a hub."""

    min_degree: int | None = None


class DetectConfig(Request):
    """The shapes to look for; none at all means every one."""

    relationships: Json | None = None
    paths: Hops | None = None
    co_occurrences: Hops | None = None
    hubs: HubDetect | None = None
    clusters: Json | None = None


class PatternSeeds(Request):
    """The nodes to look around: these, those with a label, those at edges of a type."""

    node_uuids: list[str] | None = None
    node_labels: list[str] | None = None
    edge_types: list[str] | None = None


class DetectPatterns(Request):
    """POST graph/patterns."""

    user_id: str | None = None
    graph_id: str | None = None
    query: str | None = None
    seeds: PatternSeeds | None = None
    detect: DetectConfig | None = None
    search_filters: SearchFilters | None = None
    recency_weight: str | None = None
    limit: Count | None = None
    min_occurrences: Count | None = None
    query_limit: Count | None = None
    edge_limit: Count | None = None


class Pattern(Wire):
    """A shape that recurs; with a query also its edges, and what they say."""

    type: Shape
    description: str | None = None
    summary: str | None = None
    node_labels: list[str]
    edge_types: list[str]
    occurrences: int
    weighted_score: float
    edges: list[Edge] | None = None


class PatternMetadata(Wire):
    """What was looked at."""

    nodes_analyzed: int
    edges_analyzed: int
    elapsed_ms: int


class PatternsAnswer(Wire):
    """Patterns, the weightiest first."""

    patterns: list[Pattern]
    nodes: list[Node] | None = None
    metadata: PatternMetadata
