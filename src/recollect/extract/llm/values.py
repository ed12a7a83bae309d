"""Single values of an answer: times, typed attributes, quotes, names of relations."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from recollect.errors import ModelAnswerInvalid
from recollect.extract.brief import Brief, Guidance
from recollect.extract.llm.answer import AnswerAttribute
from recollect.extract.ontology.tables import DEFAULTS
from recollect.graph.found import FoundEntity
from recollect.graph.predicates import Predicates
from recollect.graph.types import Json
from recollect.records.guidance import EdgeType, Ends, EntityType, Property, PropertyType

_TEXT_CHARS_MAX = 250
_YEAR_OR_MONTH = re.compile(r"\d{4}(-\d{2})?")
_BOOLEANS = {"true": True, "yes": True, "false": False, "no": False}
_ECHO_CHARS_MAX = 40

Scalar = str | int | float | bool
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SEPARATORS = re.compile(r"[^A-Z0-9]+")
_NAME = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")
_NOT = frozenset({"NOT", "NEVER", "NO"})
_HELPERS = frozenset({"does", "do", "did", "no", "longer"})
_LEMMAS = {"is": "be", "are": "be", "was": "be", "were": "be", "has": "have", "had": "have"}


def parse_time(place: str, value: str | None, reading: Brief) -> datetime | None:
    """Parse a time into UTC; one without a zone is in the episode's zone. Anything else is an error.

    The prompt gives the reference time in whole seconds, so a time within that second is the
    reference time itself.
    """
    if value is None:
        return None
    text = value.strip()
    if found := _YEAR_OR_MONTH.fullmatch(text):
        text += "-01" if found[1] else "-01-01"
    try:
        parsed = datetime.fromisoformat(text)
        if parsed.tzinfo is None:
            parsed = parsed.replace(tzinfo=ZoneInfo(reading.time_zone or "UTC"))
        parsed = parsed.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ModelAnswerInvalid(
            f"{place}: {value[:_ECHO_CHARS_MAX]!r} is not a time in ISO 8601"
        ) from error
    return reading.at if parsed == reading.at.replace(microsecond=0) else parsed


def typed_attributes(
    attributes: Sequence[AnswerAttribute], known: Sequence[Property]
) -> Json | None:
    """The attributes that fit a field by name and type.

    Others are dropped one by one (G15): a bad attribute is no reason to lose the fact it came with.
    """
    by_name = {item.name.casefold(): item for item in known}
    found: Json = {}
    for attribute in attributes:
        field = by_name.get(attribute.name.strip().casefold())
        value = None if field is None else _coerce(attribute.value, field.type)
        if field is not None and value is not None:
            found[field.name] = value
    return found or None


def _coerce(value: Scalar | None, type_: PropertyType) -> Scalar | None:
    if type_ == "Text":
        return _text(value)
    if type_ == "Boolean":
        return value if isinstance(value, bool) else _BOOLEANS.get(str(value).strip().casefold())
    number = _number(value)
    if type_ == "Float" or number is None:
        return number
    return int(number) if number.is_integer() else None


def _text(value: Scalar | None) -> str | None:
    if value is None:
        return None
    text = str(value).lower() if isinstance(value, bool) else str(value).strip()
    return text if 0 < len(text) <= _TEXT_CHARS_MAX else None


def _number(value: Scalar | None) -> float | None:
    if value is None or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if abs(number) < 2**53 else None


def quote_span(quote: str | None, content: str) -> tuple[int, int] | None:
    """Where the quoted words occur; white space and case may differ, the words may not."""
    words = (quote or "").strip(" \t\r\n\"'“”…").split()
    if not words:
        return None
    found = re.search(r"\s+".join(map(re.escape, words)), content)
    found = found or re.search(r"\s+".join(map(re.escape, words)), content, re.IGNORECASE)
    return found.span() if found else None


def spell_relation(name: str) -> str | None:
    """A name in SCREAMING_SNAKE_CASE: "worksAt" and "works at" are WORKS_AT. None if that fails."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    spelled = _SEPARATORS.sub("_", _CAMEL.sub("_", plain.strip()).upper()).strip("_")
    return spelled if _NAME.fullmatch(spelled) else None


def is_negated(name: str) -> bool:
    """Whether a name negates its relation."""
    return not _NOT.isdisjoint(name.split("_"))


def predicate_of(name: str, table: Predicates) -> str:
    """The relation in the table that a name means; an unknown name, without its negation, is kept."""
    if name in table:
        return table[name].name
    words = [word for word in name.split("_") if word not in _NOT]
    while len(words) > 1 and words[0].lower() in _HELPERS:
        words = words[1:]
    bare = "_".join(words)
    if bare in table:
        return table[bare].name
    known = (table.of_phrase(phrase) for phrase in _phrases([word.lower() for word in words]))
    return next((found for found in known if found is not None), bare)


def _phrases(words: list[str]) -> Iterator[str]:
    """Possible spellings of a relation in the table: the lemma of the verb, with or without "be"."""
    rest = words[1:]
    for first in _lemmas(words[0]):
        yield " ".join([first, *rest])
    yield " ".join(["be", *words])


def _lemmas(word: str) -> Iterator[str]:
    yield _LEMMAS.get(word, word)
    if word.endswith("ies"):
        yield word.removesuffix("ies") + "y"
    if word.endswith("es"):
        yield word.removesuffix("es")
    if word.endswith("s"):
        yield word.removesuffix("s")


def entity_types(guidance: Guidance) -> dict[str, EntityType]:
    """Entity types by name; a type of the project replaces a default of the same name."""
    found = _default_entities() if guidance.defaults else {}
    return found | {item.name: item for item in guidance.ontology.entity_types}


def edge_types(guidance: Guidance) -> dict[str, EdgeType]:
    """Fact types by name; a type of the project replaces a default of the same name."""
    found = _default_edges() if guidance.defaults else {}
    return found | {item.name: item for item in guidance.ontology.edge_types}


def type_fits(type_: EdgeType, source: FoundEntity, target: FoundEntity) -> bool:
    """Whether a fact between these two can be of the type; a type without pairs allows any."""
    return not type_.source_targets or any(
        _side_fits(ends.source, source) and _side_fits(ends.target, target)
        for ends in type_.source_targets
    )


def _side_fits(wanted: str | None, entity: FoundEntity) -> bool:
    named = {entity.label, "Entity", entity.who.capitalize() if entity.who else None}
    return wanted is None or wanted in named


def _default_entities() -> dict[str, EntityType]:
    return {
        name: EntityType(
            name=name,
            description=item.description,
            # The user and the assistant get their fields from the profile, not from the text.
            properties=()
            if item.single
            else tuple(
                Property(name=field, type="Text", description="") for field in item.attributes
            ),
        )
        for name, item in DEFAULTS.entity.items()
    }


def _default_edges() -> dict[str, EdgeType]:
    return {
        name: EdgeType(
            name=name,
            description=item.description,
            source_targets=(Ends(source=item.source, target=item.target),),
        )
        for name, item in DEFAULTS.edge.items()
    }
