"""The turns that fit a query best, each with what was said around it."""

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from recollect.graph.contexts import Context, ContextSpan
from recollect.search import rank
from recollect.search.columns import Scores, Slots
from recollect.search.neighbours import ANY_GAP
from recollect.search.query import PreparedQuery
from recollect.search.score import Candidates
from recollect.search.segment import Segment
from recollect.search.vectors import distinct

# What the neighbours of a turn count for its context, all together. Measured:
# docs/measurements/memories.md.
NEIGHBOURS = 0.25

Near = npt.NDArray[np.int32]  # a row for each turn, a column for each place; -1 is nobody


def contexts(
    segment: Segment, prepared: PreparedQuery, reach: ContextSpan, without: Collection[int] = ()
) -> list[Context]:
    """The best turns for a question with their neighbours, the best turn first.

    Neighbours are those next to it in its thread, document or session, however long ago, among
    all that may be seen and pass the filters. No context is that of one of *without*, row ids,
    who may well be neighbours.
    """
    visible = segment.passing(prepared)
    if not visible.any():
        return []
    candidates = Candidates(segment, prepared, visible)
    slots, scores = rank.best(candidates, segment.episodes.known(without))
    before, after = _near(candidates, slots, reach)
    worth = rank.scaled("episode", _whole(candidates, scores, np.hstack([before, after])))
    return [
        Context(nucleus=own, before=earlier, after=later, score=float(score))
        for own, earlier, later, score in zip(
            segment.row_ids("episode", slots),
            _row_ids(segment, before),
            _row_ids(segment, after),
            worth,
            strict=True,
        )
    ]


def _near(candidates: Candidates, slots: Slots, reach: ContextSpan) -> tuple[Near, Near]:
    """The neighbours before and after each slot, the nearest ones first."""
    before = np.full((len(slots), reach.before), -1, np.int32)
    after = np.full((len(slots), reach.after), -1, np.int32)
    if reach != ContextSpan():
        created_at = candidates.segment.episodes.created_at.array
        neighbours = candidates.segment.episodes.order.neighbours(
            candidates.visible, created_at, ANY_GAP
        )
        for columns, direction in ((before, -1), (after, 1)):
            for place in range(columns.shape[1]):
                beside, there = neighbours.beside(slots, direction * (place + 1))
                columns[there, place] = beside[there]
    return before, after


def _whole(candidates: Candidates, scores: Scores, near: Near) -> Scores:
    """The fused score of each context: that of the turn, and a share of its neighbours' mean."""
    there = near >= 0
    if not there.any():
        return scores
    others = candidates.only(distinct(near[there]))
    worth = np.zeros(len(candidates.visible))
    worth[others.slots] = rank.fused(others)
    count = there.sum(axis=1)
    mean = np.where(there, worth[near], 0.0).sum(axis=1) / np.maximum(count, 1)
    share = np.where(count > 0, NEIGHBOURS, 0.0)
    total: Scores = (scores + share * mean) / (1 + share)
    return total


def _row_ids(segment: Segment, near: Near) -> list[tuple[int, ...]]:
    """The row ids behind slots, without those that are nobody."""
    ids = segment.episodes.ids.array
    return [tuple(ids[row[row >= 0]].tolist()) for row in near]
