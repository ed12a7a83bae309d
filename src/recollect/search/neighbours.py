"""Neighbouring episodes: those of one series, a thread or a document, in log order.

What was said around a turn shows what it is about, so the words of its neighbours count for it too, with
a weight that falls with distance. Only visible episodes are neighbours.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recollect.search.columns import Flags, Ints, Scores, Slots

# The weight of a neighbour's word, by its distance.
DECAY = (0.7, 0.5, 0.3)
ANY_GAP = int(np.iinfo(np.int64).max)
_GAP_MICROS = 24 * 3600 * 1_000_000  # episodes further apart in time are not neighbours
_SEQ_BITS = 40
_INSERTED_MAX = 64
_DENSE = 8  # if more than one in this many places lends, all places are processed at once


@dataclass(frozen=True, eq=False)
class Neighbourhoods:
    """Visible slots in the order of their series; those of one *group* are neighbours."""

    slots: Slots
    place: Slots  # of each slot among `slots`, -1 for those that are not visible
    group: Slots

    @cached_property
    def _linked(self) -> list[Flags]:
        """For each distance, whether a place and the one that far after it are neighbours."""
        return [self.group[step:] == self.group[:-step] for step in range(1, len(DECAY) + 1)]

    def before(self, slots: Slots, distance: int) -> tuple[Slots, Flags]:
        """The neighbour *distance* places before each slot, and whether there is one."""
        return self.beside(slots, -distance)

    def beside(self, slots: Slots, shift: int) -> tuple[Slots, Flags]:
        """The neighbour *shift* places after each slot (before, if negative), and whether there is one."""
        places = self.place[slots]
        wanted = places + shift
        reached = np.clip(wanted, 0, len(self.slots) - 1)
        there = (reached == wanted) & (self.group[reached] == self.group[places])
        return self.slots[reached], there

    def around(self, slots: Slots) -> tuple[Slots, Scores]:
        """The neighbours of slots, one row for each shift, and the weights of their words.

        Where there is no neighbour, some other slot stands in with weight 0.
        """
        places, last = self.place[slots], len(self.slots) - 1
        steps = [sign * step for step in range(1, len(DECAY) + 1) for sign in (-1, 1)]
        shifts = np.array(steps, np.int64)
        wanted = places + shifts[:, None]
        reached = np.clip(wanted, 0, last)
        there = (reached == wanted) & (self.group[reached] == self.group[places])
        weights = np.repeat(np.array(DECAY), 2)[:, None] * there
        return self.slots[reached], weights

    def spread(self, places: Slots, values: Scores, lent: Scores) -> Scores:
        """The values at *places*, plus what each place lends to its neighbours."""
        total = np.zeros(len(self.slots))
        total[places] = values
        if len(places) * _DENSE > len(total):
            return self._spread_dense(total, places, lent)
        for distance, weight in enumerate(DECAY, start=1):
            for shift in (-distance, distance):
                reached = places + shift
                inside = (reached >= 0) & (reached < len(self.slots))
                kept, aim = places[inside], reached[inside]
                near = self.group[kept] == self.group[aim]
                total[aim[near]] += weight * lent[inside][near]
        return total

    def _spread_dense(self, total: Scores, places: Slots, lent: Scores) -> Scores:
        """The same, faster if many places lend."""
        given = np.zeros(len(total))
        given[places] = lent
        for step, (weight, linked) in enumerate(zip(DECAY, self._linked, strict=True), start=1):
            moved = weight * given
            total[step:] += moved[:-step] * linked
            total[:-step] += moved[step:] * linked
        return total


class EpisodeOrder:
    """The order of all episodes, including deleted ones."""

    def __init__(self) -> None:
        self.keys: Ints = np.empty(0, np.int64)
        self.slots: Slots = np.empty(0, np.int32)

    def add(self, series: Ints, sequence: Ints, slots: Slots) -> None:
        """Insert new episodes; series -1 means that an episode belongs to none."""
        alone = -1 - slots.astype(np.int64)  # a series of its own
        keys = (np.where(series < 0, alone, series) << _SEQ_BITS) + sequence
        order = np.argsort(keys, kind="stable")
        keys, slots = keys[order], slots[order]
        if len(keys) <= _INSERTED_MAX:
            places = np.searchsorted(self.keys, keys)
            self.keys = np.insert(self.keys, places, keys)
            self.slots = np.insert(self.slots, places, slots)
            return
        joined = np.concatenate([self.keys, keys])
        order = np.argsort(joined, kind="stable")
        self.keys = joined[order]
        self.slots = np.concatenate([self.slots, slots])[order]

    def drop(self, slots: Slots) -> None:
        """Remove episodes from the order, because they move to another series."""
        if len(slots):
            kept = ~np.isin(self.slots, slots)
            self.keys, self.slots = self.keys[kept], self.slots[kept]

    def restore(self, keys: Ints, slots: Slots) -> None:
        """Continue with an order that was saved."""
        self.keys, self.slots = keys, slots

    def neighbours(
        self, visible: Flags, created_at: Ints, gap: int = _GAP_MICROS
    ) -> Neighbourhoods:
        """The neighbours among visible episodes, at most *gap* microseconds apart."""
        seen = visible[self.slots]
        slots, series = self.slots[seen], self.keys[seen] >> _SEQ_BITS
        times = created_at[slots]
        apart = np.ones(len(slots), bool)
        apart[1:] = (series[1:] != series[:-1]) | (np.abs(np.diff(times)) > gap)
        place = np.full(len(visible), -1, np.int32)
        place[slots] = np.arange(len(slots), dtype=np.int32)
        return Neighbourhoods(slots, place, np.cumsum(apart, dtype=np.int32))

    @property
    def bytes(self) -> int:
        """The memory it takes."""
        return int(self.keys.nbytes + self.slots.nbytes)
