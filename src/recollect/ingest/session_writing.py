"""Writing to session logs: appending, importing, and turns that are merged or dropped as a whole.

Each operation is one transaction, so that concurrent writers to one session are serialized, and a
response means that the data is on disk.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from recollect.errors import AlreadyExists, Conflict, InvalidInput, LogMoved
from recollect.graph import checks
from recollect.graph.types import Access, Record
from recollect.ingest import session_feed
from recollect.limits import (
    LOG_EPISODE_BYTES_MAX,
    LOG_EPISODES_PER_CALL_MAX,
    LOG_IMPORTED_EPISODES_MAX,
    LOG_TURN_EPISODES_MAX,
    LOG_TURNS_OPEN_MAX,
)
from recollect.records import session_logs
from recollect.records.session_logs import (
    Line,
    SessionLog,
    Turn,
    episode_of,
    line_of,
    turn_of,
    turn_row,
    working,
)
from recollect.session_log.episode import (
    BOUNDARY,
    META,
    SAFE_INTEGER,
    Episode,
    FrozenDict,
    Meta,
    make_meta,
    make_payload,
    renumbered,
)
from recollect.session_log.errors import InvalidEpisode
from recollect.session_log.jsonl import Parsed, numbered
from recollect.session_log.session import INTERRUPT_NOTE, INTERRUPT_TITLE
from recollect.store import rows
from recollect.store.protocol import Transaction

DISCARDED_EVENT = "turn.discarded"
DISCARDED_WHY = "the server ended while the turn was open"


class Draft(NamedTuple):
    """An episode that was checked and has no id yet."""

    type: str
    meta: Meta
    payload: FrozenDict


class Appended(Record):
    """What a write added to a log or an open turn, and the last id there."""

    log_id: int
    last_id: int
    lines: list[Line]

    @property
    def fed(self) -> bool:
        """Whether a graph has something new to read."""
        return any(line.fed for line in self.lines)


def draft(field: str, type_: str, payload: Mapping[str, Any], meta: Any) -> Draft:
    """Check an episode to append. *field* is its field in the request."""
    try:
        made = make_payload(type_, payload)
    except InvalidEpisode as error:
        raise InvalidInput(f"{field}.payload: {error}") from error
    try:
        said = make_meta(extra=meta)
    except InvalidEpisode as error:
        raise InvalidInput(f"{field}.meta: {error}") from error
    return Draft(type_, said, made)


def check_count(drafts: Sequence[Draft]) -> None:
    """Check the number of episodes in one call."""
    if not drafts:
        raise InvalidInput("episodes: at least one is required")
    if len(drafts) > LOG_EPISODES_PER_CALL_MAX:
        raise InvalidInput(
            f"episodes: at most {LOG_EPISODES_PER_CALL_MAX} per call, got {len(drafts)}"
        )


def append(
    tx: Transaction,
    access: Access,
    session_id: str,
    drafts: Sequence[Draft],
    expected_last_id: int | None = None,
    *,
    may_feed: bool = True,
) -> Appended:
    """Append checked episodes to the committed log."""
    session = session_logs.get(tx, access, session_id)
    _expect(expected_last_id, session.last_id)
    made = _numbered(drafts, session.last_id)
    return _commit(tx, access, session, made, bounded=True, may_feed=may_feed)


def take_in(
    tx: Transaction,
    access: Access,
    session_id: str,
    parsed: Parsed,
    expected_last_id: int | None = None,
    *,
    may_feed: bool = True,
) -> Appended:
    """Append the lines of a JSONL text, under their own ids if those are past the log's last id."""
    if len(parsed.episodes) > LOG_IMPORTED_EPISODES_MAX:
        raise InvalidInput(f"body: at most {LOG_IMPORTED_EPISODES_MAX} lines")
    session = session_logs.get(tx, access, session_id)
    _expect(expected_last_id, session.last_id)
    made = numbered(parsed, session.last_id)
    return _commit(tx, access, session, made, bounded=True, may_feed=may_feed)


def open_turn(
    tx: Transaction, access: Access, session_id: str, turn_id: str | None, owner: str
) -> Turn:
    """Fork the committed log. The turn lives as long as *owner*, a process, does."""
    session = session_logs.get(tx, access, session_id)
    name = tx.new_id() if turn_id is None else checks.caller_id("turn_id", turn_id)
    if tx.session_logs.turn_by_name(log_id=session.id, turn_id=name) is not None:
        raise AlreadyExists(f"turn_id: {name!r} is open already")
    if len(tx.session_logs.turns_of_log(log_id=session.id)) >= LOG_TURNS_OPEN_MAX:
        raise Conflict(f"a session has at most {LOG_TURNS_OPEN_MAX} open turns")
    tx.session_logs.turn_insert(
        log_id=session.id,
        turn_id=name,
        forked_at=session.last_id,
        owner=owner,
        now=rows.micros(tx.now),
    )
    return turn_of(tx, session, name)


def append_to_turn(
    tx: Transaction,
    access: Access,
    session_id: str,
    turn_id: str,
    drafts: Sequence[Draft],
    expected_last_id: int | None = None,
) -> Appended:
    """Append checked episodes to the working log of a turn; they carry the turn's id."""
    session = session_logs.get(tx, access, session_id)
    turn = turn_of(tx, session, turn_id)
    _expect(expected_last_id, turn.last_id)
    if turn.last_id + len(drafts) - turn.forked_at > LOG_TURN_EPISODES_MAX:
        raise Conflict(f"an open turn has at most {LOG_TURN_EPISODES_MAX} episodes: merge it")
    own = [
        Draft(one.type, make_meta(turn_id=turn_id, extra=one.meta), one.payload) for one in drafts
    ]
    lines = _lines(_numbered(own, turn.last_id), bounded=True)
    for line in lines:
        tx.session_logs.turn_append(
            turn_key=turn.id,
            number=line.number,
            type=line.type,
            meta=line.meta,
            payload=line.payload,
        )
    last = turn.last_id + len(lines)
    tx.session_logs.turn_advance(id=turn.id, last_number=last)
    return Appended(log_id=session.id, last_id=last, lines=lines)


def merge(
    tx: Transaction,
    access: Access,
    session_id: str,
    turn_id: str,
    expected_last_id: int | None = None,
    *,
    may_feed: bool = True,
) -> Appended:
    """Append what a turn holds to the committed log under new ids, and end the turn."""
    session = session_logs.get(tx, access, session_id)
    turn = turn_of(tx, session, turn_id)
    _expect(expected_last_id, session.last_id)
    own = [episode_of(line) for line in working(tx, turn)]
    ids = range(session.last_id + 1, session.last_id + 1 + len(own))
    moved = {one.id: new for one, new in zip(own, ids, strict=True) if one.id != new}
    tx.session_logs.turn_delete(id=turn.id)
    renewed = [renumbered(one, new, moved) for one, new in zip(own, ids, strict=True)]
    return _commit(tx, access, session, renewed, may_feed=may_feed)


def discard(tx: Transaction, access: Access, session_id: str, turn_id: str) -> int:
    """Drop a turn without a trace; returns how many episodes it had."""
    turn = turn_of(tx, session_logs.get(tx, access, session_id), turn_id)
    tx.session_logs.turn_delete(id=turn.id)
    return turn.last_id - turn.forked_at


def interrupt(tx: Transaction, access: Access, session_id: str, turn_id: str) -> Appended:
    """Drop a turn, and note in the committed log that it was interrupted."""
    session = session_logs.get(tx, access, session_id)
    turn = turn_of(tx, session, turn_id)
    tx.session_logs.turn_delete(id=turn.id)
    payload = {"reason": "interrupt", "title": INTERRUPT_TITLE, "content": INTERRUPT_NOTE}
    note = Draft(BOUNDARY, make_meta("runtime", turn_id), make_payload(BOUNDARY, payload))
    return _commit(tx, access, session, _numbered([note], session.last_id))


def discard_lost(tx: Transaction, alive: str) -> int:
    """Drop the turns of every process but one, with a note in their logs; returns how many."""
    lost = tx.session_logs.turns_lost(alive=alive)
    for row in lost:
        turn = turn_row(row)
        tx.session_logs.turn_delete(id=turn.id)
        data = {"turnId": turn.turn_id, "dropped": row.episodes, "reason": DISCARDED_WHY}
        payload = make_payload(META, {"event": DISCARDED_EVENT, "data": data})
        head = tx.session_logs.last_number(id=turn.log_id)
        last = 0 if head is None else head
        note = Draft(META, make_meta("runtime", turn.turn_id), payload)
        if last < SAFE_INTEGER:  # a log without ids left gets no note, but the server still starts
            _store(tx, turn.log_id, _numbered([note], last))
    return len(lost)


def _expect(expected: int | None, last_id: int) -> None:
    if expected is not None and expected != last_id:
        raise LogMoved(expected, last_id)


def _numbered(drafts: Iterable[Draft], after: int) -> list[Episode]:
    return [
        Episode(number, one.type, one.meta, one.payload)
        for number, one in enumerate(drafts, start=after + 1)
    ]


def _lines(episodes: Iterable[Episode], *, bounded: bool = False) -> list[Line]:
    lines = [line_of(one) for one in episodes]
    for place, line in enumerate(lines if bounded else ()):
        if len(line.meta) + len(line.payload) > LOG_EPISODE_BYTES_MAX:
            raise InvalidInput(
                f"episodes[{place}].payload: at most {LOG_EPISODE_BYTES_MAX} characters of JSON "
                "together with meta"
            )
    return lines


def _commit(
    tx: Transaction,
    access: Access,
    session: SessionLog,
    episodes: Sequence[Episode],
    *,
    bounded: bool = False,
    may_feed: bool = True,
) -> Appended:
    lines = _lines(episodes, bounded=bounded)
    stored = _store(tx, session.id, episodes, lines)
    said = list(zip(stored, episodes, strict=True))
    fed = session_feed.feed(tx, access, session, said, allowed=may_feed)
    told = [replace(line, fed=tuple(fed.get(line.number, ()))) for line in lines]
    last = episodes[-1].id if episodes else session.last_id
    return Appended(log_id=session.id, last_id=last, lines=told)


def _store(
    tx: Transaction, log_id: int, episodes: Sequence[Episode], lines: Sequence[Line] | None = None
) -> list[int]:
    """Write episodes to a log; returns their row ids."""
    if not episodes:
        return []
    if episodes[-1].id > SAFE_INTEGER:
        raise Conflict("no id is left in this log")
    ids = [
        tx.session_logs.append(
            log_id=log_id,
            number=line.number,
            type=line.type,
            turn_id=_storable(episode.meta.turn_id),
            meta=line.meta,
            payload=line.payload,
        )
        for episode, line in zip(episodes, lines or _lines(episodes), strict=True)
    ]
    tx.session_logs.advance(id=log_id, last_number=episodes[-1].id, now=rows.micros(tx.now))
    return ids


def _storable(turn_id: str | None) -> str | None:
    """A turn id, or None if it contains a lone surrogate: no request could name it."""
    try:
        return None if turn_id is None else turn_id.encode().decode()
    except UnicodeEncodeError:
        return None
