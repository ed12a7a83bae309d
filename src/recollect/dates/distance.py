"""Rules for dates at a distance from another date: "three years ago", "in two weeks", "the day after"."""

import re
from dataclasses import replace
from datetime import datetime

from recollect.dates import open_dates
from recollect.dates.grammar import Match, members, rules
from recollect.dates.periods import (
    DAY,
    GRAINS,
    begin_of,
    day_of,
    later,
    moved,
    unit_period,
    weekday_from,
)
from recollect.dates.relative import CLOCK_UNITS, REL, UNIT, is_fine, stretch, unit_of
from recollect.dates.values import Dated, Length, Period, ResolutionContext

_UNIT_NAMES = ("UNIT", "WEEKWORD", "YEARWORD", "DAYUNIT", "QUARTERWORD")


def _end(context: ResolutionContext, base: datetime, length: Length, sign: int) -> Dated:
    """The day, or the moment, that is a length before or after *base*."""
    if is_fine(length):
        moment = moved(base, length, sign)
        return Dated((unit_period("second", moment),), approximate=length.approximate)
    day = day_of(moved(begin_of("day", base), length, sign))
    return Dated((day,), timex=f"{day.first:%Y-%m-%d}", approximate=length.approximate)


def _ago(match: Match) -> Dated | None:
    (unit, amount), *rest = match.one("DUR").parts
    if match.has("BACK") and match.lead() == "IN":
        return None
    if unit == "weekend" and not rest:
        return open_dates.fixed(unit_period("weekend", match.context.now, -int(amount)))
    return _end(match.context, match.context.now, match.one("DUR"), -1)


def _ago_from(match: Match) -> Dated | None:
    """ "A year ago today", "a week ago yesterday"."""
    days = match.one("DAY").readings
    if len(days) != 1 or abs(days[0].first - match.context.today) > DAY:
        return None
    return _end(match.context, days[0].first, match.one("DUR"), -1)


def _weekday_week(match: Match) -> Dated | None:
    """ "Monday week", "a week on Monday", "the Monday after next"."""
    if match.one("DUR") not in (None, Length((("week", 1),))) or match.lead() in _NEAR:
        return None
    near = weekday_from(match.context.today, match.one("ANYWEEKDAY"), 1)
    return open_dates.fixed(day_of(later(near, 7 * DAY)))


_NEAR = members("REL")


def _is_denied(match: Match) -> bool:
    """Whether a negation makes "in" look back: "we have not talked in a few days" gives no date."""
    start = match.nodes[0].start
    return _DENIAL.search(match.context.text[max(0, start - 50) : start].lower()) is not None


_DENIAL = re.compile(r"(?:n['’]t|\bnot|\bnever)\b[^.!?;,]*$")  # noqa: RUF001


def _ahead(match: Match) -> Dated | None:
    if match.context.tense in ("past", "perfect") or (match.has("IN") and _is_denied(match)):
        return None
    (unit, amount), *rest = match.one("DUR").parts
    if unit == "weekend" and not rest:
        return open_dates.fixed(unit_period("weekend", match.context.now, int(amount)))
    return _end(match.context, match.context.now, match.one("DUR"), 1)


def _from_date(match: Match) -> Dated | None:
    """ "Two days after today", "in two years since 2011"."""
    base = match.one("DATE", "MOMENT")
    if match.has("ANYWEEKDAY"):
        base = open_dates.weekday(match.context, match.one("ANYWEEKDAY"))
    lasting = match.lead() == "FOR" or match.follow() in members("TOWORD")
    if not base.readings or (lasting and match.has("FROM")):
        return None
    sign = -1 if match.has("BEFORE") else 1
    if len(base.readings) == 1:
        start = base.readings[0]
    else:
        start = min(base.readings, key=lambda item: abs(item.first - match.context.today))
        coming = [item for item in base.readings if item.first >= match.context.today]
        start = coming[0] if coming and match.context.tense != "past" else start
    return _end(match.context, start.edge or start.first, match.one("DUR"), sign)


def _bounded(match: Match) -> Dated | None:
    """ "More than 2 weeks before today", "less than 3 days after tomorrow"."""
    found = (
        _from_date(match)
        if match.has("DATE", "MOMENT")
        else (_ago(match) if match.has("AGO") else _ahead(match))
    )
    if found is None:
        return None
    there = found.readings[0]
    backwards = match.has("BEFORE", "AGO")
    if match.has("MORE", "OVER"):
        edge = there.first
        return replace(
            found,
            relation="before" if backwards else "after",
            readings=(there._replace(edge=edge),),
        )
    base = match.one("DATE", "MOMENT")
    near = match.context.now if is_fine(match.one("DUR")) else match.context.today
    here = base.readings[0].first if base else near
    first, last = sorted((here, there.first))
    return Dated((Period(first, last, there.grain, last),), relation="between")


def _within(match: Match) -> Dated | None:
    """ "Within 5 minutes", "within the next day": a stretch that begins now.

    Without "next" or "last", this needs the future tense or none: "we answer within two days" is a duration.
    """
    if match.has("WITHIN") and not match.has("REL") and match.context.tense not in (None, "future"):
        return None
    length = match.one("DUR")
    if length is None or match.has(*_UNIT_NAMES):
        length = Length(((unit_of(match), 1), *(length.parts if length else ())))
    if match.has("LAST", "PREVIOUS", "PASTWORD"):
        return stretch(match.context, length, -1)
    first = match.context.now if is_fine(length) else match.context.today
    last = moved(first, length)
    return open_dates.fixed(Period(first, last, GRAINS[length.parts[-1][0]], last))


def _weekdays_away(match: Match) -> Dated | None:
    """ "Two Sundays from now", "three Mondays ago"."""
    way = -1 if match.has("AGO") else 1
    near = weekday_from(match.context.today, match.one("WEEKDAYS"), way)
    return open_dates.fixed(day_of(later(near, way * 7 * DAY * (match.one("INT") - 1))))


def _weekday_with_length(match: Match) -> Dated | None:
    """ "Monday two weeks from now": the Monday of the week that is two weeks away."""
    there = moved(match.context.today, match.one("DUR"), -1 if match.has("AGO") else 1)
    week = unit_period("week", there)
    return open_dates.fixed(day_of(later(week.first, DAY * match.one("ANYWEEKDAY"))))


def _beside(match: Match) -> Dated | None:
    """ "The day after", "the week before 9 June", "the Friday before", "the weekend after Easter"."""
    way = -1 if match.has("BEFORE", "PREVIOUS") else 1
    value = match.one("DATE")
    base = _anchor(match.context, value) if value else day_of(match.context.today)
    if base is None:
        return None
    if match.has("ANYWEEKDAY"):
        return open_dates.fixed(day_of(weekday_from(base.first, match.one("ANYWEEKDAY"), way)))
    unit = unit_of(match)
    if unit == "weekend":
        return open_dates.fixed(_weekend_beside(base, way))
    if unit == "week" and base.grain == "day":
        first = later(base.first, -7 * DAY) if way < 0 else base.last
        return open_dates.fixed(Period(first, later(first, 7 * DAY), "week"))
    if unit in CLOCK_UNITS:
        return None
    return open_dates.fixed(
        unit_period(unit, base.first if way < 0 else later(base.last, -DAY), way)
    )


def _one_further(match: Match) -> Dated | None:
    """ "The week before last", "the year after next"."""
    unit = unit_of(match)
    if unit in CLOCK_UNITS or unit in ("weekday", "work week"):
        return None
    # Before the weekend, "next weekend" is this week's, so "the weekend after next" is one week on.
    ahead = 1 if unit == "weekend" and match.context.now.weekday() < 5 else 2
    return open_dates.fixed(
        unit_period(unit, match.context.now, -2 if match.has("BEFORE") else ahead)
    )


def _weekend_beside(base: Period, way: int) -> Period:
    weekend = unit_period("weekend", base.first)
    if way < 0:
        return weekend if weekend.last <= base.first else unit_period("weekend", base.first, -1)
    return weekend if weekend.first >= base.last else unit_period("weekend", base.first, 1)


def _anchor(context: ResolutionContext, value: Dated) -> Period | None:
    """The reading of a date that distances are counted from: the one nearest to today."""
    if not value.readings:
        return None
    return min(value.readings, key=lambda period: abs(period.first - context.today))


FIRST_RULES = rules(("INT WEEKDAYS (AGO|FROM NOW)", _weekdays_away))
EARLY_RULES = rules(
    (f"WITHIN THE? {REL}? {UNIT} AND DUR", _within),
    (f"WITHIN AROUND? THE? {REL}? DUR", _within),
    ("ANYWEEKDAY WEEKWORD (?=[BREAK COMMA]|$)", _weekday_week),
    ("DUR ON ANYWEEKDAY", _weekday_week),
    ("ANYWEEKDAY IN DUR", _weekday_with_length),
    ("ANYWEEKDAY COMMA? DUR (FROM MOMENT|FROM DAY|AGO|LATER)", _weekday_with_length),
)
RULES = rules(
    (f"THE ({UNIT}|ANYWEEKDAY) (BEFORE|AFTER) THE? DATE", _beside),
    (f"THE {UNIT} (BEFORE LAST|AFTER NEXT)", _one_further),
    (f"THE {UNIT} (BEFORE|AFTER|PREVIOUS) (?=[BREAK COMMA]|$)", _beside),
    ("THE? ANYWEEKDAY AFTER NEXT", _weekday_week),
    ("(MORE|LESS) THAN? DUR (BEFORE|AFTER|FROM) (DATE|MOMENT)", _bounded),
    ("(MORE|LESS|OVER) THAN? DUR (AGO|LATER|FROM MOMENT)", _bounded),
    ("IN LESS THAN? DUR", _within),
    ("IN? DUR (BEFORE|AFTER|FROM|SINCE) THE? (DATE|MOMENT)", _from_date),
    ("DUR (FROM|AFTER|BEFORE) ANYWEEKDAY", _from_date),
    ("DUR AGO (ON|COMMA)? ANYWEEKDAY", _weekday_with_length),
    ("DUR AGO DAY", _ago_from),
    ("DUR (AGO|EARLIER|BACK)", _ago),
    ("DUR LATER", _ahead),
    ("IN AROUND? DUR", _ahead),
)
LATE_RULES = rules(("DUR (BEFORE|AFTER) THE? SPAN", _from_date))
