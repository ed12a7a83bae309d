"""Searching one session or several, as clients of generation 2 do.

Messages and facts are searched in the graph of the session's user, narrowed to what the sessions
told; with a user and no sessions, facts of the whole graph. Summaries are one for each session.
"""

import asyncio
from collections.abc import Sequence

from recollect.api.compat.zep import translate, translate_filters, translate_records, wire
from recollect.api.compat.zep.wire.session_search import (
    MemoryHit,
    SearchLimit,
    SearchSession,
    SearchSessions,
    SessionHit,
    SessionHits,
)
from recollect.api.router import Call, Route
from recollect.errors import InvalidInput
from recollect.graph.comparing import tree_holds
from recollect.graph.filters import Filters, MetadataTree
from recollect.graph.types import Record, ThreadSummary
from recollect.limits import ECHO_CHARS_MAX, SEARCH_LIMIT_MAX, SEARCH_QUERY_CHARS_MAX
from recollect.search.query import Found, Kind, Query
from recollect.subjects import thread_search
from recollect.subjects.thread_search import Place

_KINDS: dict[str, Kind] = {"messages": "episode", "facts": "fact", "summary": "thread_summary"}


class _Asked(Record):
    """A search as both routes ask it, looked at."""

    text: str
    kind: Kind
    limit: int
    tree: MetadataTree | None
    rating_min: float | None
    score_min: float | None
    mmr_lambda: float | None


def _asked(
    sent: SearchSession | SearchSessions, text: str, records: str, limit: int | None
) -> _Asked:
    """What is asked; *records* is the name of the field that narrows by metadata."""
    scope = sent.search_scope or "messages"
    if scope not in _KINDS:
        raise InvalidInput(
            f"search_scope: must be one of {', '.join(_KINDS)}; got {scope[:ECHO_CHARS_MAX]!r}"
        )
    return _Asked(
        text=text[:SEARCH_QUERY_CHARS_MAX],
        kind=_KINDS[scope],
        limit=min(limit or SEARCH_LIMIT_MAX, SEARCH_LIMIT_MAX),
        tree=translate_records.metadata_tree(records, getattr(sent, records)),
        rating_min=translate_filters.rating("min_fact_rating", sent.min_fact_rating),
        score_min=sent.min_score,
        mmr_lambda=translate_records.mmr_lambda(sent.search_type, sent.mmr_lambda),
    )


async def search_sessions(call: Call) -> SessionHits:
    """What sessions of one or several users say that fits a text, best first."""
    sent: SearchSessions = call.body
    limit: SearchLimit = call.query
    asked = _asked(sent, sent.text, "record_filter", limit.limit)
    places = await call.services.store.read(
        thread_search.places, call.access, sent.user_id, sent.session_ids or []
    )
    hits = await _over(call, places, asked)
    return SessionHits(results=[hit for hit, _ in hits])


async def search_session(call: Call) -> list[MemoryHit]:
    """What one session says that fits a text, best first."""
    sent: SearchSession = call.body
    limit: SearchLimit = call.query
    if sent.text is None:
        raise InvalidInput("text: is required")
    asked = _asked(sent, sent.text, "metadata", limit.limit)
    places = await call.services.store.read(
        thread_search.places, call.access, None, [call.path["session_id"]]
    )
    return [
        MemoryHit(
            score=hit.score,
            message=hit.message or source,
            fact=hit.fact,
            summary=hit.summary,
            metadata=hit.message.metadata if hit.message else None,
        )
        for hit, source in await _over(call, places, asked)
    ]


# A hit, and for a fact the message that states it.
_Hit = tuple[SessionHit, wire.Message2 | None]


async def _over(call: Call, places: Sequence[Place], asked: _Asked) -> list[_Hit]:
    """The best hits of all places together; a blank text finds nothing."""
    if not asked.text.strip():
        return []
    found = await asyncio.gather(*(_at(call, place, asked) for place in places))
    hits = [hit for some in found for hit in some]
    if len(places) > 1:
        hits.sort(key=lambda hit: -hit[0].score)
    return hits[: asked.limit]


async def _at(call: Call, place: Place, asked: _Asked) -> list[_Hit]:
    """The best hits of one graph."""
    if asked.kind == "thread_summary":
        return await _summaries(call, place, asked)
    filters = Filters(
        episode_uuids=await _anchor(call, place, asked.kind),
        episode_metadata=asked.tree,
        rating_min=asked.rating_min if asked.kind == "fact" else None,
    )
    found = await _find(call, place, asked, filters, asked.limit)
    if asked.kind == "episode":
        return [
            (
                SessionHit(
                    session_id=hit.item.thread_id,
                    score=hit.score,
                    message=translate.message2(hit.item),
                ),
                None,
            )
            for hit in found.episodes
        ]
    return await _facts(call, place, found)


async def _anchor(call: Call, place: Place, kind: Kind) -> tuple[str, ...] | None:
    """The episodes to stay with; a user's facts are all of them, wherever they were told."""
    if place.whole and kind == "fact":
        return None
    return await call.services.store.read(thread_search.episode_uuids, call.access, place.threads)


async def _find(call: Call, place: Place, asked: _Asked, filters: Filters, limit: int) -> Found:
    query = Query(
        text=asked.text,
        kind=asked.kind,
        now=call.services.clock(),
        limit=limit,
        filters=filters,
        reranker=None if asked.mmr_lambda is None else "mmr",
        mmr_lambda=0.5 if asked.mmr_lambda is None else asked.mmr_lambda,
        score_min=asked.score_min,
        time_zone=place.time_zone,
    )
    return await call.services.finder.find(call.access, place.graph, query)


async def _facts(call: Call, place: Place, found: Found) -> list[_Hit]:
    told = await call.services.store.read(
        thread_search.statements, call.access, place, [hit.item for hit in found.facts]
    )
    hits: list[_Hit] = []
    for hit in found.facts:
        where = told.get(hit.item.id)
        if where is None and not place.whole:
            continue  # a session that only says that it is over does not tell a fact
        shown = SessionHit(
            session_id=where.thread_id if where else None,
            score=hit.score,
            fact=translate.fact2(hit.item),
        )
        source = where.message if where else None
        hits.append((shown, translate.message2(source) if source else None))
    return hits


async def _summaries(call: Call, place: Place, asked: _Asked) -> list[_Hit]:
    """Summaries of sessions whose own metadata passes; all are ranked, so none is cut too soon."""
    allowed = {
        thread.thread_id
        for thread in place.threads
        if asked.tree is None or tree_holds(asked.tree, thread.metadata or {})
    }
    if not allowed:
        return []
    found = await _find(call, place, asked, Filters(), max(place.thread_count, asked.limit))
    hits = [hit for hit in found.thread_summaries if hit.item.thread_id in allowed]
    return [
        (
            SessionHit(session_id=hit.item.thread_id, score=hit.score, summary=_summary(hit.item)),
            None,
        )
        for hit in hits[: asked.limit]
    ]


def _summary(found: ThreadSummary) -> wire.Summary:
    return wire.Summary(
        uuid=found.uuid,
        content=found.summary,
        metadata=found.metadata,
        created_at=found.created_at,
        related_message_uuids=[],
    )


ROUTES = [
    Route(
        "POST",
        "/sessions/search",
        "thread.search",
        search_sessions,
        "Search sessions",
        body=SearchSessions,
        query=SearchLimit,
        answer=SessionHits,
        reads=True,
    ),
    Route(
        "POST",
        "/sessions/{session_id}/search",
        "thread.search",
        search_session,
        "Search one session",
        body=SearchSession,
        query=SearchLimit,
        answer=list[MemoryHit],
        reads=True,
    ),
]
