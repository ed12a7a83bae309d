"""Messages: adding and reading them, and their context: blocks of Zep v2 and v3, and templates."""

from dataclasses import replace

from recollect.api.router import Call, Route
from recollect.app import context, remember, threads
from recollect.app.refs import ThreadRef
from recollect.app.remember import MessageWords
from recollect.app.threads import Messages
from recollect.compat.zep import translate
from recollect.compat.zep.wire import messages as messages_wire
from recollect.compat.zep.wire import threads as threads_wire
from recollect.context.lines import SECTIONS
from recollect.errors import InvalidInput
from recollect.graph.types import Episode, ThreadSummary
from recollect.limits import PAGE_DEFAULT, PAGE_MAX, RECENT_MESSAGES_DEFAULT

_WORDS_2 = MessageWords(role="role_type", speaker="role")


async def add_memory(call: Call) -> messages_wire.AddMemoryAnswer:
    """Messages of Zep v2 into a session."""
    sent: messages_wire.AddMemory = call.body
    ignored = sent.ignore_roles or ()
    messages = [translate.new_message2(n, m, ignored) for n, m in enumerate(sent.messages)]
    remember.check_messages(messages, _WORDS_2)
    session_id = call.path["session_id"]
    ref = ThreadRef(thread_id=session_id)
    await remember.add_messages(call.services, call.access, ref, messages)
    context = await session_context(call, session_id) if sent.return_context else None
    return messages_wire.AddMemoryAnswer(context=context)


async def add_messages(call: Call) -> messages_wire.AddMessagesAnswer:
    """Messages of Zep v3 into a thread."""
    sent: messages_wire.AddMessages = call.body
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
    return messages_wire.AddMessagesAnswer(
        message_uuids=receipt.uuids, task_id=receipt.task_uuid, context=context
    )


async def _read(call: Call, thread_id: str) -> Messages:
    sent: messages_wire.MessagesQuery = call.query
    ref = ThreadRef(thread_id=thread_id)
    if sent.lastn:
        count = min(sent.lastn, PAGE_MAX)
        return await threads.last_messages(call.services, call.access, ref, count)
    limit = min(sent.limit or PAGE_DEFAULT, PAGE_MAX)
    return await threads.messages(
        call.services, call.access, ref, limit=limit, offset=sent.cursor or 0
    )


async def get_session_messages(call: Call) -> messages_wire.MessageList2:
    """Messages of a session in order."""
    found = await _read(call, call.path["session_id"])
    messages = [translate.message2(episode) for episode in found.messages]
    return messages_wire.MessageList2(
        messages=messages, row_count=len(messages), total_count=found.total
    )


async def get_thread(call: Call) -> messages_wire.MessageList3:
    """Messages of a thread in order."""
    return translate.message_list3(await _read(call, call.path["thread_id"]))


async def get_session_message(call: Call) -> messages_wire.Message2:
    """One message of a session."""
    ref, uuid = ThreadRef(thread_id=call.path["session_id"]), call.path["message_uuid"]
    found = await threads.message(call.services, call.access, ref, uuid)
    return translate.message2(found.message)


async def update_session_message(call: Call) -> messages_wire.Message2:
    """Merge metadata into a message's."""
    sent: messages_wire.UpdateMetadata = call.body
    ref, uuid = ThreadRef(thread_id=call.path["session_id"]), call.path["message_uuid"]
    made = await threads.update_message(call.services, call.access, ref, uuid, sent.metadata)
    return translate.message2(made.message)


async def update_message(call: Call) -> messages_wire.Message3:
    """Merge metadata into a message's, found by its uuid alone."""
    sent: messages_wire.UpdateMetadata = call.body
    made = await threads.update_any_message(
        call.services, call.access, call.path["message_uuid"], sent.metadata
    )
    return translate.message3(made)


# This is how early clients of Zep v3 request the block of Zep v2.
_MODES = (None, "summary", "basic")


def context_call(call: Call) -> Call | None:
    """The call with the key's access for reading contexts; None if it may not."""
    access = call.access_for("thread.get_user_context")
    return None if access is None else replace(call, access=access)


async def session_context(call: Call, session_id: str) -> str | None:
    """The block that Zep v2 reads after adding messages, if the key may read it."""
    asked = context_call(call)
    if asked is None:
        return None
    block = context.session_block(asked.services, asked.access, session_id)
    return await context.after_storing(block)


async def thread_context(call: Call, thread_id: str) -> str | None:
    """The block that Zep v3 and v4 read after adding messages, if the key may read it."""
    asked = context_call(call)
    return None if asked is None else await context.after_storing(user_context(asked, thread_id))


async def user_context(call: Call, thread_id: str) -> str:
    """The block that Zep v3 and v4 read."""
    return await context.user_block(call.services, call.access, thread_id)


def _sections(names: str | None) -> tuple[str, ...]:
    """The requested sections, from comma-separated names; all by default."""
    if names is None:
        return SECTIONS
    chosen = tuple(name.strip().upper() for name in names.split(","))
    for name in chosen:
        if name not in SECTIONS:
            known = ", ".join(SECTIONS).lower()
            raise InvalidInput(f"sections: must be some of {known}; got {name[:100].lower()!r}")
    return chosen


def _summary(found: ThreadSummary, newest: list[Episode]) -> threads_wire.Summary:
    covered = [
        message.uuid
        for message in newest
        if found.covered_at is not None and message.created_at <= found.covered_at
    ]
    return threads_wire.Summary(
        uuid=found.uuid,
        content=found.summary,
        metadata=found.metadata,
        created_at=found.updated_at,
        related_message_uuids=covered,
    )


async def get_memory(call: Call) -> messages_wire.Memory:
    """What an agent of Zep v2 reads before a turn."""
    sent: messages_wire.MemoryQuery = call.query
    count = min(sent.lastn or RECENT_MESSAGES_DEFAULT, PAGE_MAX)
    found = await context.session_memory(
        call.services, call.access, call.path["session_id"], count, sent.min_rating
    )
    return messages_wire.Memory(
        context=found.block,
        messages=[translate.message2(episode) for episode in found.newest],
        facts=[fact.fact for fact in found.facts],
        relevant_facts=[translate.fact2(fact) for fact in found.facts],
        summary=None if found.summary is None else _summary(found.summary, found.newest),
        metadata=found.thread.metadata,
    )


async def get_context(call: Call) -> messages_wire.ContextAnswer:
    """The context block of a thread."""
    sent: messages_wire.ContextQuery = call.query
    if sent.mode not in _MODES:
        known = ", ".join(mode for mode in _MODES if mode)
        raise InvalidInput(f"mode: must be one of {known}")
    services, access, thread_id = call.services, call.access, call.path["thread_id"]
    if sent.template_id is not None:
        text = await context.templated(
            services,
            access,
            thread_id,
            sent.template_id,
            max_characters=sent.max_characters,
            min_rating=sent.min_rating,
        )
    elif sent.mode == "basic":
        text = await context.basic_block(services, access, thread_id, sent.min_rating)
    else:
        text = await context.user_block(
            services,
            access,
            thread_id,
            sections=_sections(sent.sections),
            max_characters=sent.max_characters,
            min_rating=sent.min_rating,
        )
    return messages_wire.ContextAnswer(context=text)


ROUTES = [
    Route(
        "POST",
        "/sessions/{session_id}/memory",
        "thread.add_messages",
        add_memory,
        "Add messages to a session",
        body=messages_wire.AddMemory,
    ),
    Route(
        "GET",
        "/sessions/{session_id}/messages",
        "thread.get",
        get_session_messages,
        "List the messages of a session",
        query=messages_wire.MessagesQuery,
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
        body=messages_wire.UpdateMetadata,
        shows="thread.get",
    ),
    Route(
        "POST",
        "/threads/{thread_id}/messages",
        "thread.add_messages",
        add_messages,
        "Add messages to a thread",
        body=messages_wire.AddMessages,
    ),
    Route(
        "POST",
        "/threads/{thread_id}/messages-batch",
        "thread.add_messages",
        add_messages,
        "Add messages to a thread",
        body=messages_wire.AddMessages,
    ),
    Route(
        "GET",
        "/threads/{thread_id}/messages",
        "thread.get",
        get_thread,
        "List the messages of a thread",
        query=messages_wire.MessagesQuery,
    ),
    Route(
        "PATCH",
        "/messages/{message_uuid}",
        "thread.message.update",
        update_message,
        "Update a message's metadata",
        body=messages_wire.UpdateMetadata,
        shows="thread.get",
    ),
    Route(
        "GET",
        "/sessions/{session_id}/memory",
        "thread.get_user_context",
        get_memory,
        "Get context, facts and newest messages of a session",
        query=messages_wire.MemoryQuery,
    ),
    Route(
        "GET",
        "/threads/{thread_id}/context",
        "thread.get_user_context",
        get_context,
        "Get the context block of a thread",
        query=messages_wire.ContextQuery,
    ),
]
