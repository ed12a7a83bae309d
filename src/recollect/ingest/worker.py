"""A worker: claims a graph, runs its jobs in order, gives the graph back."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from prometheus_client import Counter, Histogram

from recollect import log
from recollect.errors import LeaseLost, StoreUnavailable
from recollect.graph.types import Job
from recollect.ingest import pipeline, queue
from recollect.ingest.queue import Claim
from recollect.limits import JOBS_PER_COMMIT_MAX, LEASE_S
from recollect.store.protocol import Store

_log = log.get(__name__)
_POLL_S = 1.0
_GATHER_S = 0.01
_JOBS = Counter("recollect_jobs_total", "Jobs that ended, by outcome.", ["outcome"])
_JOB_SECONDS = Histogram("recollect_job_seconds", "Seconds spent on one job.")

Process = Callable[[Store, Claim, Sequence[Job]], Awaitable[None]]


class Worker:
    """Runs until stopped; what it holds when it is told to stop is finished or given back.

    *together*: how many jobs *process* is given at once, as long as nothing fails.
    """

    def __init__(
        self,
        store: Store,
        *,
        owner: str,
        attempts_max: int,
        backoff_first_s: float,
        process: Process = pipeline.process,
        together: int = JOBS_PER_COMMIT_MAX,
    ) -> None:
        self._store = store
        self._owner = owner
        self._attempts_max = attempts_max
        self._backoff_first_s = backoff_first_s
        self._process = process
        self._together = together
        self._wake = asyncio.Event()
        self._stopping = False
        self._backlog = False

    def wake(self) -> None:
        """Say that there may be work."""
        self._wake.set()

    def stop(self) -> None:
        """Ask for an end after the jobs under way."""
        self._stopping = True
        self._wake.set()

    async def run(self) -> None:
        """Work until stopped. A store in trouble is waited for, not given up on."""
        while not self._stopping:
            self._wake.clear()
            try:
                busy = await self.step()
            except Exception as error:  # noqa: BLE001 - a worker outlives whatever went wrong
                _log.error("worker.stumbled", exc_info=error)
                busy = False
            if not busy:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._wake.wait(), _POLL_S)
            if not self._backlog and not self._stopping:
                # What arrives in this moment shares the next claim and its commits.
                await asyncio.sleep(_GATHER_S)

    async def step(self) -> bool:
        """Claim one graph and run what was claimed; False when there was nothing to do."""
        held = await self._store.write(queue.claim, self._owner)
        self._backlog = held is not None and held.more
        if held is None:
            return False
        holding = asyncio.create_task(self._hold_on(held))
        try:
            await self._run(held)
        except LeaseLost:
            _log.warning("lease.lost", graph=held.graph_id)
        except BaseException:
            # Trouble of the store, or a stop that could not wait. If not even this can be
            # written, the lease runs out by itself.
            with suppress(Exception):
                await self._store.write(queue.release, held)
            raise
        finally:
            holding.cancel()
            await asyncio.wait([holding])
        return True

    async def _hold_on(self, held: Claim) -> None:
        """Renew the lease while the work takes its time; who lost it finds out when writing."""
        while True:
            await asyncio.sleep(LEASE_S / 3)
            try:
                await self._store.write(queue.check_lease, held)
            except LeaseLost:
                return
            except Exception as error:  # noqa: BLE001 - there is time for another try
                _log.warning("lease.not_renewed", graph=held.graph_id, error=type(error).__name__)

    async def _run(self, held: Claim) -> None:
        """Work off what was claimed, then give the graph back."""
        if held.lost and held.jobs[0].attempts >= self._attempts_max:
            await self._store.write(queue.park_lost, held)
            self._note("parked", held.jobs[0], attempt=held.jobs[0].attempts, error="died")
            return
        for start in range(0, len(held.jobs), self._together):
            if self._stopping:
                break
            part = held.jobs[start : start + self._together]
            if not await self._work_off(held, part):
                return  # noting the failure gave the graph back
        await self._store.write(queue.release, held)

    async def _work_off(self, held: Claim, jobs: Sequence[Job]) -> bool:
        """All at once while that works; one by one as soon as something in it fails.

        False when one failed by itself. What was not begun when a stop is asked for is left.
        """
        if len(jobs) > 1 and await self._attempt(held, jobs):
            return True
        for job in jobs:
            if self._stopping:
                break
            if not await self._attempt(held, [job]):
                return False
        return True

    async def _attempt(self, held: Claim, jobs: Sequence[Job]) -> bool:
        began = time.perf_counter()
        try:
            await self._process(self._store, held, jobs)
        except (LeaseLost, StoreUnavailable):
            raise
        except Exception as error:  # noqa: BLE001 - whatever it was, it is retried, then parked
            if len(jobs) == 1:
                await self._fail(held, jobs[0], error)
            return False
        seconds = time.perf_counter() - began
        for job in jobs:
            _JOBS.labels("succeeded").inc()
            _JOB_SECONDS.observe(seconds / len(jobs))
            _log.info(
                "job.done",
                job=job.id,
                graph=job.graph_id,
                episode=job.episode.uuid,
                duration_ms=round(seconds / len(jobs) * 1000, 2),
            )
        return True

    async def _fail(self, held: Claim, job: Job, error: Exception) -> None:
        parked = await self._store.write(
            queue.fail,
            held,
            job,
            f"{type(error).__name__}: {error}",
            attempts_max=self._attempts_max,
            backoff_first_s=self._backoff_first_s,
        )
        outcome = "parked" if parked else "retried"
        self._note(outcome, job, attempt=job.attempts + 1, error=type(error).__name__)

    def _note(self, outcome: str, job: Job, *, attempt: int, error: str) -> None:
        _JOBS.labels(outcome).inc()
        _log.error(
            f"job.{outcome}",
            job=job.id,
            graph=job.graph_id,
            episode=job.episode.uuid,
            attempt=attempt,
            error=error,
        )
