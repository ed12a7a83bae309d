"""Session logs: appending, reading, following, importing and assembling them, and open turns.

Listeners of a log are woken here after a commit, and workers if the commit fed a graph.
"""

import asyncio
import math
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import suppress

from recollect.app import forget
from recollect.app.services import Services
from recollect.app.units import glances, reads, writes
from recollect.errors import NotFound, RecollectError
from recollect.graph.types import Access, Json, Record
from recollect.ingest import session_feed, session_writing
from recollect.ingest.session_writing import Appended, Draft, check_count, draft
from recollect.limits import INTEGER_MAX, LOG_EPISODES_PER_PAGE, LOG_HEARTBEAT_S, LOG_POLL_S
from recollect.records import session_logs, session_reading
from recollect.records.session_logs import Line, SessionLog, Turn, turn_row
from recollect.records.session_reading import View, Wanted, Window
from recollect.session_log.jsonl import Parsed
from recollect.store import rows
from recollect.store.protocol import Transaction

__all__ = ["Appended", "Draft", "check_count", "draft"]


create = writes(session_logs.create)
get = glances(session_logs.get)
list_ = reads(session_logs.page)


async def update(
    services: Services,
    access: Access,
    session_id: str,
    *,
    user_id: str | None,
    feeds: bool | None,
    metadata: Json | None,
    context: Json | None,
    may_feed: bool,
) -> SessionLog:
    """Change a session. Binding it to a user feeds what was said before into the user's graph, too."""
    changed = await services.store.write(
        session_feed.change,
        access,
        session_id,
        user_id=user_id,
        feeds=feeds,
        metadata=metadata,
        context=context,
        may_feed=may_feed,
    )
    if changed.fed:
        services.wake_workers()
    return changed.session


async def append(
    services: Services,
    access: Access,
    session_id: str,
    drafts: list[Draft],
    expected_last_id: int | None,
    *,
    may_feed: bool,
) -> Appended:
    """Append episodes to the committed log; they are on disk afterwards."""
    made = await services.store.write(
        session_writing.append, access, session_id, drafts, expected_last_id, may_feed=may_feed
    )
    return _committed(services, made)


async def import_(
    services: Services,
    access: Access,
    session_id: str,
    parsed: Parsed,
    expected_last_id: int | None,
    *,
    may_feed: bool,
) -> Appended:
    """Append the lines of a JSONL text. Invalid lines are skipped, and one episode reports them."""
    made = await services.store.write(
        session_writing.take_in, access, session_id, parsed, expected_last_id, may_feed=may_feed
    )
    return _committed(services, made)


def _committed(services: Services, made: Appended) -> Appended:
    services.listeners.wake(made.log_id)
    if made.fed:
        services.wake_workers()
    return made


class FirstPage(Record):
    """The start of a read: the view, its first page, and the window of the rest."""

    view: View
    lines: list[Line]
    rest: Window | None


@reads
def read(
    tx: Transaction, access: Access, session_id: str, turn_id: str | None, wanted: Wanted
) -> FirstPage:
    """Start reading the committed log, or the working log of an open turn."""
    if turn_id is None:
        view = session_reading.look(tx, access, session_id, wanted)
    else:
        view = session_reading.look_in_turn(tx, access, session_id, turn_id, wanted)
    if view.window is None:
        return FirstPage(view=view, lines=[], rest=None)
    lines, rest = session_reading.page(tx, access, view.window)
    return FirstPage(view=view, lines=lines, rest=rest)


async def pages(
    services: Services, access: Access, begun: FirstPage
) -> AsyncGenerator[Sequence[Line], None]:
    """All pages of a read; only one is in memory at a time."""
    lines, rest = begun.lines, begun.rest
    while lines or rest is not None:
        if lines:
            yield lines
        lines = []
        if rest is not None:
            lines, rest = await services.store.read(session_reading.page, access, rest)
    if begun.view.own:
        yield begun.view.own


assemble = reads(session_reading.assembled)


async def open_turn(
    services: Services, access: Access, session_id: str, turn_id: str | None
) -> Turn:
    """Fork the committed log. A turn still open when the server stops is dropped."""
    return await services.store.write(
        session_writing.open_turn, access, session_id, turn_id, services.owner
    )


@reads
def open_turns(tx: Transaction, access: Access, session_id: str) -> list[Turn]:
    """The open turns of a session, oldest first."""
    session = session_logs.get(tx, access, session_id)
    return [turn_row(row) for row in tx.session_logs.turns_of_log(log_id=session.id)]


append_to_turn = writes(session_writing.append_to_turn)


async def merge_turn(
    services: Services,
    access: Access,
    session_id: str,
    turn_id: str,
    expected_last_id: int | None,
    *,
    may_feed: bool,
) -> Appended:
    """End a turn and append its episodes to the committed log, under new ids, in one step."""
    made = await services.store.write(
        session_writing.merge, access, session_id, turn_id, expected_last_id, may_feed=may_feed
    )
    return _committed(services, made)


async def discard_turn(services: Services, access: Access, session_id: str, turn_id: str) -> int:
    """End a turn and drop its episodes; returns how many there were."""
    return await forget.drop(services, access, session_writing.discard, session_id, turn_id)


async def interrupt_turn(
    services: Services, access: Access, session_id: str, turn_id: str
) -> Appended:
    """End a turn, drop its episodes, and leave an interrupt boundary in the committed log."""
    made = await forget.drop(services, access, session_writing.interrupt, session_id, turn_id)
    return _committed(services, made)


async def start_following(
    services: Services,
    access: Access,
    session_id: str,
    *,
    past: float | None,
    types: str | None,
    turn_id: str | None,
) -> Window:
    """Where to start following a log: after an id, or at the next episode."""
    services.listeners.check_room(access.project_id)
    return await services.store.read(_start, access, session_id, past, types, turn_id)


def _start(
    tx: Transaction,
    access: Access,
    session_id: str,
    past: float | None,
    types: str | None,
    turn_id: str | None,
) -> Window:
    session = session_logs.get(tx, access, session_id)
    wanted = session_reading.types_of(types)
    after = session.last_id
    if past is not None:
        after = INTEGER_MAX if not math.isfinite(past) else max(0, math.floor(past))
    return Window(
        log_id=session.id,
        after=min(after, INTEGER_MAX),
        upto=INTEGER_MAX,
        types=None if wanted is None else rows.to_json(wanted),
        turn_id=turn_id,
    )


async def follow(
    services: Services,
    access: Callable[[], Awaitable[Access]],
    project_id: int,
    session_id: str,
    window: Window,
    seconds: float,
) -> AsyncGenerator[list[Line], None]:
    """New episodes as they are appended, for so many seconds; an empty list serves as a heartbeat.

    A commit in this process wakes the listener. Another process may write to the same store, so it also
    polls slowly. *access* is called at each poll, because the key may have been revoked.
    """
    now = asyncio.get_running_loop().time
    ends, spoken = now() + seconds, now()
    with services.listeners.listening(project_id, window.log_id) as woken:
        while not services.listeners.closed:
            woken.clear()
            try:
                heard = await services.store.read(_listen, await access(), session_id, window)
            except RecollectError:  # the key or the session is gone, or the store is closed
                return
            window = heard.window
            if heard.lines or now() - spoken >= LOG_HEARTBEAT_S:
                yield heard.lines
                spoken = now()
            if heard.more:
                continue
            if now() >= ends:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(min(LOG_POLL_S, ends - now())):
                    await woken.wait()


class NewLines(Record):
    """New episodes, the window to continue from, and whether more are already there."""

    lines: list[Line]
    window: Window
    more: bool


def _listen(tx: Transaction, access: Access, session_id: str, window: Window) -> NewLines:
    """New episodes. The session is looked up with the caller's access: it may be gone or hidden by now."""
    session = session_logs.get(tx, access, session_id)
    if session.id != window.log_id:
        raise NotFound("another session has this id now")
    lines, rest = session_reading.page(tx, access, window, LOG_EPISODES_PER_PAGE)
    following = rest or session_reading.from_here(window, max(window.after, session.last_id))
    return NewLines(lines=lines, window=following, more=rest is not None)
