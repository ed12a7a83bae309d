"""MemMachine messages turned into episodes; every refusal names the message and the field.

Times are accepted as clients, people and mail write them. One without a zone is UTC, a day without
a time of day is its first moment, and anything ambiguous is refused.
"""

import math
import re
from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, Literal

from msgspec.structs import replace

from recollect import dates
from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.graph.episode_filters import DEFAULT_PRODUCER, EPISODE_TYPE
from recollect.graph.types import Json, MemoryKind, NewEpisode, Record
from recollect.limits import (
    BODY_BYTES_MAX,
    ECHO_CHARS_MAX,
    EPISODE_CHARS_MAX,
    MEMORY_EPISODES_PER_CALL_MAX,
    MEMORY_MESSAGES_PER_CALL_MAX,
    MEMORY_METADATA_KEYS_MAX,
    NAME_CHARS_MAX,
)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECONDS_MAX = 1e11  # the year 5138; a larger number counts milliseconds
_TEXT_CHARS_MAX = 100
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_COMPACT_DAY = 8  # digits: 20240305
_COUNTED = (9, 10, 13)  # digits of seconds or milliseconds; twelve could be a date and a time
# Zone names with a fixed offset in the mail standard; every other name is ambiguous.
_NAMED = {"Z": 0, "UT": 0, "UTC": 0, "GMT": 0}
_NAMED |= {"EDT": -4, "EST": -5, "CDT": -5, "CST": -6, "MDT": -6, "MST": -7, "PDT": -7, "PST": -8}
_ZONE = re.compile(
    r"(?P<time>.*\d(?::\d\d)+(?:\s*[ap]\.?m\.?)?)\s*"
    r"(?:(?P<sign>[+-])(?P<hours>\d\d):?(?P<minutes>\d\d)|(?P<name>[A-Za-z]{1,5}))\s*(?:\([^()]*\))?",
    re.IGNORECASE,
)
_NUMERIC = re.compile(r"\s*(\d{1,2})([./-])(\d{1,2})\2(\d{2}|\d{4})\b")
_YEAR_FIRST = re.compile(r"\d{4}[./-](\d{1,2})[./-]")
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_FINE = ("second", "minute", "hour", "day")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MONTH_MAX = 12
_YEAR_CHARS = 4


def moment(field: str, value: int | float | str | None) -> datetime | None:
    """A time in any accepted form; None if none was given.

    A number is seconds since 1970, or milliseconds if it is too large for that; so is a string of
    as many digits. Other strings are ISO 8601, or name a single day in words or figures.
    """
    if value is None:
        return None
    if not isinstance(value, str):
        return _counted(field, value)
    text = value.strip()
    if len(text) > _TEXT_CHARS_MAX:
        raise InvalidInput(f"{field}: at most {_TEXT_CHARS_MAX} characters")
    if _DIGITS.fullmatch(text) and len(text) != _COMPACT_DAY:
        if len(text.partition(".")[0]) not in _COUNTED:
            raise _unread(field, value)
        return _counted(field, float(text))
    try:
        return _in_utc(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        return _in_words(field, value, text)


def _counted(field: str, value: float) -> datetime:
    try:
        if value > _SECONDS_MAX:
            return _EPOCH + timedelta(milliseconds=value)
        return _EPOCH + timedelta(seconds=value)
    except (OverflowError, ValueError) as error:
        raise InvalidInput(f"{field}: not within the years 1 to 9999") from error


def _in_utc(read: datetime) -> datetime:
    return read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)


def _in_words(field: str, value: str, text: str) -> datetime:
    """A single day, perhaps with a time, as `dates` reads running text."""
    _refuse_two_readings(field, text)
    told, zone = _zone(field, text)
    first = _YEAR_FIRST.match(told)
    if not _YEAR.search(told) or (first and int(first[1]) > _MONTH_MAX):
        raise _unread(field, value)
    found = dates.find(told, reference=_EPOCH)
    if len(found) != 1 or found[0].text != told or found[0].grain not in _FINE:
        raise _unread(field, value)
    (when,) = found
    if when.first is None or when.relation != "at" or when.approximate or when.recurring:
        raise _unread(field, value)
    named = told[:3].lower()
    if named in _WEEKDAYS and _WEEKDAYS[when.first.weekday()] != named:
        raise InvalidInput(f"{field}: {_echo(value)} names a day of the week that it was not")
    try:
        return when.first.replace(tzinfo=zone).astimezone(UTC)
    except OverflowError as error:
        raise _unread(field, value) from error


def _refuse_two_readings(field: str, text: str) -> None:
    """Refuse 03/05/2024: some read it as March, others as May."""
    found = _NUMERIC.match(text)
    if found is None:
        return
    one, other, year = int(found[1]), int(found[3]), found[4]
    if len(year) != _YEAR_CHARS:
        raise InvalidInput(f"{field}: {_echo(text)} has a year of two digits: write all four")
    if one != other and max(one, other) <= _MONTH_MAX and min(one, other) > 0:
        raise InvalidInput(
            f"{field}: {_echo(text)} is one day with the month first and another with the day "
            f"first: write it as {year}-MM-DD"
        )


def _zone(field: str, text: str) -> tuple[str, timezone]:
    """The text without its time zone, and that zone; UTC if there is none."""
    found = _ZONE.fullmatch(text)
    if found is None:
        return text, UTC
    if found["name"] is None:
        away = timedelta(hours=int(found["hours"]), minutes=int(found["minutes"]))
        if away >= timedelta(days=1):
            raise _unread(field, text)
        return found["time"], timezone(-away if found["sign"] == "-" else away)
    name = found["name"].upper()
    if name in ("AM", "PM"):
        return text, UTC
    if name not in _NAMED:
        raise InvalidInput(
            f"{field}: the zone in {_echo(text)} has no one meaning: write it as +01:00"
        )
    return found["time"], timezone(timedelta(hours=_NAMED[name]))


def _unread(field: str, value: str) -> InvalidInput:
    return InvalidInput(f"{field}: {_echo(value)} is not a time such as 2024-05-01T10:00:00Z")


def _echo(value: str) -> str:
    return repr(value[:ECHO_CHARS_MAX])


_BREAKS = (
    re.compile(r"\n\s*\n"),
    re.compile(r"\n"),
    re.compile(r"(?<=[.!?\u2026\u3002])[\"'\u201d\u2019)\]]*\s+"),
    re.compile(r"\s+"),
)


def cut(text: str, most: int) -> list[str]:
    """*text* in pieces of at most *most* characters; only whitespace at the cuts is lost.

    A piece ends at the best break in its second half, or where it is full.
    """
    pieces = []
    begin = 0
    while len(text) - begin > most:
        end = _end(text, begin, begin + most)
        pieces.append(text[begin:end].strip())
        begin = end
    pieces.append(text[begin:].strip())
    return [piece for piece in pieces if piece]


def _end(text: str, begin: int, latest: int) -> int:
    half = begin + (latest - begin) // 2
    for breaks in _BREAKS:
        found = [match.end() for match in breaks.finditer(text, half, latest)]
        if found:
            return found[-1]
    return latest


Roles = Literal["any", "known"]
KNOWN_ROLES = ("user", "assistant", "system", "tool", "function")
_USER_KEY = "user_id"
_NO_USER = frozenset({"assistant", "ai", "bot", "agent", "system", "tool", "function"})


class MemoryEntry(Record):
    """A message as it was sent."""

    content: str
    producer: str | None = None
    addressee: str | None = None
    role: str | None = None
    timestamp: int | float | str | None = None
    metadata: Json | None = None
    kind: str | None = None


def episodes(
    entries: Sequence[MemoryEntry], kinds: Collection[MemoryKind] = (), *, roles: Roles = "any"
) -> list[NewEpisode]:
    """The entries of one call as episodes, in order, for the given kinds of memory or for both.

    An entry that is too long becomes several. *roles*: "any" accepts every role, "known" only those
    that every client knows, or none.
    """
    if not entries:
        raise InvalidInput("messages: at least one is required")
    if len(entries) > MEMORY_MESSAGES_PER_CALL_MAX:
        raise InvalidInput(
            f"messages: at most {MEMORY_MESSAGES_PER_CALL_MAX} per call, got {len(entries)}"
        )
    kept_for = _kept_for(kinds)
    made = [
        part
        for number, entry in enumerate(entries)
        for part in _parts(_episode(f"messages[{number}]", entry, kept_for, roles))
    ]
    if len(made) > MEMORY_EPISODES_PER_CALL_MAX:
        raise InvalidInput(
            f"messages: too long: they make {len(made)} episodes of {EPISODE_CHARS_MAX} characters, "
            f"at most {MEMORY_EPISODES_PER_CALL_MAX} per call"
        )
    return made


def _parts(episode: NewEpisode) -> list[NewEpisode]:
    """An episode, or several if it is too long, each a moment after the previous one."""
    if len(episode.content) <= EPISODE_CHARS_MAX:
        return [episode]
    pieces = cut(episode.content, EPISODE_CHARS_MAX)
    return [
        replace(episode, content=piece, created_at=_later(episode.created_at, number))
        for number, piece in enumerate(pieces)
    ]


def _later(said: datetime | None, micros: int) -> datetime | None:
    try:
        return None if said is None else said + timedelta(microseconds=micros)
    except OverflowError:
        return said


def _kept_for(kinds: Collection[MemoryKind]) -> MemoryKind | None:
    """The only memory that is meant; None if it is both, or none is named."""
    wanted = set(kinds)
    return wanted.pop() if len(wanted) == 1 else None


def _episode(
    field: str, entry: MemoryEntry, kept_for: MemoryKind | None, roles: Roles
) -> NewEpisode:
    if entry.kind not in (None, EPISODE_TYPE):
        raise InvalidInput(f"{field}.episode_type: only {EPISODE_TYPE!r} is known")
    checks.text(f"{field}.content", entry.content, BODY_BYTES_MAX, required=True)
    producer = entry.producer or DEFAULT_PRODUCER
    checks.text(f"{field}.producer", producer, NAME_CHARS_MAX, required=True)
    checks.text(f"{field}.produced_for", entry.addressee, NAME_CHARS_MAX)
    role = _role(f"{field}.role", entry.role, roles)
    metadata, extra = _metadata(f"{field}.metadata", entry.metadata or {})
    return NewEpisode(
        kind="message",
        content=entry.content,
        role=role,
        speaker=_speaker(producer, role, metadata),
        metadata=metadata or None,
        created_at=moment(f"{field}.timestamp", entry.timestamp),
        producer=producer,
        addressee=entry.addressee or None,
        extra=extra or None,
        kept_for=kept_for,
    )


def _role(field: str, value: str | None, roles: Roles) -> str | None:
    checks.text(field, value, NAME_CHARS_MAX)
    if not value or roles == "any":
        return value or None
    known = value.casefold()
    if known not in KNOWN_ROLES:
        raise InvalidInput(
            f"{field}: must be one of {', '.join(KNOWN_ROLES)}; got {value[:ECHO_CHARS_MAX]!r}"
        )
    return known


def _speaker(producer: str, role: str | None, metadata: Json) -> str | None:
    """The actual speaker; None if only the role is known.

    Clients that name no producer all send "user", and distinguish their users by metadata. Treated as one
    person, those users would contradict each other. An assistant's words are not attributed to a user.
    """
    if producer != DEFAULT_PRODUCER:
        return producer
    if (role or "").casefold() in _NO_USER:
        return None
    named = metadata.get(_USER_KEY)
    if isinstance(named, bool | float | list | None):
        return producer
    return str(named).strip()[:NAME_CHARS_MAX] or producer


def _metadata(field: str, given: Json) -> tuple[Json, Json]:
    """The metadata that can be filtered by, and the rest, which is only stored."""
    if len(given) > MEMORY_METADATA_KEYS_MAX:
        raise InvalidInput(f"{field}: at most {MEMORY_METADATA_KEYS_MAX} keys, got {len(given)}")
    checks.json_object(field, given)
    for key, value in given.items():
        _key(field, key)
        if isinstance(value, float) and not math.isfinite(value):
            raise InvalidInput(f"{field}.{key[:ECHO_CHARS_MAX]}: must be a finite number")
    told = {key: value for key, value in given.items() if _is_filterable(value)}
    return told, {key: value for key, value in given.items() if key not in told}


def _key(field: str, key: str) -> None:
    if not key.strip():
        raise InvalidInput(f"{field}: a key must not be blank")
    if len(key) > NAME_CHARS_MAX:  # no filter or policy could name it
        raise InvalidInput(f"{field}: a key has at most {NAME_CHARS_MAX} characters")
    if key.startswith("_"):
        shown = key[:ECHO_CHARS_MAX]
        raise InvalidInput(f"{field}.{shown}: a key must not begin with '_'")


def _is_filterable(value: Any) -> bool:
    """Whether access policies can evaluate a value.

    One they cannot see would bypass them, so lists count as well.
    """
    listed = value if isinstance(value, list) else [value]
    return bool(listed) and all(isinstance(one, str | int | float) for one in listed)
