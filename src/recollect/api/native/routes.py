"""Operation: health, readiness, metrics, and the jobs that were parked."""

import asyncio
import time
from collections import Counter
from datetime import datetime
from typing import get_args
from weakref import WeakKeyDictionary

import msgspec
from prometheus_client import CONTENT_TYPE_LATEST, Gauge, generate_latest

from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.errors import Unavailable
from recollect.extract.brief import ReaderKind
from recollect.graph.types import Access
from recollect.ingest import queue, rereading_lists
from recollect.ingest.rereading_lists import Status
from recollect.limits import PAGE_MAX
from recollect.store import rows
from recollect.store.protocol import Store, Transaction

_PENDING = Gauge("recollect_jobs_pending", "Jobs that wait or run.")
_PARKED = Gauge("recollect_jobs_parked", "Jobs that failed too often and wait for someone.")
_READINGS: dict[Status, Gauge] = {
    "waiting": Gauge("recollect_readings_waiting", "Episodes to be read again.", ["reader"]),
    "parked": Gauge(
        "recollect_readings_parked", "Episodes whose second reading failed too often.", ["reader"]
    ),
}
_COUNTING_REST = 100.0
_FACTS = Gauge("recollect_facts", "Facts, by the reader that found them.", ["reader"])
_WAIT = Gauge("recollect_oldest_job_wait_seconds", "Age of the oldest pending job.")
_DUE = Gauge("recollect_graphs_due", "Graphs with jobs that somebody could work on right now.")
_HINDERED = Gauge("recollect_graphs_hindered", "Graphs that wait for something to be mended.")


class Health(msgspec.Struct):
    """The process lives."""

    status: str


class GraphBacklog(msgspec.Struct):
    """How many episodes of a graph wait to be read."""

    graph_kind: str
    graph: str
    pending: int


class Backlog(msgspec.Struct):
    """What a project waits for. Counts end at a bound, and *truncated* says that they did."""

    pending: int
    parked: int
    oldest_wait_s: float
    graphs: list[GraphBacklog]
    truncated: bool


class ParkedJob(msgspec.Struct):
    """A job that failed too often."""

    graph_kind: str
    graph: str
    episode_uuid: str
    task_id: str
    attempts: int
    error: str
    created_at: datetime
    parked_at: datetime


class ParkedJobs(msgspec.Struct):
    """The parked jobs of a project."""

    jobs: list[ParkedJob]


class Retried(msgspec.Struct):
    """A job is back in the queue."""

    message: str


async def health(call: Call) -> Health:
    """The process lives."""
    return Health(status="ok")


async def ready(call: Call) -> Health:
    """The store reads and writes, and what reads episodes is there."""
    troubles = await call.services.readiness.troubles()
    if troubles:
        raise Unavailable(f"not ready: {'; '.join(troubles)}")
    return Health(status="ready")


class _Oldest:
    """How long the oldest job waits, also when the clock is set back meanwhile."""

    def __init__(self) -> None:
        self._id: int | None = None
        self._since = 0.0

    def waits_s(self, state: queue.QueueState) -> float:
        """As its age says, or as long as it was seen to be the oldest."""
        now = time.monotonic()
        if state.oldest_id is None or state.oldest_id != self._id:
            self._id, self._since = state.oldest_id, now
        return max(state.oldest_wait_s, now - self._since)


_oldest = _Oldest()


class _CountedFacts:
    """How many facts rest on which reader. Counting takes the longer the more there are, and nobody
    needs a key to ask: so it takes no more than a small share of the time."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._counted: dict[str, int] = {}
        self._until = 0.0

    async def by_reader(self, store: Store) -> dict[str, int]:
        """As they were a hundred times as long ago as it takes to count them, at most."""
        async with self._turn:
            began = time.monotonic()
            if began >= self._until:
                self._counted = await store.read(rereading_lists.facts_by_reader)
                now = time.monotonic()
                self._until = now + (now - began) * _COUNTING_REST
        return self._counted


_facts: WeakKeyDictionary[Store, _CountedFacts] = WeakKeyDictionary()


async def metrics(call: Call) -> Reply:
    """Counters and gauges for Prometheus; nothing in them names a project."""
    state = await call.services.store.read(queue.state)
    _PENDING.set(state.pending)
    _PARKED.set(state.parked)
    _WAIT.set(_oldest.waits_s(state))
    _DUE.set(state.due)
    hindered = await call.services.store.read(queue.hindrances, PAGE_MAX)
    _HINDERED.set(sum(one.graphs for one in hindered))
    await _tell_readings(call.services.store)
    return Reply.typed(generate_latest(), CONTENT_TYPE_LATEST)


async def _tell_readings(store: Store) -> None:
    """How many readings are still to be made, and how many facts rest on which reader."""
    counted = {
        (one.reader, one.status): one.count for one in await store.read(rereading_lists.counts)
    }
    for status, gauge in _READINGS.items():
        for reader in get_args(ReaderKind):
            gauge.labels(reader).set(counted.get((reader, status), 0))
    facts = await _facts.setdefault(store, _CountedFacts()).by_reader(store)
    _FACTS.clear()
    for reader, count in facts.items():
        _FACTS.labels(reader).set(count)


def _backlog(tx: Transaction, access: Access) -> Backlog:
    waiting = queue.backlog(tx, access, PAGE_MAX + 1)
    parked = queue.parked(tx, access, PAGE_MAX + 1)
    counted = Counter((row["graph_kind"], row["graph_name"]) for row in waiting[:PAGE_MAX])
    oldest = min((row["created_at"] for row in waiting), default=None)
    wait = 0.0 if oldest is None else (tx.now - rows.moment(oldest)).total_seconds()
    return Backlog(
        pending=min(len(waiting), PAGE_MAX),
        parked=min(len(parked), PAGE_MAX),
        oldest_wait_s=max(0.0, wait),
        graphs=[GraphBacklog(*owner, pending=count) for owner, count in counted.most_common()],
        truncated=max(len(waiting), len(parked)) > PAGE_MAX,
    )


async def jobs(call: Call) -> Backlog:
    """How many episodes of this project wait to be read or could not be, and for how long."""
    return await call.services.store.read(_backlog, call.access)


async def parked_jobs(call: Call) -> ParkedJobs:
    """The jobs of this project that failed too often, oldest first."""
    found = await call.services.store.read(queue.parked, call.access, PAGE_MAX)
    return ParkedJobs(
        jobs=[
            ParkedJob(
                graph_kind=job.graph_kind,
                graph=job.graph,
                episode_uuid=job.episode_uuid,
                task_id=job.task_uuid,
                attempts=job.attempts,
                error=job.error,
                created_at=job.created_at,
                parked_at=job.parked_at,
            )
            for job in found
        ]
    )


async def retry_job(call: Call) -> Retried:
    """Put the parked job of an episode back into the queue."""
    episode_uuid = call.path["episode_uuid"]
    await call.services.store.write(queue.retry, call.access, episode_uuid)
    call.services.wake_workers()
    return Retried(message=f"the job of episode {episode_uuid} is queued again")


ROUTES = [
    Route("GET", "/health", "health", health, "Is the process alive", answer=Health, public=True),
    Route("GET", "/ready", "ready", ready, "Can requests be served", answer=Health, public=True),
    Route("GET", "/metrics", "metrics", metrics, "Metrics for Prometheus", public=True),
    Route(
        "GET",
        "/api/v1/jobs",
        "job.count",
        jobs,
        "Count the jobs that wait and those that are parked",
        answer=Backlog,
    ),
    Route(
        "GET",
        "/api/v1/jobs/parked",
        "job.list_parked",
        parked_jobs,
        "List jobs that failed too often",
        answer=ParkedJobs,
    ),
    Route(
        "POST",
        "/api/v1/jobs/{episode_uuid}/retry",
        "job.retry",
        retry_job,
        "Put the parked job of an episode back into the queue",
        answer=Retried,
    ),
]
