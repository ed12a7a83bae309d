"""The parts of a sentence that can be told apart: whole clauses beside each other, never less."""

from __future__ import annotations

from typing import TYPE_CHECKING

import regex

from recollect.extract.prose.syntax import SUBJECTS, child, text_of, verbal
from recollect.extract.prose.words import EPISTEMIC, REPORTING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spacy.tokens import Span, Token

_BESIDE = frozenset({"conj", "parataxis", "ccomp", "dep"})
_PAUSES = frozenset({",", ";", "-", "--", "\u2013", "\u2014", ":", "...", "\u2026", "/"})
_JOINS = frozenset({"and", "but", "so", "or", "plus", "&"})
_WORDS_MIN = 3
_OPENING = regex.compile(
    r"(?:(?:and|but|so|also|plus|oh|well|anyway|anyways|hey|ok|okay|yeah|yes|yep|right|look|listen|btw|fyi"
    r"|by the way|for the record|just so you know|in case you were wondering|as i said|to be honest|tbh"
    r"|(?:i )?(?:just )?want(?:ed)? to (?:let you know|tell you|mention|say)(?: that)?"
    r"(?= (?:i|we|my|our|the|he|she|they)\b))"
    r"\b(?!-\w| (?:far|many|much)\b)[\s,:!.\u2013\u2014-]*)+",
    regex.IGNORECASE,
)
_REMINDER = regex.compile(
    r"(?:please |pls |also |can you |could you |would you |i(?: want|'d like| need| would like) you to |just )*"
    r"(?:remember|don'?t forget|do not forget|never forget|make a note|note|keep in mind|bear in mind|be aware"
    r"|you should know|know)(?: that\b| this\b)?[\s,:\u2013\u2014-]+(?!to\b|me\b|my\b|when\b|how\b|if\b|about\b)",
    regex.IGNORECASE,
)


def units(sentence: Span) -> list[list[Token]]:
    """The tokens of each clause that stands beside the others, in order; pauses and joins left out."""
    starts = sorted({sentence.start, *(_starts(sentence))})
    ends = [*starts[1:], sentence.end]
    found: list[list[Token]] = []
    for start, end in zip(starts, ends, strict=True):
        part = _trimmed(sentence, start, end)
        if found and sum(token.is_alpha for token in part) < _WORDS_MIN:
            found[-1] = _trimmed(sentence, found[-1][0].i, end)
        elif part:
            found.append(part)
    return [part for unit in found if (part := _opened(unit))]


def _starts(sentence: Span) -> list[int]:
    """Where a clause begins that has a subject of its own and stands beside the one it hangs on."""
    main, found = {sentence.root}, []
    for token in sentence:
        head = token.head
        if token.dep_ not in _BESIDE or head not in main or not verbal(token):
            continue
        if child(token, *SUBJECTS) is None or child(token, "mark") is not None:
            continue
        if token.dep_ == "ccomp" and head.lemma_.lower() in REPORTING | EPISTEMIC:
            continue
        after = token.i > head.i
        start = token.left_edge.i if after else token.right_edge.i + 1
        while start < sentence.end and sentence.doc[start].text in _PAUSES | _JOINS:
            start += 1
        if (
            sentence.start < start < sentence.end
            and sentence.doc[start - 1].text in _PAUSES | _JOINS
        ):
            main.add(token)
            found.append(start)
    return found


def _trimmed(sentence: Span, start: int, end: int) -> list[Token]:
    """Without the pauses at its ends, and the joins before the next clause ("I think so" joins nothing)."""
    tokens = list(sentence.doc[start:end])
    joins = _JOINS if end < sentence.end else frozenset[str]()
    while tokens and (
        tokens[-1].text in _PAUSES or tokens[-1].lower_ in joins or tokens[-1].is_space
    ):
        tokens.pop()
    while tokens and (tokens[0].text in _PAUSES or tokens[0].is_space):
        tokens.pop(0)
    return tokens


def _opened(tokens: list[Token]) -> list[Token]:
    """Without words that only open a sentence, or ask for what follows to be remembered."""
    return _after(_REMINDER, _after(_OPENING, tokens))


def _after(opening: regex.Pattern[str], tokens: Sequence[Token]) -> list[Token]:
    if not tokens:
        return []
    first = tokens[0].idx
    found = opening.match(text_of(tokens))
    rest = [token for token in tokens if found is None or token.idx >= first + found.end()]
    return rest if sum(token.is_alpha or token.like_num for token in rest) > 1 else list(tokens)
