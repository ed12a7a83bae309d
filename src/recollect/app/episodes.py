"""Episodes: reading, paging, metadata, deletion, and what was extracted from one."""

from recollect.app import graphs, refs, tasks
from recollect.app.idempotency import Done, repeatable
from recollect.app.refs import GraphRef, InGraph, OwnedGraph
from recollect.app.services import Services
from recollect.app.tasks import Tracked
from recollect.app.threads import log_position
from recollect.app.units import glances, reads, writes
from recollect.derive import readings
from recollect.graph.filters import Filters
from recollect.graph.found import Found
from recollect.graph.types import Access, Episode, Fact, Json
from recollect.records import episodes, erasing, knowledge, listing, lookups
from recollect.records.listing import ListedEntity
from recollect.records.pages import Page, PageRequest
from recollect.store.protocol import Transaction

get = glances(episodes.get)


@glances
def get_in(tx: Transaction, access: Access, ref: GraphRef, uuid: str) -> InGraph[Episode]:
    """An episode of one graph."""
    where, found = _one(tx, access, ref, uuid)
    return InGraph(where=where, value=found, thread_uuids=lookups.threads_of(tx, access, [found]))


def _one(tx: Transaction, access: Access, ref: GraphRef, uuid: str) -> tuple[OwnedGraph, Episode]:
    where = refs.graph(tx, access, ref)
    found = episodes.get(tx, access, uuid)
    refs.require_within(where, found.graph_id, "episode", found.uuid)
    return where, found


update = writes(episodes.update_metadata)


@repeatable
def update_in(
    tx: Transaction, access: Access, ref: GraphRef, uuid: str, metadata: Json
) -> Done[InGraph[Episode]]:
    """Merge metadata into that of an episode of one graph."""
    where, found = _one(tx, access, ref, uuid)
    made = episodes.update_metadata(tx, access, found.uuid, metadata)
    said_in = lookups.threads_of(tx, access, [made])
    shown = InGraph(where=where, value=made, thread_uuids=said_in)
    return Done(value=shown, graph_id=where.graph.id, made=made)


async def delete(services: Services, access: Access, uuid: str) -> None:
    """Delete an episode, and what only it supported."""
    await services.store.write(episodes.delete, access, uuid)
    services.store.scrub_soon()


@repeatable
def erase_in(tx: Transaction, access: Access, ref: GraphRef, uuid: str) -> Done[Tracked]:
    """Delete an episode of one graph, with a receipt; the task completes once the files are wiped."""
    _, found = _one(tx, access, ref, uuid)
    erased = erasing.episode(tx, access, found.uuid, "delete")
    task = tasks.of_write(tx, access, erased.uuid, "graph.episode.delete")
    return Done(value=task, made=erased, erased=erased)


@reads
def last(tx: Transaction, access: Access, ref: GraphRef, limit: int) -> list[Episode]:
    """The newest episodes of a graph, newest first."""
    return episodes.last(tx, access, refs.graph(tx, access, ref).graph, limit)


async def page(
    services: Services,
    access: Access,
    ref: GraphRef,
    request: PageRequest,
    mentioned: list[str] | None,
    filters: Filters,
) -> InGraph[Page[Episode]]:
    """A page of a graph's episodes; if *mentioned* is given, only those that mention one of them."""
    among = await graphs.matching(services, access, ref, "episode", filters)
    return await services.store.read(_page, access, ref, request, mentioned, among)


def _page(
    tx: Transaction,
    access: Access,
    ref: GraphRef,
    request: PageRequest,
    mentioned: list[str] | None,
    among: list[int] | None,
) -> InGraph[Page[Episode]]:
    where = refs.graph(tx, access, ref)
    found = episodes.page(tx, access, where.graph, request, mentioned, among)
    said_in = lookups.threads_of(tx, access, found.items)
    return InGraph(where=where, value=found, thread_uuids=said_in)


@reads
def of_document(
    tx: Transaction,
    access: Access,
    ref: GraphRef,
    document_id: str,
    limit: int,
    after: str | None = None,
) -> InGraph[list[Episode]]:
    """The next episodes of a document after the episode *after*, in order."""
    where = refs.graph(tx, access, ref)
    position = log_position(tx, access, after) or 0
    found = episodes.of_document(tx, access, where.graph, document_id, limit, position)
    said_in = lookups.threads_of(tx, access, found)
    return InGraph(where=where, value=found, thread_uuids=said_in)


@reads
def mentions(
    tx: Transaction, access: Access, uuid: str, limit: int
) -> tuple[list[ListedEntity], list[Fact]]:
    """The entities and facts extracted from an episode."""
    entities, facts = knowledge.mentions(tx, access, episodes.get(tx, access, uuid), limit)
    return listing.with_episodes(tx, access, entities), facts


@reads
def reading(
    tx: Transaction, access: Access, ref: GraphRef, uuid: str
) -> tuple[Episode, Found | None]:
    """An episode and its reading (None until it was read), before that was folded into the graph."""
    _, episode = _one(tx, access, ref, uuid)
    kept = readings.of_episode(tx, episode.id)
    return episode, None if kept is None else kept.found
