"""Text to search terms, and texts that consist of questions only."""

import hashlib
import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

import regex
import Stemmer

from recollect.graph.gist import listed

# Marks belong to their word: without them, many scripts would fall apart into letters.
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}_]+")
# The characters of a word before folding. They include signs that fold into letters or marks, such as
# the sign for kilogram, a circled letter, a spacing accent or a wide underscore.
_RAW_WORD = regex.compile(
    r"[\p{L}\p{M}\p{N}\p{Pc}\xa8\xaf\xb4\xb8\u02d8-\u02dd\u0384\u0385\u1fbd-\u1ffe\u2017\u203e"
    r"\u20a8\u2100-\u213b\u249c-\u24e9\u2adc\u2e9f-\u2fd5\u309b\u309c\u3196-\u33ff\ufdfc"
    r"\ufe33-\ufe4f\uffe3\U0001d15e-\U0001d1c0\U0001f110-\U0001f251]+"
)
_ASCII_WORD = re.compile(r"[A-Za-z0-9_]+")  # the same, where there is nothing else
_TERM_CHARS_MAX = 64
_WORDS_REMEMBERED = 16_384
# A character of a term may be spelt as a letter and some marks.
_RAW_CHARS_MAX = 8 * _TERM_CHARS_MAX

# Words that occur everywhere and find nothing.
STOP_WORDS = listed(
    """
    a about after all also am an and any are as at be because been before being both but by can
    could d did do does during each for from had has have having he her here hers him his how i
    if in into is it its just ll m me more most my no nor not now of on only or other our out
    over own re s same she should so some such t than that the their them then there these they
    this those to too us ve very was we were what when where which while who whom whose why will
    with would you your yours
    """
)


class _Stemmers(threading.local):
    """A stemmer for each thread, as one cannot be shared."""

    def __init__(self) -> None:
        self.english = Stemmer.Stemmer("english", 50_000)


_stemmers = _Stemmers()


def terms(text: str) -> list[str]:
    """The terms of *text* in order, folded so that spellings and forms of one word are equal.

    Words are cut and then folded one by one, because ordering combining marks takes quadratic time.
    """
    found: list[str] = []
    for raw in (_ASCII_WORD if text.isascii() else _RAW_WORD).findall(text):
        found += _folded(raw[:_RAW_CHARS_MAX])
    stemmed: list[str] = _stemmers.english.stemWords(found)
    return stemmed


@lru_cache(maxsize=_WORDS_REMEMBERED)
def _folded(raw: str) -> tuple[str, ...]:
    """The terms of a word: usually one, none for a stop word."""
    folded = unicodedata.normalize("NFKC", raw).casefold()
    return tuple(word[:_TERM_CHARS_MAX] for word in _WORD.findall(folded) if word not in STOP_WORDS)


# Packed terms: the hashes of the distinct ones, then how often each occurs.
HASH_BYTES = 8
COUNT_BYTES = 2
_COUNT_MAX = 2 ** (8 * COUNT_BYTES) - 1


@lru_cache(maxsize=100_000)
def _hash(term: str) -> bytes:
    return hashlib.blake2b(term.encode(), digest_size=HASH_BYTES).digest()


def hashed(term: str) -> int:
    """The number that stands for a term in packed terms."""
    return int.from_bytes(_hash(term), "little")


def packed(words: Iterable[str]) -> bytes:
    """Terms with their counts, in the form the index stores."""
    counted = sorted(Counter(words).items())
    hashes = b"".join(_hash(term) for term, _ in counted)
    counts = b"".join(min(n, _COUNT_MAX).to_bytes(COUNT_BYTES, "little") for _, n in counted)
    return hashes + counts


_SENTENCE = re.compile(r"[^.!?\u2026\n]+[.!?\u2026]*")
_GREETING_WORDS_MAX = 3
QUESTION_CHARS_MAX = 400  # a longer text is assumed to state something


def words_asked(text: str) -> int:
    """The number of terms in a text that consists only of questions and a greeting; 0 for any other text."""
    if len(text) > QUESTION_CHARS_MAX or "?" not in text:
        return 0
    said = [part.strip() for part in _SENTENCE.findall(text)]
    asked = [part for part in said if "?" in part]
    told = [part for part in said if "?" not in part]
    if any(len(part.split()) > _GREETING_WORDS_MAX for part in told):
        return 0
    return len(terms(" ".join(asked)))
