"""Facts with the evidence for them and what ended them, doubts, and the chapters that condense older
episodes.
"""

from datetime import datetime
from typing import Annotated

import msgspec

from recollect.api.router import Call, Route
from recollect.app import provenance
from recollect.graph.delta import SupportRole
from recollect.graph.types import Episode, EpisodeKind, Fact, Json
from recollect.limits import (
    CHAPTERS_PER_PAGE_DEFAULT,
    CHAPTERS_PER_PAGE_MAX,
    DOUBTS_PER_PAGE_MAX,
    INTEGER_MAX,
)
from recollect.records.chapters import Chapter
from recollect.records.provenance import (
    DoubtReason,
    EndedFact,
    EndReason,
    Provenance,
    SupportingEpisode,
    doubted_with_episodes,
    with_episodes,
)


class ToldFact(msgspec.Struct, kw_only=True):
    """A sentence that holds for a time. *event_at* is when something happens or is due; where it is
    `valid_at`, it took place then."""

    uuid: str
    fact: str
    name: str
    source_node_uuid: str
    source_node_name: str | None
    target_node_uuid: str
    target_node_name: str | None
    valid_at: datetime | None
    invalid_at: datetime | None
    event_at: datetime | None
    created_at: datetime
    expired_at: datetime | None
    rating: float | None
    attributes: Json | None
    metadata: Json
    episodes: list[str]


class ToldEpisode(msgspec.Struct, kw_only=True):
    """Something that was told: by whom, when and in which words."""

    uuid: str
    kind: EpisodeKind
    content: str
    role: str | None
    name: str | None
    thread_id: str | None
    metadata: Json | None
    created_at: datetime


class FactEvidence(msgspec.Struct, kw_only=True):
    """An episode behind a fact, what it does to it, and from which character to which it says so."""

    episode: ToldEpisode
    role: SupportRole
    span: tuple[int, int] | None


class FactEnding(msgspec.Struct, kw_only=True):
    """What ended a fact: another fact, an episode, or neither when the end was set by hand.

    *judge* is on whose word: `table` (the table of relations), `episode` (the words of the fact
    itself), `hand`, or the name of the reader that said so and how *sure* it was. *ended_at* is when
    it stopped being true, *expired_at* when that was learned.
    """

    by_fact: ToldFact | None
    by_episode: ToldEpisode | None
    ended_at: datetime | None
    expired_at: datetime | None
    judge: str | None
    sure: float | None


class ClosedFact(msgspec.Struct, kw_only=True):
    """A fact that another one ended, told as a `FactEnding` is."""

    fact: ToldFact
    by_episode: ToldEpisode | None
    ended_at: datetime | None
    expired_at: datetime | None
    judge: str | None
    sure: float | None


class FactDoubt(msgspec.Struct, kw_only=True):
    """Why a fact that holds may be over: a newer fact, of which *judge* is *sure* to that degree
    that it ends this one, which is not enough to end it."""

    by_fact: ToldFact
    by_episode: ToldEpisode | None
    judge: str
    sure: float


class FactWithReasons(msgspec.Struct, kw_only=True):
    """A fact, what stands behind it, what ended it, what it closed, and what casts doubt on it.
    *reopened_at* is when someone last took back what had ended it."""

    fact: ToldFact
    evidence: list[FactEvidence]
    endings: list[FactEnding]
    closed: list[ClosedFact]
    doubts: list[FactDoubt]
    reopened_at: datetime | None


def fact(found: Fact) -> ToldFact:
    """A fact for the wire."""
    return ToldFact(
        uuid=found.uuid,
        fact=found.fact,
        name=found.name,
        source_node_uuid=found.source_uuid,
        source_node_name=found.source_name or None,
        target_node_uuid=found.target_uuid,
        target_node_name=found.target_name or None,
        valid_at=found.valid_at,
        invalid_at=found.invalid_at,
        event_at=found.event_at,
        created_at=found.created_at,
        expired_at=found.expired_at,
        rating=found.rating,
        attributes=found.attributes,
        metadata=dict(found.metadata),
        episodes=found.episodes,
    )


def with_reasons(found: Provenance) -> FactWithReasons:
    """The provenance of a fact for the wire."""
    return FactWithReasons(
        fact=fact(found.fact),
        evidence=[_evidence(one) for one in found.evidence],
        endings=[_ending(one) for one in found.endings],
        closed=[_closed(one) for one in found.closed],
        doubts=[doubt(one) for one in found.doubts],
        reopened_at=found.reopened_at,
    )


def _evidence(one: SupportingEpisode) -> FactEvidence:
    return FactEvidence(episode=_episode(one.episode), role=one.role, span=one.span)


def _ending(one: EndReason) -> FactEnding:
    return FactEnding(
        by_fact=None if one.by_fact is None else fact(one.by_fact),
        by_episode=None if one.by_episode is None else _episode(one.by_episode),
        ended_at=one.ended_at,
        expired_at=one.expired_at,
        judge=one.judge,
        sure=one.sure,
    )


def _closed(one: EndedFact) -> ClosedFact:
    return ClosedFact(
        fact=fact(one.fact),
        by_episode=None if one.by_episode is None else _episode(one.by_episode),
        ended_at=one.ended_at,
        expired_at=one.expired_at,
        judge=one.judge,
        sure=one.sure,
    )


def doubt(one: DoubtReason) -> FactDoubt:
    """A doubt for the wire."""
    return FactDoubt(
        by_fact=fact(one.by_fact),
        by_episode=None if one.by_episode is None else _episode(one.by_episode),
        judge=one.judge,
        sure=one.sure,
    )


def _episode(found: Episode) -> ToldEpisode:
    return ToldEpisode(
        uuid=found.uuid,
        kind=found.kind,
        content=found.content,
        role=found.role,
        name=found.speaker,
        thread_id=found.thread_id,
        metadata=found.metadata,
        created_at=found.created_at,
    )


async def why(call: Call) -> FactWithReasons:
    """A fact, the episodes behind it, what ended it and on whose word, and what it ended. Episodes
    are those that the key may get as such."""
    found = await provenance.of_fact(call.services, call.access, call.path["uuid"])
    readable = with_episodes(found, call.access_for("graph.episode.get"))
    return with_reasons(readable)


async def reopen(call: Call) -> ToldFact:
    """Take back what ended a fact: it holds again, and the same words do not end it again. It is a
    conflict when the fact has no end."""
    return fact(await provenance.reopen(call.services, call.access, call.path["uuid"]))


class DoubtsQuery(msgspec.Struct):
    """How many."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=DOUBTS_PER_PAGE_MAX)] = 50


class DoubtedFact(msgspec.Struct):
    """A fact that holds, and a newer one that may have ended it."""

    fact: ToldFact
    doubt: FactDoubt


class Doubts(msgspec.Struct):
    """Doubts, the surest first; *truncated* says that there are more."""

    doubts: list[DoubtedFact]
    truncated: bool


async def doubts_of_graph(call: Call) -> Doubts:
    """The doubts of a standalone graph."""
    return await _doubts_page(call, graph_id=call.path["graph_id"])


async def doubts_of_user(call: Call) -> Doubts:
    """The doubts of a user's graph."""
    return await _doubts_page(call, user_id=call.path["user_id"])


async def _doubts_page(
    call: Call, user_id: str | None = None, graph_id: str | None = None
) -> Doubts:
    limit = call.query.limit
    found = await provenance.doubts(
        call.services, call.access, user_id=user_id, graph_id=graph_id, limit=limit + 1
    )
    readable = doubted_with_episodes(found, call.access_for("graph.episode.get"))
    return Doubts(
        doubts=[
            DoubtedFact(fact=fact(one.fact), doubt=doubt(one.doubt)) for one in readable[:limit]
        ],
        truncated=len(found) > limit,
    )


class ChaptersQuery(msgspec.Struct):
    """How many chapters, and those after which number."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=CHAPTERS_PER_PAGE_MAX)] = CHAPTERS_PER_PAGE_DEFAULT
    cursor: Annotated[int, msgspec.Meta(ge=0, le=INTEGER_MAX)] = 0


class Chapters(msgspec.Struct):
    """Chapters, the oldest first; *next_cursor* asks for those after them."""

    chapters: list[Chapter]
    next_cursor: int | None


async def chapters_of_graph(call: Call) -> Chapters:
    """The chapters of a standalone graph."""
    return await _chapters_page(call, graph_id=call.path["graph_id"])


async def chapters_of_user(call: Call) -> Chapters:
    """The chapters of a user's graph."""
    return await _chapters_page(call, user_id=call.path["user_id"])


async def _chapters_page(
    call: Call, user_id: str | None = None, graph_id: str | None = None
) -> Chapters:
    sent: ChaptersQuery = call.query
    found = await provenance.chapters_of(
        call.services,
        call.access,
        user_id=user_id,
        graph_id=graph_id,
        limit=sent.limit + 1,
        after=sent.cursor,
    )
    shown = found[: sent.limit]
    more = len(found) > sent.limit
    return Chapters(chapters=shown, next_cursor=shown[-1].number if more else None)


ROUTES = [
    Route(
        "GET",
        "/api/v1/facts/{uuid}",
        "graph.edge.get",
        why,
        "Get a fact with its evidence and what ended it",
    ),
    Route(
        "POST",
        "/api/v1/facts/{uuid}/reopen",
        "graph.edge.reopen",
        reopen,
        "Undo the end of a fact",
        shows="graph.edge.get",
    ),
]

ROUTES_OF_GRAPHS = [
    Route(
        "GET",
        "/api/v1/graphs/{graph_id}/chapters",
        "chapter.list",
        chapters_of_graph,
        "List the chapters of a graph",
        query=ChaptersQuery,
    ),
    Route(
        "GET",
        "/api/v1/users/{user_id}/chapters",
        "chapter.list",
        chapters_of_user,
        "List the chapters of a user's graph",
        query=ChaptersQuery,
    ),
    Route(
        "GET",
        "/api/v1/graphs/{graph_id}/doubts",
        "doubt.list",
        doubts_of_graph,
        "List facts of a graph that may no longer hold",
        query=DoubtsQuery,
    ),
    Route(
        "GET",
        "/api/v1/users/{user_id}/doubts",
        "doubt.list",
        doubts_of_user,
        "List facts of a user's graph that may no longer hold",
        query=DoubtsQuery,
    ),
]
