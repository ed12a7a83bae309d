"""Collecting what a block may tell: searched for with the newest messages of a thread."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

import msgspec

from recollect.context import budget
from recollect.context.asking import query_text
from recollect.context.order import holds
from recollect.errors import NotFound
from recollect.graph import thread_summary
from recollect.graph.filters import NO_FILTERS, Filters
from recollect.graph.passing import passes_entity, passes_fact
from recollect.graph.types import (
    Access,
    Entity,
    Episode,
    Fact,
    Graph,
    Record,
    Thread,
    ThreadSummary,
)
from recollect.limits import (
    BLOCK_ENTITIES_BESIDE_MAX,
    BLOCK_EPISODES_MAX,
    BLOCK_FACTS_BESIDE_MAX,
    BLOCK_OBSERVATIONS_MAX,
    BLOCK_THREAD_SUMMARIES_MAX,
    PAGE_MAX,
    RECENT_MESSAGES_DEFAULT,
)
from recollect.search.query import Found, Kind, Query, Ranked
from recollect.store.protocol import Store, Transaction
from recollect.subjects import derived, episodes, graphs, knowledge, threads, users

# Nothing is told that fits so much worse than the best of its kind. Facts are short: more of them
# may stand by.
_RELEVANT = 0.6
_RELEVANT_FACT = 0.4
T = TypeVar("T")


class Searcher(Protocol):
    """Whoever can search a graph; the finder does."""

    async def find(self, access: Access, graph: Graph, query: Query) -> Found:
        """What fits *query* best."""


class Asked(Record):
    """A graph, or a thread, at the moment somebody wants to know what matters to it."""

    thread: Thread | None = None
    graph: Graph
    user: Entity | None  # with the user's summary as its own; None: it may not be seen
    newest: tuple[Episode, ...]
    text: str  # what to search for; "" when the newest messages ask for nothing


class Wanted(Record):
    """How many of each kind a block may tell at most."""

    facts: int
    entities: int = 0
    episodes: int = 0
    observations: int = 0
    thread_summaries: int = 0


ALL_KINDS = Wanted(
    facts=BLOCK_FACTS_BESIDE_MAX,
    entities=BLOCK_ENTITIES_BESIDE_MAX,
    episodes=BLOCK_EPISODES_MAX,
    observations=BLOCK_OBSERVATIONS_MAX,
    thread_summaries=BLOCK_THREAD_SUMMARIES_MAX,
)


def ask(tx: Transaction, access: Access, thread_id: str, messages: int) -> Asked:
    """What the newest *messages* of a thread ask for, and whom they are about."""
    thread = threads.get(tx, access, thread_id)
    newest = episodes.last_messages(tx, access, thread, max(messages, RECENT_MESSAGES_DEFAULT))
    return Asked(
        thread=thread,
        graph=graphs.of_user(tx, access, thread.user_id),
        user=_user(tx, access, thread.user_id),
        newest=tuple(newest),
        text=query_text(newest[-messages:]),
    )


def ask_graph(tx: Transaction, access: Access, graph: Graph, text: str) -> Asked:
    """What *text* asks for of a graph, and whom it is about if that is a user's."""
    user = _user(tx, access, graph.graph_id) if graph.kind == "user" else None
    return Asked(graph=graph, user=user, newest=(), text=text)


def _user(tx: Transaction, access: Access, user_id: str) -> Entity | None:
    try:
        node = users.node(tx, access, user_id)
    except NotFound:
        return None
    summary = derived.user_summary(tx, access, user_id)
    return msgspec.structs.replace(node, summary=summary)


@dataclass(frozen=True, slots=True)
class Gatherer:
    """Collects for one asker at one moment."""

    store: Store
    finder: Searcher
    access: Access
    asked: Asked
    now: datetime

    async def everything(self, wanted: Wanted, rating_min: float | None = None) -> Found:
        """What a block of its own making tells, each kind the most relevant first."""
        return relevant(await self.candidates(wanted, rating_min))

    async def candidates(self, wanted: Wanted, rating_min: float | None = None) -> Found:
        """All that a block could tell, also what fits much worse than the best."""
        # Facts first, by themselves: the searches after them meet a question that is known already.
        known = await self.ranked_facts(wanted.facts, Filters(rating_min=rating_min))
        facts = [hit.item for hit in known]
        hits, said, observed, summed = await asyncio.gather(
            self._find("entity", wanted.entities),
            self.episodes(wanted.episodes),
            self._find("observation", wanted.observations),
            self.derived("thread_summary", wanted.thread_summaries),
        )
        about = await self._about(facts, hits.entities)
        others = [entity for entity in about if not (entity.is_user or entity.is_assistant)]
        return Found(
            facts=tuple(known),
            entities=ranked(others[: wanted.entities]),
            episodes=tuple(said),
            observations=observed.observations,
            thread_summaries=tuple(_holding(summed.thread_summaries)),
        )

    async def facts(self, limit: int, filters: Filters = NO_FILTERS) -> list[Fact]:
        """The facts that matter, without their scores."""
        return [hit.item for hit in await self.ranked_facts(limit, filters)]

    async def ranked_facts(
        self, limit: int, filters: Filters = NO_FILTERS
    ) -> Sequence[Ranked[Fact]]:
        """The facts that matter, those that hold now before the others.

        When nothing is asked, or nothing fits, these are the newest of what holds now: whoever
        knows something tells it.
        """
        answer = await self._find("fact", limit, filters)
        found = list(answer.facts)
        if not found and limit:
            most = limit if filters == NO_FILTERS else PAGE_MAX
            known = await self.store.read(
                knowledge.facts_holding, self.access, self.asked.graph, most
            )
            passing = [fact for fact in known if passes_fact(filters, fact)]
            found = [Ranked(item=fact, score=1.0) for fact in passing[:limit]]
        return sorted(found, key=lambda hit: not holds(hit.item, self.now))

    async def entities(self, limit: int, facts: int, filters: Filters) -> list[Entity]:
        """The entities that fit, and those that the best *facts* are about, in turns."""
        answer, known = await asyncio.gather(
            self._find("entity", limit, filters), self.facts(facts)
        )
        about = await self._about(known, answer.entities)
        return [entity for entity in about if passes_entity(filters, entity)][:limit]

    async def episodes(self, limit: int) -> Sequence[Ranked[Episode]]:
        """What was said before and fits; the newest of this thread are in every prompt already."""
        recent = {episode.uuid for episode in self.asked.newest}
        answer = await self._find("episode", limit + len(recent) if limit else 0)
        return [hit for hit in answer.episodes if hit.item.uuid not in recent][:limit]

    async def derived(self, kind: Kind, limit: int) -> Found:
        """Observations or thread summaries that fit.

        A thread that is in the prompt as a whole is not summed up beside it.
        """
        found = await self._find(kind, limit)
        if len(self.asked.newest) >= RECENT_MESSAGES_DEFAULT:
            return found
        own = self.asked.thread.thread_id if self.asked.thread else None
        others = tuple(hit for hit in found.thread_summaries if hit.item.thread_id != own)
        return msgspec.structs.replace(found, thread_summaries=others)

    async def _find(self, kind: Kind, limit: int, filters: Filters = NO_FILTERS) -> Found:
        if not limit or not self.asked.text:
            return Found()
        query = Query(
            text=self.asked.text,
            kind=kind,
            now=self.now,
            limit=limit,
            filters=filters,
            near_uuid=self.asked.user.uuid if self.asked.user else None,
            time_zone=self.asked.graph.time_zone,
        )
        return await self.finder.find(self.access, self.asked.graph, query)

    async def _about(self, facts: Iterable[Fact], hits: Iterable[Ranked[Entity]]) -> list[Entity]:
        """Entities that were found and those at the ends of facts, in turns, each once."""
        found = {hit.item.uuid: hit.item for hit in hits}
        ends = dict.fromkeys(
            uuid for fact in facts for uuid in (fact.source_uuid, fact.target_uuid)
        )
        unread = [uuid for uuid in ends if uuid not in found]
        read: list[Entity] = []
        if unread:
            read = await self.store.read(
                knowledge.entities_by_uuids, self.access, self.asked.graph, unread
            )
        every = {**found, **{entity.uuid: entity for entity in read}}
        if self.asked.user is not None:
            every[self.asked.user.uuid] = self.asked.user
        turns = dict.fromkeys(budget.in_turns([list(found), list(ends)]))
        return [every[uuid] for uuid in turns if uuid in every]


def relevant(found: Found) -> Found:
    """Without what fits so much worse than the best of its kind."""
    return msgspec.structs.replace(
        found,
        facts=_relevant(found.facts, _RELEVANT_FACT),
        episodes=_relevant(found.episodes),
        observations=_relevant(found.observations),
        thread_summaries=_relevant(found.thread_summaries),
    )


def ranked(items: Iterable[T]) -> tuple[Ranked[T], ...]:
    """Things in their order of relevance, whose scores tell no more than that order."""
    return tuple(Ranked(item=item, score=1 / place) for place, item in enumerate(items, 1))


def _holding(hits: Sequence[Ranked[ThreadSummary]]) -> list[Ranked[ThreadSummary]]:
    """Without conversations of which nothing holds any more: a block tells what is so now."""
    return [hit for hit in hits if not thread_summary.is_over(hit.item.summary)]


def _relevant(hits: Sequence[Ranked[T]], share: float = _RELEVANT) -> tuple[Ranked[T], ...]:
    least = share * max((hit.score for hit in hits), default=0.0)
    return tuple(hit for hit in hits if hit.score >= least)
