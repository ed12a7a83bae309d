"""Prompt context for a thread: blocks in the form that Zep's clients expect, and templates."""

from collections.abc import Awaitable, Sequence
from typing import Any

from recollect import log
from recollect.app import injections
from recollect.app.services import Services
from recollect.context import blocks, gather, templates
from recollect.context.gather import Gatherer
from recollect.context.lines import SECTIONS
from recollect.errors import InvalidInput, NotFound
from recollect.graph.types import Access, Entity, Episode, Fact, Record, Thread, ThreadSummary
from recollect.limits import (
    BLOCK_ENTITIES_MAX,
    BLOCK_FACTS_MAX,
    BLOCK_MESSAGES_2,
    BLOCK_MESSAGES_3,
    CONTEXT_CHARS_MAX,
)
from recollect.records import derived, episodes, guidance, threads
from recollect.search.query import Hit
from recollect.store.protocol import Transaction

_FACTS_AND_ENTITIES: gather.Limits = {"fact": BLOCK_FACTS_MAX, "entity": BLOCK_ENTITIES_MAX}
_log = log.get(__name__)


class UserBlock(Record):
    """A block with a section for each kind, and how it came about.

    *asked* is the search text, *candidates* are all hits, and *found* those close enough to the best one
    to be considered.
    """

    asked: str
    block: blocks.Block
    found: list[Hit[Any]]
    candidates: list[Hit[Any]]


class SessionMemory(Record):
    """A block of facts and entities with the facts behind it, the newest messages of the thread, and
    its summary if there is one yet."""

    thread: Thread
    block: str
    facts: list[Fact]
    newest: list[Episode]
    summary: ThreadSummary | None


async def after_storing(context: Awaitable[str]) -> str | None:
    """The context that a request to add messages also asked for; None if it could not be built.

    The messages are already stored. An error would make clients send them again and store them twice,
    whereas the context can be requested again at no such cost.
    """
    try:
        return await context
    except Exception as error:  # noqa: BLE001 - whatever it is, the messages are stored
        _log.warning("context.failed", exc_info=error)
        return None


async def _gatherer(services: Services, access: Access, thread_id: str, messages: int) -> Gatherer:
    """A gatherer for what is relevant to the newest messages of a thread."""
    count = services.settings.context_messages or messages
    asked = await services.store.read(gather.thread_request, access, thread_id, count)
    return injections.gatherer(services, access, asked)


def _room(services: Services, max_characters: int | None) -> int:
    """How many characters a block may have: the requested number, or the configured default."""
    if max_characters is None:
        return services.settings.context_chars_max
    if max_characters < 1:
        raise InvalidInput(f"max_characters: must be 1 or more, got {max_characters}")
    return min(max_characters, CONTEXT_CHARS_MAX)


async def _facts_block(services: Services, gatherer: Gatherer, found: Sequence[Hit[Any]]) -> str:
    """Facts and entities; the user is one of the entities."""
    own = [] if gatherer.request.user is None else [gatherer.request.user]
    entities = [*own, *(hit.item for hit in found if isinstance(hit.item, Entity))]
    room = services.settings.context_chars_max
    block = blocks.facts_block(_facts(found), entities, room)
    return await injections.keep(services, gatherer, "facts", block)


def _facts(found: Sequence[Hit[Any]]) -> list[Fact]:
    return [hit.item for hit in found if isinstance(hit.item, Fact)]


async def session_block(services: Services, access: Access, thread_id: str) -> str:
    """Facts and entities, with the number of messages that Zep v2 uses as the question."""
    gatherer = await _gatherer(services, access, thread_id, BLOCK_MESSAGES_2)
    found = await gatherer.everything(_FACTS_AND_ENTITIES)
    return await _facts_block(services, gatherer, found)


async def basic_block(
    services: Services, access: Access, thread_id: str, min_rating: float | None
) -> str:
    """Facts and entities, with the number of messages that Zep v3 uses as the question."""
    gatherer = await _gatherer(services, access, thread_id, BLOCK_MESSAGES_3)
    found = await gatherer.everything(_FACTS_AND_ENTITIES, min_rating)
    return await _facts_block(services, gatherer, found)


async def session_memory(
    services: Services, access: Access, thread_id: str, count: int, min_rating: float | None
) -> SessionMemory:
    """What a Zep v2 agent reads before a turn, with the *count* newest messages."""
    thread = await services.store.glance(threads.get, access, thread_id)
    gatherer = await _gatherer(services, access, thread_id, BLOCK_MESSAGES_2)
    newest, summary = await services.store.read(_recent, access, thread, count)
    found = await gatherer.everything(_FACTS_AND_ENTITIES, min_rating)
    return SessionMemory(
        thread=thread,
        block=await _facts_block(services, gatherer, found),
        facts=_facts(found),
        newest=newest,
        summary=summary,
    )


def _recent(
    tx: Transaction, access: Access, thread: Thread, count: int
) -> tuple[list[Episode], ThreadSummary | None]:
    newest = episodes.last_messages(tx, access, thread, count)
    try:
        return newest, derived.thread_summary(tx, access, thread.thread_id)
    except NotFound:
        return newest, None


async def user_block(
    services: Services,
    access: Access,
    thread_id: str,
    *,
    sections: tuple[str, ...] = SECTIONS,
    max_characters: int | None = None,
    min_rating: float | None = None,
) -> str:
    """A summary of the user and a section for each kind."""
    gatherer = await _gatherer(services, access, thread_id, BLOCK_MESSAGES_3)
    room = _room(services, max_characters)
    made = await _user_block(gatherer, sections, room, min_rating)
    usual = (sections, max_characters, min_rating) == (SECTIONS, None, None)
    return await injections.keep(services, gatherer, "block" if usual else "narrowed", made.block)


async def explained_block(
    services: Services, access: Access, thread_id: str, *, max_characters: int | None = None
) -> UserBlock:
    """The same block with its candidates, for inspection; not recorded in the injection log."""
    gatherer = await _gatherer(services, access, thread_id, BLOCK_MESSAGES_3)
    return await _user_block(gatherer, SECTIONS, _room(services, max_characters), None)


async def _user_block(
    gatherer: Gatherer, sections: tuple[str, ...], room: int, min_rating: float | None
) -> UserBlock:
    candidates = await gatherer.candidates(gather.ALL_KINDS, min_rating)
    found = gather.relevant(candidates)
    user = gatherer.request.user
    summary = None if user is None else user.summary
    block = blocks.user_block(summary, found, room, sections)
    return UserBlock(asked=gatherer.request.text, block=block, found=found, candidates=candidates)


async def templated(
    services: Services,
    access: Access,
    thread_id: str,
    template_id: str,
    *,
    max_characters: int | None = None,
    min_rating: float | None = None,
) -> str:
    """The block rendered from one of the project's templates."""
    template = await services.store.read(guidance.get_template, access, template_id)
    gatherer = await _gatherer(services, access, thread_id, BLOCK_MESSAGES_3)
    pieces = templates.parse(template.text)
    room = _room(services, max_characters)
    block = await templates.render(pieces, gatherer, room, min_rating)
    return await injections.keep(services, gatherer, "template", block)
