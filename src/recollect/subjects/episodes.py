"""Reading the log, and the few changes an episode allows: its metadata, and its end."""

from collections.abc import Sequence

from recollect.errors import NotFound
from recollect.governance import erasure
from recollect.graph import checks
from recollect.graph.types import Access, Episode, Graph, Json, Thread
from recollect.store import index, rows
from recollect.store.protocol import Transaction
from recollect.subjects.pages import Page, PageRequest, page_of


def get(tx: Transaction, access: Access, uuid: str) -> Episode:
    """An episode by its uuid."""
    row = tx.one("episode_by_uuid", uuid=uuid, project_id=access.project_id)
    if row is None:
        raise NotFound(f"episode not found: {uuid}")
    return rows.episode(row)


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
    return get(tx, access, uuid)


def update_message(tx: Transaction, access: Access, uuid: str, change: Json) -> Episode:
    """The same for an episode that is a message of some thread."""
    if get(tx, access, uuid).thread_id is None:
        raise NotFound(f"message not found: {uuid}")
    return update_metadata(tx, access, uuid, change)


def delete(tx: Transaction, access: Access, uuid: str) -> None:
    """Forget one episode, and what rested on it alone."""
    erasure.forget_episodes(tx, [get(tx, access, uuid).id])


def last(tx: Transaction, graph: Graph, limit: int) -> list[Episode]:
    """The newest episodes of a graph, newest first."""
    found = tx.all("episodes_last", graph_id=graph.id, limit=limit)
    return [rows.episode(row) for row in found]


def by_ids(tx: Transaction, graph: Graph, ids: Sequence[int]) -> list[Episode]:
    """Those episodes of a graph that have one of the row ids."""
    found = tx.all("episodes_by_ids", ids=rows.to_json(list(ids)))
    return [rows.episode(row) for row in found if row["graph_id"] == graph.id]


def by_uuids(tx: Transaction, graph: Graph, uuids: list[str]) -> list[Episode]:
    """Those of *uuids* that are in the graph, in the order given."""
    found = tx.all("episodes_by_uuids", graph_id=graph.id, uuids=rows.to_json(uuids))
    known = {row["uuid"]: rows.episode(row) for row in found}
    return [known[uuid] for uuid in uuids if uuid in known]


def of_document(tx: Transaction, graph: Graph, document_id: str, limit: int) -> list[Episode]:
    """The first episodes of one document, in order."""
    found = tx.all("episodes_of_document", graph_id=graph.id, document_id=document_id, limit=limit)
    return [rows.episode(row) for row in found]


def page(
    tx: Transaction, graph: Graph, request: PageRequest, mentioned: list[str] | None
) -> Page[Episode]:
    """Episodes of a graph, page by page, those mentioning any of *mentioned* if given."""
    found = tx.all(
        "episodes_page",
        order=request.order,
        graph_id=graph.id,
        mentioned=rows.to_json(mentioned),
        **request.bounds(),
    )
    return page_of(found, request, rows.episode)


def messages(tx: Transaction, thread: Thread, *, limit: int, offset: int) -> list[Episode]:
    """Messages of a thread in order, ignored roles included."""
    found = tx.all(
        "episodes_of_thread", thread_id=thread.id, ignored=True, limit=limit, offset=offset
    )
    return [rows.episode(row) for row in found]


def last_messages(tx: Transaction, thread: Thread, count: int) -> list[Episode]:
    """The newest messages of a thread, oldest first."""
    found = tx.all("episodes_of_thread_last", thread_id=thread.id, limit=count)
    return [rows.episode(row) for row in reversed(found)]


def message_count(tx: Transaction, thread: Thread) -> int:
    """How many messages a thread has."""
    row = tx.one("episodes_of_thread_count", thread_id=thread.id)
    return row["n"] if row else 0


def in_graph_of_thread(tx: Transaction, thread: Thread, limit: int) -> list[Episode]:
    """The episodes a thread gave to its graph, in order."""
    found = tx.all("episodes_of_thread", thread_id=thread.id, ignored=False, limit=limit, offset=0)
    return [rows.episode(row) for row in found]
