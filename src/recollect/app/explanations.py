"""A graph to draw, and a search explained."""

from collections.abc import Mapping, Sequence
from typing import Any

from recollect.app.services import Services
from recollect.app.units import glances, reads
from recollect.errors import NotFound
from recollect.graph.types import Access, Entity, Fact, Graph, Record
from recollect.records import graphs, knowledge, listing
from recollect.search.explain import ScoreBreakdown, SearchOutcome
from recollect.search.overview import Overview, OverviewRequest
from recollect.search.query import Hit, Query
from recollect.store.protocol import Transaction


class DrawnGraph(Record):
    """The best-connected part of a graph, and those of its entities that the caller may see, by id."""

    overview: Overview
    entities: dict[int, Entity]


graph = glances(graphs.target)


async def draw(
    services: Services, access: Access, graph: Graph, wanted: OverviewRequest
) -> DrawnGraph:
    """The best-connected entities of a graph and the facts between them."""
    found = await services.finder.overview(access, graph, wanted)
    ids = [number for number, _ in found.nodes]
    return DrawnGraph(
        overview=found, entities=await services.store.read(_entities, access, graph, ids)
    )


def _entities(
    tx: Transaction, access: Access, graph: Graph, ids: Sequence[int]
) -> dict[int, Entity]:
    return {one.id: one for one in knowledge.entities_by_ids(tx, access, graph, list(ids))}


class SearchScope(Record):
    """Where to search: the graph, its owner's time zone, and the fact that the caller expected to find."""

    graph: Graph
    time_zone: str | None
    missed: Fact | None


@reads
def search_scope(
    tx: Transaction,
    access: Access,
    user_id: str | None,
    graph_id: str | None,
    missed: str | None,
) -> SearchScope:
    """The named graph, and the fact *missed* if it is in that graph and visible."""
    graph = graphs.target(tx, access, user_id, graph_id)
    return SearchScope(
        graph=graph,
        time_zone=listing.time_zone(tx, graph),
        missed=_fact(tx, access, graph, missed),
    )


def _fact(tx: Transaction, access: Access, graph: Graph, uuid: str | None) -> Fact | None:
    if uuid is None:
        return None
    try:
        found = knowledge.fact(tx, access, uuid)
    except NotFound:
        return None
    return found if found.graph_id == graph.id else None


class Reasons(Record):
    """The hits of a search, each score broken down by row id, and how the missed fact did."""

    hits: list[Hit[Any]]
    weighed: Mapping[int, ScoreBreakdown]
    standing: SearchOutcome | None


async def explain(
    services: Services, access: Access, where: SearchScope, query: Query
) -> Reasons | None:
    """What a search finds and why; None for a blank query, which finds nothing."""
    hits = await services.finder.find(access, where.graph, query)
    if not query.text.strip():
        return None
    missed = where.missed
    about = missed.id if missed is not None and query.kind == "fact" else None
    weighed, standing = await services.finder.explain(access, where.graph, query, hits, about)
    return Reasons(hits=hits, weighed=weighed, standing=standing)
