"""Server ids: time-ordered UUIDs (version 7), so that inserts go to the end of an index."""

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
    """Strictly increasing version 7 UUIDs within one process.

    Ids made in the same millisecond count up from a random start, so that sorting by id is sorting by
    creation even within a burst.
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
    """Deterministic ids: the same arguments give the same ids again.

    They sort by *moment*, then by *number*, then in the order they are requested; *seed* keeps them distinct
    from all others.
    """
    at, ordinals = placed(moment, number, seed), count()
    return lambda: at(next(ordinals))


def placed(moment: datetime, number: int, seed: str) -> Callable[[int], str]:
    """The same deterministic ids by their position in that order, for random access."""
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
    """*uuid* with its last part shifted by a distance; raises ValueError if it is not a uuid.

    A copy with new uuids shifts all of them by one distance, so that references and order are preserved.
    """
    if not distance:
        return uuid
    head, tail = uuid[:-_TAIL_DIGITS], uuid[-_TAIL_DIGITS:]
    return f"{head}{(int(tail, 16) + distance) % (1 << _TAIL_BITS):0{_TAIL_DIGITS}x}"


def distance(seed: str) -> int:
    """A distance derived from *seed*, never zero."""
    return int.from_bytes(hashlib.blake2b(seed.encode(), digest_size=_TAIL_BITS // 8).digest()) | 1


def total(one: int, other: int) -> int:
    """The sum of two distances."""
    return (one + other) % (1 << _TAIL_BITS)
