"""A clause told in the speaker's own words: in the third person where that is safe, else as a quotation."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recollect.extract.prose.arrange import tidy
from recollect.extract.prose.certain import is_clear
from recollect.extract.prose.implied import led_by
from recollect.extract.prose.listed import listed
from recollect.extract.prose.moments import Moments
from recollect.extract.prose.nouns import is_time
from recollect.extract.prose.scene import Scene
from recollect.extract.prose.syntax import SUBJECTS, child, is_apart, verbal
from recollect.extract.prose.wording import Wording
from recollect.extract.prose.words import (
    EPISTEMIC,
    FEMALE,
    FIRST,
    FIRST_PLURAL,
    MALE,
    NEUTRAL,
    PEOPLE,
    PETS,
    POINTING,
    SECOND,
    TASTES,
    UNCERTAIN,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spacy.tokens import Token

TEXT_CHARS_MAX = 300
_SELVES = frozenset({"myself", "yourself"})
_ENDS = " .!,;:-\u2013\u2014"


class Told(NamedTuple):
    """A clause as a sentence. *quoted*: its very words, behind the name of whoever said them."""

    text: str
    quoted: bool


class Plain:
    """Tells the clauses of one speech."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._wording = Wording(scene)

    def tell(self, unit: Sequence[Token], moments: Moments) -> Told | None:
        """A sentence that can be understood alone; None if it is too long to be one."""
        sure = is_clear(unit) and self.is_statement(unit)
        text = self._third_person(unit, moments) if sure else self._implied(unit, moments)
        if not text:
            return self.quote(unit, moments)
        return Told(text, quoted=False) if len(text) <= TEXT_CHARS_MAX else None

    def quote(self, unit: Sequence[Token], moments: Moments) -> Told | None:
        """The very words of a clause; None if they are too many."""
        text = self._quoted(unit, moments)
        return Told(text, quoted=True) if text and len(text) <= TEXT_CHARS_MAX else None

    def is_statement(self, unit: Sequence[Token]) -> bool:
        """It has a finite verb behind its subject, and no pronoun that only its hearer understands."""
        if is_command(unit):
            return False
        verbs = [token for token in unit if token.tag_ in ("VBZ", "VBP", "VBD", "MD")]
        first = next((subject for verb in verbs if (subject := _subject(verb)) in unit), None)
        if first is None or verbs[0].i < min(first.i, first.left_edge.i):
            return False
        return not any(self._is_loose(token, unit) for token in unit)

    def _is_loose(self, token: Token, unit: Sequence[Token]) -> bool:
        word = token.lower_
        if word in _SELVES:
            return self._scene.spoken  # "himself" or "herself", and which one is not known
        if word in FIRST:
            return self._scene.spoken and self._scene.speaker is None
        if word in FIRST_PLURAL:
            return self._scene.spoken  # who else is meant, only the speaker knows
        if word in SECOND:
            house, listener = self._scene.house, self._scene.listener
            if house is not None and self._scene.mention(token) is house:
                return False
            return listener is None or listener.who == "assistant" or _is_plural(token)
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
        words = [self._word(token, unit, moments) + gap for token, gap in _gaps(unit)]
        text = tidy("".join(words)).strip(_ENDS)
        return text[0].upper() + text[1:] if text else None

    def _implied(self, unit: Sequence[Token], moments: Moments) -> str | None:
        """With the speaker for a subject that chat leaves out."""
        speaker = self._scene.speaker
        if speaker is None or speaker.who == "assistant" or _is_asked(unit):
            return None
        dated = any(moments.of(token) is not None for token in unit)
        lead = led_by(unit, dated)
        if lead is None or any(self._is_loose(token, unit) for token in unit):
            return None
        rest = [token for token, _ in _gaps(unit)][lead[0] :]
        words = "".join(self._word(token, unit, moments) + gap for token, gap in _gaps(rest))
        return tidy(f"{speaker.text} {lead[1]}{words[:1].lower()}{words[1:]}").strip(_ENDS)

    def stands_alone(self, unit: Sequence[Token]) -> bool:
        """Whether it can be understood without what was asked: it says what is done with what."""
        told = any(
            verbal(token) and any(item.dep_ in _TOLD and item in unit for item in token.children)
            for token in unit
        )
        return told and not any(self._is_loose(token, unit) for token in unit)

    def _word(self, token: Token, unit: Sequence[Token], moments: Moments) -> str:
        spoken = self._scene.spoken
        said = self._wording.word(token, None, False) if spoken else token.text_with_ws
        if token is unit[0] and said[:1].islower():
            said = said[0].upper() + said[1:]
        return said + moments.bracket(token)

    def _quoted(self, unit: Sequence[Token], moments: Moments) -> str:
        """The very words, with whoever said them in front."""
        words = "".join(
            token.text_with_ws + moments.bracket(token) + gap for token, gap in _gaps(unit)
        )
        words = tidy(words).strip(_ENDS)
        speaker = self._scene.speaker
        if not words:
            return ""
        if speaker is None:
            if self._scene.spoken and any(token.lower_ in FIRST for token in unit):
                return ""  # nobody knows whose words they are
            return words[0].upper() + words[1:]
        return f"{speaker.text}: {words}"


def _is_asked(unit: Sequence[Token]) -> bool:
    return bool(unit[-1].nbor(1).text == "?") if unit[-1].i + 1 < len(unit[-1].doc) else False


def is_command(unit: Sequence[Token]) -> bool:
    """Its first verb is in its base form and has neither a subject nor a helper but "do"."""
    verb = next((token for token in unit if token.dep_ not in _BEFORE_COMMAND), None)
    if verb is None or not verbal(verb) or verb.tag_ not in ("VB", "VBP"):
        return False
    if verb.lower_ == "got" or verb.lemma_.lower() in _NO_COMMANDS:
        return False
    helped = any(item.lemma_ != "do" for item in verb.children if item.dep_ in _HELPERS)
    return _subject(verb) is None and not helped


_HELPERS = ("aux", "auxpass")
_NO_COMMANDS = TASTES | EPISTEMIC | UNCERTAIN | listed("need want have get love cost")
_BEFORE_COMMAND = frozenset({"aux", "neg", "advmod", "intj", "punct", "cc"})
_TOLD = ("dobj", "attr", "acomp", "oprd", "prep")


def _gaps(unit: Sequence[Token]) -> Iterator[tuple[Token, str]]:
    """Each word, and a space behind it where the next one stood elsewhere in the sentence."""
    for token, following in zip(unit, [*unit[1:], None], strict=True):
        yield token, " " if is_apart(token, following) else ""


def _is_explained(token: Token, unit: Sequence[Token]) -> bool:
    """Whether somebody or something before a pronoun, in the same clause, can be what it stands for."""
    word = token.lower_
    if token.tag_ not in ("PRP", "PRP$") or word in FIRST | FIRST_PLURAL | SECOND:
        return False
    before = [item for item in unit if item.i < token.i]
    if word in MALE | FEMALE:
        return any(_is_someone(item) for item in before)
    if word in NEUTRAL:
        return any(
            item.tag_ in ("NN", "NNP") and item.dep_ != "compound" and not _is_someone(item)
            for item in before
            if not (item.head == token.head and item.dep_ in SUBJECTS)
        )
    return any(item.tag_ in ("NNS", "NNPS") or _is_one_of_several(item) for item in before)


def _is_one_of_several(item: Token) -> bool:
    return item.dep_ == "conj" and _is_someone(item) and _is_someone(item.head)


def _is_plural(you: Token) -> bool:
    """ "you two", "you guys"; "you know" is nobody at all."""
    after = you.nbor(1).lower_ if you.i + 1 < len(you.doc) else ""
    return after in ("two", "three", "guys", "all", "both", "lot", "folks", "know", "please")


def _is_impersonal(it: Token) -> bool:
    """ "it is good to know": stands for what follows."""
    verb = it.head
    complement = child(verb, "acomp", "attr")
    if it.lower_ != "it" or it.dep_ not in SUBJECTS or complement is None:
        return False
    if is_time(complement):
        return True
    return any(
        part.dep_ in ("xcomp", "ccomp", "advcl")
        for item in (verb, complement)
        for part in item.rights
    )


def _is_someone(noun: Token) -> bool:
    if noun.pos_ == "PROPN":
        return noun.ent_type_ in ("PERSON", "ORG", "GPE", "") and noun.dep_ != "compound"
    return noun.pos_ == "NOUN" and noun.lemma_.lower() in PEOPLE | PETS


def _subject(verb: Token) -> Token | None:
    """The subject of a finite verb, or of the verb that it helps."""
    head = verb.head if verb.dep_ in ("aux", "auxpass") else verb
    found = child(head, *SUBJECTS, "expl") or child(verb, *SUBJECTS)
    while found is None and head.dep_ == "conj" and verbal(head.head):
        head = head.head
        found = child(head, *SUBJECTS, "expl")
    return found
