"""Collects what a context block may show, by searching with the newest messages of a thread."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, TypeVar

from msgspec.structs import replace

from recollect.context import budget
from recollect.context.budget import SMALL_TALK, sentences
from recollect.context.lines import holds
from recollect.errors import NotFound
from recollect.graph import gist, thread_summary
from recollect.graph.filters import NO_FILTERS, Filters, passes_entity, passes_fact
from recollect.graph.terms import terms
from recollect.graph.types import (
    Access,
    Entity,
    Episode,
    Fact,
    Graph,
    Kind,
    Record,
    Thread,
    ThreadSummary,
)
from recollect.limits import (
    BLOCK_QUERY_CHARS_MAX,
    PAGE_MAX,
    RECENT_MESSAGES_DEFAULT,
)
from recollect.records import derived, episodes, graphs, knowledge, threads, users
from recollect.search.kinds import KINDS, KindSpec, kind_of
from recollect.search.query import Hit, Query
from recollect.store.protocol import Store, Transaction

T = TypeVar("T")
_OUTDATED = 0.4  # the chance of being over from which a fact is left out
Limits = Mapping[Kind, int]  # the maximum of each kind in a block

ALL_KINDS: Limits = {kind: spec.block_max for kind, spec in KINDS.items()}


class Searcher(Protocol):
    """Anything that can search a graph; the finder does."""

    async def find(self, access: Access, graph: Graph, query: Query) -> list[Hit[Any]]:
        """The best matches for *query*."""


class ContextRequest(Record):
    """The graph or thread that a context is requested for."""

    thread: Thread | None = None
    graph: Graph
    user: Entity | None  # its summary is the user's; None if the user is not visible to the caller
    newest: tuple[Episode, ...]
    text: str  # what to search for; "" if the newest messages ask for nothing


def thread_request(
    tx: Transaction, access: Access, thread_id: str, messages: int
) -> ContextRequest:
    """What the newest *messages* of a thread ask for, and which user they concern."""
    thread = threads.get(tx, access, thread_id)
    newest = episodes.last_messages(tx, access, thread, max(messages, RECENT_MESSAGES_DEFAULT))
    return ContextRequest(
        thread=thread,
        graph=graphs.of_user(tx, access, thread.user_id),
        user=_user(tx, access, thread.user_id),
        newest=tuple(newest),
        text=query_text(newest[-messages:]),
    )


def graph_request(tx: Transaction, access: Access, graph: Graph, text: str) -> ContextRequest:
    """What *text* asks of a graph, and its user if it is a user's graph."""
    user = _user(tx, access, graph.graph_id) if graph.kind == "user" else None
    return ContextRequest(graph=graph, user=user, newest=(), text=text)


def _user(tx: Transaction, access: Access, user_id: str) -> Entity | None:
    try:
        node = users.node(tx, access, user_id)
    except NotFound:
        return None
    summary = derived.user_summary(tx, access, user_id)
    return replace(node, summary=summary)


def query_text(newest: Sequence[Episode], chars_max: int = BLOCK_QUERY_CHARS_MAX) -> str:
    """What to search for, given the newest messages of a thread in order; "" for small talk.

    The newest message comes first, so that a model with a limited input length does not miss it, and gets
    the room it needs. The rest goes to the message before it, and so on. A message that is too long keeps
    its beginning and its end: that is where people put what they want.
    """
    if not any(term not in SMALL_TALK for each in newest for term in terms(each.content)):
        return ""
    kept: list[str] = []
    left = chars_max
    for message in reversed(newest):
        text = _shortened(" ".join(message.content.split()), left)
        if text:
            kept.append(text)
            left -= len(text) + 1
    return "\n".join(kept)


def _shortened(text: str, room: int) -> str:
    """The first and last words of *text*, as many as fit."""
    if len(text) <= room:
        return text
    half = (room - 1) // 2
    if half <= 0:
        return ""
    head, tail = text[:half], text[-half:]
    # Words are not cut, unless a single one fills the room.
    head = head[: head.rfind(" ")] if " " in head else head
    tail = tail[tail.find(" ") + 1 :] if " " in tail else tail
    return f"{head} {tail}"


class Notes:
    """Notes for the injection log: the scores of hits, and the facts included because they are new."""

    def __init__(self) -> None:
        self.scores: dict[str, float] = {}
        self.newest: set[str] = set()


@dataclass(frozen=True, slots=True)
class Gatherer:
    """Collects for one request at one moment; *notes* are kept if given."""

    store: Store
    finder: Searcher
    access: Access
    request: ContextRequest
    now: datetime
    notes: Notes | None = None

    async def everything(self, limits: Limits, rating_min: float | None = None) -> list[Hit[Any]]:
        """What a block shows, by relevance within each kind."""
        return relevant(await self.candidates(limits, rating_min))

    async def candidates(self, limits: Limits, rating_min: float | None = None) -> list[Hit[Any]]:
        """All that a block could show, including weak matches."""
        # Facts first: the later searches then find the query's vector in the cache.
        facts = await self.ranked_facts(limits["fact"], Filters(rating_min=rating_min))
        kinds: list[Kind] = [kind for kind in KINDS if kind != "fact"]
        found = dict(
            zip(
                kinds,
                await asyncio.gather(*(self.hits(kind, limits.get(kind, 0)) for kind in kinds)),
                strict=True,
            )
        )
        about = await self._about(self._telling([hit.item for hit in facts]), found["entity"])
        others = [entity for entity in about if not (entity.is_user or entity.is_assistant)]
        found["entity"] = ranked(others[: limits.get("entity", 0)])
        holding = _holding(found["thread_summary"])
        found["thread_summary"] = _sharing(holding, gist.words(self.request.text))
        return [*facts, *(hit for hits in found.values() for hit in hits)]

    def _telling(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        """The facts whose entities are worth a line: those that hold, or all of them if none does."""
        return [fact for fact in facts if holds(fact, self.now)] or facts

    async def facts(self, limit: int, filters: Filters = NO_FILTERS) -> list[Fact]:
        """The relevant facts, without their scores."""
        return [hit.item for hit in await self.ranked_facts(limit, filters)]

    async def ranked_facts(self, limit: int, filters: Filters = NO_FILTERS) -> list[Hit[Fact]]:
        """The relevant facts, those that hold now first.

        If nothing is asked, or nothing matches, these are the newest facts that hold now: that is better
        than an empty block.
        """
        found = await self._find("fact", limit, filters)
        if not found and limit:
            most = limit if filters == NO_FILTERS else PAGE_MAX
            known = await self.store.read(
                knowledge.facts_holding, self.access, self.request.graph, most
            )
            passing = [fact for fact in known if passes_fact(filters, fact)]
            found = [Hit(item=fact, score=1.0) for fact in passing[:limit]]
            if self.notes is not None:
                self.notes.newest.update(hit.item.uuid for hit in found)
        return sorted(found, key=lambda hit: not holds(hit.item, self.now))

    async def entities(self, limit: int, facts: int, filters: Filters) -> list[Entity]:
        """The matching entities, and those of the best *facts*, round-robin."""
        hits, known = await asyncio.gather(self._find("entity", limit, filters), self.facts(facts))
        about = await self._about(self._telling(known), hits)
        return [entity for entity in about if passes_entity(filters, entity)][:limit]

    async def hits(self, kind: Kind, limit: int) -> list[Hit[Any]]:
        """The matches of a kind, without what the prompt already contains.

        These are the newest messages of this thread, and its summary if they are the whole thread.
        """
        newest = {episode.uuid for episode in self.request.newest}
        if kind == "episode":
            hits = await self._find(kind, limit + len(newest) if limit else 0)
            return [hit for hit in hits if hit.item.uuid not in newest][:limit]
        hits = await self._find(kind, limit)
        if kind == "thread_summary" and len(newest) < RECENT_MESSAGES_DEFAULT:
            own = self.request.thread.thread_id if self.request.thread else None
            return [hit for hit in hits if hit.item.thread_id != own]
        return hits

    async def _find(self, kind: Kind, limit: int, filters: Filters = NO_FILTERS) -> list[Hit[Any]]:
        if not limit or not self.request.text:
            return []
        query = Query(
            text=self.request.text,
            kind=kind,
            now=self.now,
            limit=limit,
            filters=filters,
            near_uuid=self.request.user.uuid if self.request.user else None,
            time_zone=self.request.graph.time_zone,
        )
        found = await self.finder.find(self.access, self.request.graph, query)
        if self.notes is not None:
            self.notes.scores.update((hit.item.uuid, hit.score) for hit in found)
        return found

    async def _about(self, facts: Iterable[Fact], hits: Iterable[Hit[Entity]]) -> list[Entity]:
        """The found entities and those of the facts, round-robin, without duplicates."""
        found = {hit.item.uuid: hit.item for hit in hits}
        ends = dict.fromkeys(
            uuid for fact in facts for uuid in (fact.source_uuid, fact.target_uuid)
        )
        unread = [uuid for uuid in ends if uuid not in found]
        read: list[Entity] = []
        if unread:
            read = await self.store.read(
                knowledge.entities_by_uuids, self.access, self.request.graph, unread
            )
        every = {**found, **{entity.uuid: entity for entity in read}}
        if self.request.user is not None:
            every[self.request.user.uuid] = self.request.user
        turns = dict.fromkeys(budget.in_turns([list(found), list(ends)]))
        return [every[uuid] for uuid in turns if uuid in every]


def relevant(hits: Sequence[Hit[Any]]) -> list[Hit[Any]]:
    """Drop hits that match much worse than the best of their kind; the more there are, the higher the bar.

    Facts that are probably outdated are dropped as well: a context tells what holds.
    """
    hits = [hit for hit in hits if hit.over < _OUTDATED]
    scores: dict[Kind, list[float]] = {}
    for hit in hits:
        scores.setdefault(kind_of(hit.item), []).append(hit.score)
    least = {kind: _least(KINDS[kind], sorted(found)) for kind, found in scores.items()}
    return [hit for hit in hits if hit.score >= least[kind_of(hit.item)]]


def _least(spec: KindSpec, scores: Sequence[float]) -> float:
    """The minimum score for a kind, given all its scores in ascending order."""
    best = scores[-1]
    enough = scores[-spec.few] if 0 < spec.few <= len(scores) else 0.0
    return max(spec.relevant * best, min(spec.good * best, enough))


def ranked(items: Iterable[T]) -> list[Hit[T]]:
    """Items in order of relevance, with scores that express only that order."""
    return [Hit(item=item, score=1 / place) for place, item in enumerate(items, 1)]


def _sharing(hits: Iterable[Hit[ThreadSummary]], asked: frozenset[str]) -> list[Hit[ThreadSummary]]:
    """Summaries of conversations with only those sentences that have a word of what is asked.

    A conversation fits as a whole; most of it is about something else.
    """
    kept = []
    for hit in hits:
        said = [one for one in sentences(hit.item.summary) if asked & gist.words(one)]
        if said:
            kept.append(replace(hit, item=replace(hit.item, summary=" ".join(said))))
    return kept


def _holding(hits: Iterable[Hit[ThreadSummary]]) -> list[Hit[ThreadSummary]]:
    """Without summaries of conversations of which nothing holds any more."""
    return [hit for hit in hits if not thread_summary.is_over(hit.item.summary)]
