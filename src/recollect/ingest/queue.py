"""Claiming, finishing, retrying and parking jobs.

A graph with pending jobs has one row in the queue. A worker takes the row's lease, and with it
the graph: jobs of one graph run strictly in order, graphs run side by side. Every step checks
that the lease is still held, so a worker that was slow or paused cannot do work twice. Projects
take turns (`shares.py`), and a claim holds no more text than one episode may have, so that a newcomer
waits for at most one such claim per worker.

A job that kills its process cannot report the failure; it is detected by what it left behind. Jobs
that were running when a process died are retried in ever smaller company: one by one, then with
nothing else running in the whole store. Only a death while running alone counts against a job, and
only while other jobs can be read, so its neighbours, in its own graph or in others, never pay for it.

Such a death may have an outside cause, for instance someone who kills processes. Then processes also
die without the job, during the pause before its next try. Any death in that pause, of the process or
of one that reads for it, clears all suspects, so only an unbroken series of deaths counts. One suspect
is tried at a time; otherwise two jobs that do kill would clear each other forever.

No timestamp stored here blocks anyone longer than the longest pause or lease: one that lies further
ahead was written before the clock was set back.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from itertools import accumulate, takewhile
from typing import Any, Literal

from msgspec.structs import replace

from recollect.errors import LeaseLost, NotFound
from recollect.governance import outbox
from recollect.graph.types import Access, GraphKind, Job, Record, Task, TaskStatus
from recollect.ingest import shares
from recollect.limits import (
    EPISODE_CHARS_MAX,
    JOB_BACKOFF_MAX_S,
    JOB_ERROR_CHARS_MAX,
    JOBS_PER_COMMIT_MAX,
    LEASE_S,
    OUTSIDE_PAUSE_MAX_S,
)
from recollect.records import seeing
from recollect.store import index, rows
from recollect.store.index import IndexItem
from recollect.store.protocol import Transaction
from recollect.store.queries.jobs import JobsParkedRow, JobsWaitingRow
from recollect.store.queries.queue import QueueOldestFreeRow
from recollect.store.queries.shapes import JobRow
from recollect.store.queries.tasks import TaskProgressRow, TaskToldRow
from recollect.store.work import beside_others

Run = Literal["group", "single", "alone"]
DIED = "the process died while working on this episode and on nothing else"
_DEATH_PAUSE = 5  # times the pause after an error, which says more about a job than a death does
_TRIAL_POLL = timedelta(seconds=1)


class Claim(Record):
    """A graph leased by one worker, and its oldest jobs.

    *lost*: the process died when it last worked on the only job in here, and on nothing else; that job
    must not run now (`died`, `put_off`). *more*: there is more to do right now, in this graph or another.
    """

    graph_id: int
    lease: str
    jobs: list[Job]
    lost: bool = False
    more: bool = False


class ParkedEpisode(Record):
    """A job that failed too often and waits for someone to look at it."""

    project: str
    graph_kind: GraphKind
    graph: str
    episode_uuid: str
    task_uuid: str
    attempts: int
    error: str
    created_at: datetime
    parked_at: datetime


class QueueState(Record):
    """The size of the backlog, and how long the oldest job has waited.

    *due*: graphs that could be claimed right now; *held*: graphs that are leased. *ahead_s*: how far in
    the future the oldest job was accepted, if the clock was set back since.
    """

    pending: int
    parked: int
    graphs: int
    oldest_wait_s: float
    oldest_id: int | None = None
    due: int = 0
    held: int = 0
    ahead_s: float = 0.0


class Hindrance(Record):
    """A reason outside of their jobs that keeps graphs waiting."""

    reason: str
    graphs: int


@beside_others
def claim(
    tx: Transaction,
    owner: str,
    jobs_max: int = JOBS_PER_COMMIT_MAX,
    at_work: Collection[str] = (),
) -> Claim | None:
    """Take a graph of the project whose turn it is, with a few of its oldest jobs.

    None if there is nothing to do, or if a job runs alone or must do so next. A job that must run alone
    waits until all others are done; no other starts meanwhile, so that the wait ends. *at_work*: leases
    known to be in use, whatever the clock says.
    """
    tx.hold_queue()
    if at_work:
        _hold_on(tx, at_work)
    held = tx.queue.held(now=rows.micros(tx.now), lease_end=_lease_end(tx))
    others, solitude = (held.graphs, held.alone) if held else (0, 0)
    while not solitude and (row := _oldest_free(tx)) is not None:
        graph_id = row.graph_id
        _notice_end(tx, graph_id)
        found = tx.jobs.next(graph_id=graph_id, limit=jobs_max)
        if not found:
            tx.hold(graph_id)  # so that nothing is added to it meanwhile
            tx.queue.leave(graph_id=graph_id)  # its episodes were deleted
            continue
        chosen, run = _next_run(found)
        if run == "alone" and not _is_lost(chosen):
            if _waits_for_trial(tx, graph_id, chosen[0].episode.id):
                continue
            if others:
                return None
        shares.use(tx, row, sum(len(job.episode.content) for job in chosen), len(chosen))
        claim = _begin(tx, graph_id, f"{owner}:{tx.new_id()}", chosen, run)
        more = len(found) == jobs_max or len(chosen) < len(found) or _oldest_free(tx) is not None
        return replace(claim, more=more)
    return None


def _hold_on(tx: Transaction, leases: Collection[str]) -> None:
    """Extend leases known to be in use, so that a clock change does not make live workers look dead."""
    until = rows.micros(tx.now + timedelta(seconds=LEASE_S))
    tx.queue.hold_on_all(leases=rows.to_json(sorted(leases)), until=until)


def _notice_end(tx: Transaction, graph_id: int) -> None:
    """Drop an expired lease: its owner died without releasing it."""
    left = tx.queue.lease(graph_id=graph_id)
    if left is not None and left.lease is not None:
        tx.queue.let_go(graph_id=graph_id, lease=left.lease)
        clear(tx)


def _waits_for_trial(tx: Transaction, graph_id: int, job_id: int) -> bool:
    """Make a suspect wait while another one is on trial: a death now would clear that one."""
    tried = tx.jobs.on_trial()
    if tried is None or tried == job_id:
        return False
    tx.queue.wait(graph_id=graph_id, until=rows.micros(tx.now + _TRIAL_POLL))
    return True


def _oldest_free(tx: Transaction) -> QueueOldestFreeRow | None:
    now = rows.micros(tx.now)
    return tx.queue.oldest_free(now=now, wait_end=_wait_end(tx), lease_end=_lease_end(tx))


def _wait_end(tx: Transaction) -> int:
    return rows.micros(tx.now + timedelta(seconds=JOB_BACKOFF_MAX_S))


def _lease_end(tx: Transaction) -> int:
    """The time beyond which no lease is valid; a small correction of the clock invalidates none."""
    return rows.micros(tx.now + timedelta(seconds=2 * LEASE_S))


def _next_run(found: Sequence[JobRow]) -> tuple[Sequence[JobRow], Run]:
    """Which of a graph's oldest jobs to run, and in what company.

    If the first job was running when a process died, it runs as the only one of its graph; if that was
    already so, it runs alone in the whole store.
    """
    died_in = found[0].run
    if died_in is not None:
        return found[:1], "single" if died_in == "group" else "alone"
    fresh = _within_bounds(list(takewhile(lambda row: row.run is None, found)))
    return fresh, "group" if len(fresh) > 1 else "single"


def _is_lost(chosen: Sequence[JobRow]) -> bool:
    return bool(chosen[0].run == "alone")


def _within_bounds(found: Sequence[JobRow]) -> Sequence[JobRow]:
    """As many jobs as have together no more text than one episode may have, but at least one."""
    sizes = accumulate(len(row.episode.content) for row in found)
    return found[: max(1, sum(size <= EPISODE_CHARS_MAX for size in sizes))]


def _begin(tx: Transaction, graph_id: int, lease: str, chosen: Sequence[JobRow], run: Run) -> Claim:
    lost = _is_lost(chosen)
    until = rows.micros(tx.now + timedelta(seconds=LEASE_S))
    alone = run == "alone" and not lost
    tx.queue.take(graph_id=graph_id, lease=lease, until=until, alone=alone)
    jobs = [rows.job(row) for row in chosen]
    # A lost job does not run now: a death from here on has another cause.
    now, begun = rows.micros(tx.now), "single" if lost else run
    tx.jobs.started(graph_id=graph_id, ids=_ids(jobs), run=begun, now=now)
    return Claim(graph_id=graph_id, lease=lease, jobs=jobs, lost=lost)


def _ids(jobs: Sequence[Job]) -> str | None:
    return rows.to_json([job.id for job in jobs])


def hold(tx: Transaction, graph_id: int, owner: str) -> Claim | None:
    """Lease a graph without any of its jobs, so that no worker adds to it; None while one holds it."""
    tx.queue.enter(graph_id=graph_id)
    row = tx.queue.lease(graph_id=graph_id)
    if row is None:
        raise LeaseLost  # the graph no longer exists
    if rows.micros(tx.now) < row.lease_until <= _lease_end(tx):
        return None
    lease = f"{owner}:{tx.new_id()}"
    until = rows.micros(tx.now + timedelta(seconds=LEASE_S))
    tx.queue.take(graph_id=graph_id, lease=lease, until=until, alone=False)
    return Claim(graph_id=graph_id, lease=lease, jobs=[])


def let_go(tx: Transaction, held: Claim) -> None:
    """Release a graph that was only held; when its next job may run does not change."""
    tx.queue.let_go(graph_id=held.graph_id, lease=held.lease)
    tx.queue.leave(graph_id=held.graph_id)


def free(tx: Transaction, owner: str) -> int:
    """Revoke the leases of an owner that is known to be gone; returns how many there were."""
    clear(tx)
    return tx.queue.free_owned(owner=f"{owner}:")


def clear(tx: Transaction, but: int | None = None) -> None:
    """Clear all suspects: a process died, or one that read for it, while none of them was running.

    Except the job *but*, and any job that was alone when a process died.
    """
    graphs = tx.jobs.clear(but=but)
    if graphs:
        tx.queue.due_now(graphs=rows.to_json(sorted(set(graphs))))


def free_all(tx: Transaction) -> None:
    """Revoke every lease, for a process that has the store to itself."""
    tx.queue.free_all()


@beside_others
def check_lease(tx: Transaction, held: Claim) -> None:
    """Renew the lease; raises LeaseLost if the graph was deleted or claimed by another worker."""
    tx.hold(held.graph_id)
    until = rows.micros(tx.now + timedelta(seconds=LEASE_S))
    if not tx.queue.hold_on(graph_id=held.graph_id, lease=held.lease, until=until):
        raise LeaseLost


def finish(tx: Transaction, held: Claim, done: Sequence[Job]) -> list[Job]:
    """Mark jobs and their episodes as done, in the transaction that does the work.

    Returns the jobs that still exist: what was deleted meanwhile must leave no trace.
    """
    check_lease(tx, held)
    now = rows.micros(tx.now)
    alive = set(tx.jobs.succeeded(graph_id=held.graph_id, ids=_ids(done), now=now))
    tx.episodes.processed(graph_id=held.graph_id, ids=rows.to_json(sorted(alive)), now=now)
    return [job for job in done if job.id in alive]


@beside_others
def release(tx: Transaction, held: Claim) -> None:
    """Release the graph: it stays in the queue if it has more jobs, else it leaves."""
    check_lease(tx, held)
    _give_back(tx, held)


def _give_back(tx: Transaction, held: Claim, wait_s: float = 0, **more: Any) -> None:
    tx.jobs.given_back(graph_id=held.graph_id, ids=_ids(held.jobs))
    until = rows.micros(tx.now + timedelta(seconds=wait_s)) if wait_s else 0
    hindrance = {"pauses": 0, "reason": None, **more}
    tx.queue.give_back(graph_id=held.graph_id, wait_until=until, **hindrance)
    tx.queue.leave(graph_id=held.graph_id)


def put_off(
    tx: Transaction, held: Claim, reason: str, backoff_first_s: float | None = None
) -> None:
    """Release the graph because of a problem outside of its jobs; no job counts it as an attempt.

    Without a backoff it can be claimed at once, by a worker that finds the problem gone.
    """
    check_lease(tx, held)
    row = tx.queue.lease(graph_id=held.graph_id)
    pauses = row.pauses if row else 0
    wait_s = 0.0 if backoff_first_s is None else backoff_first_s * 2 ** min(pauses, 16)
    wait_s = min(OUTSIDE_PAUSE_MAX_S, wait_s)
    _give_back(tx, held, wait_s, pauses=pauses + 1, reason=reason[:JOB_ERROR_CHARS_MAX])
    if held.lost:
        tx.jobs.suspected(graph_id=held.graph_id, id=held.jobs[0].id)


def fail(
    tx: Transaction,
    held: Claim,
    job: Job,
    error: str,
    *,
    attempts_max: int,
    backoff_first_s: float,
) -> bool:
    """Record a failure and release the graph; True if the job was parked.

    Before that the graph waits, so that its order is kept; a parked job no longer blocks the next ones.
    """
    check_lease(tx, held)
    error = error[:JOB_ERROR_CHARS_MAX]
    row = tx.jobs.failed(graph_id=held.graph_id, id=job.id, error=error)
    return _count(tx, held, job, error, row, attempts_max, backoff_first_s)


def died(
    tx: Transaction,
    held: Claim,
    error: str = DIED,
    *,
    attempts_max: int,
    backoff_first_s: float,
    harmless_s: float = 0.0,
    others_die: bool = False,
) -> bool:
    """Count the death of a process, or of one that reads, against a claim's first job; True if it was parked.

    *harmless_s*: how long it took to read something harmless. Before this job is tried again, others
    must survive twice as long without it, then four times, and so on: by then it is next to impossible
    that random kills, however frequent, always hit this job and nothing else. *others_die*: one of the
    others did not survive, so this is the first death of a new series.
    """
    check_lease(tx, held)
    job = held.jobs[0]
    tx.jobs.given_back(graph_id=held.graph_id, ids=_ids([job]))  # by a live process
    clear(tx, but=None if others_die else job.id)
    error = error[:JOB_ERROR_CHARS_MAX]
    row = tx.jobs.lost(graph_id=held.graph_id, id=job.id, error=error)
    first_s = max(backoff_first_s * _DEATH_PAUSE, 2 * harmless_s)
    parked = _count(tx, held, job, error, row, attempts_max, first_s)
    tx.jobs.suspected(graph_id=held.graph_id, id=job.id)
    return parked


def _count(
    tx: Transaction,
    held: Claim,
    job: Job,
    error: str,
    tries: int | None,
    attempts_max: int,
    backoff_first_s: float,
) -> bool:
    """Park a job that has used up its attempts, or make its graph wait; True if it was parked."""
    attempts = tries or 0  # 0: deleted meanwhile, nothing left to do
    parked = attempts >= attempts_max
    wait_s = 0.0
    if parked:
        _park(tx, job, error)
    elif attempts:
        wait_s = min(JOB_BACKOFF_MAX_S, backoff_first_s * 2 ** (attempts - 1))
    _give_back(tx, held, wait_s)
    return parked


def _park(tx: Transaction, job: Job, error: str) -> None:
    """Park a job. Its episode was not read, but can be found by its words."""
    tx.jobs.park(graph_id=job.graph_id, id=job.id, error=error, now=rows.micros(tx.now))
    tx.episodes.failed(graph_id=job.graph_id, id=job.id, error=error)
    words = IndexItem(kind="episode", id=job.id, terms=index.episode_terms(job.episode))
    index.put(tx, job.graph_id, [words])
    outbox.tell(tx, job.graph_id, [outbox.parked(job.episode.uuid)])


def retry(tx: Transaction, access: Access, episode_uuid: str) -> None:
    """Put the parked job of an episode back into the queue."""
    row = tx.jobs.parked_of_episode(episode_uuid=episode_uuid, project_id=access.project_id)
    if row is None or not seeing.ids(tx, access, "episode", [row.id]):
        raise NotFound(f"no parked job of episode {episode_uuid}")
    tx.jobs.retry(graph_id=row.graph_id, id=row.id)
    tx.episodes.awaited(graph_id=row.graph_id, id=row.id)
    tx.queue.enter(graph_id=row.graph_id)


def retry_some(tx: Transaction, access: Access, limit: int) -> int:
    """Put the oldest parked jobs of a project back into the queue; returns how many."""
    found = parked(tx, access, limit)
    for one in found:
        retry(tx, access, one.episode_uuid)
    return len(found)


def parked(tx: Transaction, access: Access | None, limit: int) -> list[ParkedEpisode]:
    """Parked jobs of a project, or of all projects for the operator."""
    return [
        ParkedEpisode(
            project=row.project_name,
            graph_kind=row.graph_kind,
            graph=row.graph_name,
            episode_uuid=row.episode_uuid,
            task_uuid=row.task_uuid,
            attempts=row.attempts,
            error=row.error or "",
            created_at=rows.moment(row.created_at),
            parked_at=rows.moment(row.completed_at),
        )
        for row in _parked(tx, access, limit)
    ]


def _parked(tx: Transaction, access: Access | None, limit: int) -> list[JobsParkedRow]:
    if access is None:
        return tx.jobs.parked(project_id=None, limit=limit)
    return seeing.first(
        access,
        lambda several: tx.jobs.parked(project_id=access.project_id, limit=several),
        lambda found: seeing.carriers(access, found),
        limit,
    )


def backlog(tx: Transaction, access: Access, limit: int) -> list[JobsWaitingRow]:
    """Pending and running jobs of a project whose episodes the caller may see, oldest first."""
    return seeing.first(
        access,
        lambda several: tx.jobs.waiting(project_id=access.project_id, limit=several),
        lambda found: seeing.carriers(access, found),
        limit,
    )


def state(tx: Transaction) -> QueueState:
    """The queue as the metrics and the doctor see it."""
    now, lease_end = rows.micros(tx.now), _lease_end(tx)
    row = tx.queue.state(now=now, wait_end=_wait_end(tx), lease_end=lease_end)
    if row is None:
        return QueueState(pending=0, parked=0, graphs=0, oldest_wait_s=0.0)
    oldest = rows.moment_or_none(row.oldest)
    wait_s = (tx.now - oldest).total_seconds() if oldest else 0.0
    return QueueState(
        pending=row.pending,
        parked=row.parked,
        graphs=row.graphs,
        oldest_wait_s=max(0.0, wait_s),
        oldest_id=row.oldest_id,
        due=row.due,
        held=row.held,
        ahead_s=max(0.0, -wait_s),
    )


def hindrances(tx: Transaction, limit: int) -> list[Hindrance]:
    """What keeps graphs waiting besides their jobs, the most common reason first."""
    found = tx.queue.reasons(limit=limit)
    return [Hindrance(reason=row.reason, graphs=row.graphs) for row in found]


def task(tx: Transaction, access: Access, uuid: str) -> Task:
    """The state of a task: the jobs of one request, taken together."""
    row = tx.tasks.progress(uuid=uuid, project_id=access.project_id)
    if row is None or not row.jobs:
        raise NotFound(f"task not found: {uuid}")
    return summed_up(uuid, row)


def summed_up(uuid: str, row: TaskProgressRow | TaskToldRow) -> Task:
    """A task, computed from the counts and times of its jobs."""
    jobs, succeeded, parked_count = row.jobs, row.succeeded or 0, row.parked or 0
    open_ = jobs - succeeded - parked_count
    return Task(
        uuid=uuid,
        status=_status(jobs, succeeded, parked_count, started=row.started_at is not None),
        jobs=jobs,
        succeeded=succeeded,
        parked=parked_count,
        error=row.error,
        created_at=rows.moment(row.created_at or 0),
        started_at=rows.moment_or_none(row.started_at),
        completed_at=None if open_ else rows.moment_or_none(row.completed_at),
    )


def _status(jobs: int, succeeded: int, parked_count: int, *, started: bool) -> TaskStatus:
    if succeeded == jobs:
        return "succeeded"
    if parked_count == jobs:
        return "failed"
    if succeeded + parked_count == jobs:
        return "partial"
    return "processing" if started else "pending"
