"""Headings, and the members of a list under one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from spacy.tokens import Span, Token

HEADING_MAX = 7
_FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
_ITEMS_MIN = 3
_ALONE_MIN = 3


def heading_of(sentence: Span) -> list[Token]:
    """The words before a colon that say what the rest is about: "Ticket 5521: ..."."""
    for token in sentence[1 : HEADING_MAX + 1]:
        if token.text == ":":
            words = list(sentence.doc[sentence.start : token.i + 1])
            named = any(item.pos_ in ("NOUN", "PROPN") for item in words)
            finite = any(item.tag_ in _FINITE for item in words)
            return words if named and not finite else []
        if token.text in (",", ";", '"', "("):
            return []
    return []


def items(
    sentence: Span, start: int, clauses: Collection[int], breaks: Sequence[int]
) -> dict[int, bool]:
    """Where the members of a list under a heading begin, if most are more than a word, and whether each
    is too short to be understood without the heading. Empty if it is no list."""
    starts = [start]
    for place in breaks:
        begins = sentence.doc[place - 1].text in (",", ";") and _begins_item(sentence.doc[place])
        if place in clauses or begins:
            starts.append(place)
    ends = [*starts[1:], sentence.end]
    sizes = [_size(sentence.doc[one:end]) for one, end in zip(starts, ends, strict=True)]
    if len(starts) < _ITEMS_MIN or 2 * sum(size > 1 for size in sizes) < len(starts):
        return {}
    return {
        one: one == start or (size < _ALONE_MIN and one not in clauses)
        for one, size in zip(starts, sizes, strict=True)
    }


def _size(part: Span) -> int:
    return sum((token.is_alpha or token.like_num) and not token.is_stop for token in part)


def _begins_item(token: Token) -> bool:
    """A thing or a deed; "20 % cheaper" and "since May" go on with what was said before."""
    return token.pos_ in ("NOUN", "PROPN", "VERB", "DET", "X") or (
        token.pos_ == "ADJ" and token.head.pos_ in ("NOUN", "PROPN") and token.head.i > token.i
    )
