"""Reads session logs in pages.

Committed episodes never change, so successive pages together are the log as of the first read.
"""

import json
import math
from collections.abc import Iterable
from typing import Any

from recollect.errors import InvalidInput, NotFound
from recollect.graph.types import Access, Json, Record
from recollect.graph.visibility import effective
from recollect.limits import LOG_ASSEMBLED_EPISODES_MAX, LOG_EPISODES_PER_PAGE, LOG_PAGE_CHARS
from recollect.records import session_logs
from recollect.records.session_logs import (
    Line,
    SessionLog,
    episode_of,
    line_of,
    line_row,
    turn_of,
    working,
)
from recollect.records.traces import carried
from recollect.session_log.assembly import Assembled, assemble
from recollect.session_log.episode import SAFE_INTEGER, TYPES
from recollect.session_log.selection import READ_LIMIT_DEFAULT, select, whole
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.session_logs import SessionLogPageRow


class Wanted(Record):
    """The filters of a read, as in the session log library."""

    from_id: float | None = None
    limit: float | None = None
    types: tuple[str, ...] | None = None
    turn_id: str | None = None

    @property
    def count(self) -> int | None:
        """The maximum number; None: everything that passes."""
        if self.limit is not None:
            return whole(self.limit)
        asked = (self.from_id, self.types, self.turn_id)
        return READ_LIMIT_DEFAULT if asked == (None, None, None) else None


class Window(Record):
    """A part of a committed log: what passes the filters after *after* and up to *upto*."""

    log_id: int
    after: int
    upto: int
    types: str | None
    turn_id: str | None


class View(Record):
    """What a read covers: a window of the log, then episodes of an open turn."""

    last_id: int
    window: Window | None
    own: list[Line]


def types_of(text: str | None) -> tuple[str, ...] | None:
    """The types that a comma-separated list names."""
    if text is None:
        return None
    found = tuple(sorted({part.strip() for part in text.split(",")}))
    if not TYPES.issuperset(found):
        raise InvalidInput(
            f"type: must be one or more of {', '.join(sorted(TYPES))}, separated by commas"
        )
    return found


def look(tx: Transaction, access: Access, session_id: str, wanted: Wanted) -> View:
    """The view of the committed log."""
    session = session_logs.get(tx, access, session_id)
    window = _window(tx, session, wanted, session.last_id, wanted.count)
    return View(last_id=session.last_id, window=window, own=[])


def look_in_turn(
    tx: Transaction, access: Access, session_id: str, turn_id: str, wanted: Wanted
) -> View:
    """The view of a turn's working log: the log as it was forked, then the turn's own episodes."""
    session = session_logs.get(tx, access, session_id)
    turn = turn_of(tx, session, turn_id)
    own = select(
        [episode_of(line) for line in working(tx, turn)],
        from_id=wanted.from_id,
        limit=wanted.count,
        type=wanted.types,
        turn_id=wanted.turn_id,
        rising=True,
    )
    left = None if wanted.count is None else wanted.count - len(own)
    window = _window(tx, session, wanted, turn.forked_at, left)
    return View(last_id=turn.last_id, window=window, own=[line_of(one) for one in own])


def _window(
    tx: Transaction, session: SessionLog, wanted: Wanted, upto: int, count: int | None
) -> Window | None:
    after = _past(wanted.from_id)
    if after is None or count == 0:
        return None
    types = rows.to_json(wanted.types)
    window = Window(log_id=session.id, after=after, upto=upto, types=types, turn_id=wanted.turn_id)
    if count is None:
        return window
    logs = tx.session_logs
    read = logs.nth_last if wanted.turn_id is None else logs.nth_last_of_turn
    row = read(skipped=min(count, SAFE_INTEGER) - 1, **_given(window))
    return window if row is None else from_here(window, row - 1)


def _past(from_id: float | None) -> int | None:
    """The last id that is not wanted; None if nothing can come after it."""
    if from_id is None or from_id == -math.inf:
        return 0
    if not math.isfinite(from_id):
        return None
    return max(0, min(math.floor(from_id), SAFE_INTEGER))


def _given(window: Window) -> dict[str, Any]:
    given = {
        "log_id": window.log_id,
        "after": window.after,
        "upto": window.upto,
        "types": window.types,
    }
    return given if window.turn_id is None else {**given, "turn_id": window.turn_id}


def from_here(window: Window, after: int) -> Window:
    """The rest of a window, after *after*."""
    return Window(
        log_id=window.log_id,
        after=after,
        upto=window.upto,
        types=window.types,
        turn_id=window.turn_id,
    )


def page(
    tx: Transaction, access: Access, window: Window, limit: int = LOG_EPISODES_PER_PAGE
) -> tuple[list[Line], Window | None]:
    """The first episodes of a window, and the rest of it; NotFound if the log is gone."""
    if tx.session_logs.last_number(id=window.log_id) is None:
        raise NotFound("the session was deleted")
    upto, more = _page_end(tx, window, limit)
    if upto is None:
        return [], None
    logs = tx.session_logs
    read = logs.episodes_page if window.turn_id is None else logs.episodes_page_of_turn
    found = read(limit=limit, **{**_given(window), "upto": upto})
    fed = _fed(tx, access, window.log_id, found)
    seen = _seen(tx, access, window.log_id, found)
    lines = [line_row(row, fed.get(row.number, ())) for row in seen]
    return lines, from_here(window, upto) if more else None


def _seen(
    tx: Transaction, access: Access, log_id: int, found: list[SessionLogPageRow]
) -> list[SessionLogPageRow]:
    """The visible episodes of a visible log: events of a trace have their own visibility."""
    visibility = access.visibility
    of = None if visibility is None else tx.traces.metadata(log_id=log_id)
    if visibility is None or of is None:
        return found
    shared = rows.from_json(of.metadata)

    def own(row: SessionLogPageRow) -> Json | None:
        told: Json = json.loads(row.meta).get("event") or {}
        return carried(shared, told.get("metadata"))

    return [row for row in found if visibility.sees(effective([own(row)]))]


def _whole(tx: Transaction, access: Access, window: Window, most: int) -> list[Line]:
    """The episodes of all pages of a window, at most *most*."""
    lines: list[Line] = []
    rest: Window | None = window
    while rest is not None and len(lines) < most:
        part, rest = page(tx, access, rest)
        lines += part
    return lines[:most]


def _page_end(tx: Transaction, window: Window, limit: int) -> tuple[int | None, bool]:
    """The last episode of a page (None if it is empty), and whether there may be more."""
    logs = tx.session_logs
    read = logs.sizes if window.turn_id is None else logs.sizes_of_turn
    sizes = read(limit=limit, **_given(window))
    total = 0
    for place, row in enumerate(sizes, 1):
        total += row.size
        if total >= LOG_PAGE_CHARS:
            return row.number, place < len(sizes) or len(sizes) == limit
    return (sizes[-1].number if sizes else None), len(sizes) == limit


def _fed(
    tx: Transaction, access: Access, log_id: int, found: list[SessionLogPageRow]
) -> dict[int, list[str]]:
    """The visible episodes of the graph that came from these."""
    fed: dict[int, list[str]] = {}
    given = {"log_id": log_id, "after": found[0].number - 1, "upto": found[-1].number}
    for row in tx.session_logs.fed_uuids(**given):
        metadata = effective([rows.from_json(row.metadata)])
        if access.visibility is None or access.visibility.sees(metadata):
            fed.setdefault(row.number, []).append(row.uuid)
    return fed


def assembled(
    tx: Transaction,
    access: Access,
    session_id: str,
    open_turn: str | None,
    *,
    extra: Iterable[Any] = (),
    context_length: float | None = None,
    max_output_tokens: float = 0,
    turn_id: str | None = None,
) -> Assembled:
    """The input of a model call, from the committed log or the working log of an open turn."""
    wanted = Wanted(from_id=0)
    if open_turn is None:
        view = look(tx, access, session_id, wanted)
    else:
        view = look_in_turn(tx, access, session_id, open_turn, wanted)
    lines: list[Line] = []
    if view.window is not None:
        lines = _whole(tx, access, view.window, LOG_ASSEMBLED_EPISODES_MAX + 1)
        if len(lines) > LOG_ASSEMBLED_EPISODES_MAX:
            raise InvalidInput(
                f"session_id: a log of more than {LOG_ASSEMBLED_EPISODES_MAX} episodes is "
                "exported and assembled with the library"
            )
    return assemble(
        [episode_of(line) for line in (*lines, *view.own)],
        extra=extra,
        context_length=context_length,
        max_output_tokens=max_output_tokens,
        turn_id=turn_id if open_turn is None else open_turn,
    )
