"""Which words of a message are dates, which dates they are, and how the facts tell them."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache

import pytest

from recollect.extract.prose import Prose
from recollect.graph import predicates
from recollect.graph.found import FoundFact
from recollect.models import parser
from recollect.models.sentence_kinds import Kind, Utterance
from recollect.settings import Settings
from tests.unit.extract.prose_world import AT, reading


def _state(sentences: Sequence[Utterance]) -> list[Kind]:
    return ["state"] * len(sentences)


@cache
def _prose() -> Prose:
    """The extractor, without the classifier: whatever is said is told."""
    return Prose(parser.load(Settings().models), predicates.load(), _state)


def _facts(text: str) -> Sequence[FoundFact]:
    """What Jane's message of Thursday, 14 March 2024 says."""
    return _prose().read(reading(text)).facts


def _told(text: str) -> str:
    return " | ".join(fact.fact for fact in _facts(text))


DATED = [
    # Noted without a verb: ahead, unless that is far and the other is near.
    (
        "gave notice on monday, last day 26 april",
        "monday (11 March 2024), last day 26 april (2024)",
    ),
    ("thesis deadline 2 april", "thesis deadline 2 april (2024)"),
    ("demo 5 march, nobody came", "demo 5 march (2024)"),
    ("No class on Monday, teacher ill.", "Monday (18 March 2024)"),
    # Moved, booked, announced: ahead, though the verb is in the past.
    ("Close date moved to 30 August.", "30 August (2024)"),
    ("I booked the ferry for 2 April.", "2 April 2024"),
    ("Kitchen delivery scheduled for July.", "July (2024)"),
    ("They gave us a place from 1 September.", "1 September (2024)"),
    ("sold the van, pickup is 22 march", "22 March 2024"),
    # Done: behind.
    ("Budget approved in January.", "January (2024)"),
    ("As discussed on Monday, the price stays.", "Monday (11 March 2024)"),
    ("I could not sleep on Tuesday.", "12 March 2024"),
    ("We fly on 12 April and come back on the 26th.", "26 April 2024"),
    ("Anna's last shift is the 30th.", "30 March 2024"),
    ("The objection must be filed by the 27th.", "27 March 2024"),
    ("I ran 10 km this morning.", "14 March 2024"),
    ("The pool reopens Monday.", "Monday (18 March 2024)"),
    # The end of a month is its last day.
    ("Please send it by the end of the month.", "the end of the month (31 March 2024)"),
    ("The lease ends at the end of May.", "the end of May (31 May 2024)"),
    # What has a name keeps it.
    ("The pilot starts in Q3.", "Q3 (July to September 2024)"),
    ("We are driving home for Easter.", "Easter (31 March 2024)"),
    ("I went to Norway last summer.", "last summer (2023)"),
    ("I sold the boat this year.", "in 2024"),
    ("the boat is for sale this year, the mast next year", "this year (2024)"),
    ("The office is closed from 2 April to 9 April.", "from 2 April to 9 April (2024)"),
    ("The exam is on 2 April at 10:00.", "2 April at 10:00 (2 April 2024)"),
    ("It broke around 14:20 yesterday.", "yesterday (13 March 2024)"),
    ("We danced all last night.", "last night (13 March 2024)"),
    ("I ate yesterday's soup.", "yesterday's (13 March 2024) soup"),
    # As exact as it was said.
    ("I sold my flat three years ago.", "in 2021"),
    ("The printer is dead since Thursday.", "since 7 March 2024"),
    ("I have lived in Leeds for three years now.", "three years (since 2021) now"),
    ("The incident on 1 March was caused by a bad cable.", "1 March (2024)"),
]


@pytest.mark.parametrize(("text", "told"), DATED, ids=[row[0] for row in DATED])
def test_a_date_is_told_where_the_words_do_not_tell_it(text: str, told: str) -> None:
    assert told.lower() in _told(text).lower()


UNDATED = [
    # Days of every week, feasts of every year.
    "gym on tuesdays, boxing on saturday mornings",
    "Sunday is mass and lunch at grandma's, long run Saturday.",
    "Monday is pizza night.",
    "I usually swim on Wednesday.",
    "The kids have football on Saturday and piano on Monday.",
    "Training is Monday and Wednesday at 18:30.",
    "The juniors practise on Friday.",
    "raid nights are wed and sun 8pm",
    "The bar is open mon to thu from 5 to 11.",
    "We always go sledging on Boxing Day.",
    "The museum is free on the first Sunday of the month.",
    "My birthday is on 12 May.",
    "Our choir sings on Christmas Eve every year.",
    # Parts of names.
    "The Easter bunny costume is in the attic.",
    "The New Year's Eve party is at Tom's place.",
    "I want the offer before the summer break.",
    "The Q4 goal is a faster start page.",
    "Budget FY25 is tight.",
    # Numbers that are no dates, days that hang on a story.
    "My pin is 1987.",
    "I drive a Corolla 2021.",
    "The policy covers up to 2000 euro per year.",
    "The amp costs 1999, the stand 150.",
    "I work 32 hours, Wednesday off.",
    "I updated the server to 2023.7.1.",
    "The soup is 10/10.",
    "The over 40s are a separate team.",
    "I flew home three days earlier.",
    "The lessons start in the new year.",
    "The warranty is 24 months from delivery.",
    "The SLA is 4 hours for outages and 2 days for the rest.",
    "My flatmate is 31 and pays 2024 euros.",
]


@pytest.mark.parametrize("text", UNDATED)
def test_what_is_no_date_is_told_as_it_was_said(text: str) -> None:
    facts = _facts(text)
    assert facts
    for fact in facts:
        assert "(" not in fact.fact
        assert (fact.valid_at, fact.invalid_at, fact.event_at) == (AT, None, None)


def test_one_day_of_the_week_stays_a_date_beside_a_regular_one() -> None:
    told = _told("My new job starts on Monday so no practice on Mondays.")
    assert "Monday (18 March 2024)" in told or "18 March 2024" in told


HOLDS = [
    # text, valid_at, invalid_at
    ("quit smoking 5 weeks ago", datetime(2024, 2, 8, tzinfo=UTC), None),
    ("Anna is on leave from 1 June through 31 August.", (2024, 6, 1), (2024, 9, 1)),
    ("My appointment was moved from Monday to Friday.", AT, None),
    ("The teacher is Helena, same as last year.", AT, None),
    ("The match is on the 30th, entries til friday.", AT, None),
    ("The rate is frozen for 18 months.", AT, datetime(2025, 9, 14, 12, tzinfo=UTC)),
]


@pytest.mark.parametrize(("text", "first", "last"), HOLDS, ids=[row[0] for row in HOLDS])
def test_a_fact_holds_by_the_times_that_are_its_own(
    text: str, first: datetime | tuple[int, int, int], last: datetime | tuple[int, int, int] | None
) -> None:
    (fact,) = _facts(text)
    assert (fact.valid_at, fact.invalid_at) == (_moment(first), _moment(last))


def _moment(given: datetime | tuple[int, int, int] | None) -> datetime | None:
    return datetime(*given, tzinfo=UTC) if isinstance(given, tuple) else given


def test_what_was_done_is_not_asked_for() -> None:
    assert {fact.mood for fact in _facts("quit smoking 5 weeks ago")} == {"stated"}
