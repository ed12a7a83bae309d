"""The queue of second readings: episodes that have a reading and are to get a better one.

Within a graph they are read strictly in the order of its log, and only while the graph is the fold
of its readings, because the next reader is to be shown what the last one taught; graphs run side by
side. Whoever takes an episode holds it under a lease that nobody renews. An answer puts the new
reading in place and ends the waiting in one transaction, so none counts twice.
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
    """An episode that somebody reads again, and until when nobody else does."""

    episode: Episode
    reader: ReaderKind
    lease: str
    until: datetime
    attempts: int = 0
    strict_ontology: bool = False


class RereadingDue(NamedTuple):
    """An episode whose turn it is, by row ids."""

    episode_id: int
    graph_id: int


def want(tx: Transaction, episode_id: int, reader: ReaderKind, reason: str) -> None:
    """Have an episode read again; the last wish counts, and whoever is at it has lost it."""
    tx.rereadings.want(
        episode_id=episode_id,
        reader=reader,
        reason=reason[:JOB_ERROR_CHARS_MAX],
        now=rows.micros(tx.now),
    )


def want_all(tx: Transaction, graph_id: int, reader: ReaderKind, reason: str) -> None:
    """Have every episode of a graph read again; what is left of the same wish is only gone on with."""
    tx.rereadings.want_all(
        graph_id=graph_id,
        reader=reader,
        reason=reason,
        now=rows.micros(tx.now),
    )


def left(tx: Transaction, graph_ids: Sequence[int], reason: str) -> int:
    """How many episodes of some graphs still wait for one reason."""
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
    """Take the next episode for a reader; None when there is none, or it is not yet its turn.

    With *access* it is one of that project. For a key that does not see everything, the order is
    that of what it sees: the rest is not there.
    """
    found = next_due(tx, reader, access=access, graph_id=graph_id)
    return None if found is None else _take(tx, found.episode_id, owner, lease_s)


def claim_group(
    tx: Transaction, reader: ReaderKind, *, owner: str, limit: int, lease_s: float = READING_LEASE_S
) -> tuple[Held, ...]:
    """Take several episodes of one graph, for a reader that needs to know nothing of the graph."""
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
    """The episode that would be taken next."""
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
    """What somebody holds; NotFound when it was forgotten, Conflict when it is lost."""
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
    """Keep what the holder is shown, so that the answer is held against exactly that."""
    _row(tx, taken.episode.id, taken.lease)
    tx.rereadings.show(
        episode_id=taken.episode.id,
        lease=taken.lease,
        shown=msgspec.json.encode(brief).decode(),
    )


def shown(tx: Transaction, episode_id: int, lease: str) -> tuple[Held, Brief]:
    """What a holder has, and what was shown with it."""
    row = _row(tx, episode_id, lease)
    if row.shown is None:
        raise Conflict(_LOST)
    return _held(row), msgspec.json.decode(row.shown, type=Brief)


def give_back(
    tx: Transaction, taken: Held, *, until: datetime | None = None, error: str | None = None
) -> None:
    """Let others take it, now or later; that is nobody's failure. A lost lease is none either."""
    row = tx.rereadings.taken(episode_id=taken.episode.id)
    if row is not None and row.lease == taken.lease:
        tx.rereadings.give_back(
            episode_id=taken.episode.id,
            ready_at=rows.micros(until or tx.now),
            error=None if error is None else error[:JOB_ERROR_CHARS_MAX],
        )


def give_back_after(tx: Transaction, taken: Held, pause: timedelta, error: str) -> None:
    """Let others take it after a while; that is nobody's failure."""
    give_back(tx, taken, until=tx.now + pause, error=error)


def succeed(tx: Transaction, taken: Held, read: Extracted) -> None:
    """Put the new reading in place, and wait no longer; raises when the lease was lost.

    What somebody else is to read after this one waits for that from now on.
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
    """Count an answer that cannot be used; True when the episode is parked by that.

    Without a backoff the holder keeps it and may try again. The first reading stays either way.
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
    """A reader that could not be reached is back: what was put off is due; says how many."""
    return tx.rereadings.due_now(reader=reader, now=rows.micros(tx.now))


def free(tx: Transaction, owner: str) -> int:
    """Take back the leases of an owner that is known to be gone; says how many there were."""
    return tx.rereadings.free(owner=f"{owner}:")


def unfolded(
    tx: Transaction,
    reader: ReaderKind,
    *,
    access: Access | None = None,
    graph_id: int | None = None,
) -> Sequence[int]:
    """Graphs in which something waits, and cannot be taken before they are folded."""
    project_id = None if access is None else access.project_id
    found = tx.rereadings.unfolded(reader=reader, project_id=project_id, in_graph=graph_id)
    return list(found)


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
