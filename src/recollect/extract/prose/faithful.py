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
    "a an the is are was were be been being has have had do does did will would to of in on at"
    " and or that who which by before after since until from for with as around week weekend month"
    " january february march april may june july august september october november december"
)
WHOLE = 1.0
_DENIALS = listed("not n't no never nor neither without except cannot hardly")
_OWNING = listed("my mine our ours your yours his her hers their theirs its")
_NAMING = frozenset({"name", "named", "called", "really", "just"})
_LIST = frozenset({",", "and", "or", "&", "/", "nor", "but", "plus"})


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the source. *carries*: it means something by itself; *joins*: it can hold a list together;
    *denies*, *owns*: it says that something is not so, or whose it is; *pronoun*: a name may stand for it."""

    forms: frozenset[str]
    carries: bool
    joins: bool
    verb: bool
    denies: bool
    owns: bool
    pronoun: bool


def _word(token: Token, otherwise: bool) -> Word:
    text = token.text.lower()
    empty = token.is_stop or text in _NAMING or not any(map(str.isalnum, text))
    carries = not (otherwise or empty or token.pos_ in ("PRON", "INTJ", "PART"))
    return Word(
        frozenset({text, token.lemma_.lower(), *_WORD.findall(text)}),
        carries,
        text in _LIST,
        token.pos_ in ("VERB", "AUX"),
        text in _DENIALS,
        token.tag_ in ("POS", "PRP$") or text in ("mine", "ours", "yours", "hers", "theirs"),
        otherwise or token.pos_ == "PRON" or text in _OWNING,
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
        plain = fact.lower().replace("cannot", "can not")
        words = [part for word in _WORD.findall(plain) for part in self._parts(word)]
        back = _places(words[::-1], self._words[::-1])[::-1]
        last = [None if place is None else len(self._words) - 1 - place for place in back]
        told = (self._kept(words, places) for places in (_places(words, self._words), last))
        return next((found for found in told if found is not None), None)

    def _kept(self, words: Sequence[str], places: Sequence[int | None]) -> frozenset[int] | None:
        for at, (word, place) in enumerate(zip(words, places, strict=True)):
            if place is None and not (self._may_insert(word) or self._names(at, words, places)):
                return None
        kept = sorted(place for place in places if place is not None)
        if (
            not kept
            or self._denied_before(kept[0])
            or any(self._drops(one, two, kept) for one, two in pairwise(kept))
        ):
            return None
        return self.carrying.intersection(kept)

    def _denied_before(self, first: int) -> bool:
        """Whether a "not" right before the first word that is told is left out."""
        for word in reversed(self._words[:first]):
            if word.carries or word.joins:
                return False
            if word.denies:
                return True
        return False

    def _drops(self, one: int, two: int, kept: Sequence[int]) -> bool:
        """Whether something is lost between two words that a fact tells. The helpers of a first verb
        serve the next one too: "been working on a book *and* painting"."""
        gap = self._words[one + 1 : two]
        helps = not any(at <= one for at in self.carrying.intersection(kept))
        if _may_skip(gap, before_verb=self._words[two].verb):
            return False
        return not (helps and any(word.joins for word in gap[-2:]))

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
        return word in _GRAMMAR or word.replace("/", "").isdigit()

    def _names(self, at: int, words: Sequence[str], places: Sequence[int | None]) -> bool:
        """Whether a name stands for a pronoun that stood there, whose it is included, or is put in front."""
        if words[at] not in self._inserted:
            return False
        before = max((one for one in places[:at] if one is not None), default=-1)
        after = min((one for one in places[at:] if one is not None), default=len(self._words))
        gap = self._words[before + 1 : after]
        if not any(one.pronoun for one in gap):
            return before < 0
        ends = at + 1 == len(words) or places[at + 1] is not None or words[at + 1] in _GRAMMAR
        owned = words[at].endswith(("'s", "'")) or not ends
        return owned or not all(one.owns for one in gap if one.pronoun)


def _may_skip(gap: Sequence[Word], *, before_verb: bool) -> bool:
    """Nothing that means something is left out, or only the members of a list before the one that is told,
    or of several subjects; what stands behind another list may belong to its last member alone."""
    if any(word.denies or (word.owns and not word.pronoun) for word in gap):
        return False
    if not any(word.carries for word in gap):
        return True
    edges = [word for word in gap if word.carries or word.joins]
    aside = edges[-1].joins or (before_verb and edges[0].joins)
    return aside and not any(word.verb for word in gap)


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
