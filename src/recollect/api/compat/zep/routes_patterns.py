"""Shapes that recur in a graph."""

import asyncio
from collections.abc import Mapping

from msgspec.structs import replace

from recollect.api.compat.zep import answers, translate, translate_filters, wire
from recollect.api.compat.zep.wire import walks
from recollect.api.router import Call, Route
from recollect.errors import InvalidInput
from recollect.graph import patterns
from recollect.graph.filters import Filters
from recollect.graph.patterns import Pattern, Wanted
from recollect.graph.types import Fact, Graph
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
    SEARCH_LIMIT_MAX,
    SEARCH_QUERY_CHARS_MAX,
)
from recollect.search.query import Query
from recollect.subjects import graphs, knowledge, shapes
from recollect.subjects.shapes import Around, Linked

_HALF_LIVES = {"none": None, "7_days": 7, "30_days": 30, "90_days": 90}
_SUMMARY_FACTS = 3


async def detect_patterns(call: Call) -> walks.PatternsAnswer:
    """Shapes that recur, over the newest facts, in a whole graph or around some of its nodes."""
    began = call.services.clock()
    sent: walks.DetectPatterns = call.body
    by = translate_filters.filters(sent.search_filters, "search_filters")
    _check(sent)
    graph = await call.services.store.glance(
        graphs.target, call.access, sent.user_id, sent.graph_id
    )
    linked = await call.services.store.read(
        shapes.read,
        call.access,
        graph,
        by,
        now=began,
        half_life_days=_HALF_LIVES[sent.recency_weight or "none"],
    )
    told, nodes = await _told(call, graph, linked, by)
    return walks.PatternsAnswer(
        patterns=told,
        nodes=nodes,
        metadata=walks.PatternMetadata(
            nodes_analyzed=len(linked.nodes),
            edges_analyzed=len(linked.links),
            elapsed_ms=answers.elapsed_ms(call, began),
        ),
    )


def _check(sent: walks.DetectPatterns) -> None:
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


async def _told(
    call: Call, graph: Graph, linked: Linked, by: Filters
) -> tuple[list[walks.Pattern], list[wire.Node] | None]:
    sent: walks.DetectPatterns = call.body
    if sent.query is not None and sent.query.strip():
        return await _asked(call, graph, linked, by)
    around = None
    if sent.seeds is not None:
        around = shapes.seeds(
            linked,
            Around(
                uuids=frozenset(sent.seeds.node_uuids or ()),
                labels=frozenset(sent.seeds.node_labels or ()),
                names=frozenset(sent.seeds.edge_types or ()),
            ),
        )
    wanted = _wanted(sent.detect)
    found = await asyncio.to_thread(_detect, sent, linked, wanted, around)
    return [_shown(pattern) for pattern in found], None


def _detect(
    sent: walks.DetectPatterns, linked: Linked, wanted: Wanted, around: list[int] | None
) -> list[Pattern]:
    found = patterns.detect(
        linked.links,
        linked.nodes,
        wanted,
        around=around,
        occurrences_min=sent.min_occurrences or PATTERN_OCCURRENCES_DEFAULT,
    )
    return found[: min(sent.limit or PATTERNS_DEFAULT, PATTERNS_MAX)]


def _wanted(sent: walks.DetectConfig | None) -> Wanted:
    """All shapes unless some are named."""
    if sent is None or not any(getattr(sent, f) is not None for f in sent.__struct_fields__):
        return Wanted(
            path_hops=PATTERN_HOPS_DEFAULT,
            co_occurrence_hops=PATTERN_HOPS_DEFAULT,
            hub_degree=HUB_DEGREE_DEFAULT,
        )
    degree = None
    if sent.hubs is not None:
        degree = HUB_DEGREE_DEFAULT if sent.hubs.min_degree is None else sent.hubs.min_degree
        if degree < 2:
            raise InvalidInput(f"detect.hubs.min_degree: must be at least 2, got {degree}")
    return Wanted(
        relationships=sent.relationships is not None,
        path_hops=_hops("paths", sent.paths, 2),
        co_occurrence_hops=_hops("co_occurrences", sent.co_occurrences, 1),
        hub_degree=degree,
        clusters=sent.clusters is not None,
    )


def _hops(field: str, sent: walks.Hops | None, least: int) -> int | None:
    if sent is None:
        return None
    hops = PATTERN_HOPS_DEFAULT if sent.max_hops is None else sent.max_hops
    if not least <= hops <= PATTERN_HOPS_MAX:
        raise InvalidInput(
            f"detect.{field}.max_hops: must be from {least} to {PATTERN_HOPS_MAX}, got {hops}"
        )
    return hops


async def _asked(
    call: Call, graph: Graph, linked: Linked, by: Filters
) -> tuple[list[walks.Pattern], list[wire.Node]]:
    """Relationships around what a query finds, each with the edges that fit it best."""
    sent: walks.DetectPatterns = call.body
    text = (sent.query or "")[:SEARCH_QUERY_CHARS_MAX]
    limit = min(sent.query_limit or PATTERN_QUERY_DEFAULT, PATTERN_QUERY_MAX)
    nodes_by = translate_filters.for_kind(by, "entity")
    now = call.services.clock()
    query = Query(text=text, kind="entity", now=now, limit=limit, filters=nodes_by)
    found = await call.services.finder.find(call.access, graph, query)
    uuids = tuple(hit.item.uuid for hit in found.entities)
    around = shapes.seeds(linked, Around(uuids=frozenset(uuids)))
    wanted = Wanted(clusters=False)
    counted = await asyncio.to_thread(_detect, sent, linked, wanted, around)
    if by.connected_node_uuids is None:
        by = replace(by, connected_node_uuids=uuids)
    query = Query(
        text=text,
        kind="fact",
        now=now,
        limit=SEARCH_LIMIT_MAX,
        filters=by,
        reranker="cross_encoder",
    )
    ranked = await call.services.finder.find(call.access, graph, query)
    facts = [hit.item for hit in ranked.facts]
    most = min(sent.edge_limit or PATTERN_EDGES_DEFAULT, PATTERN_EDGES_MAX)
    labels = {uuid: linked.nodes[number].label for number, uuid in linked.uuids.items()}
    shown = [_resolved(pattern, facts, labels, most) for pattern in counted]
    ends = {
        end
        for pattern in shown
        for edge in pattern.edges or ()
        for end in (edge.source_node_uuid, edge.target_node_uuid)
    }
    entities = await call.services.store.read(
        knowledge.entities_by_uuids, call.access, graph, sorted(ends)
    )
    return shown, await answers.nodes(call, entities)


def _resolved(
    pattern: Pattern, facts: list[Fact], labels: Mapping[str, str], most: int
) -> walks.Pattern:
    """A relationship with its edges in the order of the search, and what the first ones say."""
    meant = (pattern.node_labels, pattern.edge_types)
    own = [fact for fact in facts if _signature(fact, labels) == meant]
    return replace(
        _shown(pattern),
        description=None,
        summary=" ".join(fact.fact for fact in own[:_SUMMARY_FACTS]) or None,
        edges=[translate.edge(fact) for fact in own[:most]],
    )


def _signature(
    fact: Fact, labels: Mapping[str, str]
) -> tuple[tuple[str | None, ...], tuple[str, ...]]:
    source = _label(fact.source_labels) or labels.get(fact.source_uuid)
    target = _label(fact.target_labels) or labels.get(fact.target_uuid)
    return (source, target), (fact.name,)


def _label(labels: list[str]) -> str | None:
    """The type of a node; None where labels are not told."""
    if not labels:
        return None
    return next((label for label in labels if label != "Entity"), "Entity")


def _shown(pattern: Pattern) -> walks.Pattern:
    return walks.Pattern(
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
        "/graph/patterns",
        "graph.detect_patterns",
        detect_patterns,
        "Find shapes that recur",
        body=walks.DetectPatterns,
        answer=walks.PatternsAnswer,
        reads=True,
    ),
]
