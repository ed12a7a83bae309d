"""The context of a thread with its reasons: the exact text, and what was found and left out."""

from collections.abc import Iterator
from typing import Literal, cast

import msgspec

from recollect.api.router import Call, Route
from recollect.app import context
from recollect.app.context import UserBlock
from recollect.context.lines import line
from recollect.graph.kinds import Item
from recollect.search.kinds import KINDS, kind_of

Section = Literal[
    "USER_SUMMARY", "FACTS", "ENTITIES", "OBSERVATIONS", "THREAD_SUMMARIES", "EPISODES"
]
_WORSE = "fits much worse than the best"


class ExplainContext(msgspec.Struct):
    """How many characters the block may have; the rest is as an agent asks."""

    max_characters: int | None = None


class LeftOutOfContext(msgspec.Struct):
    """Something that was found and is not told: the line it would have been, and why it is none."""

    section: Section
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
    made = await context.user_block(
        call.services,
        call.access,
        call.path["thread_id"],
        max_characters=call.query.max_characters,
    )
    return ExplainedContext(
        context=made.block.text, asked=made.asked, left_out=list(_left_out(made))
    )


def _left_out(made: UserBlock) -> Iterator[LeftOutOfContext]:
    for one in made.block.left_out:
        yield _shown(one.section, one.item, one.why)
    kept = {hit.item.uuid for hit in made.found}
    for hit in made.candidates:
        if hit.item.uuid not in kept:
            yield _shown(KINDS[kind_of(hit.item)].section, hit.item, _WORSE)


def _shown(section: str, item: Item, why: str) -> LeftOutOfContext:
    return LeftOutOfContext(
        section=cast(Section, section), uuid=item.uuid, line=line(item), why=why
    )


ROUTES = [
    Route(
        "GET",
        "/api/v1/threads/{thread_id}/context",
        "thread.get_user_context",
        explain,
        "Get the context block of a thread, with what was left out",
        query=ExplainContext,
    )
]
