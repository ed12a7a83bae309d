"""The context that a thread gives: blocks of both generations, and templates."""

from collections.abc import Awaitable

from recollect import log
from recollect.api.compat.zep import translate, wire
from recollect.api.router import Call, Route
from recollect.context import assemble, gather, render, templates
from recollect.context.defusing import SECTIONS
from recollect.context.gather import Asked, Gatherer, Wanted
from recollect.errors import InvalidInput, NotFound
from recollect.graph.types import Access, Episode, Record, Thread
from recollect.limits import (
    BLOCK_ENTITIES_MAX,
    BLOCK_FACTS_MAX,
    BLOCK_MESSAGES_2,
    BLOCK_MESSAGES_3,
    CONTEXT_CHARS_MAX,
    PAGE_MAX,
    RECENT_MESSAGES_DEFAULT,
)
from recollect.search.query import Found
from recollect.store.protocol import Transaction
from recollect.subjects import derived, episodes, guidance, threads

_WANTED_2 = Wanted(facts=BLOCK_FACTS_MAX, entities=BLOCK_ENTITIES_MAX)
# How early clients of generation 3 ask for the block of generation 2.
_MODES = (None, "summary", "basic")
_AS_USUAL = wire.ContextQuery()
_log = log.get(__name__)


async def after_storing(context: Awaitable[str]) -> str | None:
    """A context asked for along with adding messages; None when there is no getting it.

    The messages are stored by then. An error would make clients send them again, and they would
    be there twice; the context can be asked for again at no such cost.
    """
    try:
        return await context
    except Exception as error:  # noqa: BLE001 - whatever it is, the messages are stored
        _log.warning("context.failed", exc_info=error)
        return None


async def _asked(call: Call, thread_id: str, messages: int) -> Gatherer:
    """Ready to collect what the newest messages of a thread ask for."""
    services = call.services
    count = services.settings.context_messages or messages
    asked = await services.store.read(gather.ask, call.access, thread_id, count)
    return Gatherer(services.store, services.finder, call.access, asked, services.clock())


def _facts_block(call: Call, asked: Asked, found: Found) -> str:
    """The block of generation 2, in which the user is one of the entities."""
    own = [] if asked.user is None else [asked.user]
    entities = [*own, *(hit.item for hit in found.entities)]
    room = call.services.settings.context_chars_max
    return assemble.facts_block([hit.item for hit in found.facts], entities, room)


async def context2(call: Call, thread_id: str) -> str:
    """The block that generation 2 reads."""
    gatherer = await _asked(call, thread_id, BLOCK_MESSAGES_2)
    return _facts_block(call, gatherer.asked, await gatherer.everything(_WANTED_2))


async def context3(call: Call, thread_id: str, sent: wire.ContextQuery = _AS_USUAL) -> str:
    """The block that generation 3 reads."""
    return (await told3(call, thread_id, sent)).block.text


class Told3(Record):
    """The block that generation 3 reads: what it was searched for with, the block, and what was
    found and fits so much worse than the best that it was not considered."""

    asked: str
    block: assemble.Told
    found: Found
    candidates: Found


async def told3(call: Call, thread_id: str, sent: wire.ContextQuery) -> Told3:
    """The block that generation 3 reads, and what is not in it."""
    sections = _sections(sent.sections)
    gatherer = await _asked(call, thread_id, BLOCK_MESSAGES_3)
    candidates = await gatherer.candidates(gather.ALL_KINDS, sent.min_rating)
    found = gather.relevant(candidates)
    user = gatherer.asked.user
    summary = None if user is None else user.summary
    block = assemble.user_told(summary, found, _room(call, sent), sections)
    return Told3(asked=gatherer.asked.text, block=block, found=found, candidates=candidates)


def _room(call: Call, sent: wire.ContextQuery) -> int:
    """How many characters a block may have: as many as are asked for, or as usual."""
    if sent.max_characters is None:
        return call.services.settings.context_chars_max
    if sent.max_characters < 1:
        raise InvalidInput(f"max_characters: must be 1 or more, got {sent.max_characters}")
    return min(sent.max_characters, CONTEXT_CHARS_MAX)


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


def _recent(
    tx: Transaction, access: Access, thread: Thread, count: int
) -> tuple[list[Episode], wire.Summary | None]:
    """The newest messages of a session, and what it is about as far as that was summed up."""
    newest = episodes.last_messages(tx, access, thread, count)
    try:
        found = derived.thread_summary(tx, access, thread.thread_id)
    except NotFound:
        return newest, None
    summed = [
        message.uuid
        for message in newest
        if found.covered_at is not None and message.created_at <= found.covered_at
    ]
    return newest, wire.Summary(
        uuid=found.uuid,
        content=found.summary,
        metadata=found.metadata,
        created_at=found.updated_at,
        related_message_uuids=summed,
    )


async def get_memory(call: Call) -> wire.Memory:
    """What an agent of generation 2 reads before a turn."""
    sent: wire.MemoryQuery = call.query
    session_id = call.path["session_id"]
    thread = await call.services.store.glance(threads.get, call.access, session_id)
    gatherer = await _asked(call, session_id, BLOCK_MESSAGES_2)
    count = min(sent.lastn or RECENT_MESSAGES_DEFAULT, PAGE_MAX)
    newest, summary = await call.services.store.read(_recent, call.access, thread, count)
    found = await gatherer.everything(_WANTED_2, sent.min_rating)
    facts = [hit.item for hit in found.facts]
    return wire.Memory(
        context=_facts_block(call, gatherer.asked, found),
        messages=[translate.message2(episode) for episode in newest],
        facts=[fact.fact for fact in facts],
        relevant_facts=[translate.fact2(fact) for fact in facts],
        summary=summary,
        metadata=thread.metadata,
    )


async def _templated(call: Call, template_id: str, sent: wire.ContextQuery) -> str:
    """The block that a template of the project makes."""
    template = await call.services.store.read(guidance.get_template, call.access, template_id)
    gatherer = await _asked(call, call.path["thread_id"], BLOCK_MESSAGES_3)
    pieces = templates.parse(template.text)
    return await render.render(pieces, gatherer, _room(call, sent), sent.min_rating)


async def get_context(call: Call) -> wire.ContextAnswer:
    """The context block of a thread."""
    sent: wire.ContextQuery = call.query
    if sent.mode not in _MODES:
        known = ", ".join(mode for mode in _MODES if mode)
        raise InvalidInput(f"mode: must be one of {known}")
    if sent.template_id is not None:
        text = await _templated(call, sent.template_id, sent)
    elif sent.mode == "basic":
        gatherer = await _asked(call, call.path["thread_id"], BLOCK_MESSAGES_3)
        found = await gatherer.everything(_WANTED_2, sent.min_rating)
        text = _facts_block(call, gatherer.asked, found)
    else:
        text = await context3(call, call.path["thread_id"], sent)
    return wire.ContextAnswer(context=text)


ROUTES = [
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
        "/threads/{thread_id}/context",
        "thread.get_user_context",
        get_context,
        "Get the context block of a thread",
        query=wire.ContextQuery,
        answer=wire.ContextAnswer,
    ),
]
