"""Why a search found what it found: each opinion's share of a score, and where something fell out.

The same code that ranks is asked for its parts, so that an explanation cannot tell another story.
"""

from functools import reduce

import msgspec
import numpy as np

from recollect.graph.filters import NO_FILTERS, Filters
from recollect.graph.types import Record
from recollect.search import rank
from recollect.search.asked import Asked
from recollect.search.fuse import best
from recollect.search.segment import Segment
from recollect.search.view import View, mask

# Filters whose uuids were looked up before, and where the row ids are.
_ANCHORS = {
    "edge_uuids": "facts",
    "episode_uuids": "episodes",
    "source_node_uuids": "sources",
    "target_node_uuids": "targets",
    "connected_node_uuids": "connected",
}


class Weighed(Record):
    """What was put forward for a question: its place by the fused score, and the score's parts.

    *fresh* is what was taken off because something newer competes or a doubt stands against it.
    """

    place: int
    score: float
    parts: dict[str, float]
    fresh: float = 0.0


class Standing(Record):
    """How something fared: was it there, which filters kept it out, was it put forward and where."""

    there: bool = False
    kept_out_by: tuple[str, ...] = ()
    asked_for: bool = True
    weighed: Weighed | None = None
    put_forward: int = 0


def weigh(segment: Segment, asked: Asked, ids: list[int]) -> dict[int, Weighed]:
    """The parts of the scores of those of *ids* that were put forward, by their row ids."""
    visible = mask(segment, asked.query, asked.resolved)
    if not visible.any():
        return {}
    return _weighed(View(segment, asked, visible), ids)


def stand(segment: Segment, asked: Asked, number: int) -> Standing:
    """How one thing, by its row id, fared with a question."""
    query = asked.query
    slots = segment.shelf(query.kind).known([number])
    if not len(slots) or not segment.visible(query.kind)[slots[0]]:
        return Standing()
    (slot,) = slots
    visible = mask(segment, query, asked.resolved)
    if not visible[slot]:
        return Standing(there=True, kept_out_by=_kept_out_by(segment, asked, int(slot)))
    view = View(segment, asked, visible)
    if not view.visible[slot]:
        return Standing(there=True, asked_for=False, put_forward=len(view.slots))
    return Standing(
        there=True,
        weighed=_weighed(view, [number]).get(number),
        put_forward=len(view.slots),
    )


def _weighed(view: View, ids: list[int]) -> dict[int, Weighed]:
    parts = rank.opinions(view)
    fused = reduce(np.add, parts.values())
    scores = rank.likely(view, fused)
    numbers = view.segment.shelf(view.kind).ids.array
    ordered, _ = best(view.slots, scores, len(view.slots), numbers)
    places = {int(slot): place for place, slot in enumerate(ordered, start=1)}
    wanted = set(view.segment.shelf(view.kind).known(ids).tolist())
    scaled = rank.scaled(view.kind, scores)
    return {
        int(numbers[slot]): Weighed(
            place=places[int(slot)],
            score=float(scaled[at]),
            parts={name: float(share[at]) for name, share in parts.items()},
            fresh=float(scores[at] - fused[at]),
        )
        for at, slot in enumerate(view.slots.tolist())
        if slot in wanted
    }


def _kept_out_by(segment: Segment, asked: Asked, slot: int) -> tuple[str, ...]:
    """The filters that keep something out, each asked by itself."""
    filters = asked.query.filters
    given = [
        name
        for name in Filters.__struct_fields__
        if getattr(filters, name) != getattr(NO_FILTERS, name)
    ]
    return tuple(name for name in given if not _passes(segment, asked, slot, name))


def _passes(segment: Segment, asked: Asked, slot: int, name: str) -> bool:
    alone = msgspec.structs.replace(NO_FILTERS, **{name: getattr(asked.query.filters, name)})
    query = msgspec.structs.replace(asked.query, filters=alone)
    unasked = {field: None for filter_, field in _ANCHORS.items() if filter_ != name}
    resolved = msgspec.structs.replace(asked.resolved, **unasked)
    return bool(mask(segment, query, resolved)[slot])
