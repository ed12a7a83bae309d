"""Messages: adding them and reading them back."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from recollect.api.compat.zep import translate, wire
from recollect.api.compat.zep.routes_context import after_storing, context2, context3
from recollect.api.router import Call, Route
from recollect.graph.types import Access, Episode, Thread
from recollect.ingest import intake
from recollect.ingest.intake import MessageWords
from recollect.limits import PAGE_DEFAULT, PAGE_MAX
from recollect.store.protocol import Transaction
from recollect.subjects import episodes, threads

_WORDS_2 = MessageWords(role="role_type", speaker="role")


async def context_after(
    call: Call, assembled: Callable[[Call, str], Awaitable[str]], thread_id: str
) -> str | None:
    """The context after adding messages, as far as the key may read it; None when it may not."""
    access = call.access_for("thread.get_user_context")
    if access is None:
        return None
    return await after_storing(assembled(replace(call, access=access), thread_id))


async def add_memory(call: Call) -> wire.AddMemoryAnswer:
    """Messages of generation 2 into a session."""
    sent: wire.AddMemory = call.body
    ignored = sent.ignore_roles or ()
    messages = [translate.new_message2(n, m, ignored) for n, m in enumerate(sent.messages)]
    intake.check_messages(messages, _WORDS_2)
    session_id = call.path["session_id"]
    await call.services.store.write(intake.add_messages, call.access, session_id, messages)
    call.services.wake_workers()
    context = await context_after(call, context2, session_id) if sent.return_context else None
    return wire.AddMemoryAnswer(context=context)


async def add_messages(call: Call) -> wire.AddMessagesAnswer:
    """Messages of generation 3 into a thread."""
    sent: wire.AddMessages = call.body
    ignored = sent.ignore_roles or ()
    strict = bool(sent.strict_ontology)
    messages = [
        translate.new_message3(n, m, ignored, strict=strict) for n, m in enumerate(sent.messages)
    ]
    intake.check_messages(messages)
    thread_id = call.path["thread_id"]
    receipt = await call.services.store.write(intake.add_messages, call.access, thread_id, messages)
    call.services.wake_workers()
    context = await context_after(call, context3, thread_id) if sent.return_context else None
    return wire.AddMessagesAnswer(
        message_uuids=receipt.uuids, task_id=receipt.task_uuid, context=context
    )


def _read(
    tx: Transaction, access: Access, thread_id: str, sent: wire.MessagesQuery
) -> tuple[Thread, list[Episode], int]:
    thread = threads.get(tx, access, thread_id)
    if sent.lastn:
        found = episodes.last_messages(tx, access, thread, min(sent.lastn, PAGE_MAX))
    else:
        limit = min(sent.limit or PAGE_DEFAULT, PAGE_MAX)
        found = episodes.messages(tx, access, thread, limit=limit, offset=sent.cursor or 0)
    return thread, found, episodes.message_count(tx, access, thread)


async def get_session_messages(call: Call) -> wire.MessageList2:
    """Messages of a session in order."""
    _, found, total = await call.services.store.read(
        _read, call.access, call.path["session_id"], call.query
    )
    messages = [translate.message2(episode) for episode in found]
    return wire.MessageList2(messages=messages, row_count=len(messages), total_count=total)


async def get_thread(call: Call) -> wire.MessageList3:
    """Messages of a thread in order."""
    thread, found, total = await call.services.store.read(
        _read, call.access, call.path["thread_id"], call.query
    )
    messages = [translate.message3(episode) for episode in found]
    return wire.MessageList3(
        messages=messages,
        row_count=len(messages),
        total_count=total,
        thread_created_at=thread.created_at,
        user_id=thread.user_id,
        user_uuid=thread.user_uuid,
    )


def _message(tx: Transaction, access: Access, session_id: str, uuid: str) -> Episode:
    return episodes.of_thread(tx, access, threads.get(tx, access, session_id), uuid)


async def get_session_message(call: Call) -> wire.Message2:
    """One message of a session."""
    found = await call.services.store.read(
        _message, call.access, call.path["session_id"], call.path["message_uuid"]
    )
    return translate.message2(found)


def _update_message(
    tx: Transaction, access: Access, session_id: str, uuid: str, change: wire.Json
) -> Episode:
    _message(tx, access, session_id, uuid)
    return episodes.update_metadata(tx, access, uuid, change)


async def update_session_message(call: Call) -> wire.Message2:
    """Merge metadata into a message's."""
    sent: wire.UpdateMetadata = call.body
    made = await call.services.store.write(
        _update_message,
        call.access,
        call.path["session_id"],
        call.path["message_uuid"],
        sent.metadata,
    )
    return translate.message2(made)


async def update_message(call: Call) -> wire.Message3:
    """Merge metadata into a message's, found by its uuid alone."""
    sent: wire.UpdateMetadata = call.body
    made = await call.services.store.write(
        episodes.update_message, call.access, call.path["message_uuid"], sent.metadata
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
        answer=wire.AddMemoryAnswer,
    ),
    Route(
        "GET",
        "/sessions/{session_id}/messages",
        "thread.get",
        get_session_messages,
        "List the messages of a session",
        query=wire.MessagesQuery,
        answer=wire.MessageList2,
    ),
    Route(
        "GET",
        "/sessions/{session_id}/messages/{message_uuid}",
        "thread.get",
        get_session_message,
        "Get a message of a session",
        answer=wire.Message2,
    ),
    Route(
        "PATCH",
        "/sessions/{session_id}/messages/{message_uuid}",
        "thread.message.update",
        update_session_message,
        "Update a message's metadata",
        body=wire.UpdateMetadata,
        answer=wire.Message2,
        shows="thread.get",
    ),
    Route(
        "POST",
        "/threads/{thread_id}/messages",
        "thread.add_messages",
        add_messages,
        "Add messages to a thread",
        body=wire.AddMessages,
        answer=wire.AddMessagesAnswer,
    ),
    Route(
        "POST",
        "/threads/{thread_id}/messages-batch",
        "thread.add_messages",
        add_messages,
        "Add messages to a thread",
        body=wire.AddMessages,
        answer=wire.AddMessagesAnswer,
    ),
    Route(
        "GET",
        "/threads/{thread_id}/messages",
        "thread.get",
        get_thread,
        "List the messages of a thread",
        query=wire.MessagesQuery,
        answer=wire.MessageList3,
    ),
    Route(
        "PATCH",
        "/messages/{message_uuid}",
        "thread.message.update",
        update_message,
        "Update a message's metadata",
        body=wire.UpdateMetadata,
        answer=wire.Message3,
        shows="thread.get",
    ),
]
