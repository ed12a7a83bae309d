"""Rules for what repeats: "every Tuesday", "weekly", "twice a month", "Thursdays at 17:30"."""

from dataclasses import replace

from recollect.dates.clock import by_part, settled
from recollect.dates.grammar import Match, rules
from recollect.dates.lengths import timex as length_timex
from recollect.dates.lexicon import PARTS
from recollect.dates.periods import GRAINS
from recollect.dates.values import Clock, Dated, Length
from recollect.dates.when import Grain

_GRAINS: dict[str, Grain] = {"H": "hour", "D": "day", "W": "week", "M": "month", "Y": "year"}


def _repeating(timex: str, grain: Grain = "day") -> Dated:
    return Dated(timex=timex, recurring=True, grain=grain)


def _often(match: Match) -> Dated:
    timex = match.one("OFTEN")
    return _repeating(timex, _GRAINS.get(timex[-1], "day"))


def _clock_code(clock: Clock | None) -> str:
    if clock is None:
        return ""
    clock = settled(clock)
    return f"T{clock.hour:02}" + (f":{clock.minute:02}" if clock.grain != "hour" else "")


def _every_weekday(match: Match) -> Dated:
    return _repeating(f"XXXX-WXX-{match.one('ANYWEEKDAY', 'WEEKDAYS') + 1}")


def _every_unit(match: Match) -> Dated | None:
    """ "Every day", "each two days", "every other week", "all weekends"."""
    unit = match.nodes[-1].value
    unit = unit if isinstance(unit, str) else "second"
    every = match.one("EVERY")
    count = match.one("INT", "ORDINAL") or (every if isinstance(every, int) else 1)
    if len(match.nodes) == 2 and match.has("SECONDWORD"):
        count = 1
    if unit == "work week" or (match.has("ALL") and not match.has("UNITS")):
        return None
    if unit == "weekend" and match.has("EVERY"):
        return _repeating("XXXX-WXX-WE", "weekend")
    return _repeating(length_timex(Length(((unit, count),))), GRAINS.get(unit, "day"))


def _every_length(match: Match) -> Dated:
    length = match.one("DUR")
    return _repeating(length_timex(length), GRAINS[length.parts[-1][0]])


def _on_weekends(match: Match) -> Dated | None:
    """ "On weekends", "weekdays"."""
    timex = {"weekend": "XXXX-WXX-WE", "weekday": "P1WD"}.get(match.one("UNITS"))
    return _repeating(timex) if timex else None


def _every_month(match: Match) -> Dated | None:
    value = match.one("SPAN", "DAY")
    if value.inside is None:
        return None
    return _repeating(value.timex or "XXXX", value.grain)


def _every_named(match: Match) -> Dated:
    return _repeating(f"XXXX-{match.one('ANYMONTH'):02}", "month")


def _every_part(match: Match) -> Dated:
    return _repeating(match.one("PART").code, "part")


def _at_time(match: Match) -> Dated | None:
    """What repeats by days, and the time of day: "every Monday at 9", "at 9 every day"."""
    value: Dated = match.one("SET")
    clock, part, hours = match.one("TIME"), match.one("PART"), match.one("TRANGE")
    days = (value.timex or "").removeprefix("P1D").removeprefix("P1WD")
    if value.grain not in ("day", "weekend", "part") or days.startswith("P"):
        return None
    day, _, said = days.partition("T")
    if said and clock and f"T{said}" in _BY_CODE:
        clock = by_part(clock, _BY_CODE[f"T{said}"])
    days = day
    code = part.code if part else _clock_code(hours.begin if hours else clock)
    return replace(value, timex=days + code, grain="part" if part else "hour")


_BY_CODE = {part.code: part for part in PARTS.values()}


def _every_date(match: Match) -> Dated | None:
    """ "Every year on June 9", "monthly on the 15th", "weekly on Mondays"."""
    value, day = match.all("SET", "DAY", "SPAN")[:2]
    unit = {"P1Y": "year", "P1M": "month", "P1W": "week"}.get(value.timex or "")
    if unit is None or (not day.recurring and day.inside is None):
        return None
    return _repeating(day.timex or value.timex or "")


def _every_ordinal(match: Match) -> Dated | None:
    """ "Every 15th", "every 15th of the month"."""
    if match.one("ORD") > 31 or match.one("UNIT") not in (None, "month"):
        return None
    return _repeating(f"XXXX-XX-{match.one('ORD'):02}")


def _parts(match: Match) -> Dated | None:
    part = match.one("PARTS")
    return _repeating(part.code, "part")


def _times(match: Match) -> Dated | None:
    """ "Once a week", "3 times a year"."""
    node = match.nodes[-1]
    length = node.value if node.kind == "DUR" else Length(((node.value, 1),))
    if not isinstance(length, Length) or length.parts[0][0] in ("weekday", "work week"):
        return None
    return _repeating(length_timex(length), GRAINS[length.parts[-1][0]])


def _nth_weekday(match: Match) -> Dated | None:
    """ "The first Monday of each month"."""
    if match.one("UNIT") != "month":
        return None
    number = -1 if match.has("LAST") else match.one("ORDINAL")
    return _repeating(f"XXXX-XX-WXX-{match.one('ANYWEEKDAY') + 1}-#{number}")


def _weekday_parts(match: Match) -> Dated:
    """ "Monday mornings"."""
    return _repeating(f"XXXX-WXX-{match.one('ANYWEEKDAY') + 1}{match.one('PARTS').code}", "part")


def _day_of_every_month(match: Match) -> Dated | None:
    if match.one("UNIT") != "month" or match.one("ORD") > 31:
        return None
    return _repeating(f"XXXX-XX-{match.one('ORD'):02}")


_U = "(UNIT|WEEKWORD|YEARWORD|DAYUNIT|QUARTERWORD|SECONDWORD)"
EARLY_RULES = rules(
    ("THE? ORD (DAYUNIT)? OF EVERY UNIT", _day_of_every_month),
    ("EVERY ORD DAYUNIT? OF (THE|A) UNIT", _every_ordinal),
    ("THE? (ORDINAL|LAST) ANYWEEKDAY (OF|IN) EVERY UNIT", _nth_weekday),
    ("EVERY (ORDINAL|LAST) ANYWEEKDAY (OF|IN) (THE|A) UNIT", _nth_weekday),
    ("ANYWEEKDAY PARTS", _weekday_parts),
    ("EVERY (OTHER|ORDINAL)? (ANYWEEKDAY|WEEKDAYS)", _every_weekday),
    ("EVERY PART", _every_part),
    ("EVERY THE? DUR", _every_length),
    (f"EVERY (OTHER|ORDINAL)? ({_U}|INT UNIT)", _every_unit),
    (
        "(ALL|ANY) (UNIT|UNITS)",
        lambda match: _every_unit(match) if match.one("UNIT", "UNITS") == "weekend" else None,
    ),
    ("EVERY ANYMONTH", _every_named),
    ("EVERY ANYSEASON", lambda match: _repeating("XXXX", "season")),
    ("(?<![NUMBER LAST NEXT PASTWORD PREVIOUS THIS]) UNITS", _on_weekends),
    ("ON? WEEKDAYS", _every_weekday),
    ("OFTEN", _often),
    (f"(TIMES|INT TIMES) (DUR|{_U})", _times),
)
LATE_RULES = rules(
    ("EVERY (SPAN|DAY)", _every_month),
    ("EVERY ORD (?!WORD)", _every_ordinal),
    ("SET ON? THE? (SET|DAY)", _every_date),
    ("(?<!THE) PARTS", _parts),
)
TIME_RULES = rules(
    ("SET (COMMA|AT|IN THE|FROM|AROUND)? (TIME|PART|TRANGE)", _at_time),
    ("(AT|AROUND)? (TIME|TRANGE) (ON|COMMA)? SET", _at_time),
)
