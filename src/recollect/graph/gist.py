"""The gist of a sentence: its content words, regardless of order, tense and number.

Two sentences about one entity with the same gist say the same. There is no understanding involved:
words are stemmed by their endings, stop words dropped, numbers and "not" kept.
"""

import hashlib
import re
import unicodedata
from functools import lru_cache

import regex


def listed(text: str) -> frozenset[str]:
    """The words of *text*: a literal with one word per line would hide them."""
    return frozenset(text.split())


NOT = "not"
_GIST_CHARS_MAX = 200
_REMEMBERED = 8_192
_WORDS_REMEMBERED = 16_384
_WORD = regex.compile(
    r"\d+(?:[.,:/-]\d+)*|[\p{L}\p{M}]+(?:['\u2019]\p{L}+)?|\p{N}+|[$\u20ac\u00a3%]"
)
# The same, where there is nothing else.
_ASCII_WORD = re.compile(r"[0-9]+(?:[.,:/-][0-9]+)*|[A-Za-z]+(?:'[A-Za-z]+)?|[$%]")
_NOT_WORDS = listed("no not never without neither nor cannot none")
# Words without content, and words that make a statement stronger or newer but not a different one.
_SMALL = listed(
    """
    a about actually already also am an and any anymore are as at be been being but by can could
    currently did do does doing done for from going had has have he her hers him his how i if in
    is it its just let likewise longer maybe me mine more much my now nowadays of on or our
    presently quite rather really s she should simply so some still such t than that the their
    them then there these they this to too totally truly us very was we were what when where
    which who whom why will with would yes you your
    """
)
# Stems that say that something stopped; ignored when looking for what it was that stopped.
ENDING = listed(
    """
    abandon cancel ceas discontinu drop end ex finish former formerly gav giv given quit stop up used
    """
)
COUNTED = "zero one two three four five six seven eight nine ten eleven twelve"
_NUMBERS = {word: str(number) for number, word in enumerate(COUNTED.split())}
_STEM_CHARS_MIN = 3


@lru_cache(maxsize=_REMEMBERED)
def words(text: str) -> frozenset[str]:
    """The content words of *text* as stems; every negating word becomes `not`."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    cut = (_ASCII_WORD if folded.isascii() else _WORD).findall(folded)
    return frozenset(word for word in map(_folded, cut) if word)


@lru_cache(maxsize=_WORDS_REMEMBERED)
def _folded(word: str) -> str | None:
    if word[0].isdigit():
        return word.replace(",", "")
    head, mark, tail = word.replace("\u2019", "'").partition("'")
    if head in _NOT_WORDS or (mark and head.endswith("n") and tail == "t"):
        return NOT
    if head in _SMALL:
        return None
    return _NUMBERS.get(head) or stem(head)


def stem(word: str) -> str:
    """*word* without the endings of English plurals and tenses."""
    for ending, instead in (("ies", "y"), ("ied", "y"), ("ing", ""), ("ed", ""), ("s", "")):
        kept = word.removesuffix(ending)
        if kept != word and len(kept) >= _STEM_CHARS_MIN and not word.endswith(("ss", "us", "is")):
            return _bare(kept + instead)
    return _bare(word)


def _bare(word: str) -> str:
    """Undo what an ending does to the end of a word: running, runs; loved, loves, love."""
    if word.endswith("e") and len(word) > _STEM_CHARS_MIN:
        return word[:-1]
    if len(word) > _STEM_CHARS_MIN and word[-1] == word[-2] and word[-1] not in "aeiouls":
        return word[:-1]
    return word


def join(content: frozenset[str]) -> str:
    """Words as one line that can be looked up, or a digest of them when they are many."""
    line = " ".join(sorted(content))
    if len(line) <= _GIST_CHARS_MAX:
        return line
    return "#" + hashlib.sha256(line.encode("utf-8", "surrogatepass")).hexdigest()


@lru_cache(maxsize=_REMEMBERED)
def gist(fact_text: str) -> str:
    """The content words of a fact in a fixed order, or a digest of them when they are many."""
    return join(words(fact_text)) or " ".join(fact_text.casefold().split())[:_GIST_CHARS_MAX]


def opposite(fact_text: str) -> str:
    """The gist of the sentence that denies *fact_text*, or that *fact_text* denies."""
    return join(words(fact_text) ^ {NOT})


def mark(text: str) -> str:
    """A short digest of a sentence or name: it shows whether the text changed, without revealing it."""
    return mark_of(gist(text))


def mark_of(told: str) -> str:
    """The mark that belongs to a gist."""
    return hashlib.blake2b(told.encode(), digest_size=8).hexdigest()
