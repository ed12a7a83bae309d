"""Text to search terms."""

import unicodedata

import regex

# Marks belong to their word: without them, many scripts would fall apart into letters.
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}_]+")
# What a word is made of before it is folded: also signs that fold into letters or marks, as the
# sign for kilogram, a letter in a circle, a spacing accent or a wide underscore do.
_RAW_WORD = regex.compile(
    r"[\p{L}\p{M}\p{N}\p{Pc}\xa8\xaf\xb4\xb8\u02d8-\u02dd\u0384\u0385\u1fbd-\u1ffe\u2017\u203e"
    r"\u20a8\u2100-\u213b\u249c-\u24e9\u2adc\u2e9f-\u2fd5\u309b\u309c\u3196-\u33ff\ufdfc"
    r"\ufe33-\ufe4f\uffe3\U0001d15e-\U0001d1c0\U0001f110-\U0001f251]+"
)
_TERM_CHARS_MAX = 64
# A character of a term may be spelt as a letter and some marks.
_RAW_CHARS_MAX = 8 * _TERM_CHARS_MAX

# Words that occur everywhere and find nothing.
STOP_WORDS = frozenset(
    """
    a an and are as at be been but by can could did do does for from had has have he her hers
    him his how i if in is it its me my no not of on or our she should so than that the their
    them then there these they this to us was we were what when where which who why will with
    would you your
    """.split()  # noqa: SIM905 - a list of one word per line hides the words
)


def terms(text: str) -> list[str]:
    """The terms of *text* in order, folded so that spelling variants of one word meet.

    Folded word by word: the time to put marks in order grows with the square of their number,
    and a word is cut before that, so that no text is dear.
    """
    found: list[str] = []
    for raw in _RAW_WORD.findall(text):
        folded = unicodedata.normalize("NFKC", raw[:_RAW_CHARS_MAX]).casefold()
        found += (
            word[:_TERM_CHARS_MAX] for word in _WORD.findall(folded) if word not in STOP_WORDS
        )
    return found
