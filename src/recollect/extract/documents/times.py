"""The times in a JSON object: when it happened, and when it holds."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from zoneinfo import ZoneInfo

import msgspec

from recollect.extract.documents.json_tree import JsonScalar, Node
from recollect.extract.documents.keys import Keys, table
from recollect.graph.types import Record

_FORMATS = ("%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d %b %Y", "%Y/%m/%d", "%Y-%m-%d %H:%M:%S %Z")
_YEAR = re.compile(r"[12]\d{3}")
_MONTH = re.compile(r"([12]\d{3})-(\d{2})")
_SLASHED = re.compile(r"(\d{1,2})[/.](\d{1,2})[/.]([12]\d{3})")
_SECONDS_MIN, _SECONDS_MAX = 10**9, 4 * 10**9  # 2001 to 2096


class DocumentTime(Record):
    """A time, and how a sentence writes it."""

    at: datetime
    text: str


class PartPeriod(Record):
    """When the keys of an object that begin with *prefix* hold."""

    prefix: str
    begin: datetime | None = None
    end: datetime | None = None


class ObjectTimes(Record):
    """The times of one object. *spoken* are the keys that were read as times."""

    happened: DocumentTime | None = None
    begin: datetime | None = None
    end: datetime | None = None
    seen: datetime | None = None
    created: DocumentTime | None = None
    parts: tuple[PartPeriod, ...] = ()
    spoken: Keys = ()


def read(fields: Mapping[str, Node], zone: str | None) -> ObjectTimes:
    """The times given by the fields of an object, by the table of keys."""
    moments = {key: moment(node, zone) for key, node in fields.items() if _timely(key)}
    known = {key: value for key, value in moments.items() if value is not None}
    times = table().times

    def first(keys: Keys) -> DocumentTime | None:
        return next((known[key] for key in keys if key in known), None)

    begin, end, seen = first(times.begins), first(times.ends), first(times.seen)
    spoken = (times.happened, times.begins, times.ends, times.seen, times.created)
    return ObjectTimes(
        happened=first(times.happened),
        begin=begin.at if begin else None,
        end=end.at if end else None,
        seen=seen.at if seen else None,
        created=first(times.created),
        parts=_parts(known),
        spoken=tuple(key for key in known if any(key in keys for keys in spoken)),
    )


def moment(node: Node, zone: str | None) -> DocumentTime | None:
    """The value as a time, if it is one; without a zone of its own it is in *zone*, or UTC."""
    if not isinstance(node, JsonScalar) or node.kind not in ("text", "number"):
        return None
    try:
        found = _number(node.text) if node.kind == "number" else _text(node.text.strip())
        if found is None:
            return None
        if found.tzinfo is None:
            found = found.replace(tzinfo=ZoneInfo(zone) if zone else UTC)
        return DocumentTime(at=found.astimezone(UTC), text=_written(found))
    except (ValueError, OverflowError, OSError):
        return None


def _timely(key: str) -> bool:
    times = table().times
    lists = (times.happened, times.begins, times.ends, times.seen, times.created)
    return any(key in keys for keys in lists) or _part(key) is not None


def _part(key: str) -> tuple[str, bool] | None:
    """The prefix of a key like subscription_start, and whether it is a start or an end."""
    times = table().times
    if key in times.begins or key in times.ends or key in times.happened:
        return None
    for keys, begins in ((times.begins, True), (times.ends, False)):
        for suffix in sorted(keys, key=len, reverse=True):
            if key.endswith(f"_{suffix}"):
                return key[: -len(suffix) - 1], begins
    return None


def _parts(known: Mapping[str, DocumentTime]) -> tuple[PartPeriod, ...]:
    parts: dict[str, PartPeriod] = {}
    for key, value in known.items():
        if (part := _part(key)) is not None:
            prefix, begins = part
            old = parts.get(prefix, PartPeriod(prefix=prefix))
            change = {"begin": value.at} if begins else {"end": value.at}
            parts[prefix] = msgspec.structs.replace(old, **change)
    return tuple(parts.values())


def _number(text: str) -> datetime | None:
    if _YEAR.fullmatch(text):
        return datetime(int(text), 1, 1)  # noqa: DTZ001 - the caller adds the zone
    seconds = float(text)
    if seconds >= _SECONDS_MIN * 1000:
        seconds /= 1000
    if not _SECONDS_MIN <= seconds <= _SECONDS_MAX:
        return None
    return datetime.fromtimestamp(seconds, UTC)


def _text(text: str) -> datetime | None:
    if len(text) > 40:
        return None
    if _YEAR.fullmatch(text):
        return datetime(int(text), 1, 1)  # noqa: DTZ001
    if found := _MONTH.fullmatch(text):
        return datetime(int(found[1]), int(found[2]), 1)  # noqa: DTZ001
    if found := _SLASHED.fullmatch(text):
        return _slashed(int(found[1]), int(found[2]), int(found[3]))
    if text.isdigit() and len(text) != 8:
        return _number(text)
    return _iso(text) or _worded(text)


def _iso(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _worded(text: str) -> datetime | None:
    for form in _FORMATS:
        try:
            return datetime.strptime(text, form)  # noqa: DTZ007
        except ValueError:
            continue
    try:
        return parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None


def _slashed(first: int, second: int, year: int) -> datetime | None:
    """03/04/2024 means different days in different countries; read only if just one is possible."""
    if first > 12 >= second:
        first, second = second, first
    elif second <= 12 and first != second:
        return None
    return datetime(year, first, second)  # noqa: DTZ001


def _written(found: datetime) -> str:
    if (found.hour, found.minute, found.second) == (0, 0, 0):
        return f"{found:%Y-%m-%d}"
    return f"{found:%Y-%m-%d %H:%M:%S}" if found.second else f"{found:%Y-%m-%d %H:%M}"
