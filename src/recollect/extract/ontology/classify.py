"""Gives findings the types and attributes of the project's ontology."""

from collections.abc import Sequence
from itertools import compress

import msgspec

from recollect.extract.brief import Brief
from recollect.extract.ontology import defaults, edges, entities, fields, words
from recollect.extract.ontology.shapes import (
    EdgeShape,
    Embed,
    EntityShape,
    EpisodeContext,
    Space,
    edge_shape,
    entity_shape,
)
from recollect.extract.ontology.tables import DEFAULTS
from recollect.graph.found import Found, FoundEntity, FoundFact, part
from recollect.graph.types import Json
from recollect.records.guidance import EdgeType, EntityType

_SHAPES_MAX = 512
_ENTITIES_MAX = 64
_FACTS_MAX = 96
_SENTENCES_MAX = 6

Labels = Sequence[str | None]
_TYPE_KEYS = frozenset({"type", "kind", "category", "class", "entitytype", "objecttype"})


class Classifier:
    """Assigns types to entities and facts; caches the shapes of types."""

    def __init__(self, embed: Embed) -> None:
        self._space = Space(embed)
        self._entity_shapes: dict[EntityType, EntityShape] = {}
        self._edge_shapes: dict[EdgeType, EdgeShape] = {}

    def classify(self, found: Found, reading: Brief) -> Found:
        """*found* with types and attributes, without what the ontology excludes.

        Requests are kept only if they are of a custom edge type. Under a strict ontology only
        entities of configured types remain, and facts between them.
        """
        guidance = reading.guidance
        custom = guidance.ontology
        if reading.strict and not custom.entity_types and not guidance.defaults:
            return Found(extractor=found.extractor)
        if guidance.defaults:
            found = defaults.add_procedures(found, reading)
        scene = EpisodeContext(reading, self._space)
        edge_shapes = [self._edge_shape(item) for item in custom.edge_types]
        entity_shapes = [self._entity_shape(item) for item in custom.entity_types]
        labels = _entity_labels(found, reading, entity_shapes, edge_shapes, scene)
        found = _with_attributes(found, labels, entity_shapes, reading, scene)
        found, named = _with_edge_types(found, labels, entity_shapes, edge_shapes, reading, scene)
        return filtered(found, reading, named)

    def _entity_shape(self, item: EntityType) -> EntityShape:
        if item not in self._entity_shapes:
            _make_room(self._entity_shapes)
            self._entity_shapes[item] = entity_shape(self._space, item)
        return self._entity_shapes[item]

    def _edge_shape(self, item: EdgeType) -> EdgeShape:
        if item not in self._edge_shapes:
            _make_room(self._edge_shapes)
            self._edge_shapes[item] = edge_shape(self._space, item)
        return self._edge_shapes[item]


def _make_room(remembered: dict[EntityType, EntityShape] | dict[EdgeType, EdgeShape]) -> None:
    if len(remembered) >= _SHAPES_MAX:
        remembered.clear()


def _entity_labels(
    found: Found,
    reading: Brief,
    shapes: Sequence[EntityShape],
    edge_shapes: Sequence[EdgeShape],
    scene: EpisodeContext,
) -> list[str | None]:
    """The type of each entity: the given one, else a custom type, else a default type, else None."""
    names = {shape.type.name for shape in shapes}
    allowed = names | (set(DEFAULTS.entity) if reading.guidance.defaults else set())
    known = {item.name.casefold(): item.label for item in reading.known if item.label in names}
    labels: list[str | None] = []
    for number, entity in enumerate(found.entities):
        label = entity.label if entity.label in allowed else None
        label = label or (None if entity.who else known.get(entity.name.casefold()))
        label = label or _label_in_json(number, found, names)
        if label is None and shapes and number < _ENTITIES_MAX:
            shape = entities.type_of(number, found, shapes, edge_shapes, scene)
            label = shape.type.name if shape else None
        if label is None and reading.guidance.defaults:
            label = defaults.type_of(number, found)
        labels.append(label)
    return labels


def _label_in_json(number: int, found: Found, names: set[str]) -> str | None:
    """The type that a record states itself, under a key such as "type"."""
    said = {key: value for key, value in _slots(number, found).items() if key in _TYPE_KEYS}
    folded = {name.casefold(): name for name in sorted(names)}
    return next(
        (folded[str(v).casefold()] for v in said.values() if str(v).casefold() in folded), None
    )


def _slots(number: int, found: Found) -> Json:
    """The values of a record in JSON, by the last key of their path."""
    return {
        "".join(words.name_words(fact.slot.rsplit(".", 1)[-1])): found.entities[fact.target].name
        for fact in found.facts
        if fact.source == number and fact.slot is not None
    }


def _with_attributes(
    found: Found,
    labels: Labels,
    shapes: Sequence[EntityShape],
    reading: Brief,
    scene: EpisodeContext,
) -> Found:
    by_name = {shape.type.name: shape for shape in shapes}
    typed = []
    for number, entity in enumerate(found.entities):
        label = labels[number]
        given: Json = entity.attributes or {}
        told: Json = {}
        if label in DEFAULTS.entity and reading.guidance.defaults:
            told = defaults.attributes_of(label, number, found, reading, scene.space)
        if label in by_name:
            shape = by_name[label]
            subject = _about_entity(number, found, shape, scene, {**told, **given})
            told = fields.fill(shape.type.properties, subject, scene.space)
            given = {} if label in DEFAULTS.entity else given
        attributes = {**told, **given} or None
        typed.append(msgspec.structs.replace(entity, label=label, attributes=attributes))
    return msgspec.structs.replace(found, entities=tuple(typed))


def _about_entity(
    number: int, found: Found, shape: EntityShape, scene: EpisodeContext, told: Json
) -> fields.Subject:
    """What the fields of an entity are filled from: its facts, and sentences that mention it.

    *told* are the attributes that a default type of the same name gave; they fill fields of the same name.
    """
    name = found.entities[number].name
    facts = [
        fact.fact
        for fact in found.facts
        if number in (fact.source, fact.target) and fact.mood == "stated"
    ]
    said = [sentence for sentence in scene.told if name.casefold() in sentence.casefold()]
    sentences = list(dict.fromkeys([*said, *facts]))[:_SENTENCES_MAX]
    nouns = shape.nouns | {words.stem(word) for word in words.name_words(shape.type.name)}
    return fields.Subject(
        sentences=tuple(sentences),
        name=name,
        nouns=frozenset(nouns),
        known={**_known(told), **_slots(number, found)},
        hide=(name,),
    )


def _known(told: Json) -> Json:
    """Attributes by the keys that fields are looked up by; for a rule, its parts as well."""
    parts = defaults.procedure_parts(str(told.get("instruction", "")))
    return {"".join(words.name_words(key)): value for key, value in {**parts, **told}.items()}


def _with_edge_types(
    found: Found,
    labels: Labels,
    entity_shapes: Sequence[EntityShape],
    edge_shapes: Sequence[EdgeShape],
    reading: Brief,
    scene: EpisodeContext,
) -> tuple[Found, list[str | None]]:
    """The facts renamed to their types, and the type of each."""
    nouns = {
        shape.type.name: " ".join(words.name_words(shape.type.name)) for shape in entity_shapes
    }
    ends = [
        "User" if item.who == "user" else label
        for item, label in zip(found.entities, labels, strict=True)
    ]
    facts, named = [], list[str | None]()
    for number, fact in enumerate(found.facts):
        shape = None
        if edge_shapes and number < _FACTS_MAX and fact.slot is None:
            shape = edges.type_of(fact, found, ends, edge_shapes, scene, nouns)
        if shape is not None:
            subject = _about_fact(fact, found, entity_shapes, labels, scene)
            told = fields.fill(shape.type.properties, subject, scene.space)
            fact = msgspec.structs.replace(fact, name=shape.type.name, attributes=told or None)
            named.append(shape.type.name)
        else:
            default = defaults.edge_type_of(fact, ends) if reading.guidance.defaults else None
            fact = msgspec.structs.replace(fact, name=default) if default else fact
            named.append(default)
        facts.append(fact)
    return msgspec.structs.replace(found, facts=tuple(facts)), named


def _about_fact(
    fact: FoundFact,
    found: Found,
    shapes: Sequence[EntityShape],
    labels: Labels,
    scene: EpisodeContext,
) -> fields.Subject:
    source, target = found.entities[fact.source], found.entities[fact.target]
    label = labels[fact.target]
    nouns = next((shape.nouns for shape in shapes if shape.type.name == label), frozenset())
    nouns |= {words.stem(word) for word in words.name_words(label or "")}
    sentences = [fact.fact]
    if fact.span is not None:
        said = scene.content[fact.span[0] : fact.span[1]]
        sentences += [said] if said.strip() and not words.is_question(said) else []
    named = fact.source != fact.target and _has_a_name(target, nouns, scene)
    return fields.Subject(
        sentences=tuple(sentences),
        name=target.name if named else None,
        nouns=nouns,
        known=dict(fact.attributes or {}),
        hide=(source.name,),
        deaf_to=(source.name,),
    )


def _has_a_name(entity: FoundEntity, nouns: frozenset[str], scene: EpisodeContext) -> bool:
    return words.is_named(entity.name) or words.head(entity.name) not in nouns


def filtered(found: Found, reading: Brief, named: Sequence[str | None]) -> Found:
    """*found* without requests that have no custom edge type, and without what a strict ontology excludes."""
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
        number
        for number, entity in enumerate(found.entities)
        if number in used or _stays(entity, reading, unused=number in dropped)
    ]
    entities, facts = part(found.entities, stays, compress(found.facts, keep))
    return msgspec.structs.replace(found, entities=entities, facts=facts)


def _configured(entity: FoundEntity) -> bool:
    return entity.label is not None or entity.who == "user"


def _stays(entity: FoundEntity, reading: Brief, *, unused: bool) -> bool:
    """Whether an entity without facts is kept."""
    if reading.strict:
        return _configured(entity)
    return not unused or entity.who is not None or words.is_named(entity.name)
