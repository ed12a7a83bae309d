"""Finds time expressions in a text and resolves them against the moment it was said."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from recollect.dates import (
    clock,
    day_times,
    distance,
    durations,
    named_periods,
    period_parts,
    ranges,
    relative,
    written_dates,
)
from recollect.dates.grammar import apply, kinds
from recollect.dates.lexer import lex, may_speak_of_time
from recollect.dates.periods import GRAINS, SECONDS, moved, seconds
from recollect.dates.values import (
    Clock,
    Dated,
    Hours,
    Length,
    Node,
    Part,
    Period,
    ResolutionContext,
)
from recollect.dates.when import Tense, When

# The order matters: numbers and lengths first, then times of day, dates, dates relative to others,
# days with times, ranges, and last the words that turn any of these into a bound.
_GRAMMAR = (
    *clock.EARLY_RULES,
    *durations.RULES,
    *clock.RULES,
    *distance.FIRST_RULES,
    *durations.REPEAT_RULES,
    *ranges.DAY_RULES,
    *written_dates.DIGIT_RULES,
    *written_dates.RULES,
    *named_periods.YEAR_RULES,
    *named_periods.RULES,
    *ranges.OPEN_RULES,
    *written_dates.OPEN_RULES,
    *named_periods.OPEN_YEAR_RULES,
    *relative.EARLY_RULES,
    *distance.EARLY_RULES,
    *period_parts.FIRST_RULES,
    *relative.RULES,
    *period_parts.NTH_RULES,
    *relative.SECOND_RULES,
    *period_parts.RULES,
    *distance.RULES,
    *relative.LAST_RULES,
    *period_parts.OUTER_RULES,
    *day_times.OUTER_RULES,
    *named_periods.LATE_RULES,
    *durations.REPEAT_LATE_RULES,
    *period_parts.OPEN_RULES,
    *day_times.PART_RULES,
    *period_parts.VAGUE_RULES,
    *distance.LATE_RULES,
    *ranges.DAY_IN_SPAN_RULES,
    *clock.HOURS_RULES,
    *durations.REPEAT_TIME_RULES,
    *day_times.HOURS_RULES,
    *day_times.CLOCK_RULES,
    *period_parts.AROUND_RULES,
    *clock.LATE_HOURS_RULES,
    *ranges.RULES,
    *ranges.BOUND_RULES,
)
_RESULTS = kinds("DAY SPAN MOMENT DONE SET TIME PART PARTS DUR TRANGE")
_JOINS = kinds("IN ON DURING AT OVER AROUND COMMA FROM")
_DATED = kinds("DAY SPAN MOMENT DONE")
_YEAR_S = SECONDS["year"]
_LONG = timedelta(days=300)
_LONG_AGO = timedelta(days=270)
_COARSE = frozenset({"week", "weekend", "month", "quarter", "season", "year", "decade", "century"})
_TEXT_MAX = 100_000


def find(
    text: str, *, reference: datetime, zone: str | None = None, tense: Tense | None = None
) -> list[When]:
    """The time expressions in *text*, in order and without overlap.

    *reference* is when the text was said. *zone* is the IANA name of the speaker's time zone (UTC if
    omitted): days begin at midnight there. *tense* is the tense of the clause and decides which Friday
    or which May is meant:

    - past and perfect: the last one.
    - present and future: the next one. An open date in the present tense is a plan.
    - noted: the next one, unless it is far off; then the nearest.
    - done: the last one, unless that is long ago.
    - none: the nearest, and for a deadline the next.

    Text after the first 100,000 characters is ignored.
    """
    text = text[:_TEXT_MAX]
    if not may_speak_of_time(text):
        return []
    place = _zone(zone or "UTC")
    aware = reference if reference.tzinfo else reference.replace(tzinfo=UTC)
    now = _local(aware, place).replace(tzinfo=None, microsecond=0)
    context = ResolutionContext(text, now, place, tense)
    found = []
    for number, node in enumerate(nodes := apply(context, lex(text), _GRAMMAR)):
        if node.kind in _RESULTS:
            before = nodes[number - 1] if number else None
            value = _dated(context, node, before)
            if isinstance(node.value, Length) and _is_dated(nodes[number + 1 : number + 3]):
                value = value and replace(value, readings=())
            if value is not None:
                found.append(_when(context, node, value, before))
    return found


@lru_cache(maxsize=256)
def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(name)


def _is_dated(after: Sequence[Node]) -> bool:
    """Whether a date follows that says when a length was: "two weeks in October"."""
    if after and after[0].kind in _JOINS:
        after = after[1:]
    if not after or after[0].kind not in _DATED:
        return False
    value = after[0].value
    return not (isinstance(value, Dated) and value.timex == "PRESENT_REF")  # "for two years now"


def _dated(context: ResolutionContext, node: Node, before: Node | None) -> Dated | None:
    """The date or time of a remaining token, or None if it says too little."""
    value = node.value
    if isinstance(value, Dated):
        return value
    if isinstance(value, Clock):
        return day_times.time_alone(context, value)
    if isinstance(value, Hours):
        period = clock.hours_on(context.today, value)
        return Dated((period,), relation="between", anchored=False)
    if isinstance(value, Length):
        return _lasting(context, node, value, before)
    lead = before.kind if before else ""
    if isinstance(value, Part) and lead not in ("GOOD", "A", "ALL"):
        return day_times.part_alone(context, value)
    return None


def _lasting(
    context: ResolutionContext, node: Node, length: Length, before: Node | None
) -> Dated | None:
    """A length by itself. With "for" it reaches back from the reference, or ahead in the future tense.

    In the present tense, weeks and months lie ahead ("I am here for two weeks"), but years lie behind
    ("I work here for six years"). In the past tense, how long something took does not say when.
    """
    # "For a week-long trip" does not mean "for a week".
    described = context.text[node.end : node.end + 1] == "-"
    meant = before is not None and before.kind == "FOR" and not described
    words = context.text[node.start : node.end].lower()
    single = len(length.parts) == 1 and length.parts[0][1] == 1
    if not meant and single and (words == "one day" or _is_idle(context.text, node)):
        return None
    grain = GRAINS[length.parts[-1][0]]
    meant = meant and context.tense not in ("past", "noted", "done")
    present = context.tense == "present" and (grain != "year" or seconds(length) < _YEAR_S)
    ahead = context.tense == "future" or present
    other = moved(context.now, length, 1 if ahead else -1)
    first, last = sorted((context.now, other))
    return Dated(
        (Period(first, last, grain, last if present else None),) if meant else (),
        relation="for",
        timex=durations.length_timex(length),
        length_s=seconds(length),
        approximate=length.approximate,
        grain=grain,
    )


def _is_idle(text: str, node: Node) -> bool:
    """Whether "a day" or "a minute" is an idiom, not a length: "what a day", "in a minute"."""
    words = text[node.start : node.end].lower()
    idle = words in ("a second", "a minute", "a moment")
    return idle or (
        words.startswith("a") and _EXCLAIMED.search(text[: node.start][-12:]) is not None
    )


_EXCLAIMED = re.compile(r"\b(?:what|such|quite|have|per|times|make)\s+$", re.IGNORECASE)


def _when(context: ResolutionContext, node: Node, value: Dated, before: Node | None) -> When:
    start = node.start
    if value.relation == "for" and before is not None and before.kind == "FOR":
        start = before.start
    period = _chosen(context, value)
    return When(
        start=start,
        end=node.end,
        text=context.text[start : node.end],
        grain=period.grain if period else value.grain,
        first=_utc(context, period.first) if period else None,
        last=_utc(context, period.last) if period else None,
        edge=_utc(context, period.edge) if period and period.edge else None,
        relation=value.relation,
        timex=value.timex,
        recurring=value.recurring,
        duration_s=value.length_s,
        dated=value.anchored,
        approximate=value.approximate,
    )


def _chosen(context: ResolutionContext, value: Dated) -> Period | None:
    """The reading that fits the tense (see `find`), or the nearest one."""
    if len(value.readings) < 2:
        return value.readings[0] if value.readings else None
    tense = context.tense
    if tense is None and value.relation in ("until", "before"):
        tense = "future"
    if tense in ("past", "perfect", "done"):
        past = [period for period in value.readings if period.first < context.today]
        if tense == "done" and past and _is_long_ago(context, past[-1]):
            return value.readings[-1]
        return past[-1] if past else value.readings[0]
    if tense in ("present", "future", "noted"):
        coming = [period for period in value.readings if period.last > context.now]
        if value.relation == "between" and tense != "present":
            coming = [period for period in coming if period.first >= context.today] or coming
        far = tense == "noted" and coming and coming[0].first - context.now > _LONG
        return coming[0] if coming and not far else _nearest(context, value)
    return _nearest(context, value)


def _is_long_ago(context: ResolutionContext, period: Period) -> bool:
    """Whether a day is so far back that people would name its year.

    "Booked, 14 April", said in February, therefore means the coming April.
    """
    return period.grain not in _COARSE and context.now - period.first > _LONG_AGO


def _nearest(context: ResolutionContext, value: Dated) -> Period:
    return min(value.readings, key=lambda period: _distance(context.now, period))


def _distance(now: datetime, period: Period) -> timedelta:
    if period.first <= now < period.last:
        return timedelta(0)
    return min(abs(period.first - now), abs(period.last - now))


def _local(moment: datetime, place: ZoneInfo) -> datetime:
    try:
        return moment.astimezone(place)
    except OverflowError:
        return moment.astimezone(UTC)


def _utc(context: ResolutionContext, moment: datetime) -> datetime:
    """Convert a local time to UTC. A time skipped by a clock change counts as if the clock had not moved."""
    try:
        return moment.replace(tzinfo=context.zone).astimezone(UTC)
    except OverflowError:
        return moment.replace(tzinfo=UTC)
