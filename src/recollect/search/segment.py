"""The search segment of one graph: postings in memory, derived from its index rows.

It carries the version it was built from, takes later rows one by one, and can be thrown away
at any time.
"""

import asyncio
import threading
from array import array
from collections import Counter
from collections.abc import Iterable

import msgspec
import numpy as np

# The usual BM25 constants: how soon repetition stops counting, how much length counts.
_K1 = 1.2
_B = 0.75
_SEGMENT_BYTES = 1_000
_POSTING_BYTES = 8
_ITEM_BYTES = 200
_TERM_BYTES = 250


class IndexRow(msgspec.Struct, frozen=True):
    """One change: an item with its terms, or with None when it is gone."""

    version: int
    kind: str
    uuid: str
    terms: str | None


class Hit(msgspec.Struct, frozen=True):
    """An item and how well it fits."""

    uuid: str
    score: float


class _Postings:
    __slots__ = ("counts", "items")

    def __init__(self) -> None:
        self.items = array("I")
        self.counts = array("I")


class Segment:
    """Postings and lengths of one graph's items, with the graph's own statistics."""

    def __init__(self) -> None:
        self.version = 0
        self.turn = asyncio.Lock()  # of the one who brings it up to date
        self._lock = threading.Lock()
        self._uuids: list[str] = []
        self._numbers: dict[str, int] = {}
        self._lengths = array("I")
        self._alive = bytearray()
        self._postings: dict[str, _Postings] = {}
        self._posting_count = 0

    @property
    def size_bytes(self) -> int:
        """About how much memory this takes."""
        return (
            _SEGMENT_BYTES
            + self._posting_count * _POSTING_BYTES
            + len(self._uuids) * _ITEM_BYTES
            + len(self._postings) * _TERM_BYTES
        )

    def take(self, rows: Iterable[IndexRow]) -> None:
        """Apply changes; only one thread at a time, as the thread of a cancelled caller goes on."""
        with self._lock:
            self.apply(rows)

    def answer(self, terms: Iterable[str], limit: int) -> list[Hit]:
        """Search, while no other thread is at work on this segment."""
        with self._lock:
            return self.search(terms, limit)

    def apply(self, rows: Iterable[IndexRow]) -> None:
        """Take changes in the order of their versions; an item that changed replaces itself."""
        for row in rows:
            if row.version <= self.version:
                continue
            old = self._numbers.pop(row.uuid, None)
            if old is not None:
                self._alive[old] = 0
            if row.terms is not None and row.kind == "episode":
                self._add(row.uuid, row.terms.split())
            self.version = row.version

    def _add(self, uuid: str, terms: list[str]) -> None:
        number = len(self._uuids)
        self._numbers[uuid] = number
        self._uuids.append(uuid)
        self._lengths.append(len(terms))
        self._alive.append(1)
        for term, count in Counter(terms).items():
            postings = self._postings.get(term)
            if postings is None:
                postings = self._postings[term] = _Postings()
            postings.items.append(number)
            postings.counts.append(count)
            self._posting_count += 1

    def search(self, terms: Iterable[str], limit: int) -> list[Hit]:
        """The best *limit* items by BM25, better ones first, newer ones first among equals."""
        if not self._numbers or limit <= 0:
            return []
        alive = np.frombuffer(bytes(self._alive), dtype=np.uint8).astype(bool)
        lengths = np.frombuffer(self._lengths.tobytes(), dtype=np.uint32).astype(np.float64)
        norm = _K1 * (1 - _B + _B * lengths / max(1.0, float(lengths[alive].mean())))
        scores = np.zeros(len(self._uuids))
        for term in dict.fromkeys(terms):
            self._score(term, scores, norm, alive)
        scores[~alive] = 0.0
        found = np.flatnonzero(scores)
        best = found[np.lexsort((-found, -scores[found]))][:limit]
        return [Hit(self._uuids[i], float(scores[i])) for i in best]

    def _score(
        self,
        term: str,
        scores: "np.ndarray[tuple[int], np.dtype[np.float64]]",
        norm: "np.ndarray[tuple[int], np.dtype[np.float64]]",
        alive: "np.ndarray[tuple[int], np.dtype[np.bool_]]",
    ) -> None:
        postings = self._postings.get(term)
        if postings is None:
            return
        items = np.frombuffer(postings.items.tobytes(), dtype=np.uint32)
        counts = np.frombuffer(postings.counts.tobytes(), dtype=np.uint32).astype(np.float64)
        holding = int(alive[items].sum())
        rarity = np.log1p((len(self._numbers) - holding + 0.5) / (holding + 0.5))
        scores[items] += rarity * counts * (_K1 + 1) / (counts + norm[items])
