"""Observations and summaries of threads and documents: reading and paging. None can be written."""

from collections.abc import Callable
from typing import Any, TypeVar

from recollect.api.compat.zep import answers, translate, translate_filters
from recollect.api.compat.zep.answers import graph_of_path
from recollect.api.compat.zep.wire import derived as wire
from recollect.api.compat.zep.wire import episodes
from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.graph.filters import Filters
from recollect.graph.types import (
    Access,
    DocumentSummary,
    Graph,
    ThreadSummary,
)
from recollect.store.protocol import Transaction
from recollect.subjects import derived
from recollect.subjects.pages import Page, PageRequest

T = TypeVar("T")
_ORDERS = ("uuid", "created_at")
Reader = Callable[[Transaction, Access, Graph, PageRequest, Filters], Page[T]]


def _read(
    tx: Transaction,
    access: Access,
    path: dict[str, str],
    reader: Reader[T],
    request: PageRequest,
    filters: Filters,
) -> Page[T]:
    return reader(tx, access, graph_of_path(tx, access, path), request, filters)


async def _page(call: Call, reader: Reader[T], show: Callable[[T], Any]) -> Reply:
    sent: episodes.PageRequest = call.body
    request = translate.graph_page(sent, _ORDERS)
    filters = translate_filters.filters(sent.filters, "filters", edges=False)
    page = await call.services.store.read(_read, call.access, call.path, reader, request, filters)
    return answers.page([show(item) for item in page.items], page.next_cursor)


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
    found = await call.services.store.read(
        derived.thread_summary, call.access, call.path["thread_id"]
    )
    return _thread_summary(found)


async def get_observation(call: Call) -> wire.Observation:
    """An observation by uuid."""
    found = await call.services.store.read(derived.observation, call.access, call.path["uuid"])
    return translate.observation(found)


async def list_observations(call: Call) -> Reply:
    """A page of a graph's observations; the next cursor is a header."""
    return await _page(call, derived.observations_page, translate.observation)


async def list_thread_summaries(call: Call) -> Reply:
    """A page of the summaries of a graph's threads; the next cursor is a header."""
    return await _page(call, derived.thread_summaries_page, _thread_summary)


async def list_document_summaries(call: Call) -> Reply:
    """A page of the summaries of a graph's documents; the next cursor is a header."""
    return await _page(call, derived.document_summaries_page, _document_summary)


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
        answer=wire.Observation,
    ),
    Route(
        "GET",
        "/threads/{thread_id}/summary",
        "thread.get_summary",
        get_thread_summary,
        "Get the summary of a thread",
        answer=wire.ThreadSummary,
    ),
]
