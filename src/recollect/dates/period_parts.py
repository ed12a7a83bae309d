"""Rules for part of a longer period: "the first week of May", "late July", "mid-2019"."""

from dataclasses import replace
from datetime import timedelta

from recollect.dates import open_dates
from recollect.dates.clock import part_of
from recollect.dates.grammar import CLOCK_GRAINS, Match, rules
from recollect.dates.periods import (
    DAY,
    begin_of,
    date,
    day_of,
    later,
    months_later,
    moved,
    nth_weekday,
    unit_period,
)
from recollect.dates.relative import CLOCK_UNITS, UNIT, unit_of
from recollect.dates.values import Dated, Length, Node, Period


def _rest(match: Match) -> Dated | None:
    """ "The rest of the week": from now on."""
    value = match.one("SPAN", "DAY")
    period = value.readings[0] if value else unit_period(unit_of(match), match.context.now)
    if period.grain in CLOCK_GRAINS:
        return None
    now = match.context.now if period.grain == "day" else match.context.today
    first = min(max(now, period.first), period.last)
    return open_dates.fixed(Period(first, period.last, "part" if period.grain == "day" else "day"))


def _half_of(match: Match) -> Dated | None:
    """ "The second half of 2017"."""
    value = match.one("SPAN")
    periods = value.readings if value else (unit_period(unit_of(match), match.context.now),)
    if periods[0].grain in CLOCK_GRAINS or not periods:
        return None
    return Dated(tuple(_halved(period, match.one("HALFOF")) for period in periods))


def _halved(period: Period, which: int) -> Period:
    if period.grain in ("year", "decade", "century"):
        months = {"year": 6, "decade": 60, "century": 600}[period.grain]
        middle = months_later(period.first, months)
    else:
        middle = begin_of("day", period.first + (period.last - period.first) / 2)
    if which == 1:
        return Period(period.first, middle, "month")
    return Period(middle, period.last, "month")


def _week_holding(match: Match) -> Dated | None:
    """ "The week of 9 June", "w/c Feb 4", "the weekend of Halloween"."""
    day = match.one("DAY")
    unit = "week" if match.has("STARTING", "WEEKWORD") else match.one("UNIT")
    if unit == "week":
        found = tuple(unit_period("week", period.first) for period in day.readings)
    elif unit == "weekend":
        found = tuple(_weekend_around(period) for period in day.readings)
    else:
        return None
    return Dated(found, grain=found[0].grain) if found else None


def _unit_named(match: Match) -> Dated | None:
    """ "The month of June": June."""
    value: Dated = match.one("SPAN")
    return value if value.grain == unit_of(match) else None


def _week_starting(match: Match) -> Dated | None:
    """ "The week starting 4 February", and not what merely starts then."""
    return _week_holding(match) if match.one("STARTING") == "week" else None


def _week_of_ordinal(match: Match) -> Dated | None:
    """ "The week of the 15th"."""
    number = match.one("ORD")
    if number > 31:
        return None
    day = open_dates.day_of_month(match.context, number)
    last = replace(match.nodes[-1], kind="DAY", value=day)
    return _week_holding(match._replace(nodes=[*match.nodes[:-1], last]))


def _weekend_around(day: Period) -> Period:
    """The weekend nearest to a day, extended to include the day (and the days in between)."""
    weekday = day.first.weekday()
    weekend = unit_period("weekend", day.first, -1 if weekday < 3 else 0)
    first, last = min(weekend.first, day.first), max(weekend.last, day.last)
    return Period(first, last, "weekend")


def _nth_unit(match: Match) -> Dated | None:
    """ "First week of 2015", "the last 3 weeks of this year", "the 15th day of June"."""
    outer = match.one("SPAN")
    number = -1 if match.has("LAST") else match.one("ORDINAL")
    count = match.one("DUR")
    unit, amount = count.parts[0] if count else (unit_of(match), 1)
    if unit in CLOCK_UNITS or unit in ("weekday", "work week", "night"):
        return None
    found = tuple(
        period
        for outer_period in outer.readings
        if (period := _nth(outer_period, unit, int(number), int(amount))) is not None
    )
    return Dated(found, grain=found[0].grain) if found else None


def _nth(outer: Period, unit: str, number: int, amount: int) -> Period | None:
    """The n-th stretch of *amount* units in a period. A week belongs to the period of its Thursday."""
    ends = later(outer.last, -DAY)
    if unit == "week":
        base = unit_period("week", outer.first)
        if later(base.first, 3 * DAY) < outer.first:
            base = unit_period("week", outer.first, 1)
        if amount > 1 and base.first < outer.first and outer.grain == "year":
            base = unit_period("week", base.first, 1)
        top = unit_period("week", ends)
        if later(top.first, 3 * DAY) > ends:
            top = unit_period("week", ends, -1)
        if amount > 1 and number < 0 and top.last > outer.last:
            top = unit_period("week", top.first, -1)
    elif unit == "weekend":
        return _nth_weekend(outer, number)
    elif unit == "business day":
        return _nth_business_day(outer, number)
    else:
        base, top = unit_period(unit, outer.first), unit_period(unit, ends)
    if number > 0:
        first = unit_period(unit, base.first, (number - 1) * amount)
        last = unit_period(unit, base.first, number * amount - 1)
    else:
        first, last = unit_period(unit, top.first, 1 - amount), top
    fits = first.last > outer.first and first.first < outer.last
    return Period(first.first, last.last, first.grain) if fits else None


def _nth_business_day(outer: Period, number: int) -> Period | None:
    edge = later(outer.first, -DAY) if number > 0 else outer.last
    found = day_of(moved(edge, Length((("business day", abs(number)),)), 1 if number > 0 else -1))
    return found if outer.first <= found.first < outer.last else None


def _nth_weekend(outer: Period, number: int) -> Period | None:
    saturday = nth_weekday(outer, 5, number)
    return unit_period("weekend", saturday.first) if saturday else None


def _nth_weekday(match: Match) -> Dated | None:
    """ "The first Monday of next month", "the last Friday of May"."""
    number = -1 if match.has("LAST") else match.one("ORDINAL")
    found = tuple(
        day
        for outer in match.one("SPAN").readings
        if (day := nth_weekday(outer, match.one("ANYWEEKDAY"), number)) is not None
    )
    return Dated(found) if found else None


def _nth_of_current(match: Match) -> Dated | None:
    outer = unit_period(match.nodes[-1].value, match.context.now)
    if outer.grain in CLOCK_GRAINS or match.nodes[-4].value in ("weekday", "work week"):
        return None
    number = -1 if match.has("LAST") else int(match.one("ORDINAL"))
    found = _nth(outer, match.nodes[-4].value, number, 1)
    return open_dates.fixed(found)


def _inside(match: Match) -> Dated | None:
    """A date with an open year, month or week, inside a period that fixes it."""
    first, second = match.all("DATE", "MOMENT")
    if first.inside is None:
        first, second = second, first
    if first.inside is None or len(second.readings) != 1 or second.inside is not None:
        return None
    if not first.readings or not _longer(second.readings[0], first.readings[0]):
        return None
    outer = second.readings[0]
    found = open_dates.within(first, outer)
    if found is None or not outer.first <= found.readings[0].first < outer.last:
        return None
    return replace(found, anchored=second.anchored)


def _longer(outer: Period, inner: Period) -> bool:
    return outer.last - outer.first > inner.last - inner.first and outer.grain != "decade"


def _part_of_day_inside(match: Match) -> Dated | None:
    """ "Wednesday evening next week", "the first Monday evening of next month"."""
    outer, part, number = match.one("SPAN"), match.one("PART"), match.one("ANYWEEKDAY")
    if len(outer.readings) != 1:
        return None
    place = -1 if match.has("LAST") else match.one("ORDINAL") or 1
    day = nth_weekday(outer.readings[0], number, place)
    return Dated((part_of(day.first, part),)) if day else None


def _ordinal_inside(match: Match) -> Dated | None:
    """ "The 21st this month", "the 15th of next month"."""
    outer, number = match.one("SPAN"), match.one("ORD")
    period = outer.readings[0] if outer.readings else None
    if period is None or period.grain != "month":
        return None
    found = date(period.first.year, period.first.month, number) if number <= 31 else None
    return open_dates.fixed(day_of(found)) if found else None


def _ordinal_of_month(match: Match) -> Dated | None:
    """ "The 26th day of the month", "the 3rd of the month"."""
    if match.nodes[-1].value != "month" or match.one("ORD") > 31:
        return None
    found = open_dates.day_of_month(match.context, match.one("ORD"))
    month = unit_period("month", match.context.now)
    return open_dates.within(found, month)


NTH_RULES = rules(
    (f"THE? (ORDINAL|LAST) ({UNIT}|DUR) (OF|IN) THE? SPAN", _nth_unit),
    (f"SPAN APOS? (ORDINAL|LAST) {UNIT}", _nth_unit),
    ("THE? (ORDINAL|LAST) ANYWEEKDAY (OF|IN) THE? SPAN", _nth_weekday),
)
RULES = rules(
    (f"REST THE? ({UNIT}|SPAN|DAY)", _rest),
    ("THE? HALFOF THE? (SPAN|YEARWORD|UNIT|WEEKWORD|QUARTERWORD)", _half_of),
    ("THE? STARTING DAY", _week_starting),
    ("THE? (WEEKWORD|UNIT) OF DAY", _week_holding),
    ("THE? (WEEKWORD|UNIT) OF THE ORD (?!OF|UNIT)", _week_of_ordinal),
    ("DAY UNIT", _week_holding),
    (f"THE? {UNIT} OF SPAN", _unit_named),
)
OUTER_RULES = rules(
    ("THE? ORD DAYUNIT? (OF|IN)? THE? SPAN", _ordinal_inside),
    ("THE? ORD DAYUNIT? OF THE UNIT", _ordinal_of_month),
    ("THE? (ORDINAL|LAST) ANYWEEKDAY PART (OF|IN) THE? SPAN", _part_of_day_inside),
    ("ANYWEEKDAY PART (OF|IN)? SPAN", _part_of_day_inside),
)
OPEN_RULES = rules(
    ("DATE (OF|IN|COMMA)? SPAN", _inside),
    ("SPAN (ON|COMMA)? DAY", _inside),
)
FIRST_RULES = rules((f"(ORDINAL|LAST) {UNIT} OF THE {UNIT}", _nth_of_current))


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


# The months of a year, days of a month, days of a week … that "early", "mid" and "late" cover.
_YEAR_CUTS = {"EARLY": (0, 4), "MID": (4, 8), "LATE": (8, 12)}
_NEAR_YEAR_CUTS = {"EARLY": (0, 6), "MID": (4, 8), "LATE": (6, 12)}
_MONTH_CUTS = {"EARLY": (0, 15), "MID": (9, 20), "LATE": (15, None)}
_WEEK_CUTS = {"EARLY": (0, 3), "MID": (2, 5), "LATE": (3, None)}
_DAY_CUTS = {"EARLY": (0, 12), "MID": (10, 14), "LATE": (12, 24)}
_DECADE_CUTS = {"EARLY": (0, 4), "MID": (3, 7), "LATE": (6, 10)}


def cut(period: Period, which: str, near: bool = False) -> Period:
    """The early, middle or late part of a period. *near*: it is relative to the reference ("this year")."""
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
    """ "The end of 2007": the last part of it; when used as a bound, its last moment."""
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


VAGUE_RULES = rules(
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
