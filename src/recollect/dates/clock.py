"""Rules for times of day and spans between them: "7:56 pm", "half past three", "9 to 5"."""

import re
from dataclasses import replace
from datetime import datetime, timedelta

from recollect.dates import open_dates
from recollect.dates.grammar import Match, kinds, members, rules
from recollect.dates.periods import seconds
from recollect.dates.values import Clock, Dated, Hours, Node, Part, Period, ResolutionContext
from recollect.dates.when import Grain

_NOON = 12
# The earliest bare hour that people mean as morning: "at 5" is the afternoon, "at 8" the morning.
_MORNING_FROM = 7
_HALF_DAY = 12 * 3600
_SPEAKING_OF_TIME = kinds(
    "on in for with and or so but at to till until sharp today tomorrow if when because i we he she "
    "they you it is was then please the every each this next last from before after"
)


def settled(clock: Clock) -> Clock:
    """Resolve an open time of day: without other context, a bare hour is a waking hour."""
    if not clock.open:
        return clock
    hour = clock.hour % 12
    return replace(clock, hour=hour if hour >= _MORNING_FROM else hour + 12, open=False)


def at(day: datetime, clock: Clock) -> Period:
    """The period of a time of day on a given day."""
    clock = settled(clock)
    first = day + timedelta(seconds=clock.seconds)
    size = {"hour": 3600, "minute": 60}.get(clock.grain, 1)
    return Period(first, first + timedelta(seconds=size), clock.grain)


def part_of(day: datetime, part: Part) -> Period:
    """The period of a part of the day on a given day."""
    first = day + timedelta(hours=part.begin)
    return Period(first, day + timedelta(hours=part.end), "part")


def hours_on(day: datetime, hours: Hours) -> Period:
    """The period of a range of hours on a given day; it crosses midnight if the end is before the begin."""
    first = day + timedelta(seconds=hours.begin.seconds)
    last = day + timedelta(seconds=hours.end.seconds)
    if last <= first:
        last += timedelta(days=1)
    return Period(first, last, hours.begin.grain, last)


def by_part(clock: Clock, part: Part) -> Clock:
    """Resolve an open hour by the part of the day: "7 in the evening"."""
    if not clock.open or clock.hour > _NOON:
        return replace(clock, open=False)
    hour = clock.hour % 12
    night = part.code == "TNI" and hour < 6
    afternoon = part.begin >= _NOON and not night
    return replace(clock, hour=hour + 12 if afternoon else hour, open=False)


def between(begin: Clock, end: Clock) -> Hours | None:
    """Two times as a range. If one side is open (am or pm), the other side decides."""
    if not end.open and begin.open and end.hour != 24:
        hour = begin.hour % 12
        start = replace(begin, hour=hour + 12, open=False)
        if start.seconds > end.seconds:
            start = replace(start, hour=hour)
        return Hours(start, end)
    begin = settled(begin)
    if end.open:
        seconds = replace(end, hour=end.hour % 12).seconds
        while seconds <= begin.seconds:
            seconds += _HALF_DAY
        end = replace(end, hour=seconds // 3600 % 24, open=False)
    return Hours(begin, end)


def clock_of(context: ResolutionContext, node: Node) -> Clock | None:
    """The time of day that a token can mean by itself, or None."""
    value = node.value
    if node.kind == "TIME":
        return value if isinstance(value, Clock) else None
    if node.kind == "HHMM":
        hour, minute, second = (*value, 0)[:3]
        clock = _clock(hour, minute, second, fine=len(value) == 3)
        written = context.text[node.start] == "0"  # a leading zero means 24-hour time
        return replace(clock, open=False) if clock and written else clock
    if node.kind in ("MILITARY", "NBIG", "YEARNUM"):
        return _clock(value // 100, value % 100)
    if node.kind == "DECIMAL":
        hour, _, minute = context.text[node.start : node.end].partition(".")
        return _clock(int(hour), int(minute)) if len(minute) == 2 and len(hour) < 3 else None
    return _clock(value) if isinstance(value, int) else None


def _clock(
    hour: int, minute: int | None = None, second: int = 0, fine: bool = False
) -> Clock | None:
    if hour > 24 or (minute or 0) > 59 or second > 59:
        return None
    grain: Grain = "second" if fine else "hour" if minute is None else "minute"
    return Clock(hour % 24, minute or 0, second, 1 <= hour <= _NOON, grain)


def _halved(clock: Clock | None, letter: str | None) -> Clock | None:
    if clock is None or letter is None or letter == "ampm":
        return clock
    if clock.hour > _NOON:
        return replace(clock, open=False)
    return replace(clock, hour=clock.hour % 12 + (12 if letter == "p" else 0), open=False)


def _with_meridiem(match: Match) -> Clock | None:
    if len(match.nodes) == 3:
        minutes = match.words(match.nodes[1])
        if len(minutes) < 2 or (minutes[0].isalpha() and match.nodes[1].value < 10):
            return None
        clock = _clock(match.nodes[0].value, match.nodes[1].value)
    else:
        clock = clock_of(match.context, match.nodes[0])
    return _halved(clock, match.one("AMPM"))


def _oclock(match: Match) -> Clock | None:
    return _halved(_clock(match.one("HOUR")), match.one("AMPM"))


def _ish(match: Match) -> Clock | None:
    return _halved(clock_of(match.context, match.nodes[0]), match.one("AMPM"))


def _past(match: Match) -> Clock | None:
    """Minutes before or after an hour: "half past three", "a quarter to nine", "10 past 9"."""
    if match.has("UNITS") and match.one("UNITS") != "minute":
        return None
    base = _base(match)
    if base is None or base.minute:
        return None
    minutes = 30 if match.has("HALF") else 15 if match.has("QUARTERWORD") else match.one("MINUTE")
    before = match.has("TO", "UNTIL", "BEFORE")
    seconds = base.hour * 3600 + (-60 if before else 60) * minutes
    clock = replace(base, hour=seconds // 3600 % 24, minute=seconds // 60 % 60, grain="minute")
    return _halved(clock, match.one("AMPM"))


def _base(match: Match) -> Clock | None:
    """The full hour that minutes are counted from."""
    nodes = [node for node in match.nodes if node.kind not in ("AMPM", "OCLOCK")]
    value = nodes[-1].value
    if nodes[-1].kind == "NOON":
        return Clock(value)
    return value if isinstance(value, Clock) else _clock(value)


def _minutes_to(match: Match) -> Clock | None:
    """ "It is ten to nine" is a time of day; "from ten to nine" is a range."""
    told = match.lead() in _TELLING or _TIME_IS.search(
        match.context.text[max(0, match.nodes[0].start - 12) : match.nodes[0].start]
    )
    spelled = not match.words(match.nodes[0])[0].isdigit()
    return _past(match) if told and spelled and match.one("MINUTE") % 5 == 0 else None


_TELLING = kinds("AT BY SINCE UNTIL BEFORE AFTER AROUND DAY")
_TIME_IS = re.compile(r"\bit(?:['\u2019]s| is| was)\s+$", re.IGNORECASE)


def _spoken(match: Match) -> Clock | None:
    """An hour and minutes in words: "nine thirty"."""
    hour, minute = match.nodes[0], match.nodes[-2 if match.has("UNITS", "AMPM") else -1]
    if match.words(hour)[0].isdigit() or match.words(minute)[0].isdigit() or minute.value < 10:
        return None
    if match.has("UNITS") and (match.one("UNITS") != "minute" or match.lead() != "AT"):
        return None
    return _halved(_clock(hour.value, minute.value), match.one("AMPM"))


def _bare(match: Match) -> Clock | None:
    """An hour after "at", unless it counts something."""
    word = match.next_word()
    counts = match.follow() == "WORD"
    one = match.words(match.nodes[-1]).lower() == "one"
    if counts and (one or word not in _SPEAKING_OF_TIME) and not _place_follows(match):
        return None
    return clock_of(match.context, match.nodes[-1])


def _place_follows(match: Match) -> bool:
    """ "At 17.30 Beijing time": minutes, followed by a place name."""
    fine = match.nodes[-1].kind == "DECIMAL"
    end = match.nodes[-1].end
    return fine and match.context.text[end : end + 3].lstrip()[:1].isupper()


def _written(match: Match) -> Clock | None:
    return clock_of(match.context, match.nodes[0])


def _noon(match: Match) -> Clock | None:
    if match.has("N12") and match.one("N12") != _NOON:
        return None
    return Clock(match.one("NOON"), grain="hour")


def _in_part(match: Match) -> Clock | None:
    if match.lead() in ("EVERY", *members("REL")):
        return None
    clock, part = match.one("TIME"), match.one("PART")
    return by_part(clock, part)


def _half_hour(match: Match) -> Clock | None:
    """ "At half eight", as the British say it."""
    clock = _clock(match.one("HOUR"))
    return replace(clock, minute=30, grain="minute") if clock else None


def _zoned(match: Match) -> Clock | None:
    """A time with its zone. The zone is dropped: the time is kept as it is written."""
    zone = next(node for node in match.nodes if node.kind == "ZONE")
    named = zone.value is None or match.words(zone).isupper()
    clock: Clock = match.one("TIME")
    return clock if named else None


def _military(match: Match) -> Clock | None:
    """ "1830 hours"."""
    clock = clock_of(match.context, match.nodes[0])
    written = len(match.words(match.nodes[0])) == 4 and match.one("UNITS") == "hour"
    return replace(clock, open=False) if clock and written else None


def _hour_in_part(match: Match) -> Clock | None:
    clock = _clock(match.one("HOUR"))
    return by_part(clock, match.one("PART")) if clock else None


def _vague_part(match: Match) -> Part | None:
    """The first or last two hours of a part of the day."""
    part: Part = match.one("PART")
    if match.has("EARLY"):
        return replace(part, end=part.begin + 2)
    if match.has("LATE", "LATER"):
        return replace(part, begin=part.end - 2)
    return replace(part, begin=part.begin + 1, end=part.end - 1)


_SPOKEN = "(?<=[AT FROM TO BETWEEN AND BY AROUND UNTIL BEFORE AFTER SINCE ORD DAYWORD])"
EARLY_RULES = rules(
    ("HOUR DASH? MINUTE AMPM", _spoken),
    (
        f"{_SPOKEN} HOUR DASH? MINUTE UNITS?",
        _spoken,
    ),
    ("(HALF | A? QUARTERWORD | MINUTE UNITS?) PASTWORD (HOUR|NOON) OCLOCK? AMPM?", _past),
    ("A? QUARTERWORD (TO|UNTIL|BEFORE|AFTER) (HOUR|NOON) OCLOCK? AMPM?", _past),
    ("MINUTE UNITS (TO|UNTIL|BEFORE|AFTER) (HOUR|NOON) OCLOCK? AMPM? (?![UNIT UNITS])", _past),
    ("MINUTE TO (HOUR|NOON) OCLOCK? AMPM? (?![UNIT UNITS DAYUNIT WEEKWORD YEARWORD])", _minutes_to),
    ("(?<=[AT AROUND BY UNTIL SINCE]) HALF HOUR (?![UNIT UNITS])", _half_hour),
    ("(MILITARY|YEARNUM|NBIG) UNITS", _military),
)
RULES = rules(
    ("HOUR MINUTE AMPM", _with_meridiem),
    ("(HHMM|HOUR|NBIG|MILITARY|YEARNUM|DECIMAL) AMPM", _with_meridiem),
    ("HOUR OCLOCK AMPM?", _oclock),
    ("(HHMM|HOUR) DASH? ISH AMPM?", _ish),
    ("(?<![MONTH MAYWORD MARCHWORD]) N12 NOON", _noon),
    ("NOON", _noon),
    ("(?<=AT) MINUTE TO (HOUR|TIME)", _past),
    ("HHMM", _written),
    (f"{_SPOKEN} HOUR DASH? MINUTE UNITS?", _spoken),
    (
        "(?<=AT) AROUND? (HOUR|DECIMAL|MILITARY) (?![UNITS UNIT HOUR DAYNUM DASH SLASH OF MONTH DAYUNIT ORD HUNDRED PART COLON])",
        _bare,
    ),
    ("TIME OPEN? ZONE CLOSE?", _zoned),
    ("(EARLY|LATE|LATER|MID) DASH? (IN THE)? PART", _vague_part),
    ("TIME (IN THE|AT|COMMA)? PART", _in_part),
    ("(IN THE)? PART (AT|COMMA|AROUND)? TIME", _in_part),
    ("(?<![MONTH MAYWORD MARCHWORD]) HOUR (IN THE|AT) PART", _hour_in_part),
)


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
    """ "From 9 to 5" is a shift: scales and scores do not run downwards."""
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
    """ "Friday 7-6": a date if it falls on that weekday, otherwise hours."""
    low, high = match.nodes[-3].value, match.nodes[-1].value
    day = match.one("DAY")
    if low > 12 or not 1 <= high <= 31 or not day.readings:
        return None
    value = open_dates.day(match.context, low, high)
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
    """ "Between now and eight o'clock": the nearest eight o'clock after now, or before it."""
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
    """ "Monday 3 pm to 5 pm", where an earlier rule has joined the first time with the day."""
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
HOURS_RULES = rules(
    (f"FROM {_T} FOR DUR", _for_length),
    (f"FOR DUR FROM {_T}", _for_length),
    (f"(FROM|BETWEEN|AT)? {_T} ({_TO}|AND) {_T} IN THE PART", _clocks_in_part),
    (f"PART FROM? {_T} {_TO} {_T}", _clocks_in_part),
    ("DAY N12 DASH DAYNUM (?!AMPM)", _month_day_or_hours),
    (f"(FROM|BETWEEN|AT) {_T} ({_TO}|AND) {_T} (?![UNITS UNIT])", _clocks),
    (f"{_T} {_TO} {_T} (?![UNITS UNIT])", _clocks),
)
LATE_HOURS_RULES = rules(
    ("(BETWEEN|FROM) MOMENT (AND|TO|UNTIL) TIME", _now_and_clock),
    ("(BETWEEN|FROM) TIME (AND|TO|UNTIL) MOMENT", _now_and_clock),
    ("FROM TIME (TO|UNTIL|THROUGH) MOMENT", _clock_to_moment),
    ("FROM? MOMENT (TO|DASH|UNTIL) TIME", _moment_to_clock),
)
