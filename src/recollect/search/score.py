"""Scoring: which items are candidates for a query, and the measures of each.

Every measure is a number for each candidate. What a query reveals besides its words, such as whom it
names and the time it is about, is a bonus on the scale of the other measures.
"""

from copy import copy
from datetime import datetime
from functools import cached_property

import msgspec
import numpy as np

from recollect.graph.filters import NO_FILTERS
from recollect.graph.types import Kind
from recollect.models.embedder import LIKENESS_DEVIATION, USUAL_LIKENESS
from recollect.search import hops
from recollect.search.columns import NO_TIME, Flags, Floats, Ints, Scores, Slots
from recollect.search.neighbours import Neighbourhoods
from recollect.search.query import PreparedQuery
from recollect.search.segment import Segment
from recollect.search.times import TimeWindow
from recollect.search.vectors import DIMENSIONS, EXACT_MAX, distinct
from recollect.store.rows import micros

# The weights of the previous turns in the meaning of a turn.
_BEFORE = (0.2, 0.1)
_PER_MEASURE = 512  # candidates that each measure selects
_DEPTH = 3  # of breadth-first search
_SAME_WORDS = 0.75  # a question asks the same if this share of its words is in the query
# Measured: docs/measurements/search.md.
SPOKEN_BY_NAMED = 1.0
SPOKEN_BY_FIRST_NAMED = 0.5
SPOKEN_BY_ASKER = 2.0
ABOUT_NAMED = 0.5
IN_TIME = 1.5
NO_LONGER = -6.0
TOOK_PLACE = 1.5
LEFT_BEHIND = -3.0
_FADES_MICROS = 14 * 24 * 3600 * 1e6
NEAR = (0.3, 0.1)  # for facts that touch `near_uuid`, and for those one hop away


class Candidates:
    """The items of one segment that are scored for a query, by their `slots`, and their measures.

    In a small graph these are all that pass the filters, in a large one the best by any measure.
    """

    def __init__(
        self, segment: Segment, prepared: PreparedQuery, visible: Flags, slots: Slots | None = None
    ) -> None:
        self.segment = segment
        self.prepared = prepared
        self.query = prepared.query
        self.kind: Kind = prepared.query.kind
        if self.kind == "fact":
            visible = visible & ~self._unasked(visible)
        self.visible = visible
        self.neighbours = self._find_neighbours()
        self.reached = self._reached()
        if slots is not None:
            self.slots = slots
        elif np.count_nonzero(visible) <= EXACT_MAX:
            self.slots = np.flatnonzero(visible).astype(np.int32)
        else:
            self.slots = self._preselected()

    def only(self, slots: Slots) -> "Candidates":
        """Other candidates for the same query."""
        other = copy(self)
        other.slots = slots
        return other

    def _unasked(self, visible: Flags) -> Flags:
        """Facts of a user's profile that no word of the query asks for.

        No episode is behind them, and besides names they contain little that could match.
        """
        supported = np.zeros(len(visible), bool)
        items, _ = self.segment.supports.pairs(self.segment.episodes)
        supported[items] = True
        profile = visible & ~supported
        if not profile.any():
            return profile
        return profile & (self.segment.words["fact"].search(self.prepared.plain, profile) <= 0)

    def _find_neighbours(self) -> Neighbourhoods | None:
        if self.kind != "episode":
            return None
        if np.array_equal(self.visible, self.segment.visible("episode")):
            return self.segment.neighbours
        return self.segment.episodes.order.neighbours(
            self.visible, self.segment.episodes.created_at.array
        )

    def _reached(self) -> hops.Hops | None:
        """The distance of each item in breadth-first search; None if the query has no origins."""
        if not self.query.origin_uuids:
            return None
        entities = self.segment.entities.known(self.prepared.lookups.origin_entities)
        episodes = self.segment.episodes.known(self.prepared.lookups.origin_episodes)
        origins = np.union1d(entities, hops.mentioned(self.segment, episodes)).astype(np.int32)
        return hops.item_hops(self.segment, self.kind, origins, _DEPTH)

    def _preselected(self) -> Slots:
        parts: list[Slots] = [_top(self._words, _PER_MEASURE)]
        vector = self.prepared.vector
        if vector is not None:
            parts.append(self.segment.vectors[self.kind].nearest(vector, self.visible))
            if self.kind in ("episode", "entity"):
                parts.append(self._behind_facts[0])
        if self.reached is not None:
            near = np.flatnonzero((self.reached < hops.FAR) & self.visible).astype(np.int32)
            parts.append(near[np.argsort(self.reached[near], kind="stable")][:_PER_MEASURE])
        slots = distinct(np.concatenate(parts).astype(np.int32))
        return slots[self.visible[slots]]

    @cached_property
    def _behind_facts(self) -> tuple[Slots, Floats]:
        """The items behind the facts nearest to the question, and how near those facts are.

        Facts that are not among the nearest are as near as usual, so they add no information.
        """
        alive = self.segment.facts.alive.array
        vectors, vector = self.segment.vectors["fact"], self.prepared.vector
        if vector is None:
            return np.empty(0, np.int32), np.empty(0, np.float32)
        near = vectors.nearest(vector, alive)
        likeness = np.full(len(alive), -np.inf, np.float32)
        likeness[near] = vectors.likeness(near, vector)
        facts, owners = self._owned(near)
        known = np.isfinite(likeness).take(facts)
        facts, owners = facts[known], owners[known]
        kept = owners >= 0
        kept[kept] &= self.visible[owners[kept]]
        return owners[kept], likeness[facts[kept]]

    def _owned(self, near: Slots) -> tuple[Slots, Slots]:
        """Pairs of facts, at least the *near* ones, and the items they belong to."""
        if self.kind != "entity":
            return self.segment.supports.pairs(self.segment.episodes)
        facts = self.segment.facts
        ends = np.concatenate([facts.source.array[near], facts.target.array[near]])
        return np.concatenate([near, near]), ends

    def behind(self, slots: Slots) -> tuple["Candidates | None", Slots, Slots]:
        """The episodes behind facts, and which fact rests on which of them."""
        query = msgspec.structs.replace(
            self.query, kind="episode", origin_uuids=(), filters=NO_FILTERS
        )
        prepared = msgspec.structs.replace(self.prepared, query=query)
        visible = self.segment.visible("episode")
        chosen = np.zeros(len(self.visible), bool)
        chosen[slots] = True
        facts, episodes = self.segment.supports.pairs(self.segment.episodes)
        kept = chosen.take(facts) & visible.take(episodes)
        facts, episodes = facts[kept], episodes[kept]
        if not len(episodes):
            return None, facts, episodes
        return Candidates(self.segment, prepared, visible, distinct(episodes)), facts, episodes

    @cached_property
    def named(self) -> Flags:
        """The entities that the question names, with one more place for none.

        The name under which the user speaks means the user, even if the record has another name.
        """
        entities, episodes = self.segment.entities, self.segment.episodes
        flags = np.zeros(len(entities) + 1, bool)
        flags[entities.known(one.entity_id for one in self.prepared.lookups.named)] = True
        codes = [n for n, name in enumerate(episodes.first_names) if name in self.prepared.people]
        by_user = self.segment.visible("episode") & episodes.by_user.array
        if codes and (by_user & np.isin(episodes.speaker.array, codes)).any():
            flags[:-1] |= entities.own.array
        return flags

    @cached_property
    def _words(self) -> Scores:
        """How well the words of every slot fit."""
        words = self.segment.words[self.kind]
        return words.search(self.prepared.hashes, self.visible, self.neighbours)

    def words(self) -> Scores:
        """How well the words fit."""
        return self._words[self.slots]

    def words_among(self) -> Scores:
        """The same, faster for a few turns."""
        words = self.segment.words[self.kind]
        if self.neighbours is None:
            return self.words()
        return words.search_among(self.prepared.hashes, self.visible, self.neighbours, self.slots)

    def repeats(self) -> Flags:
        """Which turns only ask the same question: they are similar, but answer nothing."""
        asks = self.segment.episodes.asks.array[self.slots]
        if not asks.any():
            return np.zeros(len(self.slots), bool)
        hashes = (*self.prepared.hashes, *self.prepared.plain)
        same = self.segment.words["episode"].held(hashes, self.visible)[self.slots]
        flags: Flags = (asks > 0) & (same >= _SAME_WORDS * asks)
        return flags

    def meaning(self) -> Scores:
        """How near the items themselves are, in standard deviations from the usual similarity.

        For a turn, the previous ones count a little.
        """
        vector = self.prepared.vector
        if vector is None:
            return np.zeros(len(self.slots))
        if self.kind == "entity":
            return self.facts()
        vectors = self.segment.vectors[self.kind]
        held = vectors.held(len(self.visible))
        own = _deviations(vectors.likeness(self.slots, vector), held[self.slots])
        if self.neighbours is None:
            return own
        total = own
        for distance, weight in enumerate(_BEFORE, start=1):
            before, there = self.neighbours.before(self.slots, distance)
            there &= held[before]
            near = _deviations(vectors.likeness(before, vector), there)
            total = total + weight * np.where(there, near, own)
        return total / (1 + sum(_BEFORE))

    def meanings(self, slots: Slots) -> Floats:
        """A vector for each of *slots*, zeros if it has none; that of an entity is the mean of its facts'."""
        if self.kind != "entity":
            return self.segment.vectors[self.kind].rows(slots)
        facts = self.segment.facts
        known = np.flatnonzero(facts.alive.array).astype(np.int32)
        total = np.zeros((len(slots), DIMENSIONS), np.float32)
        for ends in (facts.source.array[known], facts.target.array[known]):
            for place, slot in enumerate(slots):
                total[place] += self.segment.vectors["fact"].rows(known[ends == slot]).sum(axis=0)
        length = np.linalg.norm(total, axis=1, keepdims=True)
        mean: Floats = total / np.maximum(length, 1e-6)
        return mean

    def facts(self) -> Scores:
        """How near the nearest fact of each slot is, in standard deviations; 0 if it has none."""
        owners, likeness = self._behind_facts
        best = np.full(len(self.visible), -np.inf)
        np.maximum.at(best, owners, likeness)
        return _deviations(best[self.slots], np.isfinite(best[self.slots]))


def _deviations(likeness: Floats | Scores, known: Flags) -> Scores:
    """Similarities as standard deviations from the usual one; 0 if unknown."""
    return np.where(known, (likeness - USUAL_LIKENESS) / LIKENESS_DEVIATION, 0.0)


def _top(scores: Scores, count: int) -> Slots:
    found = np.flatnonzero(scores != 0)  # far faster than on the scores themselves
    if len(found) > count:
        found = found[np.argpartition(-scores[found], count)[:count]]
    return found.astype(np.int32)


def about_now(candidates: Candidates) -> bool:
    """Whether the query asks for facts that hold now."""
    prepared = candidates.prepared
    return candidates.kind == "fact" and not (
        prepared.tense == "past" or prepared.windows or candidates.query.filters.valid_on
    )


def bonus(candidates: Candidates) -> Scores:
    """The bonus of each candidate for what the query reveals besides its words and meaning."""
    total = np.zeros(len(candidates.slots))
    if candidates.kind == "fact":
        total += _about_named(candidates) + _valid(candidates) + _near(candidates)
        total += _took_place(candidates) + _left_behind(candidates)
    elif candidates.kind == "episode":
        total += _spoken(candidates) + _said_then(candidates)
    if candidates.reached is not None:
        steps = candidates.reached[candidates.slots].astype(np.float64)
        total += np.where(steps < hops.FAR, 1.0 / (1 + steps), 0.0)
    return total


def _about_named(candidates: Candidates) -> Scores:
    """A bonus for facts about entities that the question names."""
    flags, facts = candidates.named, candidates.segment.facts
    about = (
        flags[facts.source.array[candidates.slots]] | flags[facts.target.array[candidates.slots]]
    )
    return np.where(about, ABOUT_NAMED, 0.0)


def _left_behind(candidates: Candidates) -> Scores:
    """A penalty for facts about entities that are no longer part of the user's life.

    The town of a former employer, for instance, answers no question about the present that does not
    name the employer.
    """
    entities, facts = candidates.segment.entities, candidates.segment.facts
    own, none = np.append(entities.own.array, False), np.zeros(len(candidates.slots))
    if not own.any() or not about_now(candidates):
        return none
    source, target = facts.source.array, facts.target.array
    tied = facts.alive.array & (own[source] != own[target])
    other = np.where(own[source], target, source)
    over = ended(candidates, np.arange(len(facts), dtype=np.int32))
    behind = np.zeros(len(own), bool)
    behind[other[tied & over]] = True
    # Someone who left a place, or visited it once, is not tied to it.
    behind[other[tied & ~(over | facts.took_place.array | facts.denies.array)]] = False
    behind &= ~candidates.named
    ends = source[candidates.slots], target[candidates.slots]
    told = (behind[ends[0]] | behind[ends[1]]) & ~own[ends[0]] & ~own[ends[1]]
    return np.where(told, LEFT_BEHIND, 0.0)


def _spoken(candidates: Candidates) -> Scores:
    """A bonus for what a person named in the query said, or the user who asks about themselves."""
    table, people = candidates.segment.episodes, candidates.prepared.people
    if candidates.prepared.own and not people:
        return np.where(table.by_user.array[candidates.slots], SPOKEN_BY_ASKER, 0.0)
    if not people or candidates.prepared.together:
        return np.zeros(len(candidates.slots))
    said = np.array([*(name == people[0] for name in table.first_names), False])
    weight = SPOKEN_BY_NAMED if len(people) == 1 else SPOKEN_BY_FIRST_NAMED
    return np.where(said[table.speaker.array[candidates.slots]], weight, 0.0)


def _said_then(candidates: Candidates) -> Scores:
    """A bonus for what was said at the time in question, fading with distance from it."""
    at = candidates.segment.episodes.created_at.array[candidates.slots]
    nearest = np.zeros(len(at))
    for window in candidates.prepared.windows:
        first, last = _bounds(window)
        apart = np.maximum(np.maximum(first - at.astype(np.float64), at - float(last)), 0.0)
        nearest = np.maximum(nearest, np.exp(-apart / _FADES_MICROS))
    return IN_TIME * nearest


def _valid(candidates: Candidates) -> Scores:
    """A bonus for facts of the time in question; without one, a penalty for facts that have ended.

    A question in the past tense gets neither.
    """
    facts = candidates.segment.facts
    starts, ends = facts.valid_at.array[candidates.slots], facts.invalid_at.array[candidates.slots]
    if candidates.prepared.windows:
        return np.where(_inside(candidates, starts, ends), IN_TIME, 0.0)
    if candidates.query.filters.valid_on is not None or candidates.prepared.tense == "past":
        return np.zeros(len(candidates.slots))
    return np.where(ended(candidates, candidates.slots), NO_LONGER, 0.0)


def ended(candidates: Candidates, slots: Slots) -> Flags:
    """Which facts no longer hold."""
    facts, now = candidates.segment.facts, micros(candidates.query.now)
    ends, expired = facts.invalid_at.array[slots], facts.expired_at.array[slots]
    over: Flags = ((ends != NO_TIME) & (ends <= now)) | ((expired != NO_TIME) & (expired <= now))
    return over


def _took_place(candidates: Candidates) -> Scores:
    """Prefer events for a question in the past tense, and states for one in the present.

    Compare "who bought the house" and "who owns it". A question that names a time gets no preference.
    """
    prepared, facts = candidates.prepared, candidates.segment.facts
    if prepared.windows or prepared.tense is None:
        return np.zeros(len(candidates.slots))
    happened = facts.took_place.array[candidates.slots]
    happened &= facts.valid_at.array[candidates.slots] <= micros(candidates.query.now)
    return np.where(happened, TOOK_PLACE if prepared.tense == "past" else -TOOK_PLACE, 0.0)


def _inside(candidates: Candidates, starts: Ints, ends: Ints) -> Flags:
    """Which facts have a known start and held at some time that the question is about."""
    inside = np.zeros(len(starts), bool)
    for window in candidates.prepared.windows:
        first, last = _bounds(window)
        inside |= (starts < last) & ((ends == NO_TIME) | (ends > first))
    inside &= starts != NO_TIME
    return inside


def _bounds(window: TimeWindow) -> tuple[int, int]:
    def micros_or(moment: datetime | None, otherwise: int) -> int:
        return otherwise if moment is None else micros(moment)

    return micros_or(window.start, int(NO_TIME)), micros_or(window.end, np.iinfo(np.int64).max)


def _near(candidates: Candidates) -> Scores:
    """A bonus for facts close to the entity given as `near_uuid`."""
    origins = candidates.segment.entities.known(candidates.prepared.lookups.near)
    if not len(origins):
        return np.zeros(len(candidates.slots))
    steps = hops.item_hops(candidates.segment, "fact", origins, len(NEAR) - 1)[candidates.slots]
    return np.select([steps == distance for distance in range(len(NEAR))], NEAR, 0.0)
