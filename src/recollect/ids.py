"""Server ids: time-ordered UUIDs (version 7), so that indexes grow at their end."""

import hashlib
import os
import threading
import time
from collections.abc import Callable
from datetime import datetime
from itertools import count

Ids = Callable[[], str]

_TAIL_BITS = 48
_TAIL_DIGITS = 12
_RANDOM_BITS = 74
_RANDOM_MASK = (1 << _RANDOM_BITS) - 1


class TimeOrderedIds:
    """Strictly rising version 7 UUIDs within one process.

    Ids made in the same millisecond count up from a random start, so that sorting by id is
    sorting by creation even inside a burst.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._millisecond = 0
        self._random = 0

    def __call__(self) -> str:
        with self._lock:
            now = time.time_ns() // 1_000_000
            if now > self._millisecond:
                self._millisecond = now
                # The top bit stays clear to leave room for counting up.
                self._random = int.from_bytes(os.urandom(10)) & (_RANDOM_MASK >> 1)
            else:
                self._random += 1
            return _version_7(self._millisecond, self._random)


def derived(moment: datetime, number: int, seed: str) -> Ids:
    """Ids that follow from what they are made for, so that making it again gives the same ids.

    They sort by *moment*, then by *number*, then in the order they were asked for; *seed* keeps
    them apart from all others.
    """
    at, ordinals = placed(moment, number, seed), count()
    return lambda: at(next(ordinals))


def placed(moment: datetime, number: int, seed: str) -> Callable[[int], str]:
    """The same ids by their place in that order, for whoever knows what comes where."""
    millisecond = int(moment.timestamp() * 1000)

    def at(ordinal: int) -> str:
        digest = hashlib.blake2b(f"{seed}/{ordinal}".encode(), digest_size=8).digest()
        low = int.from_bytes(digest) & ((1 << 50) - 1)
        return _version_7(millisecond, (number & 0xFFF) << 62 | (ordinal & 0xFFF) << 50 | low)

    return at


def _version_7(millisecond: int, rest: int) -> str:
    """A time of 48 bits and 74 more bits in the layout of a version 7 UUID."""
    value = (millisecond << 80) | (7 << 76) | ((rest >> 62) << 64)
    value |= (2 << 62) | (rest & ((1 << 62) - 1))
    text = f"{value:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def moved(uuid: str, distance: int) -> str:
    """*uuid* with its last part moved by a distance; ValueError for what is no uuid.

    A copy of many things under uuids of its own moves all by one distance, so that references stay
    references, and what was in order stays in order.
    """
    if not distance:
        return uuid
    head, tail = uuid[:-_TAIL_DIGITS], uuid[-_TAIL_DIGITS:]
    return f"{head}{(int(tail, 16) + distance) % (1 << _TAIL_BITS):0{_TAIL_DIGITS}x}"


def distance(seed: str) -> int:
    """A distance that follows from *seed*, and is never none."""
    return int.from_bytes(hashlib.blake2b(seed.encode(), digest_size=_TAIL_BITS // 8).digest()) | 1


def total(one: int, other: int) -> int:
    """Two distances one after the other."""
    return (one + other) % (1 << _TAIL_BITS)
