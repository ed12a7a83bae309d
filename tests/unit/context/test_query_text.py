"""What the newest messages of a thread look for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.context.gather import query_text
from tests.unit.context.items import an_episode


def test_the_newest_message_comes_first_and_nobody_is_named() -> None:
    """Names of speakers pull a search towards everything they ever said."""
    newest = [an_episode(1, "Where is\nmy cat?"), an_episode(2, "Which one?", speaker="Bot")]
    assert query_text(newest) == "Which one?\nWhere is my cat?"


@pytest.mark.parametrize(
    "said", ["Hi", "hello!", "Hey, how are you?", "Good morning", "Thanks :)", "👋", " "]
)
def test_small_talk_looks_nothing_up(said: str) -> None:
    """There is nothing in it to search for."""
    assert query_text([an_episode(1, said)]) == ""
    assert query_text([]) == ""


def test_a_greeting_beside_a_question_does_no_harm() -> None:
    """One message with a matter is enough."""
    newest = [an_episode(1, "Hi"), an_episode(2, "Book a table at Luigi's")]
    assert query_text(newest) == "Book a table at Luigi's\nHi"


def test_a_name_in_a_greeting_is_a_matter() -> None:
    """Whoever is greeted by name can be looked up."""
    assert query_text([an_episode(1, "Hi Emily")]) == "Hi Emily"


def test_a_long_message_keeps_its_beginning_and_its_end() -> None:
    """The question may stand on either side of what was pasted."""
    text = query_text([an_episode(1, f"Summarise {'blah ' * 3_000} for Anna")], 100)
    assert text.startswith("Summarise blah")
    assert text.endswith("blah for Anna")


def test_the_newest_message_has_the_first_call_on_the_room() -> None:
    """An older one gets what is left of it."""
    older, newer = an_episode(1, "old " * 100), an_episode(2, "new " * 20)
    text = query_text([older, newer], 120)
    assert text.count("new") == 20
    assert 0 < text.count("old") < 100


@given(st.lists(st.text(max_size=300), max_size=5), st.integers(1, 400))
def test_a_query_is_never_longer_than_its_room(said: list[str], room: int) -> None:
    """Whatever is in the messages."""
    assert len(query_text([an_episode(n, text) for n, text in enumerate(said)], room)) <= room
