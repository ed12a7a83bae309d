"""The queue of second readings: episodes that have a reading and should get a better one.

Within a graph they are read strictly in log order, and only while the graph is folded from its current
readings, because each reader must be shown what the previous one found. Graphs run side by side. A
claimed episode is held under a lease that is never renewed. An answer replaces the reading and removes
the episode from the queue in one transaction, so no answer counts twice.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

import msgspec

from recollect.derive import readings
from recollect.errors import Conflict, NotFound
from recollect.extract.brief import Brief, Extracted, ReaderKind
from recollect.graph.types import Access, Episode, GraphKind, Record
from recollect.ingest import naming
from recollect.limits import (
    JOB_BACKOFF_MAX_S,
    JOB_ERROR_CHARS_MAX,
    READING_LEASE_S,
    READING_WAIT_S_MAX,
)
from recollect.records import seeing
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.rereadings import (
    RereadingsInOrderRow,
    RereadingsPageRow,
    RereadingTakenRow,
)

_LOST = "lease: it is not held any more; take the next reading"
_DONE = "episode_uuid: it does not wait to be read; it was answered, or somebody changed its mind"


class Held(Record):
    """An episode claimed for a second reading, and until when the lease holds."""

    episode: Episode
    reader: ReaderKind
    lease: str
    until: datetime
    attempts: int = 0
    strict_ontology: bool = False


class RereadingDue(NamedTuple):
    """An episode that is due, by row ids."""

    episode_id: int
    graph_id: int


def want(tx: Transaction, episode_id: int, reader: ReaderKind, reason: str) -> None:
    """Request a second reading of an episode; it replaces an earlier request and revokes its lease."""
    tx.rereadings.want(
        episode_id=episode_id,
        reader=reader,
        reason=reason[:JOB_ERROR_CHARS_MAX],
        now=rows.micros(tx.now),
    )


def want_all(tx: Transaction, graph_id: int, reader: ReaderKind, reason: str) -> None:
    """Request a second reading of every episode of a graph; one with the same reason is continued."""
    tx.rereadings.want_all(
        graph_id=graph_id,
        reader=reader,
        reason=reason,
        now=rows.micros(tx.now),
    )


def left(tx: Transaction, graph_ids: Sequence[int], reason: str) -> int:
    """How many episodes of some graphs still wait for this reason."""
    listed = rows.to_json(list(graph_ids))
    row = tx.rereadings.left(graphs=listed, reason=reason)
    return int(row) if row else 0


def are_waiting(tx: Transaction, graph_id: int, reader: ReaderKind) -> bool:
    """Whether anything in a graph waits for a reader."""
    return tx.rereadings.wait(graph_id=graph_id, reader=reader) is not None


def claim(
    tx: Transaction,
    reader: ReaderKind,
    *,
    owner: str = "",
    access: Access | None = None,
    graph_id: int | None = None,
    lease_s: float = READING_LEASE_S,
) -> Held | None:
    """Claim the next episode for a reader; None if there is none, or none is due yet.

    With *access*, only episodes of that project. For a key that does not see everything, the order is
    that of the episodes it sees, as if the others did not exist.
    """
    found = next_due(tx, reader, access=access, graph_id=graph_id)
    return None if found is None else _take(tx, found.episode_id, owner, lease_s)


def claim_group(
    tx: Transaction, reader: ReaderKind, *, owner: str, limit: int, lease_s: float = READING_LEASE_S
) -> tuple[Held, ...]:
    """Claim several episodes of one graph, for a reader that does not need to see the graph."""
    first = next_due(tx, reader, folded=False)
    if first is None:
        return ()
    found = tx.rereadings.following(
        graph_id=first.graph_id,
        reader=reader,
        now=rows.micros(tx.now),
        wait_end=_wait_end(tx),
        limit=limit,
    )
    return tuple(_take(tx, row, owner, lease_s) for row in found)


def next_due(
    tx: Transaction,
    reader: ReaderKind,
    *,
    access: Access | None = None,
    graph_id: int | None = None,
    folded: bool = True,
) -> RereadingDue | None:
    """The episode that would be claimed next."""
    now = rows.micros(tx.now)
    project_id = None if access is None else access.project_id
    if access is not None and access.visibility is not None:
        return _next_seen(tx, access, reader, graph_id, now)
    row = tx.rereadings.next(
        reader=reader,
        now=now,
        wait_end=_wait_end(tx),
        in_graph=graph_id,
        project_id=project_id,
        folded=folded,
    )
    return None if row is None else RereadingDue(row.episode_id, row.graph_id)


def _wait_end(tx: Transaction) -> int:
    return rows.micros(tx.now + timedelta(seconds=READING_WAIT_S_MAX))


def _next_seen(
    tx: Transaction, access: Access, reader: ReaderKind, graph_id: int | None, now: int
) -> RereadingDue | None:
    waiting = tx.rereadings.in_order(reader=reader, project_id=access.project_id, in_graph=graph_id)
    first: dict[int, RereadingsInOrderRow] = {}
    for row in seeing.carriers(access, waiting):
        first.setdefault(row.graph_id, row)
    end = _wait_end(tx)
    due = [
        (row.ready_at, RereadingDue(row.episode_id, row.graph_id))
        for row in first.values()
        if not any(now < when <= end for when in (row.ready_at, row.lease_until))
        and row.fold_from is None
    ]
    return min(due)[1] if due else None


def _take(tx: Transaction, episode_id: int, owner: str, lease_s: float) -> Held:
    lease = f"{owner}:{tx.new_id()}" if owner else tx.new_id()
    until = tx.now + timedelta(seconds=lease_s)
    tx.rereadings.take(episode_id=episode_id, lease=lease, until=rows.micros(until))
    return held(tx, episode_id, lease)


def held(tx: Transaction, episode_id: int, lease: str) -> Held:
    """The episode held under a lease; NotFound if it was forgotten, Conflict if the lease was lost."""
    return _held(_row(tx, episode_id, lease))


def _held(row: RereadingTakenRow) -> Held:
    return Held(
        episode=rows.episode(row.episode),
        reader=row.reader,
        lease=row.lease or "",
        until=rows.moment(row.lease_until),
        attempts=row.attempts,
        strict_ontology=bool(row.episode.strict_ontology),
    )


def _row(tx: Transaction, episode_id: int, lease: str) -> RereadingTakenRow:
    row = tx.rereadings.taken(episode_id=episode_id)
    if row is None:
        if tx.episodes.place_in_log(id=episode_id) is None:
            raise NotFound("episode not found")
        raise Conflict(_DONE)
    if row.lease != lease:
        raise Conflict(_LOST)
    return row


def show(tx: Transaction, taken: Held, brief: Brief) -> None:
    """Store what the holder is shown, so that the answer is checked against exactly that."""
    _row(tx, taken.episode.id, taken.lease)
    tx.rereadings.show(
        episode_id=taken.episode.id,
        lease=taken.lease,
        shown=msgspec.json.encode(brief).decode(),
    )


def shown(tx: Transaction, episode_id: int, lease: str) -> tuple[Held, Brief]:
    """The episode held under a lease, and the brief that was shown with it."""
    row = _row(tx, episode_id, lease)
    if row.shown is None:
        raise Conflict(_LOST)
    return _held(row), msgspec.json.decode(row.shown, type=Brief)


def give_back(
    tx: Transaction, taken: Held, *, until: datetime | None = None, error: str | None = None
) -> None:
    """Release it, now or later, without counting a failure; does nothing if the lease was lost."""
    row = tx.rereadings.taken(episode_id=taken.episode.id)
    if row is not None and row.lease == taken.lease:
        tx.rereadings.give_back(
            episode_id=taken.episode.id,
            ready_at=rows.micros(until or tx.now),
            error=None if error is None else error[:JOB_ERROR_CHARS_MAX],
        )


def give_back_after(tx: Transaction, taken: Held, pause: timedelta, error: str) -> None:
    """Release it after a pause, without counting a failure."""
    give_back(tx, taken, until=tx.now + pause, error=error)


def succeed(tx: Transaction, taken: Held, read: Extracted) -> None:
    """Replace the reading, and remove the episode from the queue; raises if the lease was lost.

    If another reader should read it next, it enters the queue again for that reader.
    """
    _row(tx, taken.episode.id, taken.lease)
    tx.rereadings.done(episode_id=taken.episode.id)
    found = naming.placed(tx, taken.episode.graph_id, read.found)
    readings.replace(tx, taken.episode.id, found, read.fact_vectors)
    if read.again is not None:
        want(tx, taken.episode.id, read.again.reader, read.again.reason)


def fail(
    tx: Transaction,
    taken: Held,
    error: str,
    *,
    attempts_max: int,
    backoff_first_s: float | None = None,
) -> bool:
    """Count an answer that cannot be used; True if that parks the episode.

    Without a backoff the holder keeps the lease and may retry. The first reading stays either way.
    """
    _row(tx, taken.episode.id, taken.lease)
    row = tx.rereadings.failed(
        episode_id=taken.episode.id,
        error=error[:JOB_ERROR_CHARS_MAX],
        attempts_max=attempts_max,
    )
    parked = row is not None and row.status == "parked"
    if parked or row is None:
        give_back(tx, taken)
    elif backoff_first_s is not None:
        wait_s = min(JOB_BACKOFF_MAX_S, backoff_first_s * 2 ** (row.attempts - 1))
        give_back(tx, taken, until=tx.now + timedelta(seconds=wait_s))
    return parked


def due_now(tx: Transaction, reader: ReaderKind) -> int:
    """Make everything that waits for a reader due now, because it is back; returns how many."""
    return tx.rereadings.due_now(reader=reader, now=rows.micros(tx.now))


def free(tx: Transaction, owner: str) -> int:
    """Revoke the leases of an owner that is known to be gone; returns how many there were."""
    return tx.rereadings.free(owner=f"{owner}:")


def unfolded(
    tx: Transaction,
    reader: ReaderKind,
    *,
    access: Access | None = None,
    graph_id: int | None = None,
) -> Sequence[int]:
    """Graphs with waiting episodes that cannot be claimed before the graph is folded."""
    project_id = None if access is None else access.project_id
    found = tx.rereadings.unfolded(reader=reader, project_id=project_id, in_graph=graph_id)
    return list(found)


Status = Literal["waiting", "parked"]
_EVERY = 2**53


class Waiting(Record):
    """An episode that waits for another reading, or is parked because too many answers were bad.

    *taken_until*: someone holds a lease on it. *ready_at*: when the next attempt is due.
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
    """A project's second readings that the caller may see, in stored order; all projects' for the operator.

    *after* is the last episode of the previous page.
    """
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
    """Retry one episode, or all that the caller may see, as if they had never failed; returns how many.

    Leases stay with their holders.
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
    """The row id of an episode that the caller may see."""
    project_id = None if access is None else access.project_id
    row = tx.episodes.to_read(uuid=episode_uuid, project_id=project_id)
    if row is None or (access is not None and not seeing.carriers(access, [row])):
        raise NotFound(f"episode not found: {episode_uuid}")
    return int(row.id)


def waiting_for(
    tx: Transaction, access: Access, reader: ReaderKind, graph_id: int | None = None
) -> int:
    """How many episodes of a project wait for a reader, including those under a lease."""
    row = tx.rereadings.waiting_for(project_id=access.project_id, reader=reader, in_graph=graph_id)
    return row or 0


def counts(tx: Transaction) -> list[Count]:
    """How many wait and how many are parked, by reader."""
    return [
        Count(reader=row.reader, status=row.status, count=row.n) for row in tx.rereadings.counts()
    ]


def facts_by_reader(tx: Transaction) -> dict[str, int]:
    """How many facts each reader found."""
    return {row.reader: row.facts for row in tx.readings.by_reader()}
