"""Operation: health, readiness, metrics, and the jobs that were parked."""

from datetime import datetime
from typing import get_args

import msgspec
from prometheus_client import CONTENT_TYPE_LATEST, Gauge, generate_latest

from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.extract.brief import ReaderKind
from recollect.ingest import queue, rereading_lists
from recollect.ingest.rereading_lists import Status
from recollect.limits import PAGE_MAX
from recollect.store.protocol import Store, Transaction

_PENDING = Gauge("recollect_jobs_pending", "Jobs that wait or run.")
_PARKED = Gauge("recollect_jobs_parked", "Jobs that failed too often and wait for someone.")
_READINGS: dict[Status, Gauge] = {
    "waiting": Gauge("recollect_readings_waiting", "Episodes to be read again.", ["reader"]),
    "parked": Gauge(
        "recollect_readings_parked", "Episodes whose second reading failed too often.", ["reader"]
    ),
}
_FACTS = Gauge("recollect_facts", "Facts, by the reader that found them.", ["reader"])
_WAIT = Gauge("recollect_oldest_job_wait_seconds", "Age of the oldest pending job.")


class Health(msgspec.Struct):
    """The process lives."""

    status: str


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


def _probe(tx: Transaction) -> None:
    """A read that touches the file and little else."""
    tx.one("queue_oldest_free", now=0)


async def ready(call: Call) -> Health:
    """The store reads and would write, so requests can be served."""
    await call.services.store.read(_probe)
    await call.services.store.write(_probe)
    return Health(status="ready")


async def metrics(call: Call) -> Reply:
    """Counters and gauges for Prometheus; nothing in them names a project."""
    state = await call.services.store.read(queue.state)
    _PENDING.set(state.pending)
    _PARKED.set(state.parked)
    _WAIT.set(state.oldest_wait_s)
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
    _FACTS.clear()
    for reader, count in (await store.read(rereading_lists.facts_by_reader)).items():
        _FACTS.labels(reader).set(count)


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
