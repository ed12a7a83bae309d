"""Ranks newer facts before older ones on the same matter, and doubtful facts lower.

A question about the present has one answer, however often it changed. Facts about the same people that
are close in meaning compete to be that answer: the older one is ranked below the newer, the more so the
closer they are. If the newer one contains the very words by which the older one answers the question,
the older is in doubt ("12 seats", "reduced to 10 seats" when asked about seats), whatever a judge
decided when they were read. An exception: a language model or an agent was shown the older facts and
said which are over, so a fact that it read casts no such doubt. Nothing is left out, and questions about
the past or about a given time are not affected.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from recollect.search.columns import NO_TIME, Flags, Floats, Ints, Scores, Slots
from recollect.search.score import Candidates, about_now, ended
from recollect.store.rows import micros

# Measured: docs/measurements/search.md.
ALIKE = 0.1  # two facts compete from this similarity on, apart from what all have in common …
SAME = 0.4  # … and are about the same matter from this one on
BEHIND = 1.0  # how far the older one is then placed behind the newer
REACH = 4.0  # a newer fact whose score is this much lower is not an answer
SHARED = 0.3  # two facts are two answers if both have this share of the query's words, by rarity, …
NEAREST = 6  # … the older is one of this many that are nearest in meaning to the newer, …
ANSWERS = 4  # … and the newer is one of this many that fit best
OVERTAKEN = 0.4  # the probability that the older one is then over
_COMPETING_MAX = 16
_DOUBTED_MAX = 64


class Order(NamedTuple):
    """Facts by row id, and the place of each in the order in which they were last said.

    What was said at once is in the order in which it began to hold. *later*: whether the fact of a
    column is newer than that of a row and can have taken its place, if the question is about the present.
    *ended*: which no longer hold then. *strange*: no fact has any of the names in the question.
    """

    ids: list[int]
    places: Ints
    later: Flags
    ended: Flags
    strange: bool

    def among(self, ids: Sequence[int]) -> "Order":
        """The same for some of them, in this order."""
        kept = [self.ids.index(one) for one in ids]
        later = self.later[np.ix_(kept, kept)]
        return self._replace(
            ids=list(ids), places=self.places[kept], later=later, ended=self.ended[kept]
        )


def doubts(candidates: Candidates, scores: Scores) -> Scores:
    """For each of the best facts, the probability that it is over; 0 for the others."""
    found = np.zeros(len(scores))
    if about_now(candidates) and candidates.segment.facts.doubts:
        best = np.argsort(-scores, kind="stable")[:_DOUBTED_MAX]
        found[best] = [
            candidates.segment.facts.doubt(slot) for slot in candidates.slots[best].tolist()
        ]
    return found


def overtaken(candidates: Candidates, scores: Scores) -> Scores:
    """For each of the best facts, the probability that a newer fact has replaced it.

    The newer fact must be one of the first answers, share the query's words with the older one, and
    have few facts nearer to it than the older one.
    """
    found = np.zeros(len(scores))
    best = _open(candidates, scores) if about_now(candidates) else np.empty(0, np.int32)
    if len(best) < 2:
        return found
    slots = candidates.slots[best]
    said = _said(candidates, slots)
    later = said[:, None] < said
    rows = candidates.segment.vectors["fact"].rows(slots)
    alike = np.where(later, np.einsum("ij,kj->ik", rows, rows), -np.inf)
    nearer = (alike[:, None, :] > alike[None, :, :]).sum(axis=0)
    shared = candidates.segment.words["fact"].shared(
        candidates.prepared.content, candidates.visible, slots
    )
    over = later & (shared >= SHARED) & (nearer < NEAREST)
    over &= ~candidates.segment.facts.weighed.array[slots]
    # A newer fact about Ringo says nothing about Paul.
    over &= ~candidates.segment.words["fact"].lacking(
        candidates.prepared.names, candidates.visible, slots
    )
    over &= candidates.segment.facts.valid_at.array[slots] <= micros(candidates.query.now)
    found[best[over[:, :ANSWERS].any(axis=1)]] = OVERTAKEN
    return found


def order(candidates: Candidates, ids: Sequence[int]) -> Order:
    """When some facts were said, and which of them can have replaced which."""
    slots = candidates.segment.facts.known(ids)
    facts = candidates.segment.facts
    found = facts.ids.array[slots].tolist()
    said = _said(candidates, slots)
    began = facts.valid_at.array[slots]
    places = np.argsort(np.lexsort((found, began, said)))
    asked, words = candidates.prepared.names, candidates.segment.words["fact"]
    strange = bool(asked) and not words.holds(asked, candidates.visible)
    if not about_now(candidates) or not found:
        none = np.zeros((len(found), len(found)), bool)
        return Order(found, places, none, np.zeros(len(found), bool), strange)
    # Whoever was shown the older fact said itself whether that is over.
    takes = ~facts.weighed.array[slots]
    takes &= began <= micros(candidates.query.now)
    later = (said[:, None] < said) & takes
    # A newer fact about Ringo says nothing about Paul.
    later &= ~words.lacking(asked, candidates.visible, slots)
    return Order(found, places, later, ended(candidates, slots), strange)


def _open(candidates: Candidates, scores: Scores) -> Slots:
    """The indexes of the best facts that have a beginning, a vector and no end."""
    facts = candidates.segment.facts
    held = candidates.segment.vectors["fact"].held(len(candidates.visible))[candidates.slots]
    held &= facts.valid_at.array[candidates.slots] != NO_TIME
    held &= facts.invalid_at.array[candidates.slots] == NO_TIME
    order = np.argsort(np.where(held, -scores, np.inf), kind="stable")[:_DOUBTED_MAX]
    best: Slots = order[held[order]].astype(np.int32)
    return best


def _said(candidates: Candidates, slots: Slots) -> Ints:
    """When each fact was last said, which for a plan is before it begins; if never said, when it begins."""
    items, episodes = candidates.segment.supports.pairs(candidates.segment.episodes)
    chosen = np.zeros(len(candidates.visible), bool)
    chosen[slots] = True
    kept = chosen.take(items)
    said = candidates.segment.facts.valid_at.array[: len(candidates.visible)].copy()
    said[items[kept]] = NO_TIME
    np.maximum.at(said, items[kept], candidates.segment.episodes.created_at.array[episodes[kept]])
    last: Ints = said[slots]
    return last


def freshened(candidates: Candidates, scores: Scores) -> Scores:
    """The scores of facts, with the older of two competing facts behind the newer."""
    if not about_now(candidates):
        return scores
    held = candidates.segment.vectors["fact"].held(len(candidates.visible))[candidates.slots]
    held &= candidates.segment.facts.valid_at.array[candidates.slots] != NO_TIME
    order = np.argsort(np.where(held, -scores, np.inf), kind="stable")[:_COMPETING_MAX]
    best: Slots = order[held[order]].astype(np.int32)
    if len(best) < 2:
        return scores
    strength = np.clip(
        (_likeness(candidates, candidates.slots[best]) - ALIKE) / (SAME - ALIKE), 0.0, 1.0
    )
    apart = scores[best][:, None] - scores[best]
    falls = strength * np.maximum(apart + BEHIND, 0.0)
    falls[~(_later(candidates, candidates.slots[best]) & (apart < REACH))] = 0.0
    fresh = scores.copy()
    fresh[best] -= falls.max(axis=1)
    return fresh


def _likeness(candidates: Candidates, slots: Slots) -> Floats:
    """The pairwise cosines of facts, without what they all share: the people and topic of the question."""
    rows = candidates.segment.vectors["fact"].rows(slots)
    apart = rows - rows.mean(axis=0)
    apart /= np.maximum(np.linalg.norm(apart, axis=1, keepdims=True), 1e-6)
    alike: Floats = np.einsum("ij,kj->ik", apart, apart)
    return alike


def _later(candidates: Candidates, slots: Slots) -> Flags:
    """Whether the fact of a column is newer than that of a row, and shares an entity with it."""
    facts = candidates.segment.facts
    since = facts.valid_at.array[slots]
    source, target = facts.source.array[slots], facts.target.array[slots]
    shared = (source[:, None] == source) | (target[:, None] == target)
    shared |= (source[:, None] == target) | (target[:, None] == source)
    later: Flags = shared & (since[:, None] < since)
    return later
