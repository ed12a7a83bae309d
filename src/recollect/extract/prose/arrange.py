"""Which tokens of a clause are said, and in which order."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.extract.prose.clauses import Clause
from recollect.extract.prose.syntax import coordinated, verbal

if TYPE_CHECKING:
    from spacy.tokens import Token

_DROPPABLE = frozenset({"prep", "advcl", "npadvmod", "advmod", "relcl", "acl", "appos", "dative"})
_TAILS = frozenset({"prep", "relcl", "acl", "advcl"})
_FRONTS = frozenset({"det", "poss", "amod", "nummod", "compound", "predet"})
_GAP = re.compile(r"\s+")
_CANNOT = re.compile(r"\bcan not\b")
_BEFORE = re.compile(r"\s+([,.;:!?)%])")
_BRACKETS = re.compile(r"[()]")
_COMMAS = re.compile(r"(?:,\s*){2,}")
_EDGE = re.compile(r"^[\s,;:.\u2013\u2014-]+|(?:[\s,;:.!?\u2013\u2014-]|\s(?:and|or|but|so))+$")


def under(head: Token, drop: set[int], swapped: set[int]) -> list[Token]:
    """The tokens of a phrase but for dropped parts and the other members of a list."""
    found = [] if head.i in swapped else [head]
    for item in head.children:
        if item.i in drop or item.dep_ == "intj":
            continue
        if item.dep_ == "cc" and joins_nothing(item, drop):
            continue
        found.extend(under(item, drop, swapped))
    return found


def joins_nothing(word: Token, drop: set[int]) -> bool:
    """Whether what follows an "and" is left out."""
    joined = next(
        (item for item in word.head.rights if item.i > word.i and item.dep_ == "conj"),
        None,
    )
    return joined is not None and joined.i in drop


def swapped_out(chosen: Token | None) -> set[int]:
    """The other members of the list that *chosen* is of."""
    if chosen is None:
        return set()
    first = chosen
    while first.dep_ == "conj":
        first = first.head
    if len(coordinated(first)) == 1 and not any(item.dep_ == "neg" for item in first.children):
        return set()
    kept = {t.i for t in chosen.subtree}
    for item in (*chosen.children, *(c for c in first.children if c.dep_ == "neg")):
        if item.dep_ in ("conj", "cc", "neg") or (item.dep_ == "punct" and item.i > chosen.i):
            kept -= {t.i for t in item.subtree}
    for item in _shared(first, chosen):
        kept |= {t.i for t in item.subtree}
    return {t.i for t in first.subtree} - kept


def _shared(first: Token, chosen: Token) -> list[Token]:
    """What is said once for the whole list: "*the old* books and maps *of my aunt*"."""
    members = coordinated(first)
    last = max(item.i for item in members)
    found = [
        item
        for member in members
        for item in member.rights
        if item.dep_ in _TAILS and item.i > last > member.i
    ]
    if chosen == first or verbal(chosen) or any(item.dep_ in _FRONTS for item in chosen.lefts):
        return found
    fronts = [item for item in first.lefts if item.dep_ in _FRONTS]
    article = next((item for item in fronts if item.dep_ in ("det", "poss")), None)
    if article is None or (article.lower_ in ("a", "an") and chosen.tag_ != first.tag_):
        return found
    return [*fronts, *found]


def placed(chosen: Token, swapped: set[int]) -> Callable[[Token], tuple[int, int]]:
    """The order of tokens when *chosen* takes the place of the list's first member."""
    first = chosen
    while first.dep_ == "conj":
        first = first.head
    own = {t.i for t in chosen.subtree} - swapped
    return lambda t: (first.i, t.i) if t.i in own else (t.i, 0)


def part_around(loose: Token, clause: Clause, chosen: Token | None) -> Token | None:
    """The phrase that may be left out to get rid of a loose pronoun."""
    item = loose
    while item.head != item and item not in clause.verbs:
        if item.dep_ in _DROPPABLE and not _holds(item, chosen):
            inner = verbal(item.head) and item.head not in clause.verbs
            return None if inner and item.dep_ == "prep" else item
        item = item.head
    return None


def _holds(item: Token, chosen: Token | None) -> bool:
    return chosen is not None and (chosen == item or item.is_ancestor(chosen))


def tidy(text: str) -> str:
    """One sentence without gaps, double commas and loose ends."""
    text = _GAP.sub(" ", text)
    text = _BEFORE.sub(r"\1", _COMMAS.sub(", ", text))
    if text.endswith(' "'):
        text = text[:-2] + '"'
    if text.count("(") != text.count(")"):
        text = _GAP.sub(" ", _BRACKETS.sub("", text))
    return _CANNOT.sub("cannot", _EDGE.sub("", text)).strip()
