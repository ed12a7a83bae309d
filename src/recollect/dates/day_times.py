"""Rules that combine a day with a time of day: "Friday at 5", "yesterday evening", "tonight"."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from recollect.dates import open_dates
from recollect.dates.clock import at, by_part, clock_of, hours_on, part_of
from recollect.dates.grammar import Match, rules
from recollect.dates.lexicon import PARTS
from recollect.dates.periods import DAY, later
from recollect.dates.relative import direction
from recollect.dates.values import Clock, Dated, Part, Period, ResolutionContext

_NIGHT_ENDS = 5
_EVENING = 16


def _day_time(match: Match) -> Dated | None:
    """A day and a time of that day, with or without a part of the day."""
    day, clock, part = match.one("DAY"), match.one("TIME"), match.one("PART")
    if not day.readings:
        return None
    clock = by_part(clock, part) if part else clock
    return _on(day, lambda first: at(first, clock))


def _on(day: Dated, make: Callable[[datetime], Period]) -> Dated:
    found = tuple(make(period.first) for period in day.readings)
    return Dated(found, approximate=day.approximate)


def _day_hour(match: Match) -> Dated | None:
    """A day followed by a bare number that can only be an hour: "tonight around 3"."""
    clock = clock_of(match.context, match.nodes[-1])
    day = match.one("DAY")
    return _on(day, lambda first: at(first, clock)) if clock and day.readings else None


def _day_part(match: Match) -> Dated | None:
    day, part = match.one("DAY"), match.one("PART")
    return _on(day, lambda first: part_of(first, part)) if day.readings else None


def _part_of_ordinal(match: Match) -> Dated | None:
    """ "The morning of the 7th"."""
    number, part = match.one("ORD"), match.one("PART")
    if number > 31:
        return None
    return _on(open_dates.day_of_month(match.context, number), lambda first: part_of(first, part))


def _part_with_date(match: Match) -> Dated | None:
    """ "Saturday morning, May 5th"."""
    day, part = match.one("DAY"), match.one("PART")
    if day.month is None or not day.readings:
        return None
    return _on(day, lambda first: part_of(first, part))


def _day_hours(match: Match) -> Dated | None:
    """A day and hours of it: "Monday 8-9 am"."""
    day, hours = match.one("DAY"), match.one("TRANGE")
    if not day.readings:
        return None
    found = _on(day, lambda first: hours_on(first, hours))
    return replace(found, relation="between")


def _tonight_hours(match: Match) -> Dated | None:
    """ "Tonight from 7 to 7:30"."""
    day = later(match.context.today, DAY * (match.one("TONIGHT") or 0))
    hours = match.one("TRANGE")
    shift = 12 if hours.begin.hour < 12 <= hours.begin.hour + 12 - _NIGHT_ENDS else 0
    period = hours_on(day, hours)
    moved_by = timedelta(hours=shift)
    # Midnight always ends the night: it is never shifted to noon.
    edge = period.last if hours.end.seconds == 0 else period.last + moved_by
    return Dated((Period(period.first + moved_by, edge, period.grain, edge),), relation="between")


def _part_hours(match: Match) -> Dated | None:
    """ "Next evening between 10:30 and 11:45"."""
    part, hours = match.one("MOMENT").readings[-1], match.one("TRANGE")
    if part.grain != "part":
        return None
    late = part.first.hour >= 12
    shift = timedelta(hours=12 if late and hours.begin.hour < 12 else 0)
    if not late and hours.begin.hour >= 12 and hours.end.hour >= 12:
        shift = timedelta(hours=-12)
    period = hours_on(part.first.replace(hour=0, minute=0), hours)
    edge = period.last + shift
    return Dated((Period(period.first + shift, edge, period.grain, edge),), relation="between")


def _part_time(match: Match) -> Dated | None:
    """ "This morning at 9", "8:30 this evening"."""
    value, clock = match.one("MOMENT"), match.one("TIME")
    if not value.readings or any(period.grain != "part" for period in value.readings):
        return None
    begin = value.readings[0].first.hour
    code = "TNI" if begin >= 20 else ""
    clock = by_part(clock, Part(begin, begin, code))
    midnights = [period.first.replace(hour=0, minute=0) for period in value.readings]
    return Dated(tuple(at(midnight, clock) for midnight in midnights))


def _part_hour(match: Match) -> Dated | None:
    """ "Since 8 this morning"."""
    first = match.nodes[0]
    clock = clock_of(match.context, first)
    nodes = [replace(first, kind="TIME", value=clock), match.nodes[-1]]
    return _part_time(match._replace(nodes=nodes)) if clock else None


def _rel_part(match: Match) -> Dated | None:
    """ "This evening", "next morning"."""
    part = match.one("PART")
    if match.has("LAST") and part.begin < _EVENING:
        return None  # the final one of something, such as "the last morning of the trip"
    if match.has("EARLY", "EARLIER"):
        part = replace(part, end=part.begin + 2)
    if match.has("LATE", "LATER"):
        part = replace(part, begin=part.end - 2)
    day = later(match.context.today, DAY * direction(match))
    return Dated((part_of(day, part),))


def _early_part(match: Match) -> Dated | None:
    """ "Early Monday morning"."""
    part, day = match.one("PART"), match.one("DAY")
    early = match.has("EARLY")
    part = replace(part, end=part.begin + 2) if early else replace(part, begin=part.end - 2)
    return _on(day, lambda first: part_of(first, part)) if day.readings else None


def _tonight(match: Match) -> Dated | None:
    """ "Tonight", "last night", with or without an hour; hours after midnight belong to the same night."""
    shift = match.one("TONIGHT") or 0
    day = later(match.context.today, DAY * shift)
    clock = match.one("TIME")
    if clock is None and match.has("HOUR"):
        clock = clock_of(
            match.context, next(n for n in match.nodes if n.kind in ("N12", "N24", "ZERO"))
        )
    if clock is None:
        return Dated((part_of(day, PARTS["night"]),), timex=f"{day:%Y-%m-%d}TNI")
    return Dated((at(*_in_night(day, clock)),))


def _part_of_night(match: Match) -> Dated:
    """ "Late last night"."""
    day = later(match.context.today, DAY * (match.one("TONIGHT") or 0))
    night = PARTS["night"]
    early = match.has("EARLY", "EARLIER")
    part = replace(night, end=night.begin + 2) if early else replace(night, begin=night.end - 2)
    return Dated((part_of(day, part),))


def _in_night(day: datetime, clock: Clock) -> tuple[datetime, Clock]:
    if clock.open:
        hour = clock.hour % 12
        early = hour < _NIGHT_ENDS
        clock = replace(clock, hour=hour if early else hour + 12, open=False)
    return (later(day, DAY) if clock.hour < _NIGHT_ENDS else day), clock


def _meal(match: Match) -> Dated | None:
    """ "At lunch", "after dinner"."""
    part = match.one("MEAL")
    period = part_of(match.context.today, part)
    if match.has("AT"):
        return Dated((period,), timex=part.code, anchored=False)
    after = match.has("AFTER")
    edge = period.last if after else period.first
    return Dated(
        (period._replace(edge=edge),),
        relation="after" if after else "before",
        timex=part.code,
        anchored=False,
    )


def time_alone(context: ResolutionContext, clock: Clock) -> Dated:
    """A time without a day: resolved on the reference day, and marked as undated."""
    return Dated((at(context.today, clock),), anchored=False)


def part_alone(context: ResolutionContext, part: Part) -> Dated:
    """A part of the day without a day: resolved on the reference day, and marked as undated."""
    return Dated((part_of(context.today, part),), timex=part.code, anchored=False)


_J = "(COMMA|AT|AROUND|ON|DASH)"
OUTER_RULES = rules(
    ("ANYWEEKDAY PART COMMA? ON? DAY", _part_with_date),
    ("PART OF THE ORD (?!OF|WORD)", _part_of_ordinal),
)
PART_RULES = rules(
    ("(EARLY|LATE) DAY PART", _early_part),
    ("(EARLY|LATE|LATER|EARLIER) THIS PART", _rel_part),
    ("THIS PART", _rel_part),
    ("(NEXT|PREVIOUS|LAST) PART", _rel_part),
)
CLOCK_RULES = rules(
    (f"DAY PART {_J}? {_J}? TIME", _day_time),
    (f"TIME {_J}? DAY PART", _day_time),
    ("AT? TIME (ON|OF|COMMA)? DAY (?=(TO|UNTIL|THROUGH|DASH|AND) (DAY|TIME))", _day_time),
    (f"DAY {_J}? {_J}? TIME", _day_time),
    ("DAY (AT|AROUND) (HOUR|MILITARY) (?![UNITS UNIT WORD])", _day_hour),
    ("AT? TIME (IN|ON|OF|COMMA|DASH)? THE? DAY", _day_time),
    ("DAY (IN THE|COMMA|AT)? PART", _day_part),
    ("PART (OF|ON)? THE? DAY", _day_part),
    ("TIME COMMA? TONIGHT", _tonight),
    ("HOUR COMMA TONIGHT", _tonight),
    (f"TONIGHT {_J}? {_J}? TIME", _tonight),
    ("TONIGHT (AT|AROUND) HOUR (?![UNITS UNIT WORD])", _tonight),
    ("(EARLY|LATE|LATER|EARLIER) TONIGHT", _part_of_night),
    ("TONIGHT (?!TRANGE)", _tonight),
    (f"MOMENT {_J}? {_J}? TIME", _part_time),
    ("AT? TIME COMMA? MOMENT", _part_time),
    ("(?<=[AT SINCE UNTIL BEFORE AFTER BY AROUND FROM]) N12 MOMENT", _part_hour),
    ("(AT|AFTER|BEFORE) MEAL", _meal),
)
HOURS_RULES = rules(
    ("DAY PART? (COMMA|AT|FROM|DASH)? TRANGE", _day_hours),
    ("TRANGE (ON|IN|COMMA)? THE? DAY PART?", _day_hours),
    ("TONIGHT TRANGE", _tonight_hours),
    ("TRANGE COMMA? TONIGHT", _tonight_hours),
    ("MOMENT TRANGE", _part_hours),
    ("TRANGE MOMENT", _part_hours),
)
