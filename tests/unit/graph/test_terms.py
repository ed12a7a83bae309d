"""Text to search terms: words that mean the same meet, words that find nothing are left out."""

import sys
import time
import unicodedata

import pytest
import regex

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


def whole(text: str) -> list[str]:
    """The same by folding the whole text at once: plain, and slow on hostile text."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    found = regex.findall(r"[\p{L}\p{M}\p{N}_]+", folded)
    return [word[:64] for word in found if word not in STOP_WORDS]


@pytest.mark.parametrize(
    "text",
    [
        "\uff21\uff22\uff23\u3000\uff11\uff12\uff13\uff3f\uff58\uff0c\uff59",
        "ﬁne oﬃce ﬂag ĳs",
        "5㎏ of ½ cup at 20℃, №7 by Acme™ ㈱",
        "ⓐⓑⓒ 🄰🄱 a😀b 東京\uff0c大阪。",
        "don\xb4t ¨ x\xb8y ₨ ﷺ ﷼",
        "Cafe\u0301 Việt Nam Vie\u0323\u0302t Nam",
        "\u1112\u1161\u11ab\u1100\u1173\u11af 한글",
        "ΣΊΣΥΦΟΣ İstanbul ŉ ǰ",
        "=" * 600 + "title" + "-" * 600 + "next",
        "😀" * 600 + "smile",
        "x" * 100 + " " + "e\u0301" * 100 + " " + "ﷺ" * 5,
    ],
)
def test_folding_word_by_word_is_folding_the_text(text: str) -> None:
    """Wide, joined, circled and decomposed forms meet the plain ones, as they always did."""
    assert terms(text) == whole(text)


def test_every_character_is_folded_inside_its_word() -> None:
    """Also those that are no letters until they are folded."""
    found = [chr(n) for n in range(sys.maxunicode + 1) if not 0xD800 <= n < 0xE000]
    changing = [c for c in found if not unicodedata.is_normalized("NFKC", c)]
    assert len(changing) > 4_000
    differing = [c for c in changing if terms(f"x{c}y") != whole(f"x{c}y")]
    assert differing == []


@pytest.mark.parametrize(
    "text",
    [
        "\u0301" * 5_000 + "\u0334" * 5_000,
        "a" + "\u0301\u0334" * 5_000,
        "\u0301\u0334 " * 3_000,
        "ﷺ" * 10_000,
    ],
)
def test_no_text_is_dear(text: str) -> None:
    """Putting ten thousand marks in order takes hundreds of milliseconds: words are cut first."""
    spent = []
    for _ in range(3):
        began = time.perf_counter()
        assert all(0 < len(term) <= 64 for term in terms(text))
        spent.append(time.perf_counter() - began)
    assert min(spent) < 0.05
