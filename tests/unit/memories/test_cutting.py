"""Long texts are cut where they have a break, and nothing but blank space is lost."""

import pytest

from recollect.episodic_memory.entries import cut


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("short", ["short"]),
        ("One thing. Two.\n\nThree things.", ["One thing. Two.", "Three things."]),
        ("One two three.\nFour five six.", ["One two three.", "Four five six."]),
        ("One two three. Four five six.", ["One two three.", "Four five six."]),
        ("one two three four five six", ["one two three four", "five six"]),
        ("x" * 45, ["x" * 20, "x" * 20, "x" * 5]),
        ("a" + " " * 60 + "b", ["a", "b"]),
    ],
)
def test_the_best_break_is_taken(text: str, expected: list[str]) -> None:
    """A paragraph before a line, a line before a sentence, a sentence before a word."""
    assert cut(text, 20) == expected


def test_every_word_is_in_a_piece_in_its_order() -> None:
    """However long it is."""
    words = [f"word{number}" for number in range(5000)]
    pieces = cut(" ".join(words), 100)
    assert max(map(len, pieces)) <= 100
    assert " ".join(pieces).split() == words
