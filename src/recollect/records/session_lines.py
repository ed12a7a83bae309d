"""Episodes of session logs as they are stored: meta and payload as the JSON they were written in."""

import json
from collections.abc import Sequence
from typing import Any

from recollect.errors import NotFound
from recollect.graph.types import Record
from recollect.records.session_logs import SessionLog
from recollect.session_log.episode import Episode, FrozenDict, Meta
from recollect.store.protocol import Transaction
from recollect.store.queries.session_logs import (
    SessionLogItemsRow,
    SessionLogPageRow,
    SessionTurnRow,
)

_write = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
_write_ascii = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), allow_nan=False).encode


class Line(Record):
    """An episode as it is stored, and what became of it in the graph, by uuid."""

    number: int
    type: str
    meta: str
    payload: str
    fed: tuple[str, ...] = ()


class Turn(Record):
    """An open turn: what the log was at when it was forked, and what the turn is at."""

    id: int
    log_id: int
    turn_id: str
    forked_at: int
    last_id: int


def written(value: Any) -> str:
    """A JSON value as text that can be stored: half of a surrogate pair becomes an escape."""
    text = _write(value)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _write_ascii(value)
    return text


def episode_of(line: Line) -> Episode:
    """An episode as the library has it."""
    meta, payload = Meta(json.loads(line.meta)), FrozenDict(json.loads(line.payload))
    return Episode(line.number, line.type, meta, payload)


def line_of(episode: Episode) -> Line:
    """An episode as it is stored."""
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
