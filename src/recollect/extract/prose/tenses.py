"""In which tense each word of a sentence stands: that decides which Friday or which May it means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import regex

from recollect.dates.when import Tense
from recollect.extract.prose.clauses import Clause
from recollect.extract.prose.listed import listed
from recollect.extract.prose.syntax import verbal
from recollect.extract.prose.verbs import decided, time_of
from recollect.extract.prose.words import MONTHS_DAYS

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_BREAKS = frozenset({",", ";", ":", "-", "--", "\u2013", "\u2014", "(", ")", "...", "\u2026", "|"})
_TIME_NOUNS = MONTHS_DAYS | listed(
    "mon tue tues wed weds thu thur thurs fri sat sun jan feb mar apr jun jul aug sep sept oct nov dec"
    " today tomorrow yesterday tonight morning afternoon evening night noon midnight week weekend month"
    " year years months weeks days hour hours minute minutes am pm"
)
_HEADING = 3
_FINITE = frozenset({"VBD", "VBZ", "VBP", "MD"})
_LASTING = listed("be work live stay run last have study serve play date know rent teach grow")
_PARTICIPLES = frozenset({"ROOT", "acl", "conj", "dep", "advcl"})
_DATE = (
    r"(?:(?:the|early|mid|late|end of|next|this|around)[\s-]+)*"
    r"(?:\d|q[1-4]\b|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|tue|wed|thu|fri|sat|sun)\b|tomorrow|tonight"
    r"|jan|feb|mar|apr|may\b|jun|jul|aug|sep|oct|nov|dec|spring|summer|autumn|fall\b|winter|week|month|year"
    r"|(?:twenty |thirty )?(?:first|second|third|\w+th\b))"
)
# What was moved, booked or announced lies ahead of whoever tells it, though the verb is in the past.
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
    rf"\b(?:from|as from|effective|starting|beginning|opening)\s+(?P<date>{_DATE}[\w ]{{0,12}})"
    r"(?![^,;.()]*\b(?:to|til|till|until|through)\b)",
    regex.IGNORECASE,
)
FROM_TO = regex.compile(
    r"\b(?:moved|pushed|postponed|rescheduled|delayed|shifted|brought|changed|switched)\b[^,;.()]*\s(?:from\s)?$",
    regex.IGNORECASE,
)


def tenses(sentence: Span, found: Sequence[Clause]) -> dict[int, Tense]:
    """By its first character in the text, the tense of each word."""
    finite = any(token.tag_ in _FINITE or token.tag_ == "VB" for token in sentence)
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
    """The tense of a clause; who could not do something tells what was."""
    words = {item.lower_ for item in clause.finite.children if item.dep_ in ("aux", "neg")}
    return "past" if "could" in words and len(words) > 1 else time_of(clause)


def _in_segment(part: Sequence[Token], told: Mapping[int, Tense]) -> dict[int, Tense]:
    """What the words between two pauses say of their own tense, beside a clause in the past."""
    if not part:
        return {}
    if is_note(part):
        return {token.idx: "noted" for token in part}
    if part[0].idx != part[0].sent[0].idx and not any(map(verbal, part)):
        return {token.idx: "done" for token in part if told[token.idx] == "past"}
    verb = next((token for token in part if verbal(token)), None)
    starts = verb is part[0] and verb.tag_ in ("VB", "VBP", "VBG") and _has_no_helper(verb)
    present = verb is not None and verb.tag_ in ("VBZ", "VBP") and _has_no_helper(verb)
    if verb is None or verb.dep_ == "relcl" or not (starts or present):
        return {}
    if any(token.tag_ in ("VBD", "VBN", "MD") for token in part):
        return {}
    return {
        token.idx: "present" for token in part if told[token.idx] in ("past", "done", "perfect")
    }


def _ahead(sentence: Span) -> Iterator[Token]:
    """The words of what was moved to a day, booked or announced, up to the next verb."""
    for pattern in (_MOVED, _BOOKED, _FROM):
        for match in pattern.finditer(sentence.text):
            if pattern is _FROM and _lasted(sentence, match.start()):
                continue
            begin, end = (sentence.start_char + place for place in match.span("date"))
            for token in sentence:
                if begin <= token.idx < end:
                    if token.tag_ in _FINITE:
                        break
                    yield token


def _lasted(sentence: Span, place: int) -> bool:
    """Whether the verb before "from May" tells what lasted since then: "worked there from May"."""
    before = [t for t in sentence if t.idx < sentence.start_char + place and verbal(t)]
    return any(verb.lemma_.lower() in _LASTING for verb in before if verb.tag_ in ("VBD", "VBN"))


def _is_done(verb: Token) -> bool:
    """A participle without a helper: "approved in April", "as discussed on Friday"."""
    done = verb.tag_ == "VBN" or (verb.tag_ == "VBD" and verb.dep_ == "acl")
    if not done or verb.dep_ not in _PARTICIPLES or not _has_no_helper(verb):
        return False
    return verb.dep_ != "conj" or not verbal(verb.head) or _is_done(verb.head)


def _has_no_helper(verb: Token) -> bool:
    return not any(item.dep_ in ("aux", "auxpass") for item in verb.children)


def segments(sentence: Span) -> Iterator[list[Token]]:
    """The stretches of a sentence between its pauses."""
    part: list[Token] = []
    for token in sentence:
        if token.text in _BREAKS or token.text.startswith(".."):
            yield part
            part = []
        else:
            part.append(token)
    yield part


def is_note(segment: Sequence[Token]) -> bool:
    """Words beside a sentence that name something and have no verb: "last day 29 nov"."""
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
