"""The store on PostgreSQL: owns the threads and their connections, and hands units to them."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from queue import SimpleQueue
from typing import Any, Concatenate, ParamSpec, TypeVar

import psycopg

from recollect.clock import Clock, system_clock
from recollect.errors import StoreUnavailable
from recollect.graph.acting import Acting
from recollect.graph.types import Access
from recollect.ids import Ids, TimeOrderedIds
from recollect.store.postgres import migrate
from recollect.store.postgres.connection import connect
from recollect.store.postgres.live import of_database
from recollect.store.postgres.threads import ReadingThread, WritingThread
from recollect.store.protocol import Transaction
from recollect.store.sqlite.apart import Apart, FoldedApart, Then
from recollect.store.sqlite.difference import Difference, write
from recollect.store.work import Inbox, Work, runs_beside_others

_CHANNEL = "recollect_queue"  # the trigger on the queue notifies here
_LOOK_S = 1.0
_PAUSE_S = 1.0


class Listener(threading.Thread):
    """Listens on its own connection until stopped; reconnects when the database goes away."""

    def __init__(self, url: str, loop: asyncio.AbstractEventLoop, wake: Callable[[], None]) -> None:
        super().__init__(name="store-listener", daemon=True)
        self._url = url
        self._loop = loop
        self._wake = wake
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Ask the thread to end, without waiting for it."""
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


P = ParamSpec("P")
T = TypeVar("T")
_WRITERS_BESIDE = 4


class PostgresStore:
    """One database, used by several threads in each process.

    One thread writes alone, a few write concurrently, and a few read. All writers group commits.
    """

    def __init__(self, url: str, *, readers: int, clock: Clock, ids: Ids) -> None:
        self._url, self._clock, self._ids = url, clock, ids
        self._writes: Inbox = SimpleQueue()
        self._writes_beside: Inbox = SimpleQueue()
        self._reads: Inbox = SimpleQueue()
        self._writer = WritingThread(url, self._writes, clock, ids, beside_others=False)
        self._writers_beside = [
            WritingThread(url, self._writes_beside, clock, ids, beside_others=True)
            for _ in range(_WRITERS_BESIDE)
        ]
        self._readers = [
            ReadingThread("store-reader", url, self._reads, clock, ids) for _ in range(readers)
        ]
        self._listener: Listener | None = None
        self._closed = False
        self._trouble: str | None = None
        for thread in self._threads():
            thread.start()

    def _threads(self) -> list[threading.Thread]:
        return [*self._readers, self._writer, *self._writers_beside]

    @classmethod
    def open(
        cls,
        url: str,
        *,
        readers: int = 2,
        clock: Clock = system_clock,
        ids: Ids | None = None,
    ) -> "PostgresStore":
        """Open the store in a database, migrating it as needed."""
        try:
            with closing(connect(url)) as connection:
                migrate.apply(connection)
        except (psycopg.OperationalError, psycopg.ProgrammingError) as error:
            raise unreachable(error) from error
        return cls(url, readers=readers, clock=clock, ids=ids or TimeOrderedIds())

    async def read(
        self, unit: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run *unit* on one consistent snapshot."""
        work = Work(lambda tx: unit(tx, *args, **kwargs), _project(args))
        result: T = await self._done(self._reads, work)
        return result

    async def glance(
        self, unit: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """The same as `read`: a database may be far away, and the event loop must not wait."""
        return await self.read(unit, *args, **kwargs)

    async def write(
        self, unit: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run *unit* and commit it; returns once it is on disk."""
        work = Work(lambda tx: unit(tx, *args, **kwargs), _project(args))
        inbox = self._writes_beside if runs_beside_others(unit) else self._writes
        result: T = await self._done(inbox, work)
        return result

    async def _done(self, inbox: Inbox, work: Work) -> Any:
        if self._closed:
            raise StoreUnavailable("the store is closed")
        inbox.put(work)
        try:
            result = await work.future
        except StoreUnavailable as error:
            self._trouble = str(error)
            raise
        self._trouble = None
        return result

    async def apart(self, graph_id: int) -> FoldedApart:
        """Copy one graph into an in-memory database, to be folded again while the store stays in use."""
        live = of_database(self._url, graph_id)
        made = await asyncio.to_thread(Apart, live, graph_id, self._clock, self._ids)
        return FoldedApart(made, self._write_here)

    async def _write_here(self, told: Difference, then: Then) -> bool:
        done: bool = await self._done(self._writes, Work(lambda tx: write(tx, told, then)))
        return done

    def on_work(self, wake: Callable[[], None]) -> None:
        """Call *wake* when any process has added work to the queue."""
        self._listener = Listener(self._url, asyncio.get_running_loop(), wake)
        self._listener.start()

    def trouble(self) -> str | None:
        """Whether the database answered the last time it was asked."""
        return self._trouble

    async def scrub(self) -> bool:
        """Vacuum deleted rows; see docs/operating/postgresql.md."""
        if self._closed:
            return False
        return await asyncio.to_thread(self._vacuum)

    def _vacuum(self) -> bool:
        try:
            with closing(connect(self._url)) as connection:
                connection.execute("VACUUM")
        except psycopg.Error:
            return False
        return True

    def scrub_soon(self) -> None:
        """Nothing to do: the database's autovacuum does this in the background."""

    async def close(self) -> None:
        """Finish all submitted work, then release every connection and thread."""
        if self._closed:
            return
        self._closed = True
        for _ in self._readers:
            self._reads.put(None)
        for _ in self._writers_beside:
            self._writes_beside.put(None)
        self._writes.put(None)
        if self._listener is not None:
            self._listener.stop()
        loop = asyncio.get_running_loop()
        for thread in self._threads():
            await loop.run_in_executor(None, partial(thread.join))


def _project(args: tuple[Any, ...]) -> int | None:
    """The project a unit is called for, taken from the Access or Acting among its arguments."""
    for one in args:
        if isinstance(one, Access | Acting):
            return one.project_id or None
    return None


def unreachable(error: psycopg.Error) -> StoreUnavailable:
    """The first line of the driver's message; nothing of a URL that cannot be parsed."""
    if isinstance(error, psycopg.OperationalError):
        return StoreUnavailable(
            f"cannot reach the database: {str(error).strip().partition(chr(10))[0]}"
        )
    if error.sqlstate is None:
        return StoreUnavailable("the URL of the database cannot be read")
    return StoreUnavailable(f"cannot use the database: {str(error).partition(chr(10))[0]}")
