"""Cutting a long text into pieces where it has a break: a paragraph, a line, a sentence, a word."""

import re

_BREAKS = (
    re.compile(r"\n\s*\n"),
    re.compile(r"\n"),
    re.compile(r"(?<=[.!?\u2026\u3002])[\"'\u201d\u2019)\]]*\s+"),
    re.compile(r"\s+"),
)


def cut(text: str, most: int) -> list[str]:
    """*text* in pieces of at most *most* characters, in order; only blank space at cuts is lost.

    A piece ends at the best break in its second half; without any, where there is no more room.
    """
    pieces = []
    begin = 0
    while len(text) - begin > most:
        end = _end(text, begin, begin + most)
        pieces.append(text[begin:end].strip())
        begin = end
    pieces.append(text[begin:].strip())
    return [piece for piece in pieces if piece]


def _end(text: str, begin: int, latest: int) -> int:
    half = begin + (latest - begin) // 2
    for breaks in _BREAKS:
        found = [match.end() for match in breaks.finditer(text, half, latest)]
        if found:
            return found[-1]
    return latest
