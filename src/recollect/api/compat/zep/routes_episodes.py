"""Episodes: reading, paging, metadata, deletion."""

from recollect.api.compat.zep import answers, translate, translate_filters, wire
from recollect.api.compat.zep.answers import graph_of_path
from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.errors import InvalidInput
from recollect.graph.filters import Filters
from recollect.graph.types import Access, Entity, Episode, Fact
from recollect.ingest import direct_results, queue
from recollect.limits import PAGE_DEFAULT, PAGE_MAX
from recollect.store.protocol import Transaction
from recollect.subjects import episodes, graphs, knowledge
from recollect.subjects.pages import Page

_ORDERS = ("uuid", "created_at")
_ANCHORS_MAX = 256


async def get(call: Call) -> wire.Episode:
    """An episode by uuid."""
    found = await call.services.store.glance(episodes.get, call.access, call.path["uuid"])
    return translate.episode(found)


async def update(call: Call) -> wire.Episode:
    """Merge metadata into an episode's."""
    sent: wire.UpdateMetadata = call.body
    made = await call.services.store.write(
        episodes.update_metadata, call.access, call.path["uuid"], sent.metadata
    )
    return translate.episode(made)


async def delete(call: Call) -> wire.Success:
    """Forget an episode, and what rested on it alone."""
    await call.services.store.write(episodes.delete, call.access, call.path["uuid"])
    call.services.store.scrub_soon()
    return wire.Success(message="episode deleted")


def _mentions(tx: Transaction, access: Access, uuid: str) -> tuple[list[Entity], list[Fact]]:
    return knowledge.mentions(tx, access, episodes.get(tx, access, uuid), PAGE_MAX + 1)


async def mentions(call: Call) -> Reply:
    """The nodes and edges that came out of an episode."""
    nodes, edges = await call.services.store.read(_mentions, call.access, call.path["uuid"])
    answer = wire.Mentions(
        nodes=await answers.nodes(call, nodes[:PAGE_MAX]),
        edges=[translate.edge(edge) for edge in edges[:PAGE_MAX]],
    )
    return answers.capped(answer, truncated=max(len(nodes), len(edges)) > PAGE_MAX)


def _last(
    tx: Transaction, access: Access, path: dict[str, str], lastn: int | None
) -> list[Episode]:
    graph = graph_of_path(tx, access, path)
    return episodes.last(tx, access, graph, min(lastn or PAGE_DEFAULT, PAGE_MAX))


async def last(call: Call) -> wire.Episodes:
    """The newest episodes of a graph, newest first."""
    sent: wire.LastQuery = call.query
    found = await call.services.store.read(_last, call.access, call.path, sent.lastn)
    return wire.Episodes(episodes=[translate.episode(episode) for episode in found])


def _page(
    tx: Transaction,
    access: Access,
    path: dict[str, str],
    sent: wire.PageRequest,
    among: list[int] | None,
) -> Page[Episode]:
    request = translate.graph_page(sent, _ORDERS)
    graph = graph_of_path(tx, access, path)
    return episodes.page(tx, access, graph, request, sent.mentioned_node_uuids, among)


async def page(call: Call) -> Reply:
    """A page of a graph's episodes; the next cursor is a header."""
    sent: wire.PageRequest = call.body
    if len(sent.mentioned_node_uuids or ()) > _ANCHORS_MAX:
        raise InvalidInput(f"mentioned_node_uuids: at most {_ANCHORS_MAX}")
    tree = translate_filters.metadata_tree(
        sent.episode_metadata_filters, "episode_metadata_filters"
    )
    among = await answers.matching(call, "episode", Filters(episode_metadata=tree))
    found = await call.services.store.read(_page, call.access, call.path, sent, among)
    items = [translate.episode(episode) for episode in found.items]
    return answers.page(items, found.next_cursor)


def _of_document(tx: Transaction, access: Access, graph_id: str, document_id: str) -> list[Episode]:
    graph = graphs.get(tx, access, graph_id)
    return episodes.of_document(tx, access, graph, document_id, PAGE_MAX + 1)


async def of_document(call: Call) -> Reply:
    """The episodes of one document, in order."""
    sent: wire.DocumentQuery = call.query
    found = await call.services.store.read(
        _of_document, call.access, sent.graph_id, call.path["document_id"]
    )
    answer = wire.Episodes(episodes=[translate.episode(episode) for episode in found[:PAGE_MAX]])
    return answers.capped(answer, truncated=len(found) > PAGE_MAX)


def _task(tx: Transaction, access: Access, uuid: str) -> wire.Task:
    found = queue.task(tx, access, uuid)
    return translate.task(found, direct_results.uuids(tx, access, found))


async def get_task(call: Call) -> wire.Task:
    """How far the work owed to a request is, and what came of a direct write."""
    return await call.services.store.read(_task, call.access, call.path["task_id"])


def _lists(noun: str, parameter: str) -> list[Route]:
    path = f"/graph/episodes/{noun}/{{{parameter}}}"
    return [
        Route(
            "GET",
            path,
            "graph.episode.list",
            last,
            f"List the newest episodes of a {noun}",
            query=wire.LastQuery,
            answer=wire.Episodes,
        ),
        Route(
            "POST",
            path,
            "graph.episode.list",
            page,
            f"Page through the episodes of a {noun}",
            body=wire.PageRequest,
            answer=list[wire.Episode],
            reads=True,
        ),
    ]


ROUTES = [
    *_lists("user", "user_id"),
    *_lists("graph", "graph_id"),
    *_lists("group", "group_id"),
    Route(
        "GET",
        "/graph/documents/{document_id}/episodes",
        "graph.get_episodes_for_document",
        of_document,
        "List the episodes of a document",
        query=wire.DocumentQuery,
        answer=wire.Episodes,
    ),
    Route(
        "GET",
        "/graph/episodes/{uuid}",
        "graph.episode.get",
        get,
        "Get an episode",
        answer=wire.Episode,
    ),
    Route(
        "PATCH",
        "/graph/episodes/{uuid}",
        "graph.episode.update",
        update,
        "Update an episode's metadata",
        body=wire.UpdateMetadata,
        answer=wire.Episode,
        shows="graph.episode.get",
    ),
    Route(
        "DELETE",
        "/graph/episodes/{uuid}",
        "graph.episode.delete",
        delete,
        "Delete an episode",
        answer=wire.Success,
    ),
    Route(
        "GET",
        "/graph/episodes/{uuid}/mentions",
        "graph.episode.get_nodes_and_edges",
        mentions,
        "Get the nodes and edges of an episode",
        answer=wire.Mentions,
    ),
    Route("GET", "/tasks/{task_id}", "task.get", get_task, "Get a task", answer=wire.Task),
]
