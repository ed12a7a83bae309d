"""Messages: adding them, reading them back, and the context they give."""

from collections.abc import Callable, Sequence

from recollect.api.compat.zep import translate, wire
from recollect.api.router import Call, Route
from recollect.context import assemble
from recollect.errors import NotServed
from recollect.graph.types import Access, Episode, Fact, NewEpisode, Thread
from recollect.ingest import intake
from recollect.ingest.intake import MessageWords, Receipt
from recollect.limits import (
    CONTEXT_FACTS_MAX,
    PAGE_DEFAULT,
    PAGE_MAX,
    RECENT_MESSAGES_DEFAULT,
)
from recollect.store.protocol import Transaction
from recollect.subjects import episodes, graphs, knowledge, threads, users

_WORDS_2 = MessageWords(role="role_type", speaker="role")

# A context block of one generation: a function of the thread and the least rating wanted.
Block = Callable[[Transaction, Access, Thread, float | None], str]


def _store(
    tx: Transaction,
    access: Access,
    thread_id: str,
    messages: Sequence[NewEpisode],
    block: Block | None,
) -> tuple[Receipt, str | None]:
    """Append, and read the context in the same unit: stored and answered, or neither."""
    receipt = intake.add_messages(tx, access, thread_id, messages)
    if block is None:
        return receipt, None
    return receipt, block(tx, access, threads.get(tx, access, thread_id), None)


async def add_memory(call: Call) -> wire.AddMemoryAnswer:
    """Messages of generation 2 into a session."""
    sent: wire.AddMemory = call.body
    ignored = sent.ignore_roles or ()
    messages = [translate.new_message2(n, m, ignored) for n, m in enumerate(sent.messages)]
    intake.check_messages(messages, _WORDS_2)
    block = _block2 if sent.return_context else None
    _, context = await call.services.store.write(
        _store, call.access, call.path["session_id"], messages, block
    )
    call.services.wake_workers()
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
    block = _block3 if sent.return_context else None
    receipt, context = await call.services.store.write(
        _store, call.access, call.path["thread_id"], messages, block
    )
    call.services.wake_workers()
    return wire.AddMessagesAnswer(
        message_uuids=receipt.uuids, task_id=receipt.task_uuid, context=context
    )


def _read(
    tx: Transaction, access: Access, thread_id: str, sent: wire.MessagesQuery
) -> tuple[Thread, list[Episode], int]:
    thread = threads.get(tx, access, thread_id)
    if sent.lastn:
        found = episodes.last_messages(tx, thread, min(sent.lastn, PAGE_MAX))
    else:
        limit = min(sent.limit or PAGE_DEFAULT, PAGE_MAX)
        found = episodes.messages(tx, thread, limit=limit, offset=sent.cursor or 0)
    return thread, found, episodes.message_count(tx, thread)


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


def _facts(tx: Transaction, access: Access, thread: Thread, min_rating: float | None) -> list[Fact]:
    graph = graphs.of_user(tx, access, thread.user_id)
    found = knowledge.facts_holding(tx, graph, CONTEXT_FACTS_MAX)
    if min_rating is None:
        return found
    # A fact nobody rated is not below the mark.
    return [fact for fact in found if fact.rating is None or fact.rating >= min_rating]


def _block2(tx: Transaction, access: Access, thread: Thread, min_rating: float | None) -> str:
    node = users.node(tx, access, thread.user_id)
    return assemble.block(_facts(tx, access, thread, min_rating), [node])


def _block3(tx: Transaction, access: Access, thread: Thread, min_rating: float | None) -> str:
    node = users.node(tx, access, thread.user_id)
    return assemble.user_block(node.summary, _facts(tx, access, thread, min_rating))


def _context(
    tx: Transaction, access: Access, thread_id: str, block: Block, min_rating: float | None
) -> str:
    return block(tx, access, threads.get(tx, access, thread_id), min_rating)


def _memory(
    tx: Transaction, access: Access, session_id: str, sent: wire.MemoryQuery
) -> wire.Memory:
    thread = threads.get(tx, access, session_id)
    count = min(sent.lastn or RECENT_MESSAGES_DEFAULT, PAGE_MAX)
    facts = _facts(tx, access, thread, sent.min_rating)
    node = users.node(tx, access, thread.user_id)
    return wire.Memory(
        context=assemble.block(facts, [node]),
        messages=[translate.message2(e) for e in episodes.last_messages(tx, thread, count)],
        facts=[fact.fact for fact in facts],
        relevant_facts=[translate.fact2(fact) for fact in facts],
        metadata=thread.metadata,
    )


async def get_memory(call: Call) -> wire.Memory:
    """What an agent of generation 2 reads before a turn."""
    return await call.services.store.read(_memory, call.access, call.path["session_id"], call.query)


async def get_context(call: Call) -> wire.ContextAnswer:
    """The context block of a thread."""
    sent: wire.ContextQuery = call.query
    if sent.template_id is not None:
        raise NotServed("thread.get_user_context with `template_id` is not served yet")
    block = _block2 if sent.mode == "basic" else _block3
    text = await call.services.store.read(
        _context, call.access, call.path["thread_id"], block, sent.min_rating
    )
    return wire.ContextAnswer(context=text)


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
        "/sessions/{session_id}/memory",
        "thread.get_user_context",
        get_memory,
        "Get context, facts and newest messages of a session",
        query=wire.MemoryQuery,
        answer=wire.Memory,
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
        "GET",
        "/threads/{thread_id}/context",
        "thread.get_user_context",
        get_context,
        "Get the context block of a thread",
        query=wire.ContextQuery,
        answer=wire.ContextAnswer,
    ),
    Route(
        "PATCH",
        "/messages/{message_uuid}",
        "thread.message.update",
        update_message,
        "Update a message's metadata",
        body=wire.UpdateMetadata,
        answer=wire.Message3,
    ),
]
