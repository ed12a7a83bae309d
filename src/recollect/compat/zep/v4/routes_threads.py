"""Threads by the server's ids, and their messages."""

from functools import partial

import msgspec

from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.app import context, guidance, remember, threads
from recollect.app.refs import ThreadRef, UserRef
from recollect.app.tasks import WithTask
from recollect.app.threads import MessageIn, Messages
from recollect.compat.zep.routes_messages import thread_context, user_context
from recollect.compat.zep.v4 import idempotency, paging, translate
from recollect.compat.zep.v4.wire import graphs, tasks
from recollect.compat.zep.v4.wire import threads as wire
from recollect.compat.zep.v4.wire.base import Page4, PageQuery4
from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.graph.types import NewEpisode

_read_added = msgspec.json.Decoder(wire.AddedMessages4).decode


def _ref(call: Call) -> ThreadRef:
    return ThreadRef(uuid=call.path["thread_uuid"])


async def create(call: Call) -> Reply:
    """A new thread of a user."""
    sent: wire.CreateThread4 = call.body
    user = UserRef(uuid=sent.user_uuid)
    create = partial(threads.create, call.services, call.access, None, user)
    return await idempotency.write(call, create, translate.thread)


async def get(call: Call) -> wire.Thread4:
    """A thread by uuid, updated when something was last said in it."""
    return translate.thread(await threads.get(call.services, call.access, _ref(call)))


async def lookup(call: Call) -> wire.Thread4:
    """A thread by the caller's id."""
    sent: wire.Lookup4 = call.body
    if sent.thread_id is None:
        raise InvalidInput("thread_id: is required")
    ref = ThreadRef(thread_id=sent.thread_id)
    return translate.thread(await threads.get(call.services, call.access, ref))


async def list_all(call: Call) -> Page4[wire.Thread4]:
    """A page of threads, of one user if one is named."""
    asked: wire.ThreadsQuery4 = call.query
    request = paging.keyset(asked, "created_at")
    user = None if asked.user_uuid is None else UserRef(uuid=asked.user_uuid)
    found = await threads.page_after(call.services, call.access, request, user=user)
    return paging.answer(found, translate.thread)


async def delete(call: Call) -> Reply:
    """Remove a thread with its episodes, and what rested on them alone."""
    erase = threads.erase.bind(call.services, call.access, _ref(call))
    return await idempotency.write(call, erase, translate.task_answer)


async def get_context(call: Call) -> wire.ThreadContext4:
    """The context block of a thread, or the one that a template makes."""
    sent: wire.ContextQuery4 = call.query
    thread = await threads.get(call.services, call.access, _ref(call))
    if sent.template_uuid is None:
        return wire.ThreadContext4(context=await user_context(call, thread.thread_id))
    found = await guidance.template_by_uuid(call.services, call.access, sent.template_uuid)
    block = await context.templated(call.services, call.access, thread.thread_id, found.template_id)
    return wire.ThreadContext4(context=block)


async def list_episodes(call: Call) -> Page4[graphs.Episode4]:
    """A page of the episodes that a thread gave to its graph, in order."""
    asked: PageQuery4 = call.query
    found = await threads.graph_episodes(
        call.services, call.access, _ref(call), paging.size(asked) + 1, paging.after(asked)
    )
    return translate.episodes_page(asked, found)


async def get_summary(call: Call) -> graphs.ThreadSummary4:
    """The summary of a thread, once a message of it was processed."""
    found = await threads.summary(call.services, call.access, _ref(call))
    return translate.thread_summary(found.where, found.value, found.thread_uuids)


async def list_messages(call: Call) -> Page4[wire.Message4]:
    """A page of the messages of a thread, the oldest first unless asked otherwise."""
    asked: wire.MessagesQuery4 = call.query
    found = await threads.messages_after(
        call.services,
        call.access,
        _ref(call),
        paging.size(asked) + 1,
        paging.after(asked),
        newest_first=asked.order == "desc",
    )
    shown, following = paging.past(asked, found.messages)
    return Page4(
        items=[translate.message(found.thread.uuid, message) for message in shown],
        next_cursor=following,
        total_size=found.total,
    )


def _new_message(number: int, sent: wire.AddMessage4, asked: wire.AddMessages4) -> NewEpisode:
    field = f"messages[{number}]"
    if sent.uuid is not None:
        raise InvalidInput(f"{field}.uuid: the server gives messages their ids; leave it out")
    return NewEpisode(
        kind="message",
        content=sent.content,
        role=sent.role,
        speaker=sent.name,
        metadata=sent.metadata,
        ignored=sent.role in (asked.ignore_roles or ()),
        strict_ontology=bool(asked.strict_ontology),
        created_at=checks.moment(f"{field}.reference_time", sent.reference_time),
        expires_at=checks.moment(f"{field}.expires_at", sent.expires_at),
    )


def _added(found: WithTask[Messages]) -> wire.AddedMessages4:
    added = found.value
    messages = [translate.message(added.thread.uuid, message) for message in added.messages]
    return wire.AddedMessages4(messages=messages, task=translate.task(found.task))


async def add_messages(call: Call) -> wire.AddedMessages4:
    """Messages into a thread; they are on disk when this answers."""
    sent: wire.AddMessages4 = call.body
    new = [_new_message(number, message, sent) for number, message in enumerate(sent.messages)]
    remember.check_messages(new)
    add = remember.add_messages_tracked.bind(call.services, call.access, _ref(call), new)
    added = _read_added(await idempotency.answer(call, add, _added))
    if not sent.return_context:
        return added
    thread = await threads.get(call.services, call.access, _ref(call))
    context = await thread_context(call, thread.thread_id)
    return msgspec.structs.replace(added, context=context)


def _message(found: MessageIn) -> wire.Message4:
    return translate.message(found.thread.uuid, found.message)


async def get_message(call: Call) -> wire.Message4:
    """A message of a thread."""
    uuid = call.path["message_uuid"]
    return _message(await threads.message(call.services, call.access, _ref(call), uuid))


async def update_message(call: Call) -> Reply:
    """Merge metadata into a message's."""
    sent: wire.UpdateMetadata4 = call.body
    uuid = call.path["message_uuid"]
    update = threads.update_message.bind(
        call.services, call.access, _ref(call), uuid, sent.metadata
    )
    return await idempotency.write(call, update, _message)


ROUTES = [
    Route("GET", "/threads", "thread.list_all", list_all, "List threads", query=wire.ThreadsQuery4),
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
        body=wire.Lookup4,
        reads=True,
    ),
    Route("GET", "/threads/{thread_uuid}", "thread.get", get, "Get a thread"),
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
    ),
    Route(
        "GET",
        "/threads/{thread_uuid}/episodes",
        "thread.get_episodes",
        list_episodes,
        "List the episodes of a thread",
        query=PageQuery4,
    ),
    Route(
        "GET",
        "/threads/{thread_uuid}/summary",
        "thread.get_summary",
        get_summary,
        "Get the summary of a thread",
    ),
    Route(
        "GET",
        "/threads/{thread_uuid}/messages",
        "thread.get",
        list_messages,
        "List the messages of a thread",
        query=wire.MessagesQuery4,
    ),
    Route(
        "POST",
        "/threads/{thread_uuid}/messages",
        "thread.add_messages",
        add_messages,
        "Add messages to a thread",
        body=wire.AddMessages4,
    ),
    Route(
        "GET",
        "/threads/{thread_uuid}/messages/{message_uuid}",
        "thread.get",
        get_message,
        "Get a message of a thread",
    ),
    Route(
        "PATCH",
        "/threads/{thread_uuid}/messages/{message_uuid}",
        "thread.message.update",
        update_message,
        "Update a message's metadata",
        body=wire.UpdateMetadata4,
        answer=wire.Message4,
        shows="thread.get",
    ),
]
