"""Drafts of facts: whom a clause is about, and how certain that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recollect.dates.when import When
from recollect.extract.prose.clauses import Clause
from recollect.extract.prose.mentions import Mention
from recollect.extract.prose.render import SentenceWriter
from recollect.extract.prose.scene import Scene
from recollect.extract.prose.syntax import child, verbal
from recollect.extract.prose.verbs import Aspect
from recollect.extract.prose.words import FIRST, FIRST_PLURAL, SECOND
from recollect.graph.found import Mood

if TYPE_CHECKING:
    from spacy.tokens import Token

_SURE = {
    "main": 0.9,
    "implied": 0.75,
    "request": 0.6,
    "relative": 0.85,
    "reason": 0.7,
    "reported": 0.75,
    "opinion": 0.6,
}
_LEAD_COST = {"wish": 0.2, "plan": 0.15, "other": 0.1}


@dataclass(slots=True)
class FactDraft:
    """A fact before its second entity and its relation are known.

    *subject* is how the sentence names the source; *singular*: the verb must be in the singular.
    """

    clause: Clause
    aspect: Aspect
    source: Mention
    subject: str
    writer: SentenceWriter
    confidence: float
    whens: Sequence[When] = ()
    singular: bool = False
    corrects: bool = False
    mood: Mood = "stated"
    claimant: Mention | None = None
    said_as: str | None = None

    def past_judgement(self) -> bool:
        """Whether it judges something past: "the event was awesome"."""
        complement = child(self.clause.verb, "acomp", "attr")
        return complement is not None and not self.source.party and self.aspect.tense == "past"


class Subjects:
    """Opens a draft for each subject of a clause."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene

    def drafts(self, clause: Clause, found: Aspect, writer: SentenceWriter) -> list[FactDraft]:
        """One draft per subject; none if it is unclear who is meant."""
        sure = _SURE[clause.how] - _LEAD_COST.get(found.lead, 0.0)
        claimant = self.scene.mention(clause.claimant) if clause.claimant is not None else None
        if clause.claimant is not None and claimant is None:
            return []
        drafts: list[FactDraft] = []
        for source, subject, singular, cost in self._subjects(clause, writer):
            draft = FactDraft(clause, found, source, subject, writer, round(sure - cost, 2))
            draft.singular = singular
            if claimant is not None and claimant.key != source.key and not _is_me(clause.claimant):
                draft.claimant = claimant
            drafts.append(draft)
        return drafts

    def _subjects(
        self, clause: Clause, writer: SentenceWriter
    ) -> list[tuple[Mention, str, bool, float]]:
        """Per subject: the source, its wording, whether the verb must be singular, the cost in confidence."""
        if not clause.subjects:
            speaker = self.scene.speaker
            if speaker is None or clause.how not in ("implied", "request"):
                return []
            return [(speaker, speaker.text, True, 0.0)]
        if verbal(clause.subjects[0]):
            return self._deed(clause.subjects[0], writer)
        if (beside := _named_one(clause)) is not None:
            named = self.scene.mention(beside)
            return [(named, named.text, False, 0.05)] if named is not None else []
        mentions = [(token, self.scene.mention(token)) for token in clause.subjects]
        if len(mentions) > 1 and (me := next((m for t, m in mentions if _is_me(t)), None)):
            text = writer.phrase(clause.subjects[0])
            return [(me, text, False, 0.0)] if text else []
        found: list[tuple[Mention, str, bool, float]] = []
        if len(mentions) > 1 and not all(
            m is not None and (m.proper or m.role) for _, m in mentions
        ):
            first, text = mentions[0][1], writer.phrase(clause.subjects[0])
            return [(first, text[0].upper() + text[1:], False, 0.05)] if first and text else []
        for token, mention in mentions:
            if mention is None:
                continue
            self.scene.see(mention, subject=True)
            text = self._subject_text(clause, token, mention, writer)
            if text:
                found.append(
                    (mention, text, len(mentions) > 1 and not mention.plural, _doubt(token))
                )
        return found

    def _deed(self, token: Token, writer: SentenceWriter) -> list[tuple[Mention, str, bool, float]]:
        """ "Playing games and watching films are ...": one subject, however many activities it joins."""
        mention, text = self.scene.mention(token), writer.phrase(token)
        return [(mention, text[0].upper() + text[1:], False, 0.1)] if mention and text else []

    def _subject_text(
        self, clause: Clause, token: Token, mention: Mention, writer: SentenceWriter
    ) -> str | None:
        if token.pos_ == "PRON" or mention.party or mention.proper or mention.role:
            return mention.text
        if token.dep_ == "conj" or any(item.dep_ == "conj" for item in token.children):
            return mention.text
        text = writer.phrase(token, frozenset({clause.base.i}))
        return text[0].upper() + text[1:] if text else None


def _named_one(clause: Clause) -> Token | None:
    """ "One of the residents, Cindy, wrote it": Cindy is meant."""
    token = clause.subjects[0]
    if len(clause.subjects) > 1 or token.lower_ != "one":
        return None
    last = token.right_edge
    name = token.doc[last.i - 1] if last.text == "," and last.i else last
    return name if name.dep_ == "appos" and name.pos_ == "PROPN" else None


def _is_me(token: Token | None) -> bool:
    return token is not None and token.lower_ in FIRST


def _doubt(token: Token) -> float:
    word = token.lower_
    if word in FIRST or token.pos_ != "PRON":
        return 0.0
    if word in FIRST_PLURAL:
        return 0.1
    return 0.25 if word in SECOND else 0.15


def conditional(clause: Clause) -> bool:
    """Whether the clause is true only if something else is."""
    if clause.marker in ("if", "unless", "whether"):
        return True
    for verb in clause.verbs:
        for item in verb.children:
            mark = child(item, "mark") if item.dep_ == "advcl" else None
            if mark is not None and mark.lower_ in ("if", "unless"):
                return True
    return clause.parent is not None and clause.parent.how != "main" and conditional(clause.parent)
