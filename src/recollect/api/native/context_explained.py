"""The context of a thread with its reasons: the exact text, and what was found and left out."""

from collections.abc import Iterator

import msgspec

from recollect.api.compat.zep import wire
from recollect.api.compat.zep.routes_context import Told3, told3
from recollect.api.router import Call, Route
from recollect.context.defusing import SAFE
from recollect.context.lines import Item, told
from recollect.search.query import Found, Ranked

_SECTIONS = {
    "facts": "FACTS",
    "entities": "ENTITIES",
    "episodes": "EPISODES",
    "observations": "OBSERVATIONS",
    "thread_summaries": "THREAD_SUMMARIES",
}
_WORSE = "fits much worse than the best"


class ExplainContext(msgspec.Struct):
    """How many characters the block may have; the rest is as an agent asks."""

    max_characters: int | None = None


class LeftOutOfContext(msgspec.Struct):
    """Something that was found and is not told: the line it would have been, and why it is none."""

    section: str
    uuid: str
    line: str
    why: str


class ExplainedContext(msgspec.Struct):
    """The exact text that an agent gets, what it was searched for with, and what is not in it."""

    context: str
    asked: str
    left_out: list[LeftOutOfContext]


async def explain(call: Call) -> ExplainedContext:
    """The context block of a thread as an agent gets it, and what was left out of it and why."""
    sent = wire.ContextQuery(max_characters=call.query.max_characters)
    made = await told3(call, call.path["thread_id"], sent)
    return ExplainedContext(
        context=made.block.text, asked=made.asked, left_out=list(_left_out(made))
    )


def _left_out(made: Told3) -> Iterator[LeftOutOfContext]:
    for one in made.block.left_out:
        yield _shown(one.section, one.item, one.why)
    for field, section in _SECTIONS.items():
        kept = {hit.item.id for hit in _hits(made.found, field)}
        for hit in _hits(made.candidates, field):
            if hit.item.id not in kept:
                yield _shown(section, hit.item, _WORSE)


def _hits(found: Found, field: str) -> tuple[Ranked[Item], ...]:
    hits: tuple[Ranked[Item], ...] = getattr(found, field)
    return hits


def _shown(section: str, item: Item, why: str) -> LeftOutOfContext:
    return LeftOutOfContext(section=section, uuid=item.uuid, line=told(item, SAFE), why=why)


ROUTES = [
    Route(
        "GET",
        "/api/v1/threads/{thread_id}/context",
        "thread.get_user_context",
        explain,
        "Get the context block of a thread, with what was left out",
        query=ExplainContext,
        answer=ExplainedContext,
    )
]
