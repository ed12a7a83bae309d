"""The progress of a project's tasks.

It is never stored, but computed from the jobs of a task, or from the receipt of what it erased.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from recollect.errors import NotFound
from recollect.graph.types import Access, Record, Task
from recollect.ingest import queue
from recollect.limits import BATCH_ITEMS_MAX
from recollect.records import seeing
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.tasks import TaskEpisodesRow, TaskToldRow

V = TypeVar("V")
_ROWS_PER_LOOK = 200
_EPISODES_MAX = 1_000
_NEWEST = 2**62


class Tracked(Record):
    """A task and its type. *episodes* are those the caller may see, *deleted* counts those since deleted."""

    type: str
    task: Task
    episodes: list[str]
    deleted: int = 0

    @property
    def uuid(self) -> str:
        """The uuid of the task."""
        return self.task.uuid


def get(tx: Transaction, access: Access, uuid: str) -> Tracked:
    """A task by its uuid."""
    row = tx.tasks.by_uuid_told(uuid=uuid, project_id=access.project_id)
    found = None if row is None else _tracked(tx, access, row)
    if row is not None and found is None and not row.owed:
        # It has no episodes to hide, and only its requester knows its uuid.
        found = Tracked(type=row.type, task=_task(row), episodes=[])
    if row is None:
        found = _imported(tx, access, uuid)
    if found is None:
        raise NotFound(f"task not found: {uuid}")
    return found


def _imported(tx: Transaction, access: Access, uuid: str) -> Tracked | None:
    """A task imported from another store: its type is not known here, only its episodes are."""
    whole = queue.task(tx, access, uuid)
    behind = tx.tasks.episodes(uuid=uuid, limit=_EPISODES_MAX)
    seen = seeing.carriers(access, behind)
    if not seen:
        return None
    return Tracked(type="graph.add", task=whole, episodes=[one.uuid for one in seen])


def page(
    tx: Transaction,
    access: Access,
    *,
    kind: str | None,
    status: str | None,
    limit: int,
    before: int | None = None,
) -> list[Tracked]:
    """The newest tasks that the caller may see, filtered by type and status, before *before*."""
    fitting: list[Tracked] = []
    for row in _newest(tx, access, kind, before or _NEWEST):
        # For a caller who sees everything the row has the status, so other rows need no further reads.
        if access.visibility is None and status not in (None, _task(row).status):
            continue
        tracked = _tracked(tx, access, row)
        if tracked is None or status not in (None, tracked.task.status):
            continue
        fitting.append(tracked)
        if len(fitting) == limit:
            break
    return fitting


def place(tx: Transaction, access: Access, uuid: str) -> int:
    """The position of a task among those of the project, as a cursor for `page`."""
    row = tx.tasks.by_uuid_told(uuid=uuid, project_id=access.project_id)
    if row is None or _tracked(tx, access, row) is None:
        raise NotFound(f"task not found: {uuid}")
    return int(row.id)


def _newest(
    tx: Transaction, access: Access, kind: str | None, before: int
) -> Iterator[TaskToldRow]:
    while found := tx.tasks.newest(
        project_id=access.project_id,
        type=kind,
        before=before,
        limit=_ROWS_PER_LOOK,
    ):
        yield from found
        before = found[-1].id


def _tracked(tx: Transaction, access: Access, row: TaskToldRow) -> Tracked | None:
    """A task as the caller sees it.

    A caller who may not see everything gets a task of the visible episodes only; None without any.
    """
    most = _EPISODES_MAX if access.visibility is None else BATCH_ITEMS_MAX  # to count those it sees
    seen = seeing.carriers(access, tx.tasks.episodes(uuid=row.uuid, limit=most))
    uuids = [one.uuid for one in seen[:_EPISODES_MAX]]
    if access.visibility is None:
        deleted = max(0, row.owed - row.jobs)
        return Tracked(type=row.type, task=_task(row), episodes=uuids, deleted=deleted)
    if not seen:
        return None
    return Tracked(type=row.type, task=_task(_counted(row, seen)), episodes=uuids)


def _counted(row: TaskToldRow, seen: Sequence[TaskEpisodesRow]) -> TaskToldRow:
    """A task as if it consisted of these episodes only."""
    states = Counter(one.status for one in seen)
    return row._replace(
        jobs=len(seen),
        succeeded=states["succeeded"],
        parked=states["parked"],
        started_at=min(_known(one.started_at for one in seen), default=None),
        completed_at=max(_known(one.completed_at for one in seen), default=None),
        error=max(_known(one.error for one in seen), default=None),
    )


def _known(values: Iterable[V | None]) -> list[V]:
    return [value for value in values if value is not None]


def _task(row: TaskToldRow) -> Task:
    if row.jobs:
        return queue.summed_up(row.uuid, row)
    # A task whose episodes were all deleted has nothing left to do: callers must not wait for it.
    unwiped = row.scrubbed == 0
    at = rows.moment(row.created_at)
    return Task(
        uuid=row.uuid,
        status="processing" if unwiped else "succeeded",
        jobs=0,
        succeeded=0,
        parked=0,
        created_at=at,
        started_at=at,
        # The time when files were wiped is not stored, only that they were.
        completed_at=at if row.scrubbed is None else None,
    )
