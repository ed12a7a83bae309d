"""Nodes and edges: reading, paging, correcting, deleting."""

from datetime import datetime

from recollect.api.compat.zep import answers, translate, translate_filters, wire
from recollect.api.compat.zep.answers import graph_of_path
from recollect.api.embedding import Embed, embedding
from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.graph.types import Access, Episode, Fact
from recollect.limits import EPISODE_CHARS_MAX, PAGE_MAX
from recollect.store.protocol import Transaction
from recollect.subjects import knowledge, listing
from recollect.subjects.knowledge import UNSET, EntityChange, FactChange, UnsetType
from recollect.subjects.listing import ListedEntity
from recollect.subjects.pages import Page, PageRequest

_NODE_ORDERS = ("uuid", "created_at", "degree")
_EDGE_ORDERS = ("uuid", "created_at", "valid_at")


def _nodes(
    tx: Transaction,
    access: Access,
    path: dict[str, str],
    request: PageRequest,
    among: list[int] | None,
) -> Page[ListedEntity]:
    return listing.entities(tx, access, graph_of_path(tx, access, path), request, among)


async def list_nodes(call: Call) -> Reply:
    """A page of a graph's nodes; the next cursor is a header."""
    sent: wire.PageRequest = call.body
    request = translate.graph_page(sent, _NODE_ORDERS)
    filters = translate_filters.filters(sent.filters, "filters", edges=False)
    among = await answers.matching(call, "entity", filters)
    page = await call.services.store.read(_nodes, call.access, call.path, request, among)
    return answers.page([translate.listed_node(node) for node in page.items], page.next_cursor)


def _edges(
    tx: Transaction,
    access: Access,
    path: dict[str, str],
    request: PageRequest,
    among: list[int] | None,
) -> Page[Fact]:
    return knowledge.facts_page(tx, access, graph_of_path(tx, access, path), request, among)


async def list_edges(call: Call) -> Reply:
    """A page of a graph's edges; the next cursor is a header."""
    sent: wire.EdgePageRequest = call.body
    request = translate.graph_page(sent, _EDGE_ORDERS)
    filters = translate_filters.filters(sent.filters, "filters")
    filters = translate_filters.as_of(filters, sent.valid_at, sent.known_at)
    among = await answers.matching(call, "fact", filters)
    page = await call.services.store.read(_edges, call.access, call.path, request, among)
    return answers.page([translate.edge(edge) for edge in page.items], page.next_cursor)


def _node(tx: Transaction, access: Access, uuid: str) -> ListedEntity:
    (found,) = listing.with_episodes(tx, access, [knowledge.entity(tx, access, uuid)])
    return found


async def get_node(call: Call) -> wire.Node:
    """A node by uuid."""
    found = await call.services.store.glance(_node, call.access, call.path["uuid"])
    return translate.listed_node(found)


def _node_edges(tx: Transaction, access: Access, uuid: str) -> list[Fact]:
    return knowledge.facts_of_entity(tx, access, knowledge.entity(tx, access, uuid), PAGE_MAX + 1)


async def get_node_edges(call: Call) -> Reply:
    """The edges that touch a node."""
    found = await call.services.store.read(_node_edges, call.access, call.path["uuid"])
    edges = [translate.edge(fact) for fact in found[:PAGE_MAX]]
    return answers.capped(edges, truncated=len(found) > PAGE_MAX)


def _node_episodes(tx: Transaction, access: Access, uuid: str) -> list[Episode]:
    found = knowledge.entity(tx, access, uuid)
    return knowledge.episodes_of_entity(tx, access, found, PAGE_MAX + 1)


async def get_node_episodes(call: Call) -> Reply:
    """The episodes that mention a node, newest first."""
    found = await call.services.store.read(_node_episodes, call.access, call.path["uuid"])
    answer = wire.Episodes(episodes=[translate.episode(episode) for episode in found[:PAGE_MAX]])
    return answers.capped(answer, truncated=len(found) > PAGE_MAX)


def _not_null(field: str, value: object) -> object:
    if value is None:
        raise InvalidInput(f"{field}: must not be null")
    return value


async def update_node(call: Call) -> wire.Node:
    """Correct a node by hand."""
    sent: wire.UpdateNode = call.body
    for field in ("name", "summary", "labels", "attributes"):
        _not_null(field, getattr(sent, field))
    change = EntityChange(
        name=sent.name,  # type: ignore[arg-type]
        summary=sent.summary,  # type: ignore[arg-type]
        labels=sent.labels,  # type: ignore[arg-type]
        attributes=sent.attributes,  # type: ignore[arg-type]
    )
    made = await call.services.store.write(
        knowledge.update_entity, call.access, call.path["uuid"], change
    )
    (node,) = await answers.nodes(call, [made])
    return node


async def delete_node(call: Call) -> wire.Success:
    """Remove a node and the edges that touch it."""
    await call.services.store.write(knowledge.delete_entity, call.access, call.path["uuid"])
    call.services.store.scrub_soon()
    return wire.Success(message="node deleted")


async def get_edge(call: Call) -> wire.Edge:
    """An edge by uuid."""
    found = await call.services.store.read(knowledge.fact, call.access, call.path["uuid"])
    return translate.edge(found)


async def update_edge(call: Call) -> wire.Edge:
    """Correct an edge by hand."""
    sent: wire.UpdateEdge = call.body
    for field in ("name", "fact", "attributes"):
        _not_null(field, getattr(sent, field))
    change = FactChange(
        name=sent.name,  # type: ignore[arg-type]
        fact=sent.fact,  # type: ignore[arg-type]
        vector=await vector_of(call, sent.fact),
        attributes=sent.attributes,  # type: ignore[arg-type]
        expired_at=_moment("expired_at", sent.expired_at),
        valid_at=_moment("valid_at", sent.valid_at),
        invalid_at=_moment("invalid_at", sent.invalid_at),
    )
    made = await call.services.store.write(
        knowledge.update_fact, call.access, call.path["uuid"], change
    )
    return translate.edge(made)


async def vector_of(call: Call, fact: str | UnsetType | None) -> bytes | None:
    """The vector by which a corrected sentence is found; without models its words must do."""
    if not isinstance(fact, str) or call.services.settings.extraction == "off":
        return None
    return await embedding(call.services, _packed, fact[:EPISODE_CHARS_MAX])


def _packed(embed: Embed, text: str) -> bytes:
    packed: bytes = embed([text])[0].astype("float16").tobytes()
    return packed


def _moment(field: str, value: str | UnsetType | None) -> datetime | UnsetType | None:
    return UNSET if isinstance(value, UnsetType) else checks.moment(field, value)


async def delete_edge(call: Call) -> wire.Success:
    """Remove an edge; the nodes it joined stay."""
    await call.services.store.write(knowledge.delete_fact, call.access, call.path["uuid"])
    call.services.store.scrub_soon()
    return wire.Success(message="edge deleted")


async def get_fact(call: Call) -> wire.FactAnswer:
    """An edge by uuid, in the words of generation 2."""
    found = await call.services.store.read(knowledge.fact, call.access, call.path["uuid"])
    return wire.FactAnswer(fact=translate.fact2(found))


def _lists(noun: str, parameter: str) -> list[Route]:
    return [
        Route(
            "POST",
            f"/graph/node/{noun}/{{{parameter}}}",
            "graph.node.list",
            list_nodes,
            f"Page through the nodes of a {noun}",
            body=wire.PageRequest,
            answer=list[wire.Node],
            reads=True,
        ),
        Route(
            "POST",
            f"/graph/edge/{noun}/{{{parameter}}}",
            "graph.edge.list",
            list_edges,
            f"Page through the edges of a {noun}",
            body=wire.EdgePageRequest,
            answer=list[wire.Edge],
            reads=True,
        ),
    ]


ROUTES = [
    *_lists("user", "user_id"),
    *_lists("graph", "graph_id"),
    *_lists("group", "group_id"),
    Route("GET", "/graph/node/{uuid}", "graph.node.get", get_node, "Get a node", answer=wire.Node),
    Route(
        "PATCH",
        "/graph/node/{uuid}",
        "graph.node.update",
        update_node,
        "Update a node",
        body=wire.UpdateNode,
        answer=wire.Node,
        shows="graph.node.get",
    ),
    Route(
        "DELETE",
        "/graph/node/{uuid}",
        "graph.node.delete",
        delete_node,
        "Delete a node and its edges",
        answer=wire.Success,
    ),
    Route(
        "GET",
        "/graph/node/{uuid}/entity-edges",
        "graph.node.get_edges",
        get_node_edges,
        "List the edges of a node",
        answer=list[wire.Edge],
    ),
    Route(
        "GET",
        "/graph/node/{uuid}/episodes",
        "graph.node.get_episodes",
        get_node_episodes,
        "List the episodes that mention a node",
        answer=wire.Episodes,
    ),
    Route("GET", "/graph/edge/{uuid}", "graph.edge.get", get_edge, "Get an edge", answer=wire.Edge),
    Route(
        "PATCH",
        "/graph/edge/{uuid}",
        "graph.edge.update",
        update_edge,
        "Update an edge",
        body=wire.UpdateEdge,
        answer=wire.Edge,
        shows="graph.edge.get",
    ),
    Route(
        "DELETE",
        "/graph/edge/{uuid}",
        "graph.edge.delete",
        delete_edge,
        "Delete an edge",
        answer=wire.Success,
    ),
    Route("GET", "/facts/{uuid}", "graph.edge.get", get_fact, "Get a fact", answer=wire.FactAnswer),
    Route(
        "DELETE",
        "/facts/{uuid}",
        "graph.edge.delete",
        delete_edge,
        "Delete a fact",
        answer=wire.Success,
    ),
]
