"""Second readings as an operator sees them: what waits, what is parked and why, and trying again."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from recollect.errors import NotFound
from recollect.extract.brief import ReaderKind
from recollect.graph.types import Access, GraphKind, Record
from recollect.records import seeing
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.rereadings import RereadingsPageRow

Status = Literal["waiting", "parked"]
_EVERY = 2**53


class Waiting(Record):
    """An episode that waits for another reading, or is parked because too many answers were bad.

    *taken_until*: somebody is at it. *ready_at*: when the next try is due.
    """

    project: str
    graph_kind: GraphKind
    graph: str
    episode_uuid: str
    reader: ReaderKind
    status: Status
    reason: str
    attempts: int
    error: str | None
    created_at: datetime
    ready_at: datetime
    taken_until: datetime | None


class Count(Record):
    """How many second readings there are of one kind."""

    reader: str
    status: Status
    count: int


def listed(
    tx: Transaction,
    access: Access | None,
    *,
    limit: int,
    status: Status | None = None,
    after: str | None = None,
) -> list[Waiting]:
    """Those of a project that it may see, in the order they were stored; of all projects for the
    operator of the machine. *after* is the episode that the last page ended with."""
    start = 0 if after is None else place(tx, access, after)
    return [_waiting(tx, row) for row in _rows(tx, access, limit, status, start)]


def _rows(
    tx: Transaction, access: Access | None, limit: int, status: Status | None, after: int
) -> Sequence[RereadingsPageRow]:
    project_id = None if access is None else access.project_id

    def read(several: int) -> list[RereadingsPageRow]:
        return tx.rereadings.page(project_id=project_id, status=status, after=after, limit=several)

    if access is None:
        return read(limit)
    return seeing.first(access, read, lambda found: seeing.carriers(access, found), limit)


def _waiting(tx: Transaction, row: RereadingsPageRow) -> Waiting:
    taken_until = rows.moment(row.lease_until)
    return Waiting(
        project=row.project_name,
        graph_kind=row.graph_kind,
        graph=row.graph_name,
        episode_uuid=row.episode_uuid,
        reader=row.reader,
        status=row.status,
        reason=row.reason,
        attempts=row.attempts,
        error=row.error,
        created_at=rows.moment(row.created_at),
        ready_at=rows.moment(row.ready_at),
        taken_until=taken_until if taken_until > tx.now else None,
    )


def retry(tx: Transaction, access: Access | None, episode_uuid: str | None) -> int:
    """Let one episode, or all that may be seen, be tried again now, as if they had never failed.

    Says how many there were. What somebody holds stays with whom it is.
    """
    if episode_uuid is None:
        found = [row.episode_id for row in _rows(tx, access, _EVERY, None, 0)]
    else:
        found = [place(tx, access, episode_uuid)]
    count = tx.rereadings.retry(ids=rows.to_json(found), now=rows.micros(tx.now))
    if episode_uuid is not None and not count:
        raise NotFound(f"no second reading of episode {episode_uuid} waits or is parked")
    return count


def place(tx: Transaction, access: Access | None, episode_uuid: str) -> int:
    """The row id of an episode that may be seen."""
    project_id = None if access is None else access.project_id
    row = tx.episodes.to_read(uuid=episode_uuid, project_id=project_id)
    if row is None or (access is not None and not seeing.carriers(access, [row])):
        raise NotFound(f"episode not found: {episode_uuid}")
    return int(row.id)


def waiting_for(
    tx: Transaction, access: Access, reader: ReaderKind, graph_id: int | None = None
) -> int:
    """How many of a project wait for a reader, those that somebody holds included."""
    row = tx.rereadings.waiting_for(project_id=access.project_id, reader=reader, in_graph=graph_id)
    return row or 0


def counts(tx: Transaction) -> list[Count]:
    """How many wait and how many are parked, by reader."""
    return [
        Count(reader=row.reader, status=row.status, count=row.n) for row in tx.rereadings.counts()
    ]


def facts_by_reader(tx: Transaction) -> dict[str, int]:
    """How many facts rest on which reader."""
    return {row.reader: row.facts for row in tx.readings.by_reader()}
