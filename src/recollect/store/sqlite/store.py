"""The embedded store: opens the file, owns the threads, and hands units to them."""

import asyncio
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Concatenate, ParamSpec, TypeVar

from recollect import log
from recollect.clock import Clock, system_clock
from recollect.errors import StoreDamaged, StoreUnavailable
from recollect.ids import Ids, TimeOrderedIds
from recollect.limits import DISK_FREE_BYTES_MIN, RESERVE_BYTES
from recollect.store.protocol import Transaction
from recollect.store.sqlite import checking, migrate
from recollect.store.sqlite.apart import Apart, FoldedApart, Then, of_file
from recollect.store.sqlite.connection import connect, prepare
from recollect.store.sqlite.difference import Difference, write
from recollect.store.sqlite.scrubbing import Scrubber
from recollect.store.sqlite.threads import Reader, Writer
from recollect.store.work import Inbox, Work

RESERVE_NAME = "reserve"
_ZEROS = bytes(64 * 1024)
_log = log.get(__name__)


def keep_reserve(folder: Path) -> None:
    """Reserve disk space, if plenty is free."""
    path = folder / RESERVE_NAME
    with suppress(OSError):  # a server can do without
        if path.exists() or shutil.disk_usage(folder).free < DISK_FREE_BYTES_MIN + RESERVE_BYTES:
            return
        path.touch(mode=0o600)
        with path.open("wb") as file:
            for _ in range(0, RESERVE_BYTES, len(_ZEROS)):
                file.write(_ZEROS)
            file.flush()
            os.fsync(file.fileno())


def give_up_reserve(folder: Path) -> bool:
    """Free the reserved space; False if there is none."""
    try:
        (folder / RESERVE_NAME).unlink()
    except OSError:
        return False
    _log.warning("reserve.given_up", bytes=RESERVE_BYTES)
    return True


P = ParamSpec("P")
T = TypeVar("T")


class SqliteStore:
    """One file, one writer thread with grouped commits, a pool of reader threads."""

    def __init__(
        self,
        path: Path,
        *,
        readers: int,
        clock: Clock,
        ids: Ids,
        check: checking.Check | None = None,
    ) -> None:
        with closing(connect(path, writer=True)) as migrating:
            migrate.begin(migrating)
            migrate.apply(migrating)
        self._path, self._clock, self._ids = path, clock, ids
        self._writes: Inbox = SimpleQueue()
        self._reads: Inbox = SimpleQueue()
        self._scrubber = Scrubber(path, self._writes)
        self._writer = Writer(partial(connect, path, writer=True), self._writes, clock, ids)
        self._readers = [
            Reader(connect(path, writer=False), self._reads, clock, ids) for _ in range(readers)
        ]
        # Never started: the event loop's own thread uses its connection.
        self._glancer = Reader(connect(path, writer=False), self._reads, clock, ids)
        self._closed = False
        self._damaged = False
        self._check = check
        self._identity = checking.identity(path)
        self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        for thread in (self._writer, *self._readers):
            thread.start()

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        readers: int = 2,
        clock: Clock = system_clock,
        ids: Ids | None = None,
        check_s: float | None = None,
    ) -> "SqliteStore":
        """Open the store in *folder*, creating and migrating it as needed.

        *check_s*, for a server: how long to wait for a check of the whole file before using it.
        """

        def opened() -> "SqliteStore":
            path = prepare(folder)
            check = None if check_s is None else checking.begin(path, check_s)
            return cls(path, readers=readers, clock=clock, ids=ids or TimeOrderedIds(), check=check)

        try:
            try:
                store = opened()
            except (OSError, sqlite3.OperationalError):
                if check_s is None or not give_up_reserve(folder):
                    raise
                return opened()
            if check_s is not None:
                keep_reserve(folder)
            return store  # noqa: TRY300 - nothing went wrong
        except (OSError, sqlite3.Error, StoreDamaged) as error:
            if isinstance(error, StoreDamaged) or checking.is_damage(error):
                says = f"cannot open the store in {folder}: {checking.ADVICE}"
                raise StoreDamaged(says) from error
            raise StoreUnavailable(f"cannot open the store in {folder}: {error}") from error

    async def read(
        self, unit: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run *unit* on one consistent snapshot."""
        work = self._hand_in(self._reads, lambda tx: unit(tx, *args, **kwargs))
        result: T = await self._outcome(work)
        return result

    async def glance(
        self, unit: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a very short *unit* on the event loop: a reader of a WAL file never waits."""
        if self._closed:
            raise StoreUnavailable("the store is closed")
        work = Work(lambda tx: unit(tx, *args, **kwargs))
        self._glancer.serve(work)
        if work.error is not None:
            self._damaged = self._damaged or isinstance(work.error, StoreDamaged)
            raise work.error
        result: T = work.result
        return result

    async def write(
        self, unit: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run *unit* and commit it; returns once it is on disk."""
        work = self._hand_in(self._writes, lambda tx: unit(tx, *args, **kwargs))
        result: T = await self._outcome(work)
        return result

    async def _outcome(self, work: Work) -> Any:
        try:
            return await work.future
        except StoreDamaged:
            self._damaged = True
            raise

    def on_work(self, wake: Callable[[], None]) -> None:
        """Nothing to do: work is added by this process, or found by polling."""

    def trouble(self) -> str | None:
        """Any known problem with the file or its disk."""
        if self._damaged or (self._check is not None and self._check.found is not None):
            return checking.DAMAGED
        return checking.trouble(self._path, self._identity, self._file)

    async def apart(self, graph_id: int) -> FoldedApart:
        """Copy one graph into a database of its own, to be folded again while the store stays in use."""
        made = await asyncio.to_thread(Apart, of_file(self._path), graph_id, self._clock, self._ids)
        return FoldedApart(made, self._write_here)

    async def _write_here(self, told: Difference, then: Then) -> bool:
        work = self._hand_in(self._writes, lambda tx: write(tx, told, then))  # type: ignore[arg-type]
        done: bool = await work.future
        return done

    async def scrub(self) -> bool:
        """Erase deleted rows from the file and its log; concurrent calls share one pass."""
        return False if self._closed else await self._scrubber.scrub()

    def scrub_soon(self) -> None:
        """Scrub in the background."""
        self._scrubber.soon()

    async def close(self) -> None:
        """Finish all submitted work, then release every file and thread."""
        if self._closed:
            return
        self._closed = True
        if self._check is not None:
            self._check.stop()
        await self._scrubber.finish()
        for _ in self._readers:
            self._reads.put(None)
        loop = asyncio.get_running_loop()
        for reader in self._readers:
            await loop.run_in_executor(None, partial(reader.join))
        self._glancer.close()
        self._writes.put(None)
        await loop.run_in_executor(None, partial(self._writer.join))
        self._scrubber.close()
        os.close(self._file)  # after every connection, like the scrubber's

    def _hand_in(self, inbox: Inbox, unit: Callable[[Transaction], T]) -> Work:
        if self._closed:
            raise StoreUnavailable("the store is closed")
        work = Work(unit)
        inbox.put(work)
        return work
