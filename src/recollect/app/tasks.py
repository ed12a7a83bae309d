"""Tasks: the progress and outcome of the work that a request left behind, and waiting for it; the backlog
of jobs, and parked jobs.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from typing import Generic, TypeVar

from msgspec.structs import replace

from recollect.app import refs
from recollect.app.refs import GraphRef, OwnedGraph
from recollect.app.services import Services
from recollect.app.stores import WithStore
from recollect.app.units import reads, writes
from recollect.errors import InvalidInput, NotFound, Unavailable
from recollect.graph.types import Access, GraphKind, Json, Record, Task
from recollect.ingest import direct, queue, tasks
from recollect.ingest.direct import Outcome
from recollect.ingest.queue import ParkedEpisode, QueueState
from recollect.ingest.tasks import Tracked
from recollect.limits import DIRECT_WAIT_S, NODES_PER_CALL_MAX, PAGE_MAX
from recollect.records import lookups
from recollect.store import rows
from recollect.store import tasks as stored
from recollect.store.protocol import Transaction

__all__ = [
    "Outcome",
    "ParkedEpisode",
    "QueueState",
    "TaskReport",
    "Tracked",
    "WithTask",
]

T = TypeVar("T")


class WithTask(Record, Generic[T]):
    """What was written, and the task for the remaining work."""

    value: T
    task: Tracked


class TaskReport(Record):
    """A task, with its outcome if it was a direct write; or the graph that a warm-up task loaded."""

    task: Tracked | None = None
    outcome: Outcome | None = None
    warmed: OwnedGraph | None = None

    @property
    def uuid(self) -> str:
        """The uuid of the task."""
        return self.task.uuid if self.task is not None else ""


def of_write(tx: Transaction, access: Access, uuid: str | None, kind: str) -> Tracked:
    """The task of a write, as its author sees it; without remaining work it is already complete."""
    if uuid is None:
        uuid = tx.new_id()
        stored.note(tx, access.project_id, uuid, kind)
    return tasks.get(tx, replace(access, visibility=None), uuid)


@reads
def progress(tx: Transaction, access: Access, uuid: str) -> tuple[Task, Json | None]:
    """The progress of a task, and the uuids that a direct write resulted in."""
    found = queue.task(tx, access, uuid)
    return found, direct.uuids(tx, access, found)


@reads
def get(tx: Transaction, access: Access, uuid: str) -> TaskReport:
    """A task of any kind, and its outcome."""
    try:
        found = tasks.get(tx, access, uuid)
    except NotFound:
        # Warming a graph stores nothing: its task has the uuid of the graph and is complete.
        if not lookups.is_graph(tx, access, uuid):
            raise
        return TaskReport(warmed=refs.graph(tx, access, GraphRef(uuid=uuid)))
    return _report(tx, access, found)


def _report(tx: Transaction, access: Access, found: Tracked) -> TaskReport:
    task = found.task
    if task.completed_at is None or not 0 < task.jobs <= NODES_PER_CALL_MAX:
        return TaskReport(task=found)
    return TaskReport(task=found, outcome=direct.outcome(tx, access, task.uuid))


@reads
def page(
    tx: Transaction,
    access: Access,
    *,
    kind: str | None,
    status: str | None,
    limit: int,
    after: str | None,
) -> list[TaskReport]:
    """The newest tasks after the task *after*, of one kind or status if given."""
    before = None if after is None else _position(tx, access, after)
    found = tasks.page(tx, access, kind=kind, status=status, limit=limit, before=before)
    return [_report(tx, access, one) for one in found]


def _position(tx: Transaction, access: Access, uuid: str) -> int:
    try:
        return tasks.place(tx, access, uuid)
    except NotFound as error:
        raise InvalidInput(
            "cursor: the item it points to was deleted; start again without a cursor"
        ) from error


_LOOK_S_FIRST = 0.005
_LOOK_S_MAX = 0.25
_OVER = ("succeeded", "partial", "failed")


class WaitingWork(Record):
    """A project's backlog, by graph (kind and name). Counts are bounded; *truncated* if the bound was hit."""

    pending: int
    parked: int
    oldest_wait_s: float
    graphs: list[tuple[tuple[GraphKind, str], int]]
    truncated: bool


@reads
def backlog(tx: Transaction, access: Access) -> WaitingWork:
    """How many episodes of the project are pending or parked, and how long the oldest has waited."""
    waiting = queue.backlog(tx, access, PAGE_MAX + 1)
    parked = queue.parked(tx, access, PAGE_MAX + 1)
    counted = Counter((row.graph_kind, row.graph_name) for row in waiting[:PAGE_MAX])
    oldest = min((row.created_at for row in waiting), default=None)
    wait = 0.0 if oldest is None else (tx.now - rows.moment(oldest)).total_seconds()
    return WaitingWork(
        pending=min(len(waiting), PAGE_MAX),
        parked=min(len(parked), PAGE_MAX),
        oldest_wait_s=max(0.0, wait),
        graphs=counted.most_common(),
        truncated=max(len(waiting), len(parked)) > PAGE_MAX,
    )


@reads
def parked(tx: Transaction, access: Access) -> list[ParkedEpisode]:
    """The parked jobs of the project, oldest first."""
    return queue.parked(tx, access, PAGE_MAX)


retry_later = writes(queue.retry)  # by any worker on the store, maybe in another process


async def retry_all_later(services: WithStore, access: Access) -> int:
    """Put all parked jobs of the project back into the queue; returns how many there were."""
    count = 0
    while some := await services.store.write(queue.retry_some, access, PAGE_MAX):
        count += some
    return count


async def retry(services: Services, access: Access, episode_uuid: str) -> None:
    """Put the parked job of an episode back into the queue."""
    await services.store.write(queue.retry, access, episode_uuid)
    services.wake_workers()


async def learned(
    services: Services, access: Access, task_uuid: str, goes_on: Callable[[], object]
) -> None:
    """Wait until all episodes of a task have been read, by this process or another one.

    *goes_on* raises when there is no point in waiting any longer.
    """
    services.wake_workers()
    pause_s = _LOOK_S_FIRST
    while True:
        goes_on()
        try:
            task = await services.store.glance(queue.task, access, task_uuid)
        except NotFound:  # forgotten in the meantime
            return
        if task.status in _OVER:
            break
        await asyncio.sleep(pause_s)
        pause_s = min(pause_s * 1.1, _LOOK_S_MAX)
    if task.parked:
        raise Unavailable(f"stored, but it could not be read: {task.error}")


async def state(services: Services) -> QueueState:
    """The queue of every project together."""
    return await services.store.read(queue.state)


async def hindered(services: Services) -> int:
    """How many graphs are held up until an operator fixes something."""
    found = await services.store.read(queue.hindrances, PAGE_MAX)
    return sum(one.graphs for one in found)


async def troubles(services: Services) -> list[str]:
    """The reasons why requests cannot be served; empty if they can."""
    return await services.readiness.troubles()


_POLL_FIRST_S = 0.01
_POLL_MAX_S = 0.2


async def completed(services: Services, access: Access, task_uuid: str | None) -> bool:
    """Whether a task completes soon; False if it takes longer or this process has no workers."""
    services.wake_workers()
    # Without workers in this process, there may be none at all.
    if task_uuid is None or not services.workers:
        return False
    pause_s, deadline = _POLL_FIRST_S, time.monotonic() + DIRECT_WAIT_S
    while time.monotonic() < deadline:
        try:
            task = await services.store.glance(queue.task, access, task_uuid)
        except NotFound:  # the graph was deleted in the meantime
            return False
        if task.completed_at is not None:
            return True
        await asyncio.sleep(pause_s)
        pause_s = min(2 * pause_s, _POLL_MAX_S)
    return False
