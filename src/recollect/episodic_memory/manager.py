"""Instances that are created on first use, shared, and closed when idle for too long.

    async with manager.hold(key) as instance:
        ...

An instance is never closed while a caller holds it. It is closed when it was idle for longer than
*life_s*, when there are too many, and when its key is evicted or deleted. Closing always happens in
the background, so that no caller waits for it or sees it fail.
"""

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Generic, Protocol, TypeVar

from prometheus_client import REGISTRY, CollectorRegistry, Counter, Gauge, Summary

from recollect import log
from recollect.errors import Conflict, InvariantViolated, Unavailable
from recollect.limits import INSTANCE_CLOSE_S_MAX

# Metrics of the memories: requesting the same name twice returns the same metric.
# They have no labels, so none can name a project.

M = TypeVar("M", Counter, Gauge, Summary)

PREFIX = "recollect_memory_"


class MetricsFactory:
    """Creates the counters, gauges and summaries of one registry, each only once."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry
        self._made: dict[str, Counter | Gauge | Summary] = {}

    def counter(self, name: str, description: str) -> Counter:
        """A number that only grows; Prometheus appends `_total` to its name."""
        return self._metric(Counter, name, description)

    def gauge(self, name: str, description: str) -> Gauge:
        """A number that can go up and down."""
        return self._metric(Gauge, name, description)

    def summary(self, name: str, description: str) -> Summary:
        """The count and the sum of observed values."""
        return self._metric(Summary, name, description)

    def _metric(self, kind: type[M], name: str, description: str) -> M:
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = kind(PREFIX + name, description, registry=self._registry)
        if not isinstance(made, kind):
            raise InvariantViolated(
                f"metric {name} is a {type(made).__name__} and cannot be a {kind.__name__} as well"
            )
        return made


class MemoryMetrics:
    """Metrics of the memories: episodes ingested, queries answered, and open instances.

    Latencies are in milliseconds and cover successful calls only.
    """

    def __init__(self, factory: MetricsFactory) -> None:
        self.ingestion_count = factory.counter("ingestion_count", "Episodes that were taken in.")
        self.ingestion_latency = factory.summary(
            "ingestion_latency_ms", "Milliseconds until the episodes of a call were durable."
        )
        self.query_count = factory.counter("query_count", "Questions that were answered.")
        self.query_latency = factory.summary(
            "query_latency_ms", "Milliseconds until both memories had answered."
        )
        self.instances_open = factory.gauge("instances_open", "Instances that are open.")
        self.instances_in_use = factory.gauge("instances_in_use", "Instances that someone holds.")

    @contextmanager
    def ingestion(self, episodes: int) -> Iterator[None]:
        """Measure a call that ingests so many episodes."""
        with _measured(self.ingestion_latency):
            yield
        self.ingestion_count.inc(episodes)

    @contextmanager
    def query(self) -> Iterator[None]:
        """Measure a call that answers one query."""
        with _measured(self.query_latency):
            yield
        self.query_count.inc()


@contextmanager
def _measured(latency_ms: Summary) -> Iterator[None]:
    began = time.perf_counter()
    yield
    latency_ms.observe((time.perf_counter() - began) * 1000)


FACTORY = MetricsFactory(REGISTRY)  # a single one, because a registry accepts a name only once


_log = log.get(__name__)


class Instance(Protocol):
    """Something that can be closed."""

    async def close(self) -> None:
        """Release everything; called once, when there are no holders left."""


class Closer:
    """Closes instances in the background, one at a time, in the order they are submitted.

    A failure or a timeout is only logged.
    """

    def __init__(self) -> None:
        self._waiting: deque[tuple[Instance, Callable[[], None]]] = deque()
        self._task: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        """The number of instances not closed yet."""
        return len(self._waiting)

    def close_soon(self, instance: Instance, then: Callable[[], None]) -> None:
        """Close an instance, then call *then*, even if closing failed."""
        self._waiting.append((instance, then))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        while self._waiting:
            instance, then = self._waiting[0]
            await _close(instance)
            self._waiting.popleft()
            then()
            await asyncio.sleep(0)  # yield to other tasks when closing many


async def _close(instance: Instance) -> None:
    try:
        async with asyncio.timeout(INSTANCE_CLOSE_S_MAX):
            await instance.close()
    except Exception as error:  # noqa: BLE001 - there is no caller to handle it
        _log.warning("instance.not_closed", error=type(error).__name__, exc_info=error)


T = TypeVar("T", bound=Instance)
R = TypeVar("R")


class _Entry(Generic[T]):
    """The instance of a key, possibly still being created, and the number of its holders."""

    __slots__ = ("evicted", "holders", "key", "made", "opened", "released_at")

    def __init__(self, key: str) -> None:
        self.key = key
        self.holders = 0
        self.evicted = False
        self.opened = False
        self.released_at = 0.0
        self.made: asyncio.Future[T] = asyncio.get_running_loop().create_future()


class InstanceManager(Generic[T]):
    """The instances of a process, one per key, at most *capacity* unless all are in use.

    *now* is a monotonic clock in seconds. *wait_s* is how long a deletion waits for holders to leave, a
    holder waits for a deletion to finish, and `close` waits for instances still in use.
    """

    def __init__(
        self,
        create: Callable[[str], Awaitable[T]],
        *,
        capacity: int,
        life_s: float,
        wait_s: float,
        metrics: MemoryMetrics,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._create = create
        self._capacity = capacity
        self._life_s = life_s
        self._wait_s = wait_s
        self._metrics = metrics
        self._now = now
        self._entries: dict[str, _Entry[T]] = {}
        self._idle: OrderedDict[str, _Entry[T]] = OrderedDict()  # longest idle first
        self._present: dict[str, int] = {}  # per key: being created, open, or being closed
        self._count = 0  # across all keys
        self._closer = Closer()
        self._makers: set[asyncio.Task[None]] = set()
        self._deleting: dict[str, asyncio.Event] = {}
        self._quiet: asyncio.Event = asyncio.Event()  # set and replaced when a key has none left
        self._closed = False

    @property
    def open_count(self) -> int:
        """The number of instances being created, open, or about to be closed."""
        return self._count

    def holders(self, key: str) -> int | None:
        """The number of holders of a key's instance; None if there is none."""
        entry = self._entries.get(key)
        return None if entry is None else entry.holders

    @asynccontextmanager
    async def hold(self, key: str) -> AsyncIterator[T]:
        """The instance of a key, kept open while in the context.

        Callers that arrive while it is being created share it, or the failure to create it.
        """
        await self._admitted(key)
        entry = self._entries.get(key) or self._begin(key)
        self._take(entry)
        try:
            yield await asyncio.shield(entry.made)
        finally:
            self._release(entry)

    def evict(self, key: str) -> None:
        """Close the instance of a key once it has no holders; the next caller gets a new one."""
        entry = self._entries.get(key)
        if entry is not None:
            self._retire(entry)

    async def delete(self, key: str, wipe: Callable[[], Awaitable[R]]) -> R:
        """Run *wipe* while no caller has or can get an instance of *key*.

        Raises Conflict if it is still in use after *wait_s*, or is already being deleted.
        """
        self._refuse_when_closed()
        if key in self._deleting:
            raise Conflict("this memory is being deleted already")
        over = self._deleting[key] = asyncio.Event()
        try:
            self.evict(key)
            if not await self._left(lambda: key not in self._present):
                raise Conflict("this memory is in use: nothing was deleted, try again")
            return await wipe()
        finally:
            del self._deleting[key]
            over.set()

    def sweep(self) -> int:
        """Retire instances that were idle for too long; returns how many.

        It only looks at expired ones: they expire in the order of their release.
        """
        newest = self._now() - self._life_s
        count = 0
        while self._idle:
            entry = next(iter(self._idle.values()))
            if entry.released_at >= newest:
                break
            self._retire(entry)
            count += 1
        return count

    async def run(self, every_s: float) -> None:
        """Sweep periodically until the manager is closed or this is cancelled."""
        while not self._closed:
            await asyncio.sleep(every_s)
            self.sweep()

    async def close(self) -> None:
        """Refuse new callers, and close every instance.

        One that is still held after *wait_s* is closed when its last holder leaves.
        """
        self._closed = True
        for key in list(self._entries):
            self.evict(key)
        if not await self._left(lambda: self._count == 0):
            _log.warning("instances.still_open", count=self._count)

    async def _admitted(self, key: str) -> None:
        """Wait for a deletion of the key to finish."""
        self._refuse_when_closed()
        while (over := self._deleting.get(key)) is not None:
            try:
                await asyncio.wait_for(over.wait(), self._wait_s)
            except TimeoutError:
                raise Conflict("this memory is being deleted") from None
            self._refuse_when_closed()

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise Unavailable("the server is stopping")

    def _begin(self, key: str) -> _Entry[T]:
        entry = self._entries[key] = _Entry[T](key)
        self._present[key] = self._present.get(key, 0) + 1
        self._count += 1
        maker = asyncio.create_task(self._make(entry))
        self._makers.add(maker)
        maker.add_done_callback(self._makers.discard)
        self._shrink()
        return entry

    async def _make(self, entry: _Entry[T]) -> None:
        try:
            instance = await self._create(entry.key)
        except asyncio.CancelledError:
            self._fail(entry, Unavailable("making this memory was interrupted"))
            raise
        except Exception as error:  # noqa: BLE001 - it is raised in everyone who waits for it
            self._fail(entry, error)
            return
        entry.opened = True
        entry.made.set_result(instance)
        self._metrics.instances_open.inc()
        if entry.holders == 0:
            self._rest(entry)

    def _fail(self, entry: _Entry[T], error: Exception) -> None:
        if not entry.evicted:
            del self._entries[entry.key]
        entry.made.set_exception(error)
        entry.made.exception()  # mark the exception as retrieved, in case all waiters have gone
        self._gone(entry)

    def _take(self, entry: _Entry[T]) -> None:
        if entry.holders == 0:
            self._metrics.instances_in_use.inc()
            self._idle.pop(entry.key, None)
        entry.holders += 1

    def _release(self, entry: _Entry[T]) -> None:
        entry.holders -= 1
        if entry.holders == 0:
            self._metrics.instances_in_use.dec()
            if entry.opened:
                self._rest(entry)

    def _rest(self, entry: _Entry[T]) -> None:
        """Handle an instance that has no holders left."""
        if entry.evicted:
            self._dispose(entry)
            return
        entry.released_at = self._now()
        self._idle[entry.key] = entry
        self._shrink()

    def _shrink(self) -> None:
        """Retire the least recently released instances until *capacity* is met."""
        while self._idle and self._count - len(self._closer) > self._capacity:
            self._retire(next(iter(self._idle.values())))

    def _retire(self, entry: _Entry[T]) -> None:
        """Stop handing out an instance, and close it once it has no holders."""
        del self._entries[entry.key]
        entry.evicted = True
        if self._idle.pop(entry.key, None) is not None:
            self._dispose(entry)

    def _dispose(self, entry: _Entry[T]) -> None:
        self._closer.close_soon(entry.made.result(), partial(self._is_closed, entry))

    def _is_closed(self, entry: _Entry[T]) -> None:
        self._metrics.instances_open.dec()
        self._gone(entry)

    def _gone(self, entry: _Entry[T]) -> None:
        """Remove an instance, and notify those waiting for that."""
        self._count -= 1
        left = self._present.pop(entry.key) - 1
        if left:
            self._present[entry.key] = left
            return
        self._quiet.set()
        self._quiet = asyncio.Event()

    async def _left(self, done: Callable[[], bool]) -> bool:
        """Wait until blocking instances are gone; False on timeout."""
        try:
            async with asyncio.timeout(self._wait_s):
                while not done():
                    await self._quiet.wait()
        except TimeoutError:
            return False
        return True
