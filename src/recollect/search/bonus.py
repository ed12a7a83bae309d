"""What is known of a question besides its words: whom it names, and the time it is about.

All of it is counted in deviations, beside the opinions of words and meaning.
"""

from datetime import datetime

import numpy as np

from recollect.search import walk
from recollect.search.columns import NO_TIME, Flags, Ints
from recollect.search.fuse import Scores
from recollect.search.times import TimeWindow
from recollect.search.view import View
from recollect.store.rows import micros

# Measured: docs/measurements/search.md.
SPOKEN_BY_NAMED = 1.0
SPOKEN_BY_FIRST_NAMED = 0.5
SPOKEN_BY_ASKER = 2.0
ABOUT_NAMED = 0.5
IN_TIME = 1.5
NO_LONGER = -6.0
_FADES_MICROS = 14 * 24 * 3600 * 1e6
NEAR = (0.3, 0.1)  # touching the entity one wants to be near to, one hop away


def bonus(view: View) -> Scores:
    """What is added to the score of each slot put forward."""
    total = np.zeros(len(view.slots))
    if view.kind == "fact":
        total += _about_named(view) + _valid(view) + _near(view)
    elif view.kind == "episode":
        total += _spoken(view) + _said_then(view)
    if view.reached is not None:
        hops = view.reached[view.slots].astype(np.float64)
        total += np.where(hops < walk.FAR, 1.0 / (1 + hops), 0.0)
    return total


def _about_named(view: View) -> Scores:
    """Facts about those whom the question names."""
    named = view.segment.entities.known(one.entity_id for one in view.asked.resolved.named)
    flags = np.zeros(view.segment.entities.alive.size + 1, bool)
    flags[named] = True
    facts = view.segment.facts
    about = flags[facts.source.array[view.slots]] | flags[facts.target.array[view.slots]]
    return np.where(about, ABOUT_NAMED, 0.0)


def _spoken(view: View) -> Scores:
    """What was said by whom the question names, or by whoever asks about himself."""
    shelf, people = view.segment.episodes, view.asked.people
    if view.asked.own and not people:
        return np.where(shelf.by_user.array[view.slots], SPOKEN_BY_ASKER, 0.0)
    if not people or view.asked.together:
        return np.zeros(len(view.slots))
    said = np.array([*(name == people[0] for name in shelf.first_names), False])
    weight = SPOKEN_BY_NAMED if len(people) == 1 else SPOKEN_BY_FIRST_NAMED
    return np.where(said[shelf.speaker.array[view.slots]], weight, 0.0)


def _said_then(view: View) -> Scores:
    """What was said at the time in question, or not long before or after."""
    at = view.segment.episodes.created_at.array[view.slots]
    nearest = np.zeros(len(at))
    for window in view.asked.windows:
        first, last = _bounds(window)
        apart = np.maximum(np.maximum(first - at.astype(np.float64), at - float(last)), 0.0)
        nearest = np.maximum(nearest, np.exp(-apart / _FADES_MICROS))
    return IN_TIME * nearest


def _valid(view: View) -> Scores:
    """What belongs to the time in question; without one, what holds now before what ended.

    A question in the past tense asks for neither.
    """
    facts = view.segment.facts
    starts, ends = facts.valid_at.array[view.slots], facts.invalid_at.array[view.slots]
    if view.asked.windows:
        return np.where(_inside(view, starts, ends), IN_TIME, 0.0)
    if view.query.filters.valid_on is not None or view.asked.past:
        return np.zeros(len(view.slots))
    now = micros(view.query.now)
    expired = facts.expired_at.array[view.slots]
    over = ((ends != NO_TIME) & (ends <= now)) | ((expired != NO_TIME) & (expired <= now))
    return np.where(over, NO_LONGER, 0.0)


def _inside(view: View, starts: Ints, ends: Ints) -> Flags:
    """What has a known start and held at some time that the question is about."""
    inside = np.zeros(len(starts), bool)
    for window in view.asked.windows:
        first, last = _bounds(window)
        inside |= (starts < last) & ((ends == NO_TIME) | (ends > first))
    inside &= starts != NO_TIME
    return inside


def _bounds(window: TimeWindow) -> tuple[int, int]:
    def micros_or(moment: datetime | None, otherwise: int) -> int:
        return otherwise if moment is None else micros(moment)

    return micros_or(window.start, int(NO_TIME)), micros_or(window.end, np.iinfo(np.int64).max)


def _near(view: View) -> Scores:
    """Closeness to the entity that the asker wants to be near to."""
    origins = view.segment.entities.known(view.asked.resolved.near)
    if not len(origins):
        return np.zeros(len(view.slots))
    hops = walk.item_hops(view.segment, "fact", origins, len(NEAR) - 1)[view.slots]
    return np.select([hops == distance for distance in range(len(NEAR))], NEAR, 0.0)
