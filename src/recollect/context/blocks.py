"""Context blocks: sections of whole lines within a character budget.

Also short answers composed from search results, without a model.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Literal

from recollect.context import budget
from recollect.context.budget import FACTS_SHARE, Chooser, LeftOut
from recollect.context.lines import ESCAPE, SECTION_KINDS, SECTIONS, holds, line, position
from recollect.graph.types import Entity, Episode, Fact, Item, Kind, Record
from recollect.search.kinds import KINDS, cut, kind_of
from recollect.search.query import Hit

_INTRODUCTION = "FACTS and ENTITIES represent relevant context to the current conversation."
_HEADINGS = {
    "USER_SUMMARY": "# This is the user summary",
    **{section: KINDS[kind].heading for section, kind in SECTION_KINDS.items()},
}
SECTION_BREAK = "\n\n"
# Facts are short and exact: each turn takes several of them, and one of everything else.
_FACTS_PER_TURN = 3
_SENTENCES_MAX = 3  # of an answer
_CLOSE = 0.75  # share of the best fact's score that a further sentence of an answer needs


class ToldLine(Record):
    """A line of a block: the kind and uuid of its item, and its text. The user summary has no single item."""

    kind: Kind | Literal["user_summary"]
    uuid: str | None
    text: str


def told_line(item: Item, text: str) -> ToldLine:
    """The line of one item."""
    return ToldLine(kind=kind_of(item), uuid=item.uuid, text=text)


def told_summary(text: str) -> list[ToldLine]:
    """The lines of a user summary."""
    return [ToldLine(kind="user_summary", uuid=None, text=one) for one in text.splitlines()]


class Block(Record):
    """A block, its lines about items, and what was found but is not in it."""

    text: str
    told: tuple[ToldLine, ...]
    left_out: tuple[LeftOut, ...] = ()


def facts_block(facts: Sequence[Fact], entities: Sequence[Entity], room: int) -> Block:
    """The block that Zep v2 clients paste into their prompts.

    Facts and entities take turns, under headings that are always present.
    """
    always = ("FACTS", "ENTITIES")
    left = room - len(_INTRODUCTION) - sum(frame_chars(name) for name in always)
    lists: list[list[tuple[str, Item]]] = [
        [("FACTS", fact) for fact in budget.distinct(facts, line)],
        [("ENTITIES", entity) for entity in budget.distinct(entities, line)],
    ]
    offers = list(budget.in_turns(lists, [_FACTS_PER_TURN, 1]))
    taken = budget.affordable(((name, line(item)) for name, item in offers), left)
    chosen = [offers[number] for number in taken]
    return Block(
        text=SECTION_BREAK.join([_INTRODUCTION, *framed(chosen, always)]),
        told=tuple(told_line(item, line(item)) for _, item in chosen),
    )


def user_block(
    summary: str | None, hits: Sequence[Hit[Any]], room: int, sections: Collection[str] = SECTIONS
) -> Block:
    """The block of later clients: who the user is, then what is relevant.

    A section with nothing to show is left out. So is the summary, if the caller may not see the user and
    *summary* is None. *sections* are those allowed at all.
    """
    frames = {name: frame_chars(name) for name in _HEADINGS}
    start = user_summary(summary, room) if summary and "USER_SUMMARY" in sections else ""
    start = start if len(start) <= room else ""
    chooser = Chooser(room - len(start), frames)
    found: dict[str, list[Hit[Any]]] = {name: [] for name in SECTION_KINDS}
    for hit in hits:
        section = KINDS[kind_of(hit.item)].section
        if section in sections:
            found[section].append(hit)
    facts, messages = found.pop("FACTS"), found.pop("EPISODES")
    rest = chooser.facts(facts, FACTS_SHARE if messages else 1.0)
    chooser.messages(messages)
    chooser.leave(chooser.facts(rest))
    for name, others in found.items():
        chooser.others(name, [hit.item for hit in others])
    parts = framed(chooser.chosen)
    text = SECTION_BREAK.join([start, *parts] if start else parts)
    told = [told_line(item, line(item)) for _, item in chooser.chosen]
    return Block(
        text=text,
        told=(*told_summary("\n".join(start.splitlines()[2:-1])), *told),
        left_out=tuple(chooser.left_out),
    )


def user_summary(summary: str, room: int) -> str:
    """The section about the user, in at most a quarter of the room."""
    share = room // 4
    lines = [cut(text, share) for text in ESCAPE.lines(summary).splitlines()]
    taken = budget.affordable((("", text) for text in lines), share)
    return frame("USER_SUMMARY", [lines[number] for number in taken])


class PackedBlock(Record):
    """A text for a prompt, its items in the order of choice, and whether more was found."""

    text: str
    chosen: tuple[Hit[Any], ...]
    truncated: bool


def pack(hits: Sequence[Hit[Any]], *, max_characters: int, note: str = "") -> PackedBlock:
    """As many of *hits* as fit into *max_characters* in whole lines, best scores first.

    The scores of all kinds must be comparable. Items are chosen by score but shown by kind and time, as
    in every block. A *note* is the first line; without room for it there is no block.
    """
    best = sorted(hits, key=lambda hit: (-hit.score, KINDS[kind_of(hit.item)].precedence))
    offers = budget.distinct(best, lambda hit: line(hit.item))
    named = [(KINDS[kind_of(hit.item)].section, hit) for hit in offers]
    start = ESCAPE(note)
    taken = budget.affordable(
        ((name, line(hit.item)) for name, hit in named),
        # The first section has no break before it, unless a note precedes it.
        max_characters - len(start) + (0 if start else len(SECTION_BREAK)),
        {name: frame_chars(name) for name in SECTION_KINDS},
    )
    if not taken:
        return PackedBlock(text="", chosen=(), truncated=bool(offers))
    sections = framed([(name, hit.item) for name, hit in (named[number] for number in taken)])
    return PackedBlock(
        text=SECTION_BREAK.join([start, *sections] if start else sections),
        chosen=tuple(offers[number] for number in taken),
        truncated=len(taken) < len(offers),
    )


def frame(name: str, lines: Sequence[str]) -> str:
    """A section with its heading, its tags and its lines."""
    return "\n".join([_HEADINGS[name], f"<{name}>", *lines, f"</{name}>"])


def framed(chosen: Sequence[tuple[str, Item]], always: Sequence[str] = ()) -> list[str]:
    """The sections of the chosen items, and those that are *always* there, in their fixed order."""
    made = []
    for name in _HEADINGS:
        items = sorted((item for section, item in chosen if section == name), key=position)
        if items or name in always:
            made.append(frame(name, [line(item) for item in items]))
    return made


def frame_chars(name: str) -> int:
    """What a section costs besides its lines."""
    return len(SECTION_BREAK + frame(name, []))


def answer(hits: Sequence[Hit[Any]], now: datetime) -> tuple[str, list[int]]:
    """A few sentences, and the indexes of *hits* they come from.

    These are the best fact that holds now, and those of the same subject that score close to it. If none
    holds, the same of facts that have ended; without any fact, the best episode's own text.
    """
    facts = [number for number, hit in enumerate(hits) if isinstance(hit.item, Fact)]
    holding = [number for number in facts if holds(hits[number].item, now)]
    chosen = _close(hits, holding or facts)
    if chosen:
        return " ".join(_sentence(hits[number].item.fact) for number in chosen), chosen
    for number, hit in enumerate(hits):
        if isinstance(hit.item, Episode):
            return hit.item.content.strip(), [number]
    return "", []


def _close(hits: Sequence[Hit[Any]], among: Sequence[int]) -> list[int]:
    if not among:
        return []
    best = hits[among[0]]
    near = [
        number
        for number in among
        if hits[number].score >= _CLOSE * best.score
        and hits[number].item.source_uuid == best.item.source_uuid
    ]
    return near[:_SENTENCES_MAX]


def _sentence(fact: str) -> str:
    said = fact.strip()
    return said if said.endswith((".", "!", "?")) else f"{said}."
