"""Observations and summaries of threads and documents: reading and paging. None can be written."""

from recollect.api.router import Call, Route
from recollect.app import derived
from recollect.app.refs import GraphRef
from recollect.compat.zep.v4 import paging, translate, translate_filters
from recollect.compat.zep.v4.wire import filters
from recollect.compat.zep.v4.wire import graphs as wire
from recollect.compat.zep.v4.wire.base import Page4
from recollect.graph.filters import Filters
from recollect.records.pages import PageRequest

_ORDERS = ("uuid", "created_at")


def _asked(call: Call) -> tuple[GraphRef, PageRequest, Filters]:
    """The graph, the page and the filters of a list."""
    by = translate_filters.filters(call.body.filters, edges=False)
    request = paging.graph_page(call.query, _ORDERS)
    return GraphRef(uuid=call.path["graph_uuid"]), request, by


async def list_observations(call: Call) -> Page4[wire.Observation4]:
    """A page of a graph's observations."""
    found = await derived.observations(call.services, call.access, *_asked(call))
    items = [translate.observation(found.where, item) for item in found.value.items]
    return Page4(items=items, next_cursor=found.value.next_cursor)


async def list_thread_summaries(call: Call) -> Page4[wire.ThreadSummary4]:
    """A page of the summaries of a graph's threads."""
    found = await derived.thread_summaries(call.services, call.access, *_asked(call))
    items = [
        translate.thread_summary(found.where, item, found.thread_uuids)
        for item in found.value.items
    ]
    return Page4(items=items, next_cursor=found.value.next_cursor)


async def list_document_summaries(call: Call) -> Page4[wire.DocumentSummary4]:
    """A page of the summaries of a graph's documents."""
    found = await derived.document_summaries(call.services, call.access, *_asked(call))
    items = [translate.document_summary(item) for item in found.value.items]
    return Page4(items=items, next_cursor=found.value.next_cursor)


async def get_observation(call: Call) -> wire.Observation4:
    """An observation by uuid."""
    ref, uuid = GraphRef(uuid=call.path["graph_uuid"]), call.path["observation_uuid"]
    found = await derived.observation_in(call.services, call.access, ref, uuid)
    return translate.observation(found.where, found.value)


ROUTES = [
    Route(
        "POST",
        "/graphs/{graph_uuid}/observations/list",
        "graph.observation.list",
        list_observations,
        "Page through the observations of a graph",
        body=filters.ListObservations4,
        query=wire.DerivedQuery4,
        reads=True,
    ),
    Route(
        "GET",
        "/graphs/{graph_uuid}/observations/{observation_uuid}",
        "graph.observation.get",
        get_observation,
        "Get an observation",
    ),
    Route(
        "POST",
        "/graphs/{graph_uuid}/thread-summaries/list",
        "graph.thread_summary.list",
        list_thread_summaries,
        "Page through the thread summaries of a graph",
        body=filters.ListSummaries4,
        query=wire.DerivedQuery4,
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
        reads=True,
    ),
]
