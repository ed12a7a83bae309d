"""Patterns that recur in a graph."""

import asyncio
from collections.abc import Mapping
from datetime import datetime

from msgspec.structs import replace

from recollect.app import refs
from recollect.app.refs import GraphRef
from recollect.app.services import Services
from recollect.graph import patterns
from recollect.graph.filters import Filters
from recollect.graph.patterns import GraphPattern, PatternOptions
from recollect.graph.types import Access, Fact, Graph, Record
from recollect.limits import SEARCH_LIMIT_MAX
from recollect.records import knowledge, listing, shapes
from recollect.records.listing import ListedEntity
from recollect.records.shapes import Around, Linked
from recollect.search.query import Query
from recollect.store.protocol import Transaction


class PatternBounds(Record):
    """How often a pattern must occur, and how many patterns to return."""

    occurrences_min: int
    patterns_max: int


class Detected(Record):
    """The patterns found, and how many entities and facts were analysed."""

    patterns: list[GraphPattern]
    nodes_analyzed: int
    edges_analyzed: int


class Relationship(Record):
    """A recurring relationship, with the facts that match a query best."""

    pattern: GraphPattern
    facts: list[Fact]


class Answered(Record):
    """Relationships around the hits of a query, and the entities that their facts join."""

    relationships: list[Relationship]
    entities: list[ListedEntity]
    nodes_analyzed: int
    edges_analyzed: int


class PatternQuery(Record):
    """What to look for patterns around: the entities that match a text; and how many facts to return each."""

    text: str
    entities_max: int
    facts_max: int
    entity_filters: Filters


async def detect(
    services: Services,
    access: Access,
    ref: GraphRef,
    filters: Filters,
    wanted: PatternOptions,
    bounds: PatternBounds,
    *,
    around: Around | None,
    half_life_days: int | None,
) -> Detected:
    """Recurring patterns among the newest facts, in a whole graph or around some of its entities."""
    _, linked = await _linked(services, access, ref, filters, half_life_days, services.clock())
    seeds = None if around is None else shapes.seeds(linked, around)
    found = await asyncio.to_thread(_detect, linked, wanted, bounds, seeds)
    return Detected(
        patterns=found, nodes_analyzed=len(linked.nodes), edges_analyzed=len(linked.links)
    )


async def _linked(
    services: Services,
    access: Access,
    ref: GraphRef,
    filters: Filters,
    half_life_days: int | None,
    now: datetime,
) -> tuple[Graph, Linked]:
    where = await services.store.glance(refs.graph, access, ref)
    linked = await services.store.read(
        shapes.read, access, where.graph, filters, now=now, half_life_days=half_life_days
    )
    return where.graph, linked


def _detect(
    linked: Linked, wanted: PatternOptions, bounds: PatternBounds, around: list[int] | None
) -> list[GraphPattern]:
    found = patterns.detect(
        linked.links,
        linked.nodes,
        wanted,
        around=around,
        occurrences_min=bounds.occurrences_min,
    )
    return found[: bounds.patterns_max]


async def ask(
    services: Services,
    access: Access,
    ref: GraphRef,
    filters: Filters,
    query: PatternQuery,
    bounds: PatternBounds,
    *,
    half_life_days: int | None,
) -> Answered:
    """Recurring relationships around the hits of a query, each with the facts that match it best."""
    now = services.clock()
    graph, linked = await _linked(services, access, ref, filters, half_life_days, now)
    asked = Query(
        text=query.text,
        kind="entity",
        now=now,
        limit=query.entities_max,
        filters=query.entity_filters,
    )
    found = await services.finder.find(access, graph, asked)
    uuids = tuple(hit.item.uuid for hit in found)
    around = shapes.seeds(linked, Around(uuids=frozenset(uuids)))
    counted = await asyncio.to_thread(
        _detect, linked, PatternOptions(clusters=False), bounds, around
    )
    if filters.connected_node_uuids is None:
        filters = replace(filters, connected_node_uuids=uuids)
    asked = Query(
        text=query.text,
        kind="fact",
        now=now,
        limit=SEARCH_LIMIT_MAX,
        filters=filters,
        reranker="cross_encoder",
    )
    ranked = [hit.item for hit in await services.finder.find(access, graph, asked)]
    labels = {uuid: linked.nodes[number].label for number, uuid in linked.uuids.items()}
    shown = [
        Relationship(pattern=pattern, facts=_facts_of(pattern, ranked, labels))
        for pattern in counted
    ]
    given = [fact for one in shown for fact in one.facts[: query.facts_max]]
    ends = {uuid for fact in given for uuid in (fact.source_uuid, fact.target_uuid)}
    return Answered(
        relationships=shown,
        entities=await services.store.read(_entities, access, graph, sorted(ends)),
        nodes_analyzed=len(linked.nodes),
        edges_analyzed=len(linked.links),
    )


def _entities(
    tx: Transaction, access: Access, graph: Graph, uuids: list[str]
) -> list[ListedEntity]:
    found = knowledge.entities_by_uuids(tx, access, graph, uuids)
    return listing.with_episodes(tx, access, found)


def _facts_of(pattern: GraphPattern, facts: list[Fact], labels: Mapping[str, str]) -> list[Fact]:
    """The facts of a relationship, in search order."""
    meant = (pattern.node_labels, pattern.edge_types)
    return [fact for fact in facts if _signature(fact, labels) == meant]


def _signature(
    fact: Fact, labels: Mapping[str, str]
) -> tuple[tuple[str | None, ...], tuple[str, ...]]:
    source = _label(fact.source_labels) or labels.get(fact.source_uuid)
    target = _label(fact.target_labels) or labels.get(fact.target_uuid)
    return (source, target), (fact.name,)


def _label(labels: list[str]) -> str | None:
    """The type of an entity; None if its labels are not given."""
    if not labels:
        return None
    return next((label for label in labels if label != "Entity"), "Entity")
