"""The turns that fit a query best, each with what was said around it, cut to the size of a response."""

from collections.abc import Collection, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from recollect.graph.types import Record
from recollect.search import rank
from recollect.search.columns import Scores, Slots
from recollect.search.neighbours import ANY_GAP
from recollect.search.query import PreparedQuery
from recollect.search.score import Candidates
from recollect.search.segment import Segment
from recollect.search.vectors import distinct

# The weight of all neighbours of a turn together in the score of its context. Measured:
# docs/measurements/memories.md.
NEIGHBOURS = 0.25

Near = npt.NDArray[np.int32]  # a row for each turn, a column for each distance; -1 is no neighbour


class ContextSpan(Record):
    """How many neighbours on either side of a hit belong to its context."""

    before: int = 0
    after: int = 0


class Context(Record):
    """A hit, the *nucleus*, with its neighbours on either side, nearest first.

    All are row ids of episodes; *score* is that of the whole context.
    """

    nucleus: int
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    score: float


def contexts(
    segment: Segment, prepared: PreparedQuery, reach: ContextSpan, without: Collection[int] = ()
) -> list[Context]:
    """The best turns for a question with their neighbours, the best turn first.

    Neighbours are the turns next to it in its thread, document or session, however far apart in time,
    among all that are visible and pass the filters. Row ids in *without* get no context of their own,
    but may be neighbours.
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
    """The row ids of slots, without missing neighbours."""
    ids = segment.episodes.ids.array
    return [tuple(ids[row[row >= 0]].tolist()) for row in near]


def reach(expand: int, limit: int) -> ContextSpan:
    """How far contexts extend when *expand* more episodes are wanted around each hit.

    Never more than fit into a response of *limit*. A third of them come before the hit, because what
    follows a remark is more often about it than what precedes it.
    """
    more = max(0, min(expand, limit - 1))
    return ContextSpan(before=more // 3, after=more - more // 3)


def fill(
    contexts: Sequence[Context], limit: int, without: Collection[int] = ()
) -> dict[int, float]:
    """The episodes of the best contexts, at most *limit*, each with the score of its context.

    Contexts are taken best first, and of each the hit first, then the nearest neighbours. Episodes
    in *without* are skipped.
    """
    chosen: dict[int, float] = {}
    for context in sorted(contexts, key=lambda one: -one.score):
        for number in _members(context):
            if len(chosen) >= limit:
                return chosen
            if number not in without:
                chosen.setdefault(number, context.score)
    return chosen


def _members(context: Context) -> Iterator[int]:
    """The hit and its neighbours, two after it for each one before it."""
    yield context.nucleus
    places = [(place, 0, number) for place, number in enumerate(context.after, start=1)]
    places += [(2 * place, 1, number) for place, number in enumerate(context.before, start=1)]
    yield from (number for _, _, number in sorted(places))
