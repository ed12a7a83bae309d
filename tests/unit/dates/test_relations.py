"""What begins, ends, lasts or repeats, and what follows from it for a fact."""

from datetime import UTC, datetime
from itertools import pairwise

import pytest

from recollect.dates import Relation, find, split
from tests.unit.dates.reading import REFERENCE, only, span


def day(year: int, month: int, number: int) -> datetime:
    return datetime(year, month, number, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "relation", "begins", "ends"),
    [
        ("in 2015", "at", day(2015, 1, 1), None),
        ("on 8 May 2023", "at", day(2023, 5, 8), None),
        ("since 2015", "since", day(2015, 1, 1), None),
        ("ever since March 2019", "since", day(2019, 3, 1), None),
        ("starting January 7th, 2020", "since", day(2020, 1, 7), None),
        ("from 2020 onwards", "since", day(2020, 1, 1), None),
        ("from 2012 to present", "since", day(2012, 1, 1), None),
        ("as early as 2012", "since", day(2012, 1, 1), None),
        ("after 2016", "after", day(2017, 1, 1), None),
        ("after Feb 2018", "after", day(2018, 3, 1), None),
        ("until March 2020", "until", None, day(2020, 3, 1)),
        ("till 2019", "until", None, day(2019, 1, 1)),
        ("through March 2020", "until", None, day(2020, 4, 1)),
        ("until the end of 2019", "until", None, day(2020, 1, 1)),
        ("before 2018", "before", None, day(2018, 1, 1)),
        ("by 5 May 2020", "before", None, day(2020, 5, 5)),
        ("no later than 5 May 2020", "before", None, day(2020, 5, 5)),
        ("from 2015 to 2019", "between", day(2015, 1, 1), day(2020, 1, 1)),
        ("between 2015 and 2019", "between", day(2015, 1, 1), day(2020, 1, 1)),
        ("2015-2019", "between", day(2015, 1, 1), day(2020, 1, 1)),
        ("from May to Oct 2020", "between", day(2020, 5, 1), day(2020, 11, 1)),
        ("from Nov to Feb 2017", "between", day(2016, 11, 1), day(2017, 3, 1)),
        ("26 June to 28 June in 2020", "between", day(2020, 6, 26), day(2020, 6, 29)),
        ("June 26-28, 2020", "between", day(2020, 6, 26), day(2020, 6, 29)),
        ("from 5/1 to 5/7/2020", "between", day(2020, 5, 1), day(2020, 5, 8)),
        ("from 2007 to the end of 2008", "between", day(2007, 1, 1), day(2009, 1, 1)),
    ],
)
def test_a_fact_begins_and_ends_as_the_words_say(
    text: str, relation: Relation, begins: datetime | None, ends: datetime | None
) -> None:
    when = only(text)
    assert when.relation == relation
    assert split(when) == (begins, ends)


def test_the_edge_of_a_range_is_the_begin_of_its_last_period() -> None:
    when = only("from 2015 to 2019")
    assert (when.last, when.edge) == (day(2020, 1, 1), day(2019, 1, 1))


def test_a_bound_names_its_whole_period() -> None:
    assert span(only("since 2015")) == "2015-01-01..2016-01-01"


def test_a_length_with_for_reaches_back_and_for_the_future_ahead() -> None:
    behind = only("for 5 years")
    assert (behind.relation, behind.duration_s) == ("for", 5 * 365 * 86400)
    assert behind.first == REFERENCE.replace(year=2018)
    assert behind.last == REFERENCE
    ahead = only("for 5 years", tense="future")
    assert (ahead.first, ahead.last) == (REFERENCE, REFERENCE.replace(year=2028))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("it took 3 minutes", 180),
        ("it took 123.45 sec", 123.45),
        ("it took one and a half hours", 5400),
        ("it took twenty-four hours", 86400),
        ("it took 10d", 864000),
        ("it took 2h", 7200),
        ("it took three weekends", 518400),
        ("it took 3 hours 30 minutes", 12600),
        ("it took a year and a quarter", 39420000),
        ("it will last two hours", 7200),
    ],
)
def test_a_length_alone_has_no_begin(text: str, seconds: float) -> None:
    when = only(text)
    assert (when.relation, when.duration_s, when.first) == ("for", seconds, None)


@pytest.mark.parametrize(
    ("text", "timex"),
    [
        ("every day", "P1D"),
        ("every other week", "P2W"),
        ("each two days", "P2D"),
        ("every Tuesday", "XXXX-WXX-2"),
        ("on Tuesdays", "XXXX-WXX-2"),
        ("Thursdays at 17:30", "XXXX-WXX-4T17:30"),
        ("annually", "P1Y"),
        ("once a week", "P1W"),
        ("three times a year", "P1Y"),
        ("on the 19th of every month", "XXXX-XX-19"),
        ("every weekend", "XXXX-WXX-WE"),
        ("every May", "XXXX-05"),
    ],
)
def test_what_repeats_has_no_time_of_its_own(text: str, timex: str) -> None:
    when = only(text)
    assert (when.recurring, when.timex, when.first) == (True, timex, None)
    assert split(when) == (None, None)


@pytest.mark.parametrize(
    "text", ["at 5 pm", "in the morning", "between 9 am and 5 pm", "after 6pm"]
)
def test_a_time_of_day_alone_says_nothing_about_a_fact(text: str) -> None:
    when = only(text)
    assert not when.dated
    assert split(when) == (None, None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tomorrow from 3 to 4:30", "2023-05-18T15:00..2023-05-18T16:30"),
        ("tomorrow 11-4", "2023-05-18T11:00..2023-05-18T16:00"),
        ("tomorrow from 9:30am for 7 hours", "2023-05-18T09:30..2023-05-18T16:30"),
        ("between 2 and 4:30pm tomorrow", "2023-05-18T14:00..2023-05-18T16:30"),
        ("tomorrow 10 pm to 2 am", "2023-05-18T22:00..2023-05-19T02:00"),
    ],
)
def test_hours_of_a_day_have_the_half_of_the_day_that_fits(text: str, expected: str) -> None:
    assert span(only(text)) == expected


def test_several_times_in_one_sentence_come_in_order() -> None:
    text = "Born in 1990, I moved in March 2015, worked there from 2015 to 2019 and left last week."
    found = find(text, reference=REFERENCE)
    assert [when.text for when in found] == ["1990", "March 2015", "from 2015 to 2019", "last week"]
    assert all(a.end <= b.start for a, b in pairwise(found))
