"""Sessions with logs, and their open turns: forks of a log that are merged or dropped as a whole."""

from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.app import forget, session_log
from recollect.app.forget import Receipt
from recollect.native import session_log_episodes
from recollect.native.session_log_episodes import PATH as LOG
from recollect.native.session_log_episodes import assembling, may_feed, reading
from recollect.native.session_log_wire import (
    AppendEpisodes,
    AssembledInput,
    AssembleInput,
    ChangeLogSession,
    CreateLogSession,
    Discarded,
    ExpectedQuery,
    LogEpisodes,
    LogQuery,
    LogSession,
    LogSessions,
    LogSessionsQuery,
    OpenedTurn,
    OpenTurn,
    OpenTurns,
    appended_reply,
    drafts,
    shown,
)
from recollect.records.session_logs import Turn

PATH = "/api/v1/sessions"


async def create(call: Call) -> LogSession:
    """A session with an empty log. One that is bound to a user feeds that user's graph."""
    sent: CreateLogSession = call.body
    made = await session_log.create(
        call.services,
        call.access,
        sent.session_id,
        user_id=sent.user_id,
        feeds=sent.feeds,
        metadata=sent.metadata,
        context=sent.context,
    )
    return shown(made)


async def get(call: Call) -> LogSession:
    """A session, and how far its log is."""
    return shown(await session_log.get(call.services, call.access, call.path["session_id"]))


async def list_(call: Call) -> LogSessions:
    """The sessions of the project or of a user, by their ids."""
    sent: LogSessionsQuery = call.query
    found = await session_log.list_(
        call.services,
        call.access,
        user_id=sent.user_id,
        limit=sent.limit + 1,
        after=sent.cursor or "",
    )
    kept = found[: sent.limit]
    more = len(found) > len(kept)
    return LogSessions(
        sessions=[shown(one) for one in kept], next_cursor=kept[-1].session_id if more else None
    )


async def update(call: Call) -> LogSession:
    """Switch feeding for what is appended from now on, replace metadata, merge into the context.

    A session that has no user yet can be bound to one, whose graph is then fed with what was said
    before as well.
    """
    sent: ChangeLogSession = call.body
    changed = await session_log.update(
        call.services,
        call.access,
        call.path["session_id"],
        user_id=sent.user_id,
        feeds=sent.feeds,
        metadata=sent.metadata,
        context=sent.context,
        may_feed=session_log_episodes.may_feed(call),
    )
    return shown(changed)


async def delete(call: Call) -> Receipt:
    """Erase a session with its log and open turns; what it fed to a graph stays there."""
    return await forget.session(call.services, call.access, call.path["session_id"])


TURNS_PATH = f"{LOG}/turns"
ONE = f"{TURNS_PATH}/{{turn_id}}"


def _shown(turn: Turn) -> OpenedTurn:
    return OpenedTurn(turn_id=turn.turn_id, forked_at=turn.forked_at, last_id=turn.last_id)


def _ids(call: Call) -> tuple[str, str]:
    return call.path["session_id"], call.path["turn_id"]


async def open_(call: Call) -> OpenedTurn:
    """Fork the committed log. A turn that is open when the server ends is dropped."""
    sent: OpenTurn = call.body
    session_id = call.path["session_id"]
    return _shown(await session_log.open_turn(call.services, call.access, session_id, sent.turn_id))


async def list_turns(call: Call) -> OpenTurns:
    """The open turns of a session."""
    found = await session_log.open_turns(call.services, call.access, call.path["session_id"])
    return OpenTurns(turns=[_shown(turn) for turn in found])


async def append(call: Call) -> Reply:
    """Append episodes to the working log of a turn; all of them carry its id."""
    sent: AppendEpisodes = call.body
    made = await session_log.append_to_turn(
        call.services,
        call.access,
        *_ids(call),
        drafts(sent),
        sent.expected_last_id,
    )
    return appended_reply(made)


async def read(call: Call) -> Reply:
    """Read the working log of a turn: the log as it was when the turn began, then its own."""
    return await reading(call, call.path["turn_id"])


async def assemble(call: Call) -> Reply:
    """What a model is shown of the working log of a turn, within the budget."""
    return await assembling(call, call.path["turn_id"])


async def merge(call: Call) -> Reply:
    """End a turn and append its episodes to the committed log, under new ids, in one step."""
    made = await session_log.merge_turn(
        call.services,
        call.access,
        *_ids(call),
        call.query.expected_last_id,
        may_feed=may_feed(call),
    )
    return appended_reply(made)


async def discard(call: Call) -> Discarded:
    """End a turn and drop its episodes; the committed log says nothing of it."""
    dropped = await session_log.discard_turn(call.services, call.access, *_ids(call))
    return Discarded(dropped=dropped)


async def interrupt(call: Call) -> Reply:
    """End a turn, drop its episodes, and leave an interrupt boundary in the committed log."""
    return appended_reply(await session_log.interrupt_turn(call.services, call.access, *_ids(call)))


ROUTES = [
    Route("POST", PATH, "session_log.create", create, "Create a session", body=CreateLogSession),
    Route("GET", PATH, "session_log.list", list_, "List sessions", query=LogSessionsQuery),
    Route("GET", f"{PATH}/{{session_id}}", "session_log.get", get, "Get a session"),
    Route(
        "PATCH",
        f"{PATH}/{{session_id}}",
        "session_log.update",
        update,
        "Change a session",
        body=ChangeLogSession,
    ),
    Route(
        "DELETE",
        f"{PATH}/{{session_id}}",
        "session_log.delete",
        delete,
        "Erase a session with its log, with a receipt",
    ),
    *session_log_episodes.ROUTES,
    Route(
        "POST",
        TURNS_PATH,
        "session_log.turn.open",
        open_,
        "Open a turn on a session log",
        body=OpenTurn,
    ),
    Route(
        "GET", TURNS_PATH, "session_log.turn.list", list_turns, "List the open turns of a session"
    ),
    Route(
        "POST",
        ONE,
        "session_log.turn.append",
        append,
        "Append episodes to an open turn",
        body=AppendEpisodes,
        answer=LogEpisodes,
    ),
    Route(
        "GET",
        ONE,
        "session_log.turn.read",
        read,
        "Read the working log of an open turn",
        query=LogQuery,
        answer=LogEpisodes,
    ),
    Route(
        "POST",
        f"{ONE}/assemble",
        "session_log.turn.assemble",
        assemble,
        "Assemble model input from an open turn",
        body=AssembleInput,
        answer=AssembledInput,
        reads=True,
    ),
    Route(
        "POST",
        f"{ONE}/merge",
        "session_log.turn.merge",
        merge,
        "Merge a turn into the session log",
        query=ExpectedQuery,
        answer=LogEpisodes,
    ),
    Route(
        "POST",
        f"{ONE}/interrupt",
        "session_log.turn.interrupt",
        interrupt,
        "Interrupt a turn, with a note in the session log",
        answer=LogEpisodes,
    ),
    Route("DELETE", ONE, "session_log.turn.discard", discard, "Discard a turn"),
]
