"""Tense, negation, modality and aspect of verb groups, and the tense in which dates are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import regex

from recollect.dates.when import Tense
from recollect.extract.prose.clauses import Clause
from recollect.extract.prose.syntax import FINITE, child, has_auxiliary, verbal
from recollect.extract.prose.words import (
    DECISIONS,
    GOES_ON,
    HYPOTHETICAL,
    MONTHS_DAYS,
    PLANS,
    STARTS,
    STOPS,
    TASTES,
    WISHES,
    listed,
)

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_CAN = frozenset({"can", "ca", "could"})
_AUXILIARY = frozenset({"aux", "auxpass", "neg"})
_LEADS = (
    ("stop", STOPS),
    ("start", STARTS),
    ("go on", GOES_ON),
    ("taste", TASTES),
    ("wish", WISHES),
    ("plan", PLANS),
)
_BREAKS = frozenset({",", ";", ":", "-", "--", "\u2013", "\u2014", "(", ")", "...", "\u2026", "|"})
_TIME_NOUNS = MONTHS_DAYS | listed(
    "mon tue tues wed weds thu thur thurs fri sat sun jan feb mar apr jun jul aug sep sept oct nov dec"
    " today tomorrow yesterday tonight morning afternoon evening night noon midnight week weekend month"
    " year years months weeks days hour hours minute minutes am pm"
)
_HEADING = 3
_LASTING = listed("be work live stay run last have study serve play date know rent teach grow")
_PARTICIPLES = frozenset({"ROOT", "acl", "conj", "dep", "advcl"})
_DATE = (
    r"(?:(?:the|early|mid|late|end of|next|this|around)[\s-]+)*"
    r"(?:\d|q[1-4]\b|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|tue|wed|thu|fri|sat|sun)\b|tomorrow|tonight"
    r"|jan|feb|mar|apr|may\b|jun|jul|aug|sep|oct|nov|dec|spring|summer|autumn|fall\b|winter|week|month|year"
    r"|(?:twenty |thirty )?(?:first|second|third|\w+th\b))"
)
# What was moved, booked or announced lies in the future, although the verb is in the past tense.
_MOVED = regex.compile(
    r"\b(?:moved|pushed|postponed|rescheduled|delayed|shifted|brought|put|changed|extended|prolonged|carried|slipped|deferred|bumped)\b"
    rf"[^,;.()]*?\b(?:to|until|till?|back to|forward to)\s+(?P<date>{_DATE}[^,;()]*)",
    regex.IGNORECASE,
)
_BOOKED = regex.compile(
    r"\b(?:(?:booked|reserved|registered|signed up|confirmed|announced|invited"
    r"|signed|set|fixed|tickets?|appointment|reservation|booking)\b[^,;.()]*?\bfor"
    r"|(?:scheduled|planned|arranged|penciled|pencilled|slated|expected|due|promised)\b(?:[^,;.()]*?\b(?:for|on|in|by|at|to))?)"
    r"\s+(?P<date>[^;()]+)",
    regex.IGNORECASE,
)
_FROM = regex.compile(
    rf"\b(?:from|as from|effective|starting|beginning|opening)\s+(?:(?:in|on|from|with)\s+)?(?P<date>{_DATE}[\w ]{{0,12}})"
    r"(?![^,;.()]*\b(?:to|til|till|until|through)\b)",
    regex.IGNORECASE,
)
FROM_TO = regex.compile(
    r"\b(?:moved|pushed|postponed|rescheduled|delayed|shifted|brought|changed|switched)\b[^,;.()]*\s(?:from\s)?$",
    regex.IGNORECASE,
)


@dataclass(slots=True)
class Aspect:
    """The grammar of a verb group.

    *lead* is what the *outer* verb says about the inner one: that it is a wish, a plan, a beginning, an
    end, a taste. *made_to* is its participle if it is passive ("is *allowed* to drive"). *hypothetical*:
    it is not stated as true.
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
    made_to: str = ""


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
    """The tense in which the dates of a clause are read."""
    found = aspect(clause)
    return "perfect" if found.perfect and found.tense == "present" else found.tense


def decided(clause: Clause) -> Token | None:
    """The verb of something decided for the future: "agreed to *meet*"."""
    for outer, inner in pairwise(clause.verbs):
        if outer.lemma_.lower() in DECISIONS and any(word.tag_ == "TO" for word in inner.children):
            return inner
    return None


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
    passive = any(word.dep_ in ("auxpass", "nsubjpass") for word in outer.children)
    found.made_to = outer.lower_ if passive else ""
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
        if found.lead == "stop" and found.negated:  # "cannot stop" means to go on
            found.negated, found.lead = False, "go on"
        found.ended |= found.lead == "stop"


def tenses(sentence: Span, found: Sequence[Clause]) -> dict[int, Tense]:
    """The tense of each word, by its character offset: it decides which Friday or May is meant."""
    finite = any(token.tag_ in FINITE or token.tag_ == "VB" for token in sentence)
    first: Tense = _time(found[0]) if found else "present" if finite else "noted"
    told = dict.fromkeys((token.idx for token in sentence), first)
    for clause in found[1:]:
        told.update((token.idx, _time(clause)) for token in clause.base.subtree)
    for clause in found:
        if (verb := decided(clause)) is not None:
            told.update((token.idx, "future") for token in verb.subtree)
    for verb in sentence:
        if _is_done(verb):
            told.update((token.idx, "done") for token in verb.subtree)
    parts = list(segments(sentence))
    for part in parts:
        told.update(_in_segment(part, told))
    for token in _ahead(sentence):
        told[token.idx] = "future"
    return told


def _time(clause: Clause) -> Tense:
    """The tense of a clause; "could not" is past."""
    words = {item.lower_ for item in clause.finite.children if item.dep_ in ("aux", "neg")}
    return "past" if "could" in words and len(words) > 1 else time_of(clause)


def _in_segment(part: Sequence[Token], told: Mapping[int, Tense]) -> dict[int, Tense]:
    """The tense of the words between two pauses, where it differs from that of their clause."""
    if not part:
        return {}
    if is_note(part):
        return {token.idx: "noted" for token in part}
    if part[0].idx != part[0].sent[0].idx and not any(map(verbal, part)):
        return {token.idx: "done" for token in part if told[token.idx] == "past"}
    verb = next((token for token in part if verbal(token)), None)
    starts = verb is part[0] and verb.tag_ in ("VB", "VBP", "VBG") and not has_auxiliary(verb)
    present = verb is not None and verb.tag_ in ("VBZ", "VBP") and not has_auxiliary(verb)
    if verb is None or verb.dep_ == "relcl" or not (starts or present):
        return {}
    if any(token.tag_ in ("VBD", "VBN", "MD") for token in part):
        return {}
    return {
        token.idx: "present" for token in part if told[token.idx] in ("past", "done", "perfect")
    }


def _ahead(sentence: Span) -> Iterator[Token]:
    """The dates that something was moved to, booked or announced for, up to the next verb."""
    for pattern in (_MOVED, _BOOKED, _FROM):
        for match in pattern.finditer(sentence.text):
            if pattern is _FROM and _lasted(sentence, match.start()):
                continue
            begin = match.start() if pattern is _FROM else match.start("date")
            begin, end = (sentence.start_char + place for place in (begin, match.end("date")))
            for token in sentence:
                if begin <= token.idx < end:
                    if token.tag_ in FINITE:
                        break
                    yield token


def _lasted(sentence: Span, place: int) -> bool:
    """Whether "from May" follows a verb for something that lasted: "worked there from May"."""
    before = [t for t in sentence if t.idx < sentence.start_char + place and verbal(t)]
    return any(verb.lemma_.lower() in _LASTING for verb in before if verb.tag_ in ("VBD", "VBN"))


def _is_done(verb: Token) -> bool:
    """A participle without an auxiliary: "approved in April", "as discussed on Friday"."""
    done = verb.tag_ == "VBN" or (verb.tag_ == "VBD" and verb.dep_ == "acl")
    if not done or verb.dep_ not in _PARTICIPLES or has_auxiliary(verb):
        return False
    return verb.dep_ != "conj" or not verbal(verb.head) or _is_done(verb.head)


def segments(sentence: Span) -> Iterator[list[Token]]:
    """The parts of a sentence between its pauses."""
    part: list[Token] = []
    for token in sentence:
        if token.text in _BREAKS or token.text.startswith(".."):
            yield part
            part = []
        else:
            part.append(token)
    yield part


def is_note(segment: Sequence[Token]) -> bool:
    """Whether it is a verbless note beside a sentence: "last day 29 nov"."""
    if not segment or any(token.dep_ == "cc" for token in segment):
        return False
    after = segment[-1].doc[segment[-1].i + 1 :][:1].text
    if after == ":" and len(segment) <= _HEADING:  # "Christmas: the 24th with you"
        return not any(map(verbal, segment))
    opens = segment[0].tag_ in ("IN", "TO", "DT", "RB", "WRB") and segment[0].lower_ != "no"
    if opens or any(map(verbal, segment)):
        return False
    inside = set(segment)
    root = next((token for token in segment if token.head not in inside), segment[0])
    if root.dep_ == "conj" and root.head.dep_ in ("dobj", "pobj", "conj"):
        return False
    return any(_is_thing(token) for token in segment)


def _is_thing(token: Token) -> bool:
    if token.tag_ not in ("NN", "NNS") and not (token.tag_ == "NNP" and token.is_lower):
        return False
    if token.lower_ == "day":
        return token.i > 0 and token.nbor(-1).lower_ in ("last", "first", "final")
    return token.lower_ not in _TIME_NOUNS and not token.like_num
