"""What stays of what was found: no idle wishes, and under a strict ontology nothing untyped."""

from collections.abc import Mapping, Sequence

import msgspec

from recollect.extract.brief import Brief
from recollect.extract.ontology import words
from recollect.graph.found import Found, FoundEntity


def wanted(found: Found, reading: Brief, named: Sequence[str | None]) -> Found:
    """Without wishes that no custom edge type asked for, and what a strict ontology leaves out."""
    custom_edges = {item.name for item in reading.guidance.ontology.edge_types}
    keep = [
        fact.mood == "stated" or named[number] in custom_edges
        for number, fact in enumerate(found.facts)
    ]
    asked = {
        fact.span
        for kept, fact in zip(keep, found.facts, strict=True)
        if kept and fact.mood == "requested"
    }
    keep = [
        kept and not (fact.mood == "stated" and fact.span in asked)
        for kept, fact in zip(keep, found.facts, strict=True)
    ]
    if reading.strict:
        keep = [
            kept
            and (not custom_edges or named[number] is not None)
            and all(_configured(found.entities[end]) for end in (fact.source, fact.target))
            for kept, number, fact in zip(keep, range(len(keep)), found.facts, strict=True)
        ]
    used = {
        end
        for kept, fact in zip(keep, found.facts, strict=True)
        if kept
        for end in (fact.source, fact.target)
    }
    dropped = {end for fact in found.facts for end in (fact.source, fact.target)} - used
    stays = [
        number in used or _stays(entity, reading, unused=number in dropped)
        for number, entity in enumerate(found.entities)
    ]
    return _only(found, stays, keep)


def _configured(entity: FoundEntity) -> bool:
    return entity.label is not None or entity.who == "user"


def _stays(entity: FoundEntity, reading: Brief, *, unused: bool) -> bool:
    """Whether an entity that no fact joins is kept: the user, one of a type, one with a name."""
    if reading.strict:
        return _configured(entity)
    return not unused or entity.who is not None or words.is_named(entity.name)


def _only(found: Found, stays: Sequence[bool], keep: Sequence[bool]) -> Found:
    moved: Mapping[int, int] = {
        old: new for new, old in enumerate(place for place, kept in enumerate(stays) if kept)
    }
    return msgspec.structs.replace(
        found,
        entities=tuple(found.entities[old] for old in moved),
        facts=tuple(
            msgspec.structs.replace(fact, source=moved[fact.source], target=moved[fact.target])
            for fact, kept in zip(found.facts, keep, strict=True)
            if kept
        ),
    )
