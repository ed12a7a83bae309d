"""The committed log of a session: appending, reading, exporting, importing, assembling."""

import asyncio
from collections.abc import AsyncGenerator, Callable

from recollect.api.http import Reply, StreamReply
from recollect.api.native.session_log_stream import stream
from recollect.api.native.session_log_wire import (
    AppendEpisodes,
    AssembledInput,
    AssembleInput,
    ExpectedQuery,
    Imported,
    LogEpisodes,
    LogQuery,
    StreamQuery,
    appended_reply,
    drafts,
    episodes_reply,
    full,
    plain,
    wanted,
)
from recollect.api.router import Call, Route
from recollect.episodic.jsonl import parse
from recollect.errors import InvalidInput
from recollect.graph.types import Access
from recollect.ingest import session_writing
from recollect.ingest.session_writing import Appended
from recollect.limits import LOG_IMPORTED_EPISODES_MAX
from recollect.store.protocol import Transaction
from recollect.subjects import session_reading
from recollect.subjects.session_lines import Line, written
from recollect.subjects.session_reading import View, Wanted, Window

PATH = "/api/v1/sessions/{session_id}/log"
JSONL = "application/x-ndjson"


async def append(call: Call) -> Reply:
    """Append episodes to the committed log; they are on disk when this is answered."""
    sent: AppendEpisodes = call.body
    made = await call.services.store.write(
        session_writing.append,
        call.access,
        call.path["session_id"],
        drafts(sent),
        sent.expected_last_id,
        may_feed=may_feed(call),
    )
    committed(call, made)
    return appended_reply(made)


def may_feed(call: Call) -> bool:
    """Whether the key may also do what a session that feeds its user's memory does."""
    return call.access_for("thread.add_messages") is not None


def committed(call: Call, made: Appended) -> None:
    """Tell those who wait for it that something was committed."""
    call.services.listeners.wake(made.log_id)
    if made.fed:
        call.services.wake_workers()


async def read(call: Call) -> Reply:
    """Read the committed log: the latest 100, or what the filters ask for."""
    return await reading(call, None)


async def reading(call: Call, turn_id: str | None) -> Reply:
    """A read of the committed log, or of the working log of an open turn, in pieces if long."""
    view, lines, rest = await call.services.store.read(
        _first, call.access, call.path["session_id"], turn_id, wanted(call.query)
    )
    if rest is None:
        return episodes_reply((*lines, *view.own), view.last_id)
    pieces = _framed(call, view, lines, rest)
    return StreamReply(pieces, [(b"content-type", b"application/json")])


def _first(
    tx: Transaction, access: Access, session_id: str, turn_id: str | None, asked: Wanted
) -> tuple[View, list[Line], Window | None]:
    if turn_id is None:
        view = session_reading.look(tx, access, session_id, asked)
    else:
        view = session_reading.look_in_turn(tx, access, session_id, turn_id, asked)
    if view.window is None:
        return view, [], None
    return view, *session_reading.page(tx, access, view.window)


async def _framed(
    call: Call, view: View, lines: list[Line], rest: Window | None
) -> AsyncGenerator[bytes, None]:
    yield b'{"episodes":['
    async for piece in _pages(call, full, ",", view, lines, rest):
        yield piece
    yield f'],"last_id":{view.last_id}}}'.encode()


async def _pages(
    call: Call,
    form: Callable[[Line], str],
    between: str,
    view: View,
    lines: list[Line],
    rest: Window | None,
) -> AsyncGenerator[bytes, None]:
    """What a view shows, page after page; memory holds one."""
    begun = False
    while lines or rest is not None:
        if lines:
            yield ((between if begun else "") + between.join(map(form, lines))).encode()
            begun = True
        lines = []
        if rest is not None:
            lines, rest = await call.services.store.read(session_reading.page, call.access, rest)
    if view.own:
        yield ((between if begun else "") + between.join(map(form, view.own))).encode()


async def export(call: Call) -> StreamReply:
    """The whole committed log as JSONL, one episode on a line, none after the last."""
    view, lines, rest = await call.services.store.read(
        _first, call.access, call.path["session_id"], None, Wanted(from_id=0)
    )
    pieces = _pages(call, plain, "\n", view, lines, rest)
    return StreamReply(pieces, [(b"content-type", JSONL.encode())])


async def take_in(call: Call) -> Imported:
    """Append the lines of a JSONL text. Bad ones are skipped, and one episode says so.

    Ids are kept where they are past the log's; others get the next ones.
    """
    sent: bytes = call.body
    if sent.count(b"\n") >= LOG_IMPORTED_EPISODES_MAX:
        raise InvalidInput(f"body: at most {LOG_IMPORTED_EPISODES_MAX} lines")
    parsed = await asyncio.to_thread(parse, sent)
    made = await call.services.store.write(
        session_writing.take_in,
        call.access,
        call.path["session_id"],
        parsed,
        call.query.expected_last_id,
        may_feed=may_feed(call),
    )
    committed(call, made)
    return Imported(
        added=len(made.lines),
        bad_lines=parsed.bad_lines,
        errors=parsed.errors,
        last_id=made.last_id,
    )


async def assemble(call: Call) -> Reply:
    """What a model is shown of the committed log, within the budget."""
    return await assembling(call, None)


async def assembling(call: Call, turn_id: str | None) -> Reply:
    """Model input, of the committed log or of an open turn."""
    sent: AssembleInput = call.body
    found = await call.services.store.read(
        session_reading.assembled,
        call.access,
        call.path["session_id"],
        turn_id,
        extra=sent.extra,
        context_length=sent.context_length,
        max_output_tokens=sent.max_output_tokens,
        turn_id=sent.turn_id,
    )
    return Reply(200, written({"items": found.items, "truncated": found.truncated}).encode())


ROUTES = [
    Route(
        "POST",
        PATH,
        "session_log.append",
        append,
        "Append episodes to a session log",
        body=AppendEpisodes,
        answer=LogEpisodes,
    ),
    Route(
        "GET",
        PATH,
        "session_log.read",
        read,
        "Read a session log",
        query=LogQuery,
        answer=LogEpisodes,
    ),
    Route(
        "GET",
        f"{PATH}/stream",
        "session_log.stream",
        stream,
        "Follow a session log with server-sent events",
        query=StreamQuery,
        answer=bytes,
        gives="text/event-stream",
    ),
    Route(
        "GET",
        f"{PATH}/export",
        "session_log.export",
        export,
        "Export a session log as JSONL",
        answer=bytes,
        gives=JSONL,
    ),
    Route(
        "POST",
        f"{PATH}/import",
        "session_log.import",
        take_in,
        "Import JSONL into a session log",
        body=bytes,
        takes=JSONL,
        query=ExpectedQuery,
        answer=Imported,
    ),
    Route(
        "POST",
        f"{PATH}/assemble",
        "session_log.assemble",
        assemble,
        "Assemble model input from a session log",
        body=AssembleInput,
        answer=AssembledInput,
        reads=True,
    ),
]
