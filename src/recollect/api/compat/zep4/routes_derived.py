"""Observations and summaries of threads and documents: reading and paging. None can be written."""

from collections.abc import Callable
from typing import Any

from recollect.api.compat.zep4 import answers, paging, show, translate_filters
from recollect.api.compat.zep4.wire import filters
from recollect.api.compat.zep4.wire import graphs as wire
from recollect.api.compat.zep4.wire.base import Page4
from recollect.api.router import Call, Route
from recollect.graph.filters import Filters
from recollect.graph.types import Access, Graph
from recollect.store.protocol import Transaction
from recollect.subjects import derived, lookups
from recollect.subjects.pages import Page, PageRequest

_ORDERS = ("uuid", "created_at")
Path = dict[str, str]
Reader = Callable[[Transaction, Access, Graph, PageRequest, Filters], Page[Any]]


def _read(
    tx: Transaction,
    access: Access,
    path: Path,
    reader: Reader,
    request: PageRequest,
    by: Filters,
) -> Page4[Any]:
    where = answers.place(tx, access, path)
    page = reader(tx, access, where.graph, request, by)
    said_in = lookups.thread_uuids(tx, access, _threads(page))
    shows: dict[Any, Callable[[Any], Any]] = {
        derived.observations_page: lambda item: show.observation(where, item),
        derived.thread_summaries_page: lambda item: show.thread_summary(where, item, said_in),
        derived.document_summaries_page: show.document_summary,
    }
    items = [shows[reader](item) for item in page.items]
    return Page4(items=items, next_cursor=page.next_cursor)


def _threads(page: Page[Any]) -> list[str]:
    return [item.thread_id for item in page.items if hasattr(item, "thread_id")]


async def _page(call: Call, reader: Reader) -> Page4[Any]:
    by = translate_filters.filters(call.body.filters, edges=False)
    request = paging.graph_page(call.query, _ORDERS)
    return await call.services.store.read(_read, call.access, call.path, reader, request, by)


async def list_observations(call: Call) -> Page4[wire.Observation4]:
    """A page of a graph's observations."""
    return await _page(call, derived.observations_page)


async def list_thread_summaries(call: Call) -> Page4[wire.ThreadSummary4]:
    """A page of the summaries of a graph's threads."""
    return await _page(call, derived.thread_summaries_page)


async def list_document_summaries(call: Call) -> Page4[wire.DocumentSummary4]:
    """A page of the summaries of a graph's documents."""
    return await _page(call, derived.document_summaries_page)


def _observation(tx: Transaction, access: Access, path: Path) -> wire.Observation4:
    where = answers.place(tx, access, path)
    found = derived.observation(tx, access, path["observation_uuid"])
    answers.within(where, found.graph_id, "observation", found.uuid)
    return show.observation(where, found)


async def get_observation(call: Call) -> wire.Observation4:
    """An observation by uuid."""
    return await call.services.store.read(_observation, call.access, call.path)


ROUTES = [
    Route(
        "POST",
        "/graphs/{graph_uuid}/observations/list",
        "graph.observation.list",
        list_observations,
        "Page through the observations of a graph",
        body=filters.ListObservations4,
        query=wire.DerivedQuery4,
        answer=Page4[wire.Observation4],
        reads=True,
    ),
    Route(
        "GET",
        "/graphs/{graph_uuid}/observations/{observation_uuid}",
        "graph.observation.get",
        get_observation,
        "Get an observation",
        answer=wire.Observation4,
    ),
    Route(
        "POST",
        "/graphs/{graph_uuid}/thread-summaries/list",
        "graph.thread_summary.list",
        list_thread_summaries,
        "Page through the thread summaries of a graph",
        body=filters.ListSummaries4,
        query=wire.DerivedQuery4,
        answer=Page4[wire.ThreadSummary4],
        reads=True,
    ),
    Route(
        "POST",
        "/graphs/{graph_uuid}/document-summaries/list",
        "graph.document_summary.list",
        list_document_summaries,
        "Page through the document summaries of a graph",
        body=filters.ListSummaries4,
        query=wire.DerivedQuery4,
        answer=Page4[wire.DocumentSummary4],
        reads=True,
    ),
]
