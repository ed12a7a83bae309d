"""The context blocks: sections of whole lines that fit into a budget."""

from collections.abc import Sequence

import msgspec

from recollect.context import budget
from recollect.context.defusing import Defuser
from recollect.context.lines import Item, cut, told
from recollect.context.order import place
from recollect.graph.types import Entity, Fact, Record
from recollect.search.query import Found

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
_SAFE = Defuser()


class Section(Record):
    """Lines of one kind that could be told, the most relevant first."""

    name: str
    items: Sequence[Item]
    share: int = 1


def sections(found: Found) -> list[Section]:
    """What was found, kind by kind."""
    return [
        Section(name="FACTS", items=[hit.item for hit in found.facts], share=_FACTS_PER_TURN),
        Section(name="ENTITIES", items=[hit.item for hit in found.entities]),
        Section(name="OBSERVATIONS", items=[hit.item for hit in found.observations]),
        Section(name="THREAD_SUMMARIES", items=[hit.item for hit in found.thread_summaries]),
        Section(name="EPISODES", items=[hit.item for hit in found.episodes]),
    ]


def facts_block(facts: Sequence[Fact], entities: Sequence[Entity], room: int) -> str:
    """The block that clients of generation 2 paste into their prompts."""
    wanted = [
        Section(name="FACTS", items=facts, share=_FACTS_PER_TURN),
        Section(name="ENTITIES", items=entities),
    ]
    return _block(_INTRODUCTION, wanted, room, always=("FACTS", "ENTITIES"))


def user_block(summary: str | None, found: Found, room: int) -> str:
    """The block of later clients: who the user is, then what is known to the matter.

    Facts always have their section, the others when something of theirs is told; without a summary,
    because the asker may not see the user, there is none for it. An entity whose summary only
    repeats the facts costs room and tells nothing, so it is left out.
    """
    facts = [hit.item for hit in found.facts]
    telling = tuple(hit for hit in found.entities if _says_more(hit.item, facts))
    kept = msgspec.structs.replace(found, entities=telling)
    start = "" if summary is None else user_summary(summary, room)
    return _block(start, sections(kept), room, always=("FACTS",))


def _says_more(entity: Entity, facts: Sequence[Fact]) -> bool:
    """Whether a summary has words left without the sentences of the entity's own facts."""
    rest = " ".join(entity.summary.split())
    own = (fact for fact in facts if entity.uuid in (fact.source_uuid, fact.target_uuid))
    for words in sorted((" ".join(fact.fact.split()).rstrip(".") for fact in own), key=len)[::-1]:
        rest = rest.replace(words, "")
    return any(character.isalnum() for character in rest)


def user_summary(summary: str, room: int) -> str:
    """The section that says who the user is: told always, in at most half of the room."""
    share = room // 2
    lines = [cut(line, share) for line in _SAFE.lines(summary).splitlines()]
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
            made.append(frame(name, [told(item, _SAFE) for item in items]))
    return made


def frame_chars(name: str) -> int:
    """What a section costs beside its lines."""
    return len(SECTION_BREAK + frame(name, []))


def _told_once(items: Sequence[Item]) -> list[Item]:
    return budget.distinct(items, lambda item: told(item, _SAFE))


def _block(start: str, wanted: list[Section], room: int, *, always: Sequence[str]) -> str:
    frames = {each.name: frame_chars(each.name) for each in wanted}
    left = room - len(start) - sum(frames.pop(name) for name in always)
    offers = list(
        budget.in_turns(
            [[(each.name, item) for item in _told_once(each.items)] for each in wanted],
            [each.share for each in wanted],
        )
    )
    taken = budget.affordable(((name, told(item, _SAFE)) for name, item in offers), left, frames)
    told_sections = framed([offers[number] for number in taken], always)
    return SECTION_BREAK.join([start, *told_sections] if start else told_sections)
