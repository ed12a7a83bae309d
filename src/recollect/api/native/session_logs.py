"""Sessions whose logs are kept here."""

from recollect.api.erasing import erase
from recollect.api.native import session_log_episodes, session_log_turns
from recollect.api.native.session_log_wire import (
    ChangeLogSession,
    CreateLogSession,
    LogSession,
    LogSessions,
    LogSessionsQuery,
    shown,
)
from recollect.api.router import Call, Route
from recollect.governance.receipts import Receipt
from recollect.ingest import session_binding
from recollect.subjects import erasing, session_logs

PATH = "/api/v1/sessions"


async def create(call: Call) -> LogSession:
    """A session with an empty log. One that is bound to a user feeds that user's graph."""
    sent: CreateLogSession = call.body
    made = await call.services.store.write(
        session_logs.create,
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
    found = await call.services.store.glance(session_logs.get, call.access, call.path["session_id"])
    return shown(found)


async def list_(call: Call) -> LogSessions:
    """The sessions of the project or of a user, by their ids."""
    sent: LogSessionsQuery = call.query
    found = await call.services.store.read(
        session_logs.page,
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
    changed = await call.services.store.write(
        session_binding.change,
        call.access,
        call.path["session_id"],
        user_id=sent.user_id,
        feeds=sent.feeds,
        metadata=sent.metadata,
        context=sent.context,
        may_feed=session_log_episodes.may_feed(call),
    )
    if changed.fed:
        call.services.wake_workers()
    return shown(changed.session)


async def delete(call: Call) -> Receipt:
    """Erase a session with its log and open turns; what it fed to a graph stays there."""
    return await erase(call, erasing.session, call.path["session_id"])


ROUTES = [
    Route(
        "POST",
        PATH,
        "session_log.create",
        create,
        "Create a session",
        body=CreateLogSession,
        answer=LogSession,
    ),
    Route(
        "GET",
        PATH,
        "session_log.list",
        list_,
        "List sessions",
        query=LogSessionsQuery,
        answer=LogSessions,
    ),
    Route(
        "GET",
        f"{PATH}/{{session_id}}",
        "session_log.get",
        get,
        "Get a session",
        answer=LogSession,
    ),
    Route(
        "PATCH",
        f"{PATH}/{{session_id}}",
        "session_log.update",
        update,
        "Change a session",
        body=ChangeLogSession,
        answer=LogSession,
    ),
    Route(
        "DELETE",
        f"{PATH}/{{session_id}}",
        "session_log.delete",
        delete,
        "Erase a session with its log, with a receipt",
        answer=Receipt,
    ),
    *session_log_episodes.ROUTES,
    *session_log_turns.ROUTES,
]
