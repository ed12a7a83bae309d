"""One search of a graph, for Zep's routes and the MCP tools."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from recollect.app import recall
from recollect.app.recall import Searchable
from recollect.app.refs import GraphRef
from recollect.app.services import Services
from recollect.compat.zep import translate, translate_search
from recollect.compat.zep.translate_search import AUTO, KINDS
from recollect.compat.zep.wire import search as search_wire
from recollect.context.blocks import pack
from recollect.graph.types import Access
from recollect.limits import CONTEXT_CHARS_DEFAULT, CONTEXT_CHARS_MAX, SEARCH_QUERY_CHARS_MAX
from recollect.records.listing import ListedEntity
from recollect.search.query import Hit, Query


async def search(
    services: Services,
    access: Access,
    sent: search_wire.Search,
    *,
    chars_max: int = SEARCH_QUERY_CHARS_MAX,
    timed: bool = True,
) -> search_wire.SearchAnswer:
    """The best matches for a query, of one kind, or with scope `auto` of all kinds as one text."""
    began = services.clock()
    scope = translate_search.scope(sent)
    filters = translate_search.filters(sent, scope)
    graph_id = translate.graph_id_of(sent.graph_id, sent.group_id)
    ref = GraphRef(user_id=sent.user_id, graph_id=graph_id)
    there = await recall.searchable(services, access, ref)
    asked = {
        name: translate_search.question(
            sent, KINDS[name], filters, chars_max=chars_max, now=began, time_zone=there.time_zone
        )
        for name in (KINDS if scope == AUTO else (scope,))
    }
    if scope == AUTO:
        found = await _over_all(services, access, sent, there, list(asked.values()))
    else:
        hits = await recall.find(services, access, there.where, asked[scope])
        listed = await _listed(services, access, hits)
        found = translate_search.lists(hits, listed, scopes=[scope], selected=False)
    return search_wire.SearchAnswer(**found, response=_metadata(services, began) if timed else None)


async def _listed(
    services: Services, access: Access, hits: Sequence[Hit[Any]]
) -> dict[int, ListedEntity]:
    """The nodes among the hits with the episodes that mention them."""
    return (await recall.details(services, access, hits)).entities


async def _over_all(
    services: Services,
    access: Access,
    sent: search_wire.Search,
    there: Searchable,
    asked: list[Query],
) -> dict[str, Any]:
    """All kinds at once, ranked together and packed into one text."""
    found = await recall.find_all_kinds(services, access, there.where, asked)
    characters = min(sent.max_characters or CONTEXT_CHARS_DEFAULT, CONTEXT_CHARS_MAX)
    packed = pack(found, max_characters=characters, note=recall.time_note(asked[0]))
    if not sent.return_raw_results:
        return {"context": packed.text}
    listed = await _listed(services, access, packed.chosen)
    raw = translate_search.lists(packed.chosen, listed, scopes=list(KINDS), selected=True)
    return {"context": packed.text, **raw}


def _metadata(services: Services, began: datetime) -> search_wire.SearchMetadata:
    return search_wire.SearchMetadata(server_latency_ms=elapsed_ms(services, began))


def elapsed_ms(services: Services, began: datetime) -> int:
    """Whole milliseconds since *began*; 0 if the clock was set back."""
    return max(0, (services.clock() - began) // timedelta(milliseconds=1))
