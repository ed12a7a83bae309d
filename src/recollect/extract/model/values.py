"""Single values of an answer: times, fields of types, and the place of a quote."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from recollect.errors import ModelAnswerInvalid
from recollect.extract.brief import Brief
from recollect.extract.model.answer import AnswerAttribute
from recollect.graph.types import Json
from recollect.subjects.guidance import Property, PropertyType

_TEXT_CHARS_MAX = 250
_YEAR_OR_MONTH = re.compile(r"\d{4}(-\d{2})?")
_BOOLEANS = {"true": True, "yes": True, "false": False, "no": False}
_ECHO_CHARS_MAX = 40

Scalar = str | int | float | bool


def moment(place: str, value: str | None, reading: Brief) -> datetime | None:
    """A time in UTC; one without a zone is in the reading's. What is no time is an error.

    The reference time was told in whole seconds, so within that second it is meant exactly.
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


def fields(attributes: Sequence[AnswerAttribute], known: Sequence[Property]) -> Json | None:
    """Attributes by the names and types of the fields; what fits no field is left out.

    Per field, as a value that cannot be used leaves the old one in place (G15): a wrong extra
    is no reason to lose the fact it came with.
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


def span(quote: str | None, content: str) -> tuple[int, int] | None:
    """Where the quoted words stand; white space and case may differ, the words may not."""
    words = (quote or "").strip(" \t\r\n\"'“”…").split()
    if not words:
        return None
    found = re.search(r"\s+".join(map(re.escape, words)), content)
    found = found or re.search(r"\s+".join(map(re.escape, words)), content, re.IGNORECASE)
    return found.span() if found else None
