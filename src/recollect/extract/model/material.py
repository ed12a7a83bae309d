"""The part of a prompt that is different each time: blocks of material, each inside its marks."""

import hashlib
import json
from datetime import UTC
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from recollect.extract.brief import Brief, Turn
from recollect.extract.model import types
from recollect.graph.predicates import Predicates
from recollect.graph.types import Json
from recollect.subjects.guidance import EdgeType, EntityType, Property

_MARK_CHARS = 16
# Not from the calendar of the machine, which may speak another language.
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_TURN_CHARS_MAX = 1_000


def text(reading: Brief, table: Predicates) -> str:
    """The blocks for one reading; the same reading gives the same text.

    The mark is made from everything that goes in, so that no text can know it beforehand: what
    looks like the end of a block inside the material is not one.
    """
    blocks = {
        "situation": _json(_situation(reading)),
        "types": _json(_types(reading, table)),
        "wishes": _json(_wishes(reading)),
        "before": _json([_turn(turn) for turn in reading.before]),
        "episode": reading.content,
    }
    mark = _mark(blocks)
    return "\n\n".join(
        f"<{name} {mark}>\n{content}\n</{name} {mark}>"
        for name, content in blocks.items()
        if content or name == "episode"
    )


def _mark(blocks: dict[str, str]) -> str:
    return hashlib.sha256(msgspec.json.encode(blocks)).hexdigest()[:_MARK_CHARS]


def _json(value: Any) -> str:
    """Readable JSON; nothing for nothing."""
    return json.dumps(value, ensure_ascii=False, indent=1) if value else ""


def _situation(reading: Brief) -> Json:
    zone = ZoneInfo(reading.time_zone) if reading.time_zone else UTC
    at = reading.at.astimezone(zone)
    return _told(
        kind=reading.kind,
        reference_time=at.isoformat(timespec="seconds"),
        weekday=_WEEKDAYS[at.weekday()],
        speaker=reading.speaker,
        role=reading.role,
        spoken_to=reading.addressee,
        source_description=reading.source_description,
        user=_told(**msgspec.structs.asdict(reading.user)) if reading.user else None,
        known_names=[_told(**msgspec.structs.asdict(known)) for known in reading.known],
    )


def _turn(turn: Turn) -> Json:
    content = turn.content
    if len(content) > _TURN_CHARS_MAX:
        content = content[:_TURN_CHARS_MAX] + " …"
    return _told(speaker=turn.speaker, role=turn.role, content=content)


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
