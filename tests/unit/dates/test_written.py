"""Dates and times as people write them out."""

import pytest

from tests.unit.dates.reading import only, span

MONTHS = "January February March April May June July August September October November December"
DAY = "2021-03-05..2021-03-06"


@pytest.mark.parametrize(("number", "name"), list(enumerate(MONTHS.split(), 1)))
def test_every_month_is_known_by_name_and_by_its_first_letters(number: int, name: str) -> None:
    short = f"{name[:3]}." if len(name) > 3 else name
    for written in (name, name.lower(), name[:3], short):
        when = only(f"We met on {written} 9, 2020.")
        assert when.first is not None
        assert (when.first.year, when.first.month, when.first.day) == (2020, number, 9)


@pytest.mark.parametrize(
    "text",
    [
        "5 March 2021",
        "5 March, 2021",
        "5th of March 2021",
        "the 5th of March, 2021",
        "fifth of March of 2021",
        "March 5, 2021",
        "March 5th 2021",
        "March the fifth 2021",
        "Friday, March 5, 2021",
        "Fri 5 Mar 2021",
        "5-Mar-2021",
        "5/Mar/2021",
        "2021-Mar-05",
        "2021/mar/5",
        "Mar-5-2021",
        "2021 March 5",
        "2021-03-05",
        "2021/03/05",
        "2021-3-5",
        "3/5/2021",
        "03/05/2021",
        "3-5-2021",
        "3/5/21",
        "05.03.2021",
        "5 March twenty twenty one",
    ],
)
def test_one_day_can_be_written_in_many_ways(text: str) -> None:
    assert span(only(text)) == DAY


def test_a_first_number_over_twelve_is_the_day() -> None:
    assert span(only("on 23/4/2021")) == "2021-04-23..2021-04-24"
    assert span(only("on 22/04", tense="past")) == "2023-04-22..2023-04-23"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1:56 pm on 8 May, 2023", "2023-05-08T13:56..2023-05-08T13:57"),
        ("8 May 2023 at 1:56 pm", "2023-05-08T13:56..2023-05-08T13:57"),
        ("2023-05-08 13:56", "2023-05-08T13:56..2023-05-08T13:57"),
        ("2023-05-08T13:56Z", "2023-05-08T13:56..2023-05-08T13:57"),
        ("2023-05-08T15:56+02:00", "2023-05-08T13:56..2023-05-08T13:57"),
        ("Mon May 8 13:56 2023", "2023-05-08T13:56..2023-05-08T13:57"),
        ("today at noon", "2023-05-17T12:00..2023-05-17T13:00"),
        ("tomorrow at half past three", "2023-05-18T15:30..2023-05-18T15:31"),
        ("yesterday at a quarter to nine", "2023-05-16T08:45..2023-05-16T08:46"),
        ("tomorrow at ten past 9 in the evening", "2023-05-18T21:10..2023-05-18T21:11"),
        ("tomorrow 7:30am", "2023-05-18T07:30..2023-05-18T07:31"),
        ("tomorrow at 8.30 p.m.", "2023-05-18T20:30..2023-05-18T20:31"),
        ("tomorrow at nine thirty am", "2023-05-18T09:30..2023-05-18T09:31"),
        ("at 7 tomorrow evening", "2023-05-18T19:00..2023-05-18T20:00"),
        ("tomorrow at 5", "2023-05-18T17:00..2023-05-18T18:00"),
        ("tomorrow at 9", "2023-05-18T09:00..2023-05-18T10:00"),
    ],
)
def test_a_day_and_a_time_are_one_moment(text: str, expected: str) -> None:
    assert span(only(text)) == expected


@pytest.mark.parametrize(
    ("text", "grain", "expected"),
    [
        ("in 2019", "year", "2019-01-01..2020-01-01"),
        ("in March 2019", "month", "2019-03-01..2019-04-01"),
        ("June of 1992", "month", "1992-06-01..1992-07-01"),
        ("12/2015", "month", "2015-12-01..2016-01-01"),
        ("Q3 2021", "quarter", "2021-07-01..2021-10-01"),
        ("the third quarter of 2021", "quarter", "2021-07-01..2021-10-01"),
        ("the 90s", "decade", "1990-01-01..2000-01-01"),
        ("the nineties", "decade", "1990-01-01..2000-01-01"),
        ("the 1980s", "decade", "1980-01-01..1990-01-01"),
        ("the 19th century", "century", "1800-01-01..1900-01-01"),
        ("summer 2019", "season", "2019-06-01..2019-09-01"),
        ("the winter of 1984", "season", "1984-12-01..1985-03-01"),
        ("week 3 of 2027", "week", "2027-01-18..2027-01-25"),
        ("the first week of 2015", "week", "2014-12-29..2015-01-05"),
        ("the last Friday of May 2021", "day", "2021-05-28..2021-05-29"),
        ("Christmas 2020", "day", "2020-12-25..2020-12-26"),
        ("Easter 2018", "day", "2018-04-01..2018-04-02"),
        ("Thanksgiving 2023", "day", "2023-11-23..2023-11-24"),
        ("New Year's Eve 1999", "day", "1999-12-31..2000-01-01"),
        ("mid-2019", "month", "2019-05-01..2019-09-01"),
        ("late July 2020", "day", "2020-07-16..2020-08-01"),
        ("the end of 1989", "month", "1989-09-01..1990-01-01"),
    ],
)
def test_longer_periods_have_their_grain_and_both_ends(
    text: str, grain: str, expected: str
) -> None:
    when = only(text)
    assert (when.grain, span(when)) == (grain, expected)


def test_a_date_that_does_not_exist_is_marked_and_has_no_time() -> None:
    when = only("on Feb 30, 2021")
    assert (when.first, when.last) == (None, None)


def test_the_place_in_the_text_is_told() -> None:
    text = "Well, on 5 March 2021 I left."
    when = only(text)
    assert text[when.start : when.end] == when.text == "5 March 2021"
