"""Times as clients, people and mail write them, in UTC; what has two readings is refused.

A time without a zone is UTC. A day without a time of day is its first moment.
"""

import re
from datetime import UTC, datetime, timedelta, timezone

from recollect import dates
from recollect.errors import InvalidInput
from recollect.limits import ECHO_CHARS_MAX

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECONDS_MAX = 1e11  # of the year 5138; a larger number counts milliseconds
_TEXT_CHARS_MAX = 100
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_COMPACT_DAY = 8  # digits: 20240305
_COUNTED = (9, 10, 13)  # digits of seconds or milliseconds; twelve may be a day and its time
# The names of zones that the mail standard gives an offset; every other name has several.
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
    """A time in any accepted form; None when nothing was said.

    A number is seconds since 1970, or milliseconds when it is too large for that; so is a text of
    as many digits. Other texts are ISO 8601, or name a day of one year in words or figures.
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
    """A day of one year, and perhaps a time of it, as `dates` reads running text."""
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
    """Refuse 03/05/2024, which is a day of March to some and of May to others."""
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
    """The text without the zone behind its time of day, and that zone; UTC when there is none."""
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
