"""Names in running text: equal letters are not enough, and plain sentences are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.graph import name_mentions, names
from recollect.graph.name_mentions import NamedText


def hears(text: str, name: str, *, person: bool = True) -> bool:
    """Whether *name* is found in *text*."""
    said = NamedText(text)
    wanted = names.keys(name)[0]
    found = said.phrases(frozenset(said.first_keys()))
    return any(
        one.key == wanted and name_mentions.is_name(one, name, person=person) for one in found
    )


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Someone broke Paul's guitar.", "Paul"),
        ("Someone broke Paul's guitar.", "guitar"),
        ("What about the jazz?", "jazz"),
        ("According to Paul, rain is coming.", "Paul"),
        ("Jazz, again!", "jazz"),
        ("hi paul how are you", "Paul"),
        ("Did Paul call?", "Paul"),
        ("Tell Paul I said hello.", "Paul"),
        ("Mr. Paul is here.", "Paul"),
        ("Paul \u2014 of all people.", "Paul"),
        ("(Paul)", "Paul"),
        ("He moved to St. Gallen last year.", "St. Gallen"),
        ("any news on project alpha?", "Project Alpha"),
        ("Nothing beats the Green Leaf Cafe!", "Green Leaf Cafe"),
        ("Mail paul@example.com about it.", "paul@example.com"),
        ("Ask May about it.", "May"),
        ("Where is Will?", "Will"),
        ("Will's boat leaks.", "Will"),
        ("The work is hard.", "work"),
        ("Is C++ still a thing?", "C++"),
    ],
)
def test_a_name_is_heard_in_plain_words(text: str, name: str) -> None:
    """Questions, small talk and asides as much as statements."""
    assert hears(text, name)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Will you come?", "Will"),
        ("I will come.", "Will"),
        ("will someone come", "Will"),
        ("May I?", "May"),
        ("See you in May.", "May"),
        ("On May 5 we leave.", "May"),
        ("Mark the date.", "Mark"),
        ("It was a green day.", "Green Day"),
        ("I met Paul Simon.", "Paul"),
        ("We heard Sean Paul.", "Paul"),
        ("The Utah Jazz won.", "jazz"),
        ("I work at Globex.", "work"),
        ("She wants to work.", "work"),
        ("The paulownia blooms.", "Paul"),
        ("Paul. Simon came later.", "Paul Simon"),
        ("Paul, Simon and I.", "Paul Simon"),
        ("The a of it", "a"),
    ],
)
def test_a_word_that_only_looks_like_a_name_is_none(text: str, name: str) -> None:
    """Verbs, months, other people's names, and parts of words."""
    assert not hears(text, name)


def test_an_entity_that_is_a_month_is_meant_by_the_month() -> None:
    """Only a person is not."""
    assert hears("See you in May.", "May", person=False)


@given(st.text(max_size=300))
def test_any_text_can_be_asked(text: str) -> None:
    """No text fails, and everything that is heard stands in it."""
    said = NamedText(text)
    for one in said.phrases(frozenset(said.first_keys())):
        assert all(word in text for word in one.text.split())
        assert one.key
        name_mentions.is_name(one, one.text or "x", person=True)


@given(
    st.sampled_from(["Paul", "Green Leaf Cafe", "jazz", "Zoë", "O'Brien"]), st.text("xyz .,\n!?")
)
def test_a_name_on_a_line_of_its_own_is_heard(name: str, around: str) -> None:
    """Whatever stands before and after it."""
    assert hears(f"{around}\n{name}\n{around}", name)
