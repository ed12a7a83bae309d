"""What was said later on the same matter, before what was said earlier; what is in doubt, behind.

A question about the present has one answer, however often the answer changed. Facts about the same
people that are near to each other in meaning compete to be it: the older falls behind the newer, the
more so the nearer they are. Nothing is left out, and a question about the past or about a time
changes nothing.
"""

import numpy as np

from recollect.search.columns import NO_TIME, Flags, Floats, Slots
from recollect.search.fuse import Scores
from recollect.search.view import View

# Measured: docs/measurements/search.md.
ALIKE = 0.1  # the likeness from which on two facts compete, apart from what all have in common …
SAME = 0.4  # … and from which on they are about one matter
BEHIND = 1.0  # how far the older then comes behind
REACH = 4.0  # a newer one that fits so much worse is no answer
_COMPETING_MAX = 16
_DOUBTED_MAX = 64


def about_now(view: View) -> bool:
    """Whether facts are asked for that hold now."""
    asked = view.asked
    return view.kind == "fact" and not (asked.past or asked.windows or view.query.filters.valid_on)


def doubts(view: View, scores: Scores) -> Scores:
    """How sure it is of each of the best facts that it is over; of the others nobody asks."""
    found = np.zeros(len(scores))
    if about_now(view) and view.segment.facts.doubts:
        best = np.argsort(-scores, kind="stable")[:_DOUBTED_MAX]
        found[best] = [view.segment.facts.doubt(slot) for slot in view.slots[best].tolist()]
    return found


def freshened(view: View, scores: Scores) -> Scores:
    """The scores of facts, with the older of two that compete behind the newer."""
    if not about_now(view):
        return scores
    held = view.segment.vectors["fact"].held(len(view.visible))[view.slots]
    held &= view.segment.facts.valid_at.array[view.slots] != NO_TIME
    order = np.argsort(np.where(held, -scores, np.inf), kind="stable")[:_COMPETING_MAX]
    best: Slots = order[held[order]].astype(np.int32)
    if len(best) < 2:
        return scores
    strength = np.clip((_likeness(view, best) - ALIKE) / (SAME - ALIKE), 0.0, 1.0)
    apart = scores[best][:, None] - scores[best]
    falls = strength * np.maximum(apart + BEHIND, 0.0)
    falls[~(_later(view, view.slots[best]) & (apart < REACH))] = 0.0
    fresh = scores.copy()
    fresh[best] -= falls.max(axis=1)
    return fresh


def _likeness(view: View, places: Slots) -> Floats:
    """The cosines of facts with each other, without what all of them have in common: the people and
    the matter that the question is about."""
    rows = view.segment.vectors["fact"].rows(view.slots[places])
    apart = rows - rows.mean(axis=0)
    apart /= np.maximum(np.linalg.norm(apart, axis=1, keepdims=True), 1e-6)
    alike: Floats = np.einsum("ij,kj->ik", apart, apart)
    return alike


def _later(view: View, slots: Slots) -> Flags:
    """Whether the fact of a column is younger than that of a row, and about one of its people."""
    facts = view.segment.facts
    since = facts.valid_at.array[slots]
    source, target = facts.source.array[slots], facts.target.array[slots]
    shared = (source[:, None] == source) | (target[:, None] == target)
    shared |= (source[:, None] == target) | (target[:, None] == source)
    later: Flags = shared & (since[:, None] < since)
    return later
