"""A clause told in the speaker's own words: in the third person where that is safe, else as a quotation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import regex

from recollect.extract.prose.arrange import tidy
from recollect.extract.prose.moments import Moments
from recollect.extract.prose.scene import Scene
from recollect.extract.prose.syntax import SUBJECTS, child, verbal
from recollect.extract.prose.wording import Wording
from recollect.extract.prose.words import (
    FEMALE,
    FIRST,
    FIRST_PLURAL,
    MALE,
    NEUTRAL,
    PEOPLE,
    PETS,
    POINTING,
    SECOND,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spacy.tokens import Token

TEXT_CHARS_MAX = 300
_FINE = frozenset({"hour", "minute", "second", "part"})
_DAY = regex.compile(r"\b(?:to(?:day|night|morrow)|yesterday|\w+day|week)\b", regex.IGNORECASE)
_PREPOSITIONS = frozenset({"on", "in", "at"})
_ENDS = " .!,;:-\u2013\u2014"


class Plain:
    """Tells the clauses of one speech."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._wording = Wording(scene)

    def tell(self, unit: Sequence[Token], moments: Moments) -> str | None:
        """A sentence that can be understood alone; None if it is too long to be one."""
        text = self._third_person(unit, moments) if self.is_statement(unit) else None
        if text is None:
            text = self._quoted(unit, moments)
        return text if text and len(text) <= TEXT_CHARS_MAX else None

    def is_statement(self, unit: Sequence[Token]) -> bool:
        """It has a finite verb behind its subject, and no pronoun that only its hearer understands."""
        verbs = [token for token in unit if token.tag_ in ("VBZ", "VBP", "VBD", "MD")]
        first = next((subject for verb in verbs if (subject := _subject(verb)) in unit), None)
        if first is None or verbs[0].i < min(first.i, first.left_edge.i):
            return False
        return not any(self._is_loose(token, unit) for token in unit)

    def _is_loose(self, token: Token, unit: Sequence[Token]) -> bool:
        word = token.lower_
        if word in FIRST | FIRST_PLURAL:
            one_of = word == "us" and token.dep_ == "pobj" and token.head.lower_ == "of"
            return one_of or (self._scene.spoken and self._scene.speaker is None)
        if word in SECOND:
            return self._scene.listener is None
        if word in POINTING:
            return token.dep_ in SUBJECTS | {"dobj", "pobj"} and token.tag_ == "DT"
        if token.tag_ not in ("PRP", "PRP$") or token.dep_ == "expl" or _is_impersonal(token):
            return False
        if _is_explained(token, unit):
            return False
        return word in NEUTRAL or self._scene.mention(token) is None

    def leans(self, unit: Sequence[Token], before: Sequence[Token]) -> bool:
        """Whether it cannot be understood without the clause before it: "and I repaired *it*"."""
        return any(
            self._is_loose(token, unit) and _is_explained(token, [*before, *unit]) for token in unit
        )

    def _third_person(self, unit: Sequence[Token], moments: Moments) -> str | None:
        self._wording.pointing = {token.i for token in unit if _is_explained(token, unit)}
        words = [self._word(token, unit, moments) for token in unit]
        text = tidy("".join(words)).strip(_ENDS)
        return text[0].upper() + text[1:] if text else None

    def _word(self, token: Token, unit: Sequence[Token], moments: Moments) -> str:
        spoken = self._scene.spoken
        said = self._wording.word(token, None, False) if spoken else token.text_with_ws
        if token is unit[0] and said[:1].islower():
            said = said[0].upper() + said[1:]
        return said + _resolved(token, moments)

    def _quoted(self, unit: Sequence[Token], moments: Moments) -> str | None:
        """The very words, with whoever said them in front."""
        words = "".join(token.text_with_ws + _resolved(token, moments) for token in unit)
        words = tidy(words).strip(_ENDS)
        speaker = self._scene.speaker
        if not words:
            return None
        if speaker is None:
            if self._scene.spoken and any(token.lower_ in FIRST for token in unit):
                return None  # nobody knows whose words they are
            return words[0].upper() + words[1:]
        return f"{speaker.text}: {words}"


def _resolved(token: Token, moments: Moments) -> str:
    """The date behind an expression of time, in brackets, where its own words do not tell it."""
    when = moments.of(token)
    if when is None or (when.grain in _FINE and _DAY.search(when.text) is None):
        return ""
    if token.idx + len(token) - moments.start < when.end or _is_listed(token):
        return ""
    text = (moments.text(when, None) or "").partition(" at ")[0]  # the words tell the hour
    if not text or text.split()[-1] in when.text:
        return ""
    first, rest = text.split(maxsplit=1)
    if first in _PREPOSITIONS or first == when.relation:
        text = rest
    text = _unsaid(text, when.text)
    space = "" if token.whitespace_ else " "
    return f"{space}({text}){token.whitespace_}"


def _unsaid(date: str, words: str) -> str:
    """Of a date only the year, where the words name the day and the month."""
    match date.split():
        case [day, month, year] if day in words and month[:3].lower() in words.lower():
            return year
    return date


def _is_listed(token: Token) -> bool:
    """ "Mon/Wed/Fri": days of every week."""
    near = token.doc[max(token.i - 1, 0) : token.i + 2]
    return any(item.text == "/" for item in near)


def _is_explained(token: Token, unit: Sequence[Token]) -> bool:
    """Whether somebody or something before a pronoun, in the same clause, can be what it stands for."""
    word = token.lower_
    if token.tag_ not in ("PRP", "PRP$") or word in FIRST | FIRST_PLURAL | SECOND:
        return False
    before = [item for item in unit if item.i < token.i]
    if word in MALE | FEMALE:
        return any(_is_someone(item) for item in before)
    if word in NEUTRAL:
        return any(item.tag_ in ("NN", "NNP") and item.dep_ != "compound" for item in before)
    return any(item.tag_ in ("NNS", "NNPS") or item.dep_ == "conj" for item in before)


def _is_impersonal(it: Token) -> bool:
    """ "it is good to know": stands for what follows."""
    verb = it.head
    complement = child(verb, "acomp", "attr")
    if it.lower_ != "it" or it.dep_ not in SUBJECTS or complement is None:
        return False
    return any(child(item, "xcomp", "ccomp", "advcl") is not None for item in (verb, complement))


def _is_someone(noun: Token) -> bool:
    if noun.pos_ == "PROPN":
        return noun.ent_type_ in ("PERSON", "ORG", "GPE", "") and noun.dep_ != "compound"
    return noun.pos_ == "NOUN" and noun.lemma_.lower() in PEOPLE | PETS


def _subject(verb: Token) -> Token | None:
    """The subject of a finite verb, or of the verb that it helps."""
    head = verb.head if verb.dep_ in ("aux", "auxpass") else verb
    found = child(head, *SUBJECTS, "expl")
    while found is None and head.dep_ == "conj" and verbal(head.head):
        head = head.head
        found = child(head, *SUBJECTS, "expl")
    return found
