"""Class, question and summary of a session."""

from collections.abc import Callable, Sequence

import pytest

from recollect.errors import InvalidInput
from recollect.extract.brief import Turn
from recollect.extract.sessions import classify_text, summarize, synthesize_question
from recollect.models import embedder
from recollect.models.embedder import Vectors
from recollect.settings import Settings


@pytest.fixture(scope="module")
def embed() -> Callable[[Sequence[str]], Vectors]:
    return embedder.load(Settings().models).passages


def _turns(*said: str) -> list[Turn]:
    """Turns of the user, and of the assistant where the text begins with a bar."""
    return [
        Turn(content=text.lstrip("| "), role="assistant", speaker="Helper")
        if text.startswith("|")
        else Turn(content=text, role="user", speaker="John")
        for text in said
    ]


@pytest.mark.parametrize(
    ("text", "classes", "instruction", "expected"),
    [
        ("I want my money back, the charge is wrong.", ("billing", "technical_support", "sales"), None, "billing"),
        ("The app crashes whenever I open it.", ("billing", "technical_support", "sales"), None, "technical_support"),
        ("Which plan should I buy for ten people?", ("billing", "technicalSupport", "sales"), None, "sales"),
        ("I am so glad, this made my day!", ("happy", "angry", "sad"), "Classify the mood of the user", "happy"),
        ("This is outrageous, I have waited for three hours!", ("happy", "angry"), "Classify the mood of the user", "angry"),
        ("Let's fly to Rome in May.", ("travel", "cooking", "sports"), None, "travel"),
        ("How long do I bake the bread?", ("travel", "cooking", "sports"), None, "cooking"),
    ],
)  # fmt: skip
def test_a_text_gets_the_nearest_class(
    embed: Callable[[Sequence[str]], Vectors],
    text: str,
    classes: tuple[str, ...],
    instruction: str | None,
    expected: str,
) -> None:
    assert classify_text(text, classes, instruction, embed) == expected


def test_a_text_cannot_be_classified_without_classes(
    embed: Callable[[Sequence[str]], Vectors],
) -> None:
    with pytest.raises(InvalidInput, match="classes"):
        classify_text("Hello", (), None, embed)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (("I was at Blue Door yesterday.", "When does it open?"), "When does Blue Door open?"),
        (
            ("Where can I eat?", "| How about Panera Bread, Chipotle, or Green Leaf Cafe?", "Do any of those have vegetarian options?"),
            "Do any of Panera Bread, Chipotle or Green Leaf Cafe have vegetarian options?",
        ),
        (("My sister Emma moved.", "What is her address?"), "What is Emma's address?"),
        (("Tell me about the Louvre.", "How do I get there?"), "How do I get to Louvre?"),
        (("How warm is it in London?", "| 20 degrees.", "And in Paris?"), "How warm is it in London? And in Paris?"),
        (("We met in Rome.", "Is it possible to pay by card?"), "Is it possible to pay by card?"),
        (("What is a monad?",), "What is a monad?"),
        (("I like tea.", "| Noted."), "What is worth knowing, given that John likes tea?"),
        (("I like tea.", "Thanks!"), "What is worth knowing, given that John likes tea?"),
        (("Thanks!",), ""),
        (("My dishwasher leaks water every night.",), "What can be done, given that John's dishwasher leaks water every night?"),
        (("I bought a kettle from you.", "| How can I help?", "It does not heat."), "What can be done, given that the kettle does not heat?"),
        (("Hi, I'm John Smith. I have a boat.", "It leaks. I'm worried."), "What can be done, given that the boat leaks?"),
        (("I'd like to learn Spanish before my trip.",), "How can John learn Spanish before John's trip?"),
        (("I want a gas range for our kitchen.",), "How can John get a gas range for John's kitchen?"),
        (("Please send me an invoice for May.",), "How can one send John an invoice for May?"),
        (("Tell me more about the Louvre.",), "What is there to know about the Louvre?"),
        (
            ("Take me to a lunch place", "| How about Chipotle or Green Leaf Cafe?", "Let\u2019s go to Green Leaf Cafe"),
            "How can John go to Green Leaf Cafe?",
        ),
        (("We are remodelling our kitchen in Leeds.",), "What is worth knowing, given that John is remodelling John's kitchen in Leeds?"),
        (("I went to Blue Door.", "| Nice.", "It was closed."), "What is worth knowing, given that Blue Door was closed?"),
        (("| Is it late?",), ""),
        ((), ""),
    ],
)  # fmt: skip
def test_a_question_can_be_understood_alone(said: tuple[str, ...], expected: str) -> None:
    assert synthesize_question(_turns(*said)) == expected


def test_a_summary_is_short_in_order_and_in_the_third_person(
    embed: Callable[[Sequence[str]], Vectors],
) -> None:
    turns = _turns(
        "Hi!",
        "I'm training for a marathon in Boston.",
        "| Great, how can I help?",
        "I was injured at the knee while training for my last marathon.",
        "I love my running club, and you would too.",
    )
    got = summarize(turns, 200, embed)
    assert len(got) <= 200
    assert "John is training for a marathon in Boston." in got
    assert got.index("Boston") < got.index("knee")
    assert "their last marathon" in got
    assert "Hi" not in got
    assert "?" not in got


def test_a_sentence_that_is_not_simple_is_quoted(
    embed: Callable[[Sequence[str]], Vectors],
) -> None:
    got = summarize(_turns("I love my running club, and you would too."), 200, embed)
    assert got == "John said: \u201cI love my running club, and you would too.\u201d"


def test_facts_are_summed_up_without_saying_one_twice(
    embed: Callable[[Sequence[str]], Vectors],
) -> None:
    facts = ["John likes tea", "John likes tea.", "John works at Acme"]
    assert summarize(facts, 500, embed) == "John likes tea. John works at Acme."


@pytest.mark.parametrize("chars_max", [0, 1, 5, 30])
def test_a_summary_never_exceeds_its_bound(
    embed: Callable[[Sequence[str]], Vectors], chars_max: int
) -> None:
    facts = ["John Doe works at Acme Corporation in Boston as an engineer"]
    assert len(summarize(facts, chars_max, embed)) <= chars_max


def test_nothing_said_is_an_empty_summary(embed: Callable[[Sequence[str]], Vectors]) -> None:
    assert summarize(_turns("Hi!", "Ok?"), 100, embed) == ""
