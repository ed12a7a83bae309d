"""Several opinions about the same items, made one."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from recollect.search.columns import Floats, Ints, Slots

Scores = npt.NDArray[np.float64]


def reciprocal_ranks(lists: Sequence[Slots]) -> tuple[Slots, Scores]:
    """Items of ranked lists and the sum of one over their ranks; better ones first.

    Among equals, whoever comes first in the first of the lists.
    """
    total: dict[int, float] = {}
    for ranked in lists:
        for place, slot in enumerate(ranked.tolist(), start=1):
            total[slot] = total.get(slot, 0.0) + 1 / place
    order = sorted(total, key=lambda slot: -total[slot])
    return np.array(order, np.int32), np.array([total[slot] for slot in order])


def best(slots: Slots, scores: Scores, limit: int, ids: Ints | None = None) -> tuple[Slots, Scores]:
    """The best *limit*, better ones first, newer ones first among equals.

    *ids* are those of all slots, and tell what is newer. Slots do not: a segment that is read
    again from its rows gives them out in another order.
    """
    if len(scores) > limit:  # sorting is only worth its time for those that may be among them
        chosen = scores >= np.partition(scores, -limit)[-limit]
        slots, scores = slots[chosen], scores[chosen]
    newness = slots if ids is None else ids[slots]
    order = np.lexsort((-newness, -scores))[:limit]
    return slots[order], scores[order]


def marginal_relevance(
    scores: Scores, vectors: Floats, weight: float, limit: int
) -> tuple[list[int], list[float]]:
    """Places chosen one by one: relevant, and unlike those chosen before.

    *weight* is that of relevance, so 1 leaves the order as it is. Scores are brought between 0
    and 1 first, so that they can be held against likenesses.
    """
    low, high = (float(scores.min()), float(scores.max())) if len(scores) else (0.0, 1.0)
    relevance = (scores - low) / (high - low) if high > low else np.ones(len(scores))
    alike = np.zeros(len(scores))
    chosen: list[int] = []
    values: list[float] = []
    left = np.ones(len(scores), bool)
    for _ in range(min(limit, len(scores))):
        value = np.where(left, weight * relevance - (1 - weight) * alike, -np.inf)
        place = int(np.argmax(value))
        chosen.append(place)
        values.append(float(value[place]))
        left[place] = False
        alike = np.maximum(alike, np.einsum("ij,j->i", vectors, vectors[place]))
    return chosen, values
