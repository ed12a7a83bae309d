"""Sessions whose logs are kept here."""

from recollect.api.router import Call, Route
from recollect.app import forget, session_log
from recollect.app.forget import Receipt
from recollect.native import session_log_episodes, session_log_turns
from recollect.native.session_log_wire import (
    ChangeLogSession,
    CreateLogSession,
    LogSession,
    LogSessions,
    LogSessionsQuery,
    shown,
)

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
    *session_log_turns.ROUTES,
]
