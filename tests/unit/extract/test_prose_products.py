"""Talk with a company's assistant: whose "your app" is, and one name for one tool. Guide of
generation 2, "Walkthrough"."""

import pytest

from recollect.extract.brief import Turn
from tests.unit.extract.prose_world import said, triples

GREETING = Turn(
    content="Hello Jane, welcome to PaintWiz support. How can I help?",
    role="assistant",
    speaker="SupportBot",
)


def names(*texts: str) -> list[str]:
    """For whom an assistant says it speaks, by the facts of its messages."""
    found = [said(text, role="assistant", speaker="Robo") for text in texts]
    return [target for one in found for _, name, target in triples(one) if name == "SPEAKS_FOR"]


def test_your_app_said_to_support_is_the_product() -> None:
    """What it does is the product's doing."""
    found = said("Your app crashes whenever I save a drawing.", before=(GREETING,))
    (fact,) = found.facts
    assert fact.fact.startswith("PaintWiz")
    assert "crashes whenever Jane Smith saves a drawing" in fact.fact
    assert "PaintWiz" in triples(found)[0]


def test_what_the_product_has_is_the_products_and_the_answer_is_the_assistants() -> None:
    found = said("Your AI art generation is completely broken!", before=(GREETING,))
    assert triples(found) == [("PaintWiz", "STATES", "AI art generation")]
    other = said("Your answer is completely wrong, it cost me 300 dollars.", before=(GREETING,))
    assert not any("PaintWiz" in fact.fact for fact in other.facts)


def test_your_app_said_to_nobody_in_particular_is_the_assistants() -> None:
    """Without a word of whom it speaks for nothing is made up."""
    found = said("Your AI art generation is completely broken!")
    assert {source for source, _, _ in triples(found)} <= {"Assistant", "Jane Smith"}


@pytest.mark.parametrize(
    "greeting",
    [
        "Welcome to Acme Travel support!",
        "Thank you for contacting Acme Travel. How can I help?",
        "Hi, I'm Robo from Acme Travel.",
        "I'm the Acme Travel assistant.",
    ],
)
def test_an_assistant_says_for_whom_it_speaks(greeting: str) -> None:
    assert names(greeting) == ["Acme Travel"]


def test_what_only_sounds_like_it_names_nobody() -> None:
    assert names("Welcome to Berlin!", "Thanks for using our app.", "Welcome to our support.") == []


def test_the_tool_without_its_last_word_is_the_same_tool() -> None:
    before = Turn(content="Whenever I use the magic pen tool, it draws goats.", role="user")
    found = said("I selected the magic pen for the new picture.", before=(before,))
    assert ("Jane Smith", "SELECTED", "magic pen tool") in triples(found)
    alone = said("I selected the magic pen for the new picture.")
    assert ("Jane Smith", "SELECTED", "magic pen") in triples(alone)


SURE = "Sure, I select the magic pen, draw a boat shape, and it just replaces the shape with goats."


def test_a_word_of_consent_is_no_part_of_what_follows() -> None:
    """ "Sure, I select …" answers the support agent."""
    told = [fact.fact for fact in said(SURE).facts]
    assert "Jane Smith selects the magic pen" in told
    assert not any(fact.startswith("Sure") for fact in told)
    (course,) = said("Of course, I work at Globex.").facts
    assert course.fact == "Jane Smith works at Globex"
    assert triples(said("I work at Sure Start, and the office is in Leeds."))[0][2] == "Sure Start"
