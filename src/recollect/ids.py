"""Server ids: time-ordered UUIDs (version 7), so that indexes grow at their end."""

import os
import threading
import time
from collections.abc import Callable

Ids = Callable[[], str]

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
            millisecond, random = self._millisecond, self._random
        value = (millisecond << 80) | (7 << 76) | ((random >> 62) << 64)
        value |= (2 << 62) | (random & ((1 << 62) - 1))
        text = f"{value:032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
