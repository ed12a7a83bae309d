"""Rules for dates relative to the reference: "last Tuesday", "next month", "the past 3 days"."""

import re
from dataclasses import replace

from recollect.dates import open_dates
from recollect.dates.grammar import Match, rules
from recollect.dates.periods import (
    DAY,
    GRAINS,
    day_of,
    later,
    moved,
    unit_period,
    weekday_from,
)
from recollect.dates.values import Dated, Length, Period, ResolutionContext

CLOCK_UNITS = ("second", "minute", "hour")
_ALIGNED = ("quarter",)


def direction(match: Match) -> int:
    """Which way "last", "this" and "next" point."""
    if match.has("NEXT"):
        return 1
    return -1 if match.has("LAST", "PREVIOUS", "PASTWORD") else 0


def unit_of(match: Match) -> str:
    units = [unit for unit in match.all("ANYUNIT") if isinstance(unit, str)]
    return units[0] if units else "second"


def is_fine(length: Length) -> bool:
    """Whether a length is in hours or less, so that its end is a moment and not a day."""
    return any(unit in CLOCK_UNITS for unit, _ in length.parts)


def _dayword(match: Match) -> Dated | None:
    day = day_of(later(match.context.today, DAY * match.one("DAYWORD")))
    return open_dates.fixed(day, f"{day.first:%Y-%m-%d}")


def _now(match: Match) -> Dated:
    """The reference itself. "Recently" and "as soon as possible" only mean near it."""
    near = match.one("NOW")
    near = near if near in ("PAST_REF", "FUTURE_REF") else None
    now = Dated((unit_period("second", match.context.now),), timex=near or "PRESENT_REF")
    return replace(now, anchored=near is None, approximate=near is not None)


def _is_verb(match: Match) -> bool:
    """Whether "last" is a verb here: "it will last two hours"."""
    if not match.has("LAST") or match.has("THE", "THIS"):
        return False
    start = match.nodes[0].start
    return _HELPERS.search(match.context.text[max(0, start - 12) : start].lower()) is not None


_HELPERS = re.compile(r"(?:will|would|should|could|can|may|might|to|not|n't|n’t|does)\s+$")  # noqa: RUF001


def _rel_unit(match: Match) -> Dated | None:
    """ "Next month", "last week", "this quarter"; hours and minutes are counted, not aligned."""
    unit, way = unit_of(match), direction(match)
    now = match.context.now
    if unit in ("weekday", "business day") and not way:
        return None
    if unit == "day" and match.has("LAST") and match.lead() not in ("IN", "OVER", "DURING"):
        return None  # the final day of something
    if unit == "work week":
        week = unit_period("week", now, way)
        return open_dates.fixed(week._replace(last=later(week.first, 5 * DAY)))
    if unit in CLOCK_UNITS:
        return stretch(match.context, Length(((unit, 1),)), way) if way else None
    unit = "day" if unit == "weekday" else unit
    if match.has("PASTWORD") and unit == "weekend" and now.weekday() == 6:
        way = -1
    return open_dates.fixed(unit_period(unit, now, way))


def stretch(context: ResolutionContext, length: Length, way: int) -> Dated | None:
    """A length of time before or after the reference; whole days unless it is in hours or less."""
    grain = GRAINS[length.parts[-1][0]]
    if is_fine(length):
        ends = sorted((context.now, moved(context.now, length, way)))
        return open_dates.fixed(Period(ends[0], ends[1], grain, ends[1]))
    unit, amount = length.parts[0]
    if unit in _ALIGNED:
        near = unit_period(unit, context.now, way)
        far = unit_period(unit, context.now, way * int(amount))
        return open_dates.fixed(Period(min(near.first, far.first), max(near.last, far.last), grain))
    if way < 0:
        begin = moved(context.today, length, -1)
        return open_dates.fixed(Period(begin, context.today, grain, context.today))
    if unit == "business day":
        first = moved(context.today, Length(((unit, 1),)))
        last = later(moved(context.today, length), DAY)
        return open_dates.fixed(Period(first, last, grain, last))
    begin = later(context.today, DAY)
    end = moved(begin, length)
    return open_dates.fixed(Period(begin, end, grain, end))


def _rel_length(match: Match) -> Dated | None:
    way = 0 if _is_verb(match) else direction(match)
    return stretch(match.context, match.one("DUR"), way) if way else None


def _number_rel_units(match: Match) -> Dated | None:
    """ "The 2 upcoming months", "10 previous weeks", "the coming weeks"."""
    amount = match.one("INT", "COUPLE", "FEW")
    vague = not isinstance(amount, int)
    way = direction(match)
    unit = unit_of(match)
    if not way or unit in ("weekday", "work week") or (vague and unit in CLOCK_UNITS):
        return None
    found = stretch(match.context, Length(((unit, 3 if vague else amount),)), way)
    return replace(found, approximate=vague) if found else None


def _rel_weekday(match: Match) -> Dated | None:
    """ "Last" and "past" mean the most recent such day, "previous" the one of the week before.

    People who say "last Friday" on a Sunday mean two days ago; "next" and "this" go by the week.
    """
    number = match.one("ANYWEEKDAY")
    today = match.context.today
    if match.has("LAST", "PASTWORD"):
        return open_dates.fixed(day_of(weekday_from(today, number, -1)))
    if match.one("NEXT") in ("coming", "upcoming"):
        return open_dates.fixed(day_of(weekday_from(today, number, 1)))
    week = unit_period("week", today, direction(match))
    return open_dates.fixed(day_of(later(week.first, DAY * number)))


def _weekday_of_week(match: Match) -> Dated | None:
    week = unit_period("week", match.context.now, direction(match))
    return open_dates.fixed(day_of(later(week.first, DAY * match.one("ANYWEEKDAY"))))


def _rel_open(match: Match) -> Dated | None:
    """ "Last May", "next Easter", "this summer": the nearest one in that direction."""
    value = match.one("SPAN", "DAY")
    if value.inside is None or not value.readings:
        return value if match.has("THIS", "NEXT") and match.has("DAY") else None
    now, way = match.context.now, direction(match)
    years = [unit_period("year", now, shift) for shift in range(-2, 3)]
    found = [period for period in map(value.inside, years) if period is not None]
    if way > 0:
        fitting = [period for period in found if period.first > now]
        return open_dates.fixed(fitting[0]) if fitting else None
    if way < 0:
        fitting = [period for period in found if period.last <= now]
        return open_dates.fixed(fitting[-1]) if fitting else None
    here = [period for period in found if period.first <= now < period.last]
    here += [period for period in found if period.first.year == now.year]
    return open_dates.fixed(here[0]) if here else None


def _rel_season(match: Match) -> Dated | None:
    name = match.one("ANYSEASON")
    found = _rel_open(replace_nodes(match, open_dates.season(match.context, name)))
    return open_dates.season_in(found.readings[0].first.year, name) if found else None


def replace_nodes(match: Match, value: Dated) -> Match:
    """The match with its last token replaced by *value*."""
    last = replace(match.nodes[-1], kind="SPAN", value=value)
    return match._replace(nodes=[*match.nodes[:-1], last])


def _the_unit(match: Match) -> Dated | None:
    """ "For the day", "in the week" at the end of a phrase: the current one."""
    unit = unit_of(match)
    if match.follow() not in ("BREAK", "COMMA"):
        return None
    if match.lead() not in ("IN", "FOR", "OF", "OVER", "DURING", "BY") and unit != "fortnight":
        return None
    if unit in ("second", "minute", "hour", "decade", "century", "weekday", "season"):
        return None
    return _open_weekend(match) if unit == "weekend" else _current(match, unit)


def _current(match: Match, unit: str) -> Dated | None:
    return open_dates.fixed(unit_period(unit, match.context.now))


def _open_weekend(match: Match) -> Dated:
    """The last weekend or the coming one: both are readings."""
    weekends = (unit_period("weekend", match.context.now, shift) for shift in (-1, 0))
    return Dated(open_dates.around(match.context, weekends), grain="weekend")


def _that_unit(match: Match) -> Dated | None:
    """ "That weekend": approximately the one of the reference, as the text before is not known here."""
    unit = unit_of(match)
    if unit not in ("week", "month", "year", "weekend"):
        return None
    value = open_dates.fixed(unit_period(unit, match.context.now))
    return replace(value, approximate=True, anchored=False) if value else None


def _weekend(match: Match) -> Dated | None:
    if match.one("UNIT") != "weekend":
        return None
    if match.lead() in ("A", "EVERY", "ALL", "ANY", "GOOD") and match.after is not None:
        return None
    return None if match.follow() == "WORD" else _open_weekend(match)


def _this_time(match: Match) -> Dated | None:
    """ "This time last year"."""
    unit, way = unit_of(match), direction(match)
    if not way or unit in CLOCK_UNITS:
        return None
    there = moved(match.context.today, Length(((unit, 1),)), way)
    return replace(Dated((day_of(there),)), approximate=True)


def _same_time(match: Match) -> Dated | None:
    """ "This time tomorrow"."""
    now, day = match.context.now, match.one("DAY")
    since_midnight = now - match.context.today
    found = tuple(unit_period("second", p.first + since_midnight) for p in day.readings)
    return Dated(found, approximate=True) if found else None


REL = "(LAST|PREVIOUS|NEXT|PASTWORD|THIS (PASTWORD|NEXT|LAST)?)"
UNIT = "(UNIT|WEEKWORD|YEARWORD|DAYUNIT|QUARTERWORD)"
EARLY_RULES = rules(
    ("DAYWORD", _dayword),
    ("NOW", _now),
    (f"SAMETIME {REL} {UNIT}", _this_time),
    ("SAMETIME (ON|COMMA)? DAY", _same_time),
)
RULES = rules(
    (f"{REL} WEEKWORD ON? ANYWEEKDAY", _weekday_of_week),
    (f"ON? ANYWEEKDAY (OF|IN|COMMA)? THE? {REL} WEEKWORD", _weekday_of_week),
    (f"THE? {REL} {UNIT} (?![DUR OF])", _rel_unit),
    (f"{REL} DUR (?!OF)", _rel_length),
    (f"(INT|COUPLE|FEW) {REL} (UNITS|{UNIT})", _number_rel_units),
    (f"THE {REL} UNITS", _number_rel_units),
    (f"THE? {REL} ANYSEASON", _rel_season),
    (f"(THE|ON)? {REL} (SPAN|DAY)", _rel_open),
    (f"THAT THAT? {UNIT}", _that_unit),
    (f"(?<=OF) THE {UNIT}", _the_unit),
)
SECOND_RULES = rules(
    (f"THE? {REL} {UNIT}", _rel_unit),
    (f"{REL} ANYWEEKDAY", _rel_weekday),
)
LAST_RULES = rules(
    (f"THE {UNIT}", _the_unit),
    ("UNIT", _weekend),
)
