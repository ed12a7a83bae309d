"""When a fact holds: stated dates, ranges, ends, the past, corrections."""

from datetime import UTC, datetime

import msgspec
import pytest

from recollect.extract.brief import Turn
from tests.unit.extract.prose_world import (
    AT,
    fact_named,
    prose,
    reading,
    said,
    sentences,
    triples,
    written,
)


def day(year, month=1, date=1):
    return datetime(year, month, date, tzinfo=UTC)


TIMES = [
    # text, valid_at, invalid_at, dated
    ("I live in Rome.", AT, None, False),
    ("I'm learning Spanish.", AT, None, False),
    ("I went to a concert.", AT, None, False),
    ("I went to a concert yesterday.", day(2024, 3, 13), None, True),
    ("I moved to Oslo in 2020.", day(2020), None, True),
    ("I've worked at Acme since 2019.", day(2019), None, True),
    ("I have lived in Rome for 5 years.", day(2019, 3, 14), None, True),
    ("I worked at Globex from 2015 to 2019.", day(2015), day(2020), True),
    ("I'm flying to Rome next Friday.", day(2024, 3, 22), None, True),
    ("I'll visit Anna tomorrow.", day(2024, 3, 15), None, True),
    ("I lived in Boston in 2015.", day(2015), day(2016), True),
    ("I used to live in Boston.", None, AT, False),
    ("I lived in Boston.", None, AT, False),
]


@pytest.mark.parametrize(("text", "first", "last", "dated"), TIMES, ids=[row[0] for row in TIMES])
def test_a_fact_holds_from_when_to_when(text, first, last, dated):
    fact = said(text).facts[0]
    found = fact.valid_at
    if found is not None and first is not None and dated:
        found = found.replace(hour=0, minute=0, second=0, microsecond=0)
    assert (found, fact.invalid_at, fact.dated) == (first, last, dated)


@pytest.mark.parametrize("word", ["now", "right now", "currently", "at the moment"])
def test_now_is_the_very_moment_of_the_message(word):
    at = AT.replace(microsecond=123_456)
    spoken = msgspec.structs.replace(reading(f"I live in Leeds {word}."), at=at)
    assert prose().read(spoken).facts[0].valid_at == at


def test_until_now_ends_at_the_very_moment_of_the_message():
    at = AT.replace(microsecond=123_456)
    spoken = msgspec.structs.replace(reading("I worked at Globex until now."), at=at)
    assert prose().read(spoken).facts[0].invalid_at == at


ENDS = [
    ("I no longer work at Globex.", "WORKS_AT", "Globex"),
    ("I don't live in Rome anymore.", "LIVES_IN", "Rome"),
    ("I used to play chess.", "PLAYS", "chess"),
    ("I stopped playing tennis.", "PLAYS", "tennis"),
    ("I left Northwind in March.", "LEFT", "Northwind"),
    ("I sold my car.", "SOLD", "car"),
    ("I quit my job.", "QUIT", "Jane Smith"),
    ("We got divorced.", "DIVORCED", "Jane Smith"),
    ("I broke up with Tom.", "DIVORCED", "Tom"),
    ("I retired from teaching.", "QUIT", "teaching"),
]


@pytest.mark.parametrize(("text", "predicate", "target"), ENDS, ids=[row[0] for row in ENDS])
def test_an_end_is_marked_as_one(text, predicate, target):
    found = said(text)
    (fact,) = [fact for fact in found.facts if fact.ends]
    assert (fact.predicate, found.entities[fact.target].name) == (predicate, target)


INTENDED = [
    ("I want to sell my old Volvo.", "WANTS_TO"),
    ("I don't want to sell my car.", "WANTS_TO"),
    ("I plan to quit my job.", "PLANS_TO"),
    ("I'm trying to sell my car.", "TRY_TO_SELL"),
    ("I need to leave Acme.", "NEED_TO_LEAVE"),
    ("I can sell my car.", "CAN_SELL"),
    ("I'm going to move to Oslo.", "MOVE_TO"),
]


@pytest.mark.parametrize(("text", "predicate"), INTENDED, ids=[row[0] for row in INTENDED])
def test_what_is_only_intended_ends_and_replaces_nothing(text, predicate):
    (fact,) = said(text).facts
    assert (fact.predicate, fact.ends) == (predicate, False)


def test_a_firm_plan_with_a_date_holds_from_then():
    (fact,) = said("I'm moving to Oslo on 1 June 2024.").facts
    assert (fact.predicate, fact.valid_at) == ("LIVES_IN", day(2024, 6))


DECIDED = [
    ("Tom and I decided to move to London in June.", day(2024, 6)),
    ("We agreed to meet Anna on Monday.", day(2024, 3, 18)),
    ("I promised to visit Rome in December.", day(2024, 12)),
    ("In January I decided to visit Rome.", day(2024)),
    ("I visited Rome in June.", day(2023, 6)),
    ("I managed to visit Rome in June.", day(2023, 6)),
]


@pytest.mark.parametrize(("text", "first"), DECIDED, ids=[row[0] for row in DECIDED])
def test_the_date_of_what_was_decided_lies_ahead(text, first):
    (fact,) = said(text).facts
    assert fact.valid_at == first


def test_leaving_has_its_date():
    fact = fact_named(said("I left Northwind in March 2023."), "LEFT")
    assert (fact.valid_at, fact.dated) == (day(2023, 3), True)


def test_what_goes_on_does_not_end():
    assert not any(fact.ends for fact in said("I keep playing tennis.").facts)


DATED_WORDS = [
    ("I ran a race yesterday.", "Jane Smith ran a race on 13 March 2024"),
    ("I met Tom last year.", "Jane Smith met Tom in 2023"),
    ("I'm flying to Rome next Friday.", "Jane Smith is flying to Rome on 22 March 2024"),
    ("I moved to Oslo in 2020.", "Jane Smith moved to Oslo in 2020"),
    ("I started at Acme last month.", "Jane Smith started at Acme in February 2024"),
    ("Last year I visited Rome.", "Jane Smith visited Rome in 2023"),
]


@pytest.mark.parametrize(("text", "sentence"), DATED_WORDS, ids=[row[0] for row in DATED_WORDS])
def test_a_sentence_stays_true_when_it_is_read_years_later(text, sentence):
    assert sentence in sentences(said(text))


def test_the_day_is_that_of_the_users_time_zone():
    found = said("I went to a concert yesterday.", zone="Pacific/Auckland")
    assert "on 14 March 2024" in found.facts[0].fact


BEFORE = (
    Turn(content="I live in Boston.", role="user", speaker="Jane"),
    Turn(content="Nice city!", role="assistant", speaker="Bot"),
)


@pytest.mark.parametrize(
    "text",
    ["Actually, it's Denver, not Boston.", "Sorry, I meant Denver.", "No, it's Denver."],
)
def test_a_correction_restates_what_was_said(text):
    found = said(text, before=BEFORE)
    (fact,) = found.facts
    assert triples(found) == [("Jane Smith", "LIVES_IN", "Denver")]
    assert (fact.corrects, fact.fact) == (True, "Jane Smith lives in Denver")


def test_a_correction_in_the_same_breath():
    found = said("I live in Boston. Sorry, I meant Denver.")
    assert [fact.corrects for fact in found.facts] == [False, True]


def test_not_there_but_here_says_both():
    found = said("I live in Denver, not Boston.")
    assert ("Jane Smith", "LIVES_IN", "Denver") in triples(found)
    assert fact_named(found, "DOES_NOT_LIVE_IN").negated


def test_a_correction_of_nothing_says_nothing():
    assert said("Sorry, I meant Denver.").facts == ()


def test_the_past_of_a_text_has_its_dates():
    fact = written("Marie Curie was born in Warsaw in 1867.").facts[0]
    assert (fact.predicate, fact.valid_at) == ("BORN_IN", day(1867))
