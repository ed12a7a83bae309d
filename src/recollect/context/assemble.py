"""The context blocks: sections of whole lines that fit into a budget."""

from collections.abc import Collection, Sequence
from typing import Any

from recollect.context import budget
from recollect.context.choose import FACTS_SHARE, Chooser, LeftOut
from recollect.context.defusing import SAFE, SECTIONS
from recollect.context.lines import Item, cut, told
from recollect.context.order import place
from recollect.graph.types import Entity, Fact, Record
from recollect.search.query import Found, Ranked

_INTRODUCTION = "FACTS and ENTITIES represent relevant context to the current conversation."
_HEADS = {
    "USER_SUMMARY": "# This is the user summary",
    "FACTS": (
        "# These are the most relevant facts and their valid date ranges\n"
        "# format: FACT (Date range: from - to)"
    ),
    "ENTITIES": "# These are the most relevant entities\n# ENTITY_NAME: entity summary",
    "OBSERVATIONS": (
        "# These are patterns that recur in what is known\n"
        "# format: OBSERVATION (Date range: from - to)"
    ),
    "THREAD_SUMMARIES": (
        "# These are summaries of relevant conversations\n# format: SUMMARY (Date of the last message)"
    ),
    "EPISODES": "# These are the most relevant things said before\n# format: WHO: WHAT (Date)",
}
SECTION_BREAK = "\n\n"
# Facts are short and exact: each turn takes some of them, and one of everything else.
_FACTS_PER_TURN = 3


class Section(Record):
    """Lines of one kind that could be told, the most relevant first."""

    name: str
    items: Sequence[Item]
    share: int = 1


def facts_block(facts: Sequence[Fact], entities: Sequence[Entity], room: int) -> str:
    """The block that clients of generation 2 paste into their prompts."""
    wanted = [
        Section(name="FACTS", items=facts, share=_FACTS_PER_TURN),
        Section(name="ENTITIES", items=entities),
    ]
    return _block(_INTRODUCTION, wanted, room, always=("FACTS", "ENTITIES"))


class Told(Record):
    """A block, and what was found and is not in it."""

    text: str
    left_out: tuple[LeftOut, ...]


def user_block(
    summary: str | None, found: Found, room: int, sections: Collection[str] = SECTIONS
) -> str:
    """The text of `user_told`."""
    return user_told(summary, found, room, sections).text


def user_told(
    summary: str | None, found: Found, room: int, sections: Collection[str] = SECTIONS
) -> Told:
    """The block of later clients: who the user is, then what is known to the matter.

    A section of which nothing is told is not there; without a summary, because the asker may not
    see the user, there is none for it. *sections* are those that may be there at all.
    """
    frames = {name: frame_chars(name) for name in _HEADS}
    start = user_summary(summary, room) if summary and "USER_SUMMARY" in sections else ""
    start = start if len(start) <= room else ""
    chooser = Chooser(room - len(start), frames)
    facts = found.facts if "FACTS" in sections else ()
    messages = found.episodes if "EPISODES" in sections else ()
    rest = chooser.facts(facts, FACTS_SHARE if messages else 1.0)
    chooser.messages(messages)
    chooser.leave(chooser.facts(rest))
    others: dict[str, Sequence[Ranked[Any]]] = {
        "ENTITIES": found.entities,
        "OBSERVATIONS": found.observations,
        "THREAD_SUMMARIES": found.thread_summaries,
    }
    for name, hits in others.items():
        chooser.others(name, [hit.item for hit in hits] if name in sections else ())
    told_sections = framed(chooser.chosen)
    text = SECTION_BREAK.join([start, *told_sections] if start else told_sections)
    return Told(text=text, left_out=tuple(chooser.left_out))


def user_summary(summary: str, room: int) -> str:
    """The section that says who the user is: told always, in at most a quarter of the room."""
    share = room // 4
    lines = [cut(line, share) for line in SAFE.lines(summary).splitlines()]
    taken = budget.affordable((("", line) for line in lines), share)
    return frame("USER_SUMMARY", [lines[number] for number in taken])


def frame(name: str, lines: Sequence[str]) -> str:
    """A section with its heading, its tags and its lines."""
    return "\n".join([_HEADS[name], f"<{name}>", *lines, f"</{name}>"])


def framed(chosen: Sequence[tuple[str, Item]], always: Sequence[str] = ()) -> list[str]:
    """The sections of what was chosen, with those that are there *always*, in their order."""
    made = []
    for name in _HEADS:
        items = sorted((item for section, item in chosen if section == name), key=place)
        if items or name in always:
            made.append(frame(name, [told(item, SAFE) for item in items]))
    return made


def frame_chars(name: str) -> int:
    """What a section costs beside its lines."""
    return len(SECTION_BREAK + frame(name, []))


def _told_once(items: Sequence[Item]) -> list[Item]:
    return budget.distinct(items, lambda item: told(item, SAFE))


def _block(start: str, wanted: list[Section], room: int, *, always: Sequence[str]) -> str:
    frames = {each.name: frame_chars(each.name) for each in wanted}
    left = room - len(start) - sum(frames.pop(name) for name in always)
    offers = list(
        budget.in_turns(
            [[(each.name, item) for item in _told_once(each.items)] for each in wanted],
            [each.share for each in wanted],
        )
    )
    taken = budget.affordable(((name, told(item, SAFE)) for name, item in offers), left, frames)
    told_sections = framed([offers[number] for number in taken], always)
    return SECTION_BREAK.join([start, *told_sections] if start else told_sections)
