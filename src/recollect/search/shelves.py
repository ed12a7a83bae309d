"""What a segment knows of the items of each kind besides their words and vectors.

Every item has a slot of its shelf for as long as the segment lives. Columns hold what filters
and rankings ask for; a slot whose `alive` is False is one that is gone, or one that others
already speak of and whose own row is still to come.
"""

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import regex

from recollect.search.columns import NO_TIME, Codes, Column, Flags, Slots
from recollect.search.metadata import MetadataKey
from recollect.store.index import ItemKind

_KEYS_MAX = 32  # of metadata, looked into at a time


class Shelf:
    """Items of one kind: their row ids, and whether they are there."""

    def __init__(self) -> None:
        self.ids = Column(np.int64, 0)
        self.alive = Column(np.bool_, False)
        self.created_at = Column(np.int64, NO_TIME)
        self._slots: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._slots)

    def slots(self, ids: Iterable[int]) -> Slots:
        """The slots of items, given out to those that have none."""
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

    def narrowed(self, seen: Flags) -> Self:
        """The same shelf, on which only what is flagged is there."""
        other = copy(self)
        other.alive = self.alive.where(seen, False)
        return other

    def restore(self) -> None:
        """Know the items by the ids that stand in the columns."""
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


class FactShelf(Shelf):
    """Facts: their ends are slots of the entity shelf, their names are codes of `names`."""

    def __init__(self) -> None:
        super().__init__()
        self.source = Column(np.int32, -1)
        self.target = Column(np.int32, -1)
        self.name = Column(np.int32, -1)
        self.valid_at = Column(np.int64, NO_TIME)
        self.invalid_at = Column(np.int64, NO_TIME)
        self.expired_at = Column(np.int64, NO_TIME)
        self.rating = Column(np.float32, np.nan)
        self.names = Codes()
        self.attributes = Column(np.int32, -1)  # codes of `attribute_texts`, -1 without any
        self.attribute_texts = Codes()  # JSON
        self.doubts: dict[int, list[tuple[int, float]]] = {}  # by which fact, and how sure
        # For those that were closed: the slot of each episode that did, -1 for none, and when.
        self.endings: dict[int, list[tuple[int, int, int]]] = {}

    def doubt(self, slot: int) -> float:
        """How sure it is that a fact is over, though not sure enough to end it. A doubt counts only
        together with the fact that it comes from."""
        return max((sure for by, sure in self.doubts.get(slot, ()) if self._held(by)), default=0.0)

    def _held(self, slot: int) -> bool:
        """Whether a fact is there and was true at some time: what was corrected never was."""
        begins, ends = self.valid_at.array[slot], self.invalid_at.array[slot]
        never = NO_TIME not in (begins, ends) and ends <= begins
        return bool(self.alive.array[slot] and not never)


class EntityShelf(Shelf):
    """Entities: their labels are codes of `label_sets`, whose values are tuples of labels."""

    def __init__(self) -> None:
        super().__init__()
        self.labels = Column(np.int32, -1)
        self.label_sets = Codes()
        self.own = Column(np.bool_, False)  # the user's node, on all sides of the walls there are
        self.attributes = Column(np.int32, -1)
        self.attribute_texts = Codes()

    def narrowed(self, seen: Flags) -> Self:
        """Facts may be about those who are not there any more: they have no labels."""
        other = super().narrowed(seen)
        other.labels = self.labels.where(seen, -1)
        return other


_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")


def first_name(speaker: str) -> str:
    """The folded first word of a speaker's name."""
    found = _WORD.search(speaker)
    return found[0].casefold() if found else ""


class EpisodeShelf(Shelf):
    """Episodes: `open` ones can be found; the others only carry what a caller wrote down."""

    def __init__(self) -> None:
        super().__init__()
        self.open = Column(np.bool_, False)
        self.seq = Column(np.int64, 0)
        self.strand = Column(np.int64, -1)  # code of `strands`: a thread, a document; -1 without
        self.strands = Codes()
        self.by_user = Column(np.bool_, False)
        self.asks = Column(np.int32, 0)  # words of what is a question and nothing else; 0: it tells
        self.speaker = Column(np.int32, -1)
        self.speakers = Codes()
        self._first_names: list[str] = []
        self.producer = Column(np.int32, -1)
        self.producers = Codes()
        self.role = Column(np.int32, -1)
        self.roles = Codes()
        self.addressee = Column(np.int32, -1)  # -1 when it is for nobody in particular
        self.addressees = Codes()
        self.recallable = Column(np.bool_, True)  # not kept for the semantic memory alone
        self.metadata = Column(np.int32, -1)  # codes of `metadata_texts`, -1 without any
        self.metadata_texts = Codes()  # JSON
        self._keys: dict[str, MetadataKey] = {}

    def key(self, name: str) -> MetadataKey:
        """What the metadata of all episodes says under one key."""
        if name not in self._keys:
            while len(self._keys) >= _KEYS_MAX:
                del self._keys[next(iter(self._keys))]
            self._keys[name] = MetadataKey(name, self.metadata_texts)
        self._keys[name].read()
        return self._keys[name]

    def narrowed(self, seen: Flags) -> Self:
        """Whoever speaks in none of the episodes that are there is unknown."""
        other = super().narrowed(seen)
        heard = set(self.speaker.array[seen].tolist())
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


class ObservationShelf(Shelf):
    """Observations, with the slots of the facts that bear them out."""

    def __init__(self) -> None:
        super().__init__()
        self.evidence: dict[int, list[int]] = {}


class SummaryShelf(Shelf):
    """Summaries of threads: each rests on all episodes of its strand."""

    def __init__(self) -> None:
        super().__init__()
        self.strand = Column(np.int64, -1)


class Links:
    """Pairs of slots: an item of some shelf, and an episode it rests on."""

    def __init__(self) -> None:
        self.item = Column(np.int32, -1)
        self.episode = Column(np.int32, -1)

    def add(self, items: Any, episodes: Any) -> None:
        """Add pairs; links of an episode that is gone are passed over when they are read."""
        start = self.item.size
        self.item.grow(start + len(items))
        self.episode.grow(start + len(items))
        places = np.arange(start, start + len(items))
        self.item.put(places, items)
        self.episode.put(places, episodes)

    def drop(self, episodes: Slots) -> None:
        """Take away all pairs of some episodes."""
        kept = ~np.isin(self.episode.array, episodes)
        items, left = self.item.array[kept], self.episode.array[kept]
        self.item, self.episode = Column(np.int32, -1), Column(np.int32, -1)
        self.add(items, left)

    def pairs(self, episodes: EpisodeShelf) -> tuple[Slots, Slots]:
        """Every pair whose episode is there."""
        held = episodes.alive.array[self.episode.array]
        return self.item.array[held], self.episode.array[held]

    @property
    def bytes(self) -> int:
        """The memory they take."""
        return self.item.bytes + self.episode.bytes


@dataclass(frozen=True)
class Shelves:
    """The shelves of one segment, and the episodes that facts and entities rest on."""

    facts: FactShelf = field(default_factory=FactShelf)
    entities: EntityShelf = field(default_factory=EntityShelf)
    episodes: EpisodeShelf = field(default_factory=EpisodeShelf)
    supports: Links = field(default_factory=Links)  # facts
    mentions: Links = field(default_factory=Links)  # entities
    observations: ObservationShelf = field(default_factory=ObservationShelf)
    thread_summaries: SummaryShelf = field(default_factory=SummaryShelf)

    def narrowed(self, seen: Mapping[ItemKind, Flags]) -> "Shelves":
        """The same shelves, on which only what is flagged is there."""
        return replace(
            self,
            facts=self.facts.narrowed(seen["fact"]),
            entities=self.entities.narrowed(seen["entity"]),
            episodes=self.episodes.narrowed(seen["episode"]),
            observations=self.observations.narrowed(seen["observation"]),
            thread_summaries=self.thread_summaries.narrowed(seen["thread_summary"]),
        )
