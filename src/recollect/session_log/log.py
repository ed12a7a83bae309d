"""The append-only log of one session."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any, TypeVar, overload

from recollect.session_log import selection
from recollect.session_log.episode import (
    BOUNDARY,
    ITEM,
    META,
    SAFE_INTEGER,
    Episode,
    FrozenDict,
    Meta,
    freeze,
    make_meta,
    make_payload,
    parts_of,
    renumbered,
)
from recollect.session_log.errors import InvalidEpisode, LogFull
from recollect.session_log.jsonl import dump, load

T = TypeVar("T")

PARTS_MAX = 8  # copies of copies: beyond this, one flat list is cheaper to walk


class Shared(Sequence[T]):
    """A sequence that only grows and shares its prefix with its copies.

    Copying costs the same for any length.
    """

    __slots__ = ("_before", "_own", "_parts")

    def __init__(self, values: Iterable[T] = ()) -> None:
        self._parts: tuple[tuple[list[T], int], ...] = ()
        self._before = 0
        self._own: list[T] = list(values)

    def fork(self) -> "Shared[T]":
        """A copy that shares what is there now; later appends are its own."""
        copy: Shared[T] = Shared()
        copy._parts = (*self._parts, (self._own, len(self._own))) if self._own else self._parts
        copy._before = len(self)
        if len(copy._parts) > PARTS_MAX:
            copy._parts = ((self[:], len(self)),)
        return copy

    def append(self, value: T) -> None:
        """Add a value at the end."""
        self._own.append(value)

    def extend(self, values: Iterable[T]) -> None:
        """Add values at the end."""
        self._own.extend(values)

    def __len__(self) -> int:
        return self._before + len(self._own)

    def __iter__(self) -> Iterator[T]:
        for part, length in self._parts:
            yield from islice(part, length)
        yield from self._own

    def __reversed__(self) -> Iterator[T]:
        yield from reversed(self._own)
        for part, length in reversed(self._parts):
            for at in range(length - 1, -1, -1):
                yield part[at]

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> list[T]: ...

    def __getitem__(self, at: int | slice) -> T | list[T]:
        if isinstance(at, slice):
            start, stop, step = at.indices(len(self))
            return self._between(start, stop) if step == 1 else list(self)[at]
        if at < 0:
            at += len(self)
        if not 0 <= at < len(self):
            raise IndexError("beyond the sequence")
        if at >= self._before:
            return self._own[at - self._before]
        for part, length in self._parts:
            if at < length:
                return part[at]
            at -= length
        raise IndexError("beyond the sequence")

    def _between(self, start: int, stop: int) -> list[T]:
        found: list[T] = []
        begin = 0
        for part, length in (*self._parts, (self._own, len(self._own))):
            low, high = max(start - begin, 0), min(stop - begin, length)
            if low < high:
                found.extend(part[low:high])
            begin += length
        return found


class Episodic:
    """An append-only log of episodes.

    Ids are whole numbers from 1 that rise by one. With *now*, each episode gets `meta.date`, an ISO
    8601 text, and views can select a range of dates. *jsonl* is a log to begin with, as
    `from_jsonl` reads it.
    """

    def __init__(
        self, jsonl: str | bytes | None = None, *, now: Callable[[], str] | None = None
    ) -> None:
        self._episodes: Shared[Episode] = Shared()
        self._next_id = 1
        self._rising = True
        self._now = now
        self._meta = make_meta()
        self._meta_for: tuple[str, str | None] = ("runtime", None)
        if jsonl is not None:
            self._take(load(jsonl))

    @classmethod
    def from_jsonl(cls, data: str | bytes, *, now: Callable[[], str] | None = None) -> "Episodic":
        """The log that a JSONL text holds.

        Bad lines are skipped and recorded as one `error.parse` episode.
        """
        return cls(data, now=now)

    @classmethod
    def from_episodes(
        cls, episodes: Iterable[Episode], *, now: Callable[[], str] | None = None
    ) -> "Episodic":
        """The log of these episodes under their own ids; the next id is past the largest."""
        log = cls(now=now)
        log._take(list(episodes))
        return log

    def _take(self, episodes: list[Episode]) -> None:
        self._episodes = Shared(episodes)
        self._next_id = max(0, max((one.id for one in episodes), default=0)) + 1
        self._rising = all(one.id < following.id for one, following in pairwise(episodes))

    def append(
        self,
        type: str | Mapping[str, Any],  # noqa: A002 - the wire's own word
        payload: Mapping[str, Any] | None = None,
        *,
        source: str | None = None,
        turn_id: str | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> Episode:
        """Append one episode and return it as stored. *meta* may carry further fields.

        The episode may be given as one object instead: `append({"type": …, "payload": …})`.
        """
        if isinstance(type, Mapping):
            if payload is not None or meta is not None:
                raise InvalidEpisode("payload and meta are in the object or beside it, not both")
            kind, payload, meta = parts_of(type)
        else:
            kind = type
        checked = make_payload(kind, {} if payload is None else payload)
        return self._append(kind, checked, self._meta_of(source, turn_id, meta))

    def append_items(
        self,
        items: Iterable[Any],
        meta: Mapping[str, Any] | None = None,
        *,
        source: str | None = None,
        turn_id: str | None = None,
    ) -> list[Episode]:
        """Append one item episode per item, in order; either all or, if one is not JSON, none."""
        if isinstance(items, Mapping | str | bytes):
            raise InvalidEpisode("items is a list of items")
        said = self._meta_of(source, turn_id, meta)
        payloads: list[FrozenDict] = [freeze({"item": item}) for item in items]
        return [self._append(ITEM, payload, said) for payload in payloads]

    def append_boundary(
        self,
        reason: str,
        title: str,
        content: str | None = None,
        *,
        source: str | None = None,
        turn_id: str | None = None,
        meta: Mapping[str, Any] | None = None,
        **further: Any,
    ) -> Episode:
        """Append a boundary; *further* are more fields of its payload, such as `confidence`."""
        payload = {"reason": reason, "title": title, **further}
        if content is not None:
            payload["content"] = content
        return self.append(BOUNDARY, payload, source=source, turn_id=turn_id, meta=meta)

    def append_event(
        self,
        event: str,
        data: Mapping[str, Any] | None = None,
        *,
        plugin_id: str | None = None,
        source: str | None = None,
        turn_id: str | None = None,
    ) -> Episode:
        """Append an audit record, which no model sees."""
        payload: dict[str, Any] = {"event": event}
        if data is not None:
            payload["data"] = dict(data)
        if plugin_id is not None:
            payload["pluginId"] = plugin_id
        return self.append(META, payload, source=source, turn_id=turn_id)

    def _meta_of(
        self, source: str | None, turn_id: str | None, extra: Mapping[str, Any] | None
    ) -> Meta:
        if extra is not None or self._now is not None:
            dated = {} if self._now is None else {"date": self._now()}
            return make_meta(source, turn_id, extra, dated)
        asked = (source or "runtime", turn_id)
        if asked != self._meta_for:  # one meta serves a whole turn
            self._meta, self._meta_for = make_meta(source, turn_id), asked
        return self._meta

    def _append(self, kind: str, payload: FrozenDict, meta: Meta) -> Episode:
        if self._next_id > SAFE_INTEGER:
            raise LogFull("no id is left")
        episode = Episode(self._next_id, kind, meta, payload)
        self._next_id += 1
        self._episodes.append(episode)
        return episode

    def read(
        self,
        query: Mapping[str, Any] | None = None,
        *,
        from_id: float | None = None,
        limit: float | None = None,
        type: str | Iterable[str] | None = None,  # noqa: A002
        turn_id: str | None = None,
    ) -> list[Episode]:
        """The latest 100, or what the filters ask for: `read(from_id=0)` is the full log.

        The filters may be given as one object instead, in the names of the wire: `{"fromId": 0}`.
        """
        named = {"from_id": from_id, "limit": limit, "type": type, "turn_id": turn_id}
        asked = named if query is None else selection.both(query, named)
        return selection.select(self._episodes, **asked, rising=self._rising)

    @property
    def episodes(self) -> Sequence[Episode]:
        """The whole log, not copied."""
        return self._episodes

    @property
    def last_id(self) -> int:
        """The highest id given so far, 0 in an empty log."""
        return self._next_id - 1

    def __len__(self) -> int:
        """How many episodes there are."""
        return len(self._episodes)

    def to_jsonl(self) -> str:
        """The log as JSONL."""
        return dump(self._episodes)

    def fork(self) -> "Episodic":
        """A log that starts with all of this one; costs the same for any length."""
        copy = Episodic(now=self._now)
        copy._episodes = self._episodes.fork()
        copy._next_id, copy._rising = self._next_id, self._rising
        return copy

    def merge(self, fork: "Episodic", since: int) -> list[Episode]:
        """Append what *fork* holds from position *since* on, under new ids; returns it as stored."""
        return self.adopt(fork.episodes[since:])

    def adopt(self, episodes: Sequence[Episode]) -> list[Episode]:
        """Append episodes of another log under new ids; references among them are updated."""
        first = self._next_id
        if first + len(episodes) - 1 > SAFE_INTEGER:
            raise LogFull("no id is left")
        ids = range(first, first + len(episodes))
        moved = {one.id: new for one, new in zip(episodes, ids, strict=True) if one.id != new}
        stored = [renumbered(one, new, moved) for one, new in zip(episodes, ids, strict=True)]
        self._episodes.extend(stored)
        self._next_id += len(stored)
        return stored
