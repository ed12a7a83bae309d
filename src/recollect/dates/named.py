"""Rules for days and seasons that have a name: weekdays, feasts, summers, numbered weeks."""

import re

from recollect.dates import readings
from recollect.dates.grammar import Match, rules
from recollect.dates.lexicon import FUNCTION_WORDS
from recollect.dates.periods import full_year, unit_period, week_of_year, year_of
from recollect.dates.symbols import kinds
from recollect.dates.values import Dated, Node, Period


def _weekday_number(match: Match) -> Dated | None:
    """ "Friday 31", "Tuesday the eleventh"."""
    weekday, number = match.one("ANYWEEKDAY"), match.one("ORD", "DAYNUM")
    counts = match.nodes[-1].kind == "ORD" and match.follow() == "WORD" and not match.has("THE")
    if number > 31 or (counts and match.has("COMMA")):  # "on Monday, first thing"
        return None
    return readings.weekday_on(match.context, weekday, number)


def _last_number(match: Match) -> Dated | None:
    """ "Last Friday the 13th"."""
    value = _weekday_number(match)
    return value.over(value.readings[:1]) if value else None


def _second_of_pair(match: Match) -> Dated | None:
    """A weekday and its date: the weekday tells the year where it can.

    "Last" is over, and "next Friday 5/12" still of this year.
    """
    value: Dated = match.one("DAY")
    weekday = match.one("ANYWEEKDAY")
    fitting = tuple(day for day in value.readings if day.first.weekday() == weekday)
    if len(fitting) == 1:
        return value.over(fitting)
    if match.has("LAST", "PREVIOUS", "PASTWORD"):
        return value.over(value.readings[:1])
    year = unit_period("year", match.context.now)
    return readings.within(value, year) or value if match.has("REL") else value


def _weekday(match: Match) -> Dated | None:
    node = match.nodes[0]
    if match.lead() == "A":
        return None
    if node.kind == "SATWORD" and not _is_weekday(match, node):
        return None
    return readings.weekday(match.context, node.value)


_WEEKDAY_BEHIND = re.compile(
    r"\s?[-/&]\s?(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\b", re.IGNORECASE
)


def _is_weekday(match: Match, node: Node) -> bool:
    """Whether "sat", "sun", "wed" is a day: by its capital, or by the words beside it."""
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
    return readings.fixed(week_of_year(match.one("YEARNUM"), match.one("SMALL")))


def _holiday(match: Match) -> Dated | None:
    if match.lead() == "THE" and match.words().lower() == "new year":
        return None  # the year to come
    value = readings.holiday(match.context, match.one("HOLIDAY"))
    year = match.one("YEARNUM")
    whole = year_of(year) if year else None
    return readings.within(value, whole) if whole else value


# What may stand before a season, with an article, before "spring" and "fall", and without one.
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
        return readings.season_in(year, name)
    if match.has("THE"):
        fits = lead in _WITH_ARTICLE
    elif match.has("FALLWORD"):
        fits = lead in _BEFORE_FALL
    else:
        fits = lead in _BEFORE_SUMMER or lead in ("BREAK", "COMMA")
        fits = fits and not (counts and lead in ("OF", "BREAK", "COMMA"))
    return readings.season(match.context, name) if fits and match.next_word() != "of" else None


def _season_of(match: Match) -> Dated | None:
    """ "The summer of last year"."""
    span: Dated = match.one("SPAN")
    if len(span.readings) != 1 or span.readings[0].grain != "year":
        return None
    return readings.season_in(span.readings[0].first.year, match.one("ANYSEASON"))


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
