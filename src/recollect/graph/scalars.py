"""A stored value read as a text, a number, a truth or a moment; None when it cannot be."""

import re
from datetime import UTC, datetime
from math import isfinite
from typing import Any

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WHOLE = re.compile(r"[+-]?[0-9]+")
_NUMBER_CHARS_MAX = 64  # what is longer is a text that happens to have digits only
_MOMENT_CHARS_MAX = 64
_TRUTHS = {"true": True, "false": False}


def text_of(value: Any) -> str | None:
    """A text itself, or how a number or a truth is written; equal numbers are written alike."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, int | float) else None


def number_of(value: Any) -> int | float | None:
    """A number itself, or what a text says that is written as one; a truth is no number."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value
    return written_number(value) if isinstance(value, str) else None


def written_number(text: str) -> int | float | None:
    """The number that *text* is, when it is one and not beyond all bounds."""
    if len(text) > _NUMBER_CHARS_MAX or not _NUMBER.fullmatch(text):
        return None
    if _WHOLE.fullmatch(text):
        return int(text)
    number = float(text)
    return number if isfinite(number) else None


def truth_of(value: Any) -> bool | None:
    """True or false, or a text that says so."""
    if isinstance(value, bool):
        return value
    return _TRUTHS.get(value.lower()) if isinstance(value, str) else None


def moment_of(value: Any) -> datetime | None:
    """A moment itself, or the one that a text in ISO 8601 gives; without a zone it is in UTC."""
    if isinstance(value, datetime):
        return value
    if not isinstance(value, str) or len(value) > _MOMENT_CHARS_MAX:
        return None
    try:
        moment = datetime.fromisoformat(value.strip())
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
