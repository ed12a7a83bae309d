"""The context that a thread gives: blocks of Zep v2 and v3, and templates."""

from dataclasses import replace

from recollect.api.router import Call, Route
from recollect.app import context
from recollect.compat.zep import translate, wire
from recollect.context.lines import SECTIONS
from recollect.errors import InvalidInput
from recollect.graph.types import Episode, ThreadSummary
from recollect.limits import PAGE_MAX, RECENT_MESSAGES_DEFAULT

# How early clients of Zep v3 ask for the block of Zep v2.
_MODES = (None, "summary", "basic")


def context_call(call: Call) -> Call | None:
    """The same call as far as its key may read contexts; None when it may not."""
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
    return (await context.user_block(call.services, call.access, thread_id)).block.text


def _sections(names: str | None) -> tuple[str, ...]:
    """The sections that are asked for, by their names with commas between; or all."""
    if names is None:
        return SECTIONS
    chosen = tuple(name.strip().upper() for name in names.split(","))
    for name in chosen:
        if name not in SECTIONS:
            known = ", ".join(SECTIONS).lower()
            raise InvalidInput(f"sections: must be some of {known}; got {name[:100].lower()!r}")
    return chosen


def _summary(found: ThreadSummary, newest: list[Episode]) -> wire.Summary:
    covered = [
        message.uuid
        for message in newest
        if found.covered_at is not None and message.created_at <= found.covered_at
    ]
    return wire.Summary(
        uuid=found.uuid,
        content=found.summary,
        metadata=found.metadata,
        created_at=found.updated_at,
        related_message_uuids=covered,
    )


async def get_memory(call: Call) -> wire.Memory:
    """What an agent of Zep v2 reads before a turn."""
    sent: wire.MemoryQuery = call.query
    count = min(sent.lastn or RECENT_MESSAGES_DEFAULT, PAGE_MAX)
    found = await context.session_memory(
        call.services, call.access, call.path["session_id"], count, sent.min_rating
    )
    return wire.Memory(
        context=found.block,
        messages=[translate.message2(episode) for episode in found.newest],
        facts=[fact.fact for fact in found.facts],
        relevant_facts=[translate.fact2(fact) for fact in found.facts],
        summary=None if found.summary is None else _summary(found.summary, found.newest),
        metadata=found.thread.metadata,
    )


async def get_context(call: Call) -> wire.ContextAnswer:
    """The context block of a thread."""
    sent: wire.ContextQuery = call.query
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
        made = await context.user_block(
            services,
            access,
            thread_id,
            sections=_sections(sent.sections),
            max_characters=sent.max_characters,
            min_rating=sent.min_rating,
        )
        text = made.block.text
    return wire.ContextAnswer(context=text)


ROUTES = [
    Route(
        "GET",
        "/sessions/{session_id}/memory",
        "thread.get_user_context",
        get_memory,
        "Get context, facts and newest messages of a session",
        query=wire.MemoryQuery,
    ),
    Route(
        "GET",
        "/threads/{thread_id}/context",
        "thread.get_user_context",
        get_context,
        "Get the context block of a thread",
        query=wire.ContextQuery,
    ),
]
