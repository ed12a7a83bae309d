"""Rules for dates in digits and with the name of the month: "2023-05-08", "5/8", "8 May 2023"."""

import re
from dataclasses import replace

from recollect.dates import open_dates
from recollect.dates.clock import at, clock_of
from recollect.dates.grammar import Match, kinds, rules
from recollect.dates.lexicon import FUNCTION_WORDS, MONTH_NAMES, NAMELIKE_MONTHS
from recollect.dates.periods import full_year, month_of, unit_period
from recollect.dates.values import Dated, Node

_SLASHED_LEADS = kinds(
    "ON BY FROM BETWEEN TO UNTIL THROUGH SINCE BEFORE AFTER THIS NEXT LAST BREAK COMMA OR AND DASH "
    "COLON EVERY DAY WEEKDAY SATWORD STARTING AROUND AT PREVIOUS OPEN NOLATER NOEARLIER ASEARLYAS "
    "ASLATEAS"
)

_WEAK_LEADS = kinds("BREAK COMMA OR AND DASH OPEN TO")


def _stamp(match: Match) -> Dated:
    moment = match.nodes[0].value
    if moment.tzinfo is not None:
        moment = moment.astimezone(match.context.zone).replace(tzinfo=None)
    # Date and time take 16 characters up to the minutes; a colon after them begins the seconds.
    size = "second" if match.words()[16:17] == ":" else "minute"
    return Dated((unit_period(size, moment),), timex=moment.isoformat())


_CODE = re.compile(
    r"\b(?:code|combination|combo|pin|passcode|password|lock|padlock|locker|safe)s?"
    r"(?:\s+(?:is|are|was|now|still|to|set|has|been|changed))*\s*[:=]?\s*$",
    re.IGNORECASE,
)


def _ymd(match: Match) -> Dated | None:
    """A date in digits. Three short numbers after a word for a code are that code, not a date."""
    year, month, number = match.nodes[0].value
    short = max(map(len, re.split(r"\D+", match.words()))) <= 2
    if short and _CODE.search(match.context.text[: match.nodes[0].start][-60:]):
        return None
    return open_dates.date_of(match.context, full_year(year), month, number)


def _ym(match: Match) -> Dated | None:
    year, month = match.nodes[0].value
    return open_dates.fixed(month_of(year, month), f"{year:04}-{month:02}")


def _spaced_ymd(match: Match) -> Dated | None:
    year, month, number = (node.value for node in match.nodes)
    written = match.words().split()
    if len(written) != 3 or not all(part.isdigit() for part in written):
        return None
    return open_dates.date_of(match.context, year, month, number)


def _slashed(match: Match) -> Dated | None:
    """Month and day in digits, unless the words around them make it a fraction."""
    month, number = match.one("SLASHED")
    value = open_dates.date_of(match.context, match.one("YEARNUM"), month, number)
    if match.has("YEARNUM") or match.follow() in ("TIME", "PART") or _unmistakable(match, number):
        return value
    counts = match.follow() == "WORD" and match.next_word() not in FUNCTION_WORDS
    if match.lead() not in _SLASHED_LEADS or match.next_word() == "of":
        return None
    return None if counts and match.lead() in _WEAK_LEADS else value


def _unmistakable(match: Match, number: int) -> bool:
    """Whether the digits cannot be a fraction or a mark: a day above 12, or another date right after."""
    behind = match.nodes[-1].end + 1
    if match.follow() == "DASH" and match.context.text[behind : behind + 1].isdigit():
        return True
    return number > 12 and len(match.words()) == 5 and match.follow() not in ("WORD", "OF")


def _dotted(match: Match) -> Dated | None:
    """ "On 5.12": only with the preposition."""
    month, _, number = match.words().partition(".")
    if len(month) > 2 or len(number) > 2 or match.follow() == "WORD":
        return None
    return open_dates.date_of(match.context, None, int(month), int(number))


def _dashed(match: Match) -> Dated | None:
    """ "On 4-22"."""
    if " " in match.words() or match.follow() == "WORD":
        return None
    return open_dates.date_of(match.context, None, match.nodes[0].value, match.nodes[-1].value)


DIGIT_RULES = rules(
    ("STAMP", _stamp),
    ("YMD", _ymd),
    ("YM", _ym),
    ("YEARNUM N12 DAYNUM", _spaced_ymd),
    ("SLASHED COMMA? YEARNUM", _slashed),
    ("SLASHED", _slashed),
    ("(?<=ON) DECIMAL", _dotted),
    ("(?<=ON) N12 DASH DAYNUM (?![UNITS UNIT DASH AMPM DAYUNIT])", _dashed),
)


_TEMPORAL = kinds(
    "IN SINCE UNTIL BY OF LAST NEXT THIS PREVIOUS FROM EARLY LATE MID DURING BEFORE AFTER START END "
    "MIDDLE TO THROUGH BETWEEN STARTING EVERY AROUND THAN NOLATER NOEARLIER ASEARLYAS ASLATEAS "
    "PASTWORD LATER EARLIER OVER SPAN DAY COMMA DASH HALFOF REST"
)
_MONTH_BEFORE = re.compile(
    rf"\b(?:{'|'.join(MONTH_NAMES.replace(',', '').split())})\s+(?:and|or|&)\s+$",
    re.IGNORECASE,
)
_AFTER_TEMPORAL = kinds("TO DASH THROUGH UNTIL AND SLASH")


def _is_month(match: Match, node: Node, alone: bool) -> bool:
    """Whether an ambiguous word is a month. *alone*: it has no day or year with it."""
    written = match.words(node)
    if node.kind == "MONTH" and not alone:
        return True
    capital = written[:1].isupper()
    word = match.next_word() if node is match.nodes[-1] else ""
    if not alone:
        return capital or not word or word in FUNCTION_WORDS
    if node.kind == "MONTH" and written.lower() not in NAMELIKE_MONTHS:
        return True
    lead = match.lead()
    if node.kind == "MARCHWORD" and lead == "TO" and not capital:
        return False
    if node.kind == "MAYWORD" and lead in ("THIS", "COMMA", "DAY", "SPAN") and not capital:
        return not word
    if lead == "COMMA" or (lead in ("DAY", "SPAN") and node.kind != "MONTH"):
        return capital and not word
    if lead == "THE":
        return node.kind == "MONTH" and (not word or word in FUNCTION_WORDS)
    if lead in ("AND", "OR") and _MONTH_BEFORE.search(match.context.text[: node.start][-24:]):
        return capital
    return lead in _TEMPORAL or (match.follow() in _AFTER_TEMPORAL and capital)


def _month_node(match: Match) -> Node:
    kinds = ("MONTH", "MAYWORD", "MARCHWORD")
    return next(node for node in match.nodes if node.kind in kinds)


def _day_number(match: Match) -> int | None:
    node = _month_node(match)
    place = list(match.nodes).index(node)
    kinds = ("N12", "N24", "N31", "ORD", "SECONDWORD")
    near = [item for item in match.nodes if item.kind in kinds]
    before = [item for item in match.nodes[:place] if item.kind in kinds]
    found = before[-1] if before else (near[0] if near else None)
    if found is None:
        return None
    return 2 if found.kind == "SECONDWORD" else int(found.value)


def _said_year(match: Match) -> int | None:
    """The year at the end of a date: four digits, two digits, or two pairs in words."""
    if match.has("YEARNUM"):
        return int(match.one("YEARNUM"))
    numbers = [
        node for node in match.nodes if node.kind in ("ZERO", "N12", "N24", "N31", "N59", "N99")
    ]
    if len(numbers) >= 2 and match.nodes[-1] is numbers[-1] and match.nodes[-2] is numbers[-2]:
        high, low = numbers[-2].value, numbers[-1].value
        if 10 <= high <= 21 and low >= 10 and not match.words(numbers[-1])[0].isdigit():
            return int(high * 100 + low)
    return None


def _dated(match: Match) -> Dated | None:
    """A day and a month, with or without a year."""
    node = _month_node(match)
    number = _day_number(match)
    if number is None or not _is_month(match, node, alone=False):
        return None
    return open_dates.date_of(match.context, _said_year(match), node.value, number)


def _short_year(match: Match) -> Dated | None:
    """A date with a year of two digits: "15 April of 87", "January first 12"."""
    node = _month_node(match)
    year = match.nodes[-1]
    written = match.words(year)
    if len(written) != 2 or not written.isdigit():
        return None
    direct = not match.has("OF", "APOS")
    if direct and match.follow() not in ("BREAK", "COMMA", "WORD"):
        return None
    number = _day_number(Match(match.context, match.nodes[:-1], None, None))
    if number is None:
        found = month_of(full_year(year.value), node.value)
        return None if direct else open_dates.fixed(found)
    day_first = match.nodes[-2] is node
    if direct and not match.has("ORD") and not (day_first and match.after is None):
        return None
    return open_dates.date_of(match.context, full_year(year.value), node.value, number)


def _separated(match: Match) -> Dated | None:
    """Day, month by name and year in any order, joined by strokes: "2019-aug-1"."""
    numbers = [
        node
        for node in match.nodes
        if node.kind not in ("DASH", "SLASH", "MONTH", "MAYWORD", "MARCHWORD")
    ]
    years = [node for node in numbers if node.kind == "YEARNUM"] or numbers[-1:]
    days = [node for node in numbers if node is not years[0]]
    return open_dates.date_of(
        match.context, full_year(years[0].value), _month_node(match).value, days[0].value
    )


def _month_day(match: Match) -> Dated | None:
    if " " in match.words():
        return None
    return open_dates.date_of(
        match.context, None, _month_node(match).value, match.one("DAYNUM", "ORD")
    )


def _month_year(match: Match) -> Dated | None:
    node = _month_node(match)
    year = _said_year(match)
    found = month_of(year, node.value) if year else None
    return open_dates.fixed(found, f"{year:04}-{node.value:02}") if found else None


def _month(match: Match) -> Dated | None:
    if not _is_month(match, match.nodes[0], alone=True):
        return None
    return open_dates.month(match.context, match.nodes[0].value)


def _unix(match: Match) -> Dated | None:
    """ "Oct 26 15:50:06 2016"."""
    day = open_dates.date_of(
        match.context, match.one("YEARNUM"), _month_node(match).value, match.one("DAYNUM")
    )
    clock = clock_of(match.context, next(node for node in match.nodes if node.kind == "TIME"))
    if day is None or not day.readings or clock is None:
        return None
    return Dated((at(day.readings[0].first, replace(clock, open=False)),))


def _the_ordinal(match: Match) -> Dated | None:
    """ "On the 18th", unless it counts something: "on the 5th floor" is not a date."""
    node = next(item for item in match.nodes if item.kind != "THE")
    digits = match.words(node)[0].isdigit()
    if node.value > 31 or (node.kind != "ORD" and not digits):
        return None
    counts = not digits or match.next_word() not in FUNCTION_WORDS
    if match.follow() == "WORD" and counts:
        return None
    return open_dates.day_of_month(match.context, node.value)


_SEP = "(DASH|SLASH)"
_YEAR = "(YEARNUM | N24 (N24|N31|N59|N99))"


def _is_the_ordinal(match: Match) -> Dated | None:
    """ "The deadline is the 15th", "moved to the 21st". Only in digits: "she is the third" is not a day."""
    before = match.context.text[: match.nodes[0].start]
    written = match.words(match.nodes[-1])[0].isdigit()
    return _the_ordinal(match) if written and _IS.search(before) else None


_IS = re.compile(
    r"\b(?:is|was|be|due|day|date|deadline|(?:moved|pushed|postponed|rescheduled|shifted)"
    r"(?:\s\w+){0,4}\sto)\s$",
    re.IGNORECASE,
)
_NUM = "(DAYNUM|ORDINAL)"
RULES = rules(
    (f"YEARNUM {_SEP} ANYMONTH {_SEP} DAYNUM", _separated),
    (f"YEARNUM {_SEP} DAYNUM {_SEP} ANYMONTH", _separated),
    (f"DAYNUM {_SEP} YEARNUM {_SEP} ANYMONTH", _separated),
    (f"DAYNUM {_SEP} ANYMONTH {_SEP} (YEARNUM|SMALL)", _separated),
    (f"ANYMONTH {_SEP} DAYNUM {_SEP} YEARNUM", _separated),
    ("(ANYWEEKDAY COMMA?)? ANYMONTH DAYNUM TIME YEARNUM", _unix),
    (f"ANYMONTH THE? {_NUM} (COMMA|OF|IN)? {_YEAR}", _dated),
    (f"THE? {_NUM} (DAYUNIT? OF)? ANYMONTH (COMMA|OF|IN|DASH)? {_YEAR}", _dated),
    (f"ANYMONTH THE? {_NUM} (COMMA? APOS|COMMA|OF)? SMALL", _short_year),
    (f"THE? {_NUM} OF? ANYMONTH (OF|APOS)? SMALL", _short_year),
    ("ANYMONTH (OF|APOS) SMALL", _short_year),
    ("YEARNUM ANYMONTH DAYNUM", _separated),
    (f"ANYMONTH (COMMA|OF|DASH|SLASH|APOS)? {_YEAR}", _month_year),
    ("YEARNUM (DASH|SLASH)? ANYMONTH", _month_year),
    (f"THE? {_NUM} (DAYUNIT? OF)? ANYMONTH", _dated),
    (f"ANYMONTH THE? {_NUM} (?![COLON HUNDRED])", _dated),
    (f"ANYMONTH {_SEP} (DAYNUM|ORD)", _month_day),
    ("DAYNUM DASH ANYMONTH", _month_day),
)
OPEN_RULES = rules(
    (
        "(?<=[ON BY UNTIL SINCE BEFORE AFTER FROM AROUND BETWEEN]) THE? ORD "
        "(?![UNIT UNITS DAYUNIT WEEKWORD QUARTERWORD ANYWEEKDAY OF TO])",
        _the_ordinal,
    ),
    ("THE ORD (?=(COMMA|AT|FROM|AROUND|IN THE)? (TIME|PART|TRANGE))", _the_ordinal),
    ("THE ORD (?=[BREAK COMMA AND]|$)", _is_the_ordinal),
    ("(?<=ON) THE DAYNUM (?=[FROM AT TIME BREAK BETWEEN]|$)", _the_ordinal),
    ("(?<=ON) DAYNUM (?=BREAK|$)", _the_ordinal),
    ("ANYMONTH", _month),
)
