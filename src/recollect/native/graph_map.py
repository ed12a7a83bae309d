"""A graph to draw: its best-connected nodes and what joins them, within bounds."""

from typing import Annotated

import msgspec

from recollect.api.router import Call, Route
from recollect.app import explanations
from recollect.app.explanations import DrawnGraph
from recollect.compat.zep import translate_filters
from recollect.compat.zep.wire.base import SearchFilters
from recollect.limits import MAP_EDGES_DEFAULT, MAP_EDGES_MAX, MAP_NODES_DEFAULT, MAP_NODES_MAX
from recollect.search.overview import OverviewRequest

BASE_LABEL = "Entity"


class MapRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """POST graph/map: facts that pass the filters and stand at both clocks, between nodes that have
    one of the labels."""

    user_id: str | None = None
    graph_id: str | None = None
    max_nodes: Annotated[int, msgspec.Meta(ge=1, le=MAP_NODES_MAX)] = MAP_NODES_DEFAULT
    max_edges: Annotated[int, msgspec.Meta(ge=1, le=MAP_EDGES_MAX)] = MAP_EDGES_DEFAULT
    node_labels: list[str] = []
    search_filters: SearchFilters | None = None
    valid_at: str | None = None
    known_at: str | None = None


class MapNode(msgspec.Struct):
    """A node; *degree* counts its facts that pass."""

    uuid: str
    name: str
    labels: list[str]
    degree: int


class MapEdge(msgspec.Struct, array_like=True):
    """A fact between two nodes, which are named by their places in the list: source, target, name."""

    source: int
    target: int
    name: str


class MapRelation(msgspec.Struct):
    """A relation, and how many facts that pass have it."""

    name: str
    count: int


class GraphMap(msgspec.Struct):
    """The best-connected nodes first; the totals are of all that passes and joins two nodes."""

    nodes: list[MapNode]
    edges: list[MapEdge]
    relations: list[MapRelation]
    nodes_total: int
    edges_total: int
    truncated: bool


async def graph_map(call: Call) -> GraphMap:
    """The best-connected nodes of a graph and the facts between them, few words each."""
    sent: MapRequest = call.body
    graph = await explanations.graph(call.services, call.access, sent.user_id, sent.graph_id)
    by = translate_filters.filters(sent.search_filters, "search_filters")
    labels = translate_filters.words("node_labels", sent.node_labels)
    wanted = OverviewRequest(
        nodes=sent.max_nodes,
        facts=sent.max_edges,
        filters=translate_filters.as_of(by, sent.valid_at, sent.known_at),
        labels=labels,
    )
    return _map(await explanations.draw(call.services, call.access, graph, wanted))


def _map(drawn: DrawnGraph) -> GraphMap:
    found, known = drawn.overview, drawn.entities
    ids = [number for number, _ in found.nodes]
    places = {
        place: new
        for new, place in enumerate(at for at, number in enumerate(ids) if number in known)
    }
    nodes = [
        MapNode(
            uuid=known[number].uuid,
            name=known[number].name,
            labels=[label for label in known[number].labels if label != BASE_LABEL],
            degree=degree,
        )
        for number, degree in found.nodes
        if number in known
    ]
    edges = [
        MapEdge(places[link.source], places[link.target], link.name)
        for link in found.links
        if link.source in places and link.target in places
    ]
    return GraphMap(
        nodes=nodes,
        edges=edges,
        relations=[MapRelation(name=name, count=count) for name, count in found.relations],
        nodes_total=found.nodes_total,
        edges_total=found.facts_total,
        truncated=len(nodes) < found.nodes_total or len(edges) < found.facts_total,
    )


ROUTES = [
    Route(
        "POST",
        "/api/v1/graph/map",
        "graph.get_map",
        graph_map,
        "Get the best-connected part of a graph, to draw it",
        body=MapRequest,
        reads=True,
    )
]
