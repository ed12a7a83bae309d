"""The default types of a user's graph: who is the user, what is a preference, what is a place."""

from collections.abc import Sequence

from recollect.extract.brief import Brief
from recollect.extract.ontology import words
from recollect.extract.ontology.tables import DEFAULTS
from recollect.graph.found import Found, FoundEntity, FoundFact
from recollect.graph.types import Json

_TYPES = DEFAULTS.entity
_FAN_STEMS = frozenset(words.stem(word) for word in DEFAULTS.preference.fan_words)
_CATEGORIES = words.Runs(
    (word, category) for category, said in DEFAULTS.preference.categories.items() for word in said
)
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


def attributes_of(label: str, number: int, found: Found, reading: Brief) -> Json:
    """What is known of an entity of a default type."""
    entity = found.entities[number]
    if label == "User":
        return _of_user(entity, reading)
    if label == "Assistant":
        return {"assistant_name": entity.name}
    fact = preferring(number, found) if label == "Preference" else None
    if fact is None:
        return {}
    category = category_of(entity.name) or category_of(fact.fact) or category_of(reading.content)
    told: Json = {"category": category} if category else {}
    return {**told, "description": fact.fact}


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
