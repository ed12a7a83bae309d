"""The committed log of a session: appending, reading, following, exporting, importing,
assembling."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from recollect.api.http import Reply, StreamReply
from recollect.api.router import Call, Route
from recollect.app import session_log
from recollect.app.session_log import FirstPage
from recollect.errors import InvalidInput
from recollect.graph.types import Access
from recollect.limits import LOG_IMPORTED_EPISODES_MAX
from recollect.native.session_log_wire import (
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
from recollect.records.session_logs import Line, written
from recollect.records.session_reading import Wanted, Window
from recollect.session_log.jsonl import parse

PATH = "/api/v1/sessions/{session_id}/log"
JSONL = "application/x-ndjson"
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),
]
_HELLO = b"retry: 1000\n\n"
_STILL_HERE = b": still here\n\n"
_LAST_EVENT_ID = b"last-event-id"


async def append(call: Call) -> Reply:
    """Append episodes to the committed log; they are on disk when this is answered."""
    sent: AppendEpisodes = call.body
    made = await session_log.append(
        call.services,
        call.access,
        call.path["session_id"],
        drafts(sent),
        sent.expected_last_id,
        may_feed=may_feed(call),
    )
    return appended_reply(made)


def may_feed(call: Call) -> bool:
    """Whether the key may also add messages, as a session that feeds its user's graph does."""
    return call.access_for("thread.add_messages") is not None


async def read(call: Call) -> Reply:
    """Read the committed log: the latest 100, or what the filters ask for."""
    return await reading(call, None)


async def reading(call: Call, turn_id: str | None) -> Reply:
    """Read the committed log, or the working log of an open turn; a long one is streamed."""
    begun = await session_log.read(
        call.services, call.access, call.path["session_id"], turn_id, wanted(call.query)
    )
    if begun.rest is None:
        return episodes_reply((*begun.lines, *begun.view.own), begun.view.last_id)
    return StreamReply(_framed(call, begun), [(b"content-type", b"application/json")])


async def _framed(call: Call, begun: FirstPage) -> AsyncGenerator[bytes, None]:
    yield b'{"episodes":['
    async for piece in _pieces(call, full, ",", begun):
        yield piece
    yield f'],"last_id":{begun.view.last_id}}}'.encode()


async def _pieces(
    call: Call, form: Callable[[Line], str], between: str, begun: FirstPage
) -> AsyncGenerator[bytes, None]:
    """The pages of a read, encoded."""
    first = True
    async for lines in session_log.pages(call.services, call.access, begun):
        yield (("" if first else between) + between.join(map(form, lines))).encode()
        first = False


async def export(call: Call) -> StreamReply:
    """The whole committed log as JSONL, one episode on a line, none after the last."""
    begun = await session_log.read(
        call.services, call.access, call.path["session_id"], None, Wanted(from_id=0)
    )
    pieces = _pieces(call, plain, "\n", begun)
    return StreamReply(pieces, [(b"content-type", JSONL.encode())])


async def take_in(call: Call) -> Imported:
    """Append the lines of a JSONL text. Bad ones are skipped, and one episode says so.

    Ids are kept where they are past the log's; others get the next ones.
    """
    sent: bytes = call.body
    if sent.count(b"\n") >= LOG_IMPORTED_EPISODES_MAX:
        raise InvalidInput(f"body: at most {LOG_IMPORTED_EPISODES_MAX} lines")
    parsed = await asyncio.to_thread(parse, sent)
    made = await session_log.import_(
        call.services,
        call.access,
        call.path["session_id"],
        parsed,
        call.query.expected_last_id,
        may_feed=may_feed(call),
    )
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
    """Model input from the committed log or an open turn."""
    sent: AssembleInput = call.body
    found = await session_log.assemble(
        call.services,
        call.access,
        call.path["session_id"],
        turn_id,
        extra=sent.extra,
        context_length=sent.context_length,
        max_output_tokens=sent.max_output_tokens,
        turn_id=sent.turn_id,
    )
    return Reply(200, written({"items": found.items, "truncated": found.truncated}).encode())


async def stream(call: Call) -> StreamReply:
    """Episodes as they are appended, one event each with the episode's id as its own.

    Starts past `Last-Event-ID`, or else past *from_id*, or else with the next episode.
    """
    sent: StreamQuery = call.query
    window = await session_log.start_following(
        call.services,
        call.access,
        call.path["session_id"],
        past=_past(call, sent),
        types=sent.type,
        turn_id=sent.turn_id,
    )
    return StreamReply(_follow(call, window, sent.seconds), _HEADERS, endless=True)


def _past(call: Call, sent: StreamQuery) -> float | None:
    told = next((value for name, value in call.headers if name == _LAST_EVENT_ID), b"")
    if not told:
        return sent.from_id
    if not told.isdigit() or len(told) > 18:
        raise InvalidInput("Last-Event-ID: must be the id of an episode")
    return float(told)


async def _follow(call: Call, window: Window, seconds: int) -> AsyncGenerator[bytes, None]:
    async def access() -> Access:
        return await call.again() if call.again else call.access

    yield _HELLO
    session_id, project_id = call.path["session_id"], call.access.project_id
    async with aclosing(
        session_log.follow(call.services, access, project_id, session_id, window, seconds)
    ) as new:
        async for lines in new:
            yield "".join(map(_event, lines)).encode() or _STILL_HERE


def _event(line: Line) -> str:
    return f"id: {line.number}\ndata: {full(line)}\n\n"


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
