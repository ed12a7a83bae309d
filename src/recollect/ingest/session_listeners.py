"""Listeners in this process that wait for entries of a session log."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from recollect.errors import Unavailable
from recollect.limits import LOG_LISTENERS_KEPT, LOG_LISTENERS_MAX


class Listeners:
    """Wakes the listeners of a log after something was committed to it."""

    def __init__(self) -> None:
        self._waiting: dict[int, set[asyncio.Event]] = {}
        self._of_projects: Counter[int] = Counter()
        self.closed = False

    @contextmanager
    def listening(self, project_id: int, log_id: int) -> Iterator[asyncio.Event]:
        """An event that is set whenever there may be something new, or nothing more will come."""
        woken = asyncio.Event()
        self._waiting.setdefault(log_id, set()).add(woken)
        self._of_projects[project_id] += 1
        try:
            yield woken
        finally:
            self._of_projects -= Counter([project_id])
            waiting = self._waiting[log_id]
            waiting.discard(woken)
            if not waiting:
                del self._waiting[log_id]

    def check_room(self, project_id: int) -> None:
        """Refuse a listener over the limit; the last places are reserved for projects with few."""
        left = LOG_LISTENERS_MAX - self._of_projects.total()
        kept = left <= LOG_LISTENERS_KEPT and self._of_projects[project_id] >= LOG_LISTENERS_KEPT
        if self.closed or left <= 0 or kept:
            raise Unavailable("too many listeners, or the server is about to stop")

    def wake(self, log_id: int) -> None:
        """Wake the listeners of a log: something was committed to it, or it is gone."""
        for woken in self._waiting.get(log_id, ()):
            woken.set()

    def close(self) -> None:
        """Wake all listeners: the server stops."""
        self.closed = True
        for waiting in self._waiting.values():
            for woken in waiting:
                woken.set()
