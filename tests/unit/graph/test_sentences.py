"""Sentences, dates and lists in words."""

from datetime import UTC, datetime

import pytest

from recollect.graph.summary import clause, day, listing, sentence, span


def test_a_sentence_is_one_line_with_one_stop() -> None:
    """Whatever it came with."""
    assert sentence("Jane\n  runs") == "Jane runs."
    assert sentence("Really?") == "Really?"
    assert clause("Jane runs.") == "Jane runs"


def test_dates_are_words_and_one_day_is_told_once() -> None:
    """Not in the language of the machine."""
    first, last = datetime(2024, 3, 1, 5, tzinfo=UTC), datetime(2024, 12, 31, 7, tzinfo=UTC)
    assert day(first) == "1 March 2024"
    assert span(first, last) == "from 1 March 2024 to 31 December 2024"
    assert span(first, first.replace(hour=9)) == "on 1 March 2024"


@pytest.mark.parametrize(
    ("names", "most", "told"),
    [
        ([], 3, ""),
        (["a"], 3, "a"),
        (["a", "b"], 3, "a and b"),
        (["a", "b", "c"], 3, "a, b and c"),
        (["a", "b", "c", "d"], 3, "b, c, d and 1 more"),
    ],
)
def test_names_are_joined_as_in_a_sentence(names: list[str], most: int, told: str) -> None:
    """The earliest are only counted when there are too many."""
    assert listing(names, most) == told
