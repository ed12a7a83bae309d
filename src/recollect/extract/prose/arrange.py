"""Which tokens of a clause are said, and in which order."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import regex

from recollect.extract.prose.clauses import Clause
from recollect.extract.prose.syntax import coordinated, verbal

if TYPE_CHECKING:
    from spacy.tokens import Token

_DROPPABLE = frozenset({"prep", "advcl", "npadvmod", "advmod", "relcl", "acl", "appos", "dative"})
_GAP = regex.compile(r"\s+")
_CANNOT = regex.compile(r"\bcan not\b")
_BEFORE = regex.compile(r"\s+([,.;:!?)%])")
_COMMAS = regex.compile(r"(?:,\s*){2,}")
_EDGE = regex.compile(r"^[\s,;:.\u2013\u2014-]+|(?:[\s,;:.!?\u2013\u2014-]|\s(?:and|or|but|so))+$")


def under(head: Token, drop: set[int], swapped: set[int]) -> list[Token]:
    """The tokens of a phrase but for dropped parts and the other members of a list."""
    found = [] if head.i in swapped else [head]
    cut = any(item.i in drop for item in head.children if item.dep_ == "conj")
    for item in head.children:
        if item.i in drop or item.dep_ == "intj":
            continue
        if cut and item.dep_ == "cc":
            continue
        found.extend(under(item, drop, swapped))
    return found


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
    return {t.i for t in first.subtree} - kept


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
    return _CANNOT.sub("cannot", _EDGE.sub("", text)).strip()
