"""Which items contain which terms, scored by BM25 with the statistics of what is visible.

Postings are stored in sorted runs. A page of changes is a new run; runs of about the same size are
merged, so that there are few of them and each posting moves only a few times. An item that changes
gets a new document number, and postings of the old one are ignored from then on.
"""

from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from recollect.graph.terms import COUNT_BYTES, HASH_BYTES
from recollect.search.columns import Column, Flags, Scores, Slots
from recollect.search.neighbours import Neighbourhoods

# The constants of BM25: how soon repetition stops counting (here for short texts), and the weight of length.
K1 = 0.8
B = 0.75
# A longer neighbour lends its words as if it had only this many; otherwise it would drown those around it.
_LENT_MAX = 40

Hashes = npt.NDArray[np.uint64]


def rarity(size: int, holding: Any) -> Any:
    """The weight of a term that occurs in *holding* of *size* texts."""
    return np.log1p((size - holding + 0.5) / (holding + 0.5))


def length_norm(lengths: Scores, mean: float, k1: float = K1) -> Scores:
    """The length normalization of each text."""
    return k1 * (1 - B + B * lengths / max(1.0, mean))


def bm25(weight: float, counts: Scores, norm: Scores, k1: float = K1) -> Scores:
    """The score of texts that contain a term of this weight *counts* times."""
    return weight * counts * (k1 + 1) / (counts + norm)


class PostingRun(NamedTuple):
    """Postings in the order of their terms: those of `hashes[i]` begin at `starts[i]`."""

    hashes: Hashes
    starts: npt.NDArray[np.int64]
    documents: Slots
    counts: npt.NDArray[np.uint16]


class Postings:
    """The terms of the items of one table."""

    def __init__(self) -> None:
        self.runs: list[PostingRun] = []
        self._slot = Column(np.int32, -1)  # of each document
        self._length = Column(np.float64, 0.0)  # of each slot, in terms
        self._alive = Column(np.bool_, False)
        self._document = Column(np.int32, -1)  # of each slot, -1 without one
        self._kept: tuple[Neighbourhoods, Scores, Scores] | None = None

    def put(self, slots: Slots, packed: Sequence[bytes | None]) -> None:
        """Replace the terms of items, packed as by `graph.terms.packed`; None removes them."""
        self._kept = None
        for column in (self._document, self._length):
            column.grow(int(slots.max()) + 1 if len(slots) else 0)
        old = self._document.array[slots]
        self._alive.put(old[old >= 0], False)
        self._document.put(slots, -1)
        self._length.put(slots, 0.0)
        kept = [number for number, blob in enumerate(packed) if blob is not None]
        if kept:
            self._add(slots[kept], [packed[number] or b"" for number in kept])

    def without(self, slots: Slots) -> "Postings":
        """The same terms without those of *slots*; valid until the original changes."""
        other = copy(self)
        other._kept = None
        documents = self._document.array[slots[slots < self._document.size]]
        there = np.ones(self._alive.size, bool)
        there[documents[documents >= 0]] = False
        other._alive = self._alive.where(there, False)
        counted = np.ones(self._length.size, bool)
        counted[slots[slots < self._length.size]] = False
        other._length = self._length.where(counted, 0.0)
        return other

    def _add(self, slots: Slots, packed: list[bytes]) -> None:
        first = self._slot.size
        for column in (self._slot, self._alive):
            column.grow(first + len(slots))
        documents = np.arange(first, first + len(slots), dtype=np.int32)
        sizes = np.fromiter(
            (len(blob) // (HASH_BYTES + COUNT_BYTES) for blob in packed), np.int64, len(packed)
        )
        hashes = np.frombuffer(
            b"".join(blob[: n * HASH_BYTES] for blob, n in zip(packed, sizes, strict=True)),
            np.uint64,
        )
        counts = np.frombuffer(
            b"".join(blob[n * HASH_BYTES :] for blob, n in zip(packed, sizes, strict=True)),
            np.uint16,
        )
        owners = np.repeat(np.arange(len(slots)), sizes)
        lengths = np.bincount(owners, weights=counts, minlength=len(slots))
        self._slot.put(documents, slots)
        self._length.put(slots, lengths)
        self._alive.put(documents, True)
        self._document.put(slots, documents)
        self.runs.append(_run(hashes, documents[owners], counts))
        self._merge()

    def _merge(self) -> None:
        """Join the newest runs while the older one is not much larger."""
        while len(self.runs) > 1 and len(self.runs[-2].counts) <= 2 * len(self.runs[-1].counts):
            newer, older = self.runs.pop(), self.runs.pop()
            hashes = np.concatenate([_spread(older), _spread(newer)])
            documents = np.concatenate([older.documents, newer.documents])
            counts = np.concatenate([older.counts, newer.counts])
            alive = self._alive.array[documents]
            self.runs.append(_run(hashes[alive], documents[alive], counts[alive]))

    def search(
        self, hashes: Iterable[int], visible: Flags, neighbours: Neighbourhoods | None = None
    ) -> Scores:
        """The BM25 score of every slot, as a share of the score of a text with all the words.

        Slots that are not *visible* do not count at all. With *neighbours*, their words count too, before
        repetition is damped.
        """
        scores = np.zeros(len(visible))
        count = int(np.count_nonzero(visible))
        if not count:
            return scores
        norm, share = self._norms(visible, neighbours)
        wanted = 0.0
        for term in dict.fromkeys(hashes):
            slots, counts = self._holding(term, visible)
            weight = rarity(count, len(slots))
            wanted += weight
            if not len(slots):
                continue
            if neighbours is not None:
                spread = neighbours.spread(neighbours.place[slots], counts, counts * share[slots])
                held = spread > 0
                slots, counts = neighbours.slots[held], spread[held]
            scores[slots] += bm25(weight, counts, norm[slots])
        return _shares(scores, wanted, most=None if neighbours is None else 1.0)

    def search_among(
        self, hashes: Iterable[int], visible: Flags, neighbours: Neighbourhoods, slots: Slots
    ) -> Scores:
        """The same for a few slots, faster."""
        scores = np.zeros(len(slots))
        count = int(np.count_nonzero(visible))
        norm, share = self._norms(visible, neighbours)
        near, weights = neighbours.around(slots)
        weights *= share[near]
        held, own_norm = np.zeros(len(visible)), norm[slots]
        wanted = 0.0
        for term in dict.fromkeys(hashes):
            holding, counts = self._holding(term, visible)
            weight = rarity(count, len(holding))
            held[holding] = counts
            total = held.take(slots) + np.einsum("ij,ij->j", held.take(near), weights)
            held[holding] = 0.0
            scores += bm25(weight, total, own_norm)
            wanted += weight
        return _shares(scores, wanted, most=1.0)

    def held(self, hashes: Iterable[int], visible: Flags) -> Scores:
        """How many words of every slot are among *hashes*."""
        total = np.zeros(len(visible))
        for term in dict.fromkeys(hashes):
            slots, counts = self._holding(term, visible)
            total[slots] += counts
        return total

    def shared(self, hashes: Iterable[int], visible: Flags, slots: Slots) -> Scores:
        """For each pair of *slots*, the share of the words that both contain, weighted by rarity.

        Words that no visible slot contains do not count.
        """
        count = int(np.count_nonzero(visible))
        wanted, both = 0.0, np.zeros((len(slots), len(slots)))
        for term in dict.fromkeys(hashes):
            holding, _ = self._holding(term, visible)
            if not len(holding):
                continue
            weight = rarity(count, len(holding))
            wanted += weight
            held = np.isin(slots, holding)
            both += weight * np.outer(held, held)
        return both / wanted if wanted > 0 else both

    def holds(self, hashes: Iterable[int], visible: Flags) -> bool:
        """Whether any visible item has one of some words."""
        return any(len(self._holding(term, visible)[0]) for term in hashes)

    def lacking(self, hashes: Iterable[int], visible: Flags, slots: Slots) -> Flags:
        """For each pair of *slots*, whether the second lacks one of the words that the first has."""
        lacks = np.zeros((len(slots), len(slots)), bool)
        for term in dict.fromkeys(hashes):
            held = np.isin(slots, self._holding(term, visible)[0])
            lacks |= np.outer(held, ~held)
        return lacks

    def _norms(self, visible: Flags, neighbours: Neighbourhoods | None) -> tuple[Scores, Scores]:
        """The length normalization of each slot, and the share of its words that a slot lends.

        Cached for the neighbours used last, which are usually those of the whole graph.
        """
        if neighbours is not None and self._kept is not None and self._kept[0] is neighbours:
            return self._kept[1:]
        lengths = self._lengths(len(visible))
        share = lengths if neighbours is None else _LENT_MAX / np.maximum(lengths, _LENT_MAX)
        if neighbours is not None:
            own = lengths[neighbours.slots]
            places = np.arange(len(own), dtype=np.int32)
            lengths[neighbours.slots] = neighbours.spread(
                places, own, own * share[neighbours.slots]
            )
        norm = length_norm(lengths, float(lengths[visible].mean()))
        self._kept = None if neighbours is None else (neighbours, norm, share)
        return norm, share

    def _lengths(self, size: int) -> Scores:
        """How many terms each of the first slots of the table has."""
        lengths = np.zeros(size)
        known = self._length.array[:size]
        lengths[: len(known)] = known
        return lengths

    def _holding(self, term: int, visible: Flags) -> tuple[Slots, Scores]:
        """The visible slots that contain a term, and how often."""
        documents, counts = self._postings(term)
        slots = self._slot.array.take(documents)
        kept = self._alive.array.take(documents) & visible.take(slots)
        return (slots, counts) if kept.all() else (slots[kept], counts[kept])

    def _postings(self, term: int) -> tuple[Slots, Scores]:
        documents, counts = [], []
        for run in self.runs:
            place = int(run.hashes.searchsorted(np.uint64(term)))
            if place < len(run.hashes) and run.hashes[place] == term:
                part = slice(run.starts[place], run.starts[place + 1])
                documents.append(run.documents[part])
                counts.append(run.counts[part])
        if not documents:
            return np.empty(0, np.int32), np.empty(0)
        return np.concatenate(documents), np.concatenate(counts).astype(np.float64)

    @property
    def bytes(self) -> int:
        """About how much memory it takes."""
        runs = sum(sum(part.nbytes for part in run) for run in self.runs)
        columns = (self._slot, self._length, self._alive, self._document)
        return runs + sum(column.bytes for column in columns)


def _run(hashes: Hashes, documents: Slots, counts: npt.NDArray[np.uint16]) -> PostingRun:
    order = np.argsort(hashes, kind="stable")
    distinct, starts = np.unique(hashes[order], return_index=True)
    return PostingRun(distinct, np.append(starts, len(hashes)), documents[order], counts[order])


def _spread(run: PostingRun) -> Hashes:
    """The term of each posting."""
    return np.repeat(run.hashes, np.diff(run.starts))


def _shares(scores: Scores, wanted: float, most: float | None) -> Scores:
    """Scores as a share of the score of a short text with every word of the query.

    Neighbours can lend a word any number of times, so the share is capped at *most*.
    """
    shares = scores / wanted if wanted > 0 else scores
    return shares if most is None else np.minimum(shares, most)
