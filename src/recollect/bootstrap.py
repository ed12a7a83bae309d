"""Settings to services: the only place that chooses implementations."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field

from recollect.clock import Clock, system_clock
from recollect.ingest.worker import Worker
from recollect.search.segments import Segments
from recollect.settings import Settings
from recollect.store.protocol import Store
from recollect.store.sqlite import SqliteStore


@dataclass(slots=True)
class Services:
    """Everything a request, a job or a command needs, handed in."""

    settings: Settings
    store: Store
    segments: Segments
    clock: Clock
    workers: list[Worker] = field(default_factory=list)
    _tasks: list[asyncio.Task[None]] = field(default_factory=list)

    def wake_workers(self) -> None:
        """Say that episodes were stored."""
        for worker in self.workers:
            worker.wake()

    def start_workers(self, count: int, *, owner: str) -> None:
        """Let workers take jobs from now on; *owner* marks the leases they hold."""
        for _ in range(count):
            worker = Worker(
                self.store,
                owner=owner,
                attempts_max=self.settings.job_attempts_max,
                backoff_first_s=self.settings.job_backoff_first_s,
            )
            self.workers.append(worker)
            self._tasks.append(asyncio.create_task(worker.run()))

    async def close(self) -> None:
        """Finish the jobs under way, then let go of the store."""
        for worker in self.workers:
            worker.stop()
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=self.settings.stop_grace_s)
            for task in late:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
        await self.store.close()


async def open_services(settings: Settings, *, clock: Clock = system_clock) -> Services:
    """Open the store that the settings name, and what stands on it."""
    store = await asyncio.to_thread(
        SqliteStore.open, settings.data, readers=settings.readers, clock=clock
    )
    segments = Segments(store, bytes_max=settings.segments_bytes_max)
    return Services(settings=settings, store=store, segments=segments, clock=clock)
