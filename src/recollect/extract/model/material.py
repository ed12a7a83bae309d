"""The part of a prompt that is different each time: blocks of material, each inside its marks.

What is the same for all episodes of a graph comes first, and then what changes slowly, so that
endpoints which keep the beginning of a prompt have much to keep.
"""

import hashlib
import json
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from recollect.extract.brief import Brief, ShownEntity, ShownFact, Turn
from recollect.extract.model import offer, types
from recollect.extract.model.offer import Offer
from recollect.graph.predicates import Predicates
from recollect.graph.types import Json
from recollect.limits import PROMPT_CHARS_MAX
from recollect.subjects.guidance import EdgeType, EntityType, Property

_MARK_CHARS = 16
# Not from the calendar of the machine, which may speak another language.
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SENTENCE_CHARS_MAX = 300
_NAME_CHARS_MAX = 120
_NOTE_CHARS_MAX = 500
_LINE_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\u0085\u2028\u2029"}


def text(reading: Brief, table: Predicates) -> str:
    """The blocks for one reading; the same reading gives the same text.

    Beside the episode's own text they have at most `PROMPT_CHARS_MAX` characters: known things and
    turns before take what room the project's types and wishes leave, which are told in full.
    """
    return _joined(_blocks(reading, table, offered(reading, table)))


def offered(reading: Brief, table: Predicates) -> Offer:
    """What is shown of the graph and of what was said before, by the ids that an answer may use."""
    room = PROMPT_CHARS_MAX + len(reading.content)
    return offer.fitting(reading, lambda some: len(_joined(_blocks(reading, table, some))) <= room)


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
    """The blocks inside their marks.

    No line of a block that is JSON can look like the end of one, because a string in it has no
    lines; so most marks may be the same for every episode of a graph. The episode stands as it is,
    in marks made from everything that goes in: no text can know them beforehand, so what looks like
    the end of a block inside of it is not one.
    """
    lasting = _mark({name: blocks[name] for name in ("types", "wishes")})
    own = _mark(blocks)
    marks = dict.fromkeys(blocks, lasting) | dict.fromkeys(("situation", "episode"), own)
    return "\n\n".join(
        f"<{name} {marks[name]}>\n{content}\n</{name} {marks[name]}>"
        for name, content in blocks.items()
        if content or name == "episode"
    )


def _mark(blocks: dict[str, str]) -> str:
    return hashlib.sha256(msgspec.json.encode(blocks)).hexdigest()[:_MARK_CHARS]


def _relations(used: tuple[str, ...], table: Predicates) -> str:
    further = " ".join(name for name in used if name not in table)
    return _line(further) if further else ""


def _json(value: Json | list[Json]) -> str:
    """JSON with a line for each item; nothing for nothing."""
    if not value:
        return ""
    if isinstance(value, list):
        return _lines("[", (_line(item) for item in value), "]")
    told = (
        f"{_line(key)}: {_json(item) if isinstance(item, dict | list) else _line(item)}"
        for key, item in value.items()
    )
    return _lines("{", told, "}")


def _lines(begin: str, items: Any, end: str) -> str:
    return f"{begin}\n" + ",\n".join(items) + f"\n{end}"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False).translate(_LINE_ENDS)


def _situation(reading: Brief) -> Json:
    at = reading.at.astimezone(_zone(reading))
    return _told(
        kind=reading.kind,
        reference_time=at.isoformat(timespec="seconds"),
        weekday=_WEEKDAYS[at.weekday()],
        speaker=_cut(reading.speaker or "", _NAME_CHARS_MAX),
        role=reading.role,
        spoken_to=_cut(reading.addressee or "", _NAME_CHARS_MAX),
        source_description=_cut(reading.source_description or "", _NOTE_CHARS_MAX),
        user=_told(**msgspec.structs.asdict(reading.user)) if reading.user else None,
    )


def _zone(reading: Brief) -> Any:
    return ZoneInfo(reading.time_zone) if reading.time_zone else UTC


def _when(moment: datetime | None, reading: Brief) -> str | None:
    """A time in the zone of the reading, to the minute."""
    if moment is None:
        return None
    return moment.astimezone(_zone(reading)).isoformat(timespec="minutes")


def _cut(value: str, chars_max: int) -> str:
    return value if len(value) <= chars_max else value[:chars_max] + "…"


def _turn(turn: Turn, reading: Brief) -> Json:
    return _told(
        at=_when(turn.at, reading), speaker=turn.speaker, role=turn.role, content=turn.content
    )


def _entity(id_: str, one: ShownEntity) -> Json:
    return _told(
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
    return _told(
        id=id_,
        fact=_cut(one.sentence, _SENTENCE_CHARS_MAX),
        relation=one.relation,
        of=" ".join(ids[uuid] for uuid in ends if uuid in ids),
        since=_when(one.valid_at, reading),
        until=_when(one.invalid_at, reading),
        event_time=_when(one.event_at, reading),
    )


def _types(reading: Brief, table: Predicates) -> Json:
    entities = types.entity_types(reading.guidance).values()
    edges = types.edge_types(reading.guidance).values()
    return _told(
        only_these_entity_types=reading.strict,
        only_these_fact_types=reading.strict and bool(reading.guidance.ontology.edge_types),
        entity_types=[_entity_type(item) for item in entities],
        fact_types=[_edge_type(item) for item in edges],
        relations=" ".join(table),
    )


def _entity_type(item: EntityType) -> Json:
    return _told(name=item.name, description=item.description, fields=_fields(item.properties))


def _edge_type(item: EdgeType) -> Json:
    ends = [f"{pair.source or 'any'} -> {pair.target or 'any'}" for pair in item.source_targets]
    fields = _fields(item.properties)
    return _told(name=item.name, description=item.description, between=ends, fields=fields)


def _fields(properties: tuple[Property, ...]) -> list[Json]:
    return [
        _told(name=item.name, type=item.type, description=item.description) for item in properties
    ]


def _wishes(reading: Brief) -> Json:
    instructions = [
        {"name": item.name, "text": item.text} for item in reading.guidance.instructions
    ]
    return _told(instructions=instructions, rating=reading.guidance.rating)


def _told(**fields: Any) -> Json:
    """Only what there is."""
    return {name: value for name, value in fields.items() if value}
