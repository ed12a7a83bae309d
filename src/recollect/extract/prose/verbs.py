"""Tense, negation, modality and aspect of a clause's verb group."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from recollect.dates.when import Tense
from recollect.extract.prose.clauses import Clause
from recollect.extract.prose.syntax import child
from recollect.extract.prose.words import (
    DECISIONS,
    GOES_ON,
    HYPOTHETICAL,
    PLANS,
    STARTS,
    STOPS,
    TASTES,
    WISHES,
)

if TYPE_CHECKING:
    from spacy.tokens import Token

_CAN = frozenset({"can", "ca", "could"})


@dataclass(slots=True)
class Aspect:
    """How a clause says what it says.

    *lead* is what the *outer* verb makes of the inner one: a wish, a plan, a beginning, an end, a
    taste. *hypothetical*: it is not said to be so.
    """

    tense: Tense = "present"
    perfect: bool = False
    progressive: bool = False
    negated: bool = False
    hypothetical: bool = False
    passive: bool = False
    ended: bool = False
    no_longer: bool = False
    able: bool = False
    lead: str = ""
    outer: str = ""


def aspect(clause: Clause) -> Aspect:
    """Read the verb group of a clause."""
    found = Aspect()
    finite = clause.finite
    words = [word for word in (*finite.children, *clause.lead) if word.dep_ in _AUXILIARY]
    modal = next((word.lower_ for word in words if word.tag_ == "MD"), "")
    _tense(found, clause, words)
    found.negated = _negated(clause, found)
    if modal in ("will", "'ll", "wo"):
        found.tense = "future"
    found.able = modal in _CAN
    have = any(word.lower_ == "have" for word in words)
    found.hypothetical = modal in HYPOTHETICAL or (modal == "must" and have)
    _lead(found, clause, modal)
    last = clause.verb
    found.passive = any(word.dep_ in ("auxpass", "nsubjpass") for word in last.children)
    return found


def time_of(clause: Clause) -> Tense:
    """The tense by which the dates of a clause are read."""
    found = aspect(clause)
    return "perfect" if found.perfect and found.tense == "present" else found.tense


def decided(clause: Clause) -> Token | None:
    """The verb of what somebody decided to do, which is still to come: "agreed to *meet*"."""
    for outer, inner in pairwise(clause.verbs):
        if outer.lemma_.lower() in DECISIONS and any(word.tag_ == "TO" for word in inner.children):
            return inner
    return None


_AUXILIARY = frozenset({"aux", "auxpass", "neg"})


def _tense(found: Aspect, clause: Clause, words: list[Token]) -> None:
    finite = clause.finite
    tags = [word.tag_ for word in words]
    have = any(word.lemma_ == "have" for word in words)
    if "VBD" in tags or finite.tag_ == "VBD" or (finite.tag_ == "VBN" and not words):
        found.tense = "past"
    if have and finite.tag_ in ("VBN", "VBD"):
        found.perfect = True
        found.tense = "past" if "VBD" in tags else "present"
    found.progressive = finite.tag_ == "VBG"


def _negated(clause: Clause, found: Aspect) -> bool:
    group = (*clause.verbs, *clause.lead)
    for verb in group:
        for word in verb.children:
            if word.dep_ == "neg" or (word.dep_ == "advmod" and word.lower_ == "never"):
                found.no_longer |= _any_more(verb)
                return True
            if word.dep_ == "advmod" and word.lower_ == "longer" and child(word, "neg") is not None:
                found.no_longer = True
                return True
    thing = child(clause.verb, "dobj", "attr")
    none = child(thing, "det") if thing is not None else None
    if none is not None and none.lower_ == "no":
        return True
    return any(word.dep_ == "neg" for word in clause.lead)


def _any_more(verb: Token) -> bool:
    after = verb.doc[verb.i : verb.right_edge.i + 1].text.lower()
    return "anymore" in after or "any more" in after or "any longer" in after


def _lead(found: Aspect, clause: Clause, modal: str) -> None:
    if modal in _CAN and clause.finite.lemma_ == "wait" and found.negated:
        found.negated = found.able = False
        found.lead = "wish"
        return
    if len(clause.verbs) == 1:
        return
    outer, inner = clause.verbs[0], clause.verbs[1]
    lemma = found.outer = outer.lemma_.lower()
    infinitive = any(word.tag_ == "TO" for word in inner.children)
    if lemma == "go" and infinitive and outer.tag_ == "VBG":
        found.tense, found.lead = ("future" if found.tense == "present" else found.tense), "going"
        found.hypothetical |= found.tense == "past"
    elif outer.lower_ == "used" and infinitive:
        found.tense, found.ended, found.lead = "past", True, "used"
    elif modal in ("would", "'d") and lemma in ("like", "love", "prefer"):
        found.hypothetical, found.lead = False, "wish"
    else:
        found.lead = next((name for name, verbs in _LEADS if lemma in verbs), "other")
        if found.lead == "stop" and found.negated:  # who cannot stop goes on
            found.negated, found.lead = False, "go on"
        found.ended |= found.lead == "stop"


_LEADS = (
    ("stop", STOPS),
    ("start", STARTS),
    ("go on", GOES_ON),
    ("taste", TASTES),
    ("wish", WISHES),
    ("plan", PLANS),
)
