"""Hearing that somebody has left work in the queue, in whichever process."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import closing, suppress

import psycopg

from recollect.store.postgres.connection import connect

_CHANNEL = "recollect_queue"  # the trigger on the queue tells there
_LOOK_S = 1.0
_PAUSE_S = 1.0


class Listener(threading.Thread):
    """Listens on a connection of its own, until it is stopped; a database that went away is asked again."""

    def __init__(self, url: str, loop: asyncio.AbstractEventLoop, wake: Callable[[], None]) -> None:
        super().__init__(name="store-listener", daemon=True)
        self._url = url
        self._loop = loop
        self._wake = wake
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Have it end soon; nobody waits for it."""
        self._stopped.set()

    def run(self) -> None:
        """Listen until stopped."""
        while not self._stopped.is_set():
            with suppress(psycopg.Error):
                self._listen()
            self._stopped.wait(_PAUSE_S)

    def _listen(self) -> None:
        with closing(connect(self._url)) as connection:
            connection.execute(f"LISTEN {_CHANNEL}")
            while not self._stopped.is_set():
                for _ in connection.notifies(timeout=_LOOK_S, stop_after=1):
                    with suppress(RuntimeError):  # that loop is closed
                        self._loop.call_soon_threadsafe(self._wake)
