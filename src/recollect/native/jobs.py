"""Health, readiness, metrics, and pending and parked jobs."""

from datetime import datetime
from typing import Literal

import msgspec

from recollect.api.metrics import metrics
from recollect.api.router import Call, Route
from recollect.app import tasks as app_jobs
from recollect.errors import Unavailable
from recollect.graph.types import GraphKind


class Health(msgspec.Struct):
    """The process lives."""

    status: Literal["ok", "ready"]


class GraphBacklog(msgspec.Struct):
    """How many episodes of a graph wait to be read."""

    graph_kind: GraphKind
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

    graph_kind: GraphKind
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
    troubles = await app_jobs.troubles(call.services)
    if troubles:
        raise Unavailable(f"not ready: {'; '.join(troubles)}")
    return Health(status="ready")


async def jobs(call: Call) -> Backlog:
    """How many episodes of this project wait to be read or could not be, and for how long."""
    found = await app_jobs.backlog(call.services, call.access)
    return Backlog(
        pending=found.pending,
        parked=found.parked,
        oldest_wait_s=found.oldest_wait_s,
        graphs=[GraphBacklog(*owner, pending=count) for owner, count in found.graphs],
        truncated=found.truncated,
    )


async def parked_jobs(call: Call) -> ParkedJobs:
    """The jobs of this project that failed too often, oldest first."""
    found = await app_jobs.parked(call.services, call.access)
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
    await app_jobs.retry(call.services, call.access, episode_uuid)
    return Retried(message=f"the job of episode {episode_uuid} is queued again")


ROUTES = [
    Route("GET", "/health", "health", health, "Check whether the process is alive", public=True),
    Route("GET", "/ready", "ready", ready, "Check whether requests can be served", public=True),
    Route("GET", "/metrics", "metrics", metrics, "Metrics for Prometheus", public=True),
    Route(
        "GET",
        "/api/v1/jobs",
        "job.count",
        jobs,
        "Count pending and parked jobs",
    ),
    Route(
        "GET",
        "/api/v1/jobs/parked",
        "job.list_parked",
        parked_jobs,
        "List parked jobs",
    ),
    Route(
        "POST",
        "/api/v1/jobs/{episode_uuid}/retry",
        "job.retry",
        retry_job,
        "Put the parked job of an episode back into the queue",
    ),
]
