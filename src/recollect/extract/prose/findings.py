"""Collects the entities and facts of an episode, without duplicates."""

from __future__ import annotations

from datetime import datetime

import msgspec

from recollect import limits
from recollect.extract.prose.mentions import Mention
from recollect.graph.found import EntityKind, Found, FoundEntity, FoundFact, part


class Findings:
    """The entities and facts found so far; positions are stable."""

    def __init__(self) -> None:
        self._entities: list[FoundEntity] = []
        self._places: dict[str, int] = {}
        self._named: set[int] = set()
        self._facts: list[FoundFact] = []
        self._drafts: list[FoundFact] = []
        self._said: set[tuple[int, int, str]] = set()
        self._verbs: dict[tuple[int, int, str], int] = {}

    def entity(self, mention: Mention, kind: EntityKind | None = None) -> int:
        """The position of the mentioned entity; adds it, or adds to its kind and aliases."""
        place = self._places.get(mention.key)
        if place is None:
            place = self._places[mention.key] = len(self._entities)
            self._entities.append(FoundEntity(name=mention.name, who=mention.who))
        if mention.proper or mention.party:
            self._named.add(place)
        old = self._entities[place]
        aliases = tuple(dict.fromkeys((*old.aliases, *mention.aliases)))
        sort, guessed = _sort(old, mention, kind)
        self._entities[place] = msgspec.structs.replace(
            old, kind=sort, guessed=guessed, aliases=aliases
        )
        return place

    def fact(self, fact: FoundFact, verb: int | None = None) -> bool:
        """Add a fact unless the episode stated it before. *verb* is the position of its verb."""
        same = _sameness(fact)
        if same in self._said:
            return False
        if verb is not None:
            self._verbs[same] = verb
        self._said.add(same)
        self._facts.append(fact)
        self._drafts.append(fact)
        return True

    def state(
        self,
        source: Mention,
        target: Mention,
        name: str,
        text: str,
        *,
        at: datetime,
        span: tuple[int, int],
        confidence: float,
        dated: bool = False,
    ) -> None:
        """Add a simple fact between two mentions; its name is also its predicate."""
        self.fact(
            FoundFact(
                source=self.entity(source),
                target=self.entity(target),
                name=name,
                predicate=name,
                fact=text,
                valid_at=at,
                dated=dated,
                span=span,
                confidence=confidence,
            )
        )

    def verb_of(self, fact: FoundFact) -> int | None:
        """The position of the verb that a fact was read from, if any."""
        return self._verbs.get(_sameness(fact))

    def names(self) -> set[str]:
        """The names of the entities so far."""
        return {entity.name for entity in self._entities}

    def is_named(self, place: int) -> bool:
        """Whether an entity has a name of its own."""
        return place in self._named

    def take(self, since: int) -> list[FoundFact]:
        """Remove and return the facts added since there were *since* of them."""
        taken, self._facts = self._facts[since:], self._facts[:since]
        self._said = set(map(_sameness, self._facts))
        return taken

    def drafted(self) -> Found:
        """Everything that was ever added, including what was removed again."""
        return self._numbered(self._drafts)

    def __len__(self) -> int:
        return len(self._facts)

    def found(self) -> Found:
        """Everything within the limit: the facts with the highest confidence, in the order of the text."""
        facts = self._facts
        if len(facts) > limits.PROSE_FACTS_MAX:
            order = sorted(range(len(facts)), key=lambda i: (-facts[i].confidence, i))
            kept = sorted(order[: limits.PROSE_FACTS_MAX])
            facts = [facts[i] for i in kept]
        return self._numbered(facts)

    def _numbered(self, facts: list[FoundFact]) -> Found:
        """The facts, without entities that have neither a fact nor a name."""
        told = {place for fact in facts for place in (fact.source, fact.target)} | self._named
        entities, kept = part(self._entities, told, facts)
        return Found(entities=entities, facts=kept)


def _sameness(fact: FoundFact) -> tuple[int, int, str]:
    return fact.source, fact.target, fact.fact.casefold()


def _sort(
    old: FoundEntity, mention: Mention, kind: EntityKind | None
) -> tuple[EntityKind | None, bool]:
    """The first kind that is not a guess, else the first guess; and whether it is a guess."""
    told = [(old.kind, old.guessed), (mention.kind, mention.guessed), (kind, False)]
    known = [(sort, guessed) for sort, guessed in told if sort is not None]
    return min(known, key=lambda item: item[1], default=(None, False))
