"""A worker: claims a graph, runs its jobs in order, gives the graph back.

When a job fails, the worker looks whether something harmless can be read. If not even that can be,
nothing is wrong with the job: it is put off, and the worker rests until things are right again. The
death of the process that reads is weighed like that of this one (`queue.py`): it says something about
a job only if none dies without it, for much longer than it takes to read something.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

from msgspec.structs import replace
from prometheus_client import Counter, Gauge, Histogram

from recollect import log, spans
from recollect.errors import (
    LeaseLost,
    ReaderLost,
    ReaderStopped,
    StoreUnavailable,
    Unavailable,
    described,
    is_shortage,
)
from recollect.graph.types import Job
from recollect.ingest import pipeline, queue
from recollect.ingest.queue import Claim
from recollect.limits import JOBS_PER_COMMIT_MAX, LEASE_S, OUTSIDE_PAUSE_MAX_S
from recollect.store.protocol import Store

_log = log.get(__name__)
_POLL_S = 1.0
_GATHER_S = 0.01
_JOBS = Counter("recollect_jobs_total", "Jobs that ended, by outcome.", ["outcome"])
_JOB_SECONDS = Histogram("recollect_job_seconds", "Seconds spent on one job.")
_RESTING = Gauge(
    "recollect_workers_resting", "Workers that wait because nothing at all can be read."
)

Process = Callable[[Store, Claim, Sequence[Job]], Awaitable[None]]
Check = Callable[[], Awaitable[None]]


class Worker:
    """Runs until stopped; what it holds when it is told to stop is finished or given back.

    *together*: how many jobs *process* is given at once, as long as nothing fails. *check* reads
    something harmless, and raises when it cannot. *at_work*: the leases of all workers of this
    process, so that none takes another one for dead because the clock was set.
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
        check: Check | None = None,
        at_work: set[str] | None = None,
    ) -> None:
        self._store = store
        self._owner = owner
        self._attempts_max = attempts_max
        self._backoff_first_s = backoff_first_s
        self._process = process
        self._together = together
        self._check = check
        self._at_work: set[str] = set() if at_work is None else at_work
        self._wake = asyncio.Event()
        self._stop = asyncio.Event()
        self._backlog = False
        self._owed: list[Claim] = []
        self.trouble: str | None = None  # why nothing at all can be read, while that is so

    def wake(self) -> None:
        """Say that there may be work."""
        self._wake.set()

    def stop(self) -> None:
        """Ask for an end after the jobs under way."""
        self._stop.set()
        self._wake.set()

    async def run(self) -> None:
        """Work until stopped. A store in trouble is waited for, not given up on."""
        while not self._stop.is_set():
            self._wake.clear()
            try:
                busy = await self.step()
            except Exception as error:  # noqa: BLE001 - a worker outlives whatever went wrong
                _log.error("worker.stumbled", exc_info=error)
                busy = False
            if self.trouble is not None:
                await self._rest()
            elif not busy:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._wake.wait(), _POLL_S)
            if not self._backlog and not self._stop.is_set():
                # What arrives in this moment shares the next claim and its commits.
                await asyncio.sleep(_GATHER_S)

    async def _rest(self) -> None:
        """Wait, ever longer, until something harmless can be read again."""
        pause_s = min(self._backoff_first_s, OUTSIDE_PAUSE_MAX_S)
        _log.error("worker.rests", reason=self.trouble)
        with _RESTING.track_inprogress():
            while self.trouble is not None:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stop.wait(), pause_s)
                    return
                pause_s = min(2 * pause_s, OUTSIDE_PAUSE_MAX_S)
                self.trouble = await self._find_trouble()
        _log.info("worker.goes_on")

    async def step(self) -> bool:
        """Claim one graph and run what was claimed; False when there was nothing to do."""
        await self._give_back_owed()
        held = await self._store.write(
            queue.claim, self._owner, self._together, frozenset(self._at_work)
        )
        self._backlog = held is not None and held.more
        if held is None:
            return False
        self._at_work.add(held.lease)
        holding = asyncio.create_task(self._hold_on(held))
        try:
            await self._run(held)
        except LeaseLost:
            _log.warning("lease.lost", graph=held.graph_id)
        except BaseException:
            # Trouble of the store, or a stop that could not wait. What cannot even be given back
            # is owed: else it would look as if the process had died of it.
            self._owed.append(held)
            with suppress(Exception):
                await self._give_back_owed()
            raise
        finally:
            self._at_work.discard(held.lease)
            holding.cancel()
            await asyncio.wait([holding])
        return True

    async def _give_back_owed(self) -> None:
        while self._owed:
            with suppress(LeaseLost):
                await self._store.write(queue.release, self._owed[0])
            self._owed.pop(0)

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
        if held.lost:
            await self._note_death(held)
        elif await self._work_off(held):  # else noting the failure gave the graph back
            await self._store.write(queue.release, held)

    async def _work_off(self, held: Claim) -> bool:
        """All at once while that works; one by one as soon as something in it fails.

        False when one failed by itself. What was not begun when a stop is asked for is left.
        """
        jobs = held.jobs
        if len(jobs) > 1 and await self._attempt(held, jobs):
            return True
        for job in jobs:
            if self._stop.is_set():
                break
            if not await self._attempt(held, [job]):
                return False
        return True

    async def _attempt(self, held: Claim, jobs: Sequence[Job]) -> bool:
        began = time.perf_counter()
        try:
            with spans.job([job.episode.uuid for job in jobs], {"recollect.jobs": len(jobs)}):
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
        """Hold a failure against its job, unless it was something else that failed."""
        said = described(error)
        harmless_s = await self._look_for_trouble()
        if self.trouble is not None:
            await self._store.write(queue.put_off, held, self.trouble)
            outcome = "put_off"
        elif _is_outside(error):
            await self._store.write(queue.put_off, held, said, self._backoff_first_s)
            outcome = "put_off"
        elif isinstance(error, ReaderLost):
            alone = replace(held, jobs=[job])
            parked = await self._died(alone, harmless_s, said, others_die=error.others_die)
            outcome = "parked" if parked else "retried"
        else:
            parked = await self._store.write(queue.fail, held, job, said, **self._tries)
            outcome = "parked" if parked else "retried"
        self._note(outcome, job, attempt=job.attempts + 1, error=said)

    async def _note_death(self, held: Claim) -> None:
        """The process ended when this job was alone in it; that is held against it if others live."""
        (job,) = held.jobs
        harmless_s = await self._look_for_trouble()
        if self.trouble is not None:
            await self._store.write(queue.put_off, held, self.trouble)
            outcome = "put_off"
        else:
            parked = await self._died(held, harmless_s, queue.DIED)
            outcome = "parked" if parked else "retried"
        self._note(outcome, job, attempt=job.attempts + 1, error="died")

    async def _died(
        self, held: Claim, harmless_s: float, error: str, *, others_die: bool = False
    ) -> bool:
        return await self._store.write(
            queue.died,
            held,
            error,
            harmless_s=harmless_s,
            others_die=others_die,
            **self._tries,
        )

    @property
    def _tries(self) -> dict[str, Any]:
        return {"attempts_max": self._attempts_max, "backoff_first_s": self._backoff_first_s}

    async def _look_for_trouble(self) -> float:
        """Find out whether something harmless can be read; how long that took."""
        began = time.monotonic()
        self.trouble = await self._find_trouble()
        return time.monotonic() - began

    async def _find_trouble(self) -> str | None:
        """Why not even something harmless can be read; None when it can."""
        if self._check is None:
            return None
        try:
            await self._check()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what is wrong
            return described(error)
        return None

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


def _is_outside(error: Exception) -> bool:
    """Whether the error itself tells that it is not the job's; of a reader that is gone, nobody can."""
    if isinstance(error, ReaderLost):
        return isinstance(error, ReaderStopped)
    return isinstance(error, Unavailable) or is_shortage(error)
