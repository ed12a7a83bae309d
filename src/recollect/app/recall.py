"""Searching one graph, one thread or several, and answering questions from the hits.

Messages and facts of threads are searched in the graph of the threads' user, restricted to what was said in
these threads.
"""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from recollect import log
from recollect.app import injections, refs
from recollect.app.refs import GraphRef, OwnedGraph
from recollect.app.services import Services
from recollect.app.units import reads
from recollect.context import gather, templates
from recollect.context.blocks import answer as answer_from_hits
from recollect.context.lines import line
from recollect.errors import RecollectError
from recollect.extract.llm import free_text
from recollect.graph.filters import Filters, MetadataTree, tree_holds
from recollect.graph.types import Access, Entity, Episode, Fact, Kind, Record, ThreadSummary
from recollect.records import guidance, listing, lookups, thread_search
from recollect.records.listing import ListedEntity
from recollect.records.thread_search import UserThreads
from recollect.search.prepare import query_time
from recollect.search.query import Hit, Query
from recollect.store.protocol import Transaction

Recency = Literal["off", "mild", "strong"]

_log = log.get(__name__)
_HITS_PER_KIND = 20
# The boost for something that happened just now, and the half-life of that boost.
_RECENCY_WEIGHTS: dict[Recency, float] = {"off": 0.0, "mild": 0.25, "strong": 1.0}
_HALF_LIFE_DAYS = 30.0


class Searchable(Record):
    """A graph to search, and its owner's time zone."""

    where: OwnedGraph
    time_zone: str | None


class HitDetails(Record):
    """What answers include besides the hits: entities with their episodes by row id, and the uuid of
    each thread by its id."""

    entities: dict[int, ListedEntity] = msgspec.field(default_factory=dict)
    thread_uuids: dict[str, str] = msgspec.field(default_factory=dict)


async def searchable(services: Services, access: Access, ref: GraphRef) -> Searchable:
    """The named graph, ready to be searched."""
    return await services.store.glance(_searchable, access, ref)


def _searchable(tx: Transaction, access: Access, ref: GraphRef) -> Searchable:
    where = refs.graph(tx, access, ref)
    return Searchable(where=where, time_zone=listing.time_zone(tx, where.graph))


@reads
def searchables(tx: Transaction, access: Access, graphs: Sequence[GraphRef]) -> list[Searchable]:
    """Several named graphs, ready to be searched."""
    return [_searchable(tx, access, ref) for ref in graphs]


async def find(
    services: Services, access: Access, where: OwnedGraph, query: Query
) -> list[Hit[Any]]:
    """What matches a query best; a blank text finds nothing, whatever the filters."""
    if not query.text.strip():
        return []
    return await services.finder.find(access, where.graph, query)


async def find_all_kinds(
    services: Services, access: Access, where: OwnedGraph, queries: Sequence[Query]
) -> list[Hit[Any]]:
    """The hits of queries for all kinds; the given rerankers and limits are overridden.

    The fused score is comparable across kinds, so one ranking over all of them makes sense. The first
    query runs alone, so that the others find the vector of the text in the cache.
    """
    asked = [replace(one, reranker=None, limit=_HITS_PER_KIND) for one in queries]
    first = await find(services, access, where, asked[0])
    rest = await asyncio.gather(*(find(services, access, where, one) for one in asked[1:]))
    return [hit for hits in (first, *rest) for hit in hits]


async def details(
    services: Services, access: Access, hits: Sequence[Hit[Any]], *, threads: bool = False
) -> HitDetails:
    """What answers include besides the hits; uuids of *threads* only on request."""
    entities = [hit.item for hit in hits if isinstance(hit.item, Entity)]
    ids = [getattr(hit.item, "thread_id", None) for hit in hits] if threads else []
    named = [id_ for id_ in ids if id_]
    if not entities and not named:
        return HitDetails()
    return await services.store.read(_details, access, entities, named)


def _details(
    tx: Transaction, access: Access, entities: Sequence[Entity], thread_ids: Sequence[str]
) -> HitDetails:
    listed = listing.with_episodes(tx, access, entities)
    return HitDetails(
        entities={one.entity.id: one for one in listed},
        thread_uuids=lookups.thread_uuids(tx, access, thread_ids) if thread_ids else {},
    )


def time_note(query: Query) -> str:
    """A note on how the time words of a query were interpreted; empty if it has none."""
    time = query_time(query)
    if time is None or not time.windows:
        return ""
    spans = " or ".join(f"{_day(one.start)} to {_day(one.end)}" for one in time.windows)
    return f"Preferred: {spans} ({time.words!r})"


def _day(moment: datetime | None) -> str:
    return "any time" if moment is None else moment.strftime("%Y-%m-%d %H:%M")


def favour_recent(hits: list[Hit[Any]], bias: Recency, now: datetime) -> list[Hit[Any]]:
    """The hits, rescored and reordered to favour recent ones as strongly as *bias* says."""
    weight = _RECENCY_WEIGHTS[bias]
    if not weight:
        return hits
    return sorted((_weighed(hit, weight, now) for hit in hits), key=_worse)


def _worse(hit: Hit[Any]) -> float:
    return -hit.score


def _weighed(hit: Hit[Any], weight: float, now: datetime) -> Hit[Any]:
    if isinstance(hit.item, Entity):  # it is as old as its facts, which are hits of their own
        return hit
    days = max(0.0, (now - _moment(hit.item)).total_seconds() / 86_400)
    return replace(hit, score=hit.score * (1 + weight * 0.5 ** (days / _HALF_LIFE_DAYS)))


def _moment(item: Any) -> datetime:
    """When a fact became true, or anything else was last updated."""
    if isinstance(item, Fact):
        return item.valid_at or item.created_at
    moment: datetime = getattr(item, "updated_at", item.created_at)
    return moment


async def fill_template(
    services: Services, access: Access, ref: GraphRef, template_uuid: str, text: str, room: int
) -> str:
    """The block that a context template renders from a graph for a text."""
    asked, template = await services.store.read(_ask_graph, access, ref, template_uuid, text)
    gatherer = injections.gatherer(services, access, asked)
    block = await templates.render(templates.parse(template), gatherer, room)
    return await injections.keep(services, gatherer, "template", block)


def _ask_graph(
    tx: Transaction, access: Access, ref: GraphRef, template_uuid: str, text: str
) -> tuple[gather.ContextRequest, str]:
    template = guidance.template_by_uuid(tx, access, template_uuid)
    where = refs.graph(tx, access, ref)
    return gather.graph_request(tx, access, where.graph, text), template.text


async def answer(
    services: Services, question: str, hits: Sequence[Hit[Any]], instruction: str, now: datetime
) -> tuple[str | None, list[int]]:
    """An answer to a question, and the indexes of the hits it is based on.

    The language model writes it if there is one; otherwise it is taken from the hits themselves.
    """
    model = services.language_model
    if model is not None and hits:
        lines = [line(hit.item).strip().removeprefix("- ") for hit in hits]
        try:
            written = await free_text.answer_question(model, question, lines, instruction)
        except RecollectError as error:
            _log.warning("query.model_failed", reason=error.message)
        else:
            return written.answer, list(written.rests_on)
    text, chosen = answer_from_hits(hits, now)
    return text or None, chosen


class ThreadQuery(Record):
    """A query for episodes, facts or thread summaries."""

    text: str
    kind: Kind
    limit: int
    tree: MetadataTree | None
    rating_min: float | None
    score_min: float | None
    mmr_lambda: float | None


class ThreadHit(Record):
    """A hit; *stated_by* is the message that states a fact."""

    item: Episode | Fact | ThreadSummary
    score: float
    thread_id: str | None
    stated_by: Episode | None = None


async def search(
    services: Services,
    access: Access,
    user_id: str | None,
    thread_ids: Sequence[str],
    query: ThreadQuery,
) -> list[ThreadHit]:
    """The best hits in the named threads, or else in all of a user's; a blank text finds nothing."""
    places = await services.store.read(thread_search.places, access, user_id, thread_ids)
    if not query.text.strip():
        return []
    found = await asyncio.gather(*(_at(services, access, place, query) for place in places))
    hits = [hit for some in found for hit in some]
    if len(places) > 1:
        hits.sort(key=lambda hit: -hit.score)
    return hits[: query.limit]


async def _at(
    services: Services, access: Access, place: UserThreads, query: ThreadQuery
) -> list[ThreadHit]:
    """The best hits of one graph."""
    if query.kind == "thread_summary":
        return await _summaries(services, access, place, query)
    filters = Filters(
        episode_uuids=await _anchor(services, access, place, query.kind),
        episode_metadata=query.tree,
        rating_min=query.rating_min if query.kind == "fact" else None,
    )
    found = await _find(services, access, place, query, filters, query.limit)
    if query.kind == "fact":
        return await _facts(services, access, place, found)
    return [
        ThreadHit(item=hit.item, score=hit.score, thread_id=hit.item.thread_id) for hit in found
    ]


async def _anchor(
    services: Services, access: Access, place: UserThreads, kind: Kind
) -> tuple[str, ...] | None:
    """The episodes to restrict a search to; a user's facts are not restricted."""
    if place.whole and kind == "fact":
        return None
    return await services.store.read(thread_search.episode_uuids, access, place.threads)


async def _find(
    services: Services,
    access: Access,
    place: UserThreads,
    query: ThreadQuery,
    filters: Filters,
    limit: int,
) -> list[Hit[Any]]:
    asked = Query(
        text=query.text,
        kind=query.kind,
        now=services.clock(),
        limit=limit,
        filters=filters,
        reranker=None if query.mmr_lambda is None else "mmr",
        mmr_lambda=0.5 if query.mmr_lambda is None else query.mmr_lambda,
        score_min=query.score_min,
        time_zone=place.time_zone,
    )
    return await services.finder.find(access, place.graph, asked)


async def _facts(
    services: Services, access: Access, place: UserThreads, found: Sequence[Hit[Fact]]
) -> list[ThreadHit]:
    facts = [hit.item for hit in found]
    stated = await services.store.read(thread_search.statements, access, place, facts)
    hits = []
    for hit in found:
        where = stated.get(hit.item.id)
        if where is None and not place.whole:
            continue  # a thread that only ended the fact does not state it
        hits.append(
            ThreadHit(
                item=hit.item,
                score=hit.score,
                thread_id=where.thread_id if where else None,
                stated_by=where.message if where else None,
            )
        )
    return hits


async def _summaries(
    services: Services, access: Access, place: UserThreads, query: ThreadQuery
) -> list[ThreadHit]:
    """Summaries of threads whose metadata passes; filtered after ranking all, so that none is missed."""
    allowed = {
        thread.thread_id
        for thread in place.threads
        if query.tree is None or tree_holds(query.tree, thread.metadata or {})
    }
    if not allowed:
        return []
    most = max(place.thread_count, query.limit)
    found = await _find(services, access, place, query, Filters(), most)
    hits = [hit for hit in found if hit.item.thread_id in allowed]
    return [
        ThreadHit(item=hit.item, score=hit.score, thread_id=hit.item.thread_id)
        for hit in hits[: query.limit]
    ]
