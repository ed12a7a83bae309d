"""Facts keep to the words: how clauses are cut, told in the speaker's words, and held against them."""

import time
from collections.abc import Collection

import pytest

from recollect.extract.brief import Turn
from recollect.extract.prose.faithful import Source
from recollect.extract.prose.units import units
from recollect.models import parser
from recollect.settings import Settings
from tests.unit.extract.prose_world import said, sentences, triples, written

J = "Jane Smith"


def _source(text: str, names: Collection[str] = (J,)) -> Source:
    return Source(list(parser.load(Settings().models)(text)), (), names)


FAITHFUL = [
    ("I live in Oslo.", "Jane Smith lives in Oslo"),
    ("I live in Oslo and teach Latin.", "Jane Smith teaches Latin"),
    ("I like tea, pottery and chess.", "Jane Smith likes chess"),
    ("We are working on Project Alpha and Project Beta.", "Jane Smith is working on Project Beta"),
    ("I use the lawn mower and the hedge trimmer.", "Jane Smith uses the hedge trimmer"),
    ("Been working on a book and painting a wall.", "Jane Smith has been painting a wall"),
    ("My number is 555-123-4567.", "Jane Smith's number is 555-123-4567"),
    ("I can't eat nuts.", "Jane Smith cannot eat nuts"),
]
UNFAITHFUL = [
    # Words of its own, words in another order, words left out in the middle.
    ("I live in Oslo.", "Jane Smith resides in Oslo"),
    ("I told Anna that Bob left.", "Bob told Anna that Jane Smith left"),
    ("Anna left Bob in Rome.", "Bob left Anna in Rome"),
    ("I saw the film about Rome with Anna.", "Jane Smith saw Rome with Anna"),
    ("I never wanted to sell the house.", "Jane Smith sold the house"),
    ("I bought a car and sold a house.", "Jane Smith bought a house"),
]


@pytest.mark.parametrize(("text", "fact"), FAITHFUL)
def test_a_fact_that_keeps_to_the_words_passes(text: str, fact: str) -> None:
    assert _source(text).told(fact)


@pytest.mark.parametrize(("text", "fact"), UNFAITHFUL)
def test_a_fact_that_does_not_keep_to_the_words_fails(text: str, fact: str) -> None:
    assert _source(text).told(fact) is None


def test_a_clause_is_told_whole_if_nearly_all_of_it_and_every_verb_is() -> None:
    source = _source("Tom gave me his lovely old bike and I repaired it")
    part = source.told("Tom gave Jane Smith his lovely old bike")
    assert part
    assert not source.tells(part)
    assert source.tells(source.carrying)


UNITS = [
    ("I live in Oslo, but my sister lives in Rome.", ["I live in Oslo", "my sister lives in Rome"]),
    ("I live in Oslo and work at Equinor.", ["I live in Oslo and work at Equinor"]),
    ("I moved because I got a job in Rome.", ["I moved because I got a job in Rome"]),
    ("I think that Anna lives in Rome.", ["I think that Anna lives in Rome"]),
    ("Anna said she moved to Oslo.", ["Anna said she moved to Oslo"]),
    ("I think so", ["I think so"]),
    ("By the way, I live in Oslo.", ["I live in Oslo"]),
    ("So far I have read two books.", ["So far I have read two books"]),
    ("Remember that I use a Pixel 9.", ["I use a Pixel 9"]),
    ("I wanted to let you know that I live in Oslo.", ["I live in Oslo"]),
    ("Remember to call me.", ["Remember to call me"]),
]


@pytest.mark.parametrize(("text", "expected"), UNITS, ids=[text for text, _ in UNITS])
def test_only_clauses_that_stand_beside_each_other_are_cut_apart(
    text: str, expected: list[str]
) -> None:
    found = units(parser.load(Settings().models)(text)[:])
    told = ["".join(token.text_with_ws for token in unit).strip(" .") for unit in found]
    assert told == expected


TOLD = [
    ("User is allergic to penicillin", "Jane Smith is allergic to penicillin"),
    ("Remember that I use a Pixel 9.", "Jane Smith uses a Pixel 9"),
    ("Please remember that I'm vegetarian.", "Jane Smith is vegetarian"),
    ("Don't forget that I live in Oslo.", "Jane Smith lives in Oslo"),
    # No subject, no verb, nobody whom a pronoun stands for: a quotation.
    ("Lives in Berlin", "Jane Smith: Lives in Berlin"),
    ("No calls after 16:00", "Jane Smith: No calls after 16:00"),
    ("She works at Fiat.", "Jane Smith: She works at Fiat"),
]


@pytest.mark.parametrize(("text", "sentence"), TOLD, ids=[text for text, _ in TOLD])
def test_a_clause_is_told_so_that_it_can_be_understood_alone(text: str, sentence: str) -> None:
    assert sentences(said(text)) == [sentence]


@pytest.mark.parametrize(
    ("text", "triple"),
    [
        ("Please remember that I live in Oslo.", (J, "LIVES_IN", "Oslo")),
        ("User is allergic to penicillin", (J, "ALLERGIC_TO", "penicillin")),
        ("I have an appointment with Dr. Weber.", (J, "HAS_APPOINTMENT_WITH", "Dr. Weber")),
        ("I told Anna that I quit my job.", (J, "QUIT", J)),
    ],
)
def test_the_relation_stays_whatever_the_words(text: str, triple: tuple[str, str, str]) -> None:
    assert triples(said(text)) == [triple]


def test_a_note_without_a_speaker_is_told_as_it_stands() -> None:
    assert sentences(written("Lives in Berlin")) == ["Lives in Berlin"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "Dentist with Dr. Weber next Tuesday",
            "Dentist with Dr. Weber next Tuesday (19 March 2024)",
        ),
        ("Dentist tomorrow at 9:00", "Dentist tomorrow at 9:00 (15 March 2024)"),
        ("Dentist on 3 May 2024", "Dentist on 3 May 2024"),
    ],
)
def test_a_date_stands_in_brackets_behind_the_words_for_it(text: str, told: str) -> None:
    assert sentences(said(text)) == [f"Jane Smith: {told}"]


def test_an_answer_is_told_with_its_question() -> None:
    before = (Turn(content="Nice. Where do you work?", role="assistant"),)
    assert sentences(said("At Google", before=before)) == [
        'Jane Smith (asked "Where do you work?"): At Google'
    ]


def test_a_question_is_no_answer() -> None:
    before = (Turn(content="How about Panera Bread or Chipotle?", role="assistant"),)
    assert said("Do any of those have vegetarian options?", before=before).facts == ()


def test_a_mother_in_law_is_no_mother() -> None:
    found = said("My mother in law Ingrid lives in Bergen.")
    assert all(fact.name != "HAS_MOTHER" for fact in found.facts)
    assert any("mother-in-law" in sentence for sentence in sentences(found))


def test_several_relations_with_the_same_words_are_one_fact() -> None:
    assert len(said("I work as an engineer at Acme in Berlin.").facts) == 1


POISON = {
    "one word": "word " * 2000,
    "brackets": ")." * 5000,
    "no pauses": ("i went to the shop and then we saw anna and she said hi " * 400)[:20_000],
    "one letter": "a" * 20_000,
    "a list": "I like " + ", ".join(["tea"] * 2000),
    "nested": "he said that " * 1200,
}


@pytest.mark.parametrize("text", POISON.values(), ids=POISON.keys())
def test_the_work_grows_with_the_text_and_no_faster(text: str) -> None:
    said("I live in Oslo.")  # loads the models
    began = time.process_time()
    said(text)
    assert time.process_time() - began < 15
