"""The variable part of a prompt: blocks of material between marks, cut to fit.

What all episodes of a graph share comes first, then what changes slowly, so that endpoints can cache
the prefix. An id is a position among everything that was gathered (`e1`, `f1`), so it does not depend
on what is left out. What is left out depends only on the brief, so that the check of an answer
computes the same offer again.
"""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
from msgspec.structs import replace

from recollect.extract import prompts
from recollect.extract.brief import Brief, ShownEntity, ShownFact, Turn
from recollect.extract.llm import values
from recollect.graph.predicates import Predicates
from recollect.graph.types import Json, Record
from recollect.limits import PROMPT_CHARS_MAX
from recollect.records.guidance import EdgeType, EntityType, Property

_TURN_CHARS_MAX = 1_000
_TURN_CHARS_FEW = 300
_FACTS_FEW = 15
_TURNS_FEW = 2
_ENTITIES_FEW = 8
_CUT = " …"
# Not from `calendar`, which depends on the machine's locale.
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SENTENCE_CHARS_MAX = 300
_NAME_CHARS_MAX = 120
_NOTE_CHARS_MAX = 500
_LINE_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\u0085\u2028\u2029"}


class Offer(Record):
    """What a reader sees besides the episode, types and instructions; known entities and facts by id."""

    entities: dict[str, ShownEntity]
    facts: dict[str, ShownFact]
    earlier: tuple[Turn, ...]
    before: tuple[Turn, ...]


def fitting_offer(brief: Brief, fits: Callable[[Offer], bool]) -> Offer:
    """The largest offer that *fits*; if none does, the smallest.

    The most distant facts are dropped first, then turns, then glosses, then the rest of each.
    """
    offer = _whole(brief)
    for smaller in _smaller(offer):
        if fits(offer):
            break
        offer = smaller
    return offer


def _whole(brief: Brief) -> Offer:
    shown = brief.shown
    return Offer(
        entities={f"e{n}": one for n, one in enumerate(shown.entities, start=1)} if shown else {},
        facts={f"f{n}": one for n, one in enumerate(shown.facts, start=1)} if shown else {},
        earlier=tuple(_cut_turn(turn, _TURN_CHARS_MAX) for turn in brief.earlier),
        before=tuple(_cut_turn(turn, _TURN_CHARS_MAX) for turn in brief.before),
    )


def _cut_turn(turn: Turn, chars: int) -> Turn:
    content = turn.content
    return turn if len(content) <= chars else replace(turn, content=content[:chars] + _CUT)


def _smaller(offer: Offer) -> Iterator[Offer]:
    """Smaller and smaller offers, down to an empty one."""
    for facts, turns, entities in (
        (_FACTS_FEW, _TURNS_FEW, _ENTITIES_FEW),
        (0, 0, 0),
    ):
        while len(offer.facts) > facts:
            offer = replace(offer, facts=_without_farthest(offer.facts))
            yield offer
        offer = replace(
            offer,
            earlier=tuple(_cut_turn(turn, _TURN_CHARS_FEW) for turn in offer.earlier),
            before=tuple(_cut_turn(turn, _TURN_CHARS_FEW) for turn in offer.before),
        )
        yield offer
        while len(offer.earlier) + len(offer.before) > turns:
            offer = _without_oldest(offer)
            yield offer
        bare = {n: replace(one, gloss="", aliases=()) for n, one in offer.entities.items()}
        offer = replace(offer, entities=bare)
        yield offer
        while len(offer.entities) > entities:
            offer = replace(offer, entities=dict(list(offer.entities.items())[:-1]))
            yield offer


def _without_farthest(facts: dict[str, ShownFact]) -> dict[str, ShownFact]:
    farthest = max(facts, key=lambda id_: facts[id_].rank)
    return {id_: one for id_, one in facts.items() if id_ != farthest}


def _without_oldest(offer: Offer) -> Offer:
    if offer.earlier:
        return replace(offer, earlier=offer.earlier[1:])
    return replace(offer, before=offer.before[1:])


def prompt_text(reading: Brief, table: Predicates) -> str:
    """The blocks for one episode; equal briefs give equal text.

    Without the episode itself they have at most `PROMPT_CHARS_MAX` characters. Types and instructions are
    always given in full; known entities and facts and earlier turns share the rest.
    """
    return _joined(_blocks(reading, table, offered(reading, table)))


def offered(reading: Brief, table: Predicates) -> Offer:
    """What is shown of the graph and of earlier turns, by the ids that an answer may use."""
    room = PROMPT_CHARS_MAX + len(reading.content)
    return fitting_offer(reading, lambda some: len(_joined(_blocks(reading, table, some))) <= room)


def _blocks(reading: Brief, table: Predicates, some: Offer) -> dict[str, str]:
    shown = reading.shown
    return {
        "types": _json(_types(reading, table)),
        "wishes": _json(_wishes(reading)),
        "relations": _relations(shown.relations, table) if shown else "",
        "entities": _json([_entity(id_, one) for id_, one in some.entities.items()]),
        "facts": _json([_fact(id_, one, some, reading) for id_, one in some.facts.items()]),
        "earlier": _json([_turn(turn, reading) for turn in some.earlier]),
        "before": _json([_turn(turn, reading) for turn in some.before]),
        "situation": _json(_situation(reading)),
        "episode": reading.content,
    }


def _joined(blocks: dict[str, str]) -> str:
    """The blocks between their marks.

    No line of a JSON block can look like a mark, because its strings contain no line breaks; so those
    marks can be the same for every episode of a graph. The episode is quoted verbatim, between marks that
    are a hash of everything: no text can guess them and fake the end of the block.
    """
    lasting = prompts.mark({name: blocks[name] for name in ("types", "wishes")})
    own = prompts.mark(blocks)
    marks = dict.fromkeys(blocks, lasting) | dict.fromkeys(("situation", "episode"), own)
    return "\n\n".join(
        f"<{name} {marks[name]}>\n{content}\n</{name} {marks[name]}>"
        for name, content in blocks.items()
        if content or name == "episode"
    )


def _relations(used: tuple[str, ...], table: Predicates) -> str:
    further = " ".join(name for name in used if name not in table)
    return _line(further) if further else ""


def _json(value: Json | list[Json]) -> str:
    """JSON with one item per line; empty for an empty value."""
    if not value:
        return ""
    if isinstance(value, list):
        return _lines("[", (_line(item) for item in value), "]")
    pairs = (
        f"{_line(key)}: {_json(item) if isinstance(item, dict | list) else _line(item)}"
        for key, item in value.items()
    )
    return _lines("{", pairs, "}")


def _lines(begin: str, items: Any, end: str) -> str:
    return f"{begin}\n" + ",\n".join(items) + f"\n{end}"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False).translate(_LINE_ENDS)


def _situation(reading: Brief) -> Json:
    at = reading.at.astimezone(_zone(reading))
    return _non_empty(
        kind=reading.kind,
        reference_time=at.isoformat(timespec="seconds"),
        weekday=_WEEKDAYS[at.weekday()],
        speaker=_cut(reading.speaker or "", _NAME_CHARS_MAX),
        role=reading.role,
        spoken_to=_cut(reading.addressee or "", _NAME_CHARS_MAX),
        source_description=_cut(reading.source_description or "", _NOTE_CHARS_MAX),
        user=_non_empty(**msgspec.structs.asdict(reading.user)) if reading.user else None,
    )


def _zone(reading: Brief) -> Any:
    return ZoneInfo(reading.time_zone) if reading.time_zone else UTC


def _when(moment: datetime | None, reading: Brief) -> str | None:
    """A time in the episode's zone, to the minute."""
    if moment is None:
        return None
    return moment.astimezone(_zone(reading)).isoformat(timespec="minutes")


def _cut(value: str, chars_max: int) -> str:
    return value if len(value) <= chars_max else value[:chars_max] + "…"


def _turn(turn: Turn, reading: Brief) -> Json:
    return _non_empty(
        at=_when(turn.at, reading), speaker=turn.speaker, role=turn.role, content=turn.content
    )


def _entity(id_: str, one: ShownEntity) -> Json:
    return _non_empty(
        id=id_,
        name=_cut(one.name, _NAME_CHARS_MAX),
        who=one.who,
        kind=one.kind,
        type=one.label,
        also=[_cut(name, _NAME_CHARS_MAX) for name in one.aliases],
        gloss=one.gloss,
    )


def _fact(id_: str, one: ShownFact, some: Offer, reading: Brief) -> Json:
    ids = {entity.uuid: number for number, entity in some.entities.items()}
    ends = dict.fromkeys((one.source, one.target))
    times = {"since": one.valid_at, "until": one.invalid_at, "event_time": one.event_at}
    if one.took_place:
        times = {"happened": one.event_at}
    return _non_empty(
        id=id_,
        fact=_cut(one.sentence, _SENTENCE_CHARS_MAX),
        relation=one.relation,
        of=" ".join(ids[uuid] for uuid in ends if uuid in ids),
        **{name: _when(moment, reading) for name, moment in times.items()},
    )


def _types(reading: Brief, table: Predicates) -> Json:
    entities = values.entity_types(reading.guidance).values()
    edges = values.edge_types(reading.guidance).values()
    return _non_empty(
        only_these_entity_types=reading.strict,
        only_these_fact_types=reading.strict and bool(reading.guidance.ontology.edge_types),
        entity_types=[_entity_type(item) for item in entities],
        fact_types=[_edge_type(item) for item in edges],
        relations=" ".join(table),
    )


def _entity_type(item: EntityType) -> Json:
    return _non_empty(name=item.name, description=item.description, fields=_fields(item.properties))


def _edge_type(item: EdgeType) -> Json:
    ends = [f"{pair.source or 'any'} -> {pair.target or 'any'}" for pair in item.source_targets]
    fields = _fields(item.properties)
    return _non_empty(name=item.name, description=item.description, between=ends, fields=fields)


def _fields(properties: tuple[Property, ...]) -> list[Json]:
    return [
        _non_empty(name=item.name, type=item.type, description=item.description)
        for item in properties
    ]


def _wishes(reading: Brief) -> Json:
    instructions = [
        {"name": item.name, "text": item.text} for item in reading.guidance.instructions
    ]
    return _non_empty(instructions=instructions, rating=reading.guidance.rating)


def _non_empty(**fields: Any) -> Json:
    """The fields that are not empty."""
    return {name: value for name, value in fields.items() if value}
