"""New episodes of a session log as server-sent events.

Whoever listens is woken in this process after a commit. Another process may write to the same
store, so there is a slow look besides.
"""

import asyncio
import math
from collections.abc import AsyncGenerator
from contextlib import suppress

from recollect.api.http import StreamReply
from recollect.api.native.session_log_wire import StreamQuery, full
from recollect.api.router import Call
from recollect.errors import InvalidInput, NotFound, RecollectError
from recollect.graph.types import Access, Record
from recollect.limits import INTEGER_MAX, LOG_EPISODES_PER_PAGE, LOG_HEARTBEAT_S, LOG_POLL_S
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.subjects import session_logs, session_reading
from recollect.subjects.session_lines import Line
from recollect.subjects.session_reading import Window, types_of

_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),
]
_HELLO = b"retry: 1000\n\n"
_STILL_HERE = b": still here\n\n"
_LAST_EVENT_ID = b"last-event-id"


class Heard(Record):
    """New episodes, where to listen on, and whether there is more already."""

    lines: list[Line]
    window: Window
    more: bool


async def stream(call: Call) -> StreamReply:
    """Episodes as they are appended, one event each with the episode's id as its own.

    Starts past `Last-Event-ID`, or else past *from_id*, or else with the next episode.
    """
    sent: StreamQuery = call.query
    call.services.listeners.check_room(call.access.project_id)
    window = await call.services.store.read(
        _start, call.access, call.path["session_id"], _past(call, sent), sent
    )
    return StreamReply(_follow(call, window, sent.seconds), _HEADERS, endless=True)


def _past(call: Call, sent: StreamQuery) -> float | None:
    told = next((value for name, value in call.headers if name == _LAST_EVENT_ID), b"")
    if not told:
        return sent.from_id
    if not told.isdigit() or len(told) > 18:
        raise InvalidInput("Last-Event-ID: must be the id of an episode")
    return float(told)


def _start(
    tx: Transaction, access: Access, session_id: str, past: float | None, sent: StreamQuery
) -> Window:
    session = session_logs.get(tx, access, session_id)
    types = types_of(sent.type)
    after = session.last_id
    if past is not None:
        after = INTEGER_MAX if not math.isfinite(past) else max(0, math.floor(past))
    return Window(
        log_id=session.id,
        after=min(after, INTEGER_MAX),
        upto=INTEGER_MAX,
        types=None if types is None else rows.to_json(types),
        turn_id=sent.turn_id,
    )


async def _follow(call: Call, window: Window, seconds: int) -> AsyncGenerator[bytes, None]:
    services, now = call.services, asyncio.get_running_loop().time
    ends, spoken = now() + seconds, now()
    yield _HELLO
    with services.listeners.listening(call.access.project_id, window.log_id) as woken:
        while not services.listeners.closed:
            woken.clear()
            try:
                access = await call.again() if call.again else call.access
                heard = await services.store.read(_listen, access, call.path["session_id"], window)
            except RecollectError:  # the key or the session is gone, or the store is closed
                return
            window = heard.window
            if heard.lines:
                yield "".join(map(_event, heard.lines)).encode()
                spoken = now()
            elif now() - spoken >= LOG_HEARTBEAT_S:
                yield _STILL_HERE
                spoken = now()
            if heard.more:
                continue
            if now() >= ends:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(min(LOG_POLL_S, ends - now())):
                    await woken.wait()


def _listen(tx: Transaction, access: Access, session_id: str, window: Window) -> Heard:
    """What is new. Looked up as the one who asked: it may be gone, or hidden, by now."""
    session = session_logs.get(tx, access, session_id)
    if session.id != window.log_id:
        raise NotFound("another session has the id now")
    lines, rest = session_reading.page(tx, access, window, LOG_EPISODES_PER_PAGE)
    following = rest or session_reading.from_here(window, max(window.after, session.last_id))
    return Heard(lines=lines, window=following, more=rest is not None)


def _event(line: Line) -> str:
    return f"id: {line.number}\ndata: {full(line)}\n\n"
