"""Graphs and their episodes, knowledge that a caller writes down directly, copies of whole graphs,
neighbours, subgraphs and patterns.

Zep v2 says group where Zep v3 says graph; both speak to the same routes.
"""

from datetime import datetime

from msgspec import UNSET, UnsetType

from recollect.compat.zep.wire.base import (
    Count,
    DataType,
    Direction,
    FactRatingInstruction,
    Json,
    MetadataFilterGroup,
    Request,
    RoleType,
    SearchFilters,
    Wire,
)
from recollect.compat.zep.wire.knowledge import Edge, Node
from recollect.graph.patterns import Shape
from recollect.graph.types import EpisodeKind
from recollect.records.walking import Bound


class Graph(Wire):
    """A standalone graph as Zep v3 reads it."""

    uuid: str
    graph_id: str
    name: str | None = None
    description: str | None = None
    time_zone: str | None = None
    canonical_graph_uuid: str | None = None
    project_uuid: str
    created_at: datetime
    updated_at: datetime


class Group(Wire):
    """A standalone graph as Zep v2 reads it."""

    uuid: str
    group_id: str
    name: str | None = None
    description: str | None = None
    fact_rating_instruction: Json | None = None
    project_uuid: str
    created_at: datetime


class CreateGraph(Request):
    """POST graph/create."""

    graph_id: str
    name: str | None = None
    description: str | None = None
    time_zone: str | None = None
    fact_rating_instruction: FactRatingInstruction | None = None


class AddGroup(Request):
    """POST groups."""

    group_id: str
    name: str | None = None
    description: str | None = None
    fact_rating_instruction: FactRatingInstruction | None = None


class UpdateGraph(Request):
    """PATCH of a graph or group; what is absent stays, a null clears."""

    name: str | UnsetType | None = UNSET
    description: str | UnsetType | None = UNSET
    time_zone: str | UnsetType | None = UNSET
    fact_rating_instruction: FactRatingInstruction | UnsetType | None = UNSET


class GraphList(Wire):
    """A page of graphs."""

    graphs: list[Graph]
    page_number: int
    page_size: int
    row_count: int
    total_count: int


class GroupList(Wire):
    """A page of groups."""

    groups: list[Group]
    row_count: int
    total_count: int


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
    """POST graph. `expires_at` is ours: when it expires."""

    data: str
    type: DataType
    user_id: str | None = None
    graph_id: str | None = None
    group_id: str | None = None
    created_at: str | None = None
    expires_at: str | None = None
    source_description: str | None = None
    document_id: str | None = None
    metadata: Json | None = None
    strict_ontology: bool | None = None


class BatchEpisode(Request):
    """One piece of data of POST graph-batch; `expires_at` as in POST graph."""

    data: str
    type: DataType
    created_at: str | None = None
    expires_at: str | None = None
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


class AddFactTriple(Request):
    """POST graph/add-fact-triple. `expires_at` is ours: when it expires."""

    fact: str
    fact_name: str
    fact_uuid: str | None = None
    user_id: str | None = None
    graph_id: str | None = None
    group_id: str | None = None
    source_node_name: str | None = None
    source_node_uuid: str | None = None
    source_node_summary: str | None = None
    source_node_labels: list[str] | None = None
    source_node_attributes: Json | None = None
    target_node_name: str | None = None
    target_node_uuid: str | None = None
    target_node_summary: str | None = None
    target_node_labels: list[str] | None = None
    target_node_attributes: Json | None = None
    edge_attributes: Json | None = None
    metadata: Json | None = None
    created_at: str | None = None
    valid_at: str | None = None
    invalid_at: str | None = None
    expired_at: str | None = None
    expires_at: str | None = None


class AddTripleAnswer(Wire):
    """What became of a triple; only the task while it is still waiting."""

    edge: Edge | None = None
    source_node: Node | None = None
    target_node: Node | None = None
    task_id: str | None = None


class AddNodeItem(Request):
    """One node to add."""

    name: str
    label: str | None = None
    summary: str | None = None
    attributes: Json | None = None
    metadata: Json | None = None
    created_at: str | None = None


class AddNodes(Request):
    """POST graph/nodes."""

    nodes: list[AddNodeItem]
    user_id: str | None = None
    graph_id: str | None = None
    group_id: str | None = None


class AddedNode(Wire):
    """A node as it was asked for, with its uuid once it is in the graph."""

    uuid: str | None = None
    name: str
    label: str | None = None
    summary: str | None = None
    attributes: Json | None = None
    metadata: Json | None = None
    created_at: datetime | None = None


class AddNodesAnswer(Wire):
    """The nodes in the order asked for, and the task that adds them."""

    nodes: list[AddedNode]
    task_id: str | None = None


class CloneGraph(Request):
    """POST graph/clone."""

    source_user_id: str | None = None
    source_graph_id: str | None = None
    source_group_id: str | None = None
    target_user_id: str | None = None
    target_graph_id: str | None = None
    target_group_id: str | None = None


class CloneAnswer(Wire):
    """Whose the copy is, by both words for a graph."""

    user_id: str | None = None
    graph_id: str | None = None
    group_id: str | None = None
    task_id: str | None = None


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
