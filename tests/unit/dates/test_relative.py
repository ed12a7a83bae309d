"""Dates that hang on the moment at which something is said: a Wednesday, 17 May 2023, 15:30."""

import pytest

from recollect.dates import Tense
from tests.unit.dates.reading import only, span

WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("today", "2023-05-17..2023-05-18"),
        ("yesterday", "2023-05-16..2023-05-17"),
        ("tomorrow", "2023-05-18..2023-05-19"),
        ("the day after tomorrow", "2023-05-19..2023-05-20"),
        ("the day before yesterday", "2023-05-15..2023-05-16"),
        ("last week", "2023-05-08..2023-05-15"),
        ("this week", "2023-05-15..2023-05-22"),
        ("next week", "2023-05-22..2023-05-29"),
        ("last weekend", "2023-05-13..2023-05-15"),
        ("this weekend", "2023-05-20..2023-05-22"),
        ("last month", "2023-04-01..2023-05-01"),
        ("next month", "2023-06-01..2023-07-01"),
        ("last quarter", "2023-01-01..2023-04-01"),
        ("last year", "2022-01-01..2023-01-01"),
        ("next decade", "2030-01-01..2040-01-01"),
        ("last spring", "2022-03-01..2022-06-01"),
        ("last summer", "2022-06-01..2022-09-01"),
        ("this summer", "2023-06-01..2023-09-01"),
        ("last May", "2022-05-01..2022-06-01"),
        ("next March", "2024-03-01..2024-04-01"),
        ("last Christmas", "2022-12-25..2022-12-26"),
        ("next Easter", "2024-03-31..2024-04-01"),
        ("this time last year", "2022-05-17..2022-05-18"),
        ("the week before last", "2023-05-01..2023-05-08"),
        ("the week before 9 June", "2023-06-02..2023-06-09"),
        ("the Friday before 9 June", "2023-06-02..2023-06-03"),
        ("the week of 9 June", "2023-06-05..2023-06-12"),
        ("the day after Christmas 2020", "2020-12-26..2020-12-27"),
        ("Here's one I did last week.", "2023-05-08..2023-05-15"),
        ("Friday of next week", "2023-05-26..2023-05-27"),
        ("the first Monday of next month", "2023-06-05..2023-06-06"),
        ("later this year", "2023-07-01..2024-01-01"),
        ("earlier this month", "2023-05-01..2023-05-17"),
        ("yesterday evening", "2023-05-16T16:00..2023-05-16T20:00"),
        ("this morning", "2023-05-17T08:00..2023-05-17T12:00"),
        ("tonight", "2023-05-17T20:00..2023-05-18"),
        ("last night", "2023-05-16T20:00..2023-05-17"),
        ("tonight at 8", "2023-05-17T20:00..2023-05-17T21:00"),
        ("tonight at 1 am", "2023-05-18T01:00..2023-05-18T02:00"),
    ],
)
def test_words_that_point_from_the_reference(text: str, expected: str) -> None:
    assert span(only(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("three years ago", "2020-05-17"),
        ("a couple of days ago", "2023-05-15"),
        ("a few years ago", "2020-05-17"),
        ("two or three months ago", "2023-02-17"),
        ("a year and a half ago", "2021-11-17"),
        ("one month ago", "2023-04-17"),
        ("in two weeks", "2023-05-31"),
        ("ten days from now", "2023-05-27"),
        ("two days after tomorrow", "2023-05-20"),
        ("3 weeks before Christmas 2022", "2022-12-04"),
        ("2 years 1 month 21 days later", "2025-07-08"),
    ],
)
def test_a_length_from_a_date_is_a_day(text: str, expected: str) -> None:
    when = only(text)
    assert when.grain == "day"
    assert span(when).startswith(expected + "..")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("in 5 minutes", "2023-05-17T15:35"),
        ("an hour ago", "2023-05-17T14:30"),
        ("in half an hour", "2023-05-17T16:00"),
        ("right now", "2023-05-17T15:30"),
    ],
)
def test_hours_and_minutes_are_counted_from_the_very_moment(text: str, expected: str) -> None:
    assert span(only(text)).startswith(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the next 3 days", "2023-05-18..2023-05-21"),
        ("the past two weeks", "2023-05-03..2023-05-17"),
        ("the last 6 months", "2022-11-17..2023-05-17"),
        ("the 10 previous days", "2023-05-07..2023-05-17"),
        ("the last two quarters", "2022-10-01..2023-04-01"),
        ("the next 4 business days", "2023-05-18..2023-05-24"),
    ],
)
def test_a_counted_stretch_ends_or_begins_at_the_reference(text: str, expected: str) -> None:
    assert span(only(text)) == expected


@pytest.mark.parametrize(("number", "name"), list(enumerate(WEEKDAYS.split())))
def test_every_weekday_goes_back_for_the_past_and_on_for_the_future(number: int, name: str) -> None:
    for text in (f"on {name}", f"on {name[:3]}"):
        past, future = only(text, tense="past"), only(text, tense="future")
        assert past.first is not None
        assert future.first is not None
        assert past.first.weekday() == future.first.weekday() == number
        assert past.first.day in range(10, 17)
        assert future.first.day in range(17, 24)


def test_last_is_the_day_just_gone_and_next_that_of_the_next_week() -> None:
    assert span(only("last Monday")) == "2023-05-15..2023-05-16"
    assert span(only("last Friday")) == "2023-05-12..2023-05-13"
    assert span(only("this Friday")) == "2023-05-19..2023-05-20"
    assert span(only("next Friday")) == "2023-05-26..2023-05-27"


@pytest.mark.parametrize(
    ("text", "tense", "expected"),
    [
        ("in March", "past", "2023-03-01..2023-04-01"),
        ("in March", "future", "2024-03-01..2024-04-01"),
        ("in December", "past", "2022-12-01..2023-01-01"),
        ("in December", "future", "2023-12-01..2024-01-01"),
        ("on 9 June", "past", "2022-06-09..2022-06-10"),
        ("on 9 June", "future", "2023-06-09..2023-06-10"),
        ("on the 5th", "past", "2023-05-05..2023-05-06"),
        ("on the 5th", "future", "2023-06-05..2023-06-06"),
        ("at Christmas", "past", "2022-12-25..2022-12-26"),
        ("at Christmas", "future", "2023-12-25..2023-12-26"),
        ("on Feb 29", "past", "2020-02-29..2020-03-01"),
        ("on Feb 29", "future", "2024-02-29..2024-03-01"),
        ("in May", "past", "2023-05-01..2023-06-01"),
        ("How was the weekend?", "past", "2023-05-13..2023-05-15"),
        ("Any plans for the weekend?", "future", "2023-05-20..2023-05-22"),
    ],
)
def test_the_tense_decides_what_the_words_leave_open(
    text: str, tense: Tense, expected: str
) -> None:
    assert span(only(text, tense=tense)) == expected


def test_without_a_tense_the_nearest_is_meant() -> None:
    assert span(only("on 9 June")) == "2023-06-09..2023-06-10"
    assert span(only("on 9 April")) == "2023-04-09..2023-04-10"


def test_a_weekday_tells_the_year_of_its_date() -> None:
    assert span(only("on Sunday, December 18")) == "2022-12-18..2022-12-19"
    assert span(only("on Monday, December 18")) == "2023-12-18..2023-12-19"


def test_in_and_later_do_not_point_ahead_in_the_past_tense() -> None:
    for text in ("I finished it in 40 minutes", "Five years later we met"):
        assert only(text, tense="past").first is None
    assert only("We haven't talked in a few days").first is None
