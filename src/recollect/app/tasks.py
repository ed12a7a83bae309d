"""Tasks: how far the work is that a request left behind, and what came of it."""

from typing import Generic, TypeVar

from msgspec.structs import replace

from recollect.app import refs
from recollect.app.refs import GraphRef, OwnedGraph
from recollect.app.units import reads
from recollect.errors import InvalidInput, NotFound
from recollect.graph.types import Access, Json, Record, Task
from recollect.ingest import direct_results, queue, tasks
from recollect.ingest.direct_results import Outcome
from recollect.ingest.tasks import Tracked
from recollect.limits import NODES_PER_CALL_MAX
from recollect.records import lookups
from recollect.store import tasks as stored
from recollect.store.protocol import Transaction

__all__ = ["Outcome", "TaskReport", "Tracked", "WithTask"]

T = TypeVar("T")


class WithTask(Record, Generic[T]):
    """What was written, and the task of the work that is left."""

    value: T
    task: Tracked


class TaskReport(Record):
    """A task, and what came of it where that was knowledge that a caller wrote down; or the graph that
    is in memory because the task asked for it."""

    task: Tracked | None = None
    outcome: Outcome | None = None
    warmed: OwnedGraph | None = None

    @property
    def uuid(self) -> str:
        """That of the task."""
        return self.task.uuid if self.task is not None else ""


def of_write(tx: Transaction, access: Access, uuid: str | None, kind: str) -> Tracked:
    """The task of what was just written, for whoever wrote it; one that owes nothing is done."""
    if uuid is None:
        uuid = tx.new_id()
        stored.note(tx, access.project_id, uuid, kind)
    return tasks.get(tx, replace(access, visibility=None), uuid)


@reads
def progress(tx: Transaction, access: Access, uuid: str) -> tuple[Task, Json | None]:
    """How far a task is, and the uuids of what came of a direct write."""
    found = queue.task(tx, access, uuid)
    return found, direct_results.uuids(tx, access, found)


@reads
def get(tx: Transaction, access: Access, uuid: str) -> TaskReport:
    """A task of any kind, and what came of it."""
    try:
        found = tasks.get(tx, access, uuid)
    except NotFound:
        # Nothing is kept of warming a graph: its task has the uuid of the graph and is done.
        if not lookups.is_graph(tx, access, uuid):
            raise
        return TaskReport(warmed=refs.graph(tx, access, GraphRef(uuid=uuid)))
    return _report(tx, access, found)


def _report(tx: Transaction, access: Access, found: Tracked) -> TaskReport:
    task = found.task
    if task.completed_at is None or not 0 < task.jobs <= NODES_PER_CALL_MAX:
        return TaskReport(task=found)
    return TaskReport(task=found, outcome=direct_results.outcome(tx, access, task.uuid))


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
    """The newest tasks past the one named by *after*, of one kind or status if given."""
    before = None if after is None else _position(tx, access, after)
    found = tasks.page(tx, access, kind=kind, status=status, limit=limit, before=before)
    return [_report(tx, access, one) for one in found]


def _position(tx: Transaction, access: Access, uuid: str) -> int:
    try:
        return tasks.place(tx, access, uuid)
    except NotFound as error:
        raise InvalidInput("cursor: what it follows was deleted; begin again") from error
