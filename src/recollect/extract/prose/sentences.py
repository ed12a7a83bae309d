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
from recollect.extract.prose.certain import is_clear, is_denied, is_misread, main_verb, subject_in
from recollect.extract.prose.datelines import is_dateline
from recollect.extract.prose.faithful import Source
from recollect.extract.prose.headings import HEADING_MAX
from recollect.extract.prose.listed import listed
from recollect.extract.prose.mention import Mention
from recollect.extract.prose.moments import Moments
from recollect.extract.prose.plain import Plain, Told, is_command
from recollect.extract.prose.repairs import IsVerb
from recollect.extract.prose.scene import Scene
from recollect.extract.prose.syntax import SUBJECTS, child, is_apart, text_of, verbal
from recollect.extract.prose.units import units
from recollect.extract.prose.validity import Validity, bounds, is_event, is_past
from recollect.extract.prose.words import (
    DECISIONS,
    FIRST,
    FIRST_PLURAL,
    NEUTRAL,
    PLURAL,
    POINTING,
    SECOND,
    TASTES,
    WISHES,
)
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
    "denial": "STATES",
    "answer": "STATES",
}
_MOST = 0.5
_FEW = 3
_POINTS_BACK = regex.compile(r"\b(?:it|that|there|this|they|them|one|so)\b", regex.IGNORECASE)
_SURE = 0.7
_MOVING = listed("move start begin go get take put bring send")
_LIKENING = listed("feel look sound taste smell seem be like")
_DENYING = frozenset({"NOT", "NO", "CANNOT", "NEVER", "STOPPED", "WITHOUT"})
# The words without which a sentence of a kind is only said to be so.
_SIGNS: dict[Kind, frozenset[str]] = {
    "instruction": listed("please pls always never only must should shall want need prefer"),
    "plan": WISHES
    | DECISIONS
    | listed("will 'll wo shall gon going gonna tomorrow soon next upcoming later need"),
    "preference": TASTES
    | listed("favourite favorite fave rather fan instead best want always never only suit mind"),
}
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
    told: Told | None
    said: Said


class Sentences:
    """Writes the facts of the sentences of one speech into its book."""

    def __init__(self, scene: Scene, book: Book, table: Predicates, is_verb: IsVerb) -> None:
        self._is_verb = is_verb
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
        self,
        parts: Sequence[Sequence[Token]],
        drafts: Sequence[FoundFact],
        moments: Moments,
        span: tuple[int, int],
    ) -> None:
        """Take the clauses of a sentence with what the rules read in it. What takes something back, or wishes for
        something, is sure; the rest waits until it is known what it is worth."""
        stated = [fact for fact in drafts if fact.mood == "stated"]
        right = any(fact.corrects for fact in stated)
        self._parts += stated if right else (one for one in drafts if one.mood == "requested")
        if not right:
            for unit in parts:
                told = self._checked(unit, moments)
                said = self._said(unit, told.text if told is not None else "")
                if len(parts) > 1:
                    said = said._replace(within=unit[-1].sent.text)
                own = self._own(unit, stated) if len(parts) > 1 else stated
                self._parts.append(Clause(unit, own, moments, span, told, said))

    def _checked(self, unit: Sequence[Token], moments: Moments) -> Told | None:
        """A clause as it is told; as a quotation, if its sentence does not keep to the words."""
        told = self._plain.tell(unit, moments)
        if told is None or told.quoted or self._kept(self._source(unit, moments), told.text):
            return told
        return self._plain.quote(unit, moments)

    def _kept(self, source: Source, text: str) -> frozenset[int] | None:
        """The words that a sentence tells; None if it does not keep to them, or still says "I"."""
        first = FIRST | FIRST_PLURAL if self._scene.spoken else frozenset[str]()
        spoken = any(word.strip(".,;:!\"'()") in first for word in text.lower().split())
        return None if spoken else source.told(text)

    def _own(self, unit: Sequence[Token], drafts: Sequence[FoundFact]) -> list[FoundFact]:
        """The drafts that were not read in another clause; words that it shares belong to the other."""
        last = next(
            at for at in range(len(unit), 0, -1) if at == 1 or is_apart(unit[at - 2], unit[at - 1])
        )
        places = {None, *(token.i for token in unit[last - 1 :])}
        return [fact for fact in drafts if self._book.verb_of(fact) in places]

    def cut(self, sentence: Span, heading: Sequence[Token]) -> list[Sequence[Token]]:
        """The clauses that can be told apart and may say something."""
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
        """Write down what the clauses teach, each of which is of one of these kinds."""
        told = iter(self._with_siblings(self.clauses, kinds))
        for part in self._parts:
            if isinstance(part, Clause):
                for fact in self._told(part, next(told)):
                    self._book.fact(self._briefly(self._joined(fact, part.unit)))
            else:
                self._book.fact(self._briefly(part))

    def _briefly(self, fact: FoundFact) -> FoundFact:
        """With the full name of a party only where it comes first."""
        text = fact.fact
        for party in (self._scene.speaker, self._scene.listener):
            if party is not None and party.who != "assistant" and " " in party.text:
                head, name, rest = text.partition(party.text)
                text = head + name + rest.replace(party.text, party.text.split()[0])
        return replace(fact, fact=text)

    def _joined(self, fact: FoundFact, unit: Sequence[Token]) -> FoundFact:
        """A fact of one thing alone joins it to whoever or whatever else its clause names, unless
        the table knows the relation as one of one thing."""
        if fact.source != fact.target or fact.predicate in self._table:
            return fact
        for token in unit:
            mention = self._scene.mention(token) if token.dep_ in _PLACES else None
            if mention is None or not (mention.proper or mention.party) or mention.kind == "value":
                continue
            place = self._book.entity(mention)
            if place != fact.source:
                return replace(fact, target=place)
        return fact

    def _with_siblings(self, clauses: Sequence[Clause], kinds: Sequence[Kind]) -> list[Kind]:
        """The kinds of clauses; one that seems worth nothing is told if it is a statement of a sentence
        that is, since it was too short to show what it is worth."""
        worth = {
            clause.span: kind
            for clause, kind in zip(clauses, kinds, strict=True)
            if kind in ("state", "event", "plan", "preference", "denial")
        }
        spare = self._role() != "assistant"
        return [
            worth.get(clause.span, kind)
            if kind == "none" and spare and clause.said.within and self._is_told(clause.unit)
            else kind
            for clause, kind in zip(clauses, kinds, strict=True)
        ]

    def _is_told(self, unit: Sequence[Token]) -> bool:
        return len(unit) > _FEW and _has_subject(unit) and self._plain.is_statement(unit)

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
        nouns = (token for token in unit if token.pos_ in ("PRON", "NOUN", "PROPN"))
        spoken_of = (*parties, *(self._scene.mention(token) for token in nouns))
        names = {name for one in spoken_of if one is not None for name in (one.text, one.name)}
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
        sure = clause.told is not None and not clause.told.quoted
        clear = sure or is_clear(clause.unit)
        faithful = self._faithful(source, clause.drafts) if clear else []
        whole = sure and source.tells(*(one.told for one in faithful))
        if kind == "none" and not asked and self._is_about_house(clause.unit):
            kind = "event"  # what is wrong with a product is what its support is told
        if kind == "none":
            return (
                [one.fact for one in faithful if self._joins_two_names(one.fact)] if whole else []
            )
        if self._is_advice(clause, kind):
            return []
        question = self._question() if self._answers(clause, kind) else None
        if question is not None and len(clause.unit) <= 2 and _POINTS_BACK.search(question):
            return []  # "Yes" to "Do you like it there?" tells nobody what
        if question is not None:
            answer = self._general(clause, kind, self._answered(clause.unit, question))
            return [replace(answer, name="ANSWERS", predicate="ANSWERS")]
        return self._worded(clause, kind, source, faithful)

    def _worded(
        self, clause: Clause, kind: Kind, source: Source, faithful: Sequence[_Draft]
    ) -> list[FoundFact]:
        """The drafts, where they tell all of a clause; else the clause as it is told."""
        if not source.carrying:
            return []  # "Yes, I did."
        drafted = [self._timed(self._named(one.fact, clause, kind), clause) for one in faithful]
        whole = source.tells(*(one.told for one in faithful)) and not _is_headed(clause.unit)
        if clause.told is None:
            return drafted
        if whole and self._tells_time(clause, faithful):
            if not clause.told.quoted:
                return drafted
            return [replace(max(drafted, key=self._worth), fact=clause.told.text)]
        sure = not clause.told.quoted or is_clear(clause.unit)
        best = self._best(source, clause.drafts) if sure else None
        if best is None:
            return [self._general(clause, kind, clause.told.text)]
        named = self._timed(self._named(best, clause, kind), clause)
        return [replace(named, fact=clause.told.text)]

    def _timed(self, fact: FoundFact, clause: Clause) -> FoundFact:
        """Without a time that only another clause of the sentence tells."""
        if not fact.dated or not clause.said.within or self._whens(clause):
            return fact
        at = self._scene.reading.at
        return replace(fact, valid_at=at, invalid_at=None, dated=False, event_at=None)

    def _is_advice(self, clause: Clause, kind: Kind) -> bool:
        """What an assistant tells someone to do or offers, or one person tells another to do: no fact."""
        speaker, listener = self._scene.speaker, self._scene.listener
        told_to_do = is_command(clause.unit) and not _is_headed(clause.unit)
        if speaker is not None and speaker.who == "assistant":
            return told_to_do or kind == "instruction" or salience.is_offer(clause.unit)
        other = listener is not None and listener.who is None and self._scene.user is None
        return told_to_do and self._scene.spoken and other

    def _named(self, fact: FoundFact, clause: Clause, kind: Kind) -> FoundFact:
        """With a general relation where its own is not borne out by the words."""
        place = self._book.verb_of(fact)
        verb = next((token for token in clause.unit if token.i == place), None)
        if kind == "none" or self._bears_out(fact, verb, clause.unit):
            return fact
        name = self._general_name(clause, kind)
        return replace(fact, name=name, predicate=name)

    def _bears_out(self, fact: FoundFact, verb: Token | None, unit: Sequence[Token]) -> bool:
        """Whether a relation says what the verb says: it is made of no number or name, denies what is
        denied, and does not take what is done to a thing for what the doer does."""
        if (
            fact.name.endswith(("_LIKE", "_BECAUSE"))
            and verb is not None
            and verb.lemma_ not in _LIKENING
        ):
            return False
        denied = verb is not None and is_denied(verb)
        if denied and _DENYING.isdisjoint(fact.name.split("_")):
            return False
        if verb is not None and fact.predicate in self._table:
            thing = child(verb, "dobj")
            alone = self._is_phrase(fact, verb) and not (
                thing and self._is_phrase(fact, verb, thing)
            )
            apart = (
                verb.lemma_ == "be" and verb.i + 1 < len(verb.doc) and not _leads_on(verb.nbor(1))
            )
            moved = thing is not None and thing.tag_ != "PRP" and verb.lemma_ in _MOVING
            return not (alone and (apart or moved))
        if fact.predicate in self._table:
            return True
        names = {token.text.upper() for token in unit if token.pos_ in ("PROPN", "NUM", "X")}
        if not all(part.isalpha() and part not in names for part in fact.name.split("_")):
            return False
        return verb is None or (self._is_verb(verb.lemma_.lower()) and not is_misread(verb))

    def _is_phrase(self, fact: FoundFact, *words: Token) -> bool:
        """Whether the table has the relation for words with a preposition behind: "start job at"."""
        ends = (item for word in words for item in word.children if item.dep_ == "prep")
        said = " ".join(word.lemma_.lower() for word in words)
        return any(self._table.of_phrase(f"{said} {end.lower_}") == fact.predicate for end in ends)

    def _general_name(self, clause: Clause, kind: Kind) -> str:
        """The relation of a kind, where the words bear it out."""
        speaker = self._scene.speaker
        if speaker is not None and speaker.who == "assistant":
            return RELATIONS["state"]
        commands = is_command(clause.unit) and not _is_headed(clause.unit)
        quoted = clause.told is None or clause.told.quoted
        if quoted and commands and kind == "instruction":
            return RELATIONS["instruction"]
        if kind in (*_SIGNS, "event") and not self._is_own(clause.unit):
            return RELATIONS["state"]
        lemmas = {
            form
            for token in clause.unit
            if token.lower_ != "like" or token.pos_ == "VERB"
            for form in (token.lower_, token.lemma_.lower())
        }
        if kind in _SIGNS and lemmas.isdisjoint(_SIGNS[kind]):
            at = self._scene.reading.at
            firsts = [when.first for when in self._whens(clause) if when.first is not None]
            ahead = kind == "plan" and any(first > at for first in firsts)
            return RELATIONS[kind if ahead else "state"]
        return RELATIONS[kind if kind != "event" or _is_past(clause.unit) else "state"]

    def _is_own(self, unit: Sequence[Token]) -> bool:
        """Whether it speaks of the one it is a fact of: of the speaker, or of someone by name."""
        verb = main_verb(unit)
        subject = subject_in(verb, unit) if verb is not None else None
        if subject is None or subject.lower_ in ("i", "we"):
            return True
        mention = self._scene.mention(subject) if is_clear(unit) else None
        return mention is not None and mention.kind == "person" and mention.proper

    def _tells_time(self, clause: Clause, faithful: Sequence[_Draft]) -> bool:
        """Whether there is no more than one time to tell, and the drafts tell it."""
        whens = self._whens(clause)
        told = [one.fact.fact for one in faithful]
        tells = clause.moments.is_told
        return len(whens) <= 1 and all(any(tells(when, text) for text in told) for when in whens)

    def _faithful(self, source: Source, drafts: Sequence[FoundFact]) -> list[_Draft]:
        """The drafts that keep to the words of a clause, each sentence once, in its best relation."""
        found: dict[str, _Draft] = {}
        for fact in sorted(drafts, key=self._worth, reverse=True):
            told = self._kept(source, fact.fact)
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

    def _is_about_house(self, unit: Sequence[Token]) -> bool:
        """Whether someone says what the product does for which the listener speaks."""
        house, speaker = self._scene.house, self._scene.speaker
        if house is None or speaker is None or speaker.who == "assistant":
            return False
        subjects = [token for token in unit if token.dep_ in SUBJECTS]
        return any(self._scene.mention(token) is house for token in subjects)

    def _answers(self, clause: Clause, kind: Kind) -> bool:
        """Whether a clause is understood with the question before it: it is no sentence of its own,
        and it says so or is the first thing said."""
        first = clause is self.clauses[0] and kind != "instruction"
        if is_command(clause.unit) and not first:
            return False
        own = _has_subject(clause.unit) or self._plain.stands_alone(clause.unit)
        return (kind == "answer" or first) and not own

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
        past = is_past(unit, whens, at)
        valid = Validity(whens if past else self._bounds(clause), at, False, False)
        event = next((when.first for when in whens if is_event(when, at)), None)
        name = self._general_name(clause, kind)
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

    def _bounds(self, clause: Clause) -> list[When]:
        """Since when or until when it is so; what is noted beside a sentence does not bound it."""
        finite = any(token.tag_ in ("VBZ", "VBP", "MD") for token in clause.unit)
        noted = clause.moments.noted if finite else frozenset[int]()
        return [when for when in bounds(self._whens(clause)) if when.start not in noted]

    def _whens(self, clause: Clause) -> list[When]:
        moments = clause.moments
        found = (when for when in moments.whens if moments.dates(when))
        return [when for when in found if _within(when, clause.unit, moments)]

    def _parties(self, unit: Sequence[Token]) -> tuple[Mention, Mention]:
        """Whom or what a clause is about, and what else it names."""
        found: list[Mention] = []
        for token in unit:
            if token.lower_ in SECOND:
                continue
            if token.dep_ in _PLACES and token.pos_ in ("NOUN", "PROPN", "PRON"):
                mention = self._scene.mention(token)
                if mention is not None and mention.key not in {one.key for one in found}:
                    found.append(mention)
        subject = self._subject(unit) if is_clear(unit) else None
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
                listens = mention is not None and mention.who == "assistant"
                return mention if mention is not None and mention.anchored and not listens else None
        return None


def _leads_on(word: Token) -> bool:
    """Whether a preposition, or an adverb before one, follows: not "is two weeks into"."""
    return word.tag_ in ("IN", "RB", "VBN", "TO", "VBG") or word.dep_ in ("neg", "aux", "prep")


def _is_past(unit: Sequence[Token]) -> bool:
    """Whether its first verb tells what was done."""
    verb = main_verb(unit)
    if verb is None:
        return unit[0].tag_ == "VBD"
    helpers = {item.lemma_ for item in verb.children if item.dep_ in ("aux", "auxpass")}
    done = verb.tag_ == "VBD" or (verb.tag_ == "VBN" and "have" in helpers)
    return done and not is_denied(verb)


def _is_headed(unit: Sequence[Token]) -> bool:
    return any(token.text == ":" for token in unit[: HEADING_MAX + 1])


def _has_subject(unit: Sequence[Token]) -> bool:
    """Whether it says of whom or what it speaks; "it's Laura" leaves that to the question."""
    subjects = [
        token for token in unit if token.dep_ in SUBJECTS and token.head.tag_[:2] in ("VB", "MD")
    ]
    return bool(subjects) and subjects[0].lower_ not in NEUTRAL | POINTING | PLURAL


def _joined(before: Sequence[Token], after: Sequence[Token]) -> list[Token]:
    """Two clauses with what stood between them; what the second one shares is there already."""
    return [*before, *before[0].doc[before[-1].i + 1 : after[-1].i + 1]]


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
    return any(token.idx <= start < token.idx + len(token) for token in unit)
