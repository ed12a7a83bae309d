"""Episodes: reading, paging, metadata, deletion."""

from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.app import episodes, tasks
from recollect.app.refs import GraphRef
from recollect.compat.zep import common, translate, translate_filters
from recollect.compat.zep.wire import batches as batches_wire
from recollect.compat.zep.wire import graphs as graphs_wire
from recollect.compat.zep.wire import knowledge as knowledge_wire
from recollect.compat.zep.wire import messages as messages_wire
from recollect.compat.zep.wire.base import Success
from recollect.errors import InvalidInput
from recollect.graph.filters import Filters
from recollect.limits import PAGE_DEFAULT, PAGE_MAX

_ORDERS = ("uuid", "created_at")
_ANCHORS_MAX = 256


async def get(call: Call) -> graphs_wire.Episode:
    """An episode by uuid."""
    return translate.episode(await episodes.get(call.services, call.access, call.path["uuid"]))


async def update(call: Call) -> graphs_wire.Episode:
    """Merge metadata into an episode's."""
    sent: messages_wire.UpdateMetadata = call.body
    made = await episodes.update(call.services, call.access, call.path["uuid"], sent.metadata)
    return translate.episode(made)


async def delete(call: Call) -> Success:
    """Forget an episode, and what rested on it alone."""
    await episodes.delete(call.services, call.access, call.path["uuid"])
    return Success(message="episode deleted")


async def mentions(call: Call) -> Reply:
    """The nodes and edges that came out of an episode."""
    uuid = call.path["uuid"]
    nodes, edges = await episodes.mentions(call.services, call.access, uuid, PAGE_MAX + 1)
    answer = knowledge_wire.Mentions(
        nodes=[translate.listed_node(node) for node in nodes[:PAGE_MAX]],
        edges=[translate.edge(edge) for edge in edges[:PAGE_MAX]],
    )
    return common.capped(answer, truncated=max(len(nodes), len(edges)) > PAGE_MAX)


async def last(call: Call) -> graphs_wire.Episodes:
    """The newest episodes of a graph, newest first."""
    sent: graphs_wire.LastQuery = call.query
    limit = min(sent.lastn or PAGE_DEFAULT, PAGE_MAX)
    ref = common.graph_ref(call.path)
    found = await episodes.last(call.services, call.access, ref, limit)
    return graphs_wire.Episodes(episodes=[translate.episode(episode) for episode in found])


async def page(call: Call) -> Reply:
    """A page of a graph's episodes; the next cursor is a header."""
    sent: graphs_wire.PageRequest = call.body
    if len(sent.mentioned_node_uuids or ()) > _ANCHORS_MAX:
        raise InvalidInput(f"mentioned_node_uuids: at most {_ANCHORS_MAX}")
    tree = translate_filters.metadata_tree(
        sent.episode_metadata_filters, "episode_metadata_filters"
    )
    found = await episodes.page(
        call.services,
        call.access,
        common.graph_ref(call.path),
        translate.graph_page(sent, _ORDERS),
        sent.mentioned_node_uuids,
        Filters(episode_metadata=tree),
    )
    items = [translate.episode(episode) for episode in found.value.items]
    return common.page(items, found.value.next_cursor)


async def of_document(call: Call) -> Reply:
    """The episodes of one document, in order."""
    sent: graphs_wire.DocumentQuery = call.query
    found = await episodes.of_document(
        call.services,
        call.access,
        GraphRef(graph_id=sent.graph_id),
        call.path["document_id"],
        PAGE_MAX + 1,
    )
    return common.capped_episodes(found.value)


async def get_task(call: Call) -> batches_wire.Task:
    """How far the work owed to a request is, and what came of a direct write."""
    return translate.task(*await tasks.progress(call.services, call.access, call.path["task_id"]))


def _lists(noun: str, parameter: str) -> list[Route]:
    path = f"/graph/episodes/{noun}/{{{parameter}}}"
    return [
        Route(
            "GET",
            path,
            "graph.episode.list",
            last,
            f"List the newest episodes of a {noun}",
            query=graphs_wire.LastQuery,
        ),
        Route(
            "POST",
            path,
            "graph.episode.list",
            page,
            f"Page through the episodes of a {noun}",
            body=graphs_wire.PageRequest,
            answer=list[graphs_wire.Episode],
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
        query=graphs_wire.DocumentQuery,
        answer=graphs_wire.Episodes,
    ),
    Route("GET", "/graph/episodes/{uuid}", "graph.episode.get", get, "Get an episode"),
    Route(
        "PATCH",
        "/graph/episodes/{uuid}",
        "graph.episode.update",
        update,
        "Update an episode's metadata",
        body=messages_wire.UpdateMetadata,
        shows="graph.episode.get",
    ),
    Route("DELETE", "/graph/episodes/{uuid}", "graph.episode.delete", delete, "Delete an episode"),
    Route(
        "GET",
        "/graph/episodes/{uuid}/mentions",
        "graph.episode.get_nodes_and_edges",
        mentions,
        "Get the nodes and edges of an episode",
        answer=knowledge_wire.Mentions,
    ),
    Route("GET", "/tasks/{task_id}", "task.get", get_task, "Get a task"),
]
