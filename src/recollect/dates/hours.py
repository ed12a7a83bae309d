"""Rules for what lasts from one time of day to another: "9 to 5", "from 2 pm for 3 hours"."""

from dataclasses import replace

from recollect.dates import readings
from recollect.dates.clock import at, between, clock_of, hours_on
from recollect.dates.grammar import Match, rules
from recollect.dates.periods import seconds
from recollect.dates.values import Clock, Dated, Hours, Period

_CLOCKS = ("TIME", "HHMM", "MILITARY", "DECIMAL", "ZERO", "N12", "N24")


def _clocks(match: Match) -> Hours | None:
    """Two times of day as a range. Bare numbers need a word that makes them hours."""
    nodes = [node for node in match.nodes if node.kind in _CLOCKS]
    begin, end = (clock_of(match.context, node) for node in nodes)
    if begin is None or end is None:
        return None
    sure = any(node.kind in ("TIME", "HHMM", "MILITARY") for node in nodes)
    if not sure and not _beside_day(match) and not _is_shift(match, begin, end):
        return None
    if any(node.kind == "DECIMAL" for node in nodes) and not sure:
        return None
    return between(begin, end)


def _is_shift(match: Match, begin: Clock, end: Clock) -> bool:
    """ "From 9 to 5": no scale and no score runs downwards."""
    falls = begin.hour > end.hour > 0 and end.open
    return match.has("FROM") and falls and match.follow() in ("BREAK", "COMMA", "ON")


def _beside_day(match: Match) -> bool:
    near = ("DAY", "PART", "TONIGHT", "WEEKDAY")
    return match.lead() in near or match.follow() in (*near, "IN")


def _clocks_in_part(match: Match) -> Hours | None:
    """ "Between 5 and 6 in the afternoon"."""
    nodes = [node for node in match.nodes if node.kind in _CLOCKS]
    begin, end = (clock_of(match.context, node) for node in nodes)
    part = match.one("PART")
    if begin is None or end is None:
        return None
    return _hours_by_part(begin, end, part.begin >= 12)


def _hours_by_part(begin: Clock, end: Clock, later_half: bool) -> Hours:
    def placed(clock: Clock) -> Clock:
        if not clock.open:
            return clock
        hour = clock.hour % 12 + (12 if later_half else 0)
        return replace(clock, hour=hour, open=False)

    begin = placed(begin)
    end = placed(end) if end.open else end
    if end.seconds <= begin.seconds and end.hour < 12:
        end = replace(end, hour=end.hour + 12)
    return Hours(begin, end)


def _month_day_or_hours(match: Match) -> object:
    """ "Friday 7-6": a date when it falls on that weekday, otherwise hours."""
    low, high = match.nodes[-3].value, match.nodes[-1].value
    day = match.one("DAY")
    if low > 12 or not 1 <= high <= 31 or not day.readings:
        return None
    value = readings.day(match.context, low, high)
    weekday = day.readings[0].first.weekday()
    near = [p for p in value.readings if abs((p.first - match.context.today).days) < 200]
    return value if any(p.first.weekday() == weekday for p in near) else None


def _for_length(match: Match) -> Hours | None:
    """ "From 9 for 2.5 hours", "for 3 hours from 10 am"."""
    node = next(item for item in match.nodes if item.kind in _CLOCKS)
    begin = clock_of(match.context, node)
    if begin is None:
        return None
    end = begin.seconds + int(seconds(match.one("DUR")))
    begin = replace(begin, open=False)
    return Hours(begin, Clock(end // 3600 % 24, end // 60 % 60, end % 60, grain="minute"))


def _now_and_clock(match: Match) -> Dated | None:
    """ "Between now and eight o'clock": the one that comes first after, or last before, now."""
    if not _is_now(match):
        return None
    now = match.context.now
    clock = clock_of(match.context, next(node for node in match.nodes if node.kind in _CLOCKS))
    if clock is None:
        return None
    forward = match.nodes[1].kind == "MOMENT"
    hours = [clock.hour % 12, clock.hour % 12 + 12] if clock.open else [clock.hour]
    moments = [at(match.context.today, replace(clock, hour=h, open=False)).first for h in hours]
    fitting = [m for m in moments if (m > now) == forward]
    if not fitting:
        return None
    other = fitting[0] if forward else fitting[-1]
    first, last = sorted((now, other))
    return Dated((Period(first, last, clock.grain, last),), relation="between")


def _clock_to_moment(match: Match) -> Dated | None:
    """ "From 2 pm till tomorrow 4:30 pm"."""
    clock, moment = match.one("TIME"), match.one("MOMENT")
    start = at(match.context.today, clock)
    if not moment.readings:
        return None
    end = moment.readings[-1]
    if end.first <= start.first:
        return None
    return Dated((Period(start.first, end.first, end.grain, end.first),), relation="between")


def _moment_to_clock(match: Match) -> Dated | None:
    """ "Monday 3 pm to 5 pm", where the first time already went to the day."""
    moment, clock = match.one("MOMENT"), match.one("TIME")
    found = []
    for period in moment.readings:
        if period.grain == "part":
            return None
        hours = between(_clock_at(period), clock)
        if hours is not None:
            day = period.first.replace(hour=0, minute=0, second=0)
            found.append(hours_on(day, hours))
    return Dated(tuple(found), relation="between") if found else None


def _clock_at(period: Period) -> Clock:
    first = period.first
    return Clock(first.hour, first.minute, first.second, grain=period.grain)


def _is_now(match: Match) -> bool:
    moment = match.one("MOMENT")
    return bool(moment.timex == "PRESENT_REF")


_TO = "(TO|UNTIL|THROUGH|DASH)"
_T = "(TIME|HHMM|MILITARY|DECIMAL|HOUR)"
CLOCK_RULES = rules(
    (f"FROM {_T} FOR DUR", _for_length),
    (f"FOR DUR FROM {_T}", _for_length),
    (f"(FROM|BETWEEN|AT)? {_T} ({_TO}|AND) {_T} IN THE PART", _clocks_in_part),
    (f"PART FROM? {_T} {_TO} {_T}", _clocks_in_part),
    ("DAY N12 DASH DAYNUM (?!AMPM)", _month_day_or_hours),
    (f"(FROM|BETWEEN|AT) {_T} ({_TO}|AND) {_T} (?![UNITS UNIT])", _clocks),
    (f"{_T} {_TO} {_T} (?![UNITS UNIT])", _clocks),
)
RULES = rules(
    ("(BETWEEN|FROM) MOMENT (AND|TO|UNTIL) TIME", _now_and_clock),
    ("(BETWEEN|FROM) TIME (AND|TO|UNTIL) MOMENT", _now_and_clock),
    ("FROM TIME (TO|UNTIL|THROUGH) MOMENT", _clock_to_moment),
    ("FROM? MOMENT (TO|DASH|UNTIL) TIME", _moment_to_clock),
)
