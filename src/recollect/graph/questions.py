"""Texts that only ask, and so tell nothing that a search for an answer could want."""

import re

from recollect.graph.terms import terms

_SENTENCE = re.compile(r"[^.!?\u2026\n]+[.!?\u2026]*")
_GREETING_WORDS_MAX = 3
QUESTION_CHARS_MAX = 400  # a longer text is taken to tell something


def words_asked(text: str) -> int:
    """How many words the questions have that are all of a text, but for a greeting; 0 when it tells
    something besides."""
    if len(text) > QUESTION_CHARS_MAX or "?" not in text:
        return 0
    said = [part.strip() for part in _SENTENCE.findall(text)]
    asked = [part for part in said if "?" in part]
    told = [part for part in said if "?" not in part]
    if any(len(part.split()) > _GREETING_WORDS_MAX for part in told):
        return 0
    return len(terms(" ".join(asked)))
