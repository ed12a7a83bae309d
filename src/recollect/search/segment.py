"""The search segment of one graph: words, vectors and columns in memory, derived from its rows.

It has the epoch and version it was built from, applies later changes page by page, and can be dropped
at any time.
"""

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from recollect.graph.filters import Filters
from recollect.graph.types import Kind, Record
from recollect.graph.visibility import Visibility
from recollect.search import kinds
from recollect.search.columns import Flags, Slots
from recollect.search.kinds import KINDS
from recollect.search.neighbours import Neighbourhoods
from recollect.search.postings import Postings
from recollect.search.query import NO_LOOKUPS, Lookups, PreparedQuery
from recollect.search.tables import ItemTable, Links, Tables
from recollect.search.vectors import Vectors

_SEGMENT_BYTES = 20_000

P = ParamSpec("P")
T = TypeVar("T")


class IndexPage(Record):
    """Changes up to a version: index rows, and the current state of their items."""

    until: int
    rows: Sequence[Any]
    items: Mapping[Kind, Sequence[Any]] = {}
    endings: Sequence[Any] = ()
    supports: Sequence[Any] = ()
    mentions: Sequence[Any] = ()


class Segment:
    """Everything a search of one graph reads. Use it through `work`, unless no other thread has it."""

    def __init__(self, epoch: int = 0) -> None:
        self.epoch = epoch
        self.version = 0
        self.kept_version = 0  # of its snapshot
        self.turn = asyncio.Lock()  # held while it is brought up to date
        self._lock = threading.Lock()
        self.hold(Tables({kind: spec.table() for kind, spec in KINDS.items()}))
        self.words: dict[Kind, Postings] = {kind: Postings() for kind in KINDS}
        self.vectors: dict[Kind, Vectors] = {kind: Vectors() for kind in KINDS}

    def hold(self, tables: Tables) -> None:
        """Use these tables."""
        self.tables = tables
        self.facts = tables.facts
        self.entities = tables.entities
        self.episodes = tables.episodes
        self.supports = tables.supports
        self.mentions = tables.mentions
        self._changed()

    def _changed(self) -> None:
        """Clear the caches that a change invalidates."""
        self._open: Flags | None = None
        self._neighbours: Neighbourhoods | None = None
        self.seen: dict[Visibility, Segment] = {}  # narrowed to each visibility

    @property
    def holds_forgotten(self) -> bool:
        """Whether it still contains texts or vectors of items that were removed or changed."""
        return any(table.holds_forgotten for table in self.tables.by_kind.values())

    def become(self, other: "Segment") -> None:
        """Take over the contents of another segment of the same graph."""
        with self._lock:
            kept = {"turn", "_lock"}
            vars(self).update({k: v for k, v in vars(other).items() if k not in kept})

    def table(self, kind: Kind) -> ItemTable:
        """The table of one kind of item."""
        return self.tables.by_kind[kind]

    def work(
        self, task: Callable[Concatenate["Segment", P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run *task* while no other thread works on this segment."""
        with self._lock:
            return task(self, *args, **kwargs)

    @property
    def size_bytes(self) -> int:
        """About how much memory this takes."""
        parts: list[Any] = [*self.tables.by_kind.values(), self.supports, self.mentions]
        parts += [*self.words.values(), *self.vectors.values()]
        return _SEGMENT_BYTES + sum(int(part.bytes) for part in parts)

    def take(self, page: IndexPage) -> None:
        """Apply the next changes. Items that were there before keep their slots."""
        with self._lock:
            if page.until > self.version:
                self._changed()
                new = self._mark(page.rows)
                for kind, rows in page.items.items():
                    self.table(kind).fill(self.tables, rows, new[kind])
                self.facts.fill_endings(self.episodes, page.endings)
                said = page.items.get("episode", ())
                again = [row.id for row in said if row.id not in new["episode"]]
                self._link(self.supports, self.facts, page.supports, again)
                self._link(self.mentions, self.entities, page.mentions, again)
                self.version = page.until

    def _mark(self, rows: Sequence[Any]) -> dict[Kind, set[int]]:
        """Record which items exist, with their terms and vectors; returns the ids of new ones."""
        new: dict[Kind, set[int]] = {}
        for kind, table in self.tables.by_kind.items():
            chosen = [row for row in rows if row.item_kind == kind]
            terms = [row.terms for row in chosen]
            slots = table.slots(row.item_id for row in chosen)
            before = table.alive.array[slots]
            alive = np.array([held is not None for held in terms], bool)
            table.holds_forgotten |= bool((before & ~alive).any())
            new[kind] = {row.item_id for row, old in zip(chosen, before, strict=True) if not old}
            if chosen:
                table.alive.put(slots, alive)
                self.words[kind].put(slots, terms)
                self.vectors[kind].put(slots, [row.vector for row in chosen])
        return new

    def _link(
        self, links: Links, table: ItemTable, rows: Sequence[Any], again: Sequence[int]
    ) -> None:
        """Add links to episodes, dropping the old links of episodes that come *again*.

        Those may support something else by now, because they were cited or read once more.
        """
        if again:
            links.drop(self.episodes.slots(again))
        items = table.slots(row.item_id for row in rows)
        links.add(items, self.episodes.slots(row.episode_id for row in rows))

    def mask(self, kind: Kind, filters: Filters, lookups: Lookups = NO_LOOKUPS) -> Flags:
        """The slots of a kind whose items exist and pass the filters."""
        return kinds.mask(self.tables, kind, filters, lookups)

    def passing(self, prepared: PreparedQuery) -> Flags:
        """The slots whose items exist and pass the filters of a query."""
        return self.mask(prepared.query.kind, prepared.query.filters, prepared.lookups)

    def visible(self, kind: Kind) -> Flags:
        """Which slots can be found, before any filter."""
        if kind != "episode":
            alive: Flags = self.table(kind).alive.array
            return alive
        if self._open is None:
            self._open = self.episodes.alive.array & self.episodes.open.array
        return self._open

    @property
    def neighbours(self) -> Neighbourhoods:
        """The neighbours among all episodes that can be found."""
        if self._neighbours is None:
            created_at = self.episodes.created_at.array
            self._neighbours = self.episodes.order.neighbours(self.visible("episode"), created_at)
        return self._neighbours

    def row_ids(self, kind: Kind, slots: Slots) -> list[int]:
        """The row ids of slots, in order."""
        ids: list[int] = self.table(kind).ids.array[slots].tolist()
        return ids
