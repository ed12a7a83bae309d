"""Who waits for what is appended to a session log, in this process."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from recollect.errors import Unavailable
from recollect.limits import LOG_LISTENERS_MAX


class Listeners:
    """Wakes those who listen to a log after something was committed to it."""

    def __init__(self) -> None:
        self._waiting: dict[int, set[asyncio.Event]] = {}
        self._count = 0
        self.closed = False

    @contextmanager
    def listening(self, log_id: int) -> Iterator[asyncio.Event]:
        """An event that is set whenever there may be something new, or nothing will come."""
        woken = asyncio.Event()
        self._waiting.setdefault(log_id, set()).add(woken)
        self._count += 1
        try:
            yield woken
        finally:
            self._count -= 1
            waiting = self._waiting[log_id]
            waiting.discard(woken)
            if not waiting:
                del self._waiting[log_id]

    def check_room(self) -> None:
        """Refuse one listener too many."""
        if self.closed or self._count >= LOG_LISTENERS_MAX:
            raise Unavailable("too many listeners, or the server is about to stop")

    def wake(self, log_id: int) -> None:
        """Say that something was committed to a log, or that it is gone."""
        for woken in self._waiting.get(log_id, ()):
            woken.set()

    def close(self) -> None:
        """Let everybody go: the server stops."""
        self.closed = True
        for waiting in self._waiting.values():
            for woken in waiting:
                woken.set()
