"""Observations and summaries of threads and documents: reading and paging. None can be written."""

from collections.abc import Callable
from typing import Any, TypeVar

from recollect.app import refs
from recollect.app.refs import GraphRef, InGraph
from recollect.app.services import Services
from recollect.app.units import reads
from recollect.graph.filters import Filters
from recollect.graph.types import Access, DocumentSummary, Graph, Observation, ThreadSummary
from recollect.records import derived, lookups
from recollect.records.pages import Page, PageRequest
from recollect.store.protocol import Transaction

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
