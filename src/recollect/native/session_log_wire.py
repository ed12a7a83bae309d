"""The wire format of session logs.

An episode is sent as it is stored: meta and payload are never decoded on the way.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec

from recollect.api.http import Reply
from recollect.app.session_log import Appended, Draft, check_count, draft
from recollect.limits import INTEGER_MAX, LOG_STREAM_S_MAX, PAGE_DEFAULT, PAGE_MAX
from recollect.records.session_logs import Line, SessionLog
from recollect.records.session_reading import Wanted, types_of

Json = dict[str, Any]
LogEpisodeType = Literal["item", "boundary", "meta"]
LastId = Annotated[int, msgspec.Meta(ge=0, le=INTEGER_MAX)]


class CreateLogSession(msgspec.Struct, forbid_unknown_fields=True):
    """A session; one of a user feeds that user's graph unless *feeds* is false."""

    session_id: str
    user_id: str | None = None
    feeds: bool | None = None
    metadata: Json | None = None
    context: Json | None = None


class ChangeLogSession(msgspec.Struct, forbid_unknown_fields=True):
    """What is to change of a session; the rest stays. One without a user can be given one."""

    user_id: str | None = None
    feeds: bool | None = None
    metadata: Json | None = None
    context: Json | None = None


class LogSession(msgspec.Struct):
    """A session, and the last id of its log."""

    uuid: str
    session_id: str
    user_id: str | None
    feeds: bool
    metadata: Json | None
    context: Json | None
    last_id: int
    created_at: datetime
    updated_at: datetime


class LogSessionsQuery(msgspec.Struct, forbid_unknown_fields=True):
    """Sessions of whom, how many, and those after which one."""

    user_id: str | None = None
    limit: Annotated[int, msgspec.Meta(ge=1, le=PAGE_MAX)] = PAGE_DEFAULT
    cursor: str | None = None


class LogSessions(msgspec.Struct):
    """Sessions by their ids; *next_cursor* asks for those after them."""

    sessions: list[LogSession]
    next_cursor: str | None


class NewLogEpisode(msgspec.Struct, forbid_unknown_fields=True):
    """An episode to append; `meta.source` and `meta.turnId` are as in the library."""

    type: LogEpisodeType
    payload: Json
    meta: Json | None = None


class AppendEpisodes(msgspec.Struct, forbid_unknown_fields=True):
    """Episodes to append, all or none; if *expected_last_id* is given, only to a log that is there."""

    episodes: list[NewLogEpisode]
    expected_last_id: LastId | None = None


class LogEpisode(msgspec.Struct):
    """An episode; *graph_episodes* are the uuids of what it became in its user's graph."""

    id: int
    type: LogEpisodeType
    meta: Json
    payload: Json
    graph_episodes: list[str] = []


class LogEpisodes(msgspec.Struct):
    """Episodes in order, and the last id of the log they are of."""

    episodes: list[LogEpisode]
    last_id: int


class LogQuery(msgspec.Struct, forbid_unknown_fields=True):
    """The filters of a read: *type* may be several with commas; *limit* keeps the last ones."""

    from_id: float | None = None
    limit: float | None = None
    type: str | None = None
    turn_id: str | None = None


class StreamQuery(msgspec.Struct, forbid_unknown_fields=True):
    """Where a stream starts, what passes, and for how many seconds it goes on at most."""

    from_id: float | None = None
    type: str | None = None
    turn_id: str | None = None
    seconds: Annotated[int, msgspec.Meta(ge=0, le=int(LOG_STREAM_S_MAX))] = int(LOG_STREAM_S_MAX)


class ExpectedQuery(msgspec.Struct, forbid_unknown_fields=True):
    """With *expected_last_id* only a log that is there is added to."""

    expected_last_id: LastId | None = None


class Imported(msgspec.Struct):
    """How many episodes were added, how many lines were bad and what was wrong with the first."""

    added: int
    bad_lines: int
    errors: list[str]
    last_id: int


class AssembleInput(msgspec.Struct, forbid_unknown_fields=True):
    """The room there is, the current turn, and items that are shown after the history."""

    context_length: float | None = None
    max_output_tokens: float = 0
    turn_id: str | None = None
    extra: list[Any] = []


class AssembledInput(msgspec.Struct):
    """The items of a model call, and whether older ones were left out for want of room."""

    items: list[Any]
    truncated: bool


class OpenTurn(msgspec.Struct, forbid_unknown_fields=True):
    """A turn to open; without an id it gets one."""

    turn_id: str | None = None


class OpenedTurn(msgspec.Struct):
    """An open turn: where it was forked from the log, and the last id of its working log."""

    turn_id: str
    forked_at: int
    last_id: int


class OpenTurns(msgspec.Struct):
    """The open turns of a session, the oldest first."""

    turns: list[OpenedTurn]


class Discarded(msgspec.Struct):
    """How many episodes were dropped with a turn."""

    dropped: int


def shown(session: SessionLog) -> LogSession:
    """A session as it is returned."""
    return LogSession(
        uuid=session.uuid,
        session_id=session.session_id,
        user_id=session.user_id,
        feeds=session.feeds,
        metadata=session.metadata,
        context=session.context,
        last_id=session.last_id,
        created_at=session.created_at,
        updated_at=session.updated_at,
    )


def drafts(sent: AppendEpisodes) -> list[Draft]:
    """The episodes of a request, validated."""
    made = [
        draft(f"episodes[{place}]", one.type, one.payload, one.meta)
        for place, one in enumerate(sent.episodes)
    ]
    check_count(made)
    return made


def wanted(sent: LogQuery) -> Wanted:
    """The filters of a request, validated."""
    return Wanted(
        from_id=sent.from_id, limit=sent.limit, types=types_of(sent.type), turn_id=sent.turn_id
    )


def plain(line: Line) -> str:
    """An episode as a line of JSONL."""
    return (
        f'{{"id":{line.number},"type":"{line.type}","meta":{line.meta},"payload":{line.payload}}}'
    )


def full(line: Line) -> str:
    """An episode with the uuids of what it became in its user's graph."""
    if not line.fed:
        return plain(line)
    fed = ",".join(f'"{uuid}"' for uuid in line.fed)
    return f'{plain(line)[:-1]},"graph_episodes":[{fed}]}}'


def episodes_reply(lines: Iterable[Line], last_id: int) -> Reply:
    """Episodes as one response."""
    text = ",".join(map(full, lines))
    return Reply(200, f'{{"episodes":[{text}],"last_id":{last_id}}}'.encode())


def appended_reply(appended: Appended) -> Reply:
    """What was added, as stored."""
    return episodes_reply(appended.lines, appended.last_id)
