"""A worker: claims a graph, runs its jobs in order, releases the graph.

When a job fails, the worker checks whether it can read something harmless. If not even that works, the
job is not to blame: it is put off, and the worker rests until the check succeeds again. The death of the
reader process is treated like that of this one (`queue.py`): it counts against a job only if no process
dies without the job, for much longer than it takes to read something.
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
    """Runs until stopped; what it holds at that time is finished or released.

    *together*: how many jobs *process* gets at once, as long as nothing fails. *check* reads something
    harmless, and raises if it cannot. *at_work*: the leases of all workers of this process, so that a
    clock change does not make one worker treat another as dead.
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
        """Wake the worker: there may be work."""
        self._wake.set()

    def stop(self) -> None:
        """Ask `run` to stop after the jobs in progress."""
        self._stop.set()
        self._wake.set()

    async def run(self) -> None:
        """Work until stopped. A failing store does not end the loop."""
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
                # Jobs that arrive during this pause share the next claim and its commits.
                await asyncio.sleep(_GATHER_S)

    async def _rest(self) -> None:
        """Wait, with growing pauses, until something harmless can be read again."""
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
        """Claim one graph and run what was claimed; False if there was nothing to do."""
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
            # A store error, or a forced stop. If the claim cannot even be released now, it is released
            # later: otherwise it would look as if its jobs had killed the process.
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
        """Renew the lease while the work goes on; if it was lost, the next write finds out."""
        while True:
            await asyncio.sleep(LEASE_S / 3)
            try:
                await self._store.write(queue.check_lease, held)
            except LeaseLost:
                return
            except Exception as error:  # noqa: BLE001 - there is time for another try
                _log.warning("lease.not_renewed", graph=held.graph_id, error=type(error).__name__)

    async def _run(self, held: Claim) -> None:
        """Run what was claimed, then release the graph."""
        if held.lost:
            await self._note_death(held)
        elif await self._work_off(held):  # otherwise recording the failure released the graph
            await self._store.write(queue.release, held)

    async def _work_off(self, held: Claim) -> bool:
        """Run all jobs at once; if that fails, one by one.

        False if one failed by itself. After a stop request no further job is started.
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
        """Count a failure against its job, unless something else was wrong."""
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
        """The process died while this job ran alone; that counts against it if others survive."""
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
        """Check whether something harmless can be read; returns how long that took."""
        began = time.monotonic()
        self.trouble = await self._find_trouble()
        return time.monotonic() - began

    async def _find_trouble(self) -> str | None:
        """Why not even something harmless can be read; None if it can."""
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
    """Whether the error itself shows that the job is not to blame; a reader that died shows nothing."""
    if isinstance(error, ReaderLost):
        return isinstance(error, ReaderStopped)
    return isinstance(error, Unavailable) or is_shortage(error)
