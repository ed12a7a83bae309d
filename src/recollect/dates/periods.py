"""Arithmetic on calendar periods: the period that contains a moment, the n-th after it, its parts."""

from calendar import monthrange
from datetime import datetime, timedelta
from typing import get_args

from recollect.dates.values import Length, Period
from recollect.dates.when import Grain

DAY = timedelta(days=1)
# Local times are naive here. One year is kept free at both ends of the calendar for further arithmetic.
_FIRST, _LAST = datetime(2, 1, 1), datetime(9998, 12, 31)  # noqa: DTZ001
# A week begins on Monday, as in ISO 8601 and in the public date set.
SECONDS = {
    "second": 1,
    "minute": 60,
    "hour": 3600,
    "day": 86400,
    "night": 86400,
    "business day": 86400,
    "weekend": 2 * 86400,
    "week": 7 * 86400,
    "fortnight": 14 * 86400,
    "month": 30 * 86400,
    "quarter": 91.25 * 86400,
    "season": 91.25 * 86400,
    "year": 365 * 86400,
    "decade": 3650 * 86400,
    "century": 36500 * 86400,
}
_MONTHS = {"month": 1, "quarter": 3, "season": 3, "year": 12, "decade": 120, "century": 1200}
_DAYS = {"day": 1, "night": 1, "week": 7, "weekend": 7, "fortnight": 14}
GRAINS: dict[str, Grain] = {
    **{grain: grain for grain in get_args(Grain)},
    "night": "day",
    "business day": "day",
    "fortnight": "week",
}
# First month of each season, by the meteorological definition for the northern hemisphere.
SEASONS = {"spring": 3, "summer": 6, "fall": 9, "winter": 12}


def months_later(moment: datetime, count: int) -> datetime:
    """The same day and time *count* months later, or the last day of a shorter month."""
    total = min(max(moment.year * 12 + moment.month - 1 + count, 12), 9999 * 12 + 11)
    year, month = divmod(total, 12)
    day = min(moment.day, monthrange(year, month + 1)[1])
    return moment.replace(year=year, month=month + 1, day=day)


def later(moment: datetime, delta: timedelta) -> datetime:
    """*moment* plus *delta*, clamped to the range of the calendar."""
    try:
        return moment + delta
    except OverflowError:
        return _LAST if delta > timedelta(0) else _FIRST


def moved(moment: datetime, length: Length, sign: int = 1) -> datetime:
    """*moment* plus or minus a length; a fraction of a month is counted in days."""
    for unit, amount in length.parts:
        if unit == "business day":
            moment = _business_days_later(moment, sign * int(amount))
        elif unit in _MONTHS:
            months = amount * _MONTHS[unit]
            whole = int(min(months, 120_000))
            moment = months_later(moment, sign * whole)
            moment = later(moment, timedelta(days=sign * round(min(months % 1, 1) * 30)))
        else:
            seconds = min(amount * (SECONDS["week"] if unit == "weekend" else SECONDS[unit]), 1e13)
            moment = later(moment, timedelta(seconds=sign * seconds))
    return moment


def _business_days_later(moment: datetime, count: int) -> datetime:
    step = DAY if count > 0 else -DAY
    for _ in range(min(abs(count), 5000)):
        moment = later(moment, step)
        while moment.weekday() > 4:
            moment = later(moment, step)
    return moment


def seconds(length: Length) -> float:
    """A length in seconds, with years of 365 and months of 30 days."""
    return sum(SECONDS[unit] * amount for unit, amount in length.parts)


def begin_of(unit: str, moment: datetime) -> datetime:
    """The start of the unit that contains *moment*. For a weekend, that of the same week."""
    if unit in ("second", "minute", "hour"):
        moment = moment.replace(microsecond=0)
        if unit == "second":
            return moment
        return moment.replace(second=0, minute=0 if unit == "hour" else moment.minute)
    day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit in ("day", "night", "business day"):
        return day
    if unit in ("week", "fortnight"):
        return later(day, -DAY * day.weekday())
    if unit == "weekend":
        return later(day, DAY * (5 - day.weekday()))
    size = _MONTHS[unit]
    index = day.year * 12 + day.month - 1
    year, month = divmod(max(index // size * size, 12), 12)
    return day.replace(year=year, month=month + 1, day=1)


def unit_period(unit: str, moment: datetime, offset: int = 0) -> Period:
    """The calendar unit *offset* units away from the one that contains *moment*."""
    first = _stepped(unit, begin_of(unit, moment), offset)
    if unit == "weekend":
        return Period(first, later(first, 2 * DAY), "weekend")
    return Period(first, _stepped(unit, first, 1), GRAINS[unit])


def _stepped(unit: str, moment: datetime, count: int) -> datetime:
    if unit in _MONTHS:
        return months_later(moment, count * _MONTHS[unit])
    if unit in _DAYS:
        return later(moment, DAY * count * _DAYS[unit])
    if unit == "business day":
        return _business_days_later(moment, count)
    return later(moment, timedelta(seconds=SECONDS[unit] * count))


def full_year(number: int) -> int:
    """A two-digit year in the century that people mean: up to 34 it is 20xx, otherwise 19xx."""
    if number >= 100:
        return number
    return number + (2000 if number < 35 else 1900)


def day_of(moment: datetime) -> Period:
    """The day that contains *moment*."""
    return unit_period("day", moment)


def date(year: int, month: int, day: int) -> datetime | None:
    """Midnight of a date, or None if there is no such date."""
    try:
        return datetime(year, month, day)  # noqa: DTZ001 - local times are naive here
    except ValueError:
        return None


def year_of(year: int) -> Period | None:
    """A calendar year."""
    first = date(year, 1, 1)
    return unit_period("year", first) if first else None


def month_of(year: int, month: int) -> Period | None:
    """A month of a year."""
    first = date(year, month, 1)
    return unit_period("month", first) if first else None


def season_of(year: int, name: str) -> Period | None:
    """A season of a year; winter belongs to the year in which it begins."""
    first = date(year, SEASONS[name], 1)
    return Period(first, months_later(first, 3), "season") if first else None


def week_of_year(year: int, number: int) -> Period | None:
    """The week with that number in ISO 8601."""
    fourth = date(year, 1, 4)
    return unit_period("week", fourth, number - 1) if fourth else None


def nth_weekday(period: Period, weekday: int, number: int) -> Period | None:
    """The n-th weekday inside a period, counted from its end when *number* is negative."""
    if number > 0:
        day = later(period.first, DAY * ((weekday - period.first.weekday()) % 7))
        day = later(day, DAY * 7 * (number - 1))
    else:
        day = later(period.last, -DAY)
        day = later(day, -DAY * ((day.weekday() - weekday) % 7 + 7 * (-number - 1)))
    return day_of(day) if period.first <= day < period.last else None


def weekday_from(day: datetime, weekday: int, direction: int) -> datetime:
    """The nearest given weekday after (or before) a day, excluding the day itself."""
    ahead = (weekday - day.weekday()) % 7
    if direction > 0:
        return later(day, DAY * (ahead or 7))
    return later(day, -DAY * ((7 - ahead) if ahead else 7))
