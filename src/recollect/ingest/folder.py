"""Folds graphs again whose readings changed, in the background."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from prometheus_client import Counter, Histogram

from recollect import ids, log
from recollect.errors import LeaseLost
from recollect.graph.predicates import Predicates
from recollect.ingest import fold, queue
from recollect.store.protocol import ApartGraph, Store, Transaction

_log = log.get(__name__)
_POLL_S = 1.0
_FAILED_S = 10.0  # before a graph whose fold failed is tried again
_TURN_S = 0.05  # poll interval while a worker holds the graph
_REST = 4.0  # a folded graph rests for this many times as long as its fold took
_STEPS_AT_ONCE = 200  # of a copy, so nobody waits for them
_FOLDS = Counter("recollect_folds_total", "Graphs folded again, by outcome.", ["outcome"])
_SECONDS = Histogram(
    "recollect_fold_seconds", "Seconds to fold a graph again.", buckets=(0.1, 0.5, 2, 8, 30, 120)
)

Complete = Callable[[int], Awaitable[None]]


class Folder:
    """Folds graphs again when needed. One per process that has workers.

    *complete* reads the episodes of a graph that were processed before readings were kept.
    """

    def __init__(self, store: Store, table: Predicates, complete: Complete | None = None) -> None:
        self._store = store
        self._table = table
        self._complete = complete
        self._owner = f"fold:{ids.TimeOrderedIds()()}"
        self._turns: dict[int, asyncio.Lock] = {}
        self._rested: dict[int, float] = {}
        self._wake = asyncio.Event()
        self._stopping = False

    def wake(self) -> None:
        """Wake the folder: there may be something to fold."""
        self._wake.set()

    def stop(self) -> None:
        """Ask `run` to stop; a fold in progress is abandoned and done again later."""
        self._stopping = True
        self._wake.set()

    async def run(self) -> None:
        """Fold until stopped."""
        while not self._stopping:
            self._wake.clear()
            try:
                await self._fold_due()
            except Exception as error:  # noqa: BLE001 - there is a next time
                _log.error("folder.stumbled", exc_info=error)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), _POLL_S)

    async def _fold_due(self) -> None:
        for graph_id in await self._store.read(due):
            if self._stopping:
                return
            if time.monotonic() >= self._rested.get(graph_id, 0.0):
                await self._fold_alone(graph_id)

    async def _fold_alone(self, graph_id: int) -> None:
        """Fold a graph; if that fails, the other graphs do not wait for it."""
        try:
            await self.fold(graph_id)
        except Exception as error:  # noqa: BLE001 - there is a next time
            self._rested[graph_id] = time.monotonic() + _FAILED_S
            _log.error("folder.stumbled", exc_info=error)

    async def fold(self, graph_id: int) -> None:
        """Fold a graph now, if needed; returns once it matches its readings."""
        work = self._fold_in_turn(graph_id)
        with suppress(LeaseLost):  # the graph is gone
            await asyncio.create_task(work)

    async def _fold_in_turn(self, graph_id: int) -> None:
        turn = self._turns.setdefault(graph_id, asyncio.Lock())
        async with turn:
            while not self._stopping and await self._store.read(_has_to_be_folded, graph_id):
                began = time.monotonic()
                if self._complete is not None:
                    await self._complete(graph_id)
                done = await self._fold(graph_id)
                took = time.monotonic() - began
                self._rested[graph_id] = time.monotonic() + _REST * took
                _FOLDS.labels("done" if done else "outrun").inc()
                _SECONDS.observe(took)
                _log.info("graph.folded", graph=graph_id, done=done, duration_ms=round(took * 1000))

    async def _fold(self, graph_id: int) -> bool:
        """Fold once, to the end of the log; False if its input changed meanwhile."""
        apart = await self._store.apart(graph_id)
        try:
            await apart.run(fold.start_over, graph_id)
            await self._go_on(apart, graph_id)
            # The rest runs while no worker can add to the graph; it takes only a moment.
            async with self._holding(graph_id):
                if not await apart.catch_up():
                    return False
                await self._go_on(apart, graph_id)
                done = await apart.put_back(fold.settle)
                self._store.scrub_soon()  # a fold may delete text, too
                return done
        finally:
            await apart.close()

    async def _go_on(self, apart: ApartGraph, graph_id: int) -> None:
        while await apart.run(self._some, graph_id):
            if self._stopping:
                raise asyncio.CancelledError
            await asyncio.sleep(0)  # requests come first

    def _some(self, tx: Transaction, graph_id: int) -> bool:
        return fold.go_on(tx, graph_id, self._table, limit=_STEPS_AT_ONCE)

    @asynccontextmanager
    async def _holding(self, graph_id: int) -> AsyncIterator[None]:
        held = await self._store.write(queue.hold, graph_id, self._owner)
        while held is None:
            await asyncio.sleep(_TURN_S)
            held = await self._store.write(queue.hold, graph_id, self._owner)
        try:
            yield
        finally:
            await self._store.write(queue.let_go, held)


def due(tx: Transaction) -> list[int]:
    """The graphs whose readings changed since they were folded."""
    return tx.graphs.to_fold()


def _has_to_be_folded(tx: Transaction, graph_id: int) -> bool:
    row = tx.graphs.fold_state(graph_id=graph_id)
    return row is not None and row.fold_from is not None
