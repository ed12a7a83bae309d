"""Rules for years and what is counted in them: quarters, decades, centuries, fiscal years."""

import re

from recollect.dates import readings
from recollect.dates.grammar import Match, rules
from recollect.dates.lexicon import FUNCTION_WORDS
from recollect.dates.periods import date, full_year, months_later, unit_period, year_of
from recollect.dates.symbols import kinds
from recollect.dates.values import Dated, Period

_YEAR_LEADS = kinds(
    "IN SINCE UNTIL FROM TO THROUGH BETWEEN BEFORE AFTER BY DURING OF AROUND EARLY MID LATE SIGN "
    "STARTING NOLATER NOEARLIER ASEARLYAS ASLATEAS START MIDDLE END THAN DASH SPAN HALFOF REST"
)
_CLOSING = kinds("BREAK COMMA CLOSE AND OR DASH TO THROUGH UNTIL ONWARD TODATE TOPRESENT DONE")
# A number that nothing but its shape makes a year is not one of the far future.
_YEARS_AHEAD = 20
_USUAL = 1800


def _quarter(match: Match) -> Dated | None:
    """ "Q3 2021", "2019 H2", "Q1"."""
    quarter, half_year, year = match.one("QUARTERNUM"), match.one("HALFNUM"), match.one("YEARNUM")
    months = 3 if quarter else 6
    number = quarter or half_year
    if year is None and half_year:
        return None

    def inside(period: Period) -> Period | None:
        first = months_later(period.first.replace(month=1, day=1), months * (number - 1))
        return Period(first, months_later(first, months), "quarter" if quarter else "month")

    if year is not None:
        whole = year_of(year)
        return readings.fixed(inside(whole)) if whole else None
    years = (unit_period("year", match.context.now, shift) for shift in (-1, 0, 1))
    found = readings.around(match.context, (inside(item) for item in years))
    return Dated(found, inside=inside, grain="quarter")


def _named_quarter(match: Match) -> Dated | None:
    """ "First quarter 2016"."""
    number, year = match.one("ORDINAL"), year_of(match.one("YEARNUM"))
    if year is None or not 1 <= number <= 4:
        return None
    first = months_later(year.first, 3 * (number - 1))
    return readings.fixed(Period(first, months_later(first, 3), "quarter"))


_OWNER = re.compile(
    r"\b(?:my|your|his|her|its|our|their)(?:\s(?:early|mid|late))?[\s-]*$", re.IGNORECASE
)


def _is_age(match: Match) -> bool:
    """ "In his 30s" is about somebody's age."""
    start = match.nodes[0].start
    return _OWNER.search(match.context.text[max(0, start - 14) : start]) is not None


def _decade(match: Match) -> Dated | None:
    """ "The 1990s", "the 90s", "the nineties"."""
    number = match.one("YEARNUM", "SMALL", "DECADENAME")
    if number is None or number % 10 or _is_age(match):
        return None
    year = number if number >= 100 else full_year(number)
    if number < 100 and year > match.context.now.year:
        year -= 100
    first = date(year, 1, 1)
    unit = "century" if number % 100 == 0 and 100 <= number < 2000 else "decade"
    return readings.fixed(unit_period(unit, first)) if first else None


def _century(match: Match) -> Dated | None:
    number = match.one("ORDINAL")
    if match.one("UNIT") != "century" or not 2 <= number <= 30:
        return None
    first = date((number - 1) * 100, 1, 1)
    return readings.fixed(unit_period("century", first)) if first else None


_NUMBERED = kinds(
    "room page chapter model number no suite apt apartment version line item issue flight bus route "
    "highway section building unit figure table ticket order case invoice box code pin id "
    "cost costs price priced pay pays paid worth"
)
_HEAD = re.compile(r"(\d+)[-\u2010\u2011]$")
_LAST_WORD = re.compile(r"([^\W\d_]{1,20})\W{0,2}$")


def _is_label(match: Match) -> bool:
    """Whether the word before a number makes it the name of something: "page 1984"."""
    start = match.nodes[0].start
    found = _LAST_WORD.search(match.context.text[max(0, start - 24) : start])
    return found is not None and found[1].lower() in _NUMBERED


def _is_tail(match: Match) -> bool:
    """Whether a number ends a longer one: "555-1234". Behind a month or a year it may be a year."""
    start = match.nodes[-1].start
    found = _HEAD.search(match.context.text[max(0, start - 24) : start])
    head = 0 if found is None else int(found[1])
    return found is not None and not (1 <= head <= 12 or 1000 <= head <= 2999)


def _is_amount(match: Match) -> bool:
    """ "Up to 2000 euros", "up to 1180"."""
    before = match.context.text[: match.nodes[-1].start].lower()
    year = match.next_word() in ("", *FUNCTION_WORDS) and match.one("YEARNUM") >= _USUAL
    return before.rstrip().endswith("up to") and not year


def _year(match: Match) -> Dated | None:
    """A number that is a year by the words beside it, or by standing alone."""
    node = match.nodes[-1]
    number = node.value
    lead, follow = match.lead(), match.follow()
    if match.has("YEARWORD"):
        return readings.fixed(year_of(number), f"{number:04}")
    if follow in ("UNITS", "HUNDRED", "THOUSAND") or lead in ("OPAQUE", "AT"):
        return None
    if (lead == "DASH" and _is_tail(match)) or (lead == "UNTIL" and _is_amount(match)):
        return None
    counted = follow == "WORD" and match.next_word() not in FUNCTION_WORDS
    certain = lead in _YEAR_LEADS and not (
        counted and lead in ("TO", "OF", "AROUND", "BY", "DASH", "SIGN")
    )
    chained = lead in ("AND", "OR", "COMMA") and follow in _CLOSING
    recent = 1900 <= number <= match.context.now.year + _YEARS_AHEAD
    alone = (
        recent and follow in _CLOSING and lead in ("BREAK", "WORD", "OPEN", "COLON", "THE", "THIS")
    )
    usual = number >= _USUAL or not counted
    if not usual or not (certain or chained or (alone and not _is_label(match))):
        return None
    return readings.fixed(year_of(number), f"{number:04}")


def _year_to_short_year(match: Match) -> Dated | None:
    """ "1990-95": years, when the digits are glued and the second is the later."""
    first, second = match.nodes[0].value, match.nodes[2].value
    written = match.words()
    last = first // 100 * 100 + second
    if len(written) != 7 or not written[-2:].isdigit() or not first < last < first + 50:
        return None
    begin, end = year_of(first), year_of(last)
    if begin is None or end is None or match.follow() == "DASH":
        return None
    return Dated((Period(begin.first, end.last, "year", end.first),), relation="between")


def _year_to_year(match: Match) -> Dated | None:
    """ "2004-2005", when the digits are glued and the second is the later."""
    first, second = match.all("YEARNUM")
    begin, end = year_of(first), year_of(second)
    if " " in match.words() or not 1800 <= first < second or begin is None or end is None:
        return None
    return Dated((Period(begin.first, end.last, "year", end.first),), relation="between")


def _apostrophe_year(match: Match) -> Dated | None:
    """ "In '99"."""
    written = match.words(match.nodes[-1])
    if len(written) != 2 or not written.isdigit() or " " in match.words():
        return None
    year = full_year(match.nodes[-1].value)
    return readings.fixed(year_of(year), f"{year:04}")


def _fiscal(match: Match) -> Dated | None:
    """Fiscal and school years begin when somebody decides: the year is right, its ends are not."""
    year = match.one("YEARNUM")
    number = match.nodes[-1].value if year is None else year
    code = match.one("FISCAL")
    period = year_of(full_year(number))
    if period is None:
        return None
    if code == "CY":
        return readings.fixed(period)
    return Dated((period,), timex=f"{code}{full_year(number)}", grain="year", approximate=True)


def _near_fiscal(match: Match) -> Dated:
    """ "Last fiscal year"."""
    way = 1 if match.has("NEXT") else -1 if match.has("LAST", "PREVIOUS", "PASTWORD") else 0
    period = unit_period("year", match.context.now, way)
    code = match.one("FISCAL")
    return Dated(
        (period,), timex=f"{code}{period.first.year}", grain="year", approximate=code != "CY"
    )


def _early_year(match: Match) -> Dated | None:
    """ "The year 1066"."""
    number = match.one("NBIG")
    return readings.fixed(year_of(number), f"{number:04}") if number < 3000 else None


RULES = rules(
    ("YEARNUM DASH (N24|N31|N59|N99)", _year_to_short_year),
    ("(?<![DASH FROM BETWEEN]) YEARNUM DASH YEARNUM (?!DASH)", _year_to_year),
    ("(?<!FISCAL) YEARWORD OF? YEARNUM", _year),
    (
        "(?<=[IN OF SINCE UNTIL FROM TO BEFORE AFTER BY MID EARLY LATE]) APOS SMALL",
        _apostrophe_year,
    ),
    ("FISCAL (YEARNUM|SMALL)", _fiscal),
    ("ORDINAL QUARTERWORD (COMMA|DASH)? YEARNUM", _named_quarter),
    ("YEARNUM APOS? DASH? ORDINAL QUARTERWORD", _named_quarter),
    ("QUARTERNUM (OF|DASH|COMMA|APOS)? YEARNUM", _quarter),
    ("YEARNUM DASH? QUARTERNUM", _quarter),
    ("HALFNUM (OF|DASH|COMMA|APOS)? YEARNUM", _quarter),
    ("YEARNUM DASH? HALFNUM", _quarter),
    ("QUARTERNUM", _quarter),
    ("THE? APOS? (YEARNUM|SMALL) DECADEMARK", _decade),
    ("THE DECADENAME", _decade),
    ("(?<=[EARLY MID LATE DASH]) DECADENAME", _decade),
    ("REL FISCAL", _near_fiscal),
    ("YEARWORD OF? NBIG", _early_year),
    ("ORDINAL DASH? UNIT", _century),
)


def _spelled_year(match: Match) -> Dated | None:
    """ "Nineteen eighty four", "the nineteen seventies"."""
    high, low = match.nodes[-2], match.nodes[-1]
    if not 11 <= high.value <= 21 or match.words(high)[0].isdigit():
        return None
    if low.kind == "DECADENAME":
        first = date(high.value * 100 + low.value, 1, 1)
        return readings.fixed(unit_period("decade", first)) if first else None
    if low.value < 10 or match.words(low)[0].isdigit():
        return None
    year = high.value * 100 + low.value
    return readings.fixed(year_of(year), f"{year:04}")


OPEN_RULES = rules(
    ("THE? N24 DECADENAME", _spelled_year),
    (
        "(?<=[IN OF SINCE UNTIL FROM TO BEFORE AFTER BY MID EARLY LATE THROUGH]) N24 "
        "(N12|N24|N31|N59|N99) (?![UNIT UNITS DAYUNIT WEEKWORD YEARWORD AMPM])",
        _spelled_year,
    ),
    ("YEARNUM", _year),
)
