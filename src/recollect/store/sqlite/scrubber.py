"""Having the file wiped part by part, in between the writer's units."""

import asyncio
import os
import sqlite3
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

from recollect.store.sqlite import scrubbing
from recollect.store.sqlite.threads import Errand
from recollect.store.work import Inbox

_TRIES = 80
_PAUSE_S = 0.1
# In the background it rests so many times as long as it worked: a large file is read as a whole.
_REST = 20


class Scrubber:
    """Wipes the store's file when somebody wants it; calls at one time share the work."""

    def __init__(self, path: Path, writes: Inbox) -> None:
        self._path = path
        self._writes = writes
        self._file: int | None = None
        self._task: asyncio.Task[bool] | None = None
        self._urgent = asyncio.Event()
        self._wanted = False
        self._closing = False
        self._rests_until = 0.0

    async def scrub(self) -> bool:
        """Leave nothing of deleted rows in the file or its log; False when readers kept it up."""
        self._urgent.set()
        self.soon()
        while (task := self._task) is not None:
            done = await asyncio.shield(task)
            if self._task is task:
                return done
        return False

    def soon(self) -> None:
        """Have the same done in the background."""
        if self._closing:
            return
        self._wanted = True
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._work())

    async def finish(self) -> None:
        """Do what is wanted now, and nothing after that; the writer has to be there still."""
        self._closing = True
        self._urgent.set()
        if self._task is not None:
            with suppress(Exception):
                await self._task

    def close(self) -> None:
        """Let go of the file, after every connection: earlier would drop the locks they hold."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    async def _work(self) -> bool:
        done = False
        while self._wanted:
            with suppress(TimeoutError):
                await asyncio.wait_for(
                    self._urgent.wait(), max(0.0, self._rests_until - time.monotonic())
                )
            self._wanted = False
            self._urgent.clear()
            began = time.monotonic()
            done = await self._wipe()
            ended = time.monotonic()
            self._rests_until = ended + _REST * (ended - began)
        return done

    async def _wipe(self) -> bool:
        """The whole file, from its first part to its last."""
        first, tries = 0, _TRIES
        while tries:
            errand = Errand(partial(self._part, first))
            self._writes.put(errand)
            following: int | None = await errand.future
            if following == scrubbing.DONE:
                return True
            if following is not None:
                first, tries = following, _TRIES
                continue
            tries = 0 if self._closing else tries - 1
            await asyncio.sleep(_PAUSE_S)
        return False

    def _part(self, first: int, connection: sqlite3.Connection) -> tuple[int | None, bool]:
        """One try at one part, on the writer's thread: where to go on, and whether to connect
        anew."""
        if not scrubbing.truncate_log(connection):
            return None, False
        if self._file is None:
            self._file = os.open(self._path, os.O_RDWR | os.O_CLOEXEC)
        return scrubbing.wipe(connection, self._path, self._file, first), True
