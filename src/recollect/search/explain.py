"""Explains a search: each measure's part of a score, and where an item dropped out.

The parts come from the ranking code itself, so that an explanation cannot disagree with it.
"""

from functools import reduce

import msgspec
import numpy as np

from recollect.graph.filters import NO_FILTERS, Filters
from recollect.graph.types import Record
from recollect.search import answers, rank
from recollect.search.query import PreparedQuery
from recollect.search.score import Candidates
from recollect.search.segment import Segment

# Filters by uuid, and the field of `Lookups` that has the row ids.
_ANCHORS = {
    "edge_uuids": "facts",
    "episode_uuids": "episodes",
    "source_node_uuids": "sources",
    "target_node_uuids": "targets",
    "connected_node_uuids": "connected",
}


class ScoreBreakdown(Record):
    """A candidate's rank by the fused score, and the parts of that score.

    *fresh* is what was deducted because something newer competes or the fact is in doubt.
    """

    place: int
    score: float
    parts: dict[str, float]
    fresh: float = 0.0


class SearchOutcome(Record):
    """What became of one item in a search.

    Whether it can be found at all, which filters kept it out, whether the query asks for it, and its
    score if it was a candidate.
    """

    there: bool = False
    kept_out_by: tuple[str, ...] = ()
    asked_for: bool = True
    weighed: ScoreBreakdown | None = None
    put_forward: int = 0


def with_answer(found: ScoreBreakdown, score: float) -> ScoreBreakdown:
    """The breakdown of a hit whose *score* includes what reading it with the question added."""
    added = answers.share(score, found.score)
    return msgspec.structs.replace(found, score=score, parts={**found.parts, "answer": added})


def break_down(
    segment: Segment, prepared: PreparedQuery, ids: list[int]
) -> dict[int, ScoreBreakdown]:
    """The score breakdowns by row id, for those of *ids* that were candidates."""
    visible = segment.passing(prepared)
    if not visible.any():
        return {}
    return _breakdowns(Candidates(segment, prepared, visible), ids)


def outcome(segment: Segment, prepared: PreparedQuery, number: int) -> SearchOutcome:
    """What became of one item, given by its row id."""
    query = prepared.query
    slots = segment.table(query.kind).known([number])
    if not len(slots) or not segment.visible(query.kind)[slots[0]]:
        return SearchOutcome()
    (slot,) = slots
    visible = segment.passing(prepared)
    if not visible[slot]:
        return SearchOutcome(there=True, kept_out_by=_kept_out_by(segment, prepared, int(slot)))
    candidates = Candidates(segment, prepared, visible)
    if not candidates.visible[slot]:
        return SearchOutcome(there=True, asked_for=False, put_forward=len(candidates.slots))
    return SearchOutcome(
        there=True,
        weighed=_breakdowns(candidates, [number]).get(number),
        put_forward=len(candidates.slots),
    )


def _breakdowns(candidates: Candidates, ids: list[int]) -> dict[int, ScoreBreakdown]:
    parts = rank.measures(candidates)
    fused = reduce(np.add, parts.values())
    scores = rank.likely(candidates, fused)
    numbers = candidates.segment.table(candidates.kind).ids.array
    ordered, _ = rank.top(candidates.slots, scores, len(candidates.slots), numbers)
    places = {int(slot): place for place, slot in enumerate(ordered, start=1)}
    wanted = set(candidates.segment.table(candidates.kind).known(ids).tolist())
    scaled = rank.scaled(candidates.kind, scores)
    return {
        int(numbers[slot]): ScoreBreakdown(
            place=places[int(slot)],
            score=float(scaled[at]),
            parts={name: float(share[at]) for name, share in parts.items()},
            fresh=float(scores[at] - fused[at]),
        )
        for at, slot in enumerate(candidates.slots.tolist())
        if slot in wanted
    }


def _kept_out_by(segment: Segment, prepared: PreparedQuery, slot: int) -> tuple[str, ...]:
    """The filters that keep an item out, each tested by itself."""
    filters = prepared.query.filters
    given = [
        name
        for name in Filters.__struct_fields__
        if getattr(filters, name) != getattr(NO_FILTERS, name)
    ]
    return tuple(name for name in given if not _passes(segment, prepared, slot, name))


def _passes(segment: Segment, prepared: PreparedQuery, slot: int, name: str) -> bool:
    alone = msgspec.structs.replace(NO_FILTERS, **{name: getattr(prepared.query.filters, name)})
    unasked = {field: None for filter_, field in _ANCHORS.items() if filter_ != name}
    lookups = msgspec.structs.replace(prepared.lookups, **unasked)
    return bool(segment.mask(prepared.query.kind, alone, lookups)[slot])
