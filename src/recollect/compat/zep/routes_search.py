"""Search of one graph."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from recollect.api.router import Call, Route
from recollect.app import recall
from recollect.app.recall import Searchable
from recollect.app.refs import GraphRef
from recollect.compat.zep import common, translate, translate_search
from recollect.compat.zep.translate_search import AUTO, KINDS
from recollect.compat.zep.wire import search as search_wire
from recollect.context.blocks import pack
from recollect.limits import (
    CONTEXT_CHARS_DEFAULT,
    CONTEXT_CHARS_MAX,
    SEARCH_QUERY_CHARS_MAX,
    SEARCH_QUERY_SHORT_CHARS_MAX,
)
from recollect.records.listing import ListedEntity
from recollect.search.query import Hit, Query


async def search(call: Call) -> search_wire.SearchAnswer:
    """What fits a query best, of one kind, or with scope `auto` of all kinds as one text."""
    began = call.services.clock()
    sent: search_wire.Search = call.body
    scope = translate_search.scope(sent)
    filters = translate_search.filters(sent, scope)
    graph_id = translate.graph_id_of(sent.graph_id, sent.group_id)
    ref = GraphRef(user_id=sent.user_id, graph_id=graph_id)
    there = await recall.searchable(call.services, call.access, ref)
    # Clients of Zep v3 are told that 400 characters count; all others may say more.
    longest = SEARCH_QUERY_CHARS_MAX
    if common.client_version(call) == 3:
        longest = SEARCH_QUERY_SHORT_CHARS_MAX
    asked = {
        name: translate_search.question(
            sent, KINDS[name], filters, chars_max=longest, now=began, time_zone=there.time_zone
        )
        for name in (KINDS if scope == AUTO else (scope,))
    }
    if scope == AUTO:
        return await _over_all(call, there, list(asked.values()), began)
    hits = await recall.find(call.services, call.access, there.where, asked[scope])
    listed = await _listed(call, hits)
    return search_wire.SearchAnswer(
        **translate_search.lists(hits, listed, scopes=[scope], selected=False),
        response=_metadata(call, began),
    )


async def _listed(call: Call, hits: Sequence[Hit[Any]]) -> dict[int, ListedEntity]:
    """The nodes among the hits with the episodes that mention them."""
    return (await recall.details(call.services, call.access, hits)).entities


async def _over_all(
    call: Call, there: Searchable, asked: list[Query], began: datetime
) -> search_wire.SearchAnswer:
    """All kinds at once, ranked together and packed."""
    sent: search_wire.Search = call.body
    found = await recall.find_all_kinds(call.services, call.access, there.where, asked)
    characters = min(sent.max_characters or CONTEXT_CHARS_DEFAULT, CONTEXT_CHARS_MAX)
    packed = pack(found, max_characters=characters, note=recall.time_note(asked[0]))
    raw = {}
    if sent.return_raw_results:
        listed = await _listed(call, packed.chosen)
        raw = translate_search.lists(packed.chosen, listed, scopes=list(KINDS), selected=True)
    return search_wire.SearchAnswer(context=packed.text, **raw, response=_metadata(call, began))


def _metadata(call: Call, began: datetime) -> search_wire.SearchMetadata | None:
    if common.client_version(call) == 2:
        return None
    return search_wire.SearchMetadata(server_latency_ms=common.elapsed_ms(call, began))


ROUTES = [
    Route(
        "POST",
        "/graph/search",
        "graph.search",
        search,
        "Search a graph",
        body=search_wire.Search,
        reads=True,
    ),
]
