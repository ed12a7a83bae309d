"""Newer facts before older ones on the same matter, and doubtful ones behind.

A question about the present has one answer, however often it changed. Facts about the same people
that are close in meaning compete to be that answer: the older falls behind the newer, the more so the
closer they are. Where the newer one contains the very words that the older one answers by, the older
is in doubt ("12 seats", "reduced to 10 seats" when seats are asked for), whatever a judge made of the
two when they were read. But a language model or an agent was shown the older one and said what of it
is over: what it let stand beside its own fact is not doubted because of that. Nothing is left out, and
questions about the past or about a time are not affected.
"""

import numpy as np

from recollect.search.columns import NO_TIME, Flags, Floats, Ints, Scores, Slots
from recollect.search.score import Candidates, about_now
from recollect.store.rows import micros

# Measured: docs/measurements/search.md.
ALIKE = 0.1  # the likeness from which on two facts compete, apart from what all have in common …
SAME = 0.4  # … and from which on they are about one matter
BEHIND = 1.0  # how far the older then comes behind
REACH = 4.0  # a newer one that fits so much worse is no answer
SHARED = (
    0.3  # of the words asked by, weighed by how rare they are: two that have so many in common …
)
NEAREST = 6  # … of which the older is one of so many that are nearest in meaning to the newer …
ANSWERS = 4  # … and the newer one of so many that fit best, are two answers
OVERTAKEN = 0.4  # how likely the older one is over then
_COMPETING_MAX = 16
_DOUBTED_MAX = 64


def doubts(candidates: Candidates, scores: Scores) -> Scores:
    """How sure it is of each of the best facts that it is over; of the others nobody asks."""
    found = np.zeros(len(scores))
    if about_now(candidates) and candidates.segment.facts.doubts:
        best = np.argsort(-scores, kind="stable")[:_DOUBTED_MAX]
        found[best] = [
            candidates.segment.facts.doubt(slot) for slot in candidates.slots[best].tolist()
        ]
    return found


def overtaken(candidates: Candidates, scores: Scores) -> Scores:
    """How likely each of the best facts is over by what was said since: a newer fact, itself one of the
    first answers, has the words that it answers by, and few were nearer to that one."""
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
    # What is said of Ringo since says nothing of Paul.
    over &= ~candidates.segment.words["fact"].lacking(
        candidates.prepared.names, candidates.visible, slots
    )
    over &= candidates.segment.facts.valid_at.array[slots] <= micros(candidates.query.now)
    found[best[over[:, :ANSWERS].any(axis=1)]] = OVERTAKEN
    return found


def _open(candidates: Candidates, scores: Scores) -> Slots:
    """The places of the best facts that have a beginning, a vector and no end."""
    facts = candidates.segment.facts
    held = candidates.segment.vectors["fact"].held(len(candidates.visible))[candidates.slots]
    held &= facts.valid_at.array[candidates.slots] != NO_TIME
    held &= facts.invalid_at.array[candidates.slots] == NO_TIME
    order = np.argsort(np.where(held, -scores, np.inf), kind="stable")[:_DOUBTED_MAX]
    best: Slots = order[held[order]].astype(np.int32)
    return best


def _said(candidates: Candidates, slots: Slots) -> Ints:
    """When each fact was said last, which a plan does not tell; what nobody said, when it begins."""
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
    """The scores of facts, with the older of two that compete behind the newer."""
    if not about_now(candidates):
        return scores
    held = candidates.segment.vectors["fact"].held(len(candidates.visible))[candidates.slots]
    held &= candidates.segment.facts.valid_at.array[candidates.slots] != NO_TIME
    order = np.argsort(np.where(held, -scores, np.inf), kind="stable")[:_COMPETING_MAX]
    best: Slots = order[held[order]].astype(np.int32)
    if len(best) < 2:
        return scores
    strength = np.clip((_likeness(candidates, best) - ALIKE) / (SAME - ALIKE), 0.0, 1.0)
    apart = scores[best][:, None] - scores[best]
    falls = strength * np.maximum(apart + BEHIND, 0.0)
    falls[~(_later(candidates, candidates.slots[best]) & (apart < REACH))] = 0.0
    fresh = scores.copy()
    fresh[best] -= falls.max(axis=1)
    return fresh


def _likeness(candidates: Candidates, places: Slots) -> Floats:
    """The cosines of facts with each other, without what all of them have in common: the people and
    the matter that the question is about."""
    rows = candidates.segment.vectors["fact"].rows(candidates.slots[places])
    apart = rows - rows.mean(axis=0)
    apart /= np.maximum(np.linalg.norm(apart, axis=1, keepdims=True), 1e-6)
    alike: Floats = np.einsum("ij,kj->ik", apart, apart)
    return alike


def _later(candidates: Candidates, slots: Slots) -> Flags:
    """Whether the fact of a column is younger than that of a row, and about one of its people."""
    facts = candidates.segment.facts
    since = facts.valid_at.array[slots]
    source, target = facts.source.array[slots], facts.target.array[slots]
    shared = (source[:, None] == source) | (target[:, None] == target)
    shared |= (source[:, None] == target) | (target[:, None] == source)
    later: Flags = shared & (since[:, None] < since)
    return later
