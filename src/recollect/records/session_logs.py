"""Session logs: the append-only logs that agents run on, one per session.

The visibility of a session is decided by its own metadata.
"""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from recollect.errors import AlreadyExists, Conflict, InvalidInput, NotFound
from recollect.governance import audit
from recollect.graph import checks
from recollect.graph.types import Access, Json, Record
from recollect.graph.visibility import effective
from recollect.records import threads, users
from recollect.session_log.episode import Episode, FrozenDict, Meta
from recollect.session_log.session import merged
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.session_logs import (
    SessionLogItemsRow,
    SessionLogPageRow,
    SessionLogRow,
    SessionTurnRow,
)


class SessionLog(Record):
    """A session: its user, whether it feeds that user's graph, and the state of its log."""

    id: int
    uuid: str
    session_id: str
    user_id: str | None
    feeds: bool
    metadata: Json | None
    context: Json | None
    last_id: int
    created_at: datetime
    updated_at: datetime


def create(
    tx: Transaction,
    access: Access,
    session_id: str | None,
    *,
    user_id: str | None = None,
    feeds: bool | None = None,
    metadata: Json | None = None,
    context: Json | None = None,
) -> SessionLog:
    """Create a session with an empty log; a user's session feeds that user's graph unless *feeds* is False.

    If that is said without a user, it still applies once the session is bound to one. Without a caller's
    id, the server's own becomes the session id.
    """
    uuid = tx.new_id()
    session_id = uuid if session_id is None else session_id
    checks.caller_id("session_id", session_id)
    checks.episode_metadata("metadata", metadata)
    checks.json_object("context", context)
    _check_feeds(user_id, feeds)
    owner = None if user_id is None else users.get(tx, access, user_id)
    if _row(tx, access, session_id) is not None:
        raise AlreadyExists(f"session_id: {session_id!r} exists already")
    if owner is not None:
        check_thread(tx, access, session_id, owner.user_id)
    tx.session_logs.insert(
        uuid=uuid,
        project_id=access.project_id,
        session_id=session_id,
        user_id=None if owner is None else owner.id,
        feeds=feeds is not False,
        metadata=rows.to_json(metadata or None),
        context=rows.to_json(context),
        now=rows.micros(tx.now),
    )
    return _session(_still(_row(tx, access, session_id), session_id))


def _check_feeds(user_id: str | None, feeds: bool | None) -> None:
    if feeds and user_id is None:
        raise InvalidInput("feeds: only a session that is bound to a user feeds a graph")


def check_thread(tx: Transaction, access: Access, session_id: str, user_id: str) -> bool:
    """Whether the thread that the session feeds exists; refused if it belongs to another user."""
    row = tx.threads.by_name(project_id=access.project_id, thread_id=session_id)
    if row is None:
        return False
    if rows.thread(row).user_id != user_id:
        raise AlreadyExists(f"session_id: {session_id!r} is a thread of another user")
    return True


def ensure_thread(tx: Transaction, access: Access, session_id: str, user_id: str) -> None:
    """Create the thread with the session's id for the session's user, if it is missing."""
    try:
        there = check_thread(tx, access, session_id, user_id)
    except AlreadyExists as error:
        why = "it can feed no more until that thread is gone or `feeds` is off"
        raise Conflict(f"{error.message}; {why}") from error
    if not there:
        threads.create(tx, access, session_id, user_id, field="session_id")


def get(tx: Transaction, access: Access, session_id: str) -> SessionLog:
    """A session by the caller's id."""
    row = _row(tx, access, session_id)
    found = None if row is None else _session(row)
    if found is None or not sees(access, found):
        raise NotFound(f"session not found: {session_id}")
    return found


def sees(access: Access, session: SessionLog) -> bool:
    """Whether the caller may see the session."""
    return access.visibility is None or access.visibility.sees(effective([session.metadata]))


def update(
    tx: Transaction,
    access: Access,
    session_id: str,
    *,
    feeds: bool | None = None,
    metadata: Json | None = None,
    context: Json | None = None,
) -> SessionLog:
    """Switch feeding, for later appends, or change the session's metadata or context.

    Metadata is replaced. A context is merged field by field, recursively.
    """
    session = get(tx, access, session_id)
    _check_feeds(session.user_id, feeds)
    told = session.metadata if metadata is None else metadata
    around = session.context if context is None else merged(session.context, context)
    tx.session_logs.update(
        id=session.id,
        feeds=feeds,
        metadata=rows.to_json(checks.episode_metadata("metadata", told)),
        context=rows.to_json(checks.json_object("context", around)),
        now=rows.micros(tx.now),
    )
    return _session(_still(_row(tx, access, session_id), session_id))


def _still(row: SessionLogRow | None, session_id: str) -> SessionLogRow:
    if row is None:
        raise NotFound(f"session not found: {session_id}")
    return row


def page(
    tx: Transaction, access: Access, *, user_id: str | None, limit: int, after: str
) -> list[SessionLog]:
    """Sessions ordered by id, after *after*; optionally of one user."""
    owner = None if user_id is None else users.get(tx, access, user_id)
    found: list[SessionLog] = []
    while len(found) < limit:
        read = (
            tx.session_logs.page(project_id=access.project_id, after=after, limit=limit)
            if owner is None
            else tx.session_logs.of_user(user_id=owner.id, after=after, limit=limit)
        )
        found += [one for one in map(_session, read) if sees(access, one)]
        if len(read) < limit:
            break
        after = read[-1].session_id
    return found[:limit]


def delete(tx: Transaction, access: Access, session_id: str) -> dict[str, int]:
    """Delete a session with its log and open turns; returns what was deleted.

    What it fed to a graph stays there.
    """
    session = get(tx, access, session_id)
    held = tx.session_logs.contents(id=session.id)
    tx.session_logs.delete(id=session.id)
    audit.redact(tx, access.project_id, [f"session_log:{session_id}"])
    names = ("log_episodes", "open_turns")
    return {"sessions": 1, **{name: n for name in names if held and (n := getattr(held, name))}}


def _row(tx: Transaction, access: Access, session_id: str) -> SessionLogRow | None:
    return tx.session_logs.by_name(project_id=access.project_id, session_id=session_id)


def _session(row: SessionLogRow) -> SessionLog:
    return SessionLog(
        id=row.id,
        uuid=row.uuid,
        session_id=row.session_id,
        user_id=row.user_name,
        feeds=bool(row.feeds) and row.user_name is not None,
        metadata=rows.from_json(row.metadata),
        context=rows.from_json(row.context),
        last_id=row.last_number,
        created_at=rows.moment(row.created_at),
        updated_at=rows.moment(row.updated_at),
    )


_write = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
_write_ascii = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), allow_nan=False).encode


class Line(Record):
    """An episode as stored, and the uuids of what it became in the graph."""

    number: int
    type: str
    meta: str
    payload: str
    fed: tuple[str, ...] = ()


class Turn(Record):
    """An open turn: where the log was forked, and the turn's last id."""

    id: int
    log_id: int
    turn_id: str
    forked_at: int
    last_id: int


def written(value: Any) -> str:
    """A JSON value as storable text: a lone surrogate becomes an escape."""
    text = _write(value)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _write_ascii(value)
    return text


def episode_of(line: Line) -> Episode:
    """An episode as the session log library represents it."""
    meta, payload = Meta(json.loads(line.meta)), FrozenDict(json.loads(line.payload))
    return Episode(line.number, line.type, meta, payload)


def line_of(episode: Episode) -> Line:
    """An episode in its stored form."""
    number, kind, meta, payload = episode
    return Line(number=number, type=kind, meta=written(meta), payload=written(payload))


def line_row(row: SessionLogItemsRow | SessionLogPageRow, fed: Sequence[str] = ()) -> Line:
    """An episode from its row."""
    return Line(
        number=row.number,
        type=row.type,
        meta=row.meta,
        payload=row.payload,
        fed=tuple(fed),
    )


def turn_of(tx: Transaction, session: SessionLog, turn_id: str) -> Turn:
    """An open turn of a session."""
    row = tx.session_logs.turn_by_name(log_id=session.id, turn_id=turn_id)
    if row is None:
        raise NotFound(f"open turn not found: {turn_id}")
    return turn_row(row)


def turn_row(row: SessionTurnRow) -> Turn:
    """An open turn from its row."""
    return Turn(
        id=row.id,
        log_id=row.log_id,
        turn_id=row.turn_id,
        forked_at=row.forked_at,
        last_id=row.last_number,
    )


def working(tx: Transaction, turn: Turn) -> list[Line]:
    """The episodes of an open turn."""
    return [line_row(row) for row in tx.session_logs.turn_working(turn_key=turn.id)]
