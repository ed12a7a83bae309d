"""Instances that are made on first use, shared, and closed when idle for too long.

    async with manager.hold(key) as instance:
        ...

An instance is never closed while someone holds it. It is closed when it was idle for longer than
*life_s*, when there are too many, and when its key is evicted or deleted; always in the background,
so that nobody waits for it or sees it fail.
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

# The metrics of the memories: asking for the same name twice gives the same metric.
#
# They have no labels, so none can name a project.

M = TypeVar("M", Counter, Gauge, Summary)

PREFIX = "recollect_memory_"


class MetricsFactory:
    """Makes counters, gauges and summaries of one registry, each of them once."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry
        self._made: dict[str, Counter | Gauge | Summary] = {}

    def counter(self, name: str, description: str) -> Counter:
        """A number that only grows; Prometheus sees it with `_total` at the end of its name."""
        return self._metric(Counter, name, description)

    def gauge(self, name: str, description: str) -> Gauge:
        """A number that grows and shrinks."""
        return self._metric(Gauge, name, description)

    def summary(self, name: str, description: str) -> Summary:
        """How many values there were, and their sum."""
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
    """What is counted of memories: what comes in, what is asked, and the instances that are open.

    Latencies are in milliseconds, of calls that succeeded.
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
        """Measure what takes in so many episodes."""
        with _measured(self.ingestion_latency):
            yield
        self.ingestion_count.inc(episodes)

    @contextmanager
    def query(self) -> Iterator[None]:
        """Measure what answers one question."""
        with _measured(self.query_latency):
            yield
        self.query_count.inc()


@contextmanager
def _measured(latency_ms: Summary) -> Iterator[None]:
    began = time.perf_counter()
    yield
    latency_ms.observe((time.perf_counter() - began) * 1000)


FACTORY = MetricsFactory(REGISTRY)  # one, because a registry takes no name twice


_log = log.get(__name__)


class Instance(Protocol):
    """Something that can be closed."""

    async def close(self) -> None:
        """Let go of everything; called once, when nobody holds it any more."""


class Closer:
    """Closes instances in the background, one after the other, in the order they are handed in.

    One that fails or takes too long is told in the log and nowhere else.
    """

    def __init__(self) -> None:
        self._waiting: deque[tuple[Instance, Callable[[], None]]] = deque()
        self._task: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        """How many are not closed yet."""
        return len(self._waiting)

    def close_soon(self, instance: Instance, then: Callable[[], None]) -> None:
        """Close an instance, and call *then* when that is done or has failed."""
        self._waiting.append((instance, then))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        while self._waiting:
            instance, then = self._waiting[0]
            await _close(instance)
            self._waiting.popleft()
            then()
            await asyncio.sleep(0)  # closing many leaves room for others


async def _close(instance: Instance) -> None:
    try:
        async with asyncio.timeout(INSTANCE_CLOSE_S_MAX):
            await instance.close()
    except Exception as error:  # noqa: BLE001 - nobody is there who could do anything about it
        _log.warning("instance.not_closed", error=type(error).__name__, exc_info=error)


T = TypeVar("T", bound=Instance)
R = TypeVar("R")


class _Entry(Generic[T]):
    """An instance of a key, perhaps one that is still being made, and how many hold it."""

    __slots__ = ("evicted", "holders", "key", "made", "opened", "released_at")

    def __init__(self, key: str) -> None:
        self.key = key
        self.holders = 0
        self.evicted = False
        self.opened = False
        self.released_at = 0.0
        self.made: asyncio.Future[T] = asyncio.get_running_loop().create_future()


class InstanceManager(Generic[T]):
    """The instances of a process, one for each key, at most *capacity* unless all are in use.

    *now* tells seconds that never go back; *wait_s* is how long a deletion waits for holders to
    leave, a holder for a deletion to end, and the manager's own end for those that still work.
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
        self._idle: OrderedDict[str, _Entry[T]] = OrderedDict()  # the longest idle first
        self._present: dict[str, int] = {}  # of a key: being made, open, or being closed
        self._count = 0  # of all keys
        self._closer = Closer()
        self._makers: set[asyncio.Task[None]] = set()
        self._deleting: dict[str, asyncio.Event] = {}
        self._quiet: asyncio.Event = asyncio.Event()  # set, then replaced, when a key has none left
        self._closed = False

    @property
    def open_count(self) -> int:
        """How many instances are being made, open, or about to be closed."""
        return self._count

    def holders(self, key: str) -> int | None:
        """How many hold the instance of a key; None when there is none."""
        entry = self._entries.get(key)
        return None if entry is None else entry.holders

    @asynccontextmanager
    async def hold(self, key: str) -> AsyncIterator[T]:
        """The instance of a key, which stays open until this is left.

        Whoever comes while it is being made shares it, or the failure to make it.
        """
        await self._admitted(key)
        entry = self._entries.get(key) or self._begin(key)
        self._take(entry)
        try:
            yield await asyncio.shield(entry.made)
        finally:
            self._release(entry)

    def evict(self, key: str) -> None:
        """Close the instance of a key once nobody holds it; from now on a new one is made."""
        entry = self._entries.get(key)
        if entry is not None:
            self._retire(entry)

    async def delete(self, key: str, wipe: Callable[[], Awaitable[R]]) -> R:
        """Run *wipe* while nobody has an instance of *key* and nobody gets one.

        Conflict when it is still in use after a while, or is being deleted already.
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
        """Retire what was idle for longer than its life; says how many those were.

        Looks at nothing else: the order of release is the order in which they expire.
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
        """Sweep again and again, until the manager is closed or this is canceled."""
        while not self._closed:
            await asyncio.sleep(every_s)
            self.sweep()

    async def close(self) -> None:
        """Refuse everybody from now on, and close every instance.

        One that is still held after a while is closed when its last holder leaves.
        """
        self._closed = True
        for key in list(self._entries):
            self.evict(key)
        if not await self._left(lambda: self._count == 0):
            _log.warning("instances.still_open", count=self._count)

    async def _admitted(self, key: str) -> None:
        """Wait for a deletion of the key to end."""
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
        entry.made.exception()  # looked at, should all who waited have gone
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
        """What becomes of an instance that nobody holds."""
        if entry.evicted:
            self._dispose(entry)
            return
        entry.released_at = self._now()
        self._idle[entry.key] = entry
        self._shrink()

    def _shrink(self) -> None:
        """Retire the least recently released, as far as there are too many."""
        while self._idle and self._count - len(self._closer) > self._capacity:
            self._retire(next(iter(self._idle.values())))

    def _retire(self, entry: _Entry[T]) -> None:
        """Give an instance to nobody any more, and close it once nobody holds it."""
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
        """Forget an instance, and tell whoever waits for that."""
        self._count -= 1
        left = self._present.pop(entry.key) - 1
        if left:
            self._present[entry.key] = left
            return
        self._quiet.set()
        self._quiet = asyncio.Event()

    async def _left(self, done: Callable[[], bool]) -> bool:
        """Wait until instances that are in the way are gone; False when it takes too long."""
        try:
            async with asyncio.timeout(self._wait_s):
                while not done():
                    await self._quiet.wait()
        except TimeoutError:
            return False
        return True
