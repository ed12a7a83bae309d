"""Reads the log, and makes the few changes an episode allows: to its metadata, and deletion."""

from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from recollect.derive import readings
from recollect.errors import NotFound
from recollect.governance import erasure, policies
from recollect.governance.erasure import Mode, Removed
from recollect.graph import checks
from recollect.graph.found import triple_sentence
from recollect.graph.types import Access, Episode, Graph, Json, Thread
from recollect.graph.visibility import side
from recollect.limits import INTEGER_MAX
from recollect.records import seeing
from recollect.records.pages import Page, PageRequest, page_seen
from recollect.store import index, rows
from recollect.store.protocol import Transaction
from recollect.store.queries.shapes import ThreadedEpisodeRow
from recollect.store.statements import Keyed


def get(tx: Transaction, access: Access, uuid: str) -> Episode:
    """An episode by its uuid; one that a caller wrote as a fact shows that fact's sentence."""
    row = tx.episodes.by_uuid(uuid=uuid, project_id=access.project_id)
    found = seeing.episodes(access, [rows.episode(row)]) if row is not None else []
    if not found:
        raise NotFound(f"episode not found: {uuid}")
    if found[0].kind == "fact_triple":
        return replace(found[0], content=triple_sentence(found[0].content))
    return found[0]


def as_stored(tx: Transaction, access: Access, uuid: str) -> Episode:
    """An episode just written, for its author, regardless of visibility: it reveals nothing new to them."""
    return get(tx, replace(access, visibility=None), uuid)


def of_thread(tx: Transaction, access: Access, thread: Thread, uuid: str) -> Episode:
    """A message of one thread."""
    episode = get(tx, access, uuid)
    if episode.thread_id != thread.thread_id:
        raise NotFound(f"message not found: {uuid}")
    return episode


def update_metadata(tx: Transaction, access: Access, uuid: str, change: Json) -> Episode:
    """Merge *change* into an episode's metadata; null removes a key."""
    episode = get(tx, access, uuid)
    merged = checks.episode_metadata("metadata", checks.merge(episode.metadata, change))
    tx.episodes.set_metadata(id=episode.id, metadata=rows.to_json(merged))
    index.touch(tx, episode.graph_id, "episode", [episode.id])
    keys = policies.guarded(tx, access.project_id)
    if not keys.isdisjoint(change):
        # Which entities it names, and what it repeats or ends, depends on its side.
        tx.readings.set_side(episode_id=episode.id, side=side(merged, keys))
        readings.fold_again(tx, episode.graph_id, episode.seq)
    return as_stored(tx, access, uuid)


def update_message(tx: Transaction, access: Access, uuid: str, change: Json) -> Episode:
    """The same for an episode that is a message of a thread."""
    if get(tx, access, uuid).thread_id is None:
        raise NotFound(f"message not found: {uuid}")
    return update_metadata(tx, access, uuid, change)


def delete(tx: Transaction, access: Access, uuid: str, mode: Mode = "delete") -> Removed:
    """Erase one episode, and what rested on it alone."""
    return erasure.forget_episodes(tx, [get(tx, access, uuid).id], mode)


def _first(
    access: Access, limit: int, read: Callable[..., list[ThreadedEpisodeRow]], **params: Any
) -> list[Episode]:
    """The first visible episodes of a query."""
    return seeing.first(
        access,
        lambda several: [rows.episode(row) for row in read(limit=several, **params)],
        lambda found: seeing.episodes(access, found),
        limit,
    )


def last(tx: Transaction, access: Access, graph: Graph, limit: int) -> list[Episode]:
    """The newest episodes of a graph, newest first."""
    return _first(access, limit, tx.episodes.last, graph_id=graph.id)


def by_ids(tx: Transaction, access: Access, graph: Graph, ids: Sequence[int]) -> list[Episode]:
    """The episodes of a graph with these row ids."""
    found = tx.episodes.by_ids(ids=rows.to_json(list(ids)))
    known = [rows.episode(row) for row in found if row.graph_id == graph.id]
    return seeing.episodes(access, known)


def by_uuids(tx: Transaction, access: Access, graph: Graph, uuids: list[str]) -> list[Episode]:
    """Those of *uuids* that are in the graph, in the order given."""
    found = tx.episodes.by_uuids(graph_id=graph.id, uuids=rows.to_json(uuids))
    told = seeing.episodes(access, [rows.episode(row) for row in found])
    known = {episode.uuid: episode for episode in told}
    return [known[uuid] for uuid in uuids if uuid in known]


def of_document(
    tx: Transaction, access: Access, graph: Graph, document_id: str, limit: int, after: int = 0
) -> list[Episode]:
    """The first episodes of a document after a place in the log, in order."""
    params = {"graph_id": graph.id, "document_id": document_id, "after": after}
    return _first(access, limit, tx.episodes.of_document, **params)


def page(
    tx: Transaction,
    access: Access,
    graph: Graph,
    request: PageRequest,
    mentioned: list[str] | None,
    among: Sequence[int] | None = None,
) -> Page[Episode]:
    """A page of a graph's episodes.

    Optionally only those that mention any of *mentioned*, and only those in *among*.
    """
    known = _nodes_seen(tx, access, graph, mentioned)
    params: dict[str, Any] = {"graph_id": graph.id, "mentioned": rows.to_json(known)}

    def read(bounds: dict[str, Any]) -> list[Keyed[ThreadedEpisodeRow]]:
        if among is None:
            return tx.episodes.page(order=request.order, **params, **bounds)
        listed = rows.to_json(list(among))
        return tx.episodes.page_among(order=request.order, ids=listed, **params, **bounds)

    def tell(found: list[ThreadedEpisodeRow]) -> dict[int, Episode]:
        told = seeing.episodes(access, [rows.episode(row) for row in found])
        return {one.id: one for one in told}

    return page_seen(read, request, tell, narrowing=access.visibility is not None)


def _nodes_seen(
    tx: Transaction, access: Access, graph: Graph, uuids: list[str] | None
) -> list[str] | None:
    """Without the uuids of hidden nodes: they match nothing."""
    if access.visibility is None or uuids is None:
        return uuids
    found = tx.entities.by_uuids(graph_id=graph.id, uuids=rows.to_json(uuids))
    seen = seeing.ids(tx, access, "entity", [row.id for row in found])
    hidden = {row.uuid for row in found if row.id not in seen}
    return [uuid for uuid in uuids if uuid not in hidden]


def messages(
    tx: Transaction, access: Access, thread: Thread, *, limit: int, offset: int
) -> list[Episode]:
    """Messages of a thread in order, including ignored roles."""
    read, params = tx.episodes.of_thread, {"thread_id": thread.id, "ignored": True, "after": 0}
    if access.visibility is None:
        return _first(access, limit, read, offset=offset, **params)
    most = min(limit + offset, message_count(tx, access, thread))
    return _first(access, most, read, offset=0, **params)[offset:]


def messages_past(
    tx: Transaction, access: Access, thread: Thread, limit: int, after: int
) -> list[Episode]:
    """Messages of a thread after a place in the log, in order, including ignored roles."""
    params = {"thread_id": thread.id, "ignored": True, "after": after, "offset": 0}
    return _first(access, limit, tx.episodes.of_thread, **params)


def last_messages(
    tx: Transaction, access: Access, thread: Thread, count: int, before: int = INTEGER_MAX
) -> list[Episode]:
    """The newest messages of a thread before a place in the log, oldest first."""
    params = {"thread_id": thread.id, "before": before}
    return _first(access, count, tx.episodes.of_thread_last, **params)[::-1]


def with_last_said(tx: Transaction, access: Access, found: Sequence[Thread]) -> list[Thread]:
    """The threads, with the time of their last visible message as `updated_at`."""
    told = []
    for thread in found:
        said = [message.created_at for message in last_messages(tx, access, thread, 1)]
        told.append(replace(thread, updated_at=max([thread.updated_at, *said])))
    return told


def message_count(tx: Transaction, access: Access, thread: Thread) -> int:
    """The number of visible messages of a thread."""
    if access.visibility is not None:
        return len(seeing.carriers(access, tx.episodes.messages_of_thread(thread_id=thread.id)))
    row = tx.episodes.of_thread_count(thread_id=thread.id)
    return row or 0


def in_graph_of_thread(
    tx: Transaction, access: Access, thread: Thread, limit: int, after: int = 0
) -> list[Episode]:
    """The episodes a thread contributed to its graph after a place in the log, in order."""
    params = {"thread_id": thread.id, "ignored": False, "after": after, "offset": 0}
    return _first(access, limit, tx.episodes.of_thread, **params)
