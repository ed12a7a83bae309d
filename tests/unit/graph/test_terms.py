"""Text to search terms: words that mean the same meet, words that find nothing are left out."""

import pytest

from recollect.graph.terms import STOP_WORDS, terms


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("The cat AND the Hat", ["cat", "hat"]),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("e-mail: jane@example.com", ["e", "mail", "jane", "example", "com"]),
        ("\uff21\uff22\uff23 \uff11\uff12\uff13", ["abc", "123"]),
        ("Cafe\u0301 Café", ["café", "café"]),
        ("don't", ["don", "t"]),
        ("snake_case 42", ["snake_case", "42"]),
        ("東京 tower", ["東京", "tower"]),
        ("Привет МИР", ["привет", "мир"]),
    ],
)
def test_text_becomes_terms(text: str, found: list[str]) -> None:
    """In order, folded, without stop words."""
    assert terms(text) == found


@pytest.mark.parametrize("word", ["हिन्दी", "தமிழ்", "ไทย", "বাংলা"])
def test_a_word_of_any_script_is_one_term(word: str) -> None:
    """Vowel signs and other marks belong to their word; they do not cut it to pieces."""
    assert len(terms(word)) == 1


def test_a_term_has_a_bound() -> None:
    """Endless words are cut, so that an index row stays an index row."""
    (term,) = terms("x" * 10_000)
    assert 0 < len(term) <= 64


def test_stop_words_are_folded_themselves() -> None:
    """A stop word that does not survive folding would stop nothing."""
    assert all(word == word.casefold() for word in STOP_WORDS)
    assert terms(" ".join(sorted(STOP_WORDS))) == []
