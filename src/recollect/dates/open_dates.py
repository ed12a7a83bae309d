"""Dates that are ambiguous without context: which Friday, which May, which 18th."""

from collections.abc import Iterable

from recollect.dates.holidays import HolidayRule
from recollect.dates.periods import (
    DAY,
    date,
    day_of,
    later,
    month_of,
    months_later,
    season_of,
    unit_period,
)
from recollect.dates.values import Dated, Inside, Period, ResolutionContext

_LEAP_SEARCH = 8
_MONTH_SEARCH = 400


def fixed(period: Period | None, timex: str | None = None) -> Dated | None:
    """An unambiguous date: words that mean exactly one period."""
    return Dated((period,), timex=timex, grain=period.grain) if period else None


def around(context: ResolutionContext, candidates: Iterable[Period | None]) -> tuple[Period, ...]:
    """The last candidate that is over and the first that is not, in order of time."""
    past, coming = None, None
    for period in candidates:
        if period is None:
            continue
        if period.last <= context.today:
            past = period
        elif coming is None:
            coming = period
            break
    return tuple(period for period in (past, coming) if period is not None)


def month(context: ResolutionContext, number: int) -> Dated:
    """A month without its year."""

    def inside(period: Period) -> Period | None:
        found = month_of(period.first.year, number)
        if found and found.first < period.first:
            found = month_of(period.first.year + 1, number)
        return found

    year = context.now.year
    readings = around(context, (month_of(year + shift, number) for shift in (-1, 0, 1)))
    return Dated(readings, timex=f"XXXX-{number:02}", inside=inside, month=number, grain="month")


def season(context: ResolutionContext, name: str) -> Dated:
    """A season without its year."""

    def inside(period: Period) -> Period | None:
        return season_of(period.first.year, name)

    year = context.now.year
    readings = around(context, (season_of(year + shift, name) for shift in (-2, -1, 0, 1)))
    return Dated(readings, timex=_SEASON_CODES[name], inside=inside, grain="season")


def season_in(year: int, name: str) -> Dated | None:
    """A season of a year."""
    return fixed(season_of(year, name), f"{year:04}-{_SEASON_CODES[name]}")


_SEASON_CODES = {"spring": "SP", "summer": "SU", "fall": "FA", "winter": "WI"}


def day(context: ResolutionContext, month_number: int, number: int) -> Dated:
    """A day of a month, without its year. For 29 February, only leap years count."""

    def in_year(year: int) -> Period | None:
        found = date(year, month_number, number)
        return day_of(found) if found else None

    def inside(period: Period) -> Period | None:
        return in_year(period.first.year)

    year = context.now.year
    shifts = range(-_LEAP_SEARCH, _LEAP_SEARCH + 1)
    readings = around(context, (in_year(year + shift) for shift in shifts))
    timex = f"XXXX-{month_number:02}-{number:02}"
    return Dated(readings, timex=timex, inside=inside, month=month_number)


def date_of(
    context: ResolutionContext, year: int | None, month_number: int, number: int
) -> Dated | None:
    """A day of a month, with or without its year. A date that does not exist has no readings."""
    if not 1 <= month_number <= 12 or not 1 <= number <= 31:
        return None
    if year is None:
        return day(context, month_number, number)
    found = date(year, month_number, number)
    timex = f"{year:04}-{month_number:02}-{number:02}"
    return Dated((day_of(found),) if found else (), timex=timex, month=month_number)


def day_of_month(context: ResolutionContext, number: int) -> Dated:
    """A day without its month: "the 18th"."""

    def inside(period: Period) -> Period | None:
        found = date(period.first.year, period.first.month, number)
        return day_of(found) if found else None

    months = (unit_period("month", context.now, shift) for shift in range(-2, 3))
    readings = around(context, (inside(month) for month in months))
    return Dated(readings, timex=f"XXXX-XX-{number:02}", inside=inside)


def weekday(context: ResolutionContext, number: int) -> Dated:
    """A weekday: the last one before today, and the first one from today on."""

    def inside(period: Period) -> Period | None:
        return day_of(later(period.first, DAY * ((number - period.first.weekday()) % 7)))

    ahead = (number - context.today.weekday()) % 7
    coming = later(context.today, DAY * ahead)
    readings = (day_of(later(coming, -7 * DAY)), day_of(coming))
    return Dated(readings, timex=f"XXXX-WXX-{number + 1}", inside=inside)


def weekday_on(context: ResolutionContext, weekday_number: int, number: int) -> Dated:
    """A weekday with its day of the month: the days near today on which the two agree."""
    begin = months_later(context.today.replace(day=1), -_MONTH_SEARCH // 10)
    fitting = []
    for shift in range(_MONTH_SEARCH // 5):
        first = months_later(begin, shift)
        found = date(first.year, first.month, number)
        if found and found.weekday() == weekday_number:
            fitting.append(day_of(found))
    return Dated(around(context, fitting), timex=f"XXXX-WXX-{weekday_number + 1}")


def holiday(context: ResolutionContext, rule: HolidayRule) -> Dated:
    """A holiday without its year."""

    def inside(period: Period) -> Period | None:
        found = rule(period.first.year)
        return day_of(found) if found else None

    year = context.now.year
    days = [found for shift in (-1, 0, 1) if (found := rule(year + shift)) is not None]
    readings = around(context, (day_of(found) for found in days))
    fixed_day = len({(found.month, found.day) for found in days}) == 1
    timex = f"XXXX-{days[0]:%m-%d}" if days and fixed_day else None
    return Dated(readings, inside=inside, timex=timex)


def within(value: Dated, period: Period) -> Dated | None:
    """Resolve an open date inside a period that other words give, or None if it does not fit."""
    inside: Inside | None = value.inside
    found = inside(period) if inside else None
    if found is None:
        return None
    return Dated((found,), month=value.month, grain=value.grain, approximate=value.approximate)
