"""Whether a fact keeps to the words of its source.

A fact may put names for pronouns, another person of the verb, a resolved date, and leave out whole
clauses around it or the other members of a list. Everything else stands in the source in the same
order, with nothing left out between.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import regex

from recollect.extract.prose.listed import listed

if TYPE_CHECKING:
    from spacy.tokens import Token

_WORD = regex.compile(r"[\p{L}\p{N}]+(?:['\u2019.,:@/+-][\p{L}\p{N}]+)*")
_PART = regex.compile(r"[\p{L}\p{N}]+")
_GRAMMAR = listed(
    "a an the is are was were be been being has have had do does did will would not cannot no to of in on at"
    " and or that who which by before after since until from for with as around week weekend month"
    " january february march april may june july august september october november december"
)
WHOLE = 0.75
_NAMING = frozenset({"name", "named", "called", "really", "just"})
_LIST = frozenset({",", "and", "or", "&", "/", "nor", "but", "plus"})


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the source. *carries*: it means something by itself; *joins*: it can hold a list together."""

    forms: frozenset[str]
    carries: bool
    joins: bool
    verb: bool


def _word(token: Token, otherwise: bool) -> Word:
    text = token.text.lower()
    empty = token.is_stop or token.is_punct or text in _NAMING
    carries = not (otherwise or empty or token.pos_ in ("PRON", "INTJ", "PART"))
    return Word(
        frozenset({text, token.lemma_.lower(), *_WORD.findall(text)}),
        carries,
        text in _LIST,
        token.pos_ in ("VERB", "AUX"),
    )


class Source:
    """A clause that facts are held against. *names* are those that may stand for pronouns, *otherwise*
    the places of words that a fact says in other words: dates, "the user"."""

    def __init__(
        self, tokens: Sequence[Token], otherwise: Collection[int], names: Collection[str]
    ) -> None:
        self._words = [_word(token, token.i in otherwise) for token in tokens if not token.is_space]
        inserted = {part.lower() for name in names for part in _WORD.findall(name)}
        self._inserted = inserted | {part + mark for part in inserted for mark in ("'s", "'")}
        self.carrying = frozenset(at for at, word in enumerate(self._words) if word.carries)

    def told(self, fact: str) -> frozenset[int] | None:
        """The words that a fact tells of those that carry meaning; None if it does not keep to them."""
        words = [part for word in _WORD.findall(fact.lower()) for part in self._parts(word)]
        back = _places(words[::-1], self._words[::-1])[::-1]
        last = [None if place is None else len(self._words) - 1 - place for place in back]
        told = (self._kept(words, places) for places in (_places(words, self._words), last))
        return next((found for found in told if found is not None), None)

    def _kept(self, words: Sequence[str], places: Sequence[int | None]) -> frozenset[int] | None:
        for word, place in zip(words, places, strict=True):
            if place is None and not self._may_insert(word):
                return None
        kept = sorted(place for place in places if place is not None)
        if not kept or any(self._drops(one, two, kept) for one, two in pairwise(kept)):
            return None
        return self.carrying.intersection(kept)

    def _drops(self, one: int, two: int, kept: Sequence[int]) -> bool:
        """Whether something is lost between two words that a fact tells. The helpers of a first verb
        serve the next one too: "been working on a book *and* painting"."""
        gap = self._words[one + 1 : two]
        helps = not any(at <= one for at in self.carrying.intersection(kept))
        return not (_may_skip(gap) or (helps and any(word.joins for word in gap[-2:])))

    def rearranged(self, fact: str) -> frozenset[int]:
        """The same whatever the order of its words, and whatever it adds."""
        words = {word.lower() for word in _WORD.findall(fact)}
        return frozenset(
            at for at in self.carrying if any(_same(word, self._words[at]) for word in words)
        )

    def tells(self, *parts: frozenset[int], share: float = WHOLE) -> bool:
        """Whether these words together are most of those that carry meaning; no verb may be missing
        from the *whole*."""
        told = frozenset[int]().union(*parts)
        missing = share == WHOLE and any(self._words[at].verb for at in self.carrying - told)
        return bool(told) and not missing and len(told) >= share * len(self.carrying)

    def _parts(self, word: str) -> Sequence[str]:
        """A word as the source has it: "555-1234" may be several there."""
        parts = _PART.findall(word)
        whole = any(word in one.forms for one in self._words)
        split = all(any(part in one.forms for one in self._words) for part in parts)
        return parts if split and not whole else (word,)

    def _may_insert(self, word: str) -> bool:
        return word in self._inserted or word in _GRAMMAR or word.isdigit()


def _may_skip(gap: Sequence[Word]) -> bool:
    """Nothing that means something is left out, or it is another member of a list."""
    if not any(word.carries for word in gap):
        return True
    edges = [word for word in gap if word.carries or word.joins]
    return (edges[0].joins or edges[-1].joins) and not any(word.verb for word in gap)


def _places(told: Sequence[str], source: Sequence[Word]) -> list[int | None]:
    """Where each word of the fact stands in the source: the longest run in the same order."""
    rows, columns = len(told), len(source)
    best = [[0] * (columns + 1) for _ in range(rows + 1)]
    for row in range(rows - 1, -1, -1):
        for column in range(columns - 1, -1, -1):
            if _same(told[row], source[column]):
                best[row][column] = 1 + best[row + 1][column + 1]
            else:
                best[row][column] = max(best[row + 1][column], best[row][column + 1])
    found: list[int | None] = [None] * rows
    row = column = 0
    while row < rows and column < columns:
        if _same(told[row], source[column]):
            found[row] = column
            row, column = row + 1, column + 1
        elif best[row + 1][column] >= best[row][column + 1]:
            row += 1
        else:
            column += 1
    return found


def _same(word: str, source: Word) -> bool:
    """The same word, or a verb in another person."""
    if word in source.forms:
        return True
    return source.verb and any(len(form) > 1 and _inflects(word, form) for form in source.forms)


def _inflects(word: str, form: str) -> bool:
    return word in (form + "s", form + "es", form + "ing", form[:-1] + "ies", form[:-1] + "ing")
