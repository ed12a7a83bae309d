"""Collects the entities and facts of a document, without duplicates and within a limit."""

from typing import Literal

import msgspec

from recollect.graph.found import Found, FoundEntity, FoundFact, part
from recollect.graph.types import Record
from recollect.limits import FOUND_FACTS_MAX

FactRank = Literal[0, 1, 2]


class _Held(Record):
    weight: FactRank
    depth: int
    order: int
    fact: FoundFact


class DocumentFindings:
    """The entities and facts found so far.

    *weight* and *depth* decide what is kept if there are too many facts. Weight 0 is for facts that join or
    identify entities, 2 for facts that hardly anyone asks for; facts nearer to the top come first.
    """

    def __init__(self) -> None:
        self._entities: list[FoundEntity] = []
        self._places: dict[tuple[str, str], int] = {}
        self._held: dict[tuple[object, ...], _Held] = {}

    def entity(self, found: FoundEntity) -> int:
        """The position of an entity, identified by its name and kind."""
        key = self._key(found)
        if key not in self._places:
            self._places[key] = len(self._entities)
            self._entities.append(found)
        else:
            place = self._places[key]
            self._entities[place] = _united(self._entities[place], found)
        return self._places[key]

    def fact(self, fact: FoundFact, weight: FactRank = 1, depth: int = 0) -> None:
        """Add a fact, unless it is there already."""
        key = (fact.source, fact.target, fact.predicate, fact.fact.casefold(), fact.valid_at)
        if key not in self._held:
            self._held[key] = _Held(weight=weight, depth=depth, order=len(self._held), fact=fact)

    def add(self, found: Found, weight: FactRank = 1, depth: int = 0) -> None:
        """Add the findings of a part of the document."""
        places = [self.entity(entity) for entity in found.entities]
        for fact in found.facts:
            source, target = places[fact.source], places[fact.target]
            moved = msgspec.structs.replace(fact, source=source, target=target)
            self.fact(moved, weight, depth)

    def entities(self) -> tuple[FoundEntity, ...]:
        """Everything named so far."""
        return tuple(self._entities)

    def found(self) -> Found:
        """Everything within the limit, in document order."""
        ranked = sorted(self._held.values(), key=lambda held: (held.weight, held.depth, held.order))
        kept = sorted(ranked[:FOUND_FACTS_MAX], key=lambda held: held.order)
        used = {end for held in kept for end in (held.fact.source, held.fact.target)}
        spare = [place for place in range(len(self._entities)) if place not in used]
        used.update(spare[: max(0, FOUND_FACTS_MAX - len(used))])
        entities, facts = part(self._entities, used, (held.fact for held in kept))
        return Found(entities=entities, facts=facts)

    def _key(self, found: FoundEntity) -> tuple[str, str]:
        if found.who is not None:
            return "who", found.who
        name = found.name.casefold()
        for kind in (found.kind or "", ""):
            if (name, kind) in self._places:
                return name, kind
        if found.kind is None:
            same = (key for key in self._places if key[0] == name and key[1])
            return next(same, (name, ""))
        return name, found.kind


def _united(old: FoundEntity, new: FoundEntity) -> FoundEntity:
    names = dict.fromkeys((*old.aliases, *new.aliases))
    if new.name != old.name and new.who is None:
        names.setdefault(new.name)
    return msgspec.structs.replace(
        old,
        kind=old.kind or new.kind,
        label=old.label or new.label,
        summary=old.summary or new.summary,
        attributes=old.attributes or new.attributes,
        aliases=tuple(name for name in names if name != old.name),
    )
