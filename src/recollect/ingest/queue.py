"""Claiming, finishing, retrying and parking jobs.

A graph with pending jobs has one row in the queue. A worker takes the row's lease, and with it
the graph: jobs of one graph run strictly in order, graphs run side by side. Every step checks
that the lease is still held, so a worker that was slow or paused cannot do work twice.

A job that ends the process cannot report its failure; it is found out by what it left behind.
Jobs that were under way when a process died run in ever less company: one by one, then with
nothing else going on in the whole store. Only a death in that solitude is held against a job, so
its neighbours, in its own graph or in others, never pay for it.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Literal

from recollect.errors import LeaseLost, NotFound
from recollect.graph.types import Access, Job, Record, Task, TaskStatus
from recollect.limits import JOB_BACKOFF_MAX_S, JOB_ERROR_CHARS_MAX, JOBS_PER_CLAIM_MAX, LEASE_S
from recollect.store import rows
from recollect.store.protocol import Row, Transaction
from recollect.subjects import seeing

Run = Literal["group", "single", "alone"]
DIED = "the process died while working on this episode and on nothing else"


class Claim(Record):
    """A graph held by one worker for a while, and its oldest jobs.

    *lost*: the process died when it last worked on the one job in here, and on nothing else.
    *more*: there is more to do at this moment, in this graph or in another.
    """

    graph_id: int
    lease: str
    jobs: list[Job]
    lost: bool = False
    more: bool = False


class ParkedJob(Record):
    """A job that failed too often and waits for someone to look."""

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
    """Take the graph that has waited longest, with a few of its oldest jobs.

    None when there is nothing to do, or when someone is or has to be alone. Whoever has to be
    waits until all others are done; nobody else begins meanwhile, so that this comes to an end.
    """
    now = rows.micros(tx.now)
    held = tx.one("queue_held", now=now)
    others, solitude = (held["graphs"], held["alone"]) if held else (0, 0)
    while not solitude and (row := tx.one("queue_oldest_free", now=now)) is not None:
        graph_id = row["graph_id"]
        found = tx.all("jobs_next", graph_id=graph_id, limit=JOBS_PER_CLAIM_MAX)
        if not found:
            tx.run("queue_leave", graph_id=graph_id)  # its episodes were deleted
            continue
        chosen, run = _next_run(found)
        if run == "alone" and others:
            return None
        return _begin(tx, graph_id, f"{owner}:{tx.new_id()}", chosen, run)
    return None


def _next_run(found: Sequence[Row]) -> tuple[Sequence[Row], Run]:
    """What to run of a graph's oldest jobs, and in what company.

    A first job that was under way when a process died runs by itself; it has to be alone once
    it was the only one of its graph already.
    """
    died_in = found[0]["run"]
    if died_in is not None:
        return found[:1], "single" if died_in == "group" else "alone"
    fresh = list(takewhile(lambda row: row["run"] is None, found))
    return fresh, "group" if len(fresh) > 1 else "single"


def _begin(tx: Transaction, graph_id: int, lease: str, chosen: Sequence[Row], run: Run) -> Claim:
    lost = chosen[0]["run"] == "alone"
    if lost:
        tx.run("job_lost", id=chosen[0]["job_id"])
        chosen = tx.all("jobs_next", graph_id=graph_id, limit=1)
    until = rows.micros(tx.now + timedelta(seconds=LEASE_S))
    tx.run("queue_take", graph_id=graph_id, lease=lease, until=until, alone=run == "alone")
    jobs = [rows.job(row) for row in chosen]
    now = rows.micros(tx.now)
    tx.run("jobs_started", ids=_ids(jobs), run=run, now=now)
    more = len(jobs) == JOBS_PER_CLAIM_MAX or tx.one("queue_oldest_free", now=now) is not None
    return Claim(graph_id=graph_id, lease=lease, jobs=jobs, lost=lost, more=more)


def _ids(jobs: Sequence[Job]) -> str | None:
    return rows.to_json([job.id for job in jobs])


def hold(tx: Transaction, graph_id: int, owner: str) -> Claim | None:
    """Take a graph without any of its jobs, so that no worker adds to it; None while one does."""
    now = rows.micros(tx.now)
    tx.run("queue_enter_held", graph_id=graph_id, now=now)
    row = tx.one("queue_lease", graph_id=graph_id)
    if row is None:
        raise LeaseLost  # there is no such graph any more
    if row["lease"] is not None and row["lease_until"] > now:
        return None
    lease = f"{owner}:{tx.new_id()}"
    until = rows.micros(tx.now + timedelta(seconds=LEASE_S))
    tx.run("queue_take", graph_id=graph_id, lease=lease, until=until, alone=False)
    return Claim(graph_id=graph_id, lease=lease, jobs=[])


def let_go(tx: Transaction, held: Claim) -> None:
    """Give a graph back that was only held: when its next job may run is as it was."""
    tx.run("queue_let_go", graph_id=held.graph_id, lease=held.lease)
    tx.run("queue_leave", graph_id=held.graph_id)


def free(tx: Transaction, owner: str) -> int:
    """Take back the leases of an owner that is known to be gone; says how many there were."""
    return tx.run("queue_free_owned", owner=f"{owner}:")


def free_all(tx: Transaction) -> None:
    """Take back every lease, for whoever has the store to itself."""
    tx.run("queue_free_all")


def check_lease(tx: Transaction, held: Claim) -> None:
    """Refuse to go on for a worker whose graph was deleted or taken over; else hold on longer."""
    row = tx.one("queue_lease", graph_id=held.graph_id)
    if row is None or row["lease"] != held.lease:
        raise LeaseLost
    until = rows.micros(tx.now + timedelta(seconds=LEASE_S))
    tx.run("queue_hold_on", graph_id=held.graph_id, until=until)


def finish(tx: Transaction, held: Claim, done: Sequence[Job]) -> list[Job]:
    """Mark jobs and their episodes as done, inside the transaction that does the work.

    Returns those that still exist: what was deleted meanwhile must leave no trace.
    """
    check_lease(tx, held)
    now = rows.micros(tx.now)
    alive = {row["id"] for row in tx.all("jobs_succeeded", ids=_ids(done), now=now)}
    tx.run("episodes_processed", ids=rows.to_json(sorted(alive)), now=now)
    return [job for job in done if job.id in alive]


def release(tx: Transaction, held: Claim) -> None:
    """Give the graph back: to the queue if it has more jobs, else out of it."""
    check_lease(tx, held)
    _give_back(tx, held, tx.now)


def _give_back(tx: Transaction, held: Claim, ready_at: datetime) -> None:
    tx.run("jobs_given_back", ids=_ids(held.jobs))
    tx.run("queue_give_back", graph_id=held.graph_id, ready_at=rows.micros(ready_at))
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
    error = error[:JOB_ERROR_CHARS_MAX]
    row = tx.one("job_failed", id=job.id, error=error)
    attempts = row["attempts"] if row else 0  # 0: deleted meanwhile, nothing is owed any more
    parked = attempts >= attempts_max
    ready_at = tx.now
    if parked:
        _park(tx, job, error)
    elif attempts:
        wait_s = min(JOB_BACKOFF_MAX_S, backoff_first_s * 2 ** (attempts - 1))
        ready_at += timedelta(seconds=wait_s)
    _give_back(tx, held, ready_at)
    return parked


def park_lost(tx: Transaction, held: Claim) -> None:
    """Set a job aside that ended the process too often, and give the graph back."""
    check_lease(tx, held)
    _park(tx, held.jobs[0], DIED)
    _give_back(tx, held, tx.now)


def _park(tx: Transaction, job: Job, error: str) -> None:
    tx.run("job_park", id=job.id, error=error, now=rows.micros(tx.now))
    tx.run("episode_unread", id=job.id)


def retry(tx: Transaction, access: Access, episode_uuid: str) -> None:
    """Put the parked job of an episode back into the queue."""
    row = tx.one("job_parked_of_episode", episode_uuid=episode_uuid, project_id=access.project_id)
    if row is None or not seeing.ids(tx, access, "episode", [row["id"]]):
        raise NotFound(f"no parked job of episode {episode_uuid}")
    tx.run("job_retry", id=row["id"])
    tx.run("queue_enter", graph_id=row["graph_id"], now=rows.micros(tx.now))


def parked(tx: Transaction, access: Access | None, limit: int) -> list[ParkedJob]:
    """Parked jobs of a project; of all projects for the operator of the machine."""
    return [
        ParkedJob(
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
        for row in _parked(tx, access, limit)
    ]


def _parked(tx: Transaction, access: Access | None, limit: int) -> list[Row]:
    query = "jobs_parked"
    if access is None:
        return tx.all(query, project_id=None, limit=limit)
    return seeing.first(
        access,
        lambda several: tx.all(query, project_id=access.project_id, limit=several),
        lambda found: seeing.carriers(access, found),
        limit,
    )


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
