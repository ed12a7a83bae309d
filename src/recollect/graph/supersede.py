"""What a new fact does to a known one: restates it, contradicts it, and when it closes it.

Contradictions come in two strengths. *Plain*: a single-valued relation has another target, one
relation replaces another, something holds again. The later `valid_at` wins, whichever is learned
first; equal or unknown times decide nothing (T4-T7). *Firm*: a denial, an end, a correction, or
another value in the same slot states that the other no longer holds. It closes that one at its own
`valid_at`, or at the episode's time if it has none.

A fact without a date is assumed to begin when it was said. Against such an assumed beginning the
later statement wins, even if it dates itself before it (`outdates`); the fact then ends when that
was said.

Otherwise a fact ends at the `valid_at` of what closed it, but never before its own beginning: one
corrected by an earlier date was never true and ends where it begins. `expired_at` is when we
learned that it is false; it stays empty while the end lies in the future.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Literal

import msgspec

from recollect.graph import names
from recollect.graph.delta import KnownEntity, KnownFact
from recollect.graph.gist import ENDING, NOT, opposite, stem, words
from recollect.graph.predicates import Predicates
from recollect.graph.types import Record

Force = Literal["plain", "firm"]
# Names of these end in a family name or the like, not in the word for what they are.
_NAMED_KINDS = frozenset({"person", "animal", "organization", "place", "event"})


class Assertion(Record):
    """A fact being entered, with properties that only the statement has."""

    fact: KnownFact
    corrects: bool = False
    dated: bool = False


class Contradiction:
    """How one fact contradicts another, by the table of predicates and their entities."""

    def __init__(self, predicates: Predicates, entities: Mapping[str, KnownEntity]) -> None:
        self._predicates = predicates
        self._entities = entities

    def denies(self, fact: KnownFact) -> bool:
        """Whether it says that its relation does not hold.

        An event that ends something ("left") is not a denial: it did happen.
        """
        if fact.negated or not fact.ends:
            return fact.negated
        own = self._predicates[fact.predicate]
        return not (own.event and (own.ends or own.ends_alone))

    def ending(self, fact: KnownFact) -> bool:
        """Whether it says that something no longer holds."""
        own = self._predicates[fact.predicate]
        return fact.ends or fact.negated or bool(own.ends or own.ends_alone)

    def force(
        self,
        later: KnownFact,
        earlier: KnownFact,
        *,
        corrects: bool = False,
        together: bool = False,
    ) -> Force | None:
        """How *later* closes *earlier*, if it does. *together*: one episode states both."""
        if later.uuid == earlier.uuid:
            return None
        if not together and is_other_value(later, earlier):
            return "firm"
        if not self._predicates.concerns(later.predicate, earlier.predicate):
            return None
        if corrects and self._corrected(later, earlier):
            return "firm"
        denies, denied = self.denies(later), self.denies(earlier)
        if denies:
            return "firm" if not denied and self._by_denial(later, earlier, together) else None
        if not denied and self._by_end(later, earlier):
            return "firm"
        again = self._opposed(earlier, later) if denied else self._by_value(later, earlier)
        if again:
            return "firm" if corrects else "plain"
        return None

    def outdates(self, later: KnownFact, earlier: KnownFact) -> bool:
        """Whether *later* describes a newer state than *earlier*, though it begins before it.

        An assumed beginning means "by then": someone who says "I live in Oslo" and two days later "I
        moved to Bergen last month" lives in Bergen. The later statement must lead to the present: a
        recent change or an end, said after the other and without an end of its own. Only times are
        compared here; `force` decides whether the two contradict.
        """
        if later.said_at is None or earlier.said_at is None or later.valid_at is None:
            return False
        if not earlier.valid_at == earlier.said_at < later.said_at:
            return False
        if later.valid_at > earlier.valid_at or later.slot is not None or not _went_on(later):
            return False
        return self._lasts(earlier) and self._changes(later, later.valid_at, later.said_at)

    def _lasts(self, fact: KnownFact) -> bool:
        """Whether it describes a state; an event or an end has no beginning to assume."""
        return not (fact.ends or self._predicates[fact.predicate].event)

    def _changes(self, fact: KnownFact, begins: datetime, said_at: datetime) -> bool:
        """Whether it describes the present. What someone once liked or had may be over again."""
        own = self._predicates[fact.predicate]
        if fact.ends and not own.event:
            return True  # "no longer", since whenever
        if begins < _lately(said_at) or self._measured(fact):
            return False
        return own.event or own.single or bool(own.replaces) or fact.negated

    def _measured(self, fact: KnownFact) -> bool:
        """Whether its target is a value: "earned 3000 dollars last year" says how much it was then."""
        target = self._entities.get(fact.target)
        return target is not None and target.kind == "value"

    def same_ends(self, one: KnownFact, two: KnownFact) -> bool:
        """Whether two facts join the same entities, in either direction if the relation is symmetric."""
        if (one.source, one.target) == (two.source, two.target):
            return True
        turned = (one.source, one.target) == (two.target, two.source)
        return turned and (self._symmetric(one) or self._symmetric(two))

    def _symmetric(self, fact: KnownFact) -> bool:
        return self._predicates[fact.predicate].symmetric

    def _shares(self, one: KnownFact, two: KnownFact) -> bool:
        """Whether both have the same owner: the source, or either side of a symmetric relation."""
        if self._symmetric(one) or self._symmetric(two):
            return not {one.source, one.target}.isdisjoint((two.source, two.target))
        return one.source == two.source

    def _by_denial(self, later: KnownFact, earlier: KnownFact, together: bool) -> bool:
        # If one episode says "likes tea at night, not in the morning", both stand.
        return (later.ends or not together) and self._opposed(later, earlier)

    def _opposed(self, denial: KnownFact, other: KnownFact) -> bool:
        if denial.predicate != other.predicate:
            return False
        if _alone(denial) and _alone(other):
            return denial.source == other.source and _stopped(denial, other)
        if _alone(denial):
            # "No longer works" can only mean the one job; "no longer likes" could mean anything.
            single = self._predicates[other.predicate].single
            return denial.ends and single and self._shares(denial, other)
        return self.same_ends(denial, other)

    def _by_end(self, later: KnownFact, earlier: KnownFact) -> bool:
        own = self._predicates[later.predicate]
        if _alone(later):
            return earlier.predicate in own.ends_alone and self._shares(later, earlier)
        return earlier.predicate in own.ends and self.same_ends(later, earlier)

    def _corrected(self, later: KnownFact, earlier: KnownFact) -> bool:
        """A correction of a detail: the same relation of the same two, in other words."""
        return (
            later.predicate == earlier.predicate
            and not _alone(later)
            and self.denies(later) == self.denies(earlier)
            and self.same_ends(later, earlier)
            and later.gist != earlier.gist
        )

    def _by_value(self, later: KnownFact, earlier: KnownFact) -> bool:
        own = self._predicates[later.predicate]
        if earlier.predicate == own.name and own.single:
            return self._shares(later, earlier) and self._differ(later, earlier)
        if earlier.source != later.source:
            return False
        if earlier.predicate in own.replaces:
            return True
        return earlier.predicate in own.rivals and self._of_one_sort(later, earlier)

    def _differ(self, one: KnownFact, two: KnownFact) -> bool:
        if _alone(one) and _alone(two):
            first, second = words(one.fact), words(two.fact)
            return not (first <= second or second <= first)
        # "Is married" says less than "is married to Tom", but nothing different.
        return not (_alone(one) or _alone(two) or self.same_ends(one, two))

    def _of_one_sort(self, later: KnownFact, earlier: KnownFact) -> bool:
        """Whether the targets are of one sort: "Adidas shoes" and "Puma shoes"."""
        one, two = self._entities.get(later.target), self._entities.get(earlier.target)
        if one is None or two is None or later.target == earlier.target:
            return False
        if {one.kind, two.kind} & _NAMED_KINDS:
            return False
        first, second = names.normal(one.name).split(), names.normal(two.name).split()
        return min(len(first), len(second)) > 1 and stem(first[-1]) == stem(second[-1])


def _alone(fact: KnownFact) -> bool:
    return fact.source == fact.target


def _stopped(denial: KnownFact, other: KnownFact) -> bool:
    """Whether a denial without a target denies another fact without one."""
    if other.gist == opposite(denial.fact):
        return True
    if not denial.ends:
        return False
    what = words(denial.fact) - ENDING - {NOT}
    said = words(other.fact)
    return bool(what) and (what <= said or said <= what)


def slot_value(fact: KnownFact) -> tuple[str, str | None, str]:
    """Whose slot it is, which one, and its value."""
    return (fact.source, fact.slot, fact.gist if _alone(fact) else fact.target)


def is_other_value(later: KnownFact, earlier: KnownFact) -> bool:
    """Whether both give a value for one slot, and different ones."""
    if later.slot is None:
        return False
    one, two = slot_value(later), slot_value(earlier)
    return one[:2] == two[:2] and one != two


def _went_on(fact: KnownFact) -> bool:
    """Whether it had no end when it was learned."""
    if fact.invalid_at is None:
        return True
    return fact.expired_at is not None and fact.expired_at > fact.created_at


def _lately(said_at: datetime) -> datetime:
    """The beginning of last year, in any time zone; a bare year is dated to its first day."""
    return datetime(said_at.year - 1, 1, 1, tzinfo=said_at.tzinfo) - timedelta(days=1)


def closed(fact: KnownFact, at: datetime, now: datetime) -> KnownFact:
    """*fact* with an end, unless it has an earlier one."""
    end = at if fact.valid_at is None else max(at, fact.valid_at)
    if fact.invalid_at is not None and fact.invalid_at <= end:
        return fact
    learned = now if end <= now else None
    return msgspec.structs.replace(fact, invalid_at=end, expired_at=fact.expired_at or learned)


def end_by(
    claim: Assertion,
    old: KnownFact,
    force: Force,
    contradiction: Contradiction,
    *,
    at: datetime,
    together: bool,
) -> datetime | None:
    """When *old* ends if *claim* contradicts it with *force*; None if it does not."""
    begins = claim.fact.valid_at
    if contradiction.outdates(claim.fact, old):
        return claim.fact.said_at
    if contradiction.outdates(old, claim.fact):
        return None
    if force == "plain":
        later = begins is not None and old.valid_at is not None and old.valid_at < begins
        return begins if later else None
    when = begins or at
    if old.valid_at is None or claim.corrects or old.valid_at < when:
        return when
    # An end without a target does not refer to what the same episode says holds.
    begun = old.valid_at == when and not (together and _alone(claim.fact))
    return when if begun else None


def born_closed(fact: KnownFact, ends: Sequence[datetime], now: datetime) -> KnownFact:
    """A new fact, already closed if something that holds later contradicts it (T6)."""
    return closed(fact, min(ends), now) if ends else fact


def later_than(
    claim: Assertion, facts: Iterable[KnownFact], contradiction: Contradiction
) -> list[tuple[KnownFact, datetime]]:
    """The facts that hold later than that of *claim* and contradict it, each with the end it causes."""
    ends = ((old, _end_of_new(claim.fact, old, contradiction)) for old in facts)
    return [(old, end) for old, end in ends if end is not None]


def _end_of_new(new: KnownFact, old: KnownFact, contradiction: Contradiction) -> datetime | None:
    if new.valid_at is None or old.valid_at is None:
        return None
    if old.valid_at == old.invalid_at:
        return None  # it was never true
    if contradiction.outdates(old, new):
        end = old.said_at
    elif old.valid_at > new.valid_at and not contradiction.outdates(new, old):
        end = old.valid_at
    else:
        return None
    return end if contradiction.force(old, new) else None


class Restatement:
    """Finds the known fact that a new one restates.

    It has the same relation between the same entities and no less detail: a fact that adds a
    number, a date or a circumstance is another fact, one with less says nothing new. Without a
    second entity the gist must be equal.
    """

    def __init__(
        self,
        predicates: Predicates,
        entities: Mapping[str, KnownEntity],
        contradiction: Contradiction,
    ) -> None:
        self._predicates = predicates
        self._entities = entities
        self._contradiction = contradiction
        self._own_words: dict[str, frozenset[str]] = {}

    def find(self, claim: Assertion, facts: Iterable[KnownFact]) -> KnownFact | None:
        """The fact that *claim* restates: the most similar, then the oldest."""
        known = list(facts)
        alike = [
            old for old in known if self._same(claim, old) and self._in_time(claim, old, known)
        ]
        alike = [old for old in alike if not self._ends_again(claim, old, known)]
        return min(alike, key=lambda old: _distance(claim.fact, old), default=None)

    def _same(self, claim: Assertion, old: KnownFact) -> bool:
        new = claim.fact
        if not self._contradiction.same_ends(new, old):
            return False
        if new.slot is not None and old.slot is not None and new.slot != old.slot:
            return False
        if self._contradiction.denies(new) != self._contradiction.denies(old):
            return False
        return new.gist == old.gist or (
            new.predicate == old.predicate and self._nothing_new(new, old)
        )

    def _nothing_new(self, new: KnownFact, old: KnownFact) -> bool:
        if new.source != new.target:
            return words(new.fact) - self._ignored(new) <= words(old.fact)
        return self._predicates[new.predicate].single and words(new.fact) <= words(old.fact)

    def _ignored(self, fact: KnownFact) -> frozenset[str]:
        """Words that only name the relation and the entities, or say that it ended."""
        found = self._words_of(fact.predicate, lambda: self._relation(fact.predicate))
        for uuid in (fact.source, fact.target):
            found |= self._words_of(uuid, lambda uuid=uuid: self._names(uuid))  # type: ignore[misc]
        return found | ENDING | {NOT}

    def _words_of(self, key: str, make: Callable[[], frozenset[str]]) -> frozenset[str]:
        if key not in self._own_words:
            self._own_words[key] = make()
        return self._own_words[key]

    def _relation(self, name: str) -> frozenset[str]:
        phrases = (name.replace("_", " "), *self._predicates[name].phrases)
        return frozenset(stem(word) for phrase in phrases for word in phrase.casefold().split())

    def _names(self, uuid: str) -> frozenset[str]:
        entity = self._entities.get(uuid)
        return words(" ".join((entity.name, *entity.names))) if entity else frozenset()

    def _in_time(self, claim: Assertion, old: KnownFact, known: list[KnownFact]) -> bool:
        """Whether both can be about the same time."""
        new = claim.fact
        if None not in (new.event_at, old.event_at) and new.event_at != old.event_at:
            return False
        if old.expired_at is not None and old.invalid_at is None and new.expired_at is None:
            return False
        if new.valid_at is None or old.valid_at is None or new.valid_at == old.valid_at:
            return True
        if old.invalid_at is not None and new.valid_at > old.invalid_at:
            return False  # it holds again
        if new.invalid_at is not None and new.invalid_at <= old.valid_at:
            return False
        own = self._predicates[new.predicate]
        if own.event or new.predicate not in self._predicates:
            return not claim.dated or new.valid_at.date() == old.valid_at.date()
        return new.valid_at > old.valid_at or not (claim.dated or self._between(new, old, known))

    def _between(self, new: KnownFact, old: KnownFact, known: list[KnownFact]) -> bool:
        """Whether something else held between the time of *new* and the beginning of *old*."""
        return any(
            other.valid_at is not None
            and new.valid_at is not None
            and old.valid_at is not None
            and new.valid_at < other.valid_at < old.valid_at
            and self._contradiction.force(other, new) is not None
            for other in known
        )

    def _ends_again(self, claim: Assertion, old: KnownFact, known: list[KnownFact]) -> bool:
        """Whether the claim ends something that began after *old*, so that it does not restate *old*."""
        new = claim.fact
        if old.valid_at is None or not self._contradiction.ending(new):
            return False
        return any(
            other.valid_at is not None
            and other.valid_at > old.valid_at
            and other.invalid_at is None
            and (new.valid_at is None or other.valid_at <= new.valid_at)
            and self._contradiction.force(new, other) == "firm"
            for other in known
        )


def _distance(new: KnownFact, old: KnownFact) -> tuple[bool, bool, bool]:
    return (new.gist != old.gist, new.valid_at != old.valid_at, old.invalid_at is not None)
