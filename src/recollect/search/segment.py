"""The search segment of one graph: words, vectors and columns in memory, derived from its rows.

It carries the epoch and the version it was built from, takes later changes page by page, and can
be thrown away at any time.
"""

import asyncio
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from recollect.graph.episode_filters import producer_named
from recollect.graph.questions import words_asked
from recollect.graph.sight import Sight
from recollect.graph.types import Record
from recollect.search.columns import NO_TIME, Codes, Column, Flags, Slots
from recollect.search.postings import Postings
from recollect.search.shelves import Links, Shelf, Shelves
from recollect.search.strands import Strands, Window
from recollect.search.vectors import Vectors
from recollect.store.index import ItemKind
from recollect.store.protocol import Row
from recollect.store.rows import from_json

_SEGMENT_BYTES = 20_000

P = ParamSpec("P")
T = TypeVar("T")


class Page(Record):
    """Changes up to a version: index rows, and the items themselves as they are now."""

    until: int
    rows: Sequence[Row]
    facts: Sequence[Row] = ()
    endings: Sequence[Row] = ()
    entities: Sequence[Row] = ()
    episodes: Sequence[Row] = ()
    observations: Sequence[Row] = ()
    thread_summaries: Sequence[Row] = ()
    supports: Sequence[Row] = ()
    mentions: Sequence[Row] = ()


class Segment:
    """Everything a search of one graph looks at. Work on it through `work`, or alone."""

    def __init__(self, epoch: int = 0) -> None:
        self.epoch = epoch
        self.version = 0
        self.kept_version = 0  # of its snapshot
        self.holds_forgotten = False  # texts and vectors of what was removed or changed since
        self.turn = asyncio.Lock()  # of the one who brings it up to date
        self._lock = threading.Lock()
        self.strands = Strands()
        self.hold(Shelves())
        self.words: dict[ItemKind, Postings] = {kind: Postings() for kind in self.all_shelves()}
        self.vectors: dict[ItemKind, Vectors] = {kind: Vectors() for kind in self.all_shelves()}

    def hold(self, shelves: Shelves) -> None:
        """Have these shelves from now on."""
        self.shelves = shelves
        self.facts = shelves.facts
        self.entities = shelves.entities
        self.episodes = shelves.episodes
        self.supports = shelves.supports
        self.mentions = shelves.mentions
        self.observations = shelves.observations
        self.thread_summaries = shelves.thread_summaries
        self._changed()

    def _changed(self) -> None:
        """Forget what is kept until something changes."""
        self._open: Flags | None = None
        self._window: Window | None = None
        self.seen: dict[Sight, Segment] = {}  # as those see it who may not see everything

    def all_shelves(self) -> dict[ItemKind, Shelf]:
        """The shelf of each kind of item."""
        return {
            "episode": self.episodes,
            "fact": self.facts,
            "entity": self.entities,
            "observation": self.observations,
            "thread_summary": self.thread_summaries,
        }

    def become(self, other: "Segment") -> None:
        """Take over what another segment of the same graph holds."""
        with self._lock:
            kept = {"turn", "_lock"}
            vars(self).update({k: v for k, v in vars(other).items() if k not in kept})

    def shelf(self, kind: ItemKind) -> Shelf:
        """The shelf of one kind of item."""
        return self.all_shelves()[kind]

    def work(
        self, task: Callable[Concatenate["Segment", P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Do *task* while no other thread is at work on this segment."""
        with self._lock:
            return task(self, *args, **kwargs)

    @property
    def size_bytes(self) -> int:
        """About how much memory this takes."""
        parts: list[Any] = [
            *self.all_shelves().values(),
            self.supports,
            self.mentions,
            self.strands,
        ]
        parts += [*self.words.values(), *self.vectors.values()]
        return _SEGMENT_BYTES + sum(int(part.bytes) for part in parts)

    def take(self, page: Page) -> None:
        """Take the next changes. Those who were there before keep their slots."""
        with self._lock:
            if page.until > self.version:
                self._changed()
                new = self._mark(page.rows)
                self._fill_entities(page.entities)
                self._fill_facts(page.facts)
                self._fill_endings(page.endings)
                self._fill_episodes(page.episodes, new)
                self._fill_observations(page.observations)
                self._fill_summaries(page.thread_summaries)
                again = [row["id"] for row in page.episodes if row["id"] not in new]
                self._link(self.supports, self.facts, page.supports, again)
                self._link(self.mentions, self.entities, page.mentions, again)
                self.version = page.until

    def _mark(self, rows: Sequence[Row]) -> set[int]:
        """Note who is there and by what they are found; tells the episodes that are new."""
        new: set[int] = set()
        for kind, shelf in self.all_shelves().items():
            chosen = [row for row in rows if row["item_kind"] == kind]
            if not chosen:
                continue
            terms = [row["terms"] for row in chosen]
            slots = shelf.slots(row["item_id"] for row in chosen)
            before = shelf.alive.array[slots]
            alive = np.array([held is not None for held in terms], bool)
            self.holds_forgotten |= bool((before & ~alive).any())
            if kind == "episode":
                new = {row["item_id"] for row, old in zip(chosen, before, strict=True) if not old}
            shelf.alive.put(slots, alive)
            self.words[kind].put(slots, terms)
            self.vectors[kind].put(slots, [row["vector"] for row in chosen])
        return new

    def _fill_entities(self, rows: Sequence[Row]) -> None:
        shelf = self.entities
        slots = shelf.slots(row["id"] for row in rows)
        shelf.created_at.put(slots, [row["created_at"] for row in rows])
        labels = [shelf.label_sets.code(tuple(from_json(row["labels"]))) for row in rows]
        shelf.labels.put(slots, labels)
        shelf.own.put(slots, [bool(row["is_user"]) for row in rows])
        self._tell(shelf.attributes, slots, _codes(shelf.attribute_texts, rows, "attributes"))

    def _fill_facts(self, rows: Sequence[Row]) -> None:
        shelf = self.facts
        slots = shelf.slots(row["id"] for row in rows)
        shelf.source.put(slots, self.entities.slots(row["source_id"] for row in rows))
        shelf.target.put(slots, self.entities.slots(row["target_id"] for row in rows))
        shelf.name.put(slots, [shelf.names.code(row["name"]) for row in rows])
        self._tell(shelf.attributes, slots, _codes(shelf.attribute_texts, rows, "attributes"))
        shelf.rating.put(
            slots, [np.nan if row["rating"] is None else row["rating"] for row in rows]
        )
        for name in ("created_at", "valid_at", "invalid_at", "expired_at"):
            getattr(shelf, name).put(slots, _moments(row[name] for row in rows))
        for slot, row in zip(slots.tolist(), rows, strict=True):
            shelf.endings.pop(slot, None)
            self._doubt(slot, from_json(row["doubts"]))

    def _doubt(self, slot: int, doubts: Sequence[tuple[int, float]]) -> None:
        self.facts.doubts.pop(slot, None)
        if doubts:
            by = self.facts.slots(number for number, _ in doubts).tolist()
            self.facts.doubts[slot] = list(zip(by, (sure for _, sure in doubts), strict=True))

    def _fill_endings(self, rows: Sequence[Row]) -> None:
        """What gave facts an end, after the facts themselves."""
        slots = self.facts.slots(row["fact_id"] for row in rows)
        for slot, row in zip(slots.tolist(), rows, strict=True):
            by = row["episode_id"]
            episode = -1 if by is None else int(self.episodes.slots([by])[0])
            ending = (episode, _moment(row["ended_at"]), _moment(row["expired_at"]))
            self.facts.endings.setdefault(slot, []).append(ending)

    def _fill_episodes(self, rows: Sequence[Row], new: set[int]) -> None:
        shelf = self.episodes
        slots = shelf.slots(row["id"] for row in rows)
        strands = np.array(_codes(shelf.strands, rows, "strand"), np.int64)
        fresh = np.array([row["id"] in new for row in rows], bool)
        moved = ~fresh & (strands != shelf.strand.array[slots])
        sequence = np.array([row["seq"] for row in rows], np.int64)
        self.strands.drop(slots[moved])
        placed = fresh | moved
        self.strands.add(strands[placed], sequence[placed], slots[placed])
        shelf.strand.put(slots, strands)
        shelf.seq.put(slots, sequence)
        shelf.created_at.put(slots, [row["created_at"] for row in rows])
        shelf.open.put(slots, [bool(row["open"]) for row in rows])
        shelf.by_user.put(slots, [(row["role"] or row["producer"]) == "user" for row in rows])
        shelf.asks.put(slots, [words_asked(row["asked"] or "") for row in rows])
        shelf.speaker.put(slots, _codes(shelf.speakers, rows, "speaker"))
        self._tell(shelf.metadata, slots, _codes(shelf.metadata_texts, rows, "metadata"))
        self._fill_who(rows, slots)

    def _fill_who(self, rows: Sequence[Row], slots: Slots) -> None:
        """Whom episodes are by and for, as memory clients read it, and for which memory."""
        shelf = self.episodes
        producers = [producer_named(row["producer"], row["speaker"], row["role"]) for row in rows]
        shelf.producer.put(slots, [shelf.producers.code(name) for name in producers])
        shelf.role.put(slots, [shelf.roles.code(row["role"] or "") for row in rows])
        shelf.addressee.put(slots, _codes(shelf.addressees, rows, "addressee"))
        shelf.recallable.put(slots, [row["kept_for"] != "semantic" for row in rows])

    def _tell(self, column: Column, slots: Slots, codes: Sequence[int]) -> None:
        """Write codes of texts, and note whether a text was there that may be no longer told."""
        before = column.array[slots]
        self.holds_forgotten |= bool(((before >= 0) & (before != np.array(codes, int))).any())
        column.put(slots, codes)

    def _fill_observations(self, rows: Sequence[Row]) -> None:
        shelf = self.observations
        slots = shelf.slots(row["id"] for row in rows)
        shelf.created_at.put(slots, [row["created_at"] for row in rows])
        for slot, row in zip(slots.tolist(), rows, strict=True):
            shelf.evidence[slot] = self.facts.slots(from_json(row["facts"])).tolist()

    def _fill_summaries(self, rows: Sequence[Row]) -> None:
        shelf = self.thread_summaries
        slots = shelf.slots(row["id"] for row in rows)
        shelf.created_at.put(slots, [row["created_at"] for row in rows])
        shelf.strand.put(slots, _codes(self.episodes.strands, rows, "strand"))

    def _link(self, links: Links, shelf: Shelf, rows: Sequence[Row], again: Sequence[int]) -> None:
        """Note what episodes stand behind. Those that come again may stand behind something else
        now: they were cited, or read once more."""
        if again:
            links.drop(self.episodes.slots(again))
        links.add(*self._slots(shelf, rows))

    def _slots(self, shelf: Shelf, rows: Sequence[Row]) -> tuple[Slots, Slots]:
        items = shelf.slots(row["item_id"] for row in rows)
        return items, self.episodes.slots(row["episode_id"] for row in rows)

    def visible(self, kind: ItemKind) -> Flags:
        """Which slots can be found, before any filter."""
        if kind != "episode":
            alive: Flags = self.shelf(kind).alive.array
            return alive
        if self._open is None:
            self._open = self.episodes.alive.array & self.episodes.open.array
        return self._open

    @property
    def whole_window(self) -> Window:
        """The neighbourhoods of all episodes that can be found."""
        if self._window is None:
            created_at = self.episodes.created_at.array
            self._window = self.strands.window(self.visible("episode"), created_at)
        return self._window

    def row_ids(self, kind: ItemKind, slots: Slots) -> list[int]:
        """The row ids of slots, in order."""
        ids: list[int] = self.shelf(kind).ids.array[slots].tolist()
        return ids


def _codes(texts: Codes, rows: Sequence[Row], name: str) -> list[int]:
    """The codes of a column's texts, -1 where there is none."""
    return [-1 if row[name] is None else texts.code(row[name]) for row in rows]


def _moments(values: Iterable[int | None]) -> list[int]:
    return [_moment(value) for value in values]


def _moment(value: int | None) -> int:
    return int(NO_TIME) if value is None else value
