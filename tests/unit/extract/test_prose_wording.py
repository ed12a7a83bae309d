"""The sentence of a fact: grammatical, true years later, and in the words that were used."""

from datetime import UTC, datetime

import pytest

from recollect.extract.prose import chat
from tests.unit.extract.prose_world import AT, said, sentences

LISTS = [
    (
        "My cork board is full of quotes and pictures for motivation.",
        ["Jane Smith's cork board is full of quotes and pictures for motivation"],
    ),
    (
        "I love the new offers and promotions at the store.",
        ["Jane Smith loves the new offers and promotions at the store"],
    ),
    (
        "I bought a red car and bikes.",
        ["Jane Smith bought a red car", "Jane Smith bought bikes"],
    ),
    (
        "I like hiking, pottery and chess.",
        ["Jane Smith likes hiking", "Jane Smith likes pottery", "Jane Smith likes chess"],
    ),
]


@pytest.mark.parametrize(("text", "expected"), LISTS, ids=[text for text, _ in LISTS])
def test_each_member_of_a_list_keeps_the_words_they_share(text: str, expected: list[str]) -> None:
    assert sentences(said(text)) == expected


ASIDES = [
    (
        "I joined a book club and it's been great.",
        "Jane Smith joined a book club and it has been great",
    ),
    (
        "Last weekend I joined a mentorship program - it's really rewarding to help the community.",
        "Last weekend (the weekend of 9 March 2024) Jane Smith joined a mentorship program",
    ),
    (
        "I painted a mural, and there were lots of people.",
        "Jane Smith painted a mural, and there were lots of people",
    ),
]


@pytest.mark.parametrize(("text", "expected"), ASIDES, ids=[text for text, _ in ASIDES])
def test_what_is_said_of_an_event_beside_it_stays_with_it(text: str, expected: str) -> None:
    assert expected in sentences(said(text))


TAILS = [
    ("I'd love to support those with similar issues.", "those with similar issues"),
    ("I feel like teaching is my true calling.", "like teaching is Jane's true calling"),
    ("I'm meeting with some farmers to get their advice.", "to get the"),
]


@pytest.mark.parametrize(("text", "tail"), TAILS, ids=[text for text, _ in TAILS])
def test_a_clause_at_the_end_is_not_cut_off(text: str, tail: str) -> None:
    assert any(tail in sentence for sentence in sentences(said(text)))


VERBS = [
    ("Sarah's been reading the book.", "Sarah has been reading the book"),
    (
        "I can have a good time with Anna and relax at home.",
        "Jane Smith can have a good time with Anna",
    ),
    (
        "My new inhaler lets me run again.",
        "Jane Smith's new inhaler lets Jane run again",
    ),
    ("I'm living in Rome and teaching Latin.", "Jane Smith is teaching Latin"),
    (
        "Been working on some projects and testing out recipes.",
        "Jane Smith: Been working on some projects and testing out recipes",
    ),
    (
        "Hoping to open a bakery and start a podcast.",
        "Jane Smith: Hoping to open a bakery and start a podcast",
    ),
    ("I still live in Rome.", "Jane Smith still lives in Rome"),
    ("By the way, I live in Rome.", "Jane Smith lives in Rome"),
]


@pytest.mark.parametrize(("text", "expected"), VERBS, ids=[text for text, _ in VERBS])
def test_a_verb_has_the_form_that_its_new_subject_asks_for(text: str, expected: str) -> None:
    assert expected in sentences(said(text))


def day(year: int, month: int = 1, date: int = 1) -> datetime:
    return datetime(year, month, date, tzinfo=UTC)


TIMES = [
    (
        "I'm opening the store in the next few months.",
        "Jane Smith is opening the store in the few months after 14 March 2024",
        day(2024, 3, 15),
    ),
    (
        "Last year I took a solo trip and painted a sunset.",
        "Jane Smith painted a sunset in 2023",
        day(2023),
    ),
    (
        "In 2019 I moved to Oslo and started a bakery.",
        "Jane Smith started a bakery in 2019",
        day(2019),
    ),
    ("I went to Oslo in 2019 and moved to Rome.", "Jane Smith moved to Rome", AT),
    (
        "I stumbled upon a book from the 1900s.",
        "Jane Smith stumbled upon a book from the 1900s",
        AT,
    ),
    ("I'm moving house in autumn.", "Jane Smith is moving house in autumn (2024)", day(2024, 9)),
    ("I'm moving now to Oslo.", "Jane Smith is moving now to Oslo", AT),
]


@pytest.mark.parametrize(("text", "sentence", "since"), TIMES, ids=[row[0] for row in TIMES])
def test_a_time_is_said_where_it_belongs(text: str, sentence: str, since: datetime) -> None:
    (fact,) = [fact for fact in said(text).facts if fact.fact == sentence]
    assert fact.valid_at == since


def test_what_happened_when_something_else_did_has_its_time() -> None:
    found = said("I loved our camping trip last year when we saw the Perseid meteor shower.")
    assert [fact.valid_at for fact in found.facts] == [day(2023)]
    assert sentences(found)[0].endswith("when we saw the Perseid meteor shower")


def test_half_a_bracket_is_left_out() -> None:
    found = said("I'm planning a trip to Rome (with Anna.")
    assert all("(" not in sentence for sentence in sentences(found))


NOISY = [
    "- im here\n* u r\n1. w/ bob w/o him  \U0001f600 nice :) x <3 b4 8) y'all & me - it\n\n**bold**",
    "I\u2019m \u201chi\u201d 'cause can't \u2019cause they're snackin\u2019 cookin' 'embracin' it",
    "3 - I see -- we go - it\n\ta\n  - b\n 2) c __x__",
    "Mmm, soooo good. Plain words only.",
]


@pytest.mark.parametrize("text", NOISY)
def test_looking_only_where_noise_may_begin_finds_all_of_it(text: str) -> None:
    everywhere = [match.span() for match in chat._NOISE.finditer(text)]
    assert [match.span() for match in chat._noise(text)] == everywhere


def test_a_dash_stuck_to_a_word_is_a_dash() -> None:
    assert chat.normalise("I do- Oscar does too", str.islower).text == "I do - Oscar does too"


@pytest.mark.parametrize(
    "label", ["Note 0: ", "note 12: ", "Entry 4 - ", "#5: ", "Memo no. 7. ", ""]
)
def test_the_number_of_a_note_is_no_part_of_it(label: str) -> None:
    """Guide to short-term and long-term memory, the summarization loop: notes that are counted."""
    told = [fact.fact for fact in said(f"{label}I saw 8 elm trees.").facts]
    assert told == ["Jane Smith saw 8 elm trees"]


def test_the_number_of_a_thing_is() -> None:
    """A room, a day or a ticket is what the sentence is about."""
    told = [fact.fact for fact in said("Room 5: the heater is broken.").facts]
    assert told == ["Jane Smith: Room 5: the heater is broken"]
