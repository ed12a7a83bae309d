"""Episodes of a graph: adding, reading, paging, metadata, deletion, and how their reading went."""

from recollect.api import once
from recollect.api.compat.zep4 import answers, paging, show, translate_filters
from recollect.api.compat.zep4.wire import filters, tasks, threads
from recollect.api.compat.zep4.wire import graphs as wire
from recollect.api.compat.zep4.wire.base import Page4, PageQuery4
from recollect.api.http import Reply
from recollect.api.once import Done
from recollect.api.router import Call, Route
from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.graph.types import Access, Episode, NewEpisode
from recollect.ingest import intake
from recollect.store.protocol import Transaction
from recollect.subjects import episodes, erasing
from recollect.subjects.lookups import Place
from recollect.subjects.pages import PageRequest

_ORDERS = ("uuid", "created_at")
_ANCHORS_MAX = 256


def _one(tx: Transaction, access: Access, path: dict[str, str]) -> tuple[Place, Episode]:
    where = answers.place(tx, access, path)
    found = episodes.get(tx, access, path["episode_uuid"])
    answers.within(where, found.graph_id, "episode", found.uuid)
    return where, found


def _add(tx: Transaction, access: Access, path: dict[str, str], new: NewEpisode) -> Done:
    where = answers.place(tx, access, path)
    receipt = intake.add_episodes(tx, access, where.user_id, where.graph_id, [new])
    stored = episodes.as_stored(tx, access, receipt.uuids[0])
    answer = wire.AddedEpisode4(
        episode=show.episode(where, stored, {}),
        task=answers.task(tx, access, receipt.task_uuid, "graph.add"),
    )
    return Done(answer=answer, graph_id=where.graph.id, made=stored)


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
    )
    intake.check_episode("", new)
    return await once.write(call, _add, call.path, new)


def _get(tx: Transaction, access: Access, path: dict[str, str]) -> wire.Episode4:
    where, found = _one(tx, access, path)
    return show.episodes(tx, access, where, [found])[0]


async def get(call: Call) -> wire.Episode4:
    """An episode by uuid."""
    return await call.services.store.glance(_get, call.access, call.path)


def _update(
    tx: Transaction, access: Access, path: dict[str, str], sent: threads.UpdateMetadata4
) -> Done:
    where, found = _one(tx, access, path)
    made = episodes.update_metadata(tx, access, found.uuid, sent.metadata)
    (answer,) = show.episodes(tx, access, where, [made])
    return Done(answer=answer, graph_id=where.graph.id, made=made)


async def update(call: Call) -> Reply:
    """Merge metadata into an episode's."""
    return await once.write(call, _update, call.path, call.body)


def _delete(tx: Transaction, access: Access, path: dict[str, str]) -> Done:
    _, found = _one(tx, access, path)
    erased = erasing.episode(tx, access, found.uuid, "delete")
    task = answers.task(tx, access, erased.uuid, "graph.episode.delete")
    return Done(answer=tasks.TaskAnswer4(task=task), erased=erased)


async def delete(call: Call) -> Reply:
    """Forget an episode, and what rested on it alone; the task ends when the files are wiped."""
    return await once.write(call, _delete, call.path)


def _page(
    tx: Transaction,
    access: Access,
    path: dict[str, str],
    request: PageRequest,
    mentioned: list[str] | None,
    among: list[int] | None,
) -> Page4[wire.Episode4]:
    where = answers.place(tx, access, path)
    page = episodes.page(tx, access, where.graph, request, mentioned, among)
    items = show.episodes(tx, access, where, page.items)
    return Page4(items=items, next_cursor=page.next_cursor)


async def list_all(call: Call) -> Page4[wire.Episode4]:
    """A page of a graph's episodes."""
    sent: filters.ListEpisodes4 = call.body
    chosen = sent.filters or filters.EpisodeListFilters4()
    if len(chosen.mentioned_node_uuids or ()) > _ANCHORS_MAX:
        raise InvalidInput(f"filters.mentioned_node_uuids: at most {_ANCHORS_MAX}")
    narrowed = translate_filters.filters(chosen)
    request = paging.graph_page(call.query, _ORDERS)
    among = await answers.matching(call, "episode", narrowed)
    return await call.services.store.read(
        _page, call.access, call.path, request, chosen.mentioned_node_uuids, among
    )


def _of_document(
    tx: Transaction, access: Access, path: dict[str, str], asked: PageQuery4
) -> Page4[wire.Episode4]:
    where = answers.place(tx, access, path)
    after, most = answers.place_after(tx, access, asked) or 0, paging.size(asked) + 1
    found = episodes.of_document(tx, access, where.graph, path["document_id"], most, after)
    told, following = paging.past(asked, found)
    return Page4(items=show.episodes(tx, access, where, told), next_cursor=following)


async def of_document(call: Call) -> Page4[wire.Episode4]:
    """A page of the episodes of one document, in order."""
    return await call.services.store.read(_of_document, call.access, call.path, call.query)


def _log(tx: Transaction, access: Access, path: dict[str, str]) -> wire.DebugLog4:
    _, found = _one(tx, access, path)
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
    return await call.services.store.glance(_log, call.access, call.path)


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
        answer=Page4[wire.Episode4],
        reads=True,
    ),
    Route(
        "GET",
        "/graphs/{graph_uuid}/documents/{document_id}/episodes",
        "graph.get_episodes_for_document",
        of_document,
        "List the episodes of a document",
        query=PageQuery4,
        answer=Page4[wire.Episode4],
    ),
    Route(
        "GET",
        "/graphs/{graph_uuid}/episodes/{episode_uuid}",
        "graph.episode.get",
        get,
        "Get an episode",
        answer=wire.Episode4,
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
        answer=wire.DebugLog4,
    ),
]
