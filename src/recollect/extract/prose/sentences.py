"""Decides which facts a sentence yields.

Each independent clause is stated once. Drafts of the rules are kept if they are faithful to the words
and leave nothing out; otherwise the clause is restated in the speaker's own words, with the relation of
the best fitting draft, or with a general one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import regex
from msgspec.structs import replace

from recollect.dates.when import When
from recollect.extract.prose import salience
from recollect.extract.prose.datewords import is_dateline
from recollect.extract.prose.fidelity import (
    SourceClause,
    is_clear,
    says_several,
    subject_in,
)
from recollect.extract.prose.findings import Findings
from recollect.extract.prose.mentions import Mention
from recollect.extract.prose.moments import Moments, Validity, bounds, is_event, is_past
from recollect.extract.prose.plain import PlacedUnit, Plain, PlainSentence, is_command
from recollect.extract.prose.scene import Scene
from recollect.extract.prose.support import GENERAL, RELATIONS, RelationSupport
from recollect.extract.prose.syntax import (
    FINITE,
    SUBJECTS,
    IsVerb,
    child,
    is_apart,
    text_of,
    verbal,
)
from recollect.extract.prose.units import HEADING_MAX, units
from recollect.extract.prose.words import (
    FIRST,
    FIRST_PLURAL,
    KIN,
    NEUTRAL,
    PLURAL,
    POINTING,
    SECOND,
    TITLES,
)
from recollect.graph.found import FoundFact
from recollect.graph.predicates import Predicates
from recollect.models.sentence_kinds import Kind, Utterance

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_MOST = 0.5
_FEW = 3
_POINTS_BACK = regex.compile(r"\b(?:it|that|there|this|they|them|one|so)\b", regex.IGNORECASE)
_QUESTIONS = regex.compile(r"(?:(?:[^.!?\n]|[.!](?! ))+\?+\s*){1,3}$")
_SURE = 0.7
_LOOSE = frozenset({"IS_A", "HAS"})
_KINDS = frozenset({*RELATIONS.values(), "ANSWERS"})
_PLACES = ("dobj", "attr", "pobj", "nsubj", "nsubjpass", "conj", "ROOT", "appos", "oprd")


class _FaithfulDraft(NamedTuple):
    """A draft, and the words of the clause that it covers."""

    fact: FoundFact
    covered: frozenset[int]


class PendingClause(NamedTuple):
    """An independent clause that waits to be classified.

    *drafts* are the facts that the rules found in the sentence; *restated* is the clause in its own words.
    """

    unit: Sequence[Token]
    drafts: Sequence[FoundFact]
    moments: Moments
    span: tuple[int, int]
    restated: PlainSentence | None
    said: Utterance


class Sentences:
    """Adds the facts of one speech's sentences to the findings."""

    def __init__(
        self, scene: Scene, findings: Findings, table: Predicates, is_verb: IsVerb
    ) -> None:
        self._scene = scene
        self._findings = findings
        self._table = table
        self._support = RelationSupport(scene, table, is_verb)
        self._plain = Plain(scene)
        self._parts: list[PendingClause | FoundFact] = []
        self._before: PlacedUnit | None = None
        self._answering = True  # until something else is stated

    @property
    def clauses(self) -> list[PendingClause]:
        """The clauses that wait to be classified."""
        return [part for part in self._parts if isinstance(part, PendingClause)]

    def add(
        self,
        parts: Sequence[Sequence[Token]],
        drafts: Sequence[FoundFact],
        moments: Moments,
        span: tuple[int, int],
    ) -> None:
        """Take the clauses of a sentence with the drafts made from it.

        Corrections and requests are certain; the rest waits to be classified.
        """
        stated = [fact for fact in drafts if fact.mood == "stated"]
        right = any(fact.corrects for fact in stated)
        self._parts += stated if right else (one for one in drafts if one.mood == "requested")
        if not right:
            for unit in parts:
                told = self._restated(unit, moments)
                said = self._said(unit, told.text if told is not None else "")
                told = self._understandable(told, unit, moments)
                if len(parts) > 1:
                    said = said._replace(within=unit[-1].sent.text)
                own = self._own(unit, stated) if len(parts) > 1 else stated
                self._parts.append(PendingClause(unit, own, moments, span, told, said))

    def _restated(self, unit: Sequence[Token], moments: Moments) -> PlainSentence | None:
        """The clause restated, or quoted if the restatement is not faithful."""
        told = self._plain.tell(unit, moments)
        if told is None or told.quoted or self._covered(self._source(unit, moments), told.text):
            return told
        return self._plain.quote(unit, moments)

    def _understandable(
        self, told: PlainSentence | None, unit: Sequence[Token], moments: Moments
    ) -> PlainSentence | None:
        """A quotation, with the clause before it in front if only that says what it is about."""
        before, self._before = self._before, PlacedUnit(unit, moments)
        if before is None or told is None or not told.quoted:
            return told
        if not self._plain.needs_before(unit, before.unit):
            return told
        return self._plain.quote_after(before, unit, moments) or told

    def _covered(self, source: SourceClause, text: str) -> frozenset[int] | None:
        """The words that a sentence covers; None if it is not faithful, or still says "I"."""
        first = FIRST | FIRST_PLURAL if self._scene.spoken else frozenset[str]()
        spoken = any(word.strip(".,;:!\"'()") in first for word in text.lower().split())
        return None if spoken else source.covered(text)

    def _own(self, unit: Sequence[Token], drafts: Sequence[FoundFact]) -> list[FoundFact]:
        """The drafts that were not read from another clause; shared words belong to the other."""
        last = next(
            at for at in range(len(unit), 0, -1) if at == 1 or is_apart(unit[at - 2], unit[at - 1])
        )
        places = {None, *(token.i for token in unit[last - 1 :])}
        return [fact for fact in drafts if self._findings.verb_of(fact) in places]

    def cut(self, sentence: Span, heading: Sequence[Token]) -> list[Sequence[Token]]:
        """The independent clauses that may say something."""
        found: list[Sequence[Token]] = []
        parts = units(sentence, heading)
        for unit in parts:
            if found and self._plain.leans(unit, found[-1]):
                found[-1] = _joined(found[-1], unit)
            else:
                found.append(unit)
        empty = salience.says_nothing if self._scene.spoken else self._is_dateline
        return [unit for unit in found if not empty(unit)]

    def _is_dateline(self, unit: Sequence[Token]) -> bool:
        return is_dateline(text_of(unit).strip(" ."), self._scene.reading.at)

    def settle(self, kinds: Sequence[Kind]) -> None:
        """Add the facts of the clauses, given the kind of each."""
        told = iter(self._with_siblings(self.clauses, kinds))
        for part in self._parts:
            if isinstance(part, PendingClause):
                facts = self._facts_of(part, next(told))
                self._answering &= all(fact.name == "ANSWERS" for fact in facts)
                for fact in facts:
                    self._findings.fact(self._with_short_names(self._joined(fact, part.unit)))
            else:
                self._findings.fact(self._with_short_names(part))

    def _with_short_names(self, fact: FoundFact) -> FoundFact:
        """The fact with a party's full name only at its first occurrence."""
        text = fact.fact
        for party in (self._scene.speaker, self._scene.listener):
            if party is not None and party.who != "assistant" and _has_first_name(party.text):
                head, name, rest = text.partition(party.text)
                text = head + name + rest.replace(party.text, party.text.split()[0])
        return replace(fact, fact=text)

    def _joined(self, fact: FoundFact, unit: Sequence[Token]) -> FoundFact:
        """Give a fact about a single entity another entity of its clause as target.

        Its relation becomes general, because the other entity is no part of it, unless both are its subject.
        A fact whose relation is in
        the table stays as it is.
        """
        if fact.source != fact.target or fact.predicate in self._table:
            return fact
        for token in unit:
            mention = self._scene.mention(token) if token.dep_ in _PLACES else None
            if mention is None or not (mention.proper or mention.party) or mention.kind == "value":
                continue
            place = self._findings.entity(mention)
            if place != fact.source:
                told = fact.name in _KINDS or fact.name.endswith("_THAT")  # "wants that Ana leads"
                joins = told or _is_joined_subject(token)
                name, predicate = (fact.name, fact.predicate) if joins else (GENERAL, GENERAL)
                return replace(fact, target=place, name=name, predicate=predicate)
        return fact

    def _with_siblings(self, clauses: Sequence[PendingClause], kinds: Sequence[Kind]) -> list[Kind]:
        """The kinds of the clauses.

        A statement that was classified as worthless takes the kind of another clause of its sentence: it may
        have been too short to classify.
        """
        worth = {
            clause.span: kind
            for clause, kind in zip(clauses, kinds, strict=True)
            if kind in ("state", "event", "plan", "preference", "denial")
        }
        spare = self._role() != "assistant"
        return [
            worth.get(clause.span, kind)
            if kind == "none"
            and spare
            and clause.said.within
            and self._is_full_statement(clause.unit)
            else kind
            for clause, kind in zip(clauses, kinds, strict=True)
        ]

    def _is_full_statement(self, unit: Sequence[Token]) -> bool:
        return len(unit) > _FEW and _has_subject(unit) and self._plain.is_statement(unit)

    def _said(self, unit: Sequence[Token], told: str) -> Utterance:
        text = text_of(unit)
        after = unit[-1].doc[unit[-1].i + 1 : unit[-1].i + 2].text
        text += after if after in ("?", "!") else "?" if _is_asked(unit) else ""
        return Utterance(text, self._role(), self._question() or "", told or text)

    def _role(self) -> str:
        speaker = self._scene.speech.speaker
        if not self._scene.spoken:
            return "document"
        return "other" if speaker is None or speaker.who is None else speaker.who

    def _question(self) -> str | None:
        """The questions at the end of the previous turn, if another speaker asked any.

        Which of several is answered is a guess, so they stay together.
        """
        before = self._scene.speech.before
        last = before[-1].content.rstrip() if before else ""
        if not self._scene.spoken or not last.endswith("?"):
            return None
        if self._scene.said_by(before[-1]) is self._scene.speaker:
            return None
        asked = _QUESTIONS.search(last)
        return asked.group().strip() if asked is not None else None

    def _source(self, unit: Sequence[Token], moments: Moments) -> SourceClause:
        said_otherwise = {
            token.i
            for token in unit
            if moments.of(token) is not None or self._scene.is_the_user(token)
        }
        parties = (self._scene.speaker, self._scene.listener)
        nouns = (token for token in unit if token.pos_ in ("PRON", "NOUN", "PROPN"))
        spoken_of = (*parties, *(self._scene.mention(token) for token in nouns))
        names = {name for one in spoken_of if one is not None for name in (one.text, one.name)}
        return SourceClause(unit, said_otherwise, names)

    def _is_related(self, fact: FoundFact) -> bool:
        """Whether it joins two entities by a relation of the table, or ends something."""
        if fact.predicate not in self._table:
            return False
        return fact.source != fact.target or bool(self._table[fact.predicate].ends_alone)

    def _facts_of(self, clause: PendingClause, kind: Kind) -> list[FoundFact]:
        """The facts of a clause, given its kind."""
        asked = clause.said.text.endswith("?")
        if kind != "instruction" and salience.states_nothing(clause.unit, asked):
            return []
        source = self._source(clause.unit, clause.moments)
        if self._only_names(source) or _says_itself(clause.unit):
            return []
        sure = clause.restated is not None and not clause.restated.quoted
        clear = sure or is_clear(clause.unit)
        faithful = self._faithful(source, clause.drafts) if clear else []
        whole = sure and source.covers(*(one.covered for one in faithful))
        if kind == "none" and not asked and self._is_about_company(clause.unit):
            kind = "event"  # users tell support what is wrong with a product
        if kind == "none":
            return (
                [one.fact for one in faithful if self._joins_two_names(one.fact)] if whole else []
            )
        if self._is_advice(clause, kind) or salience.encourages(clause.unit):
            return []
        question = self._question() if self._answers(clause, kind) else None
        if question is not None and len(clause.unit) <= 2 and _POINTS_BACK.search(question):
            return []  # "Yes" to "Do you like it there?" cannot be understood later
        if question is not None:
            answer = self._general(clause, kind, self._answered(clause.unit, question))
            return [replace(answer, name="ANSWERS", predicate="ANSWERS")]
        return self._worded(clause, kind, source, faithful)

    def _worded(
        self,
        clause: PendingClause,
        kind: Kind,
        source: SourceClause,
        faithful: Sequence[_FaithfulDraft],
    ) -> list[FoundFact]:
        """The drafts, if they cover the whole clause; else the clause restated."""
        if not source.carrying:
            return []  # "Yes, I did."
        drafted = [
            self._without_other_times(self._with_supported_relation(one.fact, clause, kind), clause)
            for one in faithful
        ]
        whole = source.covers(*(one.covered for one in faithful)) and not _is_headed(clause.unit)
        if clause.restated is None:
            return drafted
        if whole and self._tells_time(clause, faithful):
            if not clause.restated.quoted:
                return drafted
            return [replace(max(drafted, key=self._worth), fact=clause.restated.text)]
        sure = not clause.restated.quoted or is_clear(clause.unit)
        best = self._best(source, clause.drafts) if sure else None
        if best is None:
            return [self._general(clause, kind, clause.restated.text)]
        named = self._without_other_times(self._with_supported_relation(best, clause, kind), clause)
        return [replace(named, fact=clause.restated.text)]

    def _without_other_times(self, fact: FoundFact, clause: PendingClause) -> FoundFact:
        """The fact without a time that only another clause of the sentence gives."""
        timed = fact.dated or fact.event_at is not None
        if not timed or not clause.said.within or self._whens(clause):
            return fact
        at = self._scene.reading.at
        return replace(fact, valid_at=at, invalid_at=None, dated=False, event_at=None)

    def _is_advice(self, clause: PendingClause, kind: Kind) -> bool:
        """Whether an assistant advises or offers something, or one person tells another what to do."""
        speaker, listener = self._scene.speaker, self._scene.listener
        told_to_do = is_command(clause.unit) and not _is_headed(clause.unit)
        if speaker is not None and speaker.who == "assistant":
            return told_to_do or kind == "instruction" or salience.is_offer(clause.unit)
        other = listener is not None and listener.who is None and self._scene.user is None
        return told_to_do and self._scene.spoken and other

    def _with_supported_relation(
        self, fact: FoundFact, clause: PendingClause, kind: Kind
    ) -> FoundFact:
        """The fact, with a general relation if the words do not support its own."""
        place = self._findings.verb_of(fact)
        verb = next((token for token in clause.unit if token.i == place), None)
        if kind == "none" or self._support.supports(fact, verb, clause.unit):
            return fact
        name = self._general_name(clause, kind, None)
        return replace(fact, name=name, predicate=name)

    def _general_name(self, clause: PendingClause, kind: Kind, told: Token | None) -> str:
        """The relation of a kind, if the words support it; *told* heads what it is told of."""
        if is_command(clause.unit) and not _is_headed(clause.unit):
            quoted = clause.restated is None or clause.restated.quoted
            asks = quoted and kind == "instruction" and self._role() != "assistant"
            return RELATIONS["instruction"] if asks else GENERAL
        at = self._scene.reading.at
        ahead = any(when.first is not None and when.first > at for when in self._whens(clause))
        return self._support.general(clause.unit, kind, ahead, told)

    def _tells_time(self, clause: PendingClause, faithful: Sequence[_FaithfulDraft]) -> bool:
        """Whether the clause has at most one time, and the drafts contain it."""
        whens = self._whens(clause)
        told = [one.fact.fact for one in faithful]
        occurs_in = clause.moments.occurs_in
        return len(whens) <= 1 and all(
            any(occurs_in(when, text) for text in told) for when in whens
        )

    def _faithful(self, source: SourceClause, drafts: Sequence[FoundFact]) -> list[_FaithfulDraft]:
        """The faithful drafts, each sentence once, with its best relation."""
        found: dict[str, _FaithfulDraft] = {}
        for fact in sorted(drafts, key=self._worth, reverse=True):
            told = self._covered(source, fact.fact)
            if told is not None:
                found.setdefault(fact.fact.casefold(), _FaithfulDraft(fact, told))
        every = list(found.values())
        kept = [one for one in every if not any(self._is_covered(one, other) for other in every)]
        return sorted(kept, key=lambda one: drafts.index(one.fact))

    def _is_covered(self, one: _FaithfulDraft, other: _FaithfulDraft) -> bool:
        """Whether another draft covers more, and this one names no other target."""
        joins = self._is_related(one.fact) and self._findings.is_named(one.fact.target)
        return one.covered < other.covered and not (joins and one.fact.target != other.fact.target)

    def _only_names(self, source: SourceClause) -> bool:
        """ "I'm Marta", said by Marta, says nothing."""
        parties = (self._scene.speaker, self._scene.listener)
        names = " ".join(one.text for one in parties if one is not None)
        return self._question() is None and source.rearranged(names) == source.carrying

    def _best(self, source: SourceClause, drafts: Sequence[FoundFact]) -> FoundFact | None:
        """The draft whose relation fits the clause best, whatever its wording."""
        fitting = [
            fact
            for fact in drafts
            if self._joins_names(fact) and source.covers(source.rearranged(fact.fact), share=_MOST)
        ]
        return max(fitting, key=self._worth, default=None)

    def _joins_names(self, fact: FoundFact) -> bool:
        return self._is_related(fact) or (
            fact.source != fact.target and self._findings.is_named(fact.target)
        )

    def _joins_two_names(self, fact: FoundFact) -> bool:
        """Whether it joins two names by a relation of the table, which is always worth keeping."""
        ends = (fact.source, fact.target)
        named = fact.source != fact.target and all(map(self._findings.is_named, ends))
        own = self._scene.speaker is not None and self._scene.speaker.who == "assistant"
        return named and not own and self._is_related(fact) and fact.predicate not in _LOOSE

    def _worth(self, fact: FoundFact) -> tuple[bool, bool, float]:
        """A sort key: how much a fact says by its relation and entities."""
        named = self._findings.is_named(fact.target)
        telling = self._is_related(fact) and fact.predicate not in _LOOSE
        return telling, named, fact.confidence

    def _is_about_company(self, unit: Sequence[Token]) -> bool:
        """Whether someone describes the product that the listener speaks for."""
        company, speaker = self._scene.company, self._scene.speaker
        if company is None or speaker is None or speaker.who == "assistant":
            return False
        subjects = [token for token in unit if token.dep_ in SUBJECTS]
        return any(self._scene.mention(token) is company for token in subjects)

    def _answers(self, clause: PendingClause, kind: Kind) -> bool:
        """Whether a clause needs the question before it to be understood.

        That is so if it is not a full sentence, and was classified as an answer or comes first.
        """
        first = clause is self.clauses[0] and kind != "instruction"
        if is_command(clause.unit) and not first:
            return False
        own = _has_subject(clause.unit) or self._plain.stands_alone(clause.unit)
        return self._answering and (kind == "answer" or first) and not own

    def _answered(self, unit: Sequence[Token], question: str) -> str:
        words = text_of(unit).strip(" .!")
        speaker = self._scene.speaker.text if self._scene.speaker is not None else "User"
        return f'{speaker} (asked "{question}"): {words}'

    def _general(self, clause: PendingClause, kind: Kind, text: str) -> FoundFact:
        """The fact for a clause of which only the words are certain."""
        unit = clause.unit
        source, target, told = self._parties(unit)
        at = self._scene.reading.at
        whens = self._whens(clause)
        valid = Validity(self._holding(clause, whens), at, False, False)
        event = next((when.first for when in whens if is_event(when, at)), None)
        name = self._general_name(clause, kind, told)
        return FoundFact(
            source=self._findings.entity(source),
            target=self._findings.entity(target),
            name=name,
            predicate=name,
            fact=text,
            valid_at=valid.first,
            invalid_at=valid.last,
            dated=valid.dated,
            span=clause.span,
            confidence=_SURE,
            event_at=event if event != valid.first else None,
        )

    def _holding(self, clause: PendingClause, whens: Sequence[When]) -> list[When]:
        """The times that say when a clause holds: its bounds, and the time of something past.

        None if it says several things: which of them the time belongs to is a guess.
        """
        at, told = self._scene.reading.at, clause.restated
        noted = told is not None and told.joined and not _is_finite(clause.unit)
        if noted or says_several(clause.unit):
            return []  # a note behind another clause, whose time it is not
        turns = self._bounds(clause)
        starts = {when.start for when in turns}
        days = [when for when in whens if when.start not in starts and when.first is not None]
        days = [when for when in days if not clause.moments.tells_which(when, clause.unit)]
        if len(days) > 1 or (days and turns):
            return []
        if not is_past(clause.unit, whens, at):
            return turns
        return turns or [
            one for one in days if one.relation == "at" and one.first and one.first <= at
        ]

    def _bounds(self, clause: PendingClause) -> list[When]:
        """The times since or until which the clause holds; a verbless note beside it does not count."""
        finite = any(token.tag_ in ("VBZ", "VBP", "MD") for token in clause.unit)
        noted = clause.moments.noted if finite else frozenset[int]()
        whens = [clause.moments.as_bound(when) for when in self._whens(clause)]
        return [when for when in bounds(whens) if when.start not in noted]

    def _whens(self, clause: PendingClause) -> list[When]:
        moments = clause.moments
        found = (when for when in moments.whens if moments.dates(when))
        return [when for when in found if _within(when, clause.unit, moments)]

    def _parties(self, unit: Sequence[Token]) -> tuple[Mention, Mention, Token | None]:
        """The source and target of a clause: what it is about, what else it names, and its word for that."""
        found: dict[str, tuple[Mention, Token]] = {}
        for token in unit:
            if token.lower_ in SECOND:
                continue
            if token.dep_ in _PLACES and token.pos_ in ("NOUN", "PROPN", "PRON"):
                mention = self._scene.mention(token)
                if mention is not None:
                    found.setdefault(mention.key, (mention, token))
        subject = self._subject(unit) if is_clear(unit) else None
        every = [mention for mention, _ in found.values()]
        named = [one for one in every if one.proper and not one.party]
        things = [one for one in every if not one.party]
        source = subject if subject is not None else self._scene.speaker
        source = source or next(iter(named or things), None) or Mention("Note", "Note", "topic")
        others = [one for one in (*named, *things, *every) if one.key != source.key]
        if not others and self._scene.speaker is not None:  # "my phone number is 555-1234"
            return self._scene.speaker, source, None
        target = next(iter(others), source)
        return source, target, found[target.key][1] if target.key in found else None

    def _subject(self, unit: Sequence[Token]) -> Mention | None:
        """The subject of its first verb that does not merely say why or when, if definite."""
        for token in unit:
            subject = subject_in(token, unit) if verbal(token) else None
            if subject is not None and child(token, "mark") is None:
                mention = self._scene.mention(subject)
                listens = mention is not None and mention.who == "assistant"
                return mention if mention is not None and mention.anchored and not listens else None
        return None


def _is_joined_subject(token: Token) -> bool:
    """Whether it is one of two subjects: "Oskar and I split up"."""
    return token.dep_ in SUBJECTS or (token.dep_ == "conj" and token.head.dep_ in SUBJECTS)


def _has_first_name(name: str) -> bool:
    """Whether the first of several words is a name: not "Aunt Vera", nor "Dr. Osei"."""
    first, _, rest = name.partition(" ")
    return bool(rest) and first.rstrip(".").lower() not in TITLES | frozenset(KIN)


def _is_headed(unit: Sequence[Token]) -> bool:
    return any(token.text == ":" for token in unit[: HEADING_MAX + 1])


def _is_finite(unit: Sequence[Token]) -> bool:
    return any(token.tag_ in FINITE for token in unit)


def _has_subject(unit: Sequence[Token]) -> bool:
    """Whether it has a definite subject. "It's Laura" has not: what "it" means is in the question."""
    subjects = [
        token for token in unit if token.dep_ in SUBJECTS and token.head.tag_[:2] in ("VB", "MD")
    ]
    return bool(subjects) and subjects[0].lower_ not in NEUTRAL | POINTING | PLURAL


def _joined(before: Sequence[Token], after: Sequence[Token]) -> list[Token]:
    """Two clauses with the words between them."""
    return [*before, *before[0].doc[before[-1].i + 1 : after[-1].i + 1]]


def _says_itself(unit: Sequence[Token]) -> bool:
    """Whether it is a tautology: "Marta Kowalska is Marta"."""
    for verb in unit:
        one, other = child(verb, *SUBJECTS), child(verb, "attr")
        if verb.lemma_ == "be" and one is not None and other is not None:
            words = [{token.lower_ for token in end.subtree} for end in (one, other)]
            return other.pos_ == "PROPN" and words[1] <= words[0]
    return False


def _is_asked(unit: Sequence[Token]) -> bool:
    """Whether it is part of a question and begins like one."""
    asked = unit[0].sent.text.rstrip().endswith("?")
    return asked and unit[0].tag_ in ("WRB", "WP", "WDT", "MD", "VBD", "VBZ", "VBP")


def _within(when: When, unit: Sequence[Token], moments: Moments) -> bool:
    start = when.start + moments.start
    return any(token.idx <= start < token.idx + len(token) for token in unit)
