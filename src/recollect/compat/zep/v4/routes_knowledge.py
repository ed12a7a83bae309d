"""Nodes and edges of a graph, read, paged, corrected, deleted and walked; observations and summaries,
which are only read.
"""

from functools import partial

from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.app import knowledge
from recollect.app.refs import GraphRef, InGraph
from recollect.compat.zep import translate_filters as translate_filters3
from recollect.compat.zep.routes_walks import subgraph_limits
from recollect.compat.zep.v4 import idempotency, paging, translate, translate_filters
from recollect.compat.zep.v4.wire import filters, graphs, tasks
from recollect.compat.zep.v4.wire import knowledge as wire
from recollect.compat.zep.v4.wire.base import Page4
from recollect.errors import InvalidInput
from recollect.graph.filters import Filters
from recollect.graph.types import Fact
from recollect.limits import SUBGRAPH_SEEDS_MAX
from recollect.records.knowledge import EntityChange, FactChange
from recollect.records.listing import ListedEntity
from recollect.records.pages import PageRequest

_NODE_ORDERS = ("uuid", "created_at", "degree")
_EDGE_ORDERS = ("uuid", "created_at", "valid_at")
_WALK_ORDERS = ("uuid", "created_at")


def _ref(call: Call) -> GraphRef:
    return GraphRef(uuid=call.path["graph_uuid"])


def _node(found: InGraph[ListedEntity]) -> wire.Node4:
    return translate.node(found.where, found.value)


def _edge(found: InGraph[Fact]) -> wire.Edge4:
    return translate.edge(found.where, found.value)


async def list_nodes(call: Call) -> Page4[wire.Node4]:
    """A page of a graph's nodes."""
    sent: filters.ListKnowledge4 = call.body
    request = paging.graph_page(call.query, _NODE_ORDERS)
    chosen = translate_filters.filters(sent.filters, edges=False)
    chosen = translate_filters3.for_kind(chosen, "entity")
    found = await knowledge.entities(call.services, call.access, _ref(call), request, chosen)
    items = [translate.node(found.where, node) for node in found.value.items]
    return Page4(items=items, next_cursor=found.value.next_cursor)


async def list_edges(call: Call) -> Page4[wire.Edge4]:
    """A page of a graph's edges."""
    sent: filters.ListKnowledge4 = call.body
    request = paging.graph_page(call.query, _EDGE_ORDERS)
    chosen = translate_filters.filters(sent.filters)
    found = await knowledge.facts(call.services, call.access, _ref(call), request, chosen)
    items = [translate.edge(found.where, edge) for edge in found.value.items]
    return Page4(items=items, next_cursor=found.value.next_cursor)


async def get_node(call: Call) -> wire.Node4:
    """A node by uuid."""
    uuid = call.path["node_uuid"]
    return _node(await knowledge.entity_in(call.services, call.access, _ref(call), uuid))


async def get_edge(call: Call) -> wire.Edge4:
    """An edge by uuid."""
    uuid = call.path["edge_uuid"]
    return _edge(await knowledge.fact_in(call.services, call.access, _ref(call), uuid))


async def update_node(call: Call) -> Reply:
    """Correct a node by hand."""
    sent: wire.UpdateNode4 = call.body
    change = EntityChange(name=sent.name, summary=sent.summary, attributes=sent.attributes)
    uuid = call.path["node_uuid"]
    update = knowledge.update_entity_in.bind(call.services, call.access, _ref(call), uuid, change)
    return await idempotency.write(call, update, _node)


async def update_edge(call: Call) -> Reply:
    """Correct an edge by hand."""
    sent: wire.UpdateEdge4 = call.body
    change = FactChange(fact=sent.fact, attributes=sent.attributes)
    uuid = call.path["edge_uuid"]
    update = partial(knowledge.update_fact_in, call.services, call.access, _ref(call), uuid, change)
    return await idempotency.write(call, update, _edge)


async def delete_node(call: Call) -> Reply:
    """Remove a node and the edges that touch it."""
    uuid = call.path["node_uuid"]
    erase = knowledge.erase_entity_in.bind(call.services, call.access, _ref(call), uuid)
    return await idempotency.write(call, erase, translate.task_answer)


async def delete_edge(call: Call) -> Reply:
    """Remove an edge; the nodes it joined stay."""
    uuid = call.path["edge_uuid"]
    erase = knowledge.erase_fact_in.bind(call.services, call.access, _ref(call), uuid)
    return await idempotency.write(call, erase, translate.task_answer)


async def list_neighbours(call: Call) -> Page4[wire.Neighbor4]:
    """A page of the distinct nodes that edges join with a node."""
    sent: wire.Neighbors4 = call.body
    found = await knowledge.neighbours(
        call.services,
        call.access,
        _ref(call),
        call.path["node_uuid"],
        paging.graph_page(call.query, _WALK_ORDERS),
        sent.direction or "both",
        translate_filters.filters(sent.filters),
    )
    page = found.value.page
    items = [
        wire.Neighbor4(
            node=translate.node(found.where, one.entity),
            edges=[translate.edge(found.where, fact) for fact in one.facts],
        )
        for one in page.items
    ]
    return Page4(items=items, next_cursor=page.next_cursor)


async def get_subgraph(call: Call) -> wire.Subgraph4:
    """What lies around some nodes, breadth first, within budgets."""
    sent: wire.SubgraphRequest4 = call.body
    if not 1 <= len(sent.seed_node_uuids) <= SUBGRAPH_SEEDS_MAX:
        raise InvalidInput(f"seed_node_uuids: from 1 to {SUBGRAPH_SEEDS_MAX}")
    if sent.filters is not None and sent.filters.metadata_filters is not None:
        raise InvalidInput("filters.metadata_filters: cannot be held to while walking")
    found = await knowledge.subgraph(
        call.services,
        call.access,
        _ref(call),
        sent.seed_node_uuids,
        sent.direction or "both",
        subgraph_limits(sent.depth, sent.max_nodes, sent.max_edges),
        translate_filters.filters(sent.filters),
    )
    return wire.Subgraph4(
        nodes=[translate.node(found.where, node) for node in found.value.entities],
        edges=[translate.edge(found.where, fact) for fact in found.value.facts],
        truncated=found.value.truncated_by is not None,
        truncation_reason=found.value.truncated_by,
    )


_ORDERS = ("uuid", "created_at")


def _asked(call: Call) -> tuple[GraphRef, PageRequest, Filters]:
    """The graph, the page and the filters of a list."""
    by = translate_filters.filters(call.body.filters, edges=False)
    request = paging.graph_page(call.query, _ORDERS)
    return GraphRef(uuid=call.path["graph_uuid"]), request, by


async def list_observations(call: Call) -> Page4[graphs.Observation4]:
    """A page of a graph's observations."""
    found = await knowledge.observations(call.services, call.access, *_asked(call))
    items = [translate.observation(found.where, item) for item in found.value.items]
    return Page4(items=items, next_cursor=found.value.next_cursor)


async def list_thread_summaries(call: Call) -> Page4[graphs.ThreadSummary4]:
    """A page of the summaries of a graph's threads."""
    found = await knowledge.thread_summaries(call.services, call.access, *_asked(call))
    items = [
        translate.thread_summary(found.where, item, found.thread_uuids)
        for item in found.value.items
    ]
    return Page4(items=items, next_cursor=found.value.next_cursor)


async def list_document_summaries(call: Call) -> Page4[graphs.DocumentSummary4]:
    """A page of the summaries of a graph's documents."""
    found = await knowledge.document_summaries(call.services, call.access, *_asked(call))
    items = [translate.document_summary(item) for item in found.value.items]
    return Page4(items=items, next_cursor=found.value.next_cursor)


async def get_observation(call: Call) -> graphs.Observation4:
    """An observation by uuid."""
    ref, uuid = GraphRef(uuid=call.path["graph_uuid"]), call.path["observation_uuid"]
    found = await knowledge.observation_in(call.services, call.access, ref, uuid)
    return translate.observation(found.where, found.value)


ROUTES = [
    Route(
        "POST",
        "/graphs/{graph_uuid}/nodes/list",
        "graph.node.list",
        list_nodes,
        "Page through the nodes of a graph",
        body=filters.ListKnowledge4,
        query=wire.NodesQuery4,
        reads=True,
    ),
    Route(
        "GET", "/graphs/{graph_uuid}/nodes/{node_uuid}", "graph.node.get", get_node, "Get a node"
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
        reads=True,
    ),
    Route(
        "GET", "/graphs/{graph_uuid}/edges/{edge_uuid}", "graph.edge.get", get_edge, "Get an edge"
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
        reads=True,
    ),
    Route(
        "POST",
        "/graphs/{graph_uuid}/observations/list",
        "graph.observation.list",
        list_observations,
        "Page through the observations of a graph",
        body=filters.ListObservations4,
        query=graphs.DerivedQuery4,
        reads=True,
    ),
    Route(
        "GET",
        "/graphs/{graph_uuid}/observations/{observation_uuid}",
        "graph.observation.get",
        get_observation,
        "Get an observation",
    ),
    Route(
        "POST",
        "/graphs/{graph_uuid}/thread-summaries/list",
        "graph.thread_summary.list",
        list_thread_summaries,
        "Page through the thread summaries of a graph",
        body=filters.ListSummaries4,
        query=graphs.DerivedQuery4,
        reads=True,
    ),
    Route(
        "POST",
        "/graphs/{graph_uuid}/document-summaries/list",
        "graph.document_summary.list",
        list_document_summaries,
        "Page through the document summaries of a graph",
        body=filters.ListSummaries4,
        query=graphs.DerivedQuery4,
        reads=True,
    ),
]
