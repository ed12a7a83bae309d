"""Validation of values before they are stored. Every refusal names the field."""

import math
import re
import unicodedata
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from recollect.errors import InvalidInput
from recollect.graph.types import ROLE_TYPES, Json
from recollect.limits import (
    ECHO_CHARS_MAX,
    ID_CHARS_MAX,
    JSON_DEPTH_MAX,
    METADATA_BYTES_MAX,
    METADATA_KEYS_MAX,
    NAME_CHARS_MAX,
)

# Clients put ids into paths, some of them unescaped: an id with one of these could be written
# and then never addressed, or would address something else.
_UNADDRESSABLE = set("/\\?#%")
# An escaped NUL: after an even number of backslashes, or it would be an escaped backslash.
_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")


def has_nul(json: bytes) -> bool:
    """Whether encoded JSON contains a NUL character."""
    return b"\\u0000" in json and _NUL.search(json) is not None


def caller_id(field: str, value: str) -> str:
    """An id that every client can address in a path."""
    if not value:
        raise InvalidInput(f"{field}: must not be empty")
    if len(value) > ID_CHARS_MAX:
        raise InvalidInput(f"{field}: at most {ID_CHARS_MAX} characters, got {len(value)}")
    bad = next((c for c in value if c in _UNADDRESSABLE or _is_control(c)), None)
    if bad is not None:
        raise InvalidInput(f"{field}: must not contain {bad!r}")
    if value != value.strip():
        raise InvalidInput(f"{field}: must not begin or end with white space")
    if value in {".", ".."}:
        raise InvalidInput(f"{field}: must not be {value!r}")
    return value


def _is_control(character: str) -> bool:
    return unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}


def text(field: str, value: str | None, chars_max: int, *, required: bool = False) -> str | None:
    """Text within its length limit; not blank if it is required."""
    if value is not None and len(value) > chars_max:
        raise InvalidInput(f"{field}: at most {chars_max} characters, got {len(value)}")
    if required and not (value or "").strip():
        raise InvalidInput(f"{field}: must not be empty")
    if value is not None and "\0" in value:
        raise InvalidInput(f"{field}: must not contain a NUL character")
    return value


def echo(value: str) -> str:
    """The value that was sent, cut to what an error message should carry."""
    return repr(value if len(value) <= ECHO_CHARS_MAX else value[:ECHO_CHARS_MAX] + "…")


def role(field: str, value: str) -> str:
    """One of the six roles a message can have."""
    if value not in ROLE_TYPES:
        raise InvalidInput(f"{field}: must be one of {', '.join(ROLE_TYPES)}; got {echo(value)}")
    return value


def time_zone(field: str, value: str | None) -> str | None:
    """An IANA time zone name."""
    if value is None:
        return None
    try:
        ZoneInfo(value)
    except (ValueError, OSError, KeyError) as error:
        raise InvalidInput(f"{field}: {echo(value)} is not a time zone") from error
    return value


def moment(field: str, value: str | None) -> datetime | None:
    """An RFC 3339 time as aware UTC; a time without a zone is read as UTC."""
    if value is None:
        return None
    try:
        parsed = datetime.fromisoformat(value.strip())
        if parsed.tzinfo is None:
            parsed = parsed.replace(tzinfo=UTC)
        return parsed.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidInput(
            f"{field}: {echo(value)} is not a time such as 2024-05-01T10:00:00Z"
        ) from error


def json_object(field: str, value: Json | None) -> Json | None:
    """A free JSON object of bounded size."""
    if value is None:
        return None
    if len(msgspec.json.encode(value)) > METADATA_BYTES_MAX:
        raise InvalidInput(f"{field}: at most {METADATA_BYTES_MAX} bytes of JSON")
    if _depth_exceeds(value, JSON_DEPTH_MAX):
        raise InvalidInput(f"{field}: nested deeper than {JSON_DEPTH_MAX} levels")
    return value


def _depth_exceeds(value: Any, levels: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    inside = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_depth_exceeds(item, levels - 1) for item in inside)


def json_text(field: str, value: str) -> str:
    """Text that is a JSON document."""
    try:
        msgspec.json.decode(value)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InvalidInput(f"{field}: not valid JSON: {error}") from error
    return value


def episode_metadata(field: str, value: Json | None) -> Json | None:
    """Metadata that is projected: few keys, scalars or non-empty lists of scalars."""
    if not value:
        return None
    if len(value) > METADATA_KEYS_MAX:
        raise InvalidInput(f"{field}: at most {METADATA_KEYS_MAX} keys, got {len(value)}")
    for key, item in value.items():
        if not key.strip():
            raise InvalidInput(f"{field}: a key must not be blank")
        if len(key) > NAME_CHARS_MAX:  # no filter and no policy could name it
            raise InvalidInput(f"{field}: a key has at most {NAME_CHARS_MAX} characters")
        _metadata_value(f"{field}.{key[:ECHO_CHARS_MAX]}", item)
    return json_object(field, value)


def _metadata_value(field: str, value: Any) -> None:
    if isinstance(value, list):
        if not value:
            raise InvalidInput(f"{field}: a list must not be empty")
        for item in value:
            _metadata_scalar(field, item)
    else:
        _metadata_scalar(field, value)


def _metadata_scalar(field: str, value: Any) -> None:
    if not isinstance(value, str | int | float | bool):
        raise InvalidInput(f"{field}: must be a string, number, boolean or a list of those")
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidInput(f"{field}: must be a finite number")


def merge(old: Json | None, change: Json) -> Json:
    """*old* updated with the keys of *change*; a null removes the key."""
    merged = {**(old or {}), **change}
    return {key: value for key, value in merged.items() if value is not None}
