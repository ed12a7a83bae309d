"""Any text is read in bounded time, without an error, and always the same way."""

import random
import re
import time
from datetime import UTC, datetime

import pytest

from recollect.dates import find
from tests.unit.dates.reading import REFERENCE

SIZE = 10_000
# Far above what any of these takes, far below what a runaway expression would take.
SECONDS = 5.0
PIECES = (
    *(
        "may ",
        "1",
        "1 ",
        "1/",
        "1-",
        "1.",
        "1:",
        "12/12/",
        "2020-",
        "a",
        "a.",
        "a@",
        "'s ",
        "\u2019s",
    ),
    *("from 1 to ", "and ", "between ", "the last of the ", "every ", "at ", "one hundred "),
    *("Monday ", "in 5 ", "2020 ", "next ", "the 1st of ", "twenty ", "am ", "p.m. ", "week of "),
    *("(", ")", "-", ",", "\n", " ", "\t", "\x00", "é", "日", "\U0001d7d7", "٣", "²", "İ"),
)


@pytest.mark.parametrize("piece", PIECES)
def test_a_long_run_of_anything_is_read_in_bounded_time(piece: str) -> None:
    text = (piece * SIZE)[:SIZE]
    began = time.process_time()
    find(text, reference=REFERENCE)
    assert time.process_time() - began < SECONDS


WORDS = re.findall(
    r"\S+",
    "may march second sat sun fall 1 5 12 31 2020 1999 0730 3.5 1/2 5/12/2020 10:30 am pm the a of "
    "in on at for from to until through between and or since before after by ago later early mid "
    "late end of every last next this now today tonight week month year day decade century quarter "
    "morning noon monday fri christmas easter summer , . - ( ) ' 's ? half past few couple first "
    "21st q3 h1 fy20 90s feb 30 29 0 9999 99999999999 hundred thousand weekend business days "
    "starting rest back present coming",
)


def test_random_words_of_time_never_fail_and_stay_inside_the_text() -> None:
    chance = random.Random(7)  # noqa: S311
    for _ in range(1500):
        text = " ".join(chance.choices(WORDS, k=chance.randint(1, 14)))
        end = 0
        for when in find(text, reference=REFERENCE, tense=chance.choice([None, "past", "future"])):
            assert end <= when.start < when.end <= len(text), text
            assert text[when.start : when.end] == when.text
            assert (when.first is None) == (when.last is None), text
            if when.first is not None and when.last is not None:
                assert when.first <= when.last, text
            end = when.end


@pytest.mark.parametrize("year", [1, 2, 1900, 2400, 9998, 9999])
def test_the_ends_of_the_calendar_are_no_error(year: int) -> None:
    reference = datetime(year, 1, 1, tzinfo=UTC)
    for text in (
        "last century, 9000000 years ago and in 9000000 days",
        "next century, the next 500 decades, Easter, every Monday, yesterday",
        "since 9999-12-31, until 0001-01-01, for 999999 years",
        "last Monday, next Friday, the week before last, in 2 business days, Feb 29",
    ):
        for zone in ("UTC", "Asia/Tokyo", "America/New_York"):
            find(text, reference=reference, zone=zone)


def test_the_same_text_is_always_read_the_same_way() -> None:
    text = (
        "On Friday at 5 we met, since May 2019, 3 weeks ago, every other day, from 9 to 5 tomorrow."
    )
    first = find(text, reference=REFERENCE, zone="Europe/Berlin")
    assert len(first) >= 5
    assert all(find(text, reference=REFERENCE, zone="Europe/Berlin") == first for _ in range(20))


def test_a_sentence_without_a_date_costs_next_to_nothing() -> None:
    text = "Thanks so much! It was great to see everyone and I really loved the food there."
    fastest = min(_cost(text) for _ in range(200))
    assert fastest < 0.0005


def _cost(text: str) -> float:
    began = time.process_time()
    find(text, reference=REFERENCE)
    return time.process_time() - began
