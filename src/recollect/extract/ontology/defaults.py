"""The default types of a user's graph: who is the user, what is a preference, what is a place."""

from collections.abc import Sequence

import numpy as np

from recollect.extract.brief import Brief
from recollect.extract.ontology import words
from recollect.extract.ontology.space import Space
from recollect.extract.ontology.tables import DEFAULTS
from recollect.graph.found import Found, FoundEntity, FoundFact
from recollect.graph.types import Json

_TYPES = DEFAULTS.entity
_FAN_STEMS = frozenset(words.stem(word) for word in DEFAULTS.preference.fan_words)
_CATEGORIES = words.Runs(
    (word, category) for category, said in DEFAULTS.preference.categories.items() for word in said
)
_OTHER_CATEGORY = "General"
# Chosen on other names than those in the tests: how like a category a name must be, by the nearest words of
# it and by what it is about in equal parts, and by how much more than any other.
_NEAREST_WORDS = 3
_LIKENESS_LEAST = 0.25
_AHEAD_OF_OTHERS = 0.02
_PHRASES = {
    name: [words.stems(item) for item in edge.phrases] for name, edge in DEFAULTS.edge.items()
}


def type_of(number: int, found: Found) -> str | None:
    """The default type of an entity, or nothing: a person has none."""
    entity = found.entities[number]
    if entity.who is not None:
        return entity.who.capitalize()
    if preferring(number, found) is not None:
        return "Preference"
    for name, item in _TYPES.items():
        if entity.kind is not None and entity.kind in item.kinds:
            return name
    return None


def preferring(number: int, found: Found) -> FoundFact | None:
    """The fact by which an entity is a preference of the user, if there is one."""
    entity, rule = found.entities[number], _TYPES["Preference"]
    for fact in found.facts:
        if fact.target != number or found.entities[fact.source].who != "user" or fact.ends:
            continue
        relations = {fact.predicate.upper(), fact.name.upper()}
        fan = bool(_FAN_STEMS & set(words.stems(fact.fact)))
        if not fan and entity.kind in rule.not_kinds:
            continue
        if fan or any(relation in rule.relations for relation in relations):
            return fact
    return None


def attributes_of(label: str, number: int, found: Found, reading: Brief, space: Space) -> Json:
    """What is known of an entity of a default type."""
    entity = found.entities[number]
    if label == "User":
        return _of_user(entity, reading)
    if label == "Assistant":
        return {"assistant_name": entity.name}
    fact = preferring(number, found) if label == "Preference" else None
    if fact is None:
        return {}
    return {"category": _category(entity, fact, reading, space), "description": fact.fact}


def _category(entity: FoundEntity, fact: FoundFact, reading: Brief, space: Space) -> str:
    """What sort of preference it is: by its words, by those around it, or by its meaning."""
    around = reading.content if fact.span is None else reading.content[slice(*fact.span)]
    told = category_of(entity.name) or category_of(fact.fact) or category_of(around)
    return told or category_like(entity.name, space) or _OTHER_CATEGORY


def _of_user(entity: FoundEntity, reading: Brief) -> Json:
    user = reading.user
    if user is None:
        return {}
    told = {
        "user_id": user.user_id,
        "role_type": "user",
        "email": user.email,
        "first_name": user.first_name,
        "last_name": user.last_name,
    }
    return {key: value for key, value in told.items() if value}


def category_of(text: str) -> str | None:
    """The category whose words a text says, if it is one category only."""
    told = set(_CATEGORIES.within(words.stems(text)))
    return told.pop() if len(told) == 1 else None


def category_like(name: str, space: Space) -> str | None:
    """The category that a name is most like in meaning, if it is clearly like one."""
    vector = space.thing(name)
    rules = DEFAULTS.preference
    likeness = []
    for category, said in rules.categories.items():
        near = np.sort([float(space.thing(word) @ vector) for word in said])[-_NEAREST_WORDS:]
        about = float(space.thing(rules.about[category]) @ vector)
        likeness.append(((about + float(near.mean())) / 2, category))
    (best, category), (second, _) = sorted(likeness, reverse=True)[:2]
    return category if best >= _LIKENESS_LEAST and best - second >= _AHEAD_OF_OTHERS else None


def edge_type_of(fact: FoundFact, labels: Sequence[str | None]) -> str | None:
    """The default type of a fact, or nothing: most facts have none."""
    if fact.source == fact.target:
        return None
    relation = words.stems(fact.predicate.replace("_", " "))
    for name, item in DEFAULTS.edge.items():
        said = name in (fact.name, fact.predicate) or _says(relation, _PHRASES[name])
        sides = ((item.source, labels[fact.source]), (item.target, labels[fact.target]))
        if said and all(wanted is None or wanted == label for wanted, label in sides):
            return name
    return None


def _says(relation: Sequence[str], phrases: Sequence[Sequence[str]]) -> bool:
    """Whether a relation is one of some phrases, or begins with one that is more than "be"."""
    return any(
        relation == phrase or (phrase[0] != "be" and relation[: len(phrase)] == phrase)
        for phrase in phrases
    )
