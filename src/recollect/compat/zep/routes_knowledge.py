"""Nodes and edges: reading, paging, correcting, deleting. Observations and summaries are read-only."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.app import knowledge, threads
from recollect.app.refs import InGraph, ThreadRef
from recollect.compat.zep import common, translate, translate_filters
from recollect.compat.zep.wire import graphs
from recollect.compat.zep.wire import graphs as graphs_wire
from recollect.compat.zep.wire import knowledge as knowledge_wire
from recollect.compat.zep.wire import knowledge as wire
from recollect.compat.zep.wire.base import Success, shaped
from recollect.graph.types import DocumentSummary, ThreadSummary
from recollect.limits import PAGE_MAX
from recollect.records.knowledge import EntityChange
from recollect.records.pages import Page

_NODE_ORDERS = ("uuid", "created_at", "degree")
_EDGE_ORDERS = ("uuid", "created_at", "valid_at")


async def list_nodes(call: Call) -> Reply:
    """A page of a graph's nodes; the next cursor is a header."""
    sent: graphs_wire.PageRequest = call.body
    request = translate.graph_page(sent, _NODE_ORDERS)
    filters = translate_filters.filters(sent.filters, "filters", edges=False)
    found = await knowledge.entities(
        call.services,
        call.access,
        common.graph_ref(call.path),
        request,
        translate_filters.for_kind(filters, "entity"),
    )
    page = found.value
    return common.page([translate.listed_node(node) for node in page.items], page.next_cursor)


async def list_edges(call: Call) -> Reply:
    """A page of a graph's edges; the next cursor is a header."""
    sent: graphs_wire.EdgePageRequest = call.body
    request = translate.graph_page(sent, _EDGE_ORDERS)
    filters = translate_filters.filters(sent.filters, "filters")
    filters = translate_filters.as_of(filters, sent.valid_at, sent.known_at)
    ref = common.graph_ref(call.path)
    page = (await knowledge.facts(call.services, call.access, ref, request, filters)).value
    return common.page([translate.edge(edge) for edge in page.items], page.next_cursor)


async def get_node(call: Call) -> knowledge_wire.Node:
    """A node by uuid."""
    found = await knowledge.entity(call.services, call.access, call.path["uuid"])
    return translate.listed_node(found)


async def get_node_edges(call: Call) -> Reply:
    """The edges that touch a node."""
    found = await knowledge.facts_of_entity(
        call.services, call.access, call.path["uuid"], PAGE_MAX + 1
    )
    edges = [translate.edge(fact) for fact in found[:PAGE_MAX]]
    return common.capped(edges, truncated=len(found) > PAGE_MAX)


async def get_node_episodes(call: Call) -> Reply:
    """The episodes that mention a node, newest first."""
    found = await knowledge.episodes_of_entity(
        call.services, call.access, call.path["uuid"], PAGE_MAX + 1
    )
    return common.capped_episodes(found)


async def update_node(call: Call) -> knowledge_wire.Node:
    """Correct a node by hand."""
    sent: knowledge_wire.UpdateNode = call.body
    for field in ("name", "summary", "labels", "attributes"):
        translate.not_null(field, getattr(sent, field))
    change = EntityChange(
        name=sent.name,  # type: ignore[arg-type]
        summary=sent.summary,  # type: ignore[arg-type]
        labels=sent.labels,  # type: ignore[arg-type]
        attributes=sent.attributes,  # type: ignore[arg-type]
    )
    made = await knowledge.update_entity(call.services, call.access, call.path["uuid"], change)
    return translate.listed_node(made)


async def delete_node(call: Call) -> Success:
    """Remove a node and the edges that touch it."""
    await knowledge.delete_entity(call.services, call.access, call.path["uuid"])
    return Success(message="node deleted")


async def get_edge(call: Call) -> knowledge_wire.Edge:
    """An edge by uuid."""
    return translate.edge(await knowledge.fact(call.services, call.access, call.path["uuid"]))


async def update_edge(call: Call) -> knowledge_wire.Edge:
    """Correct an edge by hand."""
    change = translate.fact_change(call.body)
    made = await knowledge.update_fact(call.services, call.access, call.path["uuid"], change)
    return translate.edge(made)


async def delete_edge(call: Call) -> Success:
    """Remove an edge; the nodes it joined stay."""
    await knowledge.delete_fact(call.services, call.access, call.path["uuid"])
    return Success(message="edge deleted")


async def get_fact(call: Call) -> knowledge_wire.FactAnswer:
    """An edge by uuid, as Zep v2 shows it."""
    found = await knowledge.fact(call.services, call.access, call.path["uuid"])
    return knowledge_wire.FactAnswer(fact=translate.fact2(found))


def _lists(noun: str, parameter: str) -> list[Route]:
    return [
        Route(
            "POST",
            f"/graph/node/{noun}/{{{parameter}}}",
            "graph.node.list",
            list_nodes,
            f"Page through the nodes of a {noun}",
            body=graphs_wire.PageRequest,
            answer=list[knowledge_wire.Node],
            reads=True,
        ),
        Route(
            "POST",
            f"/graph/edge/{noun}/{{{parameter}}}",
            "graph.edge.list",
            list_edges,
            f"Page through the edges of a {noun}",
            body=graphs_wire.EdgePageRequest,
            answer=list[knowledge_wire.Edge],
            reads=True,
        ),
    ]


T = TypeVar("T")
_ORDERS = ("uuid", "created_at")


async def _page(
    call: Call,
    reader: Callable[..., Awaitable[InGraph[Page[T]]]],
    show: Callable[[T], Any],
) -> Reply:
    sent: graphs.PageRequest = call.body
    request = translate.graph_page(sent, _ORDERS)
    filters = translate_filters.filters(sent.filters, "filters", edges=False)
    ref = common.graph_ref(call.path)
    page = (await reader(call.services, call.access, ref, request, filters)).value
    return common.page([show(item) for item in page.items], page.next_cursor)


def _thread_summary(found: ThreadSummary) -> wire.ThreadSummary:
    return shaped(
        wire.ThreadSummary,
        found,
        last_summarized_at=found.updated_at,
        last_summarized_episode_valid_at=found.covered_at,
    )


def _document_summary(found: DocumentSummary) -> wire.DocumentSummary:
    return shaped(
        wire.DocumentSummary,
        found,
        last_summarized_at=found.updated_at,
        last_summarized_episode_valid_at=found.covered_at,
    )


async def get_thread_summary(call: Call) -> wire.ThreadSummary:
    """The summary of a thread, once a message of it was processed."""
    ref = ThreadRef(thread_id=call.path["thread_id"])
    return _thread_summary((await threads.summary(call.services, call.access, ref)).value)


async def get_observation(call: Call) -> wire.Observation:
    """An observation by uuid."""
    found = await knowledge.observation(call.services, call.access, call.path["uuid"])
    return translate.observation(found)


async def list_observations(call: Call) -> Reply:
    """A page of a graph's observations; the next cursor is a header."""
    return await _page(call, knowledge.observations, translate.observation)


async def list_thread_summaries(call: Call) -> Reply:
    """A page of the summaries of a graph's threads; the next cursor is a header."""
    return await _page(call, knowledge.thread_summaries, _thread_summary)


async def list_document_summaries(call: Call) -> Reply:
    """A page of the summaries of a graph's documents; the next cursor is a header."""
    return await _page(call, knowledge.document_summaries, _document_summary)


def _derived_lists(noun: str) -> list[Route]:
    parameter = f"{{{noun}_id}}"
    return [
        Route(
            "POST",
            f"/graph/observation/{noun}/{parameter}",
            "graph.observation.list",
            list_observations,
            f"Page through the observations of a {noun}",
            body=graphs.PageRequest,
            answer=list[wire.Observation],
            reads=True,
        ),
        Route(
            "POST",
            f"/graph/thread-summary/{noun}/{parameter}",
            "graph.thread_summary.list",
            list_thread_summaries,
            f"Page through the thread summaries of a {noun}",
            body=graphs.PageRequest,
            answer=list[wire.ThreadSummary],
            reads=True,
        ),
    ]


ROUTES = [
    *_lists("user", "user_id"),
    *_lists("graph", "graph_id"),
    *_lists("group", "group_id"),
    Route("GET", "/graph/node/{uuid}", "graph.node.get", get_node, "Get a node"),
    Route(
        "PATCH",
        "/graph/node/{uuid}",
        "graph.node.update",
        update_node,
        "Update a node",
        body=knowledge_wire.UpdateNode,
        shows="graph.node.get",
    ),
    Route(
        "DELETE",
        "/graph/node/{uuid}",
        "graph.node.delete",
        delete_node,
        "Delete a node and its edges",
    ),
    Route(
        "GET",
        "/graph/node/{uuid}/entity-edges",
        "graph.node.get_edges",
        get_node_edges,
        "List the edges of a node",
        answer=list[knowledge_wire.Edge],
    ),
    Route(
        "GET",
        "/graph/node/{uuid}/episodes",
        "graph.node.get_episodes",
        get_node_episodes,
        "List the episodes that mention a node",
        answer=graphs_wire.Episodes,
    ),
    Route("GET", "/graph/edge/{uuid}", "graph.edge.get", get_edge, "Get an edge"),
    Route(
        "PATCH",
        "/graph/edge/{uuid}",
        "graph.edge.update",
        update_edge,
        "Update an edge",
        body=knowledge_wire.UpdateEdge,
        shows="graph.edge.get",
    ),
    Route("DELETE", "/graph/edge/{uuid}", "graph.edge.delete", delete_edge, "Delete an edge"),
    Route("GET", "/facts/{uuid}", "graph.edge.get", get_fact, "Get a fact"),
    Route("DELETE", "/facts/{uuid}", "graph.edge.delete", delete_edge, "Delete a fact"),
    *_derived_lists("user"),
    *_derived_lists("graph"),
    Route(
        "POST",
        "/graph/document-summary/graph/{graph_id}",
        "graph.document_summary.list",
        list_document_summaries,
        "Page through the document summaries of a graph",
        body=graphs.PageRequest,
        answer=list[wire.DocumentSummary],
        reads=True,
    ),
    Route(
        "GET",
        "/graph/observation/{uuid}",
        "graph.observation.get",
        get_observation,
        "Get an observation",
    ),
    Route(
        "GET",
        "/threads/{thread_id}/summary",
        "thread.get_summary",
        get_thread_summary,
        "Get the summary of a thread",
    ),
]
