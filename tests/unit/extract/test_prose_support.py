"""Which relation, time and pair of entities the words of a clause support; otherwise it is told plainly."""

from datetime import UTC, datetime

import pytest

from recollect.extract.brief import Turn
from tests.unit.extract.prose_world import AT, said, sentences, triples

J = "Jane Smith"


@pytest.mark.parametrize(
    ("text", "triple"),
    [
        # Nobody works at an injury, and where one merely is one takes no part in.
        ("Kofi is out with a torn ligament.", ("Kofi", "IS_OUT_WITH", "torn ligament")),
        ("I rely on my evening walks.", (J, "RELIES_ON", "evening walks")),
        # What is over is not told as being so.
        ("I had a cold.", (J, "HAD", "cold")),
        ("I loved the concert.", (J, "LOVED", "concert")),
        ("We got the wrong key.", (J, "GOT", "key")),
        # A noun without an article is no kind of thing.
        ("I'm game for baking new bread.", (J, "STATES", "game")),
        # Who "us" are is not known: a firm, a family.
        ("Tom left us before Easter.", ("Tom", "STATES", J)),
        # What somebody reports is no plan of his own.
        ("Mia says the shop closes on Friday.", ("Mia", "STATES", "shop")),
        # The particle is part of the verb, and the tagger's lemma must be a verb's.
        ("I rolled back the update.", (J, "ROLLED_BACK", "update")),
        # Who is about to move does not live there.
        ("I'm moving to Bergen.", (J, "MOVES_TO", "Bergen")),
        # Whether it is the outer verb that is denied, or the inner one, makes another sense.
        ("Rolf pretends not to see the hole.", ("Rolf", "STATES", "hole")),
        ("I can't stop thinking about the screen.", (J, "STATES", "screen")),
        # A number is somebody's age only if it is somebody.
        ("The target is 20.", (J, "STATES", "target")),
        # A toy that is called a dog is no pet.
        ("I have a toy cat.", (J, "HAS", "toy cat")),
    ],
)
def test_a_relation_is_earned_by_the_verb(text: str, triple: tuple[str, str, str]) -> None:
    assert triple in triples(said(text))


def test_an_entity_beside_the_relation_makes_it_general() -> None:
    found = said("The school is old and it's a long way from our flat in Rome.")
    assert not any(name.startswith("IS_") for _, name, _ in triples(found))


@pytest.mark.parametrize(
    "text",
    ["I adore it.", "I'm working on business plans now.", "I wanted to share my love for tea."],
)
def test_a_taste_or_plan_is_the_verbs(text: str) -> None:
    assert not {"PREFERS", "PLANS"} & {name for _, name, _ in triples(said(text))}


def test_who_has_a_name_is_not_called_otherwise() -> None:
    found = sentences(said("Theo got a toy dinosaur, he's called Spike."))
    assert not any("Theo is called" in one for one in found)


def test_before_a_person_s_is_has() -> None:
    found = sentences(said("Ana's helped me to find a flat."))
    assert found
    assert not any("Ana is helped" in one for one in found)


def test_a_pronoun_is_no_part_of_what_it_stands_for() -> None:
    (fact,) = said("I cook for people who lost their homes.").facts
    assert fact.fact == "Jane Smith cooks for people who lost their homes"


def test_no_word_is_said_twice() -> None:
    found = sentences(said("I got a cat. I called her Mokka, she sleeps in the hall."))
    assert not any("Mokka Mokka" in one for one in found)


def test_a_dash_is_not_left_out() -> None:
    (fact,) = said("I had a scare recently - another flat tyre on the bridge.").facts
    assert "recently - another" in fact.fact


def test_a_title_is_no_first_name() -> None:
    found = said("For my cake I take four eggs.", speaker="Aunt Vera", user=None)
    assert sentences(found) == ["For Aunt Vera's cake Aunt Vera takes four eggs"]


@pytest.mark.parametrize(
    "text",
    [
        "It bakes for 40 minutes at 175 degrees, and I never use margarine.",
        "The Thursday class moves to the small hall.",
        "My parents join us two days later.",
    ],
)
def test_a_time_that_does_not_say_since_when_bounds_nothing(text: str) -> None:
    found = said(text).facts
    assert {(fact.valid_at, fact.invalid_at, fact.event_at) for fact in found} == {(AT, None, None)}


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("The start date is 1 September.", datetime(2024, 9, 1, tzinfo=UTC)),
        ("I'll never forget the storm last year.", datetime(2023, 1, 1, tzinfo=UTC)),
        ("The shoes I bought yesterday hurt my feet.", datetime(2024, 3, 13, tzinfo=UTC)),
    ],
)
def test_the_time_of_something_else_is_that_of_an_event(text: str, day: datetime) -> None:
    (fact,) = said(text).facts
    assert (fact.valid_at, fact.event_at) == (AT, day)


@pytest.mark.parametrize(
    ("text", "torn"),
    [
        ("There's a man in Kiel who sells, I kid you not, fog.", "who sells"),
        ("Music gives me peace, but so does walking by the sea with friends.", "with friends"),
        ("My sister does my books now, she'd scold me otherwise.", "would scold Jane otherwise"),
        ("Given the snow comes soon, buy salt and sand.", "Given the snow comes soon"),
        ("I'm gonna ask Jo, get help and go on.", "Jane Smith: I get help and go on"),
        ("She sits with Rolf while I write.", "Jane Smith writes"),
    ],
)
def test_no_clause_is_torn_off(text: str, torn: str) -> None:
    assert not any(one.endswith(torn) for one in sentences(said(text)))


def test_a_verb_under_a_heading_keeps_its_subject() -> None:
    found = sentences(
        said(
            "News: Judith retires in May, a year early, has asked Rolf to lead and has sold her boat."
        )
    )
    assert not any(one.startswith("Jane Smith: has") for one in found)


@pytest.mark.parametrize(
    "text",
    [
        "I entered the quiz, and turns out I'm quick!",
        "Packing the van with Rolf, my lease ends.",
        "Petra sold the boat she's over in Kiel now.",
    ],
)
def test_what_the_parser_guesses_is_quoted(text: str) -> None:
    assert all(one.startswith("Jane Smith: ") for one in sentences(said(text)))


def test_what_is_said_after_a_statement_is_no_answer() -> None:
    before = (Turn(content="Who waters the plants?", role="assistant"),)
    found = said("I asked Petra about it, she has the keys. Nothing agreed.", before=before)
    assert not any("asked" in one and "Nothing" in one for one in sentences(found))


def test_a_letters_greeting_at_the_end_is_no_fact() -> None:
    text = "Hi Oskar,\n\nI've attached the contract.\n\nBest,\nJane"
    assert sentences(said(text)) == ["Jane Smith has attached the contract"]


def test_what_an_assistant_would_do_is_no_fact() -> None:
    assert said("I'd put aside a quarter of it.", role="assistant", speaker="Ledger").facts == ()


def test_a_misread_verb_names_no_entity() -> None:
    assert "i absolutley love tea" not in {
        entity.name.casefold() for entity in said("I absolutley love tea.").entities
    }
