"""Claiming, finishing, retrying and parking jobs.

A graph with pending jobs has one row in the queue. A worker takes the row's lease, and with it
the graph: jobs of one graph run strictly in order, graphs run side by side. Every step checks
that the lease is still held, so a worker that was slow or paused cannot do work twice.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from recollect.errors import LeaseLost, NotFound
from recollect.graph.types import Access, Job, Record, Task, TaskStatus
from recollect.limits import JOB_BACKOFF_MAX_S, JOB_ERROR_CHARS_MAX, JOBS_PER_CLAIM_MAX, LEASE_S
from recollect.store import rows
from recollect.store.protocol import Transaction


class Claim(Record):
    """A graph held by one worker for a while, and its oldest jobs."""

    graph_id: int
    lease: str
    jobs: list[Job]


class ParkedJob(Record):
    """A job that failed too often and waits for someone to look."""

    id: int
    project: str
    graph_kind: str
    graph: str
    episode_uuid: str
    task_uuid: str
    attempts: int
    error: str
    created_at: datetime
    parked_at: datetime


class QueueState(Record):
    """How much is owed, and how long the oldest has waited."""

    pending: int
    parked: int
    graphs: int
    oldest_wait_s: float


def claim(tx: Transaction, owner: str) -> Claim | None:
    """Take the graph that has waited longest, with a few of its oldest jobs."""
    now = rows.micros(tx.now)
    while (row := tx.one("queue_oldest_free", now=now)) is not None:
        graph_id, lease = row["graph_id"], f"{owner}:{tx.new_id()}"
        found = tx.all("jobs_next", graph_id=graph_id, limit=JOBS_PER_CLAIM_MAX)
        if not found:
            tx.run("queue_leave", graph_id=graph_id)  # its episodes were deleted
            continue
        jobs = [rows.job(row) for row in found]
        _take(tx, graph_id, lease)
        tx.run("jobs_started", ids=rows.to_json([job.id for job in jobs]), now=now)
        return Claim(graph_id=graph_id, lease=lease, jobs=jobs)
    return None


def _take(tx: Transaction, graph_id: int, lease: str) -> None:
    until = rows.micros(tx.now + timedelta(seconds=LEASE_S))
    tx.run("queue_take", graph_id=graph_id, lease=lease, until=until)


def free(tx: Transaction, owner: str) -> int:
    """Take back the leases of an owner that is known to be gone; says how many there were."""
    return tx.run("queue_free_owned", owner=f"{owner}:")


def check_lease(tx: Transaction, held: Claim) -> None:
    """Refuse to go on for a worker whose graph was deleted or taken over; else hold on longer."""
    row = tx.one("queue_lease", graph_id=held.graph_id)
    if row is None or row["lease"] != held.lease:
        raise LeaseLost
    _take(tx, held.graph_id, held.lease)


def finish(tx: Transaction, held: Claim, done: Sequence[Job]) -> list[Job]:
    """Mark jobs and their episodes as done, inside the transaction that does the work.

    Returns those that still exist: what was deleted meanwhile must leave no trace.
    """
    check_lease(tx, held)
    now = rows.micros(tx.now)
    ids = rows.to_json([job.id for job in done])
    alive = {row["id"] for row in tx.all("jobs_succeeded", ids=ids, now=now)}
    tx.run("episodes_processed", ids=rows.to_json(sorted(alive)), now=now)
    return [job for job in done if job.id in alive]


def release(tx: Transaction, held: Claim) -> None:
    """Give the graph back: to the queue if it has more jobs, else out of it."""
    check_lease(tx, held)
    tx.run("queue_give_back", graph_id=held.graph_id, ready_at=rows.micros(tx.now))
    tx.run("queue_leave", graph_id=held.graph_id)


def fail(
    tx: Transaction,
    held: Claim,
    job: Job,
    error: str,
    *,
    attempts_max: int,
    backoff_first_s: float,
) -> bool:
    """Note a failure and give the graph back; True when the job was parked.

    Until then the graph waits, so that order holds; a parked job lets the next ones pass.
    """
    check_lease(tx, held)
    row = tx.one("job_failed", id=job.id, error=error[:JOB_ERROR_CHARS_MAX])
    attempts = row["attempts"] if row else 0  # 0: deleted meanwhile, nothing is owed any more
    parked = attempts >= attempts_max
    ready_at = tx.now
    if parked:
        tx.run("job_park", id=job.id, now=rows.micros(tx.now))
    elif attempts:
        wait_s = min(JOB_BACKOFF_MAX_S, backoff_first_s * 2 ** (attempts - 1))
        ready_at += timedelta(seconds=wait_s)
    tx.run("queue_give_back", graph_id=held.graph_id, ready_at=rows.micros(ready_at))
    tx.run("queue_leave", graph_id=held.graph_id)
    return parked


def retry(tx: Transaction, access: Access, job_id: int) -> None:
    """Put a parked job back into the queue."""
    row = tx.one("job_parked_by_id", id=job_id, project_id=access.project_id)
    if row is None:
        raise NotFound(f"no parked job {job_id}")
    tx.run("job_retry", id=job_id)
    tx.run("queue_enter", graph_id=row["graph_id"], now=rows.micros(tx.now))


def parked(tx: Transaction, access: Access | None, limit: int) -> list[ParkedJob]:
    """Parked jobs of a project; of all projects for the operator of the machine."""
    found = tx.all("jobs_parked", project_id=access.project_id if access else None, limit=limit)
    return [
        ParkedJob(
            id=row["id"],
            project=row["project_name"],
            graph_kind=row["graph_kind"],
            graph=row["graph_name"],
            episode_uuid=row["episode_uuid"],
            task_uuid=row["task_uuid"],
            attempts=row["attempts"],
            error=row["error"] or "",
            created_at=rows.moment(row["created_at"]),
            parked_at=rows.moment(row["completed_at"]),
        )
        for row in found
    ]


def state(tx: Transaction) -> QueueState:
    """The queue as the metrics and the doctor see it."""
    row = tx.one("queue_state")
    if row is None:
        return QueueState(pending=0, parked=0, graphs=0, oldest_wait_s=0.0)
    oldest = rows.moment_or_none(row["oldest"])
    wait_s = max(0.0, (tx.now - oldest).total_seconds()) if oldest else 0.0
    return QueueState(
        pending=row["pending"], parked=row["parked"], graphs=row["graphs"], oldest_wait_s=wait_s
    )


def task(tx: Transaction, access: Access, uuid: str) -> Task:
    """The jobs of one request, taken together."""
    row = tx.one("task_by_uuid", uuid=uuid, project_id=access.project_id)
    if row is None or not row["jobs"]:
        raise NotFound(f"task not found: {uuid}")
    jobs, succeeded, parked_count = row["jobs"], row["succeeded"], row["parked"]
    open_ = jobs - succeeded - parked_count
    return Task(
        uuid=uuid,
        status=_status(jobs, succeeded, parked_count, started=row["started_at"] is not None),
        jobs=jobs,
        succeeded=succeeded,
        parked=parked_count,
        error=row["error"],
        created_at=rows.moment(row["created_at"]),
        started_at=rows.moment_or_none(row["started_at"]),
        completed_at=None if open_ else rows.moment_or_none(row["completed_at"]),
    )


def _status(jobs: int, succeeded: int, parked_count: int, *, started: bool) -> TaskStatus:
    if succeeded == jobs:
        return "succeeded"
    if parked_count == jobs:
        return "failed"
    if succeeded + parked_count == jobs:
        return "partial"
    return "processing" if started else "pending"
