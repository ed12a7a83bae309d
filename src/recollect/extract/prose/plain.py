"""A clause restated in the speaker's own words: in the third person where safe, else as a quotation."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recollect.extract.prose.fidelity import SAME_IN_PAST, is_clear, is_whole, main_verb
from recollect.extract.prose.moments import Moments
from recollect.extract.prose.nouns import is_time
from recollect.extract.prose.scene import Scene
from recollect.extract.prose.syntax import (
    AUXILIARIES,
    FINITE,
    SUBJECTS,
    child,
    is_apart,
    is_around,
    verbal,
)
from recollect.extract.prose.wording import TEXT_CHARS_MAX, Wording, tidy
from recollect.extract.prose.words import (
    EPISTEMIC,
    EVALUATIVE,
    FEELINGS,
    FEMALE,
    FIRST,
    FIRST_PLURAL,
    IDENTITY,
    MALE,
    NEUTRAL,
    PEOPLE,
    PETS,
    PLURAL,
    POINTING,
    SECOND,
    TASTES,
    UNCERTAIN,
    listed,
    third,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spacy.tokens import Token

_NOTE_MAX = 14
_SELVES = frozenset({"myself", "yourself"})
_ENDS = " .!,;:-\u2013\u2014"
_NO_COMMANDS = TASTES | EPISTEMIC | UNCERTAIN | listed("need want have get love cost")
_BEFORE_COMMAND = frozenset({"aux", "neg", "advmod", "intj", "punct", "cc"})
_TOLD = ("dobj", "attr", "acomp", "oprd", "prep")
_BEFORE = frozenset({"advmod", "intj", "punct", "cc", "aux"})
_ADVERBS = listed("just also now already finally recently currently only still")
_MOVING = listed(
    "move start go fly drive travel switch talk speak work live study apply enrol register"
)
_COMING = listed("start move fly leave")
_BACK = listed("back home away")
_WHERE = frozenset({"at", "to", "in", "with", "from", "for", "on", "as", "into"})


class PlainSentence(NamedTuple):
    """A clause as a sentence. *quoted*: its exact words, after the speaker's name. *joined*: the clause
    before it is told with it."""

    text: str
    quoted: bool
    joined: bool = False


class PlacedUnit(NamedTuple):
    """A clause, and the times in its sentence."""

    unit: Sequence[Token]
    moments: Moments


class Plain:
    """Restates the clauses of one speech."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._wording = Wording(scene)

    def tell(self, unit: Sequence[Token], moments: Moments) -> PlainSentence | None:
        """A sentence that can be understood alone; None if it would be too long."""
        sure = is_clear(unit) and self.is_statement(unit) and not _is_alternative(unit)
        text = self._third_person(unit, moments) if sure else self._implied(unit, moments)
        if not text:
            return self.quote(unit, moments)
        return PlainSentence(text, quoted=False) if len(text) <= TEXT_CHARS_MAX else None

    def quote(self, unit: Sequence[Token], moments: Moments) -> PlainSentence | None:
        """The exact words of a clause; None if they are too long."""
        text = self._quoted(unit, moments)
        return PlainSentence(text, quoted=True) if text and len(text) <= TEXT_CHARS_MAX else None

    def quote_after(
        self, before: PlacedUnit, unit: Sequence[Token], moments: Moments
    ) -> PlainSentence | None:
        """The exact words of the clause before and of this clause; None if they are too long."""
        first, last = self._words(*before), self._words(unit, moments)
        together = before.unit[-1].sent == unit[0].sent
        pause = ":" if _is_explained_by(before.unit, unit) else "," if together else "."
        pause = "?" if _is_asked(before.unit) or before.unit[-1].text == "?" else pause
        text = self._spoken(unit, f"{first}{pause} {last}" if first else last)
        if not text or len(text) > TEXT_CHARS_MAX:
            return None
        return PlainSentence(text, quoted=True, joined=bool(first))

    def needs_before(self, unit: Sequence[Token], before: Sequence[Token]) -> bool:
        """Whether a quotation alone would not say what it is about.

        It has a pronoun ("she's a baker"), or is a note on what was just said ("I got the job! 88k a year").
        """
        if self._scene.spoken and (_is_explained_by(before, unit) or _is_alternative(unit)):
            return True
        if any(token.tag_ in FINITE for token in unit):
            return any(_points_back(token, unit) for token in unit)
        return self._scene.spoken and _is_fragment(unit) and _tells(before)

    def is_statement(self, unit: Sequence[Token]) -> bool:
        """Whether a finite verb follows its subject, and every pronoun can be understood."""
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
            return self._scene.spoken  # "himself" or "herself": which one is unknown
        if word in FIRST:
            return self._scene.spoken and self._scene.speaker is None
        if word in FIRST_PLURAL:
            return self._scene.spoken  # only the speaker knows who else is meant
        if word in SECOND:
            company, listener = self._scene.company, self._scene.listener
            if company is not None and self._scene.mention(token) is company:
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
        """Whether it needs the clause before it to be understood: "and I repaired *it*"."""
        return _is_alternative(unit) or any(
            self._is_loose(token, unit) and _is_explained(token, [*before, *unit]) for token in unit
        )

    def _third_person(self, unit: Sequence[Token], moments: Moments) -> str | None:
        self._wording.pointing = {token.i for token in unit if _is_explained(token, unit)}
        words = [self._word(token, unit, moments) + gap for token, gap in _gaps(unit)]
        text = tidy("".join(words)).strip(_ENDS)
        return text[0].upper() + text[1:] if text else None

    def _implied(self, unit: Sequence[Token], moments: Moments) -> str | None:
        """The clause with the speaker as the subject that chat leaves out."""
        speaker = self._scene.speaker
        if speaker is None or speaker.who == "assistant" or _is_asked(unit):
            return None
        dated = any(moments.of(token) is not None for token in unit)
        lead = implied_lead(unit, dated)
        if lead is None or any(self._is_loose(token, unit) for token in unit):
            return None
        rest = [token for token, _ in _gaps(unit)][lead[0] :]
        words = "".join(self._word(token, unit, moments) + gap for token, gap in _gaps(rest))
        return tidy(f"{speaker.text} {lead[1]}{words[:1].lower()}{words[1:]}").strip(_ENDS)

    def stands_alone(self, unit: Sequence[Token]) -> bool:
        """Whether it can be understood without the question: it has a verb with a complement."""
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
        """The exact words, after the speaker's name."""
        return self._spoken(unit, self._words(unit, moments))

    def _words(self, unit: Sequence[Token], moments: Moments) -> str:
        words = "".join(
            token.text_with_ws + moments.bracket(token) + gap for token, gap in _gaps(unit)
        )
        return tidy(words).strip(_ENDS)

    def _spoken(self, unit: Sequence[Token], words: str) -> str:
        speaker = self._scene.speaker
        if not words:
            return ""
        if speaker is None:
            if self._scene.spoken and any(token.lower_ in FIRST for token in unit):
                return ""  # an "I" of an unknown speaker
            return words[0].upper() + words[1:]
        return f"{speaker.text}: {words}"


def _is_explained_by(before: Sequence[Token], unit: Sequence[Token]) -> bool:
    """Whether a colon joins them: "Finance came back: 265k in total"."""
    colon = before[-1].i + 1
    return unit[0].i == colon + 1 and bool(unit[0].doc[colon].text == ":")


def _is_alternative(unit: Sequence[Token]) -> bool:
    """ "Otherwise I'd be there": only the clause before it says what is so."""
    said = {token.lower_ for token in unit}
    return "otherwise" in said and not said.isdisjoint(("would", "'d", "\u2019d"))


def _is_fragment(unit: Sequence[Token]) -> bool:
    """Whether it is only a few words, with a noun or number and without a heading.

    Words that begin with a preposition do not count: they would seem to say where the clause before them
    took place.
    """
    first = next((token for token in unit if not token.is_punct), None)
    if first is None or first.pos_ in ("ADP", "SCONJ", "CCONJ", "INTJ", "ADV"):
        return False
    words = [token for token in unit if token.is_alpha or token.like_num]
    told = any(token.pos_ in ("NOUN", "PROPN", "NUM") for token in unit)
    return told and len(words) <= _NOTE_MAX and not any(token.text == ":" for token in unit)


def _tells(unit: Sequence[Token]) -> bool:
    """Whether it is a whole clause about something: a verb, its subject, and a noun."""
    noun = any(token.pos_ in ("NOUN", "PROPN") for token in unit)
    return noun and main_verb(unit) is not None and not _is_asked(unit)


def _points_back(token: Token, unit: Sequence[Token]) -> bool:
    """Whether it is a third-person pronoun without an antecedent in the clause."""
    third_person = token.lower_ in MALE | FEMALE | NEUTRAL | PLURAL
    if not third_person or token.tag_ not in ("PRP", "PRP$") or token.dep_ == "expl":
        return False
    return not (_is_impersonal(token) or _is_explained(token, unit))


def _is_asked(unit: Sequence[Token]) -> bool:
    return bool(unit[-1].nbor(1).text == "?") if unit[-1].i + 1 < len(unit[-1].doc) else False


def is_command(unit: Sequence[Token]) -> bool:
    """Whether the first verb is in its base form, without a subject or any auxiliary but "do"."""
    verb = next((token for token in unit if token.dep_ not in _BEFORE_COMMAND), None)
    if verb is None or not verbal(verb) or verb.tag_ not in ("VB", "VBP"):
        return False
    if verb.lower_ == "got" or verb.lemma_.lower() in _NO_COMMANDS:
        return False
    helped = any(item.lemma_ != "do" for item in verb.children if item.dep_ in AUXILIARIES)
    return _subject(verb) is None and not helped


def _gaps(unit: Sequence[Token]) -> Iterator[tuple[Token, str]]:
    """Each word, and a space where the next one did not follow it in the sentence."""
    for token, following in zip(unit, [*unit[1:], None], strict=True):
        yield token, " " if is_apart(token, following) else ""


def _is_explained(token: Token, unit: Sequence[Token]) -> bool:
    """Whether a noun before the pronoun in the same clause can be its antecedent."""
    word = token.lower_
    if token.tag_ not in ("PRP", "PRP$") or word in FIRST | FIRST_PLURAL | SECOND:
        return False
    before = [item for item in unit if item.i < token.i and not is_around(item, token)]
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
    """Whether "you" is not the listener alone: "you two", "you guys", and the filler "you know"."""
    after = you.nbor(1).lower_ if you.i + 1 < len(you.doc) else ""
    return after in ("two", "three", "guys", "all", "both", "lot", "folks", "know", "please")


def _is_impersonal(it: Token) -> bool:
    """ "it is good to know": "it" stands for what follows."""
    verb = it.head
    complement = child(verb, "acomp", "attr")
    if it.lower_ != "it" or it.dep_ not in SUBJECTS or complement is None:
        return False
    if is_time(complement):
        return True
    noun = complement.pos_ in ("NOUN", "PROPN")  # "it's a shop, selling tea": a thing
    return any(
        part.dep_ in ("xcomp", "ccomp", "advcl") and not (noun and part.tag_ == "VBG")
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


def implied_lead(unit: Sequence[Token], dated: bool) -> tuple[int, str] | None:
    """How to complete a clause that lacks its subject: "sold my bike", "back in Porto since May".

    Returns how many of its words to skip, and what to put between the speaker and the rest: an auxiliary, or
    the verb in the third person. None unless the speaker is certainly meant; "sold out till March" is about
    something else.
    """
    at = next((at for at, token in enumerate(unit) if not _only_leads(token)), None)
    if at is None or any(token.dep_ in SUBJECTS and token.head == unit[at] for token in unit):
        return None
    skipped = sum(token.dep_ in ("intj", "punct", "cc") for token in unit[:at])
    first = unit[at]
    if not is_whole(unit, first):
        return None
    if first.tag_ == "VBD" and _has_done(first):
        return skipped, ""
    if first.tag_ == "VBG" and _is_doing(first):
        return skipped, "is "
    if (
        first.lower_ in _states()
        and child(first, "prep") is not None
        and first.tag_ in ("JJ", "RB")
    ):
        return skipped, "is "
    if first.tag_ in ("VB", "VBP") and at == skipped and dated and _is_to_come(first):
        return at + 1, third(first.lower_) + " "
    return None


def _only_leads(token: Token) -> bool:
    return token.dep_ in ("intj", "punct", "cc") or token.lower_ in _ADVERBS


def _states() -> frozenset[str]:
    return (IDENTITY | FEELINGS | _BACK) - EVALUATIVE


def _has_done(verb: Token) -> bool:
    """ "sold my bike"; not "left shin hurts", nor the possible command "set the hallway to 19"."""
    if verb.lower_ in SAME_IN_PAST:
        return False
    thing = child(verb, "dobj")
    if thing is not None and not is_time(thing):
        return _is_definite(thing) and verb.lemma_.lower() != "be"
    return verb.lemma_.lower() in _MOVING and _goes_somewhere(verb)


def _is_doing(verb: Token) -> bool:
    """ "selling my bike", not "missing index": only with a definite object."""
    thing = child(verb, "dobj")
    if thing is not None:
        return _is_definite(thing)
    return _goes_somewhere(verb)


def _is_definite(thing: Token) -> bool:
    return child(thing, "det", "poss") is not None or thing.pos_ == "PROPN"


def _is_to_come(verb: Token) -> bool:
    return verb.lemma_.lower() in _COMING and _goes_somewhere(verb) and child(verb, "dobj") is None


def _goes_somewhere(verb: Token) -> bool:
    preps = (item for item in verb.rights if item.dep_ == "prep" and item.lower_ in _WHERE)
    return any((inner := child(item, "pobj")) is not None and not is_time(inner) for item in preps)
