"""Searches of one graph, one kind at a time, and contexts over all kinds."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from recollect.api.router import Call, Handler, Route
from recollect.app import recall
from recollect.app.refs import GraphRef
from recollect.compat.zep import translate_search
from recollect.compat.zep.translate_search import KINDS
from recollect.compat.zep.v4 import paging, translate, translate_filters
from recollect.compat.zep.v4.wire import graphs, knowledge
from recollect.compat.zep.v4.wire import search as wire
from recollect.compat.zep.v4.wire.base import Page4, PageQuery4
from recollect.compat.zep.wire import search as search_wire
from recollect.context.blocks import pack
from recollect.errors import InvalidInput
from recollect.graph.filters import Filters
from recollect.limits import (
    CONTEXT_CHARS_DEFAULT,
    CONTEXT_CHARS_MAX,
    SEARCH_LIMIT_DEFAULT,
    SEARCH_LIMIT_MAX,
    SEARCH_QUERY_CHARS_MAX,
)
from recollect.search.query import Hit, Query

# Hits that are this much worse than the best one count as low quality, if those are not wanted.
_LOW = 0.4


def _search3(sent: wire.Searched4, scope: str, limit: int) -> search_wire.Search:
    """A search as Zep v3 sends it, without its filters."""
    return search_wire.Search(
        query=sent.query,
        scope=scope,
        reranker=sent.reranker,
        mmr_lambda=sent.mmr_lambda,
        center_node_uuid=sent.center_node_uuid,
        bfs_origin_node_uuids=sent.bfs_origin_node_uuids,
        limit=limit,
    )


def question(
    asked: search_wire.Search, scope: str, by: Filters, now: datetime, zone: str | None
) -> Query:
    """A search for one kind of thing."""
    return translate_search.question(
        asked, KINDS[scope], by, chars_max=SEARCH_QUERY_CHARS_MAX, now=now, time_zone=zone
    )


async def _search(call: Call, scope: str) -> Page4[Any]:
    sent: Any = call.body
    page: PageQuery4 = call.query
    by = translate_filters.filters(sent.filters, edges=scope == "edges")
    begin, size = paging.offset(page), paging.size(page, SEARCH_LIMIT_MAX, SEARCH_LIMIT_DEFAULT)
    asked = _search3(sent, scope, min(begin + size + 1, SEARCH_LIMIT_MAX))
    translate_search.scope(asked)
    ref = GraphRef(uuid=call.path["graph_uuid"])
    there = await recall.searchable(call.services, call.access, ref)
    query = question(asked, scope, by, call.services.clock(), there.time_zone)
    hits = await recall.find(call.services, call.access, there.where, query)
    if sent.filter_low_quality_results:
        hits = _good(hits)
    shown = hits[begin : begin + size]
    details = await recall.details(call.services, call.access, shown, threads=True)
    found = translate.results(there.where, shown, details)
    return Page4(
        items=getattr(found, scope), next_cursor=paging.following(page, len(shown), len(hits))
    )


def _good(hits: Sequence[Hit[Any]]) -> list[Hit[Any]]:
    best = max((hit.score for hit in hits), default=0.0)
    return [hit for hit in hits if hit.score >= _LOW * best]


async def search_edges(call: Call) -> Page4[knowledge.Edge4]:
    """The edges that fit a query best."""
    return await _search(call, "edges")


async def search_nodes(call: Call) -> Page4[knowledge.Node4]:
    """The nodes that fit a query best."""
    return await _search(call, "nodes")


async def search_episodes(call: Call) -> Page4[graphs.Episode4]:
    """The episodes that fit a query best."""
    return await _search(call, "episodes")


async def search_observations(call: Call) -> Page4[graphs.Observation4]:
    """The observations that fit a query best."""
    return await _search(call, "observations")


async def search_thread_summaries(call: Call) -> Page4[graphs.ThreadSummary4]:
    """The thread summaries that fit a query best."""
    return await _search(call, "thread_summaries")


async def get_context(call: Call) -> wire.GraphContext4:
    """What is known for a query, of all kinds, as one text for a prompt."""
    return await context_of(call, GraphRef(uuid=call.path["graph_uuid"]), call.body)


async def context_of(call: Call, ref: GraphRef, sent: wire.ContextRequest4) -> wire.GraphContext4:
    """The same of any graph."""
    room = _room(sent)
    if sent.template_uuid is not None:
        return await _templated(call, ref, sent.template_uuid, sent, room)
    by = translate_filters.filters(sent.filters)
    there = await recall.searchable(call.services, call.access, ref)
    now = call.services.clock()
    plain = search_wire.Search(query=sent.query)
    asked = [question(plain, scope, by, now, there.time_zone) for scope in KINDS]
    found = await recall.find_all_kinds(call.services, call.access, there.where, asked)
    weighed = recall.favour_recent(found, sent.recency_bias or "off", now)
    packed = pack(weighed, max_characters=room, note=recall.time_note(asked[0]))
    results = None
    if sent.include_results:
        details = await recall.details(call.services, call.access, packed.chosen, threads=True)
        results = translate.results(there.where, packed.chosen, details, selected=True)
    return wire.GraphContext4(context=packed.text, truncated=packed.truncated, results=results)


def _room(sent: wire.ContextRequest4) -> int:
    if sent.max_characters is None:
        return CONTEXT_CHARS_DEFAULT
    if sent.max_characters < 1:
        raise InvalidInput(f"max_characters: must be 1 or more, got {sent.max_characters}")
    return min(sent.max_characters, CONTEXT_CHARS_MAX)


async def _templated(
    call: Call, ref: GraphRef, template_uuid: str, sent: wire.ContextRequest4, room: int
) -> wire.GraphContext4:
    """The block that a template renders; the template itself selects and orders what goes into it."""
    for field in ("filters", "include_results", "recency_bias"):
        if getattr(sent, field):
            raise InvalidInput(f"{field}: a template chooses by itself; leave one of them out")
    text = sent.query[:SEARCH_QUERY_CHARS_MAX]
    block = await recall.fill_template(call.services, call.access, ref, template_uuid, text, room)
    return wire.GraphContext4(context=block, truncated=False)


def _route(scope: str, handler: Handler, body: Any, item: Any) -> Route:
    words = scope.replace("_", "-")
    return Route(
        "POST",
        f"/graphs/{{graph_uuid}}/search/{words}",
        "graph.search",
        handler,
        f"Search the {words.replace('-', ' ')} of a graph",
        body=body,
        query=PageQuery4,
        answer=Page4[item],
        reads=True,
    )


ROUTES = [
    _route("edges", search_edges, wire.SearchEdges4, knowledge.Edge4),
    _route("nodes", search_nodes, wire.SearchNodes4, knowledge.Node4),
    _route("episodes", search_episodes, wire.SearchEpisodes4, graphs.Episode4),
    _route("observations", search_observations, wire.SearchObservations4, graphs.Observation4),
    _route(
        "thread_summaries",
        search_thread_summaries,
        wire.SearchThreadSummaries4,
        graphs.ThreadSummary4,
    ),
    Route(
        "POST",
        "/graphs/{graph_uuid}/context",
        "graph.search",
        get_context,
        "Get a context for a query",
        body=wire.ContextRequest4,
        reads=True,
    ),
]
