"""The vectors of a table, quantized: one byte per dimension for scoring, one bit for preselection.

All vectors have unit length. Most of that length is common to all of them, so only the difference from
the usual vector is stored: this makes a byte five times as precise, and a bit, the sign of the
difference, informative.
"""

from collections.abc import Sequence
from copy import copy
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from recollect.search.columns import Column, Flags, Floats, Slots

DIMENSIONS = 384
_BYTES = DIMENSIONS * 2  # of a vector in the store, in half precision
_WORDS = DIMENSIONS // 64
_USUAL = Path(__file__).with_name("usual_vector.f32")
# Up to EXACT_MAX vectors are all scored; of more, CHOSEN are preselected by their bits and then scored.
EXACT_MAX = 1_024
CHOSEN = 1_024

Bits = npt.NDArray[np.uint64]


@cache
def usual_vector() -> Floats:
    """The mean of the vectors of plain English sentences."""
    return np.frombuffer(_USUAL.read_bytes(), np.float32)


def distinct(slots: Slots) -> Slots:
    """Sorted slots without duplicates; for so few, this is far faster than numpy's own function."""
    ordered = np.sort(slots)
    first = np.ones(len(ordered), bool)
    first[1:] = ordered[1:] != ordered[:-1]
    found: Slots = ordered[first]
    return found


def _bits(vectors: Floats) -> Bits:
    return np.packbits(vectors > usual_vector(), axis=1).view(np.uint64)


class Vectors:
    """The vectors of the items of one table: usually one per item, several for a long text.

    Each row belongs to a slot; a row whose item got other vectors since belongs to none.
    """

    def __init__(self) -> None:
        self._first = Column(np.int32, -1)  # the first row of each slot, -1 without one
        self._count = Column(np.int32, 0)
        self._owner = Column(np.int32, -1)  # the slot of each row
        self._scale = Column(np.float32, 0.0)
        self._bytes = Column(np.int8, 0, DIMENSIONS)
        self._bits = [Column(np.uint64, 0) for _ in range(_WORDS)]

    def put(self, slots: Slots, blobs: Sequence[bytes | None]) -> None:
        """Replace the vectors of items, concatenated in half precision; None removes them."""
        self._reach(slots)
        counts = np.array([len(blob or b"") // _BYTES for blob in blobs], np.int32)
        self._leave(slots[counts != self._count.array[slots]])
        self._settle(slots, counts)
        if not counts.any():
            return
        joined = b"".join(blob[: n * _BYTES] for blob, n in zip(blobs, counts, strict=True) if blob)
        given = np.frombuffer(joined, np.float16).reshape(-1, DIMENSIONS).astype(np.float32)
        rows = self._rows_of(slots)
        apart = given - usual_vector()
        scale = np.maximum(np.abs(apart).max(axis=1), 1e-6) / 127
        self._owner.put(rows, np.repeat(slots, counts))
        self._scale.put(rows, scale)
        self._bytes.put(rows, np.rint(apart / scale[:, None]).astype(np.int8))
        for column, words in zip(self._bits, _bits(given).T, strict=True):
            column.put(rows, words)

    def _leave(self, slots: Slots) -> None:
        """Free the rows of these items."""
        self._owner.put(self._rows_of(slots), -1)
        self._first.put(slots, -1)
        self._count.put(slots, 0)

    def _settle(self, slots: Slots, counts: Slots) -> None:
        """Allocate rows for items that have none."""
        new = (counts > 0) & (self._first.array[slots] < 0)
        size = self._owner.size
        ends = size + np.cumsum(counts[new], dtype=np.int32)
        for column in self._row_columns():
            column.grow(int(ends[-1]) if len(ends) else size)
        self._first.put(slots[new], ends - counts[new])
        self._count.put(slots[new], counts[new])

    def _rows_of(self, slots: Slots) -> Slots:
        """The rows of slots, one slot after the other."""
        counts = self._count.array[slots]
        starts = self._first.array[slots]
        ends = np.cumsum(counts)
        total = int(ends[-1]) if len(ends) else 0
        shift = np.repeat(starts - (ends - counts), counts)
        found: Slots = (np.arange(total) + shift).astype(np.int32)
        return found

    def without(self, slots: Slots) -> "Vectors":
        """The same vectors without those of *slots*; valid until the original changes."""
        other = copy(self)
        self._reach(slots)
        there = np.ones(self._count.size, bool)
        there[slots] = False
        other._count = self._count.where(there, 0)
        other._first = self._first.where(there, -1)
        return other

    def held(self, size: int) -> Flags:
        """Which of the first *size* slots of the table have a vector."""
        flags = np.zeros(size, bool)
        known = self._count.array[:size] > 0
        flags[: len(known)] = known
        return flags

    def rows(self, slots: Slots) -> Floats:
        """The first vector of each of *slots*; zeros for those that have none."""
        self._reach(slots)
        first = self._first.array[slots]
        found = np.zeros((len(slots), DIMENSIONS), np.float32)
        known = first >= 0
        scale = self._scale.array[first[known]][:, None]
        apart = self._bytes.array[first[known]].astype(np.float32) * scale
        found[known] = usual_vector() + apart
        return found

    def likeness(self, slots: Slots, query: Floats) -> Floats:
        """The cosine with *query* of the nearest vector of each of *slots*; 0 without one."""
        self._reach(slots)
        found = np.zeros(len(slots), np.float32)
        known = self._count.array[slots] > 0
        chosen = slots[known]
        if not len(chosen):
            return found
        counts = self._count.array[chosen]
        single = counts.max() == 1
        rows = self._first.array[chosen] if single else self._rows_of(chosen)
        # Not a matrix product: that may start threads, which cost more than they gain here.
        held = self._bytes.array.take(rows, axis=0)
        by_row = np.einsum("ij,j->i", held.astype(np.float32), query)
        by_row *= self._scale.array[rows]
        by_row += np.float32(np.einsum("j,j->", usual_vector(), query))
        best = by_row if single else np.maximum.reduceat(by_row, np.cumsum(counts) - counts)
        found[known] = best
        return found

    def nearest(self, query: Floats, visible: Flags) -> Slots:
        """Slots that include the nearest ones: all visible ones, or a preselection if there are many."""
        held = self.held(len(visible)) & visible
        if np.count_nonzero(held) <= EXACT_MAX:
            return np.flatnonzero(held).astype(np.int32)
        apart = np.zeros(self._owner.size, np.uint16)
        for column, word in zip(self._bits, _bits(query[None, :])[0], strict=True):
            apart += np.bitwise_count(column.array ^ word)
        owners = self._owner.array
        apart[~np.append(held, False).take(owners)] = DIMENSIONS + 1
        # All that are as near as the last one chosen: faster than a sort, and no ties to break.
        within = np.searchsorted(np.cumsum(np.bincount(apart)), CHOSEN)
        chosen = owners[apart <= min(int(within), DIMENSIONS)][: 4 * CHOSEN]
        return distinct(chosen[chosen >= 0])

    def _reach(self, slots: Slots) -> None:
        for column in (self._first, self._count):
            column.grow(int(slots.max()) + 1 if len(slots) else 0)

    def _row_columns(self) -> list[Column]:
        return [self._owner, self._scale, self._bytes, *self._bits]

    @property
    def bytes(self) -> int:
        """The memory it takes."""
        columns = (self._first, self._count, *self._row_columns())
        return sum(column.bytes for column in columns)
