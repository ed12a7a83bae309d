"""What tokens of digits stand for, by their shape: dates, times, whole numbers."""

import re
from datetime import datetime

from recollect.dates.values import Node, Raw

_NOT_AFTER = frozenset("._\\")


def size(value: int) -> str:
    """The kind of a whole number."""
    for limit, kind in ((0, "ZERO"), (12, "N12"), (24, "N24"), (31, "N31"), (59, "N59")):
        if value <= limit:
            return kind
    return "N99" if value < 100 else "NBIG"


def whole(digits: str, start: int, end: int) -> Node:
    """A whole number by its digits: "0730" is a time, "1987" a year."""
    value = int(digits)
    if len(digits) == 4 and digits[0] == "0" and value % 100 < 60:
        return Node("MILITARY", start, end, value)
    if len(digits) == 4 and 1100 <= value < 2200:
        return Node("YEARNUM", start, end, value)
    return Node(size(value), start, end, value)


def digits(text: str, raw: Raw) -> Node:
    before = text[raw.start - 1] if raw.start else " "
    short = before == "." and text[: raw.start - 1][-1:].isalpha() and raw.group == "number"
    glued = before in _NOT_AFTER and raw.group != "ymd" and not (short and len(raw.word) < 3)
    if raw.group in ("opaque", "version") or glued:
        return Node("OPAQUE", raw.start, raw.end)
    made = _SHAPES[raw.group](raw)
    return made or Node("OPAQUE", raw.start, raw.end)


def _stamp(raw: Raw) -> Node | None:
    body = raw.word.replace("t", " ").replace(",", ".").replace("z", "+00:00").upper()
    body = re.sub(r"\s+(?=[+-]\d{2}:?\d{2}$)", "", body)
    body = re.sub(r"(\.\d{6})\d+", r"\1", body)
    body = re.sub(r"\.(\d{1,6})(?=$|[+-])", lambda m: "." + m[1].ljust(6, "0"), body)
    try:
        moment = datetime.fromisoformat(body)
    except ValueError:
        return None
    return Node("STAMP", raw.start, raw.end, moment)


def _three(raw: Raw) -> Node | None:
    parts = [int(part) for part in re.split(r"[-/.]", raw.word)]
    if raw.group == "ymd":
        year, month, day = parts
    else:
        month, day, year = parts
        if "." in raw.word and len(raw.word.split(".")[2]) == 2:
            return None
    # With dots the day comes first wherever people write so.
    if month > 12 or ("." in raw.word and raw.group == "mdy" and day <= 12):
        month, day = day, month
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return Node("YMD", raw.start, raw.end, (year, month, day))


def _two(raw: Raw) -> Node:
    parts = [int(part) for part in re.split(r"[-/]", raw.word)]
    year, month = parts if raw.group == "ym" else reversed(parts)
    return Node("YM", raw.start, raw.end, (year, month))


def _clock(raw: Raw) -> Node | None:
    parts = [int(part) for part in raw.word.replace("h", ":").split(":")]
    if parts[0] > 24 or any(part > 59 for part in parts[1:]):
        return None
    return Node("HHMM", raw.start, raw.end, tuple(parts))


def _slashed(raw: Raw) -> Node | None:
    month, day = (int(part) for part in raw.word.split("/"))
    if month > 12:
        month, day = day, month
    valid = 1 <= month <= 12 and 1 <= day <= 31 and raw.word != "24/7"
    return Node("SLASHED", raw.start, raw.end, (month, day)) if valid else None


def _decimal(raw: Raw) -> Node:
    return Node("DECIMAL", raw.start, raw.end, float(raw.word[:20]))


def _integer(raw: Raw) -> Node | None:
    digits = raw.word.replace(",", "")
    if len(digits) > 9:
        return None
    if raw.group == "comma_number":
        return Node(size(int(digits)), raw.start, raw.end, int(digits))
    return whole(digits, raw.start, raw.end)


def _ordinal(raw: Raw) -> Node | None:
    value = int(raw.word[:-2])
    return Node("ORD", raw.start, raw.end, value) if value else None


def _meridiem(raw: Raw) -> Node:
    letters = raw.word.replace(" ", "").replace(".", "")
    return Node("AMPM", raw.start, raw.end, "ampm" if letters == "ampm" else letters[0])


def _sign(raw: Raw) -> Node:
    sign = raw.word.replace(" ", "").replace("≥", ">=").replace("≤", "<=")
    return Node("SIGN", raw.start, raw.end, sign)


_SHAPES = {
    "stamp": _stamp,
    "ymd": _three,
    "mdy": _three,
    "ym": _two,
    "my": _two,
    "clock": _clock,
    "slashed": _slashed,
    "decimal": _decimal,
    "comma_number": _integer,
    "number": _integer,
    "ordinal": _ordinal,
    "ampm": _meridiem,
    "sign": _sign,
}
