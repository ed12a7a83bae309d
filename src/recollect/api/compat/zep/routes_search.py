"""Search of one graph."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from recollect.api.compat.zep import answers, translate, translate_search, wire
from recollect.api.compat.zep.translate_search import AUTO, KINDS
from recollect.api.router import Call, Route
from recollect.context.pack import pack, together
from recollect.graph.types import Access, Entity, Graph
from recollect.limits import (
    CONTEXT_CHARS_DEFAULT,
    CONTEXT_CHARS_MAX,
    SEARCH_QUERY_CHARS_MAX,
    SEARCH_QUERY_SHORT_CHARS_MAX,
)
from recollect.search.asked import asked_time
from recollect.search.query import Found, Query, Ranked
from recollect.store.protocol import Transaction
from recollect.subjects import graphs, listing
from recollect.subjects.listing import ListedEntity

_HITS_PER_KIND = 20


async def search(call: Call) -> wire.SearchAnswer:
    """What fits a query best, of one kind, or with scope `auto` of all kinds as one text."""
    began = call.services.clock()
    sent: wire.Search = call.body
    scope = translate_search.scope(sent)
    filters = translate_search.filters(sent, scope)
    graph, zone = await call.services.store.glance(_place, call.access, sent)
    # Clients of generation 3 are told that 400 characters count; all others may say more.
    longest = SEARCH_QUERY_CHARS_MAX
    if answers.generation(call) == 3:
        longest = SEARCH_QUERY_SHORT_CHARS_MAX
    asked = {
        name: translate_search.question(
            sent, KINDS[name], filters, chars_max=longest, now=began, time_zone=zone
        )
        for name in (KINDS if scope == AUTO else (scope,))
    }
    if scope == AUTO:
        return await _over_all(call, graph, list(asked.values()), began)
    hits = hits_of(await find(call, graph, asked[scope]))
    listed = await _listed(call, hits)
    return wire.SearchAnswer(
        **translate_search.lists(hits, listed, scopes=[scope], selected=False),
        response=_metadata(call, began),
    )


def _place(tx: Transaction, access: Access, sent: wire.Search) -> tuple[Graph, str | None]:
    graph_id = translate.graph_id_of(sent.graph_id, sent.group_id)
    graph = graphs.target(tx, access, sent.user_id, graph_id)
    return graph, listing.time_zone(tx, graph)


async def find(call: Call, graph: Graph, query: Query) -> Found:
    """A blank query finds nothing, whatever else it says."""
    if not query.text.strip():
        return Found()
    return await call.services.finder.find(call.access, graph, query)


def hits_of(found: Found) -> list[Ranked[Any]]:
    """What was found, kind by kind."""
    return [
        *found.facts,
        *found.entities,
        *found.episodes,
        *found.observations,
        *found.thread_summaries,
    ]


async def _listed(call: Call, hits: Sequence[Ranked[Any]]) -> dict[int, ListedEntity]:
    """The nodes among the hits with the episodes that mention them."""
    nodes = [hit.item for hit in hits if isinstance(hit.item, Entity)]
    if not nodes:
        return {}
    found = await call.services.store.read(listing.with_episodes, call.access, nodes)
    return {node.entity.id: node for node in found}


async def over_all(call: Call, graph: Graph, asked: Sequence[Query]) -> Found:
    """What is found for questions of all kinds; the reranker and limit are our own.

    The fused score means the same for every kind, so that one order over all makes sense. The
    first question is asked alone, because the others then know what it means.
    """
    asked = [replace(one, reranker=None, limit=_HITS_PER_KIND) for one in asked]
    first = await find(call, graph, asked[0])
    rest = await asyncio.gather(*(find(call, graph, one) for one in asked[1:]))
    return together([first, *rest])


async def _over_all(
    call: Call, graph: Graph, asked: list[Query], began: datetime
) -> wire.SearchAnswer:
    """All kinds at once, ranked together and packed."""
    sent: wire.Search = call.body
    found = await over_all(call, graph, asked)
    characters = min(sent.max_characters or CONTEXT_CHARS_DEFAULT, CONTEXT_CHARS_MAX)
    packed = pack(found, max_characters=characters, note=about(asked[0]))
    raw = {}
    if sent.return_raw_results:
        listed = await _listed(call, packed.chosen)
        raw = translate_search.lists(packed.chosen, listed, scopes=list(KINDS), selected=True)
    return wire.SearchAnswer(context=packed.text, **raw, response=_metadata(call, began))


def about(query: Query) -> str:
    """The time that words of the question were read as, which the reader should know."""
    time = asked_time(query)
    if time is None or not time.windows:
        return ""
    spans = " or ".join(f"{_day(one.start)} to {_day(one.end)}" for one in time.windows)
    return f"Preferred: {spans} ({time.words!r})"


def _day(moment: datetime | None) -> str:
    return "any time" if moment is None else moment.strftime("%Y-%m-%d %H:%M")


def _metadata(call: Call, began: datetime) -> wire.SearchMetadata | None:
    if answers.generation(call) == 2:
        return None
    return wire.SearchMetadata(server_latency_ms=answers.elapsed_ms(call, began))


ROUTES = [
    Route(
        "POST",
        "/graph/search",
        "graph.search",
        search,
        "Search a graph",
        body=wire.Search,
        answer=wire.SearchAnswer,
        reads=True,
    ),
]
