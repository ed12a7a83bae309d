"""The turns that fit a question best, each within what was said around it."""

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from recollect.graph.contexts import Context, Reach
from recollect.search import rank
from recollect.search.asked import Asked
from recollect.search.columns import Slots
from recollect.search.fuse import Scores
from recollect.search.segment import Segment
from recollect.search.strands import ANY_GAP
from recollect.search.vectors import distinct
from recollect.search.view import View, mask

# What the neighbours of a turn count for its context, all together. Measured:
# docs/measurements/memories.md.
NEIGHBOURS = 0.25

Near = npt.NDArray[np.int32]  # a row for each turn, a column for each place; -1 is nobody


def contexts(
    segment: Segment, asked: Asked, reach: Reach, without: Collection[int] = ()
) -> list[Context]:
    """The best turns for a question with their neighbours, the best turn first.

    Neighbours are those next to it in its thread, document or session, however long ago, among
    all that may be seen and pass the filters. No context is that of one of *without*, row ids,
    who may well be neighbours.
    """
    visible = mask(segment, asked.query, asked.resolved)
    if not visible.any():
        return []
    view = View(segment, asked, visible)
    slots, scores = rank.best(view, segment.episodes.known(without))
    before, after = _near(view, slots, reach)
    worth = rank.scaled("episode", _whole(view, scores, np.hstack([before, after])))
    return [
        Context(nucleus=own, before=earlier, after=later, score=float(score))
        for own, earlier, later, score in zip(
            segment.row_ids("episode", slots),
            _told(segment, before),
            _told(segment, after),
            worth,
            strict=True,
        )
    ]


def _near(view: View, slots: Slots, reach: Reach) -> tuple[Near, Near]:
    """The neighbours before and after each slot, the nearest ones first."""
    before = np.full((len(slots), reach.before), -1, np.int32)
    after = np.full((len(slots), reach.after), -1, np.int32)
    if reach != Reach():
        created_at = view.segment.episodes.created_at.array
        window = view.segment.strands.window(view.visible, created_at, ANY_GAP)
        for columns, direction in ((before, -1), (after, 1)):
            for place in range(columns.shape[1]):
                beside, there = window.beside(slots, direction * (place + 1))
                columns[there, place] = beside[there]
    return before, after


def _whole(view: View, scores: Scores, near: Near) -> Scores:
    """The fused score of each context: that of the turn, and a share of its neighbours' mean."""
    there = near >= 0
    if not there.any():
        return scores
    others = view.of(distinct(near[there]))
    worth = np.zeros(len(view.visible))
    worth[others.slots] = rank.fused(others)
    count = there.sum(axis=1)
    mean = np.where(there, worth[near], 0.0).sum(axis=1) / np.maximum(count, 1)
    share = np.where(count > 0, NEIGHBOURS, 0.0)
    total: Scores = (scores + share * mean) / (1 + share)
    return total


def _told(segment: Segment, near: Near) -> list[tuple[int, ...]]:
    """The row ids behind slots, without those that are nobody."""
    ids = segment.episodes.ids.array
    return [tuple(ids[row[row >= 0]].tolist()) for row in near]
