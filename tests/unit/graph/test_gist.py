"""The gist of a sentence: what makes two sentences the same, and what does not."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.graph.gist import _ASCII_WORD, _WORD, gist, opposite, words


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Ann lives in Paris", "Ann is living in Paris"),
        ("Ann lives in Paris", "In Paris, Ann lived."),
        ("Ann studies physics", "Ann studied physics"),
        ("Ann really likes dogs", "Ann likes dogs"),
        ("Ann has two dogs", "Ann has 2 dogs"),
        ("Ann doesn't like tea", "Ann does not like tea"),
        ("Ann never runs", "Ann does not run"),
        ("Ann paid 3,000", "Ann paid 3000"),
    ],
)
def test_the_same_in_other_words_has_the_same_gist(one: str, two: str) -> None:
    """Order, tense, number of a noun, small words."""
    assert gist(one) == gist(two)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Ann likes tea", "Ann does not like tea"),
        ("Ann has 2 dogs", "Ann has 3 dogs"),
        ("Ann met Bob on 5 May", "Ann met Bob on 6 May"),
        ("Ann likes tea", "Ann likes green tea"),
        ("Ann is 30", "Ann is 30.5"),
    ],
)
def test_another_statement_has_another_gist(one: str, two: str) -> None:
    """Negation, numbers, dates, qualifiers."""
    assert gist(one) != gist(two)


def test_the_opposite_is_the_gist_of_the_denial_both_ways() -> None:
    """So that a denial is found by what it denies."""
    assert opposite("Ann smokes") == gist("Ann does not smoke")
    assert opposite("Ann does not smoke") == gist("Ann smokes")


@given(st.text(max_size=400))
def test_a_gist_is_bounded_and_says_something_if_the_text_does(text: str) -> None:
    """A key that can be indexed."""
    assert len(gist(text)) <= 200
    assert bool(gist(text)) == bool(text.split()) or not gist(text).strip()
    assert words(text) == words(text)


def test_long_sentences_are_told_apart() -> None:
    """The digest is of all words."""
    long = " ".join(f"word{'abcdefghij'[n % 10] * (n + 1)}" for n in range(40))
    assert gist(long) != gist(long + " extra")
    assert gist(long + " cat dog") == gist(long + " dog cat")


@given(st.text(st.characters(max_codepoint=127)))
@example("It's 3.5% of $1,000 on 2024-05-01, isn't it? 'Tis 10:30.")
def test_plain_letters_are_cut_like_all_others(text: str) -> None:
    """By an expression of their own, which is faster."""
    assert _ASCII_WORD.findall(text) == _WORD.findall(text)
