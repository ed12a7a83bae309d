"""Messages: adding them and reading them back."""

from recollect.api.router import Call, Route
from recollect.app import remember, threads
from recollect.app.refs import ThreadRef
from recollect.app.remember import MessageWords
from recollect.app.threads import Messages
from recollect.compat.zep import translate, wire
from recollect.compat.zep.routes_context import session_context, thread_context
from recollect.limits import PAGE_DEFAULT, PAGE_MAX

_WORDS_2 = MessageWords(role="role_type", speaker="role")


async def add_memory(call: Call) -> wire.AddMemoryAnswer:
    """Messages of Zep v2 into a session."""
    sent: wire.AddMemory = call.body
    ignored = sent.ignore_roles or ()
    messages = [translate.new_message2(n, m, ignored) for n, m in enumerate(sent.messages)]
    remember.check_messages(messages, _WORDS_2)
    session_id = call.path["session_id"]
    ref = ThreadRef(thread_id=session_id)
    await remember.add_messages(call.services, call.access, ref, messages)
    context = await session_context(call, session_id) if sent.return_context else None
    return wire.AddMemoryAnswer(context=context)


async def add_messages(call: Call) -> wire.AddMessagesAnswer:
    """Messages of Zep v3 into a thread."""
    sent: wire.AddMessages = call.body
    ignored = sent.ignore_roles or ()
    strict = bool(sent.strict_ontology)
    messages = [
        translate.new_message3(n, m, ignored, strict=strict) for n, m in enumerate(sent.messages)
    ]
    remember.check_messages(messages)
    thread_id = call.path["thread_id"]
    ref = ThreadRef(thread_id=thread_id)
    receipt = await remember.add_messages(call.services, call.access, ref, messages)
    context = await thread_context(call, thread_id) if sent.return_context else None
    return wire.AddMessagesAnswer(
        message_uuids=receipt.uuids, task_id=receipt.task_uuid, context=context
    )


async def _read(call: Call, thread_id: str) -> Messages:
    sent: wire.MessagesQuery = call.query
    ref = ThreadRef(thread_id=thread_id)
    if sent.lastn:
        count = min(sent.lastn, PAGE_MAX)
        return await threads.last_messages(call.services, call.access, ref, count)
    limit = min(sent.limit or PAGE_DEFAULT, PAGE_MAX)
    return await threads.messages(
        call.services, call.access, ref, limit=limit, offset=sent.cursor or 0
    )


async def get_session_messages(call: Call) -> wire.MessageList2:
    """Messages of a session in order."""
    found = await _read(call, call.path["session_id"])
    messages = [translate.message2(episode) for episode in found.messages]
    return wire.MessageList2(messages=messages, row_count=len(messages), total_count=found.total)


async def get_thread(call: Call) -> wire.MessageList3:
    """Messages of a thread in order."""
    found = await _read(call, call.path["thread_id"])
    messages = [translate.message3(episode) for episode in found.messages]
    return wire.MessageList3(
        messages=messages,
        row_count=len(messages),
        total_count=found.total,
        thread_created_at=found.thread.created_at,
        user_id=found.thread.user_id,
        user_uuid=found.thread.user_uuid,
    )


async def get_session_message(call: Call) -> wire.Message2:
    """One message of a session."""
    ref, uuid = ThreadRef(thread_id=call.path["session_id"]), call.path["message_uuid"]
    found = await threads.message(call.services, call.access, ref, uuid)
    return translate.message2(found.message)


async def update_session_message(call: Call) -> wire.Message2:
    """Merge metadata into a message's."""
    sent: wire.UpdateMetadata = call.body
    ref, uuid = ThreadRef(thread_id=call.path["session_id"]), call.path["message_uuid"]
    made = await threads.update_message(call.services, call.access, ref, uuid, sent.metadata)
    return translate.message2(made.message)


async def update_message(call: Call) -> wire.Message3:
    """Merge metadata into a message's, found by its uuid alone."""
    sent: wire.UpdateMetadata = call.body
    made = await threads.update_any_message(
        call.services, call.access, call.path["message_uuid"], sent.metadata
    )
    return translate.message3(made)


ROUTES = [
    Route(
        "POST",
        "/sessions/{session_id}/memory",
        "thread.add_messages",
        add_memory,
        "Add messages to a session",
        body=wire.AddMemory,
    ),
    Route(
        "GET",
        "/sessions/{session_id}/messages",
        "thread.get",
        get_session_messages,
        "List the messages of a session",
        query=wire.MessagesQuery,
    ),
    Route(
        "GET",
        "/sessions/{session_id}/messages/{message_uuid}",
        "thread.get",
        get_session_message,
        "Get a message of a session",
    ),
    Route(
        "PATCH",
        "/sessions/{session_id}/messages/{message_uuid}",
        "thread.message.update",
        update_session_message,
        "Update a message's metadata",
        body=wire.UpdateMetadata,
        shows="thread.get",
    ),
    Route(
        "POST",
        "/threads/{thread_id}/messages",
        "thread.add_messages",
        add_messages,
        "Add messages to a thread",
        body=wire.AddMessages,
    ),
    Route(
        "POST",
        "/threads/{thread_id}/messages-batch",
        "thread.add_messages",
        add_messages,
        "Add messages to a thread",
        body=wire.AddMessages,
    ),
    Route(
        "GET",
        "/threads/{thread_id}/messages",
        "thread.get",
        get_thread,
        "List the messages of a thread",
        query=wire.MessagesQuery,
    ),
    Route(
        "PATCH",
        "/messages/{message_uuid}",
        "thread.message.update",
        update_message,
        "Update a message's metadata",
        body=wire.UpdateMetadata,
        shows="thread.get",
    ),
]
