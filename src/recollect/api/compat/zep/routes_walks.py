"""From node to node: neighbours and subgraphs."""

from typing import Literal, cast

from recollect.api.compat.zep import answers, translate, translate_filters, wire
from recollect.api.compat.zep.wire import walks
from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.errors import InvalidInput
from recollect.graph.filters import Filters
from recollect.graph.types import Access
from recollect.limits import (
    SUBGRAPH_DEPTH_MAX,
    SUBGRAPH_EDGES_DEFAULT,
    SUBGRAPH_EDGES_MAX,
    SUBGRAPH_NODES_DEFAULT,
    SUBGRAPH_NODES_MAX,
    SUBGRAPH_SEEDS_MAX,
)
from recollect.store.protocol import Transaction
from recollect.subjects import graphs, knowledge, walking
from recollect.subjects.pages import PageRequest

_DIRECTIONS = ("in", "out", "both")
_ORDERS = ("uuid", "created_at")


def _direction(sent: str | None) -> Literal["in", "out", "both"]:
    if sent is not None and sent not in _DIRECTIONS:
        raise InvalidInput(f"direction: must be one of {', '.join(_DIRECTIONS)}")
    return cast(Literal["in", "out", "both"], sent or "both")


def _neighbours(
    tx: Transaction, access: Access, uuid: str, request: PageRequest, direction: str, by: Filters
) -> walking.Neighbours:
    start = knowledge.entity(tx, access, uuid)
    return walking.neighbours(tx, access, start, request, _direction(direction), by)


async def get_neighbours(call: Call) -> Reply:
    """A page of the distinct nodes that edges join with a node; the next cursor is a header."""
    sent: walks.NeighborsRequest = call.body
    by = translate_filters.filters(sent.filters, "filters")
    ordered = wire.PageRequest(
        limit=sent.limit,
        cursor=sent.cursor,
        order_by=sent.order_by,
        direction=sent.direction_sort,
    )
    request = translate.graph_page(ordered, _ORDERS)
    found = await call.services.store.read(
        _neighbours, call.access, call.path["uuid"], request, _direction(sent.direction), by
    )
    nodes = await answers.nodes(call, [near.entity for near in found.page.items])
    items = [
        walks.Neighbor(node=node, edges=[translate.edge(fact) for fact in near.facts])
        for node, near in zip(nodes, found.page.items, strict=True)
    ]
    return answers.page(items, found.page.next_cursor, truncated=found.truncated)


def within_limit(field: str, value: int | None, default: int, most: int) -> int:
    """A number of a request within its bounds."""
    if value is None:
        return default
    if not 1 <= value <= most:
        raise InvalidInput(f"{field}: must be from 1 to {most}, got {value}")
    return value


def _subgraph(
    tx: Transaction, access: Access, sent: walks.SubgraphRequest, by: Filters
) -> walking.Subgraph:
    graph = graphs.target(tx, access, sent.user_id, sent.graph_id)
    limits = walking.Limits(
        depth=within_limit("depth", sent.depth, 1, SUBGRAPH_DEPTH_MAX),
        nodes=within_limit("max_nodes", sent.max_nodes, SUBGRAPH_NODES_DEFAULT, SUBGRAPH_NODES_MAX),
        facts=within_limit("max_edges", sent.max_edges, SUBGRAPH_EDGES_DEFAULT, SUBGRAPH_EDGES_MAX),
    )
    direction = _direction(sent.direction)
    return walking.subgraph(tx, access, graph, sent.seed_node_uuids, direction, limits, by)


async def get_subgraph(call: Call) -> walks.Subgraph:
    """What lies around some nodes, breadth first, within budgets."""
    sent: walks.SubgraphRequest = call.body
    if not 1 <= len(sent.seed_node_uuids) <= SUBGRAPH_SEEDS_MAX:
        raise InvalidInput(f"seed_node_uuids: from 1 to {SUBGRAPH_SEEDS_MAX}")
    if sent.search_filters is not None and sent.search_filters.episode_metadata_filters:
        raise InvalidInput(
            "search_filters.episode_metadata_filters: cannot be held to while walking"
        )
    by = translate_filters.filters(sent.search_filters, "search_filters")
    by = translate_filters.as_of(by, sent.valid_at, sent.known_at)
    found = await call.services.store.read(_subgraph, call.access, sent, by)
    return walks.Subgraph(
        nodes=await answers.nodes(call, found.entities),
        edges=[translate.edge(fact) for fact in found.facts],
        truncated=found.truncated_by is not None,
        truncation_reason=found.truncated_by,
    )


ROUTES = [
    Route(
        "POST",
        "/graph/node/{uuid}/neighbors",
        "graph.node.get_neighbors",
        get_neighbours,
        "List the neighbours of a node",
        body=walks.NeighborsRequest,
        answer=list[walks.Neighbor],
        reads=True,
    ),
    Route(
        "POST",
        "/graph/subgraph",
        "graph.get_subgraph",
        get_subgraph,
        "Get what lies around some nodes",
        body=walks.SubgraphRequest,
        answer=walks.Subgraph,
        reads=True,
    ),
]
