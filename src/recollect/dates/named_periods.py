"""Rules for periods with a name or a number: weekdays, holidays, seasons, quarters, years."""

import re

from recollect.dates import open_dates
from recollect.dates.grammar import Match, kinds, rules
from recollect.dates.lexicon import FUNCTION_WORDS
from recollect.dates.periods import (
    date,
    full_year,
    months_later,
    unit_period,
    week_of_year,
    year_of,
)
from recollect.dates.values import Dated, Node, Period


def _weekday_number(match: Match) -> Dated | None:
    """ "Friday 31", "Tuesday the eleventh"."""
    weekday, number = match.one("ANYWEEKDAY"), match.one("ORD", "DAYNUM")
    counts = match.nodes[-1].kind == "ORD" and match.follow() == "WORD" and not match.has("THE")
    if number > 31 or (counts and match.has("COMMA")):  # "on Monday, first thing"
        return None
    return open_dates.weekday_on(match.context, weekday, number)


def _last_number(match: Match) -> Dated | None:
    """ "Last Friday the 13th"."""
    value = _weekday_number(match)
    return value.over(value.readings[:1]) if value else None


def _second_of_pair(match: Match) -> Dated | None:
    """A weekday with its date: the weekday decides the year if only one year fits.

    Otherwise "last" picks the earlier reading, and "this" or "next Friday 5/12" is in the current year.
    """
    value: Dated = match.one("DAY")
    weekday = match.one("ANYWEEKDAY")
    fitting = tuple(day for day in value.readings if day.first.weekday() == weekday)
    if len(fitting) == 1:
        return value.over(fitting)
    if match.has("LAST", "PREVIOUS", "PASTWORD"):
        return value.over(value.readings[:1])
    year = unit_period("year", match.context.now)
    return open_dates.within(value, year) or value if match.has("REL") else value


def _weekday(match: Match) -> Dated | None:
    node = match.nodes[0]
    if match.lead() == "A":
        return None
    if node.kind == "SATWORD" and not _is_weekday(match, node):
        return None
    return open_dates.weekday(match.context, node.value)


_WEEKDAY_BEHIND = re.compile(
    r"\s?[-/&]\s?(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\b", re.IGNORECASE
)


def _is_weekday(match: Match, node: Node) -> bool:
    """Whether "sat", "sun" or "wed" is a weekday: decided by its capital or the neighbouring words."""
    written = match.words(node)
    lead, follow = match.lead(), match.follow()
    if lead == "THE":
        return False
    if follow in ("AT", "TIME", "PART", "DAY", "TRANGE") or lead in ("ON", "DAY", "NEXT", "LAST"):
        return True
    if _WEEKDAY_BEHIND.match(match.context.text, node.end):
        return True
    inside = node.start > 0 and lead != "BREAK"
    return inside and written[:1].isupper() and follow != "WORD" and not written.isupper()


def _week_number(match: Match) -> Dated | None:
    number = match.one("SMALL")
    if not 1 <= number <= 53:
        return None

    def inside(period: Period) -> Period | None:
        return week_of_year(period.first.year, number)

    found = week_of_year(match.context.now.year, number)
    return Dated((found,) if found else (), inside=inside, grain="week")


def _week_of_year(match: Match) -> Dated | None:
    """ "2018 week 10"."""
    return open_dates.fixed(week_of_year(match.one("YEARNUM"), match.one("SMALL")))


def _holiday(match: Match) -> Dated | None:
    if match.lead() == "THE" and match.words().lower() == "new year":
        return None  # "the new year" is the coming year, not the holiday
    value = open_dates.holiday(match.context, match.one("HOLIDAY"))
    year = match.one("YEARNUM")
    whole = year_of(year) if year else None
    return open_dates.within(value, whole) if whole else value


# What may precede a season: with an article; before "spring" and "fall" without one; before the others.
_WITH_ARTICLE = kinds(
    "IN FOR DURING OVER SINCE UNTIL BY EARLY LATE MID START END MIDDLE BEFORE AFTER"
)
_BEFORE_FALL = kinds("IN DURING OVER SINCE EARLY LATE MID START END MIDDLE")
_BEFORE_SUMMER = _WITH_ARTICLE - {"FOR"} | {"OF"}


def _season(match: Match) -> Dated | None:
    name, lead = match.one("ANYSEASON"), match.lead()
    counts = match.follow() == "WORD" and match.next_word() not in FUNCTION_WORDS
    if match.has("YEARNUM", "SMALL"):
        if match.nodes[0].kind == "YEARNUM" and counts:
            return None
        year = full_year(match.one("YEARNUM", "SMALL"))
        return open_dates.season_in(year, name)
    if match.has("THE"):
        fits = lead in _WITH_ARTICLE
    elif match.has("FALLWORD"):
        fits = lead in _BEFORE_FALL
    else:
        fits = lead in _BEFORE_SUMMER or lead in ("BREAK", "COMMA")
        fits = fits and not (counts and lead in ("OF", "BREAK", "COMMA"))
    return open_dates.season(match.context, name) if fits and match.next_word() != "of" else None


def _season_of(match: Match) -> Dated | None:
    """ "The summer of last year"."""
    span: Dated = match.one("SPAN")
    if len(span.readings) != 1 or span.readings[0].grain != "year":
        return None
    return open_dates.season_in(span.readings[0].first.year, match.one("ANYSEASON"))


RULES = rules(
    ("HOLIDAY (COMMA|OF|IN)? YEARNUM", _holiday),
    ("HOLIDAY", _holiday),
    ("ANYSEASON (OF|IN|COMMA)? YEARNUM", _season),
    ("YEARNUM ANYSEASON", _season),
    ("ANYSEASON OF? APOS (N31|N59|N99)", _season),
    ("YEARNUM COMMA? WEEKWORD SMALL", _week_of_year),
    ("(?<!REL) WEEKWORD SMALL (?![UNITS UNIT])", _week_number),
    ("REL? (ANYWEEKDAY|OPEN ANYWEEKDAY CLOSE) COMMA? THE? DAY", _second_of_pair),
    ("DAY (OPEN ANYWEEKDAY CLOSE)", _second_of_pair),
    ("(LAST|PASTWORD|PREVIOUS) ANYWEEKDAY COMMA? THE? ORD (?![UNIT UNITS WEEKWORD])", _last_number),
    ("ANYWEEKDAY COMMA? THE? ORD (?![UNIT UNITS DAYUNIT WEEKWORD])", _weekday_number),
    (
        "ANYWEEKDAY DAYNUM (?![UNITS UNIT DASH AMPM COLON TO AND MINUTE DAYUNIT WORD OCLOCK])",
        _weekday_number,
    ),
)
LATE_RULES = rules(
    ("THE? ANYSEASON (OF|IN|COMMA)? SPAN", _season_of),
    ("THE? ANYSEASON", _season),
    ("ANYWEEKDAY", _weekday),
)


_YEAR_LEADS = kinds(
    "IN SINCE UNTIL FROM TO THROUGH BETWEEN BEFORE AFTER BY DURING OF AROUND EARLY MID LATE SIGN "
    "STARTING NOLATER NOEARLIER ASEARLYAS ASLATEAS START MIDDLE END THAN DASH SPAN HALFOF REST"
)
_CLOSING = kinds("BREAK COMMA CLOSE AND OR DASH TO THROUGH UNTIL ONWARD TODATE TOPRESENT DONE")
# A number that only looks like a year is not taken as a year further ahead than this.
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
        return open_dates.fixed(inside(whole)) if whole else None
    years = (unit_period("year", match.context.now, shift) for shift in (-1, 0, 1))
    found = open_dates.around(match.context, (inside(item) for item in years))
    return Dated(found, inside=inside, grain="quarter")


def _named_quarter(match: Match) -> Dated | None:
    """ "First quarter 2016"."""
    number, year = match.one("ORDINAL"), year_of(match.one("YEARNUM"))
    if year is None or not 1 <= number <= 4:
        return None
    first = months_later(year.first, 3 * (number - 1))
    return open_dates.fixed(Period(first, months_later(first, 3), "quarter"))


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
    return open_dates.fixed(unit_period(unit, first)) if first else None


def _century(match: Match) -> Dated | None:
    number = match.one("ORDINAL")
    if match.one("UNIT") != "century" or not 2 <= number <= 30:
        return None
    first = date((number - 1) * 100, 1, 1)
    return open_dates.fixed(unit_period("century", first)) if first else None


_NUMBERED = kinds(
    "room page chapter model number no suite apt apartment version line item issue flight bus route "
    "highway section building unit figure table ticket order case invoice box code pin id "
    "cost costs price priced pay pays paid worth"
)
_HEAD = re.compile(r"(\d+)[-\u2010\u2011]$")
_LAST_WORD = re.compile(r"([^\W\d_]{1,20})\W{0,2}$")


def _is_label(match: Match) -> bool:
    """Whether the word before a number makes it a label: "page 1984"."""
    start = match.nodes[0].start
    found = _LAST_WORD.search(match.context.text[max(0, start - 24) : start])
    return found is not None and found[1].lower() in _NUMBERED


def _is_tail(match: Match) -> bool:
    """Whether a number is the end of a longer one: "555-1234". After a month or a year it may be a year."""
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
    """A number that is a year because of the words around it, or because it stands alone."""
    node = match.nodes[-1]
    number = node.value
    lead, follow = match.lead(), match.follow()
    if match.has("YEARWORD"):
        return open_dates.fixed(year_of(number), f"{number:04}")
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
    return open_dates.fixed(year_of(number), f"{number:04}")


def _year_to_short_year(match: Match) -> Dated | None:
    """ "1990-95": a range of years, if written without spaces and the second year is later."""
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
    """ "2004-2005": a range of years, if written without spaces and the second year is later."""
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
    return open_dates.fixed(year_of(year), f"{year:04}")


def _fiscal(match: Match) -> Dated | None:
    """Fiscal and school years start on different dates: the year is right, its limits are approximate."""
    year = match.one("YEARNUM")
    number = match.nodes[-1].value if year is None else year
    code = match.one("FISCAL")
    period = year_of(full_year(number))
    if period is None:
        return None
    if code == "CY":
        return open_dates.fixed(period)
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
    return open_dates.fixed(year_of(number), f"{number:04}") if number < 3000 else None


YEAR_RULES = rules(
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
        return open_dates.fixed(unit_period("decade", first)) if first else None
    if low.value < 10 or match.words(low)[0].isdigit():
        return None
    year = high.value * 100 + low.value
    return open_dates.fixed(year_of(year), f"{year:04}")


OPEN_YEAR_RULES = rules(
    ("THE? N24 DECADENAME", _spelled_year),
    (
        "(?<=[IN OF SINCE UNTIL FROM TO BEFORE AFTER BY MID EARLY LATE THROUGH]) N24 "
        "(N12|N24|N31|N59|N99) (?![UNIT UNITS DAYUNIT WEEKWORD YEARWORD AMPM])",
        _spelled_year,
    ),
    ("YEARNUM", _year),
)
