"""Entities and facts: reading, paging, correcting, deleting, traversing. Observations and summaries are
read-only.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from msgspec import UnsetType
from msgspec.structs import replace

from recollect.app import embedding, graphs, refs, tasks
from recollect.app.idempotency import Done, Once, repeatable, write
from recollect.app.refs import GraphRef, InGraph, OwnedGraph, ThreadRef
from recollect.app.services import Services
from recollect.app.tasks import Tracked
from recollect.app.units import glances, reads
from recollect.graph.filters import Filters
from recollect.graph.types import (
    Access,
    DocumentSummary,
    Entity,
    Episode,
    Fact,
    Graph,
    Observation,
    Record,
    ThreadSummary,
)
from recollect.records import derived, erasing, knowledge, listing, lookups, walking
from recollect.records.knowledge import EntityChange, FactChange
from recollect.records.listing import ListedEntity
from recollect.records.pages import Page, PageRequest
from recollect.records.walking import Bound, Direction, Limits
from recollect.store.protocol import Transaction


class ListedNeighbour(Record):
    """An entity one hop away with its episodes, and the facts that join it to the start."""

    entity: ListedEntity
    facts: list[Fact]


class NeighbourPage(Record):
    """A page of neighbours; *truncated* if a bound cut some off."""

    page: Page[ListedNeighbour]
    truncated: bool


class ListedSubgraph(Record):
    """Part of a graph: both ends of every fact are among the entities."""

    entities: list[ListedEntity]
    facts: list[Fact]
    truncated_by: Bound | None


async def entities(
    services: Services, access: Access, ref: GraphRef, request: PageRequest, filters: Filters
) -> InGraph[Page[ListedEntity]]:
    """A page of a graph's entities."""
    among = await graphs.matching(services, access, ref, "entity", filters)
    return await services.store.read(_entities, access, ref, request, among)


def _entities(
    tx: Transaction, access: Access, ref: GraphRef, request: PageRequest, among: list[int] | None
) -> InGraph[Page[ListedEntity]]:
    where = refs.graph(tx, access, ref)
    return InGraph(where=where, value=listing.entities(tx, access, where.graph, request, among))


async def facts(
    services: Services, access: Access, ref: GraphRef, request: PageRequest, filters: Filters
) -> InGraph[Page[Fact]]:
    """A page of a graph's facts."""
    among = await graphs.matching(services, access, ref, "fact", filters)
    return await services.store.read(_facts, access, ref, request, among)


def _facts(
    tx: Transaction, access: Access, ref: GraphRef, request: PageRequest, among: list[int] | None
) -> InGraph[Page[Fact]]:
    where = refs.graph(tx, access, ref)
    return InGraph(where=where, value=knowledge.facts_page(tx, access, where.graph, request, among))


@reads
def facts_holding(tx: Transaction, access: Access, ref: GraphRef, limit: int) -> list[Fact]:
    """The facts of a graph that hold now."""
    return knowledge.facts_holding(tx, access, refs.graph(tx, access, ref).graph, limit)


@reads
def facts_of_thread(
    tx: Transaction, access: Access, ref: ThreadRef, rating_min: float | None, limit: int
) -> list[Fact]:
    """The facts that a thread's messages state, newest first."""
    thread = refs.thread(tx, access, ref)
    return knowledge.facts_of_thread(tx, access, thread, rating_min, limit)


@glances
def entity(tx: Transaction, access: Access, uuid: str) -> ListedEntity:
    """An entity by its uuid."""
    return _listed(tx, access, knowledge.entity(tx, access, uuid))


def _listed(tx: Transaction, access: Access, found: Entity) -> ListedEntity:
    (listed,) = listing.with_episodes(tx, access, [found])
    return listed


@glances
def entity_in(tx: Transaction, access: Access, ref: GraphRef, uuid: str) -> InGraph[ListedEntity]:
    """An entity of one graph."""
    where, found = _find_entity(tx, access, ref, uuid)
    return InGraph(where=where, value=_listed(tx, access, found))


def _find_entity(
    tx: Transaction, access: Access, ref: GraphRef, uuid: str
) -> tuple[OwnedGraph, Entity]:
    where = refs.graph(tx, access, ref)
    found = knowledge.entity(tx, access, uuid)
    refs.require_within(where, found.graph_id, "node", found.uuid)
    return where, found


fact = reads(knowledge.fact)


async def fact_in(services: Services, access: Access, ref: GraphRef, uuid: str) -> InGraph[Fact]:
    """A fact of one graph."""
    return await services.store.read(_fact_in, access, ref, uuid)


def _fact_in(tx: Transaction, access: Access, ref: GraphRef, uuid: str) -> InGraph[Fact]:
    where = refs.graph(tx, access, ref)
    found = knowledge.fact(tx, access, uuid)
    refs.require_within(where, found.graph_id, "edge", found.uuid)
    return InGraph(where=where, value=found)


@reads
def facts_of_entity(tx: Transaction, access: Access, uuid: str, limit: int) -> list[Fact]:
    """The facts about an entity."""
    return knowledge.facts_of_entity(tx, access, knowledge.entity(tx, access, uuid), limit)


@reads
def episodes_of_entity(tx: Transaction, access: Access, uuid: str, limit: int) -> list[Episode]:
    """The episodes that mention an entity, newest first."""
    return knowledge.episodes_of_entity(tx, access, knowledge.entity(tx, access, uuid), limit)


with_episodes = reads(listing.with_episodes)


# ---------------------------------------------------------------- corrections


async def update_entity(
    services: Services, access: Access, uuid: str, change: EntityChange
) -> ListedEntity:
    """Correct an entity by hand."""
    made = await services.store.write(knowledge.update_entity, access, uuid, change)
    (listed,) = await with_episodes(services, access, [made])
    return listed


@repeatable
def update_entity_in(
    tx: Transaction, access: Access, ref: GraphRef, uuid: str, change: EntityChange
) -> Done[InGraph[ListedEntity]]:
    """Correct an entity of one graph by hand."""
    where, found = _find_entity(tx, access, ref, uuid)
    made = knowledge.update_entity(tx, access, found.uuid, change)
    shown = InGraph(where=where, value=_listed(tx, access, made))
    return Done(value=shown, graph_id=where.graph.id, made=made)


async def update_fact(services: Services, access: Access, uuid: str, change: FactChange) -> Fact:
    """Correct a fact by hand."""
    change = await _with_vector(services, change)
    return await services.store.write(knowledge.update_fact, access, uuid, change)


async def update_fact_in(
    services: Services,
    access: Access,
    ref: GraphRef,
    uuid: str,
    change: FactChange,
    *,
    once: Once | None = None,
) -> InGraph[Fact]:
    """Correct a fact of one graph by hand."""
    change = await _with_vector(services, change)
    return await write(services, access, once, _update_fact_in, ref, uuid, change)


async def _with_vector(services: Services, change: FactChange) -> FactChange:
    text = None if isinstance(change.fact, UnsetType) else change.fact
    return replace(change, vector=await embedding.sentence_vector(services, text))


def _update_fact_in(
    tx: Transaction, access: Access, ref: GraphRef, uuid: str, change: FactChange
) -> Done[InGraph[Fact]]:
    found = _fact_in(tx, access, ref, uuid)
    made = knowledge.update_fact(tx, access, found.value.uuid, change)
    return Done(value=replace(found, value=made), graph_id=found.where.graph.id, made=made)


async def delete_entity(services: Services, access: Access, uuid: str) -> None:
    """Delete an entity and the facts about it."""
    await services.store.write(knowledge.delete_entity, access, uuid)
    services.store.scrub_soon()


async def delete_fact(services: Services, access: Access, uuid: str) -> None:
    """Delete a fact; the entities it joined stay."""
    await services.store.write(knowledge.delete_fact, access, uuid)
    services.store.scrub_soon()


@repeatable
def erase_entity_in(tx: Transaction, access: Access, ref: GraphRef, uuid: str) -> Done[Tracked]:
    """Erase an entity of one graph and the facts about it, with a receipt."""
    _, found = _find_entity(tx, access, ref, uuid)
    erased = erasing.entity(tx, access, found.uuid)
    task = tasks.of_write(tx, access, erased.uuid, "graph.node.delete")
    return Done(value=task, made=erased, erased=erased)


@repeatable
def erase_fact_in(tx: Transaction, access: Access, ref: GraphRef, uuid: str) -> Done[Tracked]:
    """Erase a fact of one graph, with a receipt."""
    found = _fact_in(tx, access, ref, uuid).value
    erased = erasing.fact(tx, access, found.uuid)
    task = tasks.of_write(tx, access, erased.uuid, "graph.edge.delete")
    return Done(value=task, made=erased, erased=erased)


# ---------------------------------------------------------------- walks


@reads
def neighbours(
    tx: Transaction,
    access: Access,
    ref: GraphRef | None,
    uuid: str,
    request: PageRequest,
    direction: Direction,
    filters: Filters,
) -> InGraph[NeighbourPage]:
    """A page of the distinct entities that facts join to an entity; without *ref*, in its own graph."""
    if ref is None:
        ref = GraphRef(uuid=knowledge.entity(tx, access, uuid).graph_uuid)
    where, start = _find_entity(tx, access, ref, uuid)
    found = walking.neighbours(tx, access, start, request, direction, filters)
    near = found.page.items
    listed = listing.with_episodes(tx, access, [one.entity for one in near])
    items = [
        ListedNeighbour(entity=e, facts=one.facts) for e, one in zip(listed, near, strict=True)
    ]
    page = Page(items=items, next_cursor=found.page.next_cursor)
    return InGraph(where=where, value=NeighbourPage(page=page, truncated=found.truncated))


@reads
def subgraph(
    tx: Transaction,
    access: Access,
    ref: GraphRef,
    seeds: list[str],
    direction: Direction,
    limits: Limits,
    filters: Filters,
) -> InGraph[ListedSubgraph]:
    """The subgraph around some entities, breadth first, within limits."""
    where = refs.graph(tx, access, ref)
    found = walking.subgraph(tx, access, where.graph, seeds, direction, limits, filters)
    listed = listing.with_episodes(tx, access, found.entities)
    shown = ListedSubgraph(entities=listed, facts=found.facts, truncated_by=found.truncated_by)
    return InGraph(where=where, value=shown)


T = TypeVar("T")
_Reader = Callable[[Transaction, Access, Graph, PageRequest, Filters], Page[T]]


observation = reads(derived.observation)


@reads
def observation_in(
    tx: Transaction, access: Access, ref: GraphRef, uuid: str
) -> InGraph[Observation]:
    """An observation of one graph."""
    where = refs.graph(tx, access, ref)
    found = derived.observation(tx, access, uuid)
    refs.require_within(where, found.graph_id, "observation", found.uuid)
    return InGraph(where=where, value=found)


async def observations(
    services: Services, access: Access, ref: GraphRef, request: PageRequest, filters: Filters
) -> InGraph[Page[Observation]]:
    """A page of a graph's observations."""
    reader = derived.observations_page
    return await services.store.read(_page, access, ref, reader, request, filters)


async def thread_summaries(
    services: Services, access: Access, ref: GraphRef, request: PageRequest, filters: Filters
) -> InGraph[Page[ThreadSummary]]:
    """A page of the summaries of a graph's threads."""
    reader = derived.thread_summaries_page
    return await services.store.read(_page, access, ref, reader, request, filters)


async def document_summaries(
    services: Services, access: Access, ref: GraphRef, request: PageRequest, filters: Filters
) -> InGraph[Page[DocumentSummary]]:
    """A page of the summaries of a graph's documents."""
    reader = derived.document_summaries_page
    return await services.store.read(_page, access, ref, reader, request, filters)


def _page(
    tx: Transaction,
    access: Access,
    ref: GraphRef,
    reader: _Reader[T],
    request: PageRequest,
    filters: Filters,
) -> InGraph[Page[T]]:
    where = refs.graph(tx, access, ref)
    page = reader(tx, access, where.graph, request, filters)
    items: list[Any] = page.items
    named = [item.thread_id for item in items if isinstance(item, ThreadSummary)]
    said_in = lookups.thread_uuids(tx, access, named) if named else {}
    return InGraph(where=where, value=page, thread_uuids=said_in)
