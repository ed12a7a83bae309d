"""What only asks tells nothing."""

import pytest

from recollect.graph.terms import QUESTION_CHARS_MAX, words_asked


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Where do I live?", 1),
        ("Hi! Where do I live? And since which year?", 3),
        ("Where do I live?!", 1),
        ("I live in Lisbon.", 0),
        ("I moved to Lisbon. Do you know it?", 0),
        ("Do you know Lisbon? I moved there in May.", 0),
        ("", 0),
        ("?", 0),
        ("Is it far" + " and far" * QUESTION_CHARS_MAX + "?", 0),
    ],
)
def test_a_question_is_told_from_a_remark_with_a_question(text: str, expected: int) -> None:
    """A greeting beside it does not count."""
    assert words_asked(text) == expected
