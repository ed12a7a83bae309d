"""From a clause to drafts of facts: their entities, relation, sentence and time."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from recollect import limits
from recollect.dates.when import When
from recollect.extract.prose import salience
from recollect.extract.prose.clauses import Clause
from recollect.extract.prose.constructions import reciprocal
from recollect.extract.prose.copula import CopulaReader
from recollect.extract.prose.drafts import FactDraft, Subjects, conditional
from recollect.extract.prose.fidelity import BARE_AFTER
from recollect.extract.prose.findings import Findings
from recollect.extract.prose.mentions import Mention
from recollect.extract.prose.moments import Moments, Validity, is_event
from recollect.extract.prose.nouns import core, is_time
from recollect.extract.prose.relations import (
    TARGETS,
    Argument,
    RelationName,
    arguments,
    denied,
    fits,
    members,
    relation,
    screaming_snake,
    settles,
)
from recollect.extract.prose.render import SentenceWriter
from recollect.extract.prose.scene import Scene
from recollect.extract.prose.support import GENERAL
from recollect.extract.prose.syntax import child, is_purpose, verbal
from recollect.extract.prose.verbs import Aspect, aspect
from recollect.extract.prose.words import PICTURES, listed, third
from recollect.graph.found import FoundFact
from recollect.graph.predicates import Predicates

if TYPE_CHECKING:
    from spacy.tokens import Token

_THINKING = frozenset({"think", "believe", "feel"})
_MOVING = frozenset({"move", "relocate"})
_STATES = listed(
    "be live work own study reside know teach serve belong intern employ base date report"
)


class Framer:
    """Drafts facts from the clauses of one speech.

    *span* is the stretch of text being read, *written* the number of facts so far.
    """

    def __init__(self, scene: Scene, table: Predicates, findings: Findings) -> None:
        self.scene = scene
        self.table = table
        self.findings = findings
        self.span = (0, 0)
        self.written = 0
        self._identity = CopulaReader(self)
        self._subjects = Subjects(scene)
        self._moments: Moments | None = None

    def clause(self, clause: Clause, moments: Moments, corrects: bool = False) -> None:
        """Draft what a clause states."""
        found = aspect(clause)
        if clause.how == "reported" and _was_to_come(clause):
            found.hypothetical, found.tense = False, "future"
        if (
            found.hypothetical
            or not clause.emitted
            or conditional(clause)
            or is_purpose(clause.finite)
        ):
            self._notice(clause)
            return
        for (
            token
        ) in clause.base.subtree:  # pronouns first, before they could refer to its own nouns
            if token.tag_ in ("PRP", "PRP$"):
                self.scene.mention(token)
        writer = SentenceWriter(self.scene, moments)
        if self.scene.spoken and self._shares(clause, found, writer):
            return
        self._moments = moments
        if reciprocal(self, clause, found, writer):
            return
        for draft in self._subjects.drafts(clause, found, writer):
            draft.whens = self.whens_of(clause)
            dated = any(when.dated and when.first is not None for when in draft.whens)
            if not salience.is_worth_keeping(clause, found, draft.source, self.scene.spoken, dated):
                continue
            if self._is_praise(draft):
                continue
            draft.corrects = corrects
            self.fill(draft)

    def opinion(self, clause: Clause, moments: Moments) -> None:
        """Draft an opinion that is too general to be a fact of its own, as the speaker's."""
        outer = clause.parent
        subject = clause.subjects[0] if clause.subjects else None
        if outer is None or outer.verb.lemma_.lower() not in _THINKING or subject is None:
            return
        if subject.pos_ not in ("NOUN", "PROPN") and not verbal(subject):
            return
        outer.emitted = True
        outer.cuts.discard(clause.base.i)
        self.clause(outer, moments)

    def whens_of(self, clause: Clause) -> list[When]:
        """The expressions of time that belong to a clause of the sentence being read."""
        if self._moments is None:
            return []
        moments = self._moments
        return [moments.as_bound(one) for one in moments.whens if moments.within(one, clause)]

    def _shares(self, clause: Clause, found: Aspect, writer: SentenceWriter) -> bool:
        """ "Here's a photo of my dog": the speaker shared it."""
        verb, speaker = clause.verb, self.scene.speaker
        here = any(item.lower_ == "here" and item.i < verb.i for item in verb.children)
        thing = child(verb, "nsubj", "attr")
        if not here or thing is None or speaker is None or thing.lemma_.lower() not in PICTURES:
            return False
        of = child(thing, "prep")
        shown = child(of, "pobj") if of is not None else None
        target = self.scene.mention(shown) if shown is not None else self.scene.mention(thing)
        text = writer.phrase(thing)
        if target is not None and text is not None and target.key != speaker.key:
            draft = FactDraft(clause, found, speaker, speaker.text, writer, 0.6)
            self.emit(
                draft, target, RelationName("SHARED", "SHARED"), f"{speaker.text} shared {text}"
            )
        return True

    def _notice(self, clause: Clause) -> None:
        """Remember whom a clause mentions although it states nothing."""
        for token in clause.subjects:
            mention = self.scene.mention(token)
            if mention is not None:
                self.scene.see(mention, subject=True)

    def fill(self, draft: FactDraft) -> None:
        """Find the other entities of a clause and add its facts."""
        if self._identity.fill(draft):
            return
        taken = False
        phrases: set[int] = set()
        found = self._ordered(draft)
        if self.scene.spoken and any(self._small_talk(draft, item) for item in found):
            return
        for argument in found:
            if argument.head is None:
                if not taken:
                    self._alone(draft, argument)
                return
            if argument.phrase is not None and argument.phrase.i in phrases:
                continue
            done = self._related(draft, argument, primary=not taken)
            if done and argument.phrase is not None:
                phrases.add(argument.phrase.i)
            taken |= done
        if not taken:
            self._alone(draft, Argument(None, (draft.clause.verb.lemma_.lower(),)))

    def fill_request(self, draft: FactDraft) -> None:
        """Add the fact of a request, if it asks for something."""
        for argument in arguments(draft.clause.verb, False):
            if argument.head is None or self._is_party(argument.head):
                continue
            if self._related(draft, argument, primary=True):
                return

    def _is_party(self, head: Token) -> bool:
        """ "Speak to you soon": neither speaker nor listener is something asked for."""
        mention = self.scene.mention(head)
        return mention is not None and mention.party

    def _ordered(self, draft: FactDraft) -> list[Argument]:
        """The arguments, longer phrases of the table first: "lose job at" before "lose"."""
        found = self._arguments(draft)
        noun = child(draft.clause.verb, "dobj")
        if noun is None or (not draft.source.party and not draft.source.proper):
            return found
        whole = (draft.clause.verb.lemma_.lower(), noun.lemma_.lower())
        longer = [
            item
            for item in found
            if item.lemmas[:2] == whole and self.table.of_phrase(" ".join(item.lemmas))
        ]
        if not longer and self.table.of_phrase(" ".join(whole)):
            return [Argument(None, whole)]
        if not longer:
            return found
        return [*longer, *(item for item in found if item not in longer and item.head != noun)]

    def _arguments(self, draft: FactDraft) -> list[Argument]:
        clause, found = draft.clause, draft.aspect
        if found.lead == "taste" and verbal(clause.verb):
            outer = clause.verbs[-2].lemma_.lower()
            return [Argument(clause.verb, (outer,), clause.verb, label="activity")]
        return arguments(clause.carrier or clause.verb, found.passive)

    def _related(self, draft: FactDraft, argument: Argument, primary: bool) -> bool:
        """Add facts between the source and what an argument names; False if it names nothing."""
        head = argument.head
        known = self.table.of_phrase(" ".join(argument.lemmas)) is not None
        if head is None or not (argument.sure or known):
            return False
        named = [
            (token, mention)
            for token in (members(head) if not verbal(head) else [head])
            if (mention := self.scene.mention(token)) is not None
            and mention.key != draft.source.key
        ]
        done = False
        for token, mention in named:
            if not primary and not self._telling(mention, argument):
                continue
            chosen = token if len(named) > 1 or denied(head) else None
            if core(head) != head and child(head, "conj") is not None:
                chosen = None  # amounts of several things stay in one sentence
            done |= self._relate(draft, argument, mention, chosen)
        for token in denied(head):
            self._deny(draft, argument, token)
        return done

    def _small_talk(self, draft: FactDraft, argument: Argument) -> bool:
        """Whether it is what a speaker feels, right now, about the listener or the listener's things."""
        speaker, listener = self.scene.speaker, self.scene.listener
        if listener is None or draft.source is not speaker or draft.aspect.tense == "past":
            return False
        mention = self.scene.mention(argument.head) if argument.head is not None else None
        if mention is None:
            return False
        return mention.key == listener.key or (
            mention.owner is not None and mention.owner.key == listener.key
        )

    def _is_praise(self, draft: FactDraft) -> bool:
        """Whether it is encouragement: what the listener's work, store or smile will do."""
        owner, listener = draft.source.owner, self.scene.listener
        if not self.scene.spoken or owner is None or listener is None or draft.source.role:
            return False
        if listener.who == "assistant":  # people do not praise a machine, they complain to it
            return False
        return owner.key == listener.key and draft.aspect.tense != "past"

    def _telling(self, mention: Mention, argument: Argument) -> bool:
        """Whether a circumstance deserves a fact: it has a name, or its relation is in the table."""
        known = self.table.of_phrase(" ".join(argument.lemmas)) is not None
        return (mention.proper and mention.kind != "value") or known

    def _relate(
        self, draft: FactDraft, argument: Argument, mention: Mention, chosen: Token | None
    ) -> bool:
        self.scene.see(mention)
        link = self.relation(argument.lemmas, draft, mention)
        if argument.head is not None and argument.head.lower_ == "us":
            link = RelationName(GENERAL, GENERAL)  # "left us": a firm, a family, or this world
        without = (
            frozenset(item.i for item in denied(argument.head)) if argument.head else frozenset()
        )
        text = draft.writer.sentence(
            draft.clause, draft.subject, chosen, without, draft.singular, draft.said_as
        )
        if text is None:
            return False
        if draft.writer.vague:
            draft.confidence = min(draft.confidence, 0.4)
        return self.emit(draft, mention, link, text)

    def _deny(self, draft: FactDraft, argument: Argument, token: Token) -> None:
        """ "I live in Denver, not Boston" also says where the speaker does not live."""
        mention = self.scene.mention(token)
        known = self.table.of_phrase(" ".join(argument.lemmas)) is not None
        if mention is None or draft.aspect.negated or not known:
            return
        opposite = Aspect(tense=draft.aspect.tense, negated=True)
        lemmas = argument.lemmas
        link = relation(self.table, list(lemmas), draft.clause.verb, opposite, mention.kind)
        verb = "is not" if lemmas[0] == "be" else f"does not {lemmas[0]}"
        text = " ".join([draft.subject, verb, *lemmas[1:], mention.text])
        other = FactDraft(draft.clause, opposite, draft.source, draft.subject, draft.writer, 0.7)
        other.corrects = True
        self.emit(other, mention, link, text)

    def _alone(self, draft: FactDraft, argument: Argument) -> None:
        """Add a clause without a second entity as a fact about its subject, or about the owner and it."""
        if self.scene.spoken and not salience.stands_alone(
            draft.clause, draft.aspect, draft.source, bool(draft.whens)
        ):
            return
        if draft.past_judgement():
            draft.confidence = 0.45
        text = draft.writer.sentence(
            draft.clause, draft.subject, singular=draft.singular, said_as=draft.said_as
        )
        if text is None or (self.scene.spoken and draft.writer.dropped):
            return
        lemmas = argument.lemmas
        if lemmas[0] == "leave" and len(lemmas) == 1:
            lemmas = ("leave", "somewhere")
        told = child(draft.clause.verb, "ccomp")
        told = told if told is not None and told.i > draft.clause.verb.i else None
        link = self.relation((*lemmas, "that") if told else lemmas, draft, None)
        if told is not None and lemmas[0] in BARE_AFTER:
            link = RelationName(GENERAL, GENERAL)  # "helps me sleep" is not to help
        draft.confidence = round(max(0.35, draft.confidence - 0.1), 2)
        owner = draft.source.owner
        if owner is not None and not draft.source.role:
            thing, draft.source = draft.source, owner
            link = RelationName(GENERAL, GENERAL)  # it is not the owner who broke or was revoked
            self.emit(draft, thing, link, text)
        else:
            self.emit(draft, draft.source, link, text)

    def relation(
        self, lemmas: tuple[str, ...], draft: FactDraft, mention: Mention | None
    ) -> RelationName:
        """The relation of the table or of the text itself."""
        kind = mention.kind if mention is not None else None
        if lemmas == ("join",) and mention is not None and mention.proper and not mention.role:
            lemmas, kind = ("start", "at"), None  # to join a named organization is to start there
        dated = any(when.dated and when.first is not None for when in draft.whens)
        found = relation(self.table, list(lemmas), draft.clause.verb, draft.aspect, kind, dated)
        moves = lemmas[0] in _MOVING and child(draft.clause.verb, "dobj") is None
        there = not (moves and found.predicate == "LIVES_IN") or settles(draft.source, mention)
        if there and fits(found.predicate, draft.source.kind, draft.source.anchored):
            return found
        return RelationName(
            screaming_snake([third(lemmas[0]), *lemmas[1:]]), screaming_snake(list(lemmas))
        )

    def _is_guess(self, mention: Mention) -> bool:
        """Whether the kind of a name rests on the parser's label alone."""
        known = any(item.name == mention.name and item.kind for item in self.scene.reading.known)
        return mention.proper and mention.kind in ("place", "organization") and not known

    def emit(self, draft: FactDraft, target: Mention, link: RelationName, text: str) -> bool:
        """Add a fact to the findings."""
        found = draft.aspect
        known = self.table[link.predicate]
        past_state = found.ended or (
            found.tense == "past"
            and not found.perfect
            and not known.event
            and found.lead != "start"
            and draft.clause.verb.lemma_.lower() in _STATES
        )
        ends = found.ended or found.no_longer
        ends |= bool(known.ends) and known.event and not found.negated
        at = self.scene.reading.at
        whens = [when for when in draft.whens if when.relation != "at" or is_event(when, at)]
        told_of = [when for when in whens if _is_only_told_of(when, found, at)]
        whens = [when for when in whens if when not in told_of]
        valid = Validity(whens, at, past_state, ends and not known.event)
        valid.event = next((when.first for when in told_of), None)
        lasts = link.predicate in self.table and not known.event
        dates = _is_a_date(draft.clause.verb)  # "the deadline is 1 June": so it is already
        if dates or ((found.tense == "past" or found.perfect) and not (found.lead or lasts)):
            valid.complete(at)
        if draft.claimant is not None:
            text = f"{text}, according to {draft.claimant.text}"
        hint = TARGETS.get(link.predicate)
        if hint is not None and target.kind in hint:
            target.settle(target.kind)
        elif hint is not None and target.proper and target.kind != "person":
            target.settle(hint[0])  # the verb is more reliable than the parser's label
        if link.predicate == "LEFT" and self._is_guess(target):
            target.settle(None)  # people leave companies and towns alike
        self.written += 1
        source = self.findings.entity(draft.source)
        self.findings.fact(
            FoundFact(
                source=source,
                target=self.findings.entity(target, hint[0] if hint else None),
                name=link.name[: limits.FACT_NAME_CHARS_MAX],
                predicate=link.predicate,
                fact=text[0].upper() + text[1:],
                valid_at=valid.first,
                invalid_at=valid.last,
                dated=valid.dated,
                event_at=valid.event,
                negated=found.negated,
                ends=ends,
                corrects=draft.corrects,
                mood=draft.mood,
                span=self.span,
                confidence=max(0.1, draft.confidence - (0.15 if draft.claimant else 0.0)),
            ),
            draft.clause.verb.i,
        )
        return True


def _is_a_date(verb: Token) -> bool:
    """Whether it says which date something is, and so nothing about when that is so."""
    complement = child(verb, "attr") if verb.lemma_ == "be" else None
    return complement is not None and is_time(complement)


def _is_only_told_of(when: When, found: Aspect, at: datetime) -> bool:
    """Whether a past time cannot be that of the verb: "I fear another storm like last year's"."""
    now = found.tense in ("present", "future") and not (found.perfect or found.ended)
    return now and when.relation == "at" and when.last is not None and when.last <= at


def _was_to_come(clause: Clause) -> bool:
    """ "said it would fund the purchase": an announcement, not a condition."""
    return any(item.lower_ == "would" and item.dep_ == "aux" for item in clause.finite.children)
