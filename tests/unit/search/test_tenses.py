"""What was, what is and what will be: by the plainest words of a question."""

import pytest

from recollect.search.times import tense_of


@pytest.mark.parametrize(
    "text",
    [
        "Is the doorbell muted at nap time?",
        "Where is the archive hosted?",
        "In which town is Harbour Mills registered?",
        "What is the approved budget?",
        "Which firm is she employed by?",
        "Is Anna Berg married?",
    ],
)
def test_a_state_is_asked_for_in_the_present(text: str) -> None:
    """Its participle looks like a past."""
    assert tense_of(text) == "present"


@pytest.mark.parametrize(
    "text",
    [
        "What is the book she recommended?",
        "What is the book that Anna recommended?",
        "What is the song Anna Berg played?",
        "Who is the man I met in Paris?",
        "Was the doorbell muted?",
        "Which roof did he mend?",
    ],
)
def test_what_somebody_did_is_past(text: str) -> None:
    """Also behind an "is"."""
    assert tense_of(text) == "past"
