"""Threads, which Zep v2 calls sessions."""

from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.app import threads
from recollect.app.refs import ThreadRef, UserRef
from recollect.compat.zep import common, translate
from recollect.compat.zep.wire import graphs as graphs_wire
from recollect.compat.zep.wire import threads as threads_wire
from recollect.compat.zep.wire.base import Success
from recollect.errors import InvalidInput
from recollect.limits import PAGE_MAX
from recollect.records.threads import ThreadPage

_ORDERS = ("created_at", "updated_at", "thread_id", "user_id", "id")
_SESSION_ORDERS = {"session_id": "thread_id"}


async def create(call: Call) -> threads_wire.Thread:
    """A new thread."""
    sent: threads_wire.CreateThread = call.body
    user = UserRef(user_id=sent.user_id)
    made = await threads.create(call.services, call.access, sent.thread_id, user)
    return translate.thread(call.access, made)


async def add_session(call: Call) -> threads_wire.Session:
    """A new thread, as Zep v2 makes one."""
    sent: threads_wire.AddSession = call.body
    made = await threads.create(
        call.services,
        call.access,
        sent.session_id,
        UserRef(user_id=sent.user_id),
        metadata=sent.metadata,
        rating=translate.rating(sent.fact_rating_instruction),
        field="session_id",
    )
    return translate.session(call.access, made)


async def get_session(call: Call) -> threads_wire.Session:
    """A thread by id, as Zep v2 shows it."""
    ref = ThreadRef(thread_id=call.path["session_id"])
    return translate.session(call.access, await threads.get(call.services, call.access, ref))


async def update_session(call: Call) -> threads_wire.Session:
    """Merge metadata into a session's."""
    sent: threads_wire.UpdateSession = call.body
    rating = translate.rating(sent.fact_rating_instruction)
    made = await threads.update(
        call.services, call.access, call.path["session_id"], sent.metadata, rating
    )
    return translate.session(call.access, made)


async def end_sessions(call: Call) -> threads_wire.EndSessionsAnswer:
    """Mark several sessions as over, all or none."""
    sent: threads_wire.EndSessions = call.body
    if len(sent.session_ids) > PAGE_MAX:
        raise InvalidInput(f"session_ids: at most {PAGE_MAX}, got {len(sent.session_ids)}")
    made = await threads.end_all(call.services, call.access, sent.session_ids)
    return threads_wire.EndSessionsAnswer(
        sessions=[translate.session(call.access, thread) for thread in made]
    )


async def _page(call: Call) -> ThreadPage:
    sent: threads_wire.ThreadsQuery = call.query
    by = _SESSION_ORDERS.get(sent.order_by or "", sent.order_by)
    return await threads.page(
        call.services,
        call.access,
        search=translate.search_text(sent.search),
        order=translate.order(by, _ORDERS, default="created_at", asc=sent.asc),
        **translate.window(sent.page_number, sent.page_size),
    )


async def list_sessions(call: Call) -> threads_wire.SessionList:
    """A page of sessions."""
    page = await _page(call)
    found = [translate.session(call.access, thread) for thread in page.threads]
    return threads_wire.SessionList(
        sessions=found, response_count=len(found), total_count=page.total
    )


async def list_threads(call: Call) -> threads_wire.ThreadList:
    """A page of threads."""
    page = await _page(call)
    found = [translate.thread(call.access, thread) for thread in page.threads]
    return threads_wire.ThreadList(threads=found, response_count=len(found), total_count=page.total)


async def delete_session(call: Call) -> Success:
    """Remove a session and its messages; what the graph learned stays."""
    await threads.delete_keeping_graph(call.services, call.access, call.path["session_id"])
    return Success(message="session deleted")


async def delete_thread(call: Call) -> Success:
    """Remove a thread with its episodes, and what rested on them alone."""
    await threads.delete(call.services, call.access, call.path["thread_id"])
    return Success(message="thread deleted")


async def get_episodes(call: Call) -> Reply:
    """The episodes that a thread gave to its graph, in order."""
    ref = ThreadRef(thread_id=call.path["thread_id"])
    found = await threads.graph_episodes(call.services, call.access, ref, PAGE_MAX + 1)
    return common.capped_episodes(found.value)


ROUTES = [
    Route(
        "POST",
        "/sessions",
        "thread.create",
        add_session,
        "Add a session",
        body=threads_wire.AddSession,
    ),
    Route(
        "GET",
        "/sessions-ordered",
        "thread.list_all",
        list_sessions,
        "List sessions",
        query=threads_wire.ThreadsQuery,
    ),
    Route(
        "POST",
        "/sessions/end",
        "thread.end",
        end_sessions,
        "End several sessions",
        body=threads_wire.EndSessions,
    ),
    Route("GET", "/sessions/{session_id}", "thread.get", get_session, "Get a session"),
    Route(
        "PATCH",
        "/sessions/{session_id}",
        "thread.update",
        update_session,
        "Update a session's metadata",
        body=threads_wire.UpdateSession,
    ),
    Route(
        "DELETE",
        "/sessions/{session_id}/memory",
        "thread.delete",
        delete_session,
        "Delete a session and its messages, keeping the graph",
    ),
    Route(
        "GET",
        "/threads",
        "thread.list_all",
        list_threads,
        "List threads",
        query=threads_wire.ThreadsQuery,
    ),
    Route(
        "POST",
        "/threads",
        "thread.create",
        create,
        "Create a thread",
        body=threads_wire.CreateThread,
    ),
    Route(
        "DELETE",
        "/threads/{thread_id}",
        "thread.delete",
        delete_thread,
        "Delete a thread and its episodes",
    ),
    Route(
        "GET",
        "/threads/{thread_id}/episodes",
        "thread.get_episodes",
        get_episodes,
        "List the episodes of a thread",
        answer=graphs_wire.Episodes,
    ),
]
