"""Whether the words of a clause support the name of a relation; if not, the clause gets a general one.

A name says more than the sentence where the parser guessed, so each has to be earned: by the verb of the
clause itself, and not by a word in a clause below it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.extract.prose.fidelity import (
    is_clear,
    is_denied,
    is_misread,
    main_verb,
    subject_in,
)
from recollect.extract.prose.syntax import IsVerb, child, is_below, verbal
from recollect.extract.prose.words import (
    DECISIONS,
    HYPOTHETICAL,
    REPORTING,
    TASTES,
    WISHES,
    listed,
)
from recollect.models.sentence_kinds import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spacy.tokens import Token

    from recollect.extract.prose.scene import Scene
    from recollect.graph.found import FoundFact
    from recollect.graph.predicates import Predicates

RELATIONS: dict[Kind, str] = {
    "state": "STATES",
    "event": "STATES",
    "plan": "PLANS",
    "preference": "PREFERS",
    "instruction": "ASKS_FOR",
    "denial": "STATES",
    "answer": "STATES",
}
GENERAL = RELATIONS["state"]
_MOVING = listed("move start begin go get take put bring send")
_LIKENING = listed("feel look sound taste smell seem be like")
_ALONE = frozenset({"WANTS_TO", "PLANS_TO", "DIED"})
_DENYING = frozenset({"NOT", "NO", "CANNOT", "NEVER", "STOPPED", "WITHOUT"})
# Without one of these words a sentence of the kind is only a statement.
_CUES: dict[Kind, frozenset[str]] = {
    "instruction": listed("please pls always never only must should shall want need prefer"),
    "plan": WISHES
    | DECISIONS
    | listed("will 'll wo shall gon going gonna tomorrow soon next upcoming later need"),
    "preference": TASTES | listed("favourite favorite fave rather fan instead best want suit mind"),
}


class RelationSupport:
    """Checks the relations of one speech."""

    def __init__(self, scene: Scene, table: Predicates, is_verb: IsVerb) -> None:
        self._scene = scene
        self._table = table
        self._is_verb = is_verb

    def supports(self, fact: FoundFact, verb: Token | None, unit: Sequence[Token]) -> bool:
        """Whether a relation says what the verb says.

        It must not contain a number or a name, must be negated if the verb is, and must not confuse moving a
        thing with moving oneself.
        """
        if (
            fact.name.endswith(("_LIKE", "_BECAUSE"))
            and verb is not None
            and verb.lemma_ not in _LIKENING
        ):
            return False
        if fact.source == fact.target and fact.predicate in self._table:
            # Nobody likes, has or meets himself.
            return fact.predicate in _ALONE or bool(self._table[fact.predicate].ends_alone)
        denied = verb is not None and is_denied(verb)
        if denied and _DENYING.isdisjoint(fact.name.split("_")):
            return False
        if fact.predicate in self._table:
            return verb is None or self._is_meant(fact, verb)
        said = {*fact.name.split("_"), *fact.predicate.split("_")}
        names = {token.text.upper() for token in unit if token.pos_ in ("PROPN", "NUM", "X")}
        if not all(part.isalpha() and part not in names for part in fact.name.split("_")):
            return False
        if verb is None:
            return True
        if _is_of_another_sense(fact, verb, unit):
            return False
        group = (token for token in unit if verbal(token) and token.lemma_.upper() in said)
        return self._is_verb(verb.lemma_.lower()) and not any(map(is_misread, (verb, *group)))

    def _is_meant(self, fact: FoundFact, verb: Token) -> bool:
        """Whether a relation of the table is meant, and not another use of the same words."""
        thing = child(verb, "dobj")
        alone = self._is_phrase(fact, verb) and not (thing and self._is_phrase(fact, verb, thing))
        apart = verb.lemma_ == "be" and verb.i + 1 < len(verb.doc) and not _leads_on(verb.nbor(1))
        moved = thing is not None and thing.tag_ != "PRP" and verb.lemma_ in _MOVING
        return not (alone and (apart or moved))

    def _is_phrase(self, fact: FoundFact, *words: Token) -> bool:
        """Whether the table has the relation for these words and a preposition: "start job at"."""
        ends = (item for word in words for item in word.children if item.dep_ == "prep")
        said = " ".join(word.lemma_.lower() for word in words)
        return any(self._table.of_phrase(f"{said} {end.lower_}") == fact.predicate for end in ends)

    def general(self, unit: Sequence[Token], kind: Kind, ahead: bool, told: Token | None) -> str:
        """The relation of a kind, if the words support it.

        *ahead*: the clause names a time to come. *told* heads what it is told of, beside its subject.
        """
        speaker = self._scene.speaker
        if speaker is not None and speaker.who == "assistant":
            return GENERAL
        if kind in _CUES and not self._is_own(unit):
            return GENERAL
        if kind == "plan" and (is_past(unit, but=WISHES | DECISIONS) or _is_hypothesis(unit)):
            return GENERAL
        if kind == "preference" and is_past(unit):
            return GENERAL
        if kind in _CUES and not (_has_cue(unit, kind) and _is_told_of(told, unit)):
            return RELATIONS[kind] if kind == "plan" and ahead and not _is_state(unit) else GENERAL
        return RELATIONS[kind]

    def _is_own(self, unit: Sequence[Token]) -> bool:
        """Whether its subject is the speaker, or a person with a name."""
        verb = main_verb(unit)
        subject = subject_in(verb, unit) if verb is not None else None
        if verb is None or subject is None:
            return not any(token.tag_ == "VBZ" for token in unit[:2])  # "Wants a call back"
        if subject.lower_ in ("i", "we"):
            return True
        if verb.lemma_.lower() in REPORTING and child(verb, "ccomp") is not None:
            return False  # "Ana says that the shop closes on Friday"
        mention = self._scene.mention(subject) if is_clear(unit) else None
        return mention is not None and mention.kind == "person" and mention.proper


def is_past(unit: Sequence[Token], but: frozenset[str] = frozenset()) -> bool:
    """Whether its main verb says that something was done; *but* are verbs that do not count."""
    verb = main_verb(unit)
    if verb is None:
        return unit[0].tag_ == "VBD" and unit[0].lemma_.lower() not in but
    helpers = {item.lemma_ for item in verb.children if item.dep_ in ("aux", "auxpass")}
    done = verb.tag_ == "VBD" or (verb.tag_ == "VBN" and "have" in helpers)
    return done and not is_denied(verb) and verb.lemma_.lower() not in but


def _is_of_another_sense(fact: FoundFact, verb: Token, unit: Sequence[Token]) -> bool:
    """Whether only one of verb and relation is denied: "can't stop thinking", "pretends not to see"."""
    main = main_verb(unit)
    if main is None or verb.dep_ != "xcomp":
        return False
    return is_denied(main) == {"NOT", "CANNOT"}.isdisjoint(fact.name.split("_"))


def _has_cue(unit: Sequence[Token], kind: Kind) -> bool:
    """Whether one of the words that make a kind is in the clause itself: not "a firm *I like*"."""
    found = (
        token
        for token in unit
        if (token.pos_ == "VERB" or token.lemma_.lower() not in TASTES | WISHES | DECISIONS)
        and not (kind == "preference" and _is_wished(token))
        and not _CUES[kind].isdisjoint((token.lower_, token.lemma_.lower()))
    )
    return any(not is_below(token, unit) for token in found)


def _is_wished(verb: Token) -> bool:
    """ "I'd love to come": a wish, which says nothing about tastes."""
    return any(item.lower_ in ("would", "'d", "\u2019d") for item in verb.children)


def _is_told_of(told: Token | None, unit: Sequence[Token]) -> bool:
    """Whether the verb itself is about it; in "made it to show my work" only "show" is."""
    return told is None or not is_below(told, unit)


def _is_hypothesis(unit: Sequence[Token]) -> bool:
    """ "If they ask, I'd move": nobody plans to; "unless it rains, I'll go" is a plan."""
    unsure = any(token.dep_ == "mark" and token.lower_ in ("if", "unless") for token in unit)
    return unsure and any(token.lower_ in HYPOTHETICAL for token in unit)


def _is_state(unit: Sequence[Token]) -> bool:
    """Whether it says how something is, whatever comes later: "she is on leave until May"."""
    verb = main_verb(unit)
    return verb is not None and verb.lemma_ == "be"


def _leads_on(word: Token) -> bool:
    """Whether the word can open a prepositional phrase, unlike the "two" of "is two weeks into"."""
    return word.tag_ in ("IN", "RB", "VBN", "TO", "VBG") or word.dep_ in ("neg", "aux", "prep")
