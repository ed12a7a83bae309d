"""Observations and summaries of threads and documents: reading and paging. None can be written."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.app import derived, threads
from recollect.app.refs import InGraph, ThreadRef
from recollect.compat.zep import common, translate, translate_filters
from recollect.compat.zep.wire import derived as wire
from recollect.compat.zep.wire import episodes
from recollect.graph.types import DocumentSummary, ThreadSummary
from recollect.records.pages import Page

T = TypeVar("T")
_ORDERS = ("uuid", "created_at")


async def _page(
    call: Call,
    reader: Callable[..., Awaitable[InGraph[Page[T]]]],
    show: Callable[[T], Any],
) -> Reply:
    sent: episodes.PageRequest = call.body
    request = translate.graph_page(sent, _ORDERS)
    filters = translate_filters.filters(sent.filters, "filters", edges=False)
    ref = common.graph_ref(call.path)
    page = (await reader(call.services, call.access, ref, request, filters)).value
    return common.page([show(item) for item in page.items], page.next_cursor)


def _thread_summary(found: ThreadSummary) -> wire.ThreadSummary:
    return wire.ThreadSummary(
        uuid=found.uuid,
        thread_id=found.thread_id,
        summary=found.summary,
        metadata=found.metadata,
        created_at=found.created_at,
        last_summarized_at=found.updated_at,
        last_summarized_episode_valid_at=found.covered_at,
    )


def _document_summary(found: DocumentSummary) -> wire.DocumentSummary:
    return wire.DocumentSummary(
        uuid=found.uuid,
        document_id=found.document_id,
        summary=found.summary,
        metadata=found.metadata,
        created_at=found.created_at,
        last_summarized_at=found.updated_at,
        last_summarized_episode_valid_at=found.covered_at,
    )


async def get_thread_summary(call: Call) -> wire.ThreadSummary:
    """The summary of a thread, once a message of it was processed."""
    ref = ThreadRef(thread_id=call.path["thread_id"])
    return _thread_summary((await threads.summary(call.services, call.access, ref)).value)


async def get_observation(call: Call) -> wire.Observation:
    """An observation by uuid."""
    found = await derived.observation(call.services, call.access, call.path["uuid"])
    return translate.observation(found)


async def list_observations(call: Call) -> Reply:
    """A page of a graph's observations; the next cursor is a header."""
    return await _page(call, derived.observations, translate.observation)


async def list_thread_summaries(call: Call) -> Reply:
    """A page of the summaries of a graph's threads; the next cursor is a header."""
    return await _page(call, derived.thread_summaries, _thread_summary)


async def list_document_summaries(call: Call) -> Reply:
    """A page of the summaries of a graph's documents; the next cursor is a header."""
    return await _page(call, derived.document_summaries, _document_summary)


def _lists(noun: str) -> list[Route]:
    parameter = f"{{{noun}_id}}"
    return [
        Route(
            "POST",
            f"/graph/observation/{noun}/{parameter}",
            "graph.observation.list",
            list_observations,
            f"Page through the observations of a {noun}",
            body=episodes.PageRequest,
            answer=list[wire.Observation],
            reads=True,
        ),
        Route(
            "POST",
            f"/graph/thread-summary/{noun}/{parameter}",
            "graph.thread_summary.list",
            list_thread_summaries,
            f"Page through the thread summaries of a {noun}",
            body=episodes.PageRequest,
            answer=list[wire.ThreadSummary],
            reads=True,
        ),
    ]


ROUTES = [
    *_lists("user"),
    *_lists("graph"),
    Route(
        "POST",
        "/graph/document-summary/graph/{graph_id}",
        "graph.document_summary.list",
        list_document_summaries,
        "Page through the document summaries of a graph",
        body=episodes.PageRequest,
        answer=list[wire.DocumentSummary],
        reads=True,
    ),
    Route(
        "GET",
        "/graph/observation/{uuid}",
        "graph.observation.get",
        get_observation,
        "Get an observation",
    ),
    Route(
        "GET",
        "/threads/{thread_id}/summary",
        "thread.get_summary",
        get_thread_summary,
        "Get the summary of a thread",
    ),
]
