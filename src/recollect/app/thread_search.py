"""Searching one thread or several.

Messages and facts are searched in the graph of the threads' user, narrowed to what the threads said;
with a user and no threads, facts of the whole graph. Summaries are one for each thread.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from recollect.app.services import Services
from recollect.graph.filters import Filters, MetadataTree, tree_holds
from recollect.graph.kinds import Kind
from recollect.graph.types import Access, Episode, Fact, Record, ThreadSummary
from recollect.records import thread_search
from recollect.records.thread_search import UserThreads
from recollect.search.query import Hit, Query


class ThreadQuery(Record):
    """What is searched for: episodes, facts or thread summaries."""

    text: str
    kind: Kind
    limit: int
    tree: MetadataTree | None
    rating_min: float | None
    score_min: float | None
    mmr_lambda: float | None


class ThreadHit(Record):
    """Something that fits; *stated_by* is the message that states a fact."""

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
    """The best hits in the threads that are named, or else in all of a user's; a blank text finds
    nothing."""
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
    """The episodes to stay with; a user's facts are all of them, wherever they were said."""
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
            continue  # a thread that only says that it is over does not state a fact
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
    """Summaries of threads whose own metadata passes; all are ranked, so none is cut too soon."""
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
