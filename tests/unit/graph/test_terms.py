"""Text to search terms: words that mean the same meet, words that find nothing are left out."""

import sys
import time
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
import regex
import Stemmer
from hypothesis import given
from hypothesis import strategies as st

from recollect.graph.terms import (
    _ASCII_WORD,
    _RAW_WORD,
    COUNT_BYTES,
    HASH_BYTES,
    STOP_WORDS,
    hashed,
    packed,
    terms,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("The cat AND the Hat", ["cat", "hat"]),
        ("Straße STRASSE", ["strass", "strass"]),
        ("e-mail: jane@example.com", ["e", "mail", "jane", "exampl", "com"]),
        ("\uff21\uff22\uff23 \uff11\uff12\uff13", ["abc", "123"]),
        ("Cafe\u0301 Café", ["café", "café"]),
        ("don't", ["don"]),
        ("snake_case 42", ["snake_cas", "42"]),
        ("東京 tower", ["東京", "tower"]),
        ("Привет МИР", ["привет", "мир"]),
    ],
)
def test_text_becomes_terms(text: str, found: list[str]) -> None:
    """In order, folded, stemmed, without stop words."""
    assert terms(text) == found


@pytest.mark.parametrize(
    "forms", ["work works worked working", "move moved moving", "allergy allergies", "park parks"]
)
def test_forms_of_one_word_meet(forms: str) -> None:
    """Whoever asks seldom uses the form that was said."""
    assert len(set(terms(forms))) == 1


def test_words_of_other_meaning_stay_apart() -> None:
    """A stemmer that cuts too much would find everything."""
    assert len(set(terms("news new work worth marine mare universe"))) == 7


def test_every_thread_stems_alike() -> None:
    """Each has a stemmer of its own."""
    text = "She was running and moved, hoping for happiness " * 50
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(terms, [text] * 64))
    assert found == [terms(text)] * 64


def test_packed_terms_tell_each_term_and_its_count() -> None:
    """In an order that depends on the words alone."""
    blob = packed(["b", "a", "b"])
    assert blob == packed(["b", "b", "a"])
    assert len(blob) == 2 * (HASH_BYTES + COUNT_BYTES)
    hashes = [int.from_bytes(blob[n : n + 8], "little") for n in (0, 8)]
    counts = [int.from_bytes(blob[n : n + 2], "little") for n in (16, 18)]
    assert dict(zip(hashes, counts, strict=True)) == {hashed("a"): 1, hashed("b"): 2}
    assert packed([]) == b""


def test_a_word_said_too_often_to_count_is_counted_as_often_as_can_be() -> None:
    """It does not begin again at nothing."""
    assert packed(["a"] * 70_000)[-COUNT_BYTES:] == b"\xff\xff"


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
    stemmed: list[str] = Stemmer.Stemmer("english").stemWords(
        [word[:64] for word in found if word not in STOP_WORDS]
    )
    return stemmed


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


@given(st.text(st.characters(max_codepoint=127)))
def test_plain_letters_are_cut_like_all_others(text: str) -> None:
    """By an expression of their own, which is faster."""
    assert _ASCII_WORD.findall(text) == _RAW_WORD.findall(text)
