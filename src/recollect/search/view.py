"""One search under way: who may be seen, who is worth scoring, and what is thought of them.

Every opinion is a number for each slot put forward: all that may be seen of a small graph, and of a
large one what some opinion puts forward.
"""

from collections.abc import Callable
from copy import copy
from functools import cached_property

import msgspec
import numpy as np

from recollect.graph.filters import NO_FILTERS, Filters
from recollect.models.embedder import LIKENESS_DEVIATION, USUAL_LIKENESS
from recollect.search import masks, walk
from recollect.search.asked import Asked
from recollect.search.columns import Flags, Floats, Slots
from recollect.search.fuse import Scores
from recollect.search.masks import Anchors
from recollect.search.query import Kind, Query
from recollect.search.question import Resolved
from recollect.search.segment import Segment
from recollect.search.shelves import Shelves
from recollect.search.strands import Window
from recollect.search.vectors import DIMENSIONS, EXACT_MAX, distinct

# What the meaning of the turns before counts for a turn.
_BEFORE = (0.2, 0.1)
_PUT_FORWARD = 512
_DEPTH = 3  # of breadth-first search
_SAME_WORDS = 0.75  # the share of a question's words from which on another one asks the same


_MASKS: dict[Kind, Callable[[Shelves, Filters, Anchors], Flags]] = {
    "fact": masks.fact_mask,
    "entity": masks.entity_mask,
    "episode": masks.episode_mask,
    "observation": masks.observation_mask,
    "thread_summary": masks.thread_summary_mask,
}


def mask(segment: Segment, query: Query, resolved: Resolved) -> Flags:
    """The slots of the kind asked for that are there and pass the filters."""
    anchors = Anchors(
        facts=_known(segment, "fact", resolved.facts),
        episodes=_known(segment, "episode", resolved.episodes),
        sources=_known(segment, "entity", resolved.sources),
        targets=_known(segment, "entity", resolved.targets),
        connected=_known(segment, "entity", resolved.connected),
        named={
            uuid: int(slot)
            for uuid, number in resolved.tested
            for slot in segment.episodes.known([number])
        },
    )
    return _MASKS[query.kind](segment.shelves, query.filters, anchors)


def _known(segment: Segment, kind: Kind, ids: tuple[int, ...] | None) -> Slots | None:
    return None if ids is None else segment.shelf(kind).known(ids)


class View:
    """What one question sees of one segment. `slots` are those put forward, in order."""

    def __init__(
        self, segment: Segment, asked: Asked, visible: Flags, slots: Slots | None = None
    ) -> None:
        self.segment = segment
        self.asked = asked
        self.query = asked.query
        self.kind: Kind = asked.query.kind
        if self.kind == "fact":
            visible = visible & ~self._unasked(visible)
        self.visible = visible
        self.window = self._window()
        self.reached = self._reached()
        if slots is not None:
            self.slots = slots
        elif np.count_nonzero(visible) <= EXACT_MAX:
            self.slots = np.flatnonzero(visible).astype(np.int32)
        else:
            self.slots = self._put_forward()

    def of(self, slots: Slots) -> "View":
        """What the same question thinks of others that it may see."""
        other = copy(self)
        other.slots = slots
        return other

    def _unasked(self, visible: Flags) -> Flags:
        """What a user's profile tells, where no word of the question asks for it: no episode is
        behind it, and beside names it says little that could fit."""
        supported = np.zeros(len(visible), bool)
        items, _ = self.segment.supports.pairs(self.segment.episodes)
        supported[items] = True
        profile = visible & ~supported
        if not profile.any():
            return profile
        return profile & (self.segment.words["fact"].search(self.asked.plain, profile) <= 0)

    def _window(self) -> Window | None:
        if self.kind != "episode":
            return None
        if np.array_equal(self.visible, self.segment.visible("episode")):
            return self.segment.whole_window
        return self.segment.strands.window(self.visible, self.segment.episodes.created_at.array)

    def _reached(self) -> walk.Hops | None:
        """How far breadth-first search has to go to each item; None when it starts nowhere."""
        if not self.query.origin_uuids:
            return None
        entities = self.segment.entities.known(self.asked.resolved.origin_entities)
        episodes = self.segment.episodes.known(self.asked.resolved.origin_episodes)
        origins = np.union1d(entities, walk.mentioned(self.segment, episodes)).astype(np.int32)
        return walk.item_hops(self.segment, self.kind, origins, _DEPTH)

    def _put_forward(self) -> Slots:
        parts: list[Slots] = [_top(self._words, _PUT_FORWARD)]
        vector = self.asked.vector
        if vector is not None:
            parts.append(self.segment.vectors[self.kind].nearest(vector, self.visible))
            if self.kind in ("episode", "entity"):
                parts.append(self._behind_facts[0])
        if self.reached is not None:
            near = np.flatnonzero((self.reached < walk.FAR) & self.visible).astype(np.int32)
            parts.append(near[np.argsort(self.reached[near], kind="stable")][:_PUT_FORWARD])
        slots = distinct(np.concatenate(parts).astype(np.int32))
        return slots[self.visible[slots]]

    @cached_property
    def _behind_facts(self) -> tuple[Slots, Floats]:
        """The items behind the facts nearest to the question, and how near those facts are.

        Facts that are not among the nearest are as near as usual, so they tell nothing.
        """
        alive = self.segment.facts.alive.array
        vectors, vector = self.segment.vectors["fact"], self.asked.vector
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
        """Facts, those near ones at least, and whose they are."""
        if self.kind != "entity":
            return self.segment.supports.pairs(self.segment.episodes)
        facts = self.segment.facts
        ends = np.concatenate([facts.source.array[near], facts.target.array[near]])
        return np.concatenate([near, near]), ends

    def behind(self, slots: Slots) -> tuple["View | None", Slots, Slots]:
        """The episodes behind facts, and which fact rests on which of them."""
        query = msgspec.structs.replace(
            self.query, kind="episode", origin_uuids=(), filters=NO_FILTERS
        )
        asked = msgspec.structs.replace(self.asked, query=query)
        visible = self.segment.visible("episode")
        chosen = np.zeros(len(self.visible), bool)
        chosen[slots] = True
        facts, episodes = self.segment.supports.pairs(self.segment.episodes)
        kept = chosen.take(facts) & visible.take(episodes)
        facts, episodes = facts[kept], episodes[kept]
        if not len(episodes):
            return None, facts, episodes
        return View(self.segment, asked, visible, distinct(episodes)), facts, episodes

    @cached_property
    def _words(self) -> Scores:
        """How well the words of every slot fit."""
        words = self.segment.words[self.kind]
        return words.search(self.asked.hashes, self.visible, self.window)

    def words(self) -> Scores:
        """How well the words fit."""
        return self._words[self.slots]

    def words_among(self) -> Scores:
        """How well the words of turns fit, for a few of them."""
        words = self.segment.words[self.kind]
        if self.window is None:
            return self.words()
        return words.search_among(self.asked.hashes, self.visible, self.window, self.slots)

    def repeats(self) -> Flags:
        """Which turns only ask, and ask the same: near as they are, they have nothing to tell."""
        asks = self.segment.episodes.asks.array[self.slots]
        if not asks.any():
            return np.zeros(len(self.slots), bool)
        hashes = (*self.asked.hashes, *self.asked.plain)
        same = self.segment.words["episode"].held(hashes, self.visible)[self.slots]
        flags: Flags = (asks > 0) & (same >= _SAME_WORDS * asks)
        return flags

    def meaning(self) -> Scores:
        """How near the items themselves are, in deviations from what is usual.

        For a turn, those before it count a little.
        """
        vector = self.asked.vector
        if vector is None:
            return np.zeros(len(self.slots))
        if self.kind == "entity":
            return self.facts()
        vectors = self.segment.vectors[self.kind]
        held = vectors.held(len(self.visible))
        own = _deviations(vectors.likeness(self.slots, vector), held[self.slots])
        if self.window is None:
            return own
        total = own
        for distance, weight in enumerate(_BEFORE, start=1):
            before, there = self.window.before(self.slots, distance)
            there &= held[before]
            near = _deviations(vectors.likeness(before, vector), there)
            total = total + weight * np.where(there, near, own)
        return total / (1 + sum(_BEFORE))

    def meanings(self, slots: Slots) -> Floats:
        """A vector for each of *slots*, zeros without one; that of an entity is its facts' mean."""
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
        """How near the nearest fact of each slot is, in deviations; usual for those without."""
        owners, likeness = self._behind_facts
        best = np.full(len(self.visible), -np.inf)
        np.maximum.at(best, owners, likeness)
        return _deviations(best[self.slots], np.isfinite(best[self.slots]))


def _deviations(likeness: Floats | Scores, known: Flags) -> Scores:
    """How far likenesses are from what is usual; 0 where none is known."""
    return np.where(known, (likeness - USUAL_LIKENESS) / LIKENESS_DEVIATION, 0.0)


def _top(scores: Scores, count: int) -> Slots:
    found = np.flatnonzero(scores != 0)  # flags are looked through far sooner than numbers
    if len(found) > count:
        found = found[np.argpartition(-scores[found], count)[:count]]
    return found.astype(np.int32)
