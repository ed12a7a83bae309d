"""Facts from constructions other than plain clauses: appositions, requests, corrections, and what two
do to each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from recollect.extract.brief import Turn
from recollect.extract.prose import nouns, salience
from recollect.extract.prose.clauses import Clause
from recollect.extract.prose.drafts import FactDraft
from recollect.extract.prose.findings import Findings
from recollect.extract.prose.mentions import Mention, is_role
from recollect.extract.prose.moments import Moments
from recollect.extract.prose.relations import RelationName, denied, screaming_snake
from recollect.extract.prose.render import SentenceWriter
from recollect.extract.prose.scene import Scene
from recollect.extract.prose.syntax import child, verbal
from recollect.extract.prose.verbs import Aspect
from recollect.extract.prose.words import gerund, listed
from recollect.graph.found import Found, FoundEntity, FoundFact

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

    from recollect.extract.prose.frames import Framer

_SURE_APPOSITION = 0.75
_PLACES = frozenset({"GPE", "LOC"})
_LONG = 25
_SURE_REQUEST = 0.5
_CORRECTING = frozenset({"mean"})
_SURE_CORRECTION = 0.8
_TOGETHER = {
    "friend": "KNOWS",
    "colleague": "WORKS_WITH",
    "coworker": "WORKS_WITH",
    "married": "MARRIED_TO",
    "engaged": "ENGAGED_TO",
    "divorced": "DIVORCED",
    "marry": "MARRIED_TO",
    "divorce": "DIVORCED",
    "meet": "MET",
    "date": "DATES",
    "separate": "DIVORCED",
}
_BESIDE = listed("friend sibling sister brother cousin neighbor roommate couple twin")
_SURE_RECIPROCAL = 0.85


def add_appositions(
    sentence: Span, scene: Scene, moments: Moments, findings: Findings, span: tuple[int, int]
) -> None:
    """Add what a sentence says in passing: "Ada Berg, a pharmacist"; relatives are read elsewhere."""
    aside = _AppositionReader(scene, moments, findings, span)
    for token in sentence:
        if token.lower_ == "born" and token.dep_ in ("acl", "advcl"):
            aside.born(token)
        if token.dep_ != "appos" or token.head.pos_ != "PROPN":
            continue
        if token.ent_type_ in _PLACES and token.head.ent_type_ in _PLACES:
            aside.within(token)
        if token.pos_ != "NOUN" or child(token, "det") is None or _is_listed(token):
            continue
        if not is_role(token) and not nouns.is_time(token):
            aside.described(token)


def _is_listed(noun: Token) -> bool:
    """ "Acme, a law firm, and Globex": three things, or two and what the first one is."""
    after = noun.right_edge.i + 1
    comma, join = noun.doc[after : after + 1], noun.doc[after + 1 : after + 2]
    inside = child(noun, "cc") is not None
    return inside or (comma.text == "," and join.text.lower() in ("and", "or", "&"))


@dataclass(slots=True)
class _AppositionReader:
    """Adds what one sentence says in passing."""

    scene: Scene
    moments: Moments
    findings: Findings
    span: tuple[int, int]

    def described(self, token: Token) -> None:
        """ "Ada Berg, a pharmacist"."""
        source, target = self.scene.mention(token.head), self.scene.mention(token)
        phrase = SentenceWriter(self.scene, self.moments).phrase(token)
        if source is None or target is None or phrase is None or source.key == target.key:
            return
        person = source.kind in ("person", None)
        name = "WORKS_AS" if nouns.is_job(token) and person else "IS_A"
        self._write(source, target, name, f"{source.text} is {phrase}")

    def within(self, token: Token) -> None:
        """ "in Sudbury, Ontario": the first lies in the second."""
        comma = token.doc[token.left_edge.i - 1] if token.left_edge.i else None
        source, target = self.scene.mention(token.head), self.scene.mention(token)
        if comma is None or comma.text != "," or source is None or target is None:
            return
        if source.key != target.key and source.proper and target.proper:
            self._write(source, target, "LOCATED_IN", f"{source.text} is in {target.text}")

    def born(self, token: Token) -> None:
        """ "Schneider (born 13 March 1963 in Mediaș)", "Born in Prelate, he moved"."""
        if child(token, "auxpass", "nsubjpass", "aux") is not None:
            return
        subject = token.head if token.dep_ == "acl" else child(token.head, "nsubj", "nsubjpass")
        source = self.scene.mention(subject) if subject is not None else None
        words = [item for item in token.subtree if item.i > token.i and item.text not in "()"]
        loose = any(item.tag_ in ("PRP", "PRP$") for item in words)
        if source is None or not source.proper or loose or not 0 < len(words) <= _LONG:
            return
        source.kind = source.kind or "person"
        told = "".join(item.text_with_ws for item in words).strip(" ,;.")
        place = next((item for item in map(self._place, token.rights) if item is not None), None)
        name = "BORN_IN" if place is not None else "WAS_BORN"
        day = next((when.first for item in words if (when := self.moments.of(item))), None)
        self._write(source, place or source, name, f"{source.text} was born {told}", day)

    def _place(self, prep: Token) -> Mention | None:
        inner = child(prep, "pobj") if prep.dep_ == "prep" and prep.lower_ in ("in", "at") else None
        if inner is None or inner.pos_ != "PROPN" or nouns.is_time(inner):
            return None
        return self.scene.mention(inner)

    def _write(
        self,
        source: Mention,
        target: Mention,
        name: str,
        text: str,
        day: datetime | None = None,
    ) -> None:
        self.findings.state(
            source,
            target,
            name,
            text,
            at=day or self.scene.reading.at,
            span=self.span,
            confidence=_SURE_APPOSITION,
            dated=day is not None,
        )


def request(framer: Framer, clause: Clause, moments: Moments) -> None:
    """Draft what the speaker asks for. An assistant's commands are advice, not requests."""
    speaker = framer.scene.speaker
    if speaker is None or speaker.who == "assistant" or clause.denied():
        return
    proposed = _proposal(clause)
    verb = proposed.base if proposed is not None else clause.base
    if not salience.is_request(verb) or moments.is_over():
        return
    asked = proposed or clause
    draft = FactDraft(
        asked, Aspect(), speaker, speaker.text, SentenceWriter(framer.scene, moments), _SURE_REQUEST
    )
    draft.mood = "requested"
    draft.whens = [moments.as_bound(when) for when in moments.whens]
    lemma = verb.lemma_.lower()
    draft.said_as = f"is {gerund(lemma)}" if proposed is not None else f"asked to {lemma}"
    framer.fill_request(draft)


def _proposal(clause: Clause) -> Clause | None:
    """The inner clause of "let's go"."""
    if clause.base.lower_ != "let":
        return None
    inner = child(clause.base, "ccomp", "xcomp")
    if inner is None or not verbal(inner):
        return None
    who = child(inner, "nsubj") or child(clause.base, "dobj", "nsubj")
    if who is None or who.lower_ not in ("'s", "us"):
        return None
    return Clause((inner,), (), "request", inner)


ReadTurn = Callable[[Turn], Found]


def correct(
    clause: Clause, scene: Scene, findings: Findings, again: ReadTurn, span: tuple[int, int]
) -> bool:
    """Restate the corrected fact; False if the clause corrects nothing.

    The fact is looked for in this episode, then in the speaker's earlier turns.
    """
    said = _right(clause)
    if said is None:
        return False
    right = scene.mention(said)
    wrong = [mention for token in denied(said) if (mention := scene.mention(token)) is not None]
    if right is None:
        return True
    for found in _sources(scene, findings, again):
        fact = _match(found, right, wrong)
        if fact is not None:
            _restate(findings, found, fact, right, span)
            break
    return True


def _right(clause: Clause) -> Token | None:
    """The corrected value: the X of "it's X" and "I meant X"."""
    verb = clause.verb
    subject = clause.subjects[0].lower_ if clause.subjects else "i"
    if verb.lemma_ == "be" and subject in ("it", "that"):
        return child(verb, "attr")
    if verb.lemma_ in _CORRECTING and subject == "i":
        return child(verb, "dobj")
    return None


def _sources(scene: Scene, findings: Findings, again: ReadTurn) -> list[Found]:
    own = findings.drafted()
    if own.facts:
        return [own]
    speaker = scene.speaker
    turns = [turn for turn in reversed(scene.speech.before) if scene.said_by(turn) == speaker]
    return [again(turn) for turn in turns[:2]]


def _match(found: Found, right: Mention, wrong: list[Mention]) -> FoundFact | None:
    """The newest fact about the wrong value, or, if none is named, about one of the same kind."""
    names = {mention.name.casefold() for mention in wrong}
    for fact in reversed(found.facts):
        target = found.entities[fact.target]
        if fact.source == fact.target or target.who is not None:
            continue
        if target.name.casefold() in names if names else _alike(target, right):
            return fact
    return None


def _alike(target: FoundEntity, right: Mention) -> bool:
    return right.kind is None or target.kind in (right.kind, None)


def _restate(
    findings: Findings, found: Found, fact: FoundFact, right: Mention, span: tuple[int, int]
) -> None:
    old, source = found.entities[fact.target], found.entities[fact.source]
    if old.name not in fact.fact:
        return
    who = Mention(source.name, source.name, source.kind, True, who=source.who)
    right.kind = right.kind or old.kind
    new = msgspec.structs.replace(
        fact,
        source=findings.entity(who),
        target=findings.entity(right),
        fact=fact.fact.replace(old.name, right.text),
        corrects=True,
        span=span,
        confidence=_SURE_CORRECTION,
    )
    findings.fact(new)


def reciprocal(framer: Framer, clause: Clause, aspect: Aspect, writer: SentenceWriter) -> bool:
    """Add one fact between the two ("Anna and Bob got married"); False if it is not reciprocal."""
    if len(clause.subjects) != 2 or child(clause.verb, "dobj") is not None:
        return False
    word = _reciprocal_word(clause)
    first, second = (framer.scene.mention(token) for token in clause.subjects)
    if word is None or first is None or second is None:
        return False
    if not all(item.proper or item.role for item in (first, second)):
        return False
    subject = writer.phrase(clause.subjects[0])
    text = writer.sentence(clause, subject) if subject is not None else None
    if text is None or subject is None:
        return False
    predicate = _TOGETHER.get(word) or screaming_snake(["is", word, "of"])
    name = f"NOT_{predicate}" if aspect.negated else predicate
    draft = FactDraft(clause, aspect, first, subject, writer, _SURE_RECIPROCAL)
    draft.whens = framer.whens_of(clause)
    for item in (first, second):
        item.kind = item.kind or "person"
    return framer.emit(draft, second, RelationName(name, predicate), text)


def _reciprocal_word(clause: Clause) -> str | None:
    """The word for what they are to each other."""
    verb = clause.verb
    complement = child(verb, "attr", "acomp", "oprd")
    words = [verb.lower_, verb.lemma_.lower()]
    if complement is not None:
        words = [complement.lower_, complement.lemma_.lower()]
    elif child(verb, "prep") is not None:
        return None if verb.lemma_.lower() not in _TOGETHER else verb.lemma_.lower()
    return next((word for word in words if word in _TOGETHER or word in _BESIDE), None)
