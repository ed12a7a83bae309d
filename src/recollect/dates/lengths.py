"""Rules for lengths of time: "three weeks", "one and a half hours", "2 years 1 month"."""

from recollect.dates.grammar import Match, rules
from recollect.dates.values import Length

_FRACTIONS = {"HALF": 0.5, "QUARTERWORD": 0.25}
_UNITS = ("UNIT", "UNITS", "WEEKWORD", "YEARWORD", "DAYUNIT", "SECONDWORD", "QUARTERWORD")
_AGES = frozenset({"old", "olds", "young", "younger", "older"})


def _unit(match: Match) -> str | None:
    found = match.all(*_UNITS)
    unit = found[0] if found else None
    return "second" if isinstance(unit, int) else unit


def _length(amount: float, unit: str | None, approximate: bool = False) -> Length | None:
    if unit is None or unit in ("weekday", "work week") or amount > 1e7:
        return None
    return Length(((unit, amount),), approximate)


def counted(match: Match) -> Length | None:
    """A number and a unit. How old somebody is, is no length of time."""
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
    """ "One and a half hours", "a year and a quarter"."""
    amount = match.one("NUMBER")
    fraction = 0.5 if match.has("HALF") else 0.25
    units = [node for node in match.nodes if node.kind in _UNITS]
    unit = next((node.value for node in units if node.value != "quarter"), None)
    return _length((1 if amount is None else amount) + fraction, unit)


def either(match: Match) -> Length | None:
    """ "2 to 3 days", "two or three years": about the second."""
    first, second = match.all("NUMBER")
    return _length(second, _unit(match), approximate=True) if first < second else None


def round_number(match: Match) -> Length | None:
    """ "A hundred years"."""
    return _length(100 if match.has("HUNDRED") else 1000, _unit(match))


def old_style(match: Match) -> Length | None:
    """ "Twenty and four hours"."""
    tens, ones = match.all("INT")
    return _length(tens + ones, _unit(match)) if tens % 10 == 0 and ones < 10 else None


def whole(match: Match) -> Length | None:
    """ "All day", "the whole week"; "all days" is something else."""
    unit = _unit(match)
    return _length(1, unit) if unit in ("day", "week", "month", "year", "weekend") else None


def half(match: Match) -> Length | None:
    """ "Half an hour"."""
    return _length(0.5, _unit(match))


def joined(match: Match) -> Length | None:
    """Two lengths that follow each other, the larger first."""
    first, second = match.all("DUR")
    order = list(_ORDER)
    if order.index(first.parts[-1][0]) <= order.index(second.parts[0][0]):
        return None
    return Length(first.parts + second.parts, first.approximate or second.approximate)


_ORDER = (
    *("second", "minute", "hour", "business day", "night", "day", "weekend", "week"),
    *("fortnight", "month", "quarter", "season", "year", "decade", "century"),
)

RULES = rules(
    ("INT (TO|OR|DASH) (INT|DECIMAL) DASH? (UNITS|UNIT|WEEKWORD|YEARWORD|DAYUNIT)", either),
    ("A? (HUNDRED|THOUSAND) UNITS", round_number),
    ("(N24|N31|N59|N99) AND N12 UNITS", old_style),
    ("(?<!AFTER) ALL (UNIT|WEEKWORD|YEARWORD|DAYUNIT)", whole),
    ("INT AND A? (HALF|QUARTERWORD) (UNITS|UNIT|WEEKWORD|YEARWORD|DAYUNIT)", with_fraction),
    (
        "(INT|A) (UNITS|UNIT|WEEKWORD|YEARWORD|DAYUNIT) AND A (HALF|QUARTERWORD) (?!PASTWORD)",
        with_fraction,
    ),
    ("HALF A (UNIT|WEEKWORD|YEARWORD|DAYUNIT|SECONDWORD)", half),
    ("NUMBER (MORE|OTHER)? DASH? UNITS", counted),
    ("(INT|DECIMAL) DASH? (UNIT|WEEKWORD|YEARWORD|DAYUNIT|SECONDWORD|QUARTERWORD)", counted),
    ("INT PARTS", counted),
    ("(COUPLE|FEW|ANOTHER) (MORE|OTHER)? (UNITS|UNIT|WEEKWORD|YEARWORD|DAYUNIT|NUMBER)", counted),
    ("A (UNIT|WEEKWORD|YEARWORD|DAYUNIT|SECONDWORD|QUARTERWORD)", counted),
    ("DUR (AND|COMMA)? DUR", joined),
    ("DUR (AND|COMMA)? DUR", joined),
)


def timex(length: Length) -> str:
    """A length as TIMEX3 writes it."""
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
    "business day": "BD",
    "weekday": "WD",
    "night": "D",
    "day": "D",
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
