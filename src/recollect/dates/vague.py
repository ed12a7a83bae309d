"""Rules for the beginning, middle and end of a period: "mid-2019", "late July", "end of the week"."""

from dataclasses import replace
from datetime import timedelta

from recollect.dates.grammar import Match, rules
from recollect.dates.periods import DAY, later, months_later, unit_period
from recollect.dates.values import Dated, Node, Period


def _end_of_day(match: Match) -> Dated | None:
    """ "End of tomorrow": its last second."""
    day = match.one("DAY")
    last = tuple(unit_period("second", later(p.last, -timedelta(seconds=1))) for p in day.readings)
    return Dated(last) if last else None


def _end_of_today(match: Match) -> Dated | None:
    if match.one("ENDOF", "DAYUNIT") != "day":
        return None
    today = match.context.today
    return Dated((unit_period("second", later(today, DAY - timedelta(seconds=1))),))


# Which months of a year, days of a month and days of a week "early", "mid" and "late" reach.
_YEAR_CUTS = {"EARLY": (0, 4), "MID": (4, 8), "LATE": (8, 12)}
_NEAR_YEAR_CUTS = {"EARLY": (0, 6), "MID": (4, 8), "LATE": (6, 12)}
_MONTH_CUTS = {"EARLY": (0, 15), "MID": (9, 20), "LATE": (15, None)}
_WEEK_CUTS = {"EARLY": (0, 3), "MID": (2, 5), "LATE": (3, None)}
_DAY_CUTS = {"EARLY": (0, 12), "MID": (10, 14), "LATE": (12, 24)}
_DECADE_CUTS = {"EARLY": (0, 4), "MID": (3, 7), "LATE": (6, 10)}


def cut(period: Period, which: str, near: bool = False) -> Period:
    """The early, middle or late part of a period. *near*: it was named from the reference."""
    first, last = period.first, period.last
    if period.grain == "year":
        low, high = (_NEAR_YEAR_CUTS if near else _YEAR_CUTS)[which]
        return Period(months_later(first, low), months_later(first, high), "month")
    if period.grain in ("decade", "century"):
        size = 12 if period.grain == "decade" else 120
        low, high = _DECADE_CUTS[which]
        return Period(months_later(first, low * size), months_later(first, high * size), "year")
    if period.grain == "day":
        low, high = _DAY_CUTS[which]
        return Period(first + timedelta(hours=low), first + timedelta(hours=high), "part")
    table = _MONTH_CUTS if period.grain == "month" else _WEEK_CUTS
    if period.grain not in ("month", "week"):
        third = (last - first).days // 3
        table = {"EARLY": (0, third), "MID": (third, 2 * third), "LATE": (2 * third, None)}
    begin_day, end_day = table[which]
    end = last if end_day is None else later(first, DAY * end_day)
    return Period(later(first, DAY * begin_day), end, "day")


def _vague(match: Match) -> Dated | None:
    """ "Mid-2019", "late July", "early this year"."""
    which = next(node.kind for node in match.nodes if node.kind in ("EARLY", "MID", "LATE"))
    value = match.one("DATE")
    near = not value.timex and value.inside is None
    found = tuple(cut(period, which, near) for period in value.readings)
    return Dated(found, month=value.month, approximate=True) if found else None


_EDGES = {"START": "EARLY", "MIDDLE": "MID", "END": "LATE"}


def _edge_of(match: Match) -> Dated | None:
    """ "The end of 2007": its last part, and as a bound its last moment."""
    word = next(node.kind for node in match.nodes if node.kind in _EDGES)
    if word == "START" and match.one("START") != "of":
        return None
    value = match.one("SPAN")
    near = not value.timex and value.inside is None
    found = tuple(_with_edge(period, word, near) for period in value.readings)
    return Dated(found, month=value.month) if found else None


def _with_edge(period: Period, word: str, near: bool) -> Period:
    middle = period.first + (period.last - period.first) / 2
    middle = middle.replace(hour=0, minute=0, second=0, microsecond=0)
    if period.grain == "year":
        middle = later(months_later(period.first, 6), DAY)
    edge = {"START": period.first, "MIDDLE": middle, "END": period.last}[word]
    return cut(period, _EDGES[word], near)._replace(edge=edge)


def _end_of_current(match: Match) -> Dated | None:
    """ "End of the year", "EOM"."""
    unit = match.one("ENDOF") or match.one("UNIT", "WEEKWORD", "YEARWORD", "QUARTERWORD")
    if unit in ("day", "second", "minute", "hour", "weekday", "century"):
        return None
    if match.has("ENDOF") and not match.words().isupper():
        return None
    word = next((node.kind for node in match.nodes if node.kind in _EDGES), "END")
    return Dated((_with_edge(unit_period(unit, match.context.now), word, near=True),))


def _so_far(match: Match) -> Dated | None:
    """ "Earlier this year": up to today."""
    value = match.one("SPAN")
    period = value.readings[0] if value.readings else None
    today = match.context.today
    if period is None:
        return None
    if not period.first <= today < period.last:
        return _vague(match._replace(nodes=_as_vague(match)))
    if match.has("EARLIER", "EARLY"):
        last = max(today, later(period.first, DAY))
        return Dated((Period(period.first, last, "day", last),))
    first = today
    if period.grain == "year":
        first = max(today, months_later(period.first, 6))
    return Dated((Period(first, period.last, "day"),))


def _of_current(match: Match) -> Dated | None:
    """ "Later in the week"."""
    unit = match.nodes[-1].value
    if not match.words(match.nodes[0]).lower().endswith(" the") or unit not in _CURRENT:
        return None
    period = unit_period(unit, match.context.now)
    span = replace(match.nodes[-1], kind="SPAN", value=Dated((period,), grain=period.grain))
    return _so_far(match._replace(nodes=[match.nodes[0], span]))


_CURRENT = ("week", "month", "year")


def _of_today(match: Match) -> Dated | None:
    """ "Earlier today", "later today"."""
    now, day = match.context.now, match.one("DAY").readings[0]
    if not day.first < now < day.last:
        return Dated((cut(day, "EARLY" if match.has("EARLIER") else "LATE"),))
    if match.has("EARLIER"):
        return Dated((Period(day.first, now, "part"),))
    return Dated((Period(now, day.last, "part"),))


def _as_vague(match: Match) -> list[Node]:
    names = {"EARLIER": "EARLY", "LATER": "LATE"}
    return [replace(node, kind=names.get(node.kind, node.kind)) for node in match.nodes]


def _around(match: Match) -> Dated | None:
    value: Dated = match.one("DAY", "SPAN", "MOMENT")
    return replace(value, approximate=True)


RULES = rules(
    ("(EARLIER|LATER|EARLY|LATE) IN? SPAN (?=BREAK|$|WORD|COMMA)", _so_far),
    ("(EARLIER|LATER) DAY", _of_today),
    ("THE? VAGUE DASH? (IN|OF|ON|THE)? (IN|OF|THE)? (DAYUNIT? DAY|SPAN)", _vague),
    ("(START|MIDDLE|END) THE? SPAN", _edge_of),
    ("(EARLY|LATE) (UNIT|WEEKWORD|YEARWORD) (?=[BREAK COMMA]|$)", _of_current),
    ("END THE? DAYUNIT (ON|OF|COMMA)? DAY", _end_of_day),
    ("END THE? DAY", _end_of_day),
    ("END THE? DAYUNIT", _end_of_today),
    ("(START|MIDDLE|END) THE? (UNIT|WEEKWORD|YEARWORD|QUARTERWORD) (?!WORD)", _end_of_current),
    ("ENDOF (ON|OF)? DAY", _end_of_day),
    ("ENDOF", _end_of_current),
    ("ENDOF", _end_of_today),
)
AROUND_RULES = rules(("AROUND (DAY|SPAN|MOMENT)", _around))
