"""What a search has to find, computed item by item in plain Python.

Weights and bounds are those of the modules. How they are used is implemented here again, without columns,
postings, quantised vectors or any other optimisation.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from recollect.graph.filters import Filters, passes_entity, passes_episode, passes_fact
from recollect.graph.types import Kind
from recollect.models import embedder
from recollect.search import freshness, neighbours, postings, rank, score
from recollect.search.tables import first_name
from recollect.search.times import TimeWindow
from tests.property.small_graphs import Small

FAR = 10_000

Vector = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Told:
    """The content of a graph's items, and further data on its episodes; by uuid."""

    terms: dict[str, Counter[str]]
    vectors: dict[str, Vector] = field(repr=False)
    strands: dict[str, str | None]
    speakers: dict[str, str | None]
    by_user: set[str]
    asking: set[str]


@dataclass(frozen=True)
class Question:
    """A question as a segment gets it; it refers to items by uuid."""

    kind: Kind
    terms: list[str]
    vector: Vector | None = field(repr=False)
    filters: Filters
    now: datetime
    limit: int
    reranker: str | None
    mmr_lambda: float
    named: tuple[str, ...]
    near: str | None
    center: str
    origins: tuple[str, ...]
    people: tuple[str, ...]
    together: bool
    own: bool
    windows: tuple[TimeWindow, ...]


class Oracle:
    """One question, one graph."""

    def __init__(self, graph: Small, told: Told, question: Question) -> None:
        self.graph = graph
        self.told = told
        self.question = question
        self.here = {
            item.uuid: item
            for items in (graph.facts, graph.entities, graph.episodes)
            for item in items
            if item.uuid not in graph.gone
        }
        self.seen = self._visible()

    def _visible(self) -> list[Any]:
        graph, chosen = self.graph, self.question.filters
        if self.question.kind == "fact":
            return [
                fact
                for place, fact in enumerate(graph.facts)
                if fact.uuid in self.here
                and passes_fact(chosen, fact, graph.evidence(graph.supports, place))
                and (graph.evidence(graph.supports, place) or self._asks_for(fact))
            ]
        if self.question.kind == "entity":
            return [
                entity
                for place, entity in enumerate(graph.entities)
                if entity.uuid in self.here
                and passes_entity(chosen, entity, graph.evidence(graph.mentions, place))
            ]
        return [
            episode
            for place, episode in enumerate(graph.episodes)
            if episode.uuid in self.here
            and place not in graph.closed
            and passes_episode(chosen, episode)
        ]

    def _asks_for(self, fact: Any) -> bool:
        """Whether a fact contains a word of the question; a fact without an episode must."""
        return any(self.told.terms[fact.uuid][term] for term in self.question.terms)

    def _each(self, opinion: Callable[[Any], float]) -> dict[str, float]:
        return {item.uuid: opinion(item) for item in self.seen}

    # Words.

    @cached_property
    def words(self) -> dict[str, float]:
        """BM25 over the visible items, as a share of the total weight of the question's words.

        For an episode, the words of its neighbours count as well.
        """
        counts = {item.uuid: self.told.terms[item.uuid] for item in self.seen}
        sizes = {uuid: float(sum(count.values())) for uuid, count in counts.items()}
        lent = {uuid: min(1.0, postings._LENT_MAX / max(size, 1.0)) for uuid, size in sizes.items()}
        around = {item.uuid: self._around(item) for item in self.seen}

        def gathered(own: dict[str, float]) -> dict[str, float]:
            return {
                uuid: own[uuid] + sum(w * own[other] * lent[other] for other, w in around[uuid])
                for uuid in own
            }

        lengths = gathered(sizes)
        mean = max(1.0, sum(lengths.values()) / len(lengths))
        total, wanted = dict.fromkeys(lengths, 0.0), 0.0
        for term in dict.fromkeys(self.question.terms):
            own = {uuid: float(count[term]) for uuid, count in counts.items()}
            holding = sum(count > 0 for count in own.values())
            rarity = math.log(1 + (len(own) - holding + 0.5) / (holding + 0.5))
            wanted += rarity
            for uuid, count in gathered(own).items():
                shape = 1 - postings.B + postings.B * lengths[uuid] / mean
                total[uuid] += rarity * count * (postings.K1 + 1) / (count + postings.K1 * shape)
        most = 1.0 if self.question.kind == "episode" else math.inf
        return {uuid: min(score / wanted, most) if wanted else 0.0 for uuid, score in total.items()}

    def _neighbours(self, episode: Any) -> tuple[list[Any], int]:
        """The visible episodes of its strand without a long gap in time, and its position among them."""
        strand = self.told.strands[episode.uuid]
        if strand is None:
            return [episode], 0
        line = [one for one in self.seen if self.told.strands[one.uuid] == strand]
        line.sort(key=lambda one: one.seq)
        gap = timedelta(microseconds=neighbours._GAP_MICROS)
        first = last = place = line.index(episode)
        while first > 0 and abs(line[first].created_at - line[first - 1].created_at) <= gap:
            first -= 1
        while (
            last + 1 < len(line) and abs(line[last + 1].created_at - line[last].created_at) <= gap
        ):
            last += 1
        return line[first : last + 1], place - first

    def _around(self, item: Any) -> list[tuple[str, float]]:
        if self.question.kind != "episode":
            return []
        line, place = self._neighbours(item)
        return [
            (other.uuid, neighbours.DECAY[abs(number - place) - 1])
            for number, other in enumerate(line)
            if 0 < abs(number - place) <= len(neighbours.DECAY)
        ]

    # Meaning.

    def _nearness(self, uuid: str) -> float | None:
        """Similarity to the question, in standard deviations from that of any two texts; None if unknown."""
        vector = self.told.vectors.get(uuid)
        if vector is None or self.question.vector is None:
            return None
        cosine = float(vector @ self.question.vector)
        return (cosine - embedder.USUAL_LIKENESS) / embedder.LIKENESS_DEVIATION

    @cached_property
    def meaning(self) -> dict[str, float]:
        """The similarity of each item; for an entity, that of its most similar fact."""
        if self.question.kind == "entity":
            return self.nearest_facts
        if self.question.kind == "fact":
            return self._each(lambda item: self._nearness(item.uuid) or 0.0)
        return self._each(self._turn_nearness)

    def _turn_nearness(self, episode: Any) -> float:
        own = self._nearness(episode.uuid) or 0.0
        line, place = self._neighbours(episode)
        total = own
        for distance, weight in enumerate(score._BEFORE, start=1):
            before = self._nearness(line[place - distance].uuid) if place >= distance else None
            total += weight * (own if before is None else before)
        return total / (1 + sum(score._BEFORE))

    def meant_by(self, uuid: str) -> list[str]:
        """The items whose vectors make up an item's meaning: itself, or for an entity its facts.

        A fact counts once for each of its ends that is the entity.
        """
        if self.question.kind != "entity":
            return [uuid] if uuid in self.told.vectors else []
        ends = [
            (fact.uuid, end)
            for fact in self.graph.facts
            if fact.uuid in self.here and fact.uuid in self.told.vectors
            for end in (fact.source_uuid, fact.target_uuid)
        ]
        return [fact for fact, end in ends if end == uuid]

    @cached_property
    def nearest_facts(self) -> dict[str, float]:
        """The similarity of the most similar fact that an episode supports, or that an entity is in."""

        def nearest(item: Any) -> float:
            known = [self._nearness(fact.uuid) for fact in self._facts_of(item)]
            return max((one for one in known if one is not None), default=0.0)

        return self._each(nearest)

    def _facts_of(self, item: Any) -> Iterable[Any]:
        for place, fact in enumerate(self.graph.facts):
            behind = self.graph.evidence(self.graph.supports, place)
            concerned = [fact.source_uuid, fact.target_uuid, *(one.uuid for one in behind)]
            if fact.uuid in self.here and item.uuid in concerned:
                yield fact

    # Hops.

    def _entity_hops(self, origins: Iterable[str], depth_max: int) -> dict[str, int]:
        hops = dict.fromkeys(origins, 0)
        for depth in range(depth_max):
            for fact in self.graph.facts:
                if fact.uuid not in self.here:
                    continue
                for one, other in (
                    (fact.source_uuid, fact.target_uuid),
                    (fact.target_uuid, fact.source_uuid),
                ):
                    if hops.get(one) == depth:
                        hops.setdefault(other, depth + 1)
        return hops

    def hops(self, origins: Iterable[str], depth_max: int) -> dict[str, int]:
        """The distance of the visible items from the nearest of some entities."""
        entities = self._entity_hops(origins, depth_max)

        def far(item: Any) -> int:
            if self.question.kind == "entity":
                return entities.get(item.uuid, FAR)
            if self.question.kind == "fact":
                ends = (item.source_uuid, item.target_uuid)
                return min(entities.get(end, FAR) for end in ends)
            ends = self._spoken_of(item)
            return min((entities.get(end, FAR) for end in ends), default=FAR)

        return {item.uuid: far(item) for item in self.seen}

    def _spoken_of(self, episode: Any) -> list[str]:
        """The entities that an episode mentions, and those its facts are about."""
        found = [
            entity.uuid
            for place, entity in enumerate(self.graph.entities)
            if entity.uuid in self.here
            and episode in self.graph.evidence(self.graph.mentions, place)
        ]
        for fact in self._facts_of(episode):
            found += [fact.source_uuid, fact.target_uuid]
        return found

    @cached_property
    def reached(self) -> dict[str, int] | None:
        """The depth at which breadth-first search reaches each item; None without origins."""
        if not self.question.origins:
            return None
        origins: list[str] = []
        for uuid in self.question.origins:
            item = self.here.get(uuid)
            if item in self.graph.entities:
                origins.append(uuid)
            elif item is not None:
                origins += self._spoken_of(item)
        return self.hops(origins, score._DEPTH)

    # What is known besides.

    def _extra(self, item: Any) -> float:
        total = 0.0
        if self.question.kind == "fact":
            total += self._fact_extra(item)
        if self.question.kind == "episode":
            total += self._episode_extra(item)
        if self.reached is not None and self.reached[item.uuid] < FAR:
            total += 1 / (1 + self.reached[item.uuid])
        return total

    def _fact_extra(self, fact: Any) -> float:
        question = self.question
        ends = {fact.source_uuid, fact.target_uuid}
        total = score.ABOUT_NAMED if ends & set(question.named) else 0.0
        if question.windows:
            in_time = fact.valid_at is not None and any(
                window.overlaps(fact.valid_at, fact.invalid_at) for window in question.windows
            )
            total += score.IN_TIME if in_time else 0.0
        elif question.filters.valid_on is None:
            over = any(
                end is not None and end <= question.now
                for end in (fact.invalid_at, fact.expired_at)
            )
            total += score.NO_LONGER if over else 0.0
        if question.near in self.here:
            distance = self.hops([str(question.near)], len(score.NEAR) - 1)[fact.uuid]
            total += score.NEAR[distance] if distance < len(score.NEAR) else 0.0
        return total

    def _episode_extra(self, episode: Any) -> float:
        question, told = self.question, self.told
        total = score.IN_TIME * max(
            (self._then(episode.created_at, window) for window in question.windows), default=0.0
        )
        if question.own and not question.people:
            total += score.SPOKEN_BY_ASKER if episode.uuid in told.by_user else 0.0
        elif question.people and not question.together:
            speaker = told.speakers[episode.uuid]
            alone = len(question.people) == 1
            if speaker is not None and first_name(speaker) == question.people[0]:
                total += score.SPOKEN_BY_NAMED if alone else score.SPOKEN_BY_FIRST_NAMED
        return total

    def _then(self, moment: datetime, window: TimeWindow) -> float:
        """1 at the time in question, and less the further away it is."""
        apart = timedelta(0)
        if window.start is not None:
            apart = max(apart, window.start - moment)
        if window.end is not None:
            apart = max(apart, moment - window.end)
        return math.exp(-apart / timedelta(microseconds=score._FADES_MICROS))

    # The answer.

    @cached_property
    def fused(self) -> dict[str, float]:
        """The weighted sum of all scores."""

        def score(item: Any) -> float:
            uuid = item.uuid
            if self.question.kind == "episode":
                return self.turns[uuid] + rank.TURN_FACTS * self.nearest_facts[uuid]
            told = self._told(item) if self.question.kind == "fact" else 0.0
            return (
                self._extra(item)
                + rank.MEANING * self.meaning[uuid]
                + rank.WORDS * self.words[uuid]
                + rank.FACT_TOLD * told
            )

        return self._fresh(self._each(score))

    def _fresh(self, scores: dict[str, float]) -> dict[str, float]:
        """The scores, lowered so that the older of two competing facts comes after the newer."""
        question = self.question
        if question.kind != "fact" or question.windows or question.filters.valid_on:
            return scores
        dated = [f for f in self.seen if f.valid_at and f.uuid in self.told.vectors]
        dated.sort(key=lambda fact: -scores[fact.uuid])
        if len(dated) < 2:
            return scores
        vectors = np.stack([self.told.vectors[fact.uuid] for fact in dated])
        vectors -= vectors.mean(axis=0)

        def fall(older: int, newer: int) -> float:
            one, other = dated[older], dated[newer]
            apart = scores[one.uuid] - scores[other.uuid]
            people = {one.source_uuid, one.target_uuid} & {other.source_uuid, other.target_uuid}
            if not people or one.valid_at >= other.valid_at or apart >= freshness.REACH:
                return 0.0
            lengths = np.linalg.norm(vectors[older]) * np.linalg.norm(vectors[newer])
            alike = float(vectors[older] @ vectors[newer]) / max(lengths, 1e-12)
            strength = min(
                max((alike - freshness.ALIKE) / (freshness.SAME - freshness.ALIKE), 0.0), 1.0
            )
            return strength * max(apart + freshness.BEHIND, 0.0)

        several = range(len(dated))
        falls = {dated[n].uuid: max(fall(n, other) for other in several) for n in several}
        return {uuid: score - falls.get(uuid, 0.0) for uuid, score in scores.items()}

    def _repeats(self, uuid: str) -> bool:
        """Whether a turn is itself a question with a word of this one."""
        words = self.told.terms[uuid]
        asked = sum(words[term] for term in dict.fromkeys(self.question.terms))
        return uuid in self.told.asking and asked > 0

    @cached_property
    def turns(self) -> dict[str, float]:
        """The scores of turns by their words and their meaning."""
        return self._each(
            lambda item: (
                self._extra(item)
                + (rank.TURN_REPEATS if self._repeats(item.uuid) else 1.0)
                * (
                    rank.TURN_MEANING * self.meaning[item.uuid]
                    + rank.TURN_WORDS * self.words[item.uuid]
                )
            )
        )

    @cached_property
    def _episodes(self) -> dict[str, float]:
        """The scores of the episodes behind the visible facts, computed without filters."""
        question = replace(self.question, kind="episode", filters=Filters(), origins=())
        oracle = Oracle(self.graph, self.told, question)
        behind = {
            one.uuid
            for fact in self.seen
            for one in self.graph.evidence(self.graph.supports, self.graph.facts.index(fact))
            if one.uuid in oracle.turns
        }
        return {uuid: oracle.turns[uuid] for uuid in behind}

    def _told(self, fact: Any) -> float:
        """The score of the best episode behind a fact; 0 without one."""
        behind = self.graph.evidence(self.graph.supports, self.graph.facts.index(fact))
        worth = [self._episodes[one.uuid] for one in behind if one.uuid in self._episodes]
        return max(worth, default=0.0)
