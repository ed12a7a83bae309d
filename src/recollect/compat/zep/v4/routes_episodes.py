"""Episodes of a graph: adding data, reading, paging, metadata, deletion, and what was read out of one."""

from typing import Any

from msgspec.structs import replace

from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.app import episodes, remember
from recollect.app.refs import GraphRef, InGraph
from recollect.app.tasks import WithTask
from recollect.compat.zep import translate_filters as translate_filters3
from recollect.compat.zep.v4 import idempotency, paging, translate, translate_filters
from recollect.compat.zep.v4.wire import filters, tasks, threads
from recollect.compat.zep.v4.wire import graphs as wire
from recollect.compat.zep.v4.wire.base import Page4, PageQuery4
from recollect.compat.zep.wire.base import shaped
from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.graph.found import Found
from recollect.graph.types import Episode, NewEpisode

_ORDERS = ("uuid", "created_at")
_ANCHORS_MAX = 256


def _ref(call: Call) -> GraphRef:
    return GraphRef(uuid=call.path["graph_uuid"])


def _shown(found: InGraph[Episode]) -> wire.Episode4:
    return translate.episode(found.where, found.value, found.thread_uuids)


def _added(found: WithTask[InGraph[Episode]]) -> wire.AddedEpisode4:
    return wire.AddedEpisode4(episode=_shown(found.value), task=translate.task(found.task))


async def add(call: Call) -> Reply:
    """One piece of data into a graph; it is on disk when this answers."""
    sent: wire.AddEpisode4 = call.body
    new = NewEpisode(
        kind=sent.type or "text",
        content=sent.data,
        source_description=sent.source_description,
        document_id=sent.document_id,
        metadata=sent.metadata,
        strict_ontology=bool(sent.strict_ontology),
        created_at=checks.moment("reference_time", sent.reference_time),
        expires_at=checks.moment("expires_at", sent.expires_at),
    )
    remember.check_episode("", new)
    add = remember.add_data_tracked.bind(call.services, call.access, _ref(call), new)
    return await idempotency.write(call, add, _added)


async def get(call: Call) -> wire.Episode4:
    """An episode by uuid."""
    uuid = call.path["episode_uuid"]
    return _shown(await episodes.get_in(call.services, call.access, _ref(call), uuid))


async def update(call: Call) -> Reply:
    """Merge metadata into an episode's."""
    sent: threads.UpdateMetadata4 = call.body
    uuid = call.path["episode_uuid"]
    update = episodes.update_in.bind(call.services, call.access, _ref(call), uuid, sent.metadata)
    return await idempotency.write(call, update, _shown)


async def delete(call: Call) -> Reply:
    """Forget an episode, and what rested on it alone; the task ends when the files are wiped."""
    uuid = call.path["episode_uuid"]
    erase = episodes.erase_in.bind(call.services, call.access, _ref(call), uuid)
    return await idempotency.write(call, erase, translate.task_answer)


async def list_all(call: Call) -> Page4[wire.Episode4]:
    """A page of a graph's episodes."""
    sent: filters.ListEpisodes4 = call.body
    chosen = sent.filters or filters.EpisodeListFilters4()
    if len(chosen.mentioned_node_uuids or ()) > _ANCHORS_MAX:
        raise InvalidInput(f"filters.mentioned_node_uuids: at most {_ANCHORS_MAX}")
    narrowed = translate_filters3.for_kind(translate_filters.filters(chosen), "episode")
    request = paging.graph_page(call.query, _ORDERS)
    found = await episodes.page(
        call.services, call.access, _ref(call), request, chosen.mentioned_node_uuids, narrowed
    )
    items = [translate.episode(found.where, one, found.thread_uuids) for one in found.value.items]
    return Page4(items=items, next_cursor=found.value.next_cursor)


async def of_document(call: Call) -> Page4[wire.Episode4]:
    """A page of the episodes of one document, in order."""
    asked: PageQuery4 = call.query
    found = await episodes.of_document(
        call.services,
        call.access,
        _ref(call),
        call.path["document_id"],
        paging.size(asked) + 1,
        paging.after(asked),
    )
    return translate.episodes_page(asked, found)


def _log(found: Episode) -> wire.DebugLog4:
    at = found.processed_at
    said = [wire.DebugLogEntry4(level="info", message="stored", logged_at=found.received_at)]
    if found.failure is not None:
        failed = wire.DebugLogEntry4(
            level="error", message=found.failure, logged_at=found.received_at
        )
        return wire.DebugLog4(
            status="error",
            entries=[*said, failed],
            error=found.failure,
            started_at=found.received_at,
        )
    if at is None:
        return wire.DebugLog4(status="running", entries=said, started_at=found.received_at)
    said.append(wire.DebugLogEntry4(level="info", message="read", logged_at=at))
    return wire.DebugLog4(
        status="completed", entries=said, started_at=found.received_at, completed_at=at
    )


async def get_log(call: Call) -> wire.DebugLog4:
    """How far the reading of an episode is, and why it failed if it did."""
    uuid = call.path["episode_uuid"]
    found = await episodes.get_in(call.services, call.access, _ref(call), uuid)
    return _log(found.value)


def _output(found: Found) -> wire.IngestionOutput4:
    return wire.IngestionOutput4(
        extracted_nodes=[
            wire.IngestionNode4(
                name=entity.name,
                labels=["Entity", entity.label] if entity.label else ["Entity"],
                summary=entity.summary,
                attributes=entity.attributes,
            )
            for entity in found.entities
        ],
        extracted_edges=[shaped(wire.IngestionEdge4, fact) for fact in found.facts],
    )


async def list_traces(call: Call) -> Page4[wire.IngestionTrace4]:
    """What was found in an episode before it met the graph, once it was read."""
    uuid = call.path["episode_uuid"]
    episode, found = await episodes.reading(call.services, call.access, _ref(call), uuid)
    if found is None:
        return Page4(items=[], total_size=0)
    hidden: dict[str, Any] = {}
    if call.access_for("graph.node.get") is None:
        hidden["extracted_nodes"] = []
    if call.access_for("graph.edge.get") is None:
        hidden["extracted_edges"] = []
    trace = wire.IngestionTrace4(
        uuid=episode.uuid,
        step="combined_extraction",
        status="recorded",
        input=wire.IngestionInput4(episode_content=episode.content),
        output=replace(_output(found), **hidden),
        created_at=episode.received_at,
    )
    return Page4(items=[trace], total_size=1)


ROUTES = [
    Route(
        "POST",
        "/graphs/{graph_uuid}/episodes",
        "graph.add",
        add,
        "Add data to a graph",
        body=wire.AddEpisode4,
        answer=wire.AddedEpisode4,
    ),
    Route(
        "POST",
        "/graphs/{graph_uuid}/episodes/list",
        "graph.episode.list",
        list_all,
        "Page through the episodes of a graph",
        body=filters.ListEpisodes4,
        query=wire.EpisodesQuery4,
        reads=True,
    ),
    Route(
        "GET",
        "/graphs/{graph_uuid}/documents/{document_id}/episodes",
        "graph.get_episodes_for_document",
        of_document,
        "List the episodes of a document",
        query=PageQuery4,
    ),
    Route(
        "GET",
        "/graphs/{graph_uuid}/episodes/{episode_uuid}",
        "graph.episode.get",
        get,
        "Get an episode",
    ),
    Route(
        "PATCH",
        "/graphs/{graph_uuid}/episodes/{episode_uuid}",
        "graph.episode.update",
        update,
        "Update an episode's metadata",
        body=threads.UpdateMetadata4,
        answer=wire.Episode4,
        shows="graph.episode.get",
    ),
    Route(
        "DELETE",
        "/graphs/{graph_uuid}/episodes/{episode_uuid}",
        "graph.episode.delete",
        delete,
        "Delete an episode",
        answer=tasks.TaskAnswer4,
    ),
    Route(
        "GET",
        "/graphs/{graph_uuid}/episodes/{episode_uuid}/debug-logs",
        "graph.episode.get",
        get_log,
        "Tell how the reading of an episode went",
    ),
    Route(
        "GET",
        "/graphs/{graph_uuid}/episodes/{episode_uuid}/ingestion-traces",
        "graph.episode.get",
        list_traces,
        "Tell what was read out of an episode",
        query=PageQuery4,
    ),
]
