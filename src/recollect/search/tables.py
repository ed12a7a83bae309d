"""What a segment knows about the items of each kind besides their words and vectors.

Every item has a slot in its table for as long as the segment lives. Columns hold what filters and
rankings need. A slot whose `alive` is False belongs to a deleted item, or to one that others already
refer to but whose own row has not arrived yet.
"""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, Self, cast

import numpy as np
import regex

from recollect.graph.episode_filters import producer_named
from recollect.graph.terms import words_asked
from recollect.graph.types import Kind
from recollect.search.columns import NO_TIME, Codes, Column, Flags, MetadataKey, Slots
from recollect.search.neighbours import EpisodeOrder
from recollect.store.rows import from_json

_KEYS_MAX = 32  # metadata keys that are indexed at a time


class ItemTable:
    """Items of one kind: their row ids, and whether they exist."""

    def __init__(self) -> None:
        self.ids = Column(np.int64, 0)
        self.alive = Column(np.bool_, False)
        self.created_at = Column(np.int64, NO_TIME)
        self.holds_forgotten = False  # texts that items had before they changed
        self._slots: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._slots)

    def slots(self, ids: Iterable[int]) -> Slots:
        """The slots of items; items without one get one."""
        known = self._slots
        wanted = list(ids)
        found = np.fromiter((known.setdefault(i, len(known)) for i in wanted), np.int32)
        self._grow(len(known))
        self.ids.put(found, wanted)
        return found

    def known(self, ids: Iterable[int]) -> Slots:
        """The slots of those of *ids* that have one."""
        found = (self._slots.get(i) for i in ids)
        return np.fromiter((slot for slot in found if slot is not None), np.int32)

    def fill(self, tables: "Tables", rows: Sequence[Any], new: Iterable[int]) -> None:
        """Write the rows of items; *new* are the ids of items that did not exist before."""
        slots = self.slots(row.id for row in rows)
        self.created_at.put(slots, [row.created_at for row in rows])

    def put_texts(self, column: Column, slots: Slots, codes: Sequence[int]) -> None:
        """Write codes of texts, and record whether one of them replaces an older text."""
        before = column.array[slots]
        self.holds_forgotten |= bool(((before >= 0) & (before != np.array(codes, int))).any())
        column.put(slots, codes)

    def narrowed(self, visible: Flags) -> Self:
        """A copy of the table in which only the flagged items exist."""
        other = copy(self)
        other.alive = self.alive.where(visible, False)
        return other

    def restore(self) -> None:
        """Build the map from ids to slots after the columns were loaded."""
        self._slots = {number: slot for slot, number in enumerate(self.ids.array.tolist())}

    def _columns(self) -> list[Column]:
        return [value for value in vars(self).values() if isinstance(value, Column)]

    def _grow(self, size: int) -> None:
        for column in self._columns():
            column.grow(size)

    @property
    def bytes(self) -> int:
        """About how much memory it takes."""
        codes = [value for value in vars(self).values() if isinstance(value, Codes)]
        held = sum(column.bytes for column in self._columns()) + sum(code.bytes for code in codes)
        return held + 100 * len(self._slots)


class FactTable(ItemTable):
    """Facts: their ends are slots of the entity table, their names are codes of `names`."""

    def __init__(self) -> None:
        super().__init__()
        self.source = Column(np.int32, -1)
        self.target = Column(np.int32, -1)
        self.name = Column(np.int32, -1)
        self.valid_at = Column(np.int64, NO_TIME)
        self.invalid_at = Column(np.int64, NO_TIME)
        self.expired_at = Column(np.int64, NO_TIME)
        self.rating = Column(np.float32, np.nan)
        self.weighed = Column(np.bool_, False)  # by a reader that was shown what was known
        self.took_place = Column(np.bool_, False)  # or will: it begins when it happens
        self.denies = Column(np.bool_, False)  # says that something stopped or is not so
        self.names = Codes()
        self.attributes = Column(np.int32, -1)  # codes of `attribute_texts`, -1 without any
        self.attribute_texts = Codes()  # JSON
        self.doubts: dict[int, list[tuple[int, float]]] = {}  # by which fact, and how sure
        # Of facts that were closed: the slot of each episode that did, -1 for none, and when.
        self.endings: dict[int, list[tuple[int, int, int]]] = {}

    def fill(self, tables: "Tables", rows: Sequence[Any], new: Iterable[int]) -> None:
        """Write facts; their ends follow in `fill_endings`."""
        slots = self.slots(row.id for row in rows)
        self.source.put(slots, tables.entities.slots(row.source_id for row in rows))
        self.target.put(slots, tables.entities.slots(row.target_id for row in rows))
        self.name.put(slots, [self.names.code(row.name) for row in rows])
        self.put_texts(self.attributes, slots, _codes(self.attribute_texts, rows, "attributes"))
        self.rating.put(slots, [np.nan if row.rating is None else row.rating for row in rows])
        self.weighed.put(slots, [bool(row.weighed) for row in rows])
        self.took_place.put(slots, [bool(row.took_place) for row in rows])
        self.denies.put(slots, [bool(row.denies) for row in rows])
        for name in ("created_at", "valid_at", "invalid_at", "expired_at"):
            getattr(self, name).put(slots, [_moment(getattr(row, name)) for row in rows])
        for slot, row in zip(slots.tolist(), rows, strict=True):
            self.endings.pop(slot, None)
            self.doubts.pop(slot, None)
            doubts = from_json(row.doubts)
            if doubts:
                by = self.slots(number for number, _ in doubts).tolist()
                self.doubts[slot] = list(zip(by, (sure for _, sure in doubts), strict=True))

    def fill_endings(self, episodes: ItemTable, rows: Sequence[Any]) -> None:
        """Write what closed facts, after the facts themselves."""
        slots = self.slots(row.fact_id for row in rows)
        for slot, row in zip(slots.tolist(), rows, strict=True):
            by = row.episode_id
            episode = -1 if by is None else int(episodes.slots([by])[0])
            ending = (episode, _moment(row.ended_at), _moment(row.expired_at))
            self.endings.setdefault(slot, []).append(ending)

    def doubt(self, slot: int) -> float:
        """The probability that a fact is over, though not enough to end it.

        A doubt counts only while the fact that raised it exists.
        """
        return max((sure for by, sure in self.doubts.get(slot, ()) if self._held(by)), default=0.0)

    def _held(self, slot: int) -> bool:
        """Whether a fact exists and was ever true: one that was corrected never was."""
        begins, ends = self.valid_at.array[slot], self.invalid_at.array[slot]
        never = NO_TIME not in (begins, ends) and ends <= begins
        return bool(self.alive.array[slot] and not never)


class EntityTable(ItemTable):
    """Entities: their labels are codes of `label_sets`, whose values are tuples of labels."""

    def __init__(self) -> None:
        super().__init__()
        self.labels = Column(np.int32, -1)
        self.label_sets = Codes()
        self.own = Column(np.bool_, False)  # the user's node, which all sides share
        self.attributes = Column(np.int32, -1)
        self.attribute_texts = Codes()

    def fill(self, tables: "Tables", rows: Sequence[Any], new: Iterable[int]) -> None:
        """Write entities."""
        super().fill(tables, rows, new)
        slots = self.slots(row.id for row in rows)
        self.labels.put(slots, [self.label_sets.code(tuple(from_json(r.labels))) for r in rows])
        self.own.put(slots, [bool(row.is_user) for row in rows])
        self.put_texts(self.attributes, slots, _codes(self.attribute_texts, rows, "attributes"))

    def narrowed(self, visible: Flags) -> Self:
        """Like the base, but without the labels of hidden entities, which visible facts may refer to."""
        other = super().narrowed(visible)
        other.labels = self.labels.where(visible, -1)
        return other


_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")


def first_name(speaker: str) -> str:
    """The folded first word of a speaker's name."""
    found = _WORD.search(speaker)
    return found[0].casefold() if found else ""


class EpisodeTable(ItemTable):
    """Episodes: `open` ones can be found; the others only carry what a caller wrote directly."""

    def __init__(self) -> None:
        super().__init__()
        self.open = Column(np.bool_, False)
        self.seq = Column(np.int64, 0)
        self.series = Column(np.int64, -1)  # code of its thread or document, -1 without one
        self.series_names = Codes()
        self.order = EpisodeOrder()
        self.by_user = Column(np.bool_, False)
        self.asks = Column(np.int32, 0)  # number of words of a mere question, else 0
        self.speaker = Column(np.int32, -1)
        self.speakers = Codes()
        self._first_names: list[str] = []
        self.producer = Column(np.int32, -1)
        self.producers = Codes()
        self.role = Column(np.int32, -1)
        self.roles = Codes()
        self.addressee = Column(np.int32, -1)  # -1 if it has none
        self.addressees = Codes()
        self.recallable = Column(np.bool_, True)  # not for semantic memory alone
        self.metadata = Column(np.int32, -1)  # codes of `metadata_texts`, -1 without any
        self.metadata_texts = Codes()  # JSON
        self._keys: dict[str, MetadataKey] = {}

    def fill(self, tables: "Tables", rows: Sequence[Any], new: Iterable[int]) -> None:
        """Write episodes, and insert those that are new or moved into the order."""
        super().fill(tables, rows, new)
        slots = self.slots(row.id for row in rows)
        series = np.array(_codes(self.series_names, rows, "strand"), np.int64)
        added = set(new)
        fresh = np.array([row.id in added for row in rows], bool)
        moved = ~fresh & (series != self.series.array[slots])
        sequence = np.array([row.seq for row in rows], np.int64)
        self.order.drop(slots[moved])
        placed = fresh | moved
        self.order.add(series[placed], sequence[placed], slots[placed])
        self.series.put(slots, series)
        self.seq.put(slots, sequence)
        self.open.put(slots, [bool(row.open) for row in rows])
        self.asks.put(slots, [words_asked(row.asked or "") for row in rows])
        self.put_texts(self.metadata, slots, _codes(self.metadata_texts, rows, "metadata"))
        self._fill_people(rows, slots)

    def _fill_people(self, rows: Sequence[Any], slots: Slots) -> None:
        """Write who produced episodes, for whom, and for which memory."""
        self.by_user.put(slots, [(row.role or row.producer) == "user" for row in rows])
        self.speaker.put(slots, _codes(self.speakers, rows, "speaker"))
        producers = [producer_named(row.producer, row.speaker, row.role) for row in rows]
        self.producer.put(slots, [self.producers.code(name) for name in producers])
        self.role.put(slots, [self.roles.code(row.role or "") for row in rows])
        self.addressee.put(slots, _codes(self.addressees, rows, "addressee"))
        self.recallable.put(slots, [row.kept_for != "semantic" for row in rows])

    def key(self, name: str) -> MetadataKey:
        """The metadata of all episodes under one key."""
        if name not in self._keys:
            while len(self._keys) >= _KEYS_MAX:
                del self._keys[next(iter(self._keys))]
            self._keys[name] = MetadataKey(name, self.metadata_texts)
        self._keys[name].read()
        return self._keys[name]

    def narrowed(self, visible: Flags) -> Self:
        """Like the base, but without the names of those who speak in no visible episode."""
        other = super().narrowed(visible)
        heard = set(self.speaker.array[visible].tolist())
        other._first_names = [
            name if code in heard else "" for code, name in enumerate(self.first_names)
        ]
        return other

    @property
    def first_names(self) -> list[str]:
        """The first name of each speaker, folded, in the order of their codes."""
        missing = self.speakers.values[len(self._first_names) :]
        self._first_names += [first_name(name) for name in missing]
        return self._first_names

    @property
    def bytes(self) -> int:
        """About how much memory it takes."""
        return super().bytes + self.order.bytes


class ObservationTable(ItemTable):
    """Observations, with the slots of the facts that support them."""

    def __init__(self) -> None:
        super().__init__()
        self.evidence: dict[int, list[int]] = {}

    def fill(self, tables: "Tables", rows: Sequence[Any], new: Iterable[int]) -> None:
        """Write observations."""
        super().fill(tables, rows, new)
        for row in rows:
            (slot,) = self.slots([row.id]).tolist()
            self.evidence[slot] = tables.facts.slots(from_json(row.facts)).tolist()


class ThreadSummaryTable(ItemTable):
    """Summaries of threads: each rests on all episodes of its series."""

    def __init__(self) -> None:
        super().__init__()
        self.series = Column(np.int64, -1)

    def fill(self, tables: "Tables", rows: Sequence[Any], new: Iterable[int]) -> None:
        """Write summaries."""
        super().fill(tables, rows, new)
        slots = self.slots(row.id for row in rows)
        self.series.put(slots, _codes(tables.episodes.series_names, rows, "strand"))


def _codes(texts: Codes, rows: Sequence[Any], name: str) -> list[int]:
    """The codes of a column's texts, -1 where there is none."""
    return [-1 if (text := getattr(row, name)) is None else texts.code(text) for row in rows]


def _moment(value: int | None) -> int:
    return int(NO_TIME) if value is None else value


class Links:
    """Pairs of slots: an item of some table, and an episode it rests on."""

    def __init__(self) -> None:
        self.item = Column(np.int32, -1)
        self.episode = Column(np.int32, -1)

    def add(self, items: Any, episodes: Any) -> None:
        """Add pairs; those of an episode that is gone are skipped when they are read."""
        start = self.item.size
        self.item.grow(start + len(items))
        self.episode.grow(start + len(items))
        places = np.arange(start, start + len(items))
        self.item.put(places, items)
        self.episode.put(places, episodes)

    def drop(self, episodes: Slots) -> None:
        """Remove all pairs of some episodes."""
        kept = ~np.isin(self.episode.array, episodes)
        items, left = self.item.array[kept], self.episode.array[kept]
        self.item, self.episode = Column(np.int32, -1), Column(np.int32, -1)
        self.add(items, left)

    def pairs(self, episodes: EpisodeTable) -> tuple[Slots, Slots]:
        """Every pair whose episode exists."""
        held = episodes.alive.array[self.episode.array]
        return self.item.array[held], self.episode.array[held]

    def resting_on(self, episodes: Flags, size: int) -> Flags:
        """Of *size* items, those that rest on at least one of the flagged episodes."""
        flags = np.zeros(size, bool)
        flags[self.item.array[episodes[self.episode.array]]] = True
        return flags

    @property
    def bytes(self) -> int:
        """The memory they take."""
        return self.item.bytes + self.episode.bytes


@dataclass(frozen=True)
class Tables:
    """The tables of one segment, and the episodes that facts and entities rest on."""

    by_kind: Mapping[Kind, ItemTable]
    supports: Links = field(default_factory=Links)  # of facts
    mentions: Links = field(default_factory=Links)  # of entities

    @property
    def facts(self) -> FactTable:
        """The facts."""
        return cast(FactTable, self.by_kind["fact"])

    @property
    def entities(self) -> EntityTable:
        """The entities."""
        return cast(EntityTable, self.by_kind["entity"])

    @property
    def episodes(self) -> EpisodeTable:
        """The episodes."""
        return cast(EpisodeTable, self.by_kind["episode"])

    @property
    def observations(self) -> ObservationTable:
        """The observations."""
        return cast(ObservationTable, self.by_kind["observation"])

    @property
    def thread_summaries(self) -> ThreadSummaryTable:
        """The summaries of threads."""
        return cast(ThreadSummaryTable, self.by_kind["thread_summary"])

    def narrowed(self, visible: Mapping[Kind, Flags]) -> "Tables":
        """A copy of the tables in which only the flagged items exist."""
        return replace(
            self,
            by_kind={kind: one.narrowed(visible[kind]) for kind, one in self.by_kind.items()},
        )
