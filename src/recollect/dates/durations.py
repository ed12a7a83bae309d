"""Rules for durations and repetition: "three weeks", "2 years 1 month", "every Tuesday"."""

from dataclasses import replace

from recollect.dates.clock import by_part, settled
from recollect.dates.grammar import Match, members, rules
from recollect.dates.lexer import size
from recollect.dates.lexicon import PARTS
from recollect.dates.periods import GRAINS
from recollect.dates.values import Clock, Dated, Length, Node
from recollect.dates.when import Grain

_AGES = frozenset({"old", "olds", "young", "younger", "older"})


def _unit(match: Match) -> str | None:
    found = match.all("ANYUNIT")
    unit = found[0] if found else None
    return "second" if isinstance(unit, int) else unit


def _length(amount: float, unit: str | None, approximate: bool = False) -> Length | None:
    if unit is None or unit in ("weekday", "work week") or amount > 1e7:
        return None
    return Length(((unit, amount),), approximate)


def counted(match: Match) -> Length | None:
    """A number and a unit. An age ("two years old") is not a duration."""
    if match.next_word() in _AGES:
        return None
    vague = match.has("COUPLE", "FEW")
    amount = match.one("NUMBER", "ANOTHER", "COUPLE", "FEW")
    if isinstance(amount, str):
        amount = 3 if match.has("FEW") else 2
    if match.has("PARTS"):
        return _length(amount, "day") if match.one("PARTS").code == "TNI" else None
    return _length(1 if amount is None else amount, _unit(match), vague)


def with_fraction(match: Match) -> Length | None:
    """ "A year and a quarter", "two hours and a half"."""
    amount = match.one("NUMBER")
    fraction = 0.5 if match.has("HALF") else 0.25
    units = [node for node in match.nodes if node.kind in members("ANYUNIT")]
    unit = next((node.value for node in units if node.value != "quarter"), None)
    return _length((1 if amount is None else amount) + fraction, unit)


def _amount(match: Match, value: float) -> Node:
    kind = "DECIMAL" if value % 1 else size(int(value))
    return Node(kind, match.nodes[0].start, match.nodes[-1].end, value)


def dozens(match: Match) -> Node:
    """ "A dozen", "half a dozen", "two dozen"."""
    return _amount(match, 6 if match.has("HALF") else 12 * (match.one("INT") or 1))


def hundreds(match: Match) -> Node:
    """ "A hundred and twenty"."""
    scale = 100 if match.has("HUNDRED") else 1000
    return _amount(match, scale + (match.one("INT") or 0))


def fraction(match: Match) -> Node | None:
    """ "Half a", "three quarters of an", "two and a half", "1 1/2", before a unit."""
    numbers = match.all("INT")
    if match.has("SLASHED"):
        part, whole_part = match.one("SLASHED")
        share = part / whole_part
    else:
        unit = match.one("HALF", "QUARTERWORD", "UNITS")
        if unit not in ("half", "quarter"):
            return None
        share = 0.5 if unit == "half" else 0.25
        if match.nodes[-1].kind != "A" and len(numbers) == 2:
            share *= numbers[1]
    if match.has("AND", "SLASHED"):
        return _amount(match, (numbers[0] if numbers else 0) + share)
    return _amount(match, share * (numbers[0] if numbers else 1))


def either(match: Match) -> Length | None:
    """ "2 to 3 days", "two or three years", "a day or two": approximately the second number."""
    first, second = match.all("NUMBER") if not match.has("A") else [1, match.one("NUMBER")]
    return _length(second, _unit(match), approximate=True) if first < second else None


def roughly(match: Match) -> Length:
    """ "A year or so"."""
    length: Length = match.one("DUR")
    return replace(length, approximate=True)


def old_style(match: Match) -> Length | None:
    """ "Twenty and four hours"."""
    tens, ones = match.all("INT")
    return _length(tens + ones, _unit(match)) if tens % 10 == 0 and ones < 10 else None


def whole(match: Match) -> Length | None:
    """ "All day", "the whole week"; "all days" is something else."""
    unit = _unit(match)
    return _length(1, unit) if unit in ("day", "week", "month", "year", "weekend") else None


def joined(match: Match) -> Length | None:
    """Two adjacent lengths, the larger unit first: "2 years 1 month"."""
    first, second = match.all("DUR")
    order = list(_ORDER)
    if order.index(first.parts[-1][0]) <= order.index(second.parts[0][0]):
        return None
    return Length(first.parts + second.parts, first.approximate or second.approximate)


_ORDER = (
    *("second", "minute", "hour", "business day", "night", "day", "weekend", "week"),
    *("fortnight", "month", "quarter", "season", "year", "decade", "century"),
)

# Words between a number and its unit that change nothing: "two full days", "three more weeks".
_ANY = "(MORE|OTHER|ALL|EXTRA)?"
# First rules that build numbers, then lengths of a number and a unit, then lengths built from lengths.
RULES = rules(
    (f"(HALF A | A | INT)? DOZEN (?= {_ANY} DASH? ANYUNIT)", dozens),
    (f"A (HUNDRED|THOUSAND) (AND? INT)? (?= {_ANY} DASH? ANYUNIT)", hundreds),
    (f"(HUNDRED|THOUSAND) (?= {_ANY} ANYUNIT)", hundreds),
    ("INT AND (A|INT)? (HALF|QUARTERWORD|UNITS) (?= DASH? ANYUNIT)", fraction),
    ("(INT AND?)? SLASHED (OF A)? (?= DASH? ANYUNIT)", fraction),
    ("(A|INT)? (QUARTERWORD|UNITS) OF A (?= ONEUNIT)", fraction),
    ("A? HALF (OF? A)? (?= DASH? ONEUNIT)", fraction),
    ("INT (TO|OR|DASH) (INT|DECIMAL) DASH? (UNITS|UNIT|WEEKWORD|YEARWORD|DAYUNIT)", either),
    ("(N24|N31|N59|N99) AND N12 UNITS", old_style),
    ("(?<!AFTER) (?<!NUMBER) (?<!A) ALL (UNIT|WEEKWORD|YEARWORD|DAYUNIT)", whole),
    (
        "(INT|A) ANYUNIT AND A? (HALF|QUARTERWORD) (?![PASTWORD HOUR])",
        with_fraction,
    ),
    ("(?<=REL) ONEUNIT AND A? (HALF|QUARTERWORD)", with_fraction),
    (f"NUMBER {_ANY} DASH? UNITS", counted),
    (f"(INT|DECIMAL) {_ANY} DASH? ONEUNIT", counted),
    ("INT PARTS", counted),
    ("(COUPLE|FEW|ANOTHER) (MORE|OTHER)? (ANYUNIT|NUMBER)", counted),
    ("A ONEUNIT OR N12 (?!ANYUNIT)", either),
    (f"A {_ANY} ONEUNIT", counted),
    ("DUR ORSO", roughly),
    ("DUR (AND|COMMA|COMMA AND)? DUR", joined),
    ("DUR (AND|COMMA|COMMA AND)? DUR", joined),
)


def length_timex(length: Length) -> str:
    """A length in TIMEX3 notation."""
    days = [(unit, amount) for unit, amount in length.parts if unit not in _CLOCK]
    hours = [(unit, amount) for unit, amount in length.parts if unit in _CLOCK]
    text = "P" + "".join(f"{amount * _SCALE.get(unit, 1):g}{_CODE[unit]}" for unit, amount in days)
    if hours:
        text += "T" + "".join(f"{amount:g}{_CODE[unit]}" for unit, amount in hours)
    return text


_CLOCK = ("second", "minute", "hour")
_SCALE = {"quarter": 3, "season": 3, "decade": 10, "century": 100, "fortnight": 2}
_CODE = {
    "second": "S",
    "minute": "M",
    "hour": "H",
    "day": "D",
    "night": "D",
    "business day": "BD",
    "weekday": "WD",
    "weekend": "WE",
    "week": "W",
    "fortnight": "W",
    "month": "M",
    "quarter": "M",
    "season": "M",
    "year": "Y",
    "decade": "Y",
    "century": "Y",
}


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
    """A repetition by days with a time of day: "every Monday at 9", "at 9 every day"."""
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


REPEAT_RULES = rules(
    ("THE? ORD (DAYUNIT)? OF EVERY UNIT", _day_of_every_month),
    ("EVERY ORD DAYUNIT? OF (THE|A) UNIT", _every_ordinal),
    ("THE? (ORDINAL|LAST) ANYWEEKDAY (OF|IN) EVERY UNIT", _nth_weekday),
    ("EVERY (ORDINAL|LAST) ANYWEEKDAY (OF|IN) (THE|A) UNIT", _nth_weekday),
    ("ANYWEEKDAY PARTS", _weekday_parts),
    ("EVERY (OTHER|ORDINAL)? (ANYWEEKDAY|WEEKDAYS)", _every_weekday),
    ("EVERY PART", _every_part),
    ("EVERY THE? DUR", _every_length),
    ("EVERY (OTHER|ORDINAL)? (ONEUNIT|INT UNIT)", _every_unit),
    (
        "(ALL|ANY) (UNIT|UNITS)",
        lambda match: _every_unit(match) if match.one("UNIT", "UNITS") == "weekend" else None,
    ),
    ("EVERY ANYMONTH", _every_named),
    ("EVERY ANYSEASON", lambda match: _repeating("XXXX", "season")),
    ("(?<![NUMBER LAST NEXT PASTWORD PREVIOUS THIS]) UNITS", _on_weekends),
    ("ON? WEEKDAYS", _every_weekday),
    ("OFTEN", _often),
    ("(TIMES|INT TIMES) (DUR|ONEUNIT)", _times),
)
REPEAT_LATE_RULES = rules(
    ("EVERY (SPAN|DAY)", _every_month),
    ("EVERY ORD (?!WORD)", _every_ordinal),
    ("SET ON? THE? (SET|DAY)", _every_date),
    ("(?<!THE) PARTS", _parts),
)
REPEAT_TIME_RULES = rules(
    ("SET (COMMA|AT|IN THE|FROM|AROUND)? (TIME|PART|TRANGE)", _at_time),
    ("(AT|AROUND)? (TIME|TRANGE) (ON|COMMA)? SET", _at_time),
)
