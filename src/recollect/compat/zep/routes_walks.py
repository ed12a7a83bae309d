"""Graph traversal: neighbours, subgraphs, and recurring patterns."""

from typing import Literal, cast

from msgspec.structs import replace

from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.app import knowledge, patterns
from recollect.app.patterns import PatternBounds, PatternQuery, Relationship
from recollect.app.refs import GraphRef
from recollect.compat.zep import common, translate, translate_filters
from recollect.compat.zep.search import elapsed_ms
from recollect.compat.zep.wire import graphs as graphs_wire
from recollect.errors import InvalidInput
from recollect.graph.filters import Filters
from recollect.graph.patterns import GraphPattern, PatternOptions
from recollect.limits import (
    HUB_DEGREE_DEFAULT,
    PATTERN_EDGES_DEFAULT,
    PATTERN_EDGES_MAX,
    PATTERN_HOPS_DEFAULT,
    PATTERN_HOPS_MAX,
    PATTERN_OCCURRENCES_DEFAULT,
    PATTERN_QUERY_DEFAULT,
    PATTERN_QUERY_MAX,
    PATTERN_SEEDS_MAX,
    PATTERNS_DEFAULT,
    PATTERNS_MAX,
    SEARCH_QUERY_CHARS_MAX,
    SUBGRAPH_DEPTH_MAX,
    SUBGRAPH_EDGES_DEFAULT,
    SUBGRAPH_EDGES_MAX,
    SUBGRAPH_NODES_DEFAULT,
    SUBGRAPH_NODES_MAX,
    SUBGRAPH_SEEDS_MAX,
)
from recollect.records.shapes import Around
from recollect.records.walking import Limits

_DIRECTIONS = ("in", "out", "both")
_ORDERS = ("uuid", "created_at")


def _direction(sent: str | None) -> Literal["in", "out", "both"]:
    if sent is not None and sent not in _DIRECTIONS:
        raise InvalidInput(f"direction: must be one of {', '.join(_DIRECTIONS)}")
    return cast(Literal["in", "out", "both"], sent or "both")


async def get_neighbours(call: Call) -> Reply:
    """A page of the distinct nodes that edges join with a node; the next cursor is a header."""
    sent: graphs_wire.NeighborsRequest = call.body
    by = translate_filters.filters(sent.filters, "filters")
    ordered = graphs_wire.PageRequest(
        limit=sent.limit,
        cursor=sent.cursor,
        order_by=sent.order_by,
        direction=sent.direction_sort,
    )
    request = translate.graph_page(ordered, _ORDERS)
    direction = _direction(sent.direction)
    found = await knowledge.neighbours(
        call.services, call.access, None, call.path["uuid"], request, direction, by
    )
    page = found.value.page
    items = [
        graphs_wire.Neighbor(
            node=translate.listed_node(near.entity),
            edges=[translate.edge(fact) for fact in near.facts],
        )
        for near in page.items
    ]
    return common.page(items, page.next_cursor, truncated=found.value.truncated)


def within_limit(field: str, value: int | None, default: int, most: int) -> int:
    """A number from a request, checked against its bounds."""
    if value is None:
        return default
    if not 1 <= value <= most:
        raise InvalidInput(f"{field}: must be from 1 to {most}, got {value}")
    return value


def subgraph_limits(depth: int | None, max_nodes: int | None, max_edges: int | None) -> Limits:
    """The bounds of a walk, from the numbers in a request."""
    return Limits(
        depth=within_limit("depth", depth, 1, SUBGRAPH_DEPTH_MAX),
        nodes=within_limit("max_nodes", max_nodes, SUBGRAPH_NODES_DEFAULT, SUBGRAPH_NODES_MAX),
        facts=within_limit("max_edges", max_edges, SUBGRAPH_EDGES_DEFAULT, SUBGRAPH_EDGES_MAX),
    )


async def get_subgraph(call: Call) -> graphs_wire.Subgraph:
    """What lies around some nodes, breadth first, within budgets."""
    sent: graphs_wire.SubgraphRequest = call.body
    if not 1 <= len(sent.seed_node_uuids) <= SUBGRAPH_SEEDS_MAX:
        raise InvalidInput(f"seed_node_uuids: from 1 to {SUBGRAPH_SEEDS_MAX}")
    if sent.search_filters is not None and sent.search_filters.episode_metadata_filters:
        raise InvalidInput(
            "search_filters.episode_metadata_filters: cannot be held to while walking"
        )
    by = translate_filters.filters(sent.search_filters, "search_filters")
    by = translate_filters.as_of(by, sent.valid_at, sent.known_at)
    found = await knowledge.subgraph(
        call.services,
        call.access,
        GraphRef(user_id=sent.user_id, graph_id=sent.graph_id),
        sent.seed_node_uuids,
        _direction(sent.direction),
        subgraph_limits(sent.depth, sent.max_nodes, sent.max_edges),
        by,
    )
    return graphs_wire.Subgraph(
        nodes=[translate.listed_node(node) for node in found.value.entities],
        edges=[translate.edge(fact) for fact in found.value.facts],
        truncated=found.value.truncated_by is not None,
        truncation_reason=found.value.truncated_by,
    )


_HALF_LIVES = {"none": None, "7_days": 7, "30_days": 30, "90_days": 90}
_SUMMARY_FACTS = 3


async def detect_patterns(call: Call) -> graphs_wire.PatternsAnswer:
    """Shapes that recur, over the newest facts, in a whole graph or around some of its nodes."""
    began = call.services.clock()
    sent: graphs_wire.DetectPatterns = call.body
    by = translate_filters.filters(sent.search_filters, "search_filters")
    _check(sent)
    found = await (_ask(call, by) if (sent.query or "").strip() else _detect(call, by))
    told = replace(found.metadata, elapsed_ms=elapsed_ms(call.services, began))
    return replace(found, metadata=told)


def _check(sent: graphs_wire.DetectPatterns) -> None:
    if sent.query is not None and sent.seeds is not None:
        raise InvalidInput("seeds: a query finds its own, give one of both")
    if (sent.recency_weight or "none") not in _HALF_LIVES:
        raise InvalidInput(f"recency_weight: must be one of {', '.join(_HALF_LIVES)}")
    if sent.seeds is not None:
        given = {name: getattr(sent.seeds, name) for name in sent.seeds.__struct_fields__}
        if not any(given.values()):
            raise InvalidInput(f"seeds: give one of {', '.join(given)}")
        for name, seeds in given.items():
            if len(seeds or ()) > PATTERN_SEEDS_MAX:
                raise InvalidInput(f"seeds.{name}: at most {PATTERN_SEEDS_MAX}")


def _graph(sent: graphs_wire.DetectPatterns) -> GraphRef:
    return GraphRef(user_id=sent.user_id, graph_id=sent.graph_id)


def _bounds(sent: graphs_wire.DetectPatterns) -> PatternBounds:
    return PatternBounds(
        occurrences_min=sent.min_occurrences or PATTERN_OCCURRENCES_DEFAULT,
        patterns_max=min(sent.limit or PATTERNS_DEFAULT, PATTERNS_MAX),
    )


async def _detect(call: Call, by: Filters) -> graphs_wire.PatternsAnswer:
    sent: graphs_wire.DetectPatterns = call.body
    around = None
    if sent.seeds is not None:
        around = Around(
            uuids=frozenset(sent.seeds.node_uuids or ()),
            labels=frozenset(sent.seeds.node_labels or ()),
            names=frozenset(sent.seeds.edge_types or ()),
        )
    found = await patterns.detect(
        call.services,
        call.access,
        _graph(sent),
        by,
        _wanted(sent.detect),
        _bounds(sent),
        around=around,
        half_life_days=_HALF_LIVES[sent.recency_weight or "none"],
    )
    return graphs_wire.PatternsAnswer(
        patterns=[_shown(pattern) for pattern in found.patterns],
        nodes=None,
        metadata=_metadata(found.nodes_analyzed, found.edges_analyzed),
    )


def _wanted(sent: graphs_wire.DetectConfig | None) -> PatternOptions:
    """The requested patterns; all of them if none is named."""
    if sent is None or not any(getattr(sent, f) is not None for f in sent.__struct_fields__):
        return PatternOptions(
            path_hops=PATTERN_HOPS_DEFAULT,
            co_occurrence_hops=PATTERN_HOPS_DEFAULT,
            hub_degree=HUB_DEGREE_DEFAULT,
        )
    degree = None
    if sent.hubs is not None:
        degree = HUB_DEGREE_DEFAULT if sent.hubs.min_degree is None else sent.hubs.min_degree
        if degree < 2:
            raise InvalidInput(f"detect.hubs.min_degree: must be at least 2, got {degree}")
    return PatternOptions(
        relationships=sent.relationships is not None,
        path_hops=_hops("paths", sent.paths, 2),
        co_occurrence_hops=_hops("co_occurrences", sent.co_occurrences, 1),
        hub_degree=degree,
        clusters=sent.clusters is not None,
    )


def _hops(field: str, sent: graphs_wire.Hops | None, least: int) -> int | None:
    if sent is None:
        return None
    hops = PATTERN_HOPS_DEFAULT if sent.max_hops is None else sent.max_hops
    if not least <= hops <= PATTERN_HOPS_MAX:
        raise InvalidInput(
            f"detect.{field}.max_hops: must be from {least} to {PATTERN_HOPS_MAX}, got {hops}"
        )
    return hops


async def _ask(call: Call, by: Filters) -> graphs_wire.PatternsAnswer:
    """Recurring relationships around the hits of a query, each with the edges that match it best."""
    sent: graphs_wire.DetectPatterns = call.body
    most = min(sent.edge_limit or PATTERN_EDGES_DEFAULT, PATTERN_EDGES_MAX)
    query = PatternQuery(
        text=(sent.query or "")[:SEARCH_QUERY_CHARS_MAX],
        entities_max=min(sent.query_limit or PATTERN_QUERY_DEFAULT, PATTERN_QUERY_MAX),
        facts_max=most,
        entity_filters=translate_filters.for_kind(by, "entity"),
    )
    found = await patterns.ask(
        call.services,
        call.access,
        _graph(sent),
        by,
        query,
        _bounds(sent),
        half_life_days=_HALF_LIVES[sent.recency_weight or "none"],
    )
    return graphs_wire.PatternsAnswer(
        patterns=[_with_facts(one, most) for one in found.relationships],
        nodes=[translate.listed_node(node) for node in found.entities],
        metadata=_metadata(found.nodes_analyzed, found.edges_analyzed),
    )


def _metadata(nodes: int, edges: int) -> graphs_wire.PatternMetadata:
    return graphs_wire.PatternMetadata(nodes_analyzed=nodes, edges_analyzed=edges, elapsed_ms=0)


def _with_facts(found: Relationship, most: int) -> graphs_wire.Pattern:
    """A relationship with its edges in search order, summarised by the first ones."""
    return replace(
        _shown(found.pattern),
        description=None,
        summary=" ".join(fact.fact for fact in found.facts[:_SUMMARY_FACTS]) or None,
        edges=[translate.edge(fact) for fact in found.facts[:most]],
    )


def _shown(pattern: GraphPattern) -> graphs_wire.Pattern:
    return graphs_wire.Pattern(
        type=pattern.shape,
        description=pattern.description,
        node_labels=list(pattern.node_labels),
        edge_types=list(pattern.edge_types),
        occurrences=pattern.occurrences,
        weighted_score=pattern.weight,
    )


ROUTES = [
    Route(
        "POST",
        "/graph/node/{uuid}/neighbors",
        "graph.node.get_neighbors",
        get_neighbours,
        "List the neighbours of a node",
        body=graphs_wire.NeighborsRequest,
        answer=list[graphs_wire.Neighbor],
        reads=True,
    ),
    Route(
        "POST",
        "/graph/subgraph",
        "graph.get_subgraph",
        get_subgraph,
        "Get what lies around some nodes",
        body=graphs_wire.SubgraphRequest,
        reads=True,
    ),
    Route(
        "POST",
        "/graph/patterns",
        "graph.detect_patterns",
        detect_patterns,
        "Find shapes that recur",
        body=graphs_wire.DetectPatterns,
        reads=True,
    ),
]
