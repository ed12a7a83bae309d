"""Nodes and edges of a graph: reading, paging, correcting, deleting, walking."""

from typing import Any

from recollect.api import once
from recollect.api.compat.zep.routes_knowledge import vector_of
from recollect.api.compat.zep.routes_walks import within_limit
from recollect.api.compat.zep4 import answers, paging, show, translate_filters
from recollect.api.compat.zep4.wire import filters, tasks
from recollect.api.compat.zep4.wire import knowledge as wire
from recollect.api.compat.zep4.wire.base import Page4
from recollect.api.http import Reply
from recollect.api.once import Done
from recollect.api.router import Call, Route
from recollect.errors import InvalidInput
from recollect.graph.filters import Filters
from recollect.graph.types import Access, Entity, Fact
from recollect.limits import (
    SUBGRAPH_DEPTH_MAX,
    SUBGRAPH_EDGES_DEFAULT,
    SUBGRAPH_EDGES_MAX,
    SUBGRAPH_NODES_DEFAULT,
    SUBGRAPH_NODES_MAX,
    SUBGRAPH_SEEDS_MAX,
)
from recollect.store.protocol import Transaction
from recollect.subjects import erasing, knowledge, listing, walking
from recollect.subjects.knowledge import EntityChange, FactChange
from recollect.subjects.lookups import Place
from recollect.subjects.pages import PageRequest

_NODE_ORDERS = ("uuid", "created_at", "degree")
_EDGE_ORDERS = ("uuid", "created_at", "valid_at")
_WALK_ORDERS = ("uuid", "created_at")
Path = dict[str, str]


def _node(tx: Transaction, access: Access, path: Path) -> tuple[Place, Entity]:
    where = answers.place(tx, access, path)
    found = knowledge.entity(tx, access, path["node_uuid"])
    answers.within(where, found.graph_id, "node", found.uuid)
    return where, found


def _edge(tx: Transaction, access: Access, path: Path) -> tuple[Place, Fact]:
    where = answers.place(tx, access, path)
    found = knowledge.fact(tx, access, path["edge_uuid"])
    answers.within(where, found.graph_id, "edge", found.uuid)
    return where, found


def _nodes(
    tx: Transaction, access: Access, path: Path, request: PageRequest, among: list[int] | None
) -> Page4[wire.Node4]:
    where = answers.place(tx, access, path)
    page = listing.entities(tx, access, where.graph, request, among)
    items = [show.node(where, node) for node in page.items]
    return Page4(items=items, next_cursor=page.next_cursor)


async def list_nodes(call: Call) -> Page4[wire.Node4]:
    """A page of a graph's nodes."""
    sent: filters.ListKnowledge4 = call.body
    request = paging.graph_page(call.query, _NODE_ORDERS)
    among = await answers.matching(
        call, "entity", translate_filters.filters(sent.filters, edges=False)
    )
    return await call.services.store.read(_nodes, call.access, call.path, request, among)


def _edges(
    tx: Transaction, access: Access, path: Path, request: PageRequest, among: list[int] | None
) -> Page4[wire.Edge4]:
    where = answers.place(tx, access, path)
    page = knowledge.facts_page(tx, access, where.graph, request, among)
    items = [show.edge(where, edge) for edge in page.items]
    return Page4(items=items, next_cursor=page.next_cursor)


async def list_edges(call: Call) -> Page4[wire.Edge4]:
    """A page of a graph's edges."""
    sent: filters.ListKnowledge4 = call.body
    request = paging.graph_page(call.query, _EDGE_ORDERS)
    among = await answers.matching(call, "fact", translate_filters.filters(sent.filters))
    return await call.services.store.read(_edges, call.access, call.path, request, among)


def _get_node(tx: Transaction, access: Access, path: Path) -> wire.Node4:
    where, found = _node(tx, access, path)
    return show.nodes(tx, access, where, [found])[0]


async def get_node(call: Call) -> wire.Node4:
    """A node by uuid."""
    return await call.services.store.glance(_get_node, call.access, call.path)


def _get_edge(tx: Transaction, access: Access, path: Path) -> wire.Edge4:
    return show.edge(*_edge(tx, access, path))


async def get_edge(call: Call) -> wire.Edge4:
    """An edge by uuid."""
    return await call.services.store.read(_get_edge, call.access, call.path)


def _update_node(tx: Transaction, access: Access, path: Path, change: EntityChange) -> Done:
    where, found = _node(tx, access, path)
    made = knowledge.update_entity(tx, access, found.uuid, change)
    (answer,) = show.nodes(tx, access, where, [made])
    return Done(answer=answer, graph_id=where.graph.id, made=made)


async def update_node(call: Call) -> Reply:
    """Correct a node by hand."""
    sent: wire.UpdateNode4 = call.body
    change = EntityChange(name=sent.name, summary=sent.summary, attributes=sent.attributes)
    return await once.write(call, _update_node, call.path, change)


def _update_edge(tx: Transaction, access: Access, path: Path, change: FactChange) -> Done:
    where, found = _edge(tx, access, path)
    made = knowledge.update_fact(tx, access, found.uuid, change)
    return Done(answer=show.edge(where, made), graph_id=where.graph.id, made=made)


async def update_edge(call: Call) -> Reply:
    """Correct an edge by hand."""
    sent: wire.UpdateEdge4 = call.body
    vector = await vector_of(call, sent.fact)
    change = FactChange(fact=sent.fact, vector=vector, attributes=sent.attributes)
    return await once.write(call, _update_edge, call.path, change)


def _delete_node(tx: Transaction, access: Access, path: Path) -> Done:
    _, found = _node(tx, access, path)
    erased = erasing.entity(tx, access, found.uuid)
    task = answers.task(tx, access, erased.uuid, "graph.node.delete")
    return Done(answer=tasks.TaskAnswer4(task=task), erased=erased)


async def delete_node(call: Call) -> Reply:
    """Remove a node and the edges that touch it."""
    return await once.write(call, _delete_node, call.path)


def _delete_edge(tx: Transaction, access: Access, path: Path) -> Done:
    _, found = _edge(tx, access, path)
    erased = erasing.fact(tx, access, found.uuid)
    task = answers.task(tx, access, erased.uuid, "graph.edge.delete")
    return Done(answer=tasks.TaskAnswer4(task=task), erased=erased)


async def delete_edge(call: Call) -> Reply:
    """Remove an edge; the nodes it joined stay."""
    return await once.write(call, _delete_edge, call.path)


def _neighbours(
    tx: Transaction, access: Access, path: Path, request: PageRequest, direction: Any, by: Filters
) -> Page4[wire.Neighbor4]:
    where, start = _node(tx, access, path)
    found = walking.neighbours(tx, access, start, request, direction, by)
    near = found.page.items
    nodes = show.nodes(tx, access, where, [one.entity for one in near])
    items = [
        wire.Neighbor4(node=node, edges=[show.edge(where, fact) for fact in one.facts])
        for node, one in zip(nodes, near, strict=True)
    ]
    return Page4(items=items, next_cursor=found.page.next_cursor)


async def list_neighbours(call: Call) -> Page4[wire.Neighbor4]:
    """A page of the distinct nodes that edges join with a node."""
    sent: wire.Neighbors4 = call.body
    by = translate_filters.filters(sent.filters)
    request = paging.graph_page(call.query, _WALK_ORDERS)
    return await call.services.store.read(
        _neighbours, call.access, call.path, request, sent.direction or "both", by
    )


def _subgraph(
    tx: Transaction, access: Access, path: Path, sent: wire.SubgraphRequest4, by: Filters
) -> wire.Subgraph4:
    where = answers.place(tx, access, path)
    limits = walking.Limits(
        depth=within_limit("depth", sent.depth, 1, SUBGRAPH_DEPTH_MAX),
        nodes=within_limit("max_nodes", sent.max_nodes, SUBGRAPH_NODES_DEFAULT, SUBGRAPH_NODES_MAX),
        facts=within_limit("max_edges", sent.max_edges, SUBGRAPH_EDGES_DEFAULT, SUBGRAPH_EDGES_MAX),
    )
    direction = sent.direction or "both"
    found = walking.subgraph(tx, access, where.graph, sent.seed_node_uuids, direction, limits, by)
    return wire.Subgraph4(
        nodes=show.nodes(tx, access, where, found.entities),
        edges=[show.edge(where, fact) for fact in found.facts],
        truncated=found.truncated_by is not None,
        truncation_reason=found.truncated_by,
    )


async def get_subgraph(call: Call) -> wire.Subgraph4:
    """What lies around some nodes, breadth first, within budgets."""
    sent: wire.SubgraphRequest4 = call.body
    if not 1 <= len(sent.seed_node_uuids) <= SUBGRAPH_SEEDS_MAX:
        raise InvalidInput(f"seed_node_uuids: from 1 to {SUBGRAPH_SEEDS_MAX}")
    if sent.filters is not None and sent.filters.metadata_filters is not None:
        raise InvalidInput("filters.metadata_filters: cannot be held to while walking")
    by = translate_filters.filters(sent.filters)
    return await call.services.store.read(_subgraph, call.access, call.path, sent, by)


ROUTES = [
    Route(
        "POST",
        "/graphs/{graph_uuid}/nodes/list",
        "graph.node.list",
        list_nodes,
        "Page through the nodes of a graph",
        body=filters.ListKnowledge4,
        query=wire.NodesQuery4,
        answer=Page4[wire.Node4],
        reads=True,
    ),
    Route(
        "GET",
        "/graphs/{graph_uuid}/nodes/{node_uuid}",
        "graph.node.get",
        get_node,
        "Get a node",
        answer=wire.Node4,
    ),
    Route(
        "PATCH",
        "/graphs/{graph_uuid}/nodes/{node_uuid}",
        "graph.node.update",
        update_node,
        "Update a node",
        body=wire.UpdateNode4,
        answer=wire.Node4,
        shows="graph.node.get",
    ),
    Route(
        "DELETE",
        "/graphs/{graph_uuid}/nodes/{node_uuid}",
        "graph.node.delete",
        delete_node,
        "Delete a node and its edges",
        answer=tasks.TaskAnswer4,
    ),
    Route(
        "POST",
        "/graphs/{graph_uuid}/nodes/{node_uuid}/neighbors",
        "graph.node.get_neighbors",
        list_neighbours,
        "List the neighbours of a node",
        body=wire.Neighbors4,
        query=wire.NeighborsQuery4,
        answer=Page4[wire.Neighbor4],
        reads=True,
    ),
    Route(
        "POST",
        "/graphs/{graph_uuid}/edges/list",
        "graph.edge.list",
        list_edges,
        "Page through the edges of a graph",
        body=filters.ListKnowledge4,
        query=wire.EdgesQuery4,
        answer=Page4[wire.Edge4],
        reads=True,
    ),
    Route(
        "GET",
        "/graphs/{graph_uuid}/edges/{edge_uuid}",
        "graph.edge.get",
        get_edge,
        "Get an edge",
        answer=wire.Edge4,
    ),
    Route(
        "PATCH",
        "/graphs/{graph_uuid}/edges/{edge_uuid}",
        "graph.edge.update",
        update_edge,
        "Update an edge",
        body=wire.UpdateEdge4,
        answer=wire.Edge4,
        shows="graph.edge.get",
    ),
    Route(
        "DELETE",
        "/graphs/{graph_uuid}/edges/{edge_uuid}",
        "graph.edge.delete",
        delete_edge,
        "Delete an edge",
        answer=tasks.TaskAnswer4,
    ),
    Route(
        "POST",
        "/graphs/{graph_uuid}/subgraph",
        "graph.get_subgraph",
        get_subgraph,
        "Get what lies around some nodes",
        body=wire.SubgraphRequest4,
        answer=wire.Subgraph4,
        reads=True,
    ),
]
