"""A sequence that only grows, and that a copy shares with its original.

Since nothing that was appended ever changes or goes away, a copy needs only to remember how long
the original was: copying a million episodes costs as much as copying one.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar, overload

T = TypeVar("T")

PARTS_MAX = 8  # a copy of a copy of a copy: past this one whole list is cheaper to walk


class Shared(Sequence[T]):
    """Parts shared with others, none of which changes below its length, and a part of our own."""

    __slots__ = ("_before", "_own", "_parts")

    def __init__(self, values: Iterable[T] = ()) -> None:
        self._parts: tuple[tuple[list[T], int], ...] = ()
        self._before = 0
        self._own: list[T] = list(values)

    def fork(self) -> "Shared[T]":
        """A copy that shares what is there now; what either appends from here on is its own."""
        copy: Shared[T] = Shared()
        copy._parts = (*self._parts, (self._own, len(self._own))) if self._own else self._parts
        copy._before = len(self)
        if len(copy._parts) > PARTS_MAX:
            copy._parts = ((self[:], len(self)),)
        return copy

    def append(self, value: T) -> None:
        """Add one at the end."""
        self._own.append(value)

    def extend(self, values: Iterable[T]) -> None:
        """Add some at the end."""
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
