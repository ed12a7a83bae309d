"""Reading the log, and the few changes an episode allows: its metadata, and its end."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from recollect.errors import NotFound
from recollect.governance import erasure, policies
from recollect.governance.erasure import Mode, Removed
from recollect.graph import checks, written
from recollect.graph.sight import side
from recollect.graph.types import Access, Episode, Graph, Json, Thread
from recollect.limits import INTEGER_MAX
from recollect.store import index, readings, rows
from recollect.store.protocol import Row, Transaction
from recollect.subjects import seeing
from recollect.subjects.pages import Page, PageRequest, page_seen


def get(tx: Transaction, access: Access, uuid: str) -> Episode:
    """An episode by its uuid; one that a caller wrote as a fact says that fact."""
    row = tx.one("episode_by_uuid", uuid=uuid, project_id=access.project_id)
    found = seeing.episodes(access, [rows.episode(row)]) if row is not None else []
    if not found:
        raise NotFound(f"episode not found: {uuid}")
    if found[0].kind == "fact_triple":
        return replace(found[0], content=written.sentence(found[0].content))
    return found[0]


def as_stored(tx: Transaction, access: Access, uuid: str) -> Episode:
    """An episode as it was just written, for whoever wrote it: it tells them nothing new."""
    return get(tx, replace(access, sight=None), uuid)


def of_thread(tx: Transaction, access: Access, thread: Thread, uuid: str) -> Episode:
    """A message of one thread."""
    episode = get(tx, access, uuid)
    if episode.thread_id != thread.thread_id:
        raise NotFound(f"message not found: {uuid}")
    return episode


def update_metadata(tx: Transaction, access: Access, uuid: str, change: Json) -> Episode:
    """Merge *change* into an episode's metadata; a null takes a key away."""
    episode = get(tx, access, uuid)
    merged = checks.episode_metadata("metadata", checks.merge(episode.metadata, change))
    tx.run("episode_set_metadata", id=episode.id, metadata=rows.to_json(merged))
    index.touch(tx, episode.graph_id, "episode", [episode.id])
    keys = policies.guarded(tx, access.project_id)
    if not keys.isdisjoint(change):
        # Whom it names, and what it says again or ends, depends on what policies guard.
        tx.run("reading_set_side", episode_id=episode.id, side=side(merged, keys))
        readings.fold_again(tx, episode.graph_id, episode.seq)
    return as_stored(tx, access, uuid)


def update_message(tx: Transaction, access: Access, uuid: str, change: Json) -> Episode:
    """The same for an episode that is a message of some thread."""
    if get(tx, access, uuid).thread_id is None:
        raise NotFound(f"message not found: {uuid}")
    return update_metadata(tx, access, uuid, change)


def delete(tx: Transaction, access: Access, uuid: str, mode: Mode = "delete") -> Removed:
    """Erase one episode, and what rested on it alone."""
    return erasure.forget_episodes(tx, [get(tx, access, uuid).id], mode)


def _first(tx: Transaction, access: Access, limit: int, query: str, **params: Any) -> list[Episode]:
    """The first episodes of a query that may be seen."""
    return seeing.first(
        access,
        lambda several: [rows.episode(row) for row in tx.all(query, limit=several, **params)],
        lambda found: seeing.episodes(access, found),
        limit,
    )


def last(tx: Transaction, access: Access, graph: Graph, limit: int) -> list[Episode]:
    """The newest episodes of a graph, newest first."""
    return _first(tx, access, limit, "episodes_last", graph_id=graph.id)


def by_ids(tx: Transaction, access: Access, graph: Graph, ids: Sequence[int]) -> list[Episode]:
    """Those episodes of a graph that have one of the row ids."""
    found = tx.all("episodes_by_ids", ids=rows.to_json(list(ids)))
    known = [rows.episode(row) for row in found if row["graph_id"] == graph.id]
    return seeing.episodes(access, known)


def by_uuids(tx: Transaction, access: Access, graph: Graph, uuids: list[str]) -> list[Episode]:
    """Those of *uuids* that are in the graph, in the order given."""
    found = tx.all("episodes_by_uuids", graph_id=graph.id, uuids=rows.to_json(uuids))
    told = seeing.episodes(access, [rows.episode(row) for row in found])
    known = {episode.uuid: episode for episode in told}
    return [known[uuid] for uuid in uuids if uuid in known]


def of_document(
    tx: Transaction, access: Access, graph: Graph, document_id: str, limit: int, after: int = 0
) -> list[Episode]:
    """The first episodes of one document past a place in the log, in order."""
    params = {"graph_id": graph.id, "document_id": document_id, "after": after}
    return _first(tx, access, limit, "episodes_of_document", **params)


def page(
    tx: Transaction,
    access: Access,
    graph: Graph,
    request: PageRequest,
    mentioned: list[str] | None,
    among: Sequence[int] | None = None,
) -> Page[Episode]:
    """Episodes of a graph, page by page, those mentioning any of *mentioned* if given, and of
    *among* if given."""
    known = _nodes_seen(tx, access, graph, mentioned)
    params = {"graph_id": graph.id, "mentioned": rows.to_json(known)}

    def read(bounds: dict[str, Any]) -> list[Row]:
        if among is None:
            return tx.all("episodes_page", order=request.order, **params, **bounds)
        listed = rows.to_json(list(among))
        return tx.all("episodes_page_among", order=request.order, ids=listed, **params, **bounds)

    def tell(found: list[Row]) -> dict[int, Episode]:
        told = seeing.episodes(access, [rows.episode(row) for row in found])
        return {one.id: one for one in told}

    return page_seen(read, request, tell, narrowing=access.sight is not None)


def _nodes_seen(
    tx: Transaction, access: Access, graph: Graph, uuids: list[str] | None
) -> list[str] | None:
    """Without the uuids of nodes that may not be seen: nothing is found by them."""
    if access.sight is None or uuids is None:
        return uuids
    found = tx.all("entities_by_uuids", graph_id=graph.id, uuids=rows.to_json(uuids))
    seen = seeing.ids(tx, access, "entity", [row["id"] for row in found])
    hidden = {row["uuid"] for row in found if row["id"] not in seen}
    return [uuid for uuid in uuids if uuid not in hidden]


def messages(
    tx: Transaction, access: Access, thread: Thread, *, limit: int, offset: int
) -> list[Episode]:
    """Messages of a thread in order, ignored roles included."""
    query, params = "episodes_of_thread", {"thread_id": thread.id, "ignored": True, "after": 0}
    if access.sight is None:
        return _first(tx, access, limit, query, offset=offset, **params)
    most = min(limit + offset, message_count(tx, access, thread))
    return _first(tx, access, most, query, offset=0, **params)[offset:]


def messages_past(
    tx: Transaction, access: Access, thread: Thread, limit: int, after: int
) -> list[Episode]:
    """Messages of a thread past a place in the log, in order, ignored roles included."""
    params = {"thread_id": thread.id, "ignored": True, "after": after, "offset": 0}
    return _first(tx, access, limit, "episodes_of_thread", **params)


def last_messages(
    tx: Transaction, access: Access, thread: Thread, count: int, before: int = INTEGER_MAX
) -> list[Episode]:
    """The newest messages of a thread before a place in the log, oldest first."""
    params = {"thread_id": thread.id, "before": before}
    return _first(tx, access, count, "episodes_of_thread_last", **params)[::-1]


def with_last_said(tx: Transaction, access: Access, found: Sequence[Thread]) -> list[Thread]:
    """The threads, updated when the last message was said that whoever asks may see."""
    told = []
    for thread in found:
        said = [message.created_at for message in last_messages(tx, access, thread, 1)]
        told.append(replace(thread, updated_at=max([thread.updated_at, *said])))
    return told


def message_count(tx: Transaction, access: Access, thread: Thread) -> int:
    """How many messages a thread has."""
    if access.sight is not None:
        return len(seeing.carriers(access, tx.all("messages_of_thread", thread_id=thread.id)))
    row = tx.one("episodes_of_thread_count", thread_id=thread.id)
    return row["n"] if row else 0


def in_graph_of_thread(
    tx: Transaction, access: Access, thread: Thread, limit: int, after: int = 0
) -> list[Episode]:
    """The episodes a thread gave to its graph past a place in the log, in order."""
    params = {"thread_id": thread.id, "ignored": False, "after": after, "offset": 0}
    return _first(tx, access, limit, "episodes_of_thread", **params)
