"""Text to search terms."""

import unicodedata

import regex

# Marks belong to their word: without them, many scripts would fall apart into letters.
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}_]+")
_TERM_CHARS_MAX = 64

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
    """The terms of *text* in order, folded so that spelling variants of one word meet."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return [word[:_TERM_CHARS_MAX] for word in _WORD.findall(folded) if word not in STOP_WORDS]
