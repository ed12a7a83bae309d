"""Typed fields out of a session, by the schema that clients of the second generation send.

A client sends a JSON Schema whose properties carry a `zep_type`, and reads an object that has a
value or null for each property.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, get_args

import msgspec
import regex

from recollect.errors import InvalidInput
from recollect.extract.brief import Turn
from recollect.extract.ontology import words
from recollect.extract.sessions.candidates import (
    Candidate,
    FieldType,
    Wanted,
    candidates,
)

_FIELDS_MAX = 100
_TURNS_MAX = 200
_TURN_CHARS_MAX = 20_000
_PATTERN_CHARS_MAX = 1000
_OWN_WORDS = 2
_CERTAIN = 100
_PLACE = "model_schema"
# Types whose values cannot be mistaken for something else, so that one alone is the one meant.
_UNMISTAKABLE = frozenset({"ZepEmail", "ZepPhoneNumber", "ZepRegex", "ZepDate", "ZepDateTime"})


def extract_fields(
    schema_json: str, turns: Sequence[Turn], *, at: datetime, validate: bool
) -> dict[str, Any]:
    """A value or None for each field of the schema, in its order.

    *at* is the moment that relative dates count from. With *validate*, a value is taken only
    where the words around it speak of the field.
    """
    wanted = read_schema(schema_json)
    recent = [
        msgspec.structs.replace(turn, content=turn.content[:_TURN_CHARS_MAX])
        for turn in turns[-_TURNS_MAX:]
    ]
    taken: set[tuple[str, int, int]] = set()
    found: dict[str, Any] = dict.fromkeys(item.name for item in wanted)
    alone = {item.name: sum(other.type == item.type for other in wanted) == 1 for item in wanted}
    for item in wanted:
        best = _best(item, candidates(item, recent, at), taken, validate, alone[item.name])
        if best is not None:
            taken.add((item.type, best.turn, best.start))
            found[item.name] = best.value
    return found


def _best(
    item: Wanted,
    offered: Sequence[Candidate],
    taken: set[tuple[str, int, int]],
    validate: bool,
    alone: bool,
) -> Candidate | None:
    """The candidate whose words speak most of the field; of equals the newest of the user's."""
    least = 0 if alone and item.type in _UNMISTAKABLE and not validate else 1
    scored = [
        (_fit(item, candidate), candidate.by_user, candidate.turn, candidate.start, candidate)
        for candidate in offered
        if (item.type, candidate.turn, candidate.start) not in taken
    ]
    fitting = [entry for entry in scored if entry[0] >= (least if entry[1] else 1)]
    return max(fitting, key=lambda entry: entry[:4])[4] if fitting else None


def _fit(item: Wanted, candidate: Candidate) -> int:
    """How many of a field's words stand around a candidate; those of its name count double."""
    if candidate.certain:
        return _CERTAIN + candidate.certain
    around = set(words.stems(candidate.around))
    return _OWN_WORDS * len(item.own & around) + len((item.described - item.own) & around)


def read_schema(schema_json: str) -> list[Wanted]:
    """The fields that a schema asks for. A schema out of shape is refused by the place in it."""
    try:
        schema = msgspec.json.decode(schema_json)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InvalidInput(f"{_PLACE}: not valid JSON: {error}") from error
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict) or not properties:
        raise InvalidInput(f"{_PLACE}.properties: must be an object with at least one field")
    if len(properties) > _FIELDS_MAX:
        raise InvalidInput(f"{_PLACE}.properties: at most {_FIELDS_MAX} fields")
    return [_wanted(name, value) for name, value in properties.items()]


def _wanted(name: str, value: Any) -> Wanted:
    place = f"{_PLACE}.properties.{name}"
    if not isinstance(value, dict):
        raise InvalidInput(f"{place}: must be an object")
    kind: Any = value.get("zep_type")
    if kind not in get_args(FieldType):
        raise InvalidInput(f"{place}.zep_type: must be one of {', '.join(get_args(FieldType))}")
    description = value.get("description") or ""
    if not isinstance(description, str):
        raise InvalidInput(f"{place}.description: must be text")
    return Wanted(
        name=name,
        type=kind,
        description=description,
        pattern=_pattern(place, value.get("pattern")) if kind == "ZepRegex" else None,
        own=frozenset(words.stem(word) for word in words.name_words(name)) - _FILLER_STEMS,
        described=frozenset(words.telling(description)) - _FILLER_STEMS,
    )


_FILLER_STEMS = frozenset(words.stem(word) for word in words.FILLER)


def _pattern(place: str, pattern: Any) -> "regex.Pattern[str]":
    if not isinstance(pattern, str) or not pattern:
        raise InvalidInput(f"{place}.pattern: a ZepRegex needs a pattern")
    if len(pattern) > _PATTERN_CHARS_MAX:
        raise InvalidInput(f"{place}.pattern: at most {_PATTERN_CHARS_MAX} characters")
    try:
        return regex.compile(pattern)
    except (regex.error, RecursionError, OverflowError) as error:
        raise InvalidInput(f"{place}.pattern: not a regular expression: {error}") from error
