"""Threads, by the server's ids."""

from dataclasses import replace

from recollect.api import once
from recollect.api.compat.zep import routes_context
from recollect.api.compat.zep import wire as wire3
from recollect.api.compat.zep4 import answers, paging, show
from recollect.api.compat.zep4.wire import graphs, tasks
from recollect.api.compat.zep4.wire import threads as wire
from recollect.api.compat.zep4.wire import users as users_wire
from recollect.api.compat.zep4.wire.base import Page4, PageQuery4
from recollect.api.http import Reply
from recollect.api.once import Done
from recollect.api.router import Call, Route
from recollect.errors import InvalidInput
from recollect.graph.types import Access
from recollect.store.protocol import Transaction
from recollect.subjects import derived, episodes, erasing, guidance, lookups, threads


def _create(tx: Transaction, access: Access, sent: wire.CreateThread4) -> Done:
    user = lookups.user(tx, access, sent.user_uuid)
    made = threads.create(tx, access, None, user.user_id)
    return Done(answer=show.thread(made), graph_id=made.graph_id, made=made)


async def create(call: Call) -> Reply:
    """A new thread of a user."""
    return await once.write(call, _create, call.body)


def _get(tx: Transaction, access: Access, uuid: str) -> wire.Thread4:
    (found,) = episodes.with_last_said(tx, access, [lookups.thread(tx, access, uuid)])
    return show.thread(found)


async def get(call: Call) -> wire.Thread4:
    """A thread by uuid, updated when something was last said in it."""
    return await call.services.store.read(_get, call.access, call.path["thread_uuid"])


def _lookup(tx: Transaction, access: Access, sent: users_wire.Lookup4) -> wire.Thread4:
    if sent.thread_id is None:
        raise InvalidInput("thread_id: is required")
    return _get(tx, access, threads.get(tx, access, sent.thread_id).uuid)


async def lookup(call: Call) -> wire.Thread4:
    """A thread by the caller's id."""
    return await call.services.store.read(_lookup, call.access, call.body)


def _page(tx: Transaction, access: Access, asked: wire.ThreadsQuery4) -> Page4[wire.Thread4]:
    order = paging.order(asked, "created_at")
    window = paging.window(asked)
    if asked.user_uuid is None:
        page = threads.page(tx, access, order=order, **window)
    else:
        user = lookups.user(tx, access, asked.user_uuid)
        page = threads.page_of_user(tx, access, user.user_id, order=order, **window)
    told = episodes.with_last_said(tx, access, page.threads)
    return Page4(
        items=[show.thread(thread) for thread in told],
        next_cursor=paging.following(asked, len(told), page.total),
        total_size=page.total,
    )


async def list_all(call: Call) -> Page4[wire.Thread4]:
    """A page of threads, of one user if one is named."""
    return await call.services.store.read(_page, call.access, call.query)


def _delete(tx: Transaction, access: Access, uuid: str) -> Done:
    thread = lookups.thread(tx, access, uuid)
    erased = erasing.thread(tx, access, thread.thread_id, "delete")
    task = answers.task(tx, access, erased.uuid, "thread.delete")
    return Done(answer=tasks.TaskAnswer4(task=task), erased=erased)


async def delete(call: Call) -> Reply:
    """Remove a thread with its episodes, and what rested on them alone."""
    return await once.write(call, _delete, call.path["thread_uuid"])


def _in_old_words(
    tx: Transaction, access: Access, uuid: str, template: str | None
) -> tuple[str, str | None]:
    """The caller's ids of a thread and of a template."""
    thread_id = lookups.thread(tx, access, uuid).thread_id
    if template is None:
        return thread_id, None
    return thread_id, guidance.template_by_uuid(tx, access, template).template_id


async def get_context(call: Call) -> wire.ThreadContext4:
    """The context block of a thread, or the one that a template makes."""
    sent: wire.ContextQuery4 = call.query
    thread_id, template_id = await call.services.store.glance(
        _in_old_words, call.access, call.path["thread_uuid"], sent.template_uuid
    )
    query = wire3.ContextQuery(template_id=template_id)
    meant = replace(call, path={"thread_id": thread_id}, query=query)
    return wire.ThreadContext4(context=(await routes_context.get_context(meant)).context)


def _episodes(
    tx: Transaction, access: Access, uuid: str, asked: PageQuery4
) -> Page4[graphs.Episode4]:
    thread = lookups.thread(tx, access, uuid)
    after, most = answers.place_after(tx, access, asked) or 0, paging.size(asked) + 1
    found = episodes.in_graph_of_thread(tx, access, thread, most, after)
    told, following = paging.past(asked, found)
    where = lookups.place(tx, access, thread.graph_uuid)
    return Page4(items=show.episodes(tx, access, where, told), next_cursor=following)


async def list_episodes(call: Call) -> Page4[graphs.Episode4]:
    """A page of the episodes that a thread gave to its graph, in order."""
    return await call.services.store.read(
        _episodes, call.access, call.path["thread_uuid"], call.query
    )


def _summary(tx: Transaction, access: Access, uuid: str) -> graphs.ThreadSummary4:
    thread = lookups.thread(tx, access, uuid)
    found = derived.thread_summary(tx, access, thread.thread_id)
    where = lookups.place(tx, access, thread.graph_uuid)
    return show.thread_summary(where, found, {thread.thread_id: thread.uuid})


async def get_summary(call: Call) -> graphs.ThreadSummary4:
    """The summary of a thread, once a message of it was processed."""
    return await call.services.store.read(_summary, call.access, call.path["thread_uuid"])


ROUTES = [
    Route(
        "GET",
        "/threads",
        "thread.list_all",
        list_all,
        "List threads",
        query=wire.ThreadsQuery4,
        answer=Page4[wire.Thread4],
    ),
    Route(
        "POST",
        "/threads",
        "thread.create",
        create,
        "Create a thread",
        body=wire.CreateThread4,
        answer=wire.Thread4,
    ),
    Route(
        "POST",
        "/threads/lookup",
        "thread.get",
        lookup,
        "Look a thread up by an id of the caller's",
        body=users_wire.Lookup4,
        answer=wire.Thread4,
        reads=True,
    ),
    Route("GET", "/threads/{thread_uuid}", "thread.get", get, "Get a thread", answer=wire.Thread4),
    Route(
        "DELETE",
        "/threads/{thread_uuid}",
        "thread.delete",
        delete,
        "Delete a thread and its episodes",
        answer=tasks.TaskAnswer4,
    ),
    Route(
        "GET",
        "/threads/{thread_uuid}/context",
        "thread.get_user_context",
        get_context,
        "Get the context block of a thread",
        query=wire.ContextQuery4,
        answer=wire.ThreadContext4,
    ),
    Route(
        "GET",
        "/threads/{thread_uuid}/episodes",
        "thread.get_episodes",
        list_episodes,
        "List the episodes of a thread",
        query=PageQuery4,
        answer=Page4[graphs.Episode4],
    ),
    Route(
        "GET",
        "/threads/{thread_uuid}/summary",
        "thread.get_summary",
        get_summary,
        "Get the summary of a thread",
        answer=graphs.ThreadSummary4,
    ),
]
