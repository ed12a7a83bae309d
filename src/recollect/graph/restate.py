"""Whether a fact says again what a known one says (G11, G13, G14)."""

from collections.abc import Callable, Iterable, Mapping

from recollect.graph.delta import KnownEntity, KnownFact
from recollect.graph.gist import ENDING, NOT, stem, words
from recollect.graph.predicates import Predicates
from recollect.graph.supersede import Claim, Contradiction


class Restatement:
    """Finds the known fact that a new one restates, among facts that may be it.

    The same relation between the same entities, with no word more: a fact that adds a number, a
    date or a circumstance is another fact, one that has less of it says nothing new. A fact
    without a second entity must have the same gist.
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

    def find(self, claim: Claim, facts: Iterable[KnownFact]) -> KnownFact | None:
        """The fact that *claim* restates; the one most like it, then the oldest."""
        known = list(facts)
        alike = [
            old for old in known if self._same(claim, old) and self._in_time(claim, old, known)
        ]
        alike = [old for old in alike if not self._ends_again(claim, old, known)]
        return min(alike, key=lambda old: _distance(claim.fact, old), default=None)

    def _same(self, claim: Claim, old: KnownFact) -> bool:
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
        """Words that tell which relation and which entities it is, or that it ended."""
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

    def _in_time(self, claim: Claim, old: KnownFact, known: list[KnownFact]) -> bool:
        """Whether both can speak of one and the same time."""
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

    def _ends_again(self, claim: Claim, old: KnownFact, known: list[KnownFact]) -> bool:
        """Whether an end ends something that began only after *old* said so."""
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
