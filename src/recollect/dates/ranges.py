"""Rules for ranges and bounds: "from 2015 to 2019", "May 5-7", "since 2015", "until March"."""

from dataclasses import replace
from datetime import datetime, timedelta

from recollect.dates import open_dates
from recollect.dates.clock import at, clock_of
from recollect.dates.grammar import CLOCK_GRAINS, Match, kinds, rules
from recollect.dates.periods import DAY, date, day_of, later, months_later, moved, unit_period
from recollect.dates.values import Clock, Dated, Node, Period, ResolutionContext
from recollect.dates.when import Relation


def joined(first: Period, second: Period) -> Period | None:
    """From the start of one period to the end of another; the edge is the start of the second."""
    begin = first.edge or first.first
    last = second.edge or second.last
    edge = second.edge or second.first
    grain = second.grain if first.last - first.first > second.last - second.first else first.grain
    return Period(begin, last, grain, edge) if begin < last else None


def _pairs(first: Dated, second: Dated) -> list[Period]:
    """All ways to read two dates as a range, shortest first; an open date is the one nearest the other."""
    found = []
    if first.inside and second.inside is None and len(second.readings) == 1:
        found += [p for p in [_before(first, second.readings[0])] if p is not None]
    elif second.inside and first.inside is None and first.readings:
        found += [p for p in [_after(first.readings[0], second)] if p is not None]
    elif first.inside and second.inside:
        found += [p for start in first.readings if (p := _after(start, second)) is not None]
    if not found:
        pairs = [joined(a, b) for a in first.readings for b in second.readings]
        found = [pair for pair in pairs if pair is not None]
    return sorted(found, key=lambda period: period.last - period.first)


def _before(first: Dated, end: Period) -> Period | None:
    """The last reading of *first* that begins before *end*."""
    if first.inside is None:
        return None
    if first.month is None:
        week = Period(later(end.first, -timedelta(days=6)), end.last, "week")
        starts = [first.inside(week)]
        starts += [first.inside(unit_period("month", end.first, shift)) for shift in (0, -1)]
        starts += list(first.readings)
    else:
        starts = [first.inside(unit_period("year", end.first, shift)) for shift in (0, -1)]
    for start in starts:
        pair = joined(start, end) if start and start.first < end.last else None
        if pair and start and start.first <= end.first:
            return pair
    return None


def _after(start: Period, second: Dated) -> Period | None:
    """The first reading of *second* that ends after *start*."""
    if second.inside is None:
        return None
    outer = "year" if second.month else "month"
    ends = [second.inside(start)]
    ends += [second.inside(unit_period(outer, start.first, shift)) for shift in (0, 1)]
    ends += sorted(second.readings)
    for end in ends:
        pair = joined(start, end) if end and end.first >= start.first else None
        if pair:
            return pair
    return None


def _dates(match: Match) -> Dated | None:
    """Two dates joined by "to", "until", "through" or a dash, or by "between" and "and"."""
    first, second = match.all("DATE", "MOMENT")
    first, second = _whole_days(match, first), _whole_days(match, second)
    bare = match.has("DASH") and not match.has("FROM", "BETWEEN", "IN")
    if bare and not _alike(first, second):
        return None
    found = _pairs(first, second)
    if not found or _in_no_year(first, second):
        return _impossible(first, second)
    near = sorted(found, key=lambda period: period.first)
    shortest = found[0].last - found[0].first
    fitting = tuple(p for p in near if p.last - p.first <= shortest + timedelta(days=40))
    return Dated(fitting, relation="between")


def _whole_days(match: Match, value: Dated) -> Dated:
    """ "Now" in a range with a date counts as today."""
    if value.timex != "PRESENT_REF" or not match.has("DATE"):
        return value
    return Dated((day_of(match.context.today),), timex=value.timex)


def _alike(first: Dated, second: Dated) -> bool:
    if not first.readings or not second.readings:
        return True
    return (first.readings[0].grain == second.readings[0].grain) or second.inside is None


def _in_no_year(first: Dated, second: Dated) -> bool:
    """Whether the year of the second date makes the first one impossible: "2/29-3/1/2019"."""
    if first.inside is None or first.month is None or second.inside or not second.readings:
        return False
    year = unit_period("year", second.readings[0].first)
    return first.inside(year) is None


def _impossible(first: Dated, second: Dated) -> Dated | None:
    """A range with a date that does not exist is recognised, but has no readings."""
    missing = not first.readings or not second.readings or _in_no_year(first, second)
    return Dated(relation="between", timex=first.timex) if missing else None


def _day_to_day(match: Match) -> Dated | None:
    """A range of days in one month: "November 19-20", "9 to 12 of June", "from 4-23 in next month"."""
    low, high = [n.value for n in match.nodes if n.kind in ("N12", "N24", "N31", "ORD")][:2]
    months = [n.value for n in match.nodes if n.kind in ("MONTH", "MAYWORD", "MARCHWORD")]
    span = match.one("SPAN")
    if span is not None:
        outers = list(span.readings)
    else:
        year = match.one("YEARNUM")
        value = open_dates.month(match.context, months[0])
        whole = date(year, 1, 1) if year else None
        closed = open_dates.within(value, unit_period("year", whole)) if whole else value
        outers = list(closed.readings) if closed else []
    found = tuple(
        period
        for outer in outers
        if outer.grain == "month" and (period := _days(outer, low, high)) is not None
    )
    return Dated(found, relation="between") if found else None


def _days(month: Period, low: int, high: int) -> Period | None:
    first = date(month.first.year, month.first.month, low) if low <= 31 else None
    end_month = month.first if high > low else months_later(month.first, 1)
    last = date(end_month.year, end_month.month, high) if high <= 31 else None
    return joined(day_of(first), day_of(last)) if first and last else None


def _day_to_ordinal(match: Match) -> Dated | None:
    """ "April ninth through seventeenth": the second day is in the same month, or the next."""
    first, number = match.one("DAY"), match.one("ORD")
    if number > 31 or (first.month is None and not match.has("THE")):
        return None
    found = []
    for period in first.readings:
        month = unit_period("month", period.first)
        pair = _days(month, period.first.day, number)
        found += [pair] if pair else []
    return Dated(tuple(found), relation="between") if found else None


def _ordinal_to_day(match: Match) -> Dated | None:
    """ "From the 3rd to the 12th of this month": the first day is in the month of the second."""
    number, end = match.one("ORD"), match.one("DAY")
    found = [
        joined(day_of(first), period)
        for period in end.readings
        if number <= 31 and (first := date(period.first.year, period.first.month, number))
    ]
    pairs = tuple(pair for pair in found if pair is not None)
    return Dated(pairs, relation="between") if pairs else None


def _ordinal_to_ordinal(match: Match) -> Dated | None:
    """ "From the 5th to the 8th": of this month or a neighbouring one."""
    low, high = match.all("ORD")
    months = [unit_period("month", match.context.now, shift) for shift in (-1, 0, 1)]
    if max(low, high) > 31:
        return None
    found = open_dates.around(match.context, (_days(month, low, high) for month in months))
    return Dated(found, relation="between") if found else None


def _date_for_length(match: Match) -> Dated | None:
    """ "For 1 week from 20 December", "3 days starting next Monday"."""
    length = match.one("DUR")
    value = match.one("DAY", "MOMENT")
    found = tuple(
        Period(period.first, moved(period.first, length), period.grain, moved(period.first, length))
        for period in value.readings
    )
    if len(found) == 2:
        found = _of_this_year(match.context, found)
    return Dated(found, relation="between") if found else None


def _of_this_year(context: ResolutionContext, found: tuple[Period, ...]) -> tuple[Period, ...]:
    here = tuple(period for period in found if period.first.year == context.now.year)
    return here or found


def _to_date(match: Match) -> Dated | None:
    """ "From March to date", "year to date"."""
    today = match.context.today
    if match.has("YEARWORD", "UNIT", "QUARTERWORD"):
        unit = match.one("YEARWORD", "UNIT", "QUARTERWORD")
        if unit not in ("year", "month", "quarter"):
            return None
        begin = unit_period(unit, today).first
    else:
        begins = [p.first for p in match.one("DATE").readings if p.first <= today]
        if not begins:
            return None
        begin = begins[-1]
    return Dated(
        (Period(begin, later(today, timedelta(days=1)), "day", today),), relation="between"
    )


def _moments(match: Match) -> Dated | None:
    """From one moment to another. A moment has no length, so the range ends where the second begins."""
    first, second = match.all("MOMENT", "DATE")
    pairs = [
        Period(a.first, b.edge or b.first, b.grain, b.edge or b.first)
        for a in first.readings
        for b in second.readings
        if a.first < (b.edge or b.first)
    ]
    if not pairs:
        return None
    shortest = min(pairs, key=lambda period: period.last - period.first)
    return Dated((shortest,), relation="between")


_N = "(N12|N24|N31)"
_D = "(N12|N24|N31|ORD)"
_TO = "(TO|UNTIL|THROUGH|DASH)"
DAY_RULES = rules(
    (
        f"ANYMONTH THE? {_D} {_TO} THE? {_D} (COMMA? YEARNUM)? "
        "(?![UNITS AMPM TIME ANYMONTH SLASH OF])",
        _day_to_day,
    ),
    (
        f"(FROM|BETWEEN|ON)? THE? {_D} ({_TO}|AND) THE? {_D} OF? ANYMONTH (COMMA? YEARNUM)?",
        _day_to_day,
    ),
)
OPEN_RULES = rules(
    (
        f"(FROM|BETWEEN) THE? ORD ({_TO}|AND) THE? ORD (?![OF UNIT UNITS DAYUNIT WORD])",
        _ordinal_to_ordinal,
    ),
)
DAY_IN_SPAN_RULES = rules(
    (f"FROM? {_N} {_TO} {_N} (IN|OF) SPAN", _day_to_day),
    (f"(FROM|BETWEEN) {_N} ({_TO}|AND) {_N} SPAN", _day_to_day),
    (f"(FROM|BETWEEN)? THE? ORD ({_TO}|AND) DAY (?!WORD)", _ordinal_to_day),
    (f"{_N} DASH {_N} SPAN", _day_to_day),
    (f"(FROM|BETWEEN)? DAY {_TO} THE? ORD (?!OF)", _day_to_ordinal),
    ("BETWEEN DAY AND THE ORD (?!OF)", _day_to_ordinal),
)
RULES = rules(
    ("(BETWEEN|FROM|IN)? MOMENT (TO|UNTIL|THROUGH|DASH) MOMENT", _moments),
    ("BETWEEN MOMENT AND MOMENT", _moments),
    ("BETWEEN THE? (DATE|MOMENT) (AND|TO|THROUGH|DASH|UNTIL) THE? (DATE|MOMENT)", _dates),
    (f"(FROM|IN)? (DATE|MOMENT) {_TO} THE? (DATE|MOMENT)", _dates),
    ("FOR? DUR COMMA? (FROM|STARTING) (DAY|MOMENT)", _date_for_length),
    ("FROM? DATE TODATE", _to_date),
    ("(YEARWORD|UNIT|QUARTERWORD) TODATE", _to_date),
)


_RELATIONS: dict[str, Relation] = {
    **dict.fromkeys(kinds("SINCE STARTING ASEARLYAS NOEARLIER ONWARD START"), "since"),
    **dict.fromkeys(kinds("UNTIL ASLATEAS THROUGH"), "until"),
    **dict.fromkeys(kinds("BEFORE BY NOLATER"), "before"),
    "AFTER": "after",
}
# With these relations, "midnight" is the end of the day, not its start.
_ENDING = ("until", "before")
_SIGNS: dict[str, tuple[Relation, bool]] = {
    ">": ("after", False),
    ">=": ("since", False),
    "<": ("before", False),
    "<=": ("until", True),
}


def bound(value: Dated, relation: Relation, inclusive: bool = False) -> Dated | None:
    """*value* as a bound. *inclusive*: an end includes the whole period ("through March")."""
    if not value.readings:
        return None
    found = tuple(
        period._replace(edge=_edge(period, relation, inclusive)) for period in value.readings
    )
    return replace(value, readings=found, relation=relation)


def _edge(period: Period, relation: Relation, inclusive: bool) -> datetime:
    if period.edge is not None:
        return period.edge
    # Most people mean "from that day on" by "after" a day, but "once it is over" by "after" a month or year.
    fine = period.grain == "day" or period.grain in CLOCK_GRAINS
    short = fine and (period.last - period.first).days <= 1
    if relation == "after" and (not short or period.grain == "part"):
        return period.last
    return period.last if inclusive and relation == "until" else period.first


def _value(context: ResolutionContext, item: object) -> Dated | None:
    if isinstance(item, Clock):
        return Dated((at(context.today, item),), anchored=False)
    return item if isinstance(item, Dated) else None


def _bound(match: Match) -> Dated | None:
    """A bound word and a date or time. A part of the day does not qualify: "by" is too common a word."""
    word = next(node.kind for node in match.nodes if node.kind in _RELATIONS)
    if word == "THROUGH" and match.has("ON"):  # "it went through on 1 April"
        return None
    value = _value(match.context, match.nodes[-1].value)
    if match.has("TIME") and match.one("TIME").seconds == 0 and _RELATIONS[word] in _ENDING:
        value = Dated((at(later(match.context.today, DAY), match.one("TIME")),), anchored=False)
    if value is None or value.relation != "at":
        return None
    if word == "SINCE":
        begun = tuple(period for period in value.readings if period.first < match.context.today)
        value = value.over(begun or value.readings)
    return bound(value, _RELATIONS[word], inclusive=word == "THROUGH")


def _start(match: Match) -> Dated | None:
    """ "Beginning January 7th". The beginning *of* a period is a part of it, not a bound."""
    if match.one("START") == "of" or match.one("START") == "start":
        return None
    return _bound(match)


def _onward(match: Match) -> Dated | None:
    """ "From 2020 on", "3 pm or later"."""
    value = _value(match.context, match.one("DATE", "MOMENT", "TIME"))
    return bound(value, "since") if value and value.relation == "at" else None


def _or_before(match: Match) -> Dated | None:
    """ "2016 or earlier"."""
    value = _value(match.context, match.one("DATE", "MOMENT", "TIME"))
    inclusive = match.has("DATE")
    return bound(value, "until", inclusive) if value and value.relation == "at" else None


def _sign(match: Match) -> Dated | None:
    relation, inclusive = _SIGNS[match.one("SIGN")]
    return bound(match.one("DATE"), relation, inclusive)


def _day_with_clock(match: Match) -> Dated | None:
    """ "Today before 4 pm"."""
    word = next(node.kind for node in match.nodes if node.kind in _RELATIONS)
    day, clock = match.one("DAY"), match.one("TIME")
    found = tuple(at(period.first, clock) for period in day.readings)
    return bound(Dated(found), _RELATIONS[word]) if found else None


def _day_with_hour(match: Match) -> Dated | None:
    """ "Friday after 2", "before 5 on 1/1/2016"."""
    node = next(item for item in match.nodes if item.kind in ("N12", "N24"))
    clock = clock_of(match.context, node)
    if clock is None:
        return None
    nodes = [Node("TIME", n.start, n.end, clock) if n is node else n for n in match.nodes]
    return _day_with_clock(match._replace(nodes=nodes))


def _hour_alone(match: Match) -> Dated | None:
    """ "Until 5." """
    clock = clock_of(match.context, match.nodes[-1])
    value = _value(match.context, clock)
    return bound(value, _RELATIONS[match.nodes[0].kind]) if value else None


def _to_present(match: Match) -> Dated | None:
    """ "From 2012 to present": still true, so it has no end."""
    return bound(match.one("DATE"), "since")


_WORD = "(SINCE|STARTING|ASEARLYAS|NOEARLIER|UNTIL|ASLATEAS|THROUGH|BEFORE|BY|NOLATER|AFTER)"
BOUND_RULES = rules(
    ("DAY (BEFORE|AFTER|BY|UNTIL|SINCE|NOLATER|NOEARLIER) AROUND? TIME", _day_with_clock),
    ("(BEFORE|AFTER|BY|UNTIL|SINCE) (N12|N24) ON DAY", _day_with_hour),
    ("DAY (BEFORE|AFTER|BY|UNTIL|SINCE) (N12|N24) (?=BREAK|COMMA|$)", _day_with_hour),
    ("(BEFORE|AFTER|UNTIL|SINCE) N12 (?=BREAK|$)", _hour_alone),
    ("FROM? DATE TOPRESENT", _to_present),
    ("FROM? SPAN DASH PRESENT", _to_present),
    ("FROM (DATE|MOMENT|TIME) ON (?![DATE THE WORD])", _onward),
    ("FROM? (DATE|MOMENT|TIME) COMMA? ONWARD", _onward),
    ("(DATE|MOMENT|TIME) (AND|OR) (AFTER|LATER) (?=[BREAK COMMA]|$)", _onward),
    ("(DATE|MOMENT|TIME) (AND|OR) (BEFORE|EARLIER) (?=[BREAK COMMA]|$)", _or_before),
    (f"{_WORD} ON? THE? AROUND? (DATE|MOMENT|TIME)", _bound),
    ("START (DATE|MOMENT)", _start),
    ("YEARWORD? SIGN DATE", _sign),
)
