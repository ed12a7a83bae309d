"""Wipes what deleted rows left in the file.

`secure_delete` overwrites deleted data in place. But a row that moved when a page was split may have
left a copy in the unused middle of its old page, which SQLite neither reads nor clears. The scrubber
clears it, and the free pages, by writing zeros over bytes that are not in use.
"""

import asyncio
import os
import sqlite3
import struct
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np

from recollect.store.sqlite.connection import BUSY_MS
from recollect.store.sqlite.threads import Errand
from recollect.store.work import Inbox

_FILE_HEADER = 100
_RESERVED_AT = 20
_SHRINKS_AT = 52
_LOCKS_AT = 2**30
_MAP_ENTRY = 5
_INTERIOR = (2, 5)
_BTREE = (2, 5, 10, 13)
_LARGEST_PAGE = 65_536
_PAGES_PER_PART = 1_024  # usually 4 MB: writers are blocked that long, some ten milliseconds
_READERS_MS = 20  # how long one attempt waits for readers; writers are blocked meanwhile
DONE = -1
# From this many pages on, the first byte no longer distinguishes a b-tree page from an overflow page.
_PAGES_MAX = 2**25
_HEADER = struct.Struct(">BHHH")  # page type, first free block, cell count, start of cell content
_PAIR = struct.Struct(">HH")
_NUMBER = struct.Struct(">I")

Span = tuple[int, int]


def truncate_log(connection: sqlite3.Connection) -> bool:
    """Checkpoint the whole write-ahead log into the file and empty it; False while it has readers."""
    connection.execute(f"PRAGMA busy_timeout = {_READERS_MS}")
    try:
        return not connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    except sqlite3.OperationalError:
        return False
    finally:
        connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")


def wipe(connection: sqlite3.Connection, path: Path, file: int, first: int) -> int | None:
    """Clear the unused bytes of the next pages of the open file *file*, starting at page *first*.

    Returns where to continue, or DONE; None if the log is not empty or the file is too large.
    The lock held meanwhile blocks writers and, since the log is empty, checkpoints too. Readers do not
    look at these bytes. The caller must open a new connection afterwards: this one may have cached the
    old pages.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        log = path.with_name(path.name + "-wal")
        count = os.fstat(file).st_size // _page_size(file)
        if (log.exists() and log.stat().st_size) or count >= _PAGES_MAX:
            return None
        last = min(first + _PAGES_PER_PART, count)
        for start, length in _unused(file, first, last):
            os.pwrite(file, bytes(length), start)
        os.fsync(file)
        return last if last < count else DONE
    finally:
        connection.execute("ROLLBACK")


def _unused(file: int, first: int, last: int) -> Iterator[Span]:
    """Spans of nonzero unused bytes in a range of pages."""
    size = _page_size(file)
    free = _free_pages(file, size, first, last)
    maps = _map_pages(file, size, last)
    chunk = memoryview(os.pread(file, size * (last - first), first * size))
    for number in range(first, first + len(chunk) // size):
        if number + 1 in maps:
            continue
        page = chunk[(number - first) * size : (number - first + 1) * size]
        unused = [(0, size)] if number + 1 in free else _gaps(page, number)
        for begin, end in unused:
            if bytes(page[begin:end]).strip(b"\0"):
                yield number * size + begin, end - begin


def _page_size(file: int) -> int:
    size: int = struct.unpack(">H", os.pread(file, 2, 16))[0]
    return _LARGEST_PAGE if size == 1 else size


def _free_pages(file: int, size: int, first: int, last: int) -> set[int]:
    """The pages in a range that the freelist names; its trunk pages are in use."""
    found: set[int] = set()
    trunk = _NUMBER.unpack(os.pread(file, 4, 32))[0]
    while trunk:
        page = os.pread(file, size, (trunk - 1) * size)
        trunk, count = struct.unpack_from(">II", page)
        count = min(count, size // 4 - 2)
        listed = np.frombuffer(page, ">u4", count, 8)
        found.update(listed[(listed > first) & (listed <= last)].tolist())
    return found


def _map_pages(file: int, size: int, last: int) -> set[int]:
    """The pointer-map pages, which only an auto-vacuum file has.

    Their content does not distinguish them from b-tree pages. One that would fall on the lock-byte page
    is on the page after it.
    """
    if not _NUMBER.unpack(os.pread(file, 4, _SHRINKS_AT))[0]:
        return set()
    usable = size - os.pread(file, 1, _RESERVED_AT)[0]
    locks = _LOCKS_AT // size + 1
    found = set(range(2, last + 1, usable // _MAP_ENTRY + 1))
    return {number + 1 if number == locks else number for number in found}


def _gaps(page: memoryview, number: int) -> list[Span]:
    """The unused parts of a b-tree page: the gap between pointers and content, and the free blocks."""
    start = 0 if number else _FILE_HEADER
    kind, block, cells, content = _HEADER.unpack_from(page, start)
    if kind not in _BTREE:
        return []  # an overflow page: its bytes belong to a long row
    pointers = start + (12 if kind in _INTERIOR else 8) + 2 * cells
    content = content or _LARGEST_PAGE
    if not pointers <= content <= len(page):
        return []
    spans = [(pointers, content)]
    while content <= block <= len(page) - 4:
        following, length = _PAIR.unpack_from(page, block)
        if block + length > len(page) or 0 < following <= block:
            return spans[:1]
        spans.append((block + 4, block + length))
        block = following
    return spans


_TRIES = 80
_PAUSE_S = 0.1
# In the background, it rests this many times as long as it worked: it reads the whole file.
_REST = 20


class Scrubber:
    """Wipes the store's file on demand; concurrent calls share one pass."""

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
        """Erase deleted rows from the file and its log; False if readers prevented it."""
        self._urgent.set()
        self.soon()
        while (task := self._task) is not None:
            done = await asyncio.shield(task)
            if self._task is task:
                return done
        return False

    def soon(self) -> None:
        """Scrub in the background."""
        if self._closing:
            return
        self._wanted = True
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._work())

    async def finish(self) -> None:
        """Finish what was requested and accept nothing more; the writer must still be running."""
        self._closing = True
        self._urgent.set()
        if self._task is not None:
            with suppress(Exception):
                await self._task

    def close(self) -> None:
        """Close the file, after every connection: earlier would drop the locks they hold."""
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
        """Wipe the whole file, part by part."""
        first, tries = 0, _TRIES
        while tries:
            errand = Errand(partial(self._part, first))
            self._writes.put(errand)
            following: int | None = await errand.future
            if following == DONE:
                return True
            if following is not None:
                first, tries = following, _TRIES
                continue
            tries = 0 if self._closing else tries - 1
            await asyncio.sleep(_PAUSE_S)
        return False

    def _part(self, first: int, connection: sqlite3.Connection) -> tuple[int | None, bool]:
        """Try to wipe one part, on the writer's thread.

        Returns where to continue, and whether the writer must reconnect.
        """
        if not truncate_log(connection):
            return None, False
        if self._file is None:
            self._file = os.open(self._path, os.O_RDWR | os.O_CLOEXEC)
        return wipe(connection, self._path, self._file, first), True
