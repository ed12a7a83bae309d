"""Any day goes with any time, any hours and any bound: the grammar is composed, not listed."""

from datetime import datetime, timedelta
from itertools import product

import pytest

from recollect.dates import Relation, find
from tests.eval import second_dates
from tests.eval.dates import Marks, ours
from tests.unit.dates.reading import REFERENCE, only

_TODAY = REFERENCE.replace(hour=0, minute=0)
DAYS = {
    "tomorrow": 1,
    "yesterday": -1,
    "next Friday": 9,
    "Friday of next week": 9,
    "June 9, 2023": 23,
    "the 9th of June 2023": 23,
    "2023-06-09": 23,
    "Friday, June 9": 23,
    "three days ago": -3,
    "the day after tomorrow": 2,
    "the first Monday of June 2023": 19,
    "the last day of May 2023": 14,
}
TIMES = {
    "3pm": (15, 0),
    "15:00": (15, 0),
    "noon": (12, 0),
    "3 in the afternoon": (15, 0),
    "9 at night": (21, 0),
    "eight am": (8, 0),
    "seven thirty pm": (19, 30),
    "half past seven in the evening": (19, 30),
    "a quarter to 8 pm": (19, 45),
    "seven o'clock pm": (19, 0),
    "3pm PST": (15, 0),
}
HOURS = {
    "from 3pm to 5pm": (15, 17),
    "3-5pm": (15, 17),
    "15:00-17:00": (15, 17),
    "between 3 and 5pm": (15, 17),
    "from 3 to 5 in the afternoon": (15, 17),
    "from 3pm for 2 hours": (15, 17),
}
BOUNDS: dict[str, Relation] = {
    "since": "since",
    "after": "after",
    "before": "before",
    "by": "before",
    "until": "until",
    "no later than": "before",
}


def _day(shift: int) -> datetime:
    return _TODAY + timedelta(days=shift)


def _at(shift: int, clock: tuple[int, int]) -> datetime:
    return _day(shift) + timedelta(hours=clock[0], minutes=clock[1])


@pytest.mark.parametrize("form", ["{d} at {t}", "at {t} on {d}", "{t} {d}", "{d}, {t}", "{d} {t}"])
def test_a_day_and_a_time(form: str) -> None:
    for (day, shift), (time, clock) in product(DAYS.items(), TIMES.items()):
        text = f"It is {form.format(d=day, t=time)}."
        assert only(text).first == _at(shift, clock), text


@pytest.mark.parametrize("form", ["{d} {r}", "{r} {d}", "{r} on {d}", "{d}, {r}"])
def test_a_day_and_hours_of_it(form: str) -> None:
    for (day, shift), (hours, (first, last)) in product(DAYS.items(), HOURS.items()):
        text = f"It is {form.format(d=day, r=hours)}."
        when = only(text)
        assert (when.relation, when.first, when.last) == (
            "between",
            _at(shift, (first, 0)),
            _at(shift, (last, 0)),
        ), text


@pytest.mark.parametrize("form", ["{b} {t} on {d}", "{b} {d} at {t}", "{d} {b} {t}"])
def test_a_bound_at_a_time_of_a_day(form: str) -> None:
    for (day, shift), (time, clock), (word, relation) in product(
        list(DAYS.items())[:6], TIMES.items(), BOUNDS.items()
    ):
        if word == "since" and shift > 0 and day == "Friday, June 9":
            continue
        text = f"It is {form.format(b=word, d=day, t=time)}."
        when = only(text)
        assert (when.relation, when.edge) == (relation, _at(shift, clock)), text


@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize("days", ["every day", "every Monday", "Mondays", "each day", "daily"])
def test_what_repeats_has_a_time(days: str, time: str) -> None:
    for text in (f"{days} at {time}", f"at {time} {days}"):
        when = only(text)
        assert when.recurring
        assert "T" in (when.timex or "")


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("half hour", 0.5),
        ("a quarter of an hour", 0.25),
        ("three quarters of an hour", 0.75),
        ("1 1/2 hours", 1.5),
        ("2h30m", 2.5),
        ("two and a half hours", 2.5),
        ("two hours and a half", 2.5),
        ("two full hours", 2),
        ("a dozen hours", 12),
        ("half a dozen hours", 6),
        ("a hundred and twenty hours", 120),
        ("an hour", 1),
    ],
)
def test_an_amount_goes_with_any_unit(text: str, hours: float) -> None:
    for unit, factor in (("hour", 1.0), ("day", 24.0)):
        if "2h" in text and unit == "day":
            continue
        phrase = text.replace("hour", unit).replace("an day", "a day")
        assert only(f"It took {phrase}.").duration_s == hours * factor * 3600, phrase


@pytest.mark.parametrize("half", second_dates.HALVES)
def test_the_second_set_is_resolved(half: str) -> None:
    marks = Marks(second_dates.items(half), ours)
    count, hits, _ = marks.share()
    assert hits / count >= 0.95
    assert len(marks.extra) <= 2


def test_a_length_beside_a_date_says_not_when() -> None:
    length, month = find("for two weeks in October", reference=REFERENCE)
    assert (length.first, length.duration_s) == (None, 14 * 86400)
    assert month.relation == "at"


def test_within_counts_from_now_only_for_what_is_to_come() -> None:
    assert only("within 30 days", tense="future").first is not None
    assert only("within 30 days", tense="present").first is None


def test_since_looks_back_and_a_deadline_ahead() -> None:
    since, due = only("since June"), only("by Monday")
    assert since.edge is not None
    assert since.edge < REFERENCE
    assert due.edge is not None
    assert due.edge > REFERENCE
