"""Rules for lengths of time: "three weeks", "one and a half hours", "2 years 1 month"."""

from dataclasses import replace

from recollect.dates.grammar import Match, rules
from recollect.dates.shapes import size
from recollect.dates.values import Length, Node

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
    """ "A year and a quarter", "two hours and a half"."""
    amount = match.one("NUMBER")
    fraction = 0.5 if match.has("HALF") else 0.25
    units = [node for node in match.nodes if node.kind in _UNITS]
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
    """ "2 to 3 days", "two or three years", "a day or two": about the second."""
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

_U = "(UNITS|UNIT|WEEKWORD|YEARWORD|DAYUNIT|SECONDWORD|QUARTERWORD)"
_ONE = "(UNIT|WEEKWORD|YEARWORD|DAYUNIT|SECONDWORD|QUARTERWORD)"
# Words between a number and its unit that change nothing: "two full days", "three more weeks".
_ANY = "(MORE|OTHER|ALL|EXTRA)?"
# First what numbers are made of, then lengths of a number and a unit, then lengths of lengths.
RULES = rules(
    (f"(HALF A | A | INT)? DOZEN (?= {_ANY} DASH? {_U})", dozens),
    (f"A (HUNDRED|THOUSAND) (AND? INT)? (?= {_ANY} DASH? {_U})", hundreds),
    (f"(HUNDRED|THOUSAND) (?= {_ANY} {_U})", hundreds),
    (f"INT AND (A|INT)? (HALF|QUARTERWORD|UNITS) (?= DASH? {_U})", fraction),
    (f"(INT AND?)? SLASHED (OF A)? (?= DASH? {_U})", fraction),
    (f"(A|INT)? (QUARTERWORD|UNITS) OF A (?= {_ONE})", fraction),
    (f"A? HALF (OF? A)? (?= DASH? {_ONE})", fraction),
    ("INT (TO|OR|DASH) (INT|DECIMAL) DASH? (UNITS|UNIT|WEEKWORD|YEARWORD|DAYUNIT)", either),
    ("(N24|N31|N59|N99) AND N12 UNITS", old_style),
    ("(?<!AFTER) (?<!NUMBER) (?<!A) ALL (UNIT|WEEKWORD|YEARWORD|DAYUNIT)", whole),
    (
        f"(INT|A) {_U} AND A? (HALF|QUARTERWORD) (?![PASTWORD HOUR])",
        with_fraction,
    ),
    (f"(?<=REL) {_ONE} AND A? (HALF|QUARTERWORD)", with_fraction),
    (f"NUMBER {_ANY} DASH? UNITS", counted),
    (f"(INT|DECIMAL) {_ANY} DASH? {_ONE}", counted),
    ("INT PARTS", counted),
    (f"(COUPLE|FEW|ANOTHER) (MORE|OTHER)? ({_U}|NUMBER)", counted),
    (f"A {_ONE} OR N12 (?!{_U})", either),
    (f"A {_ANY} {_ONE}", counted),
    ("DUR ORSO", roughly),
    ("DUR (AND|COMMA|COMMA AND)? DUR", joined),
    ("DUR (AND|COMMA|COMMA AND)? DUR", joined),
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
