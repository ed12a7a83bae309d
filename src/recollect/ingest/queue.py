"""Claiming, finishing, retrying and parking jobs.

A graph with pending jobs has one row in the queue. A worker takes the row's lease, and with it
the graph: jobs of one graph run strictly in order, graphs run side by side. Every step checks
that the lease is still held, so a worker that was slow or paused cannot do work twice. Projects
take turns (`shares.py`), and a claim is no more text than one episode may have, so that whoever
comes waits for one such claim of each worker at most.

A job that ends the process cannot report its failure; it is found out by what it left behind.
Jobs that were under way when a process died run in ever less company: one by one, then with
nothing else going on in the whole store. Only a death in that solitude is held against a job, and
only while others can be read, so its neighbours, in its own graph or in others, never pay for it.

Such a death may be the work of somebody else, who kills processes for reasons of his own. Then they
also die without the job, in the pause before its next try: whatever dies there, the process or one
that reads for it, clears all suspects. So only deaths in an unbroken row count. One suspect is tried
at a time, else two of them that do kill would clear each other for ever.

No moment that is written down here holds anybody longer than the longest pause or lease: one that
lies further ahead was written before the clock was set back.
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
_DEATH_PAUSE = 5  # times as long as after an error, which says more about a job than a death does
_TRIAL_POLL = timedelta(seconds=1)


class Claim(Record):
    """A graph held by one worker for a while, and its oldest jobs.

    *lost*: the process died when it last worked on the one job in here, and on nothing else; it is
    not to be run now (`died`, `put_off`). *more*: there is more to do at this moment, in this graph or in another.
    """

    graph_id: int
    lease: str
    jobs: list[Job]
    lost: bool = False
    more: bool = False


class ParkedEpisode(Record):
    """A job that failed too often and waits for someone to look."""

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
    """How much is owed, and how long the oldest has waited.

    *due*: graphs that somebody could work on at this moment; *held*: graphs that somebody does.
    *ahead_s*: how far in the future the oldest was accepted, if the clock was set back since.
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
    """Something outside of their jobs that keeps graphs waiting."""

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

    None when there is nothing to do, or when someone is or has to be alone. Whoever has to be
    waits until all others are done; nobody else begins meanwhile, so that this comes to an end.
    *at_work*: leases that are known to be in use, whatever the clock says.
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
            tx.hold(graph_id)  # so that nobody adds to it meanwhile
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
    """A clock that was set must not make anybody look dead who is known to live."""
    until = rows.micros(tx.now + timedelta(seconds=LEASE_S))
    tx.queue.hold_on_all(leases=rows.to_json(sorted(leases)), until=until)


def _notice_end(tx: Transaction, graph_id: int) -> None:
    """A lease that ran out was left by somebody who ended without a word."""
    left = tx.queue.lease(graph_id=graph_id)
    if left is not None and left.lease is not None:
        tx.queue.let_go(graph_id=graph_id, lease=left.lease)
        clear(tx)


def _waits_for_trial(tx: Transaction, graph_id: int, job_id: int) -> bool:
    """Let a suspect wait while another one is on trial: a death now would clear that one."""
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
    """What no lease lies beyond; a clock that is corrected by a little takes none away."""
    return rows.micros(tx.now + timedelta(seconds=2 * LEASE_S))


def _next_run(found: Sequence[JobRow]) -> tuple[Sequence[JobRow], Run]:
    """What to run of a graph's oldest jobs, and in what company.

    A first job that was under way when a process died runs by itself; it has to be alone once
    it was the only one of its graph already.
    """
    died_in = found[0].run
    if died_in is not None:
        return found[:1], "single" if died_in == "group" else "alone"
    fresh = _within_bounds(list(takewhile(lambda row: row.run is None, found)))
    return fresh, "group" if len(fresh) > 1 else "single"


def _is_lost(chosen: Sequence[JobRow]) -> bool:
    return bool(chosen[0].run == "alone")


def _within_bounds(found: Sequence[JobRow]) -> Sequence[JobRow]:
    """As many as are together no longer than one episode may be, and one at least."""
    sizes = accumulate(len(row.episode.content) for row in found)
    return found[: max(1, sum(size <= EPISODE_CHARS_MAX for size in sizes))]


def _begin(tx: Transaction, graph_id: int, lease: str, chosen: Sequence[JobRow], run: Run) -> Claim:
    lost = _is_lost(chosen)
    until = rows.micros(tx.now + timedelta(seconds=LEASE_S))
    alone = run == "alone" and not lost
    tx.queue.take(graph_id=graph_id, lease=lease, until=until, alone=alone)
    jobs = [rows.job(row) for row in chosen]
    # What was lost is not run now: who dies from here on does so without it.
    now, begun = rows.micros(tx.now), "single" if lost else run
    tx.jobs.started(graph_id=graph_id, ids=_ids(jobs), run=begun, now=now)
    return Claim(graph_id=graph_id, lease=lease, jobs=jobs, lost=lost)


def _ids(jobs: Sequence[Job]) -> str | None:
    return rows.to_json([job.id for job in jobs])


def hold(tx: Transaction, graph_id: int, owner: str) -> Claim | None:
    """Take a graph without any of its jobs, so that no worker adds to it; None while one does."""
    tx.queue.enter(graph_id=graph_id)
    row = tx.queue.lease(graph_id=graph_id)
    if row is None:
        raise LeaseLost  # there is no such graph any more
    if rows.micros(tx.now) < row.lease_until <= _lease_end(tx):
        return None
    lease = f"{owner}:{tx.new_id()}"
    until = rows.micros(tx.now + timedelta(seconds=LEASE_S))
    tx.queue.take(graph_id=graph_id, lease=lease, until=until, alone=False)
    return Claim(graph_id=graph_id, lease=lease, jobs=[])


def let_go(tx: Transaction, held: Claim) -> None:
    """Give a graph back that was only held: when its next job may run is as it was."""
    tx.queue.let_go(graph_id=held.graph_id, lease=held.lease)
    tx.queue.leave(graph_id=held.graph_id)


def free(tx: Transaction, owner: str) -> int:
    """Take back the leases of an owner that is known to be gone; says how many there were."""
    clear(tx)
    return tx.queue.free_owned(owner=f"{owner}:")


def clear(tx: Transaction, but: int | None = None) -> None:
    """Hold no earlier death against anybody: a process ended, or one that read, and none of these
    jobs was in it. Not for the job *but*, nor for one that was alone when a process died."""
    graphs = tx.jobs.clear(but=but)
    if graphs:
        tx.queue.due_now(graphs=rows.to_json(sorted(set(graphs))))


def free_all(tx: Transaction) -> None:
    """Take back every lease, for whoever has the store to itself."""
    tx.queue.free_all()


@beside_others
def check_lease(tx: Transaction, held: Claim) -> None:
    """Refuse to go on for a worker whose graph was deleted or taken over; else hold on longer."""
    tx.hold(held.graph_id)
    until = rows.micros(tx.now + timedelta(seconds=LEASE_S))
    if not tx.queue.hold_on(graph_id=held.graph_id, lease=held.lease, until=until):
        raise LeaseLost


def finish(tx: Transaction, held: Claim, done: Sequence[Job]) -> list[Job]:
    """Mark jobs and their episodes as done, inside the transaction that does the work.

    Returns those that still exist: what was deleted meanwhile must leave no trace.
    """
    check_lease(tx, held)
    now = rows.micros(tx.now)
    alive = set(tx.jobs.succeeded(graph_id=held.graph_id, ids=_ids(done), now=now))
    tx.episodes.processed(graph_id=held.graph_id, ids=rows.to_json(sorted(alive)), now=now)
    return [job for job in done if job.id in alive]


@beside_others
def release(tx: Transaction, held: Claim) -> None:
    """Give the graph back: to the queue if it has more jobs, else out of it."""
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
    """Give the graph back because something outside of its jobs is wrong; that counts against none.

    Without a backoff it may be tried at once, by whoever finds that things are right again.
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
    """Note a failure and give the graph back; True when the job was parked.

    Until then the graph waits, so that order holds; a parked job lets the next ones pass.
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
    """Hold the end of a process, or of one that reads, against the first job of a claim; True when
    it was parked.

    *harmless_s*: how long something harmless took to be read. Before this one is tried again, others
    have to live twice as long without it, then four times and so on: by then it is next to
    impossible that somebody kills at random, however often, and always hit this job and nothing else.
    *others_die*: one of them did not, so this is the first death of a new row.
    """
    check_lease(tx, held)
    job = held.jobs[0]
    tx.jobs.given_back(graph_id=held.graph_id, ids=_ids([job]))  # by somebody who lives
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
    """Park a job that had all its tries, or let its graph wait; True when it was parked."""
    attempts = tries or 0  # 0: deleted meanwhile, nothing is owed any more
    parked = attempts >= attempts_max
    wait_s = 0.0
    if parked:
        _park(tx, job, error)
    elif attempts:
        wait_s = min(JOB_BACKOFF_MAX_S, backoff_first_s * 2 ** (attempts - 1))
    _give_back(tx, held, wait_s)
    return parked


def _park(tx: Transaction, job: Job, error: str) -> None:
    """Set a job aside. Its episode is not understood, but can be found by its words."""
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
    """Put the oldest parked jobs of a project back; says how many these were."""
    found = parked(tx, access, limit)
    for one in found:
        retry(tx, access, one.episode_uuid)
    return len(found)


def parked(tx: Transaction, access: Access | None, limit: int) -> list[ParkedEpisode]:
    """Parked jobs of a project; of all projects for the operator of the machine."""
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
    """Jobs of a project that wait or run, oldest first, as far as the asker may see their episodes."""
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
    """What keeps graphs waiting that is no job's fault, the commonest first."""
    found = tx.queue.reasons(limit=limit)
    return [Hindrance(reason=row.reason, graphs=row.graphs) for row in found]


def task(tx: Transaction, access: Access, uuid: str) -> Task:
    """The jobs of one request, taken together."""
    row = tx.tasks.progress(uuid=uuid, project_id=access.project_id)
    if row is None or not row.jobs:
        raise NotFound(f"task not found: {uuid}")
    return summed_up(uuid, row)


def summed_up(uuid: str, row: TaskProgressRow | TaskToldRow) -> Task:
    """A task by the counts and times of its jobs."""
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
