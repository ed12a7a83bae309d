"""From what the clauses of a sentence seem to say to the facts that it teaches.

Each clause that stands beside the others is told once. What the rules drafted is kept where it keeps
to the words and leaves nothing out; else the clause is told in the speaker's own words, with the
relation of the draft that fits them best, or with a general one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import regex
from msgspec.structs import replace

from recollect.dates.when import When
from recollect.extract.prose import salience
from recollect.extract.prose.book import Book
from recollect.extract.prose.faithful import Source
from recollect.extract.prose.mention import Mention
from recollect.extract.prose.moments import Moments, Validity, is_dateline
from recollect.extract.prose.plain import Plain
from recollect.extract.prose.scene import Scene
from recollect.extract.prose.syntax import SUBJECTS, child, text_of, verbal
from recollect.extract.prose.units import units
from recollect.graph.found import FoundFact
from recollect.graph.predicates import Predicates
from recollect.models.sentence_kinds import Kind, Said

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

RELATIONS: dict[Kind, str] = {
    "state": "STATES",
    "event": "EXPERIENCED",
    "plan": "PLANS",
    "preference": "PREFERS",
    "instruction": "ASKS_FOR",
    "denial": "DENIES",
    "answer": "ANSWERS",
}
_MOST = 0.5
_POINTS_BACK = regex.compile(r"\b(?:it|that|there|this|they|them|one|so)\b", regex.IGNORECASE)
_SURE = 0.7
_LOOSE = frozenset({"IS_A", "HAS"})
_PLACES = ("dobj", "attr", "pobj", "nsubj", "nsubjpass", "conj", "ROOT", "appos", "oprd")


class _Draft(NamedTuple):
    """A fact that the rules wrote, and which words of a clause it tells."""

    fact: FoundFact
    told: frozenset[int]


class Clause(NamedTuple):
    """A clause that stands beside the others of its sentence, before it is known what it is worth.
    *drafts* are what the rules read in the sentence, *told* is how it reads in its own words."""

    unit: Sequence[Token]
    drafts: Sequence[FoundFact]
    moments: Moments
    span: tuple[int, int]
    told: str | None
    said: Said


class Sentences:
    """Writes the facts of the sentences of one speech into its book."""

    def __init__(self, scene: Scene, book: Book, table: Predicates) -> None:
        self._scene = scene
        self._book = book
        self._table = table
        self._plain = Plain(scene)
        self._parts: list[Clause | FoundFact] = []

    @property
    def clauses(self) -> list[Clause]:
        """What waits to be settled."""
        return [part for part in self._parts if isinstance(part, Clause)]

    def add(
        self, sentence: Span, drafts: Sequence[FoundFact], moments: Moments, span: tuple[int, int]
    ) -> None:
        """Take a sentence with what the rules read in it. What takes something back, or wishes for
        something, is sure; the rest waits until it is known what it is worth."""
        stated = [fact for fact in drafts if fact.mood == "stated"]
        right = any(fact.corrects for fact in stated)
        self._parts += stated if right else (one for one in drafts if one.mood == "requested")
        if not right:
            for unit in self._units(sentence):
                told = self._plain.tell(unit, moments)
                said = self._said(unit, told or "")
                self._parts.append(Clause(unit, stated, moments, span, told, said))

    def _units(self, sentence: Span) -> list[Sequence[Token]]:
        """The clauses that can be told apart and may say something."""
        found: list[Sequence[Token]] = []
        for unit in units(sentence):
            if found and self._plain.leans(unit, found[-1]):
                found[-1] = list(sentence.doc[found[-1][0].i : unit[-1].i + 1])
            else:
                found.append(unit)
        empty = salience.says_nothing if self._scene.spoken else self._is_dateline
        return [unit for unit in found if not empty(unit)]

    def _is_dateline(self, unit: Sequence[Token]) -> bool:
        return is_dateline(text_of(unit).strip(" ."), self._scene.reading.at)

    def settle(self, kinds: Sequence[Kind]) -> None:
        """Write down what the clauses teach, each of which is of one of these kinds."""
        told = iter(kinds)
        for part in self._parts:
            facts = self._told(part, next(told)) if isinstance(part, Clause) else [part]
            for fact in facts:
                self._book.fact(fact)

    def _said(self, unit: Sequence[Token], told: str) -> Said:
        text = text_of(unit)
        after = unit[-1].doc[unit[-1].i + 1 : unit[-1].i + 2].text
        text += after if after in ("?", "!") else "?" if _is_asked(unit) else ""
        return Said(text, self._role(), self._question() or "", told or text)

    def _role(self) -> str:
        speaker = self._scene.speech.speaker
        if not self._scene.spoken:
            return "document"
        return "other" if speaker is None or speaker.who is None else speaker.who

    def _question(self) -> str | None:
        """What the turn before it asked, if it ended with a question."""
        before = self._scene.speech.before
        last = before[-1].content.rstrip() if before else ""
        if not self._scene.spoken or not last.endswith("?"):
            return None
        if self._scene.said_by(before[-1]) is self._scene.speaker:
            return None
        start = max(last.rfind(mark, 0, len(last) - 1) for mark in (". ", "! ", "? ", "\n"))
        return last[start + 1 :].strip()

    def _source(self, unit: Sequence[Token], moments: Moments) -> Source:
        said_otherwise = {
            token.i
            for token in unit
            if moments.of(token) is not None or self._scene.is_the_user(token)
        }
        parties = (self._scene.speaker, self._scene.listener)
        names = {one.text for one in parties if one is not None} | self._book.names()
        return Source(unit, said_otherwise, names)

    def _is_related(self, fact: FoundFact) -> bool:
        """Whether it joins two things by a relation that the table knows, or ends something."""
        if fact.predicate not in self._table:
            return False
        return fact.source != fact.target or bool(self._table[fact.predicate].ends_alone)

    def _told(self, clause: Clause, kind: Kind) -> list[FoundFact]:
        """The drafts, where they tell the clause in its words; else its own words."""
        asked = clause.said.text.endswith("?")
        if kind != "instruction" and salience.states_nothing(clause.unit, asked):
            return []
        source = self._source(clause.unit, clause.moments)
        if self._only_names(source) or _says_itself(clause.unit):
            return []
        faithful = self._faithful(source, clause.drafts)
        whole = source.tells(*(one.told for one in faithful))
        if kind == "none":
            return (
                [one.fact for one in faithful if self._joins_two_names(one.fact)] if whole else []
            )
        question = self._question() if self._answers(clause, kind) else None
        if question is not None and len(clause.unit) <= 2 and _POINTS_BACK.search(question):
            return []  # "Yes" to "Do you like it there?" tells nobody what
        if whole and question is None and len(self._whens(clause)) <= 1:
            return [one.fact for one in faithful]
        text = clause.told if question is None else self._answered(clause.unit, question)
        if text is None:
            return [one.fact for one in faithful]
        best = self._best(source, clause.drafts)
        return [replace(best, fact=text) if best is not None else self._general(clause, kind, text)]

    def _faithful(self, source: Source, drafts: Sequence[FoundFact]) -> list[_Draft]:
        """The drafts that keep to the words of a clause, each sentence once, in its best relation."""
        found: dict[str, _Draft] = {}
        for fact in sorted(drafts, key=self._worth, reverse=True):
            told = source.told(fact.fact)
            if told is not None:
                found.setdefault(fact.fact.casefold(), _Draft(fact, told))
        every = list(found.values())
        kept = [one for one in every if not any(self._is_in(one, other) for other in every)]
        return sorted(kept, key=lambda one: drafts.index(one.fact))

    def _is_in(self, one: _Draft, other: _Draft) -> bool:
        """Whether another draft tells all of it, and it joins nothing by name that the other does not."""
        joins = self._is_related(one.fact) and self._book.is_named(one.fact.target)
        return one.told < other.told and not (joins and one.fact.target != other.fact.target)

    def _only_names(self, source: Source) -> bool:
        """ "I'm Marta", said by Marta, says nothing."""
        parties = (self._scene.speaker, self._scene.listener)
        names = " ".join(one.text for one in parties if one is not None)
        return self._question() is None and source.rearranged(names) == source.carrying

    def _best(self, source: Source, drafts: Sequence[FoundFact]) -> FoundFact | None:
        """The draft whose relation is that of a clause, whatever its words."""
        fitting = [
            fact
            for fact in drafts
            if self._joins_names(fact) and source.tells(source.rearranged(fact.fact), share=_MOST)
        ]
        return max(fitting, key=self._worth, default=None)

    def _joins_names(self, fact: FoundFact) -> bool:
        return self._is_related(fact) or (
            fact.source != fact.target and self._book.is_named(fact.target)
        )

    def _joins_two_names(self, fact: FoundFact) -> bool:
        """By a relation that the table knows: worth remembering, whatever it sounds like."""
        ends = (fact.source, fact.target)
        named = fact.source != fact.target and all(map(self._book.is_named, ends))
        own = self._scene.speaker is not None and self._scene.speaker.who == "assistant"
        return named and not own and self._is_related(fact) and fact.predicate not in _LOOSE

    def _worth(self, fact: FoundFact) -> tuple[bool, bool, float]:
        """Which of two facts says more by its relation and its entities."""
        named = self._book.is_named(fact.target)
        telling = self._is_related(fact) and fact.predicate not in _LOOSE
        return telling, named, fact.confidence

    def _answers(self, clause: Clause, kind: Kind) -> bool:
        """Whether a clause is understood with the question before it: it is no sentence of its own,
        and it says so or is the first thing said."""
        first = clause is self.clauses[0] and kind != "instruction"
        return (kind == "answer" or first) and not self._plain.is_statement(clause.unit)

    def _answered(self, unit: Sequence[Token], question: str) -> str:
        words = text_of(unit).strip(" .!")
        speaker = self._scene.speaker.text if self._scene.speaker is not None else "User"
        return f'{speaker} (asked "{question}"): {words}'

    def _general(self, clause: Clause, kind: Kind, text: str) -> FoundFact:
        """A clause of which only the words are sure."""
        unit = clause.unit
        source, target = self._parties(unit)
        at = self._scene.reading.at
        whens = self._whens(clause)
        past = any(token.tag_ in ("VBD", "VBN") for token in unit)
        valid = Validity(whens if past else _bounds(whens), at, False, False)
        event = next((when.first for when in whens if when.dated and when.first is not None), None)
        name = RELATIONS[kind]
        return FoundFact(
            source=self._book.entity(source),
            target=self._book.entity(target),
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

    def _whens(self, clause: Clause) -> list[When]:
        return [when for when in clause.moments.whens if _within(when, clause.unit, clause.moments)]

    def _parties(self, unit: Sequence[Token]) -> tuple[Mention, Mention]:
        """Whom or what a clause is about, and what else it names."""
        found: list[Mention] = []
        for token in unit:
            if token.dep_ in _PLACES and token.pos_ in ("NOUN", "PROPN", "PRON"):
                mention = self._scene.mention(token)
                if mention is not None and mention.key not in {one.key for one in found}:
                    found.append(mention)
        subject = self._subject(unit)
        named = [one for one in found if one.proper and not one.party]
        things = [one for one in found if not one.party]
        source = subject if subject is not None else self._scene.speaker
        source = source or next(iter(named or things), None) or Mention("Note", "Note", "topic")
        others = [one for one in (*named, *things, *found) if one.key != source.key]
        if not others and self._scene.speaker is not None:  # "my phone number is 555-1234"
            return self._scene.speaker, source
        return source, next(iter(others), source)

    def _subject(self, unit: Sequence[Token]) -> Mention | None:
        """The subject of its first verb, where that is someone or something by name."""
        for token in unit:
            if verbal(token) and (subject := child(token, *SUBJECTS)) is not None:
                mention = self._scene.mention(subject) if subject in unit else None
                return mention if mention is not None and mention.anchored else None
        return None


def _says_itself(unit: Sequence[Token]) -> bool:
    """ "Marta Kowalska is Marta"."""
    for verb in unit:
        one, other = child(verb, *SUBJECTS), child(verb, "attr")
        if verb.lemma_ == "be" and one is not None and other is not None:
            words = [{token.lower_ for token in end.subtree} for end in (one, other)]
            return other.pos_ == "PROPN" and words[1] <= words[0]
    return False


def _is_asked(unit: Sequence[Token]) -> bool:
    """A clause of a question that begins as one."""
    asked = unit[0].sent.text.rstrip().endswith("?")
    return asked and unit[0].tag_ in ("WRB", "WP", "WDT", "MD", "VBD", "VBZ", "VBP")


def _within(when: When, unit: Sequence[Token], moments: Moments) -> bool:
    start = when.start + moments.start
    return unit[0].idx <= start <= unit[-1].idx


def _bounds(whens: Sequence[When]) -> list[When]:
    """The times that say since when or until when something is so."""
    return [when for when in whens if when.relation in ("since", "until", "for")]
