"""Finds the custom type of an entity, if any.

There are three kinds of evidence, the strongest first: what the text calls the entity ("Luna is a
restaurant", "Corner Diner"); how similar its name is to the type, compared with everything else; and
what is done with it, if a custom edge type describes that for entities of the type.
"""

from collections.abc import Sequence

import numpy as np
import regex

from recollect.extract.ontology import words
from recollect.extract.ontology.shapes import (
    NOUNS,
    EdgeShape,
    EntityShape,
    EpisodeContext,
    Space,
    concepts_of,
    definite,
    indefinite,
    is_place_like,
    loose,
    relations_in,
    spoken,
)
from recollect.extract.ontology.tables import CONCEPTS
from recollect.graph.found import Found, FoundEntity

# Calibrated on the cases in the tests: the least similarity that types an entity by its name alone, its
# lead over other concepts, and the similarity to another concept that rules a type out.
_LIKENESS_LEAST = 0.28
_AHEAD_OF_FOREIGN = 0.05
_AHEAD_OF_RELATED = 0.02
_SURELY_FOREIGN = 0.30
_LIKENESS_OF_UNNAMED = 0.36
_LIKENESS_OF_OTHER_KIND = 0.45
_USED_ALIKE = 0.2
_AHEAD_OF_A_NAME = 0.2
_LIKENESS_OF_COMMON_NOUN = 0.5
_LITERALLY = 0.5
_APART = 0.15

_IS_A = regex.compile(
    r"^(?:\s*,|\s*\(|\s+(?:is|was|are)|['\u2019]s)\s*(?:an?|the|my|our|his|her|their|your)\s+([^.,;!?()]+)",
    regex.IGNORECASE,
)
_IS_A_END = regex.compile(
    r"\b(?:that|which|who|in|at|on|for|with|and|where|near|from|to|of|but|we|i)\b", regex.IGNORECASE
)
_CALLED = regex.compile(
    r"([\p{L}'\u2019-]+)(?:,?\s+(?:called|named|titled))?,?\s+[\"'\u201c\u2018]?(?:the\s+)?$",
    regex.IGNORECASE,
)
_NEXT_WORD = regex.compile(r"^[\"'\u201d\u2019]?\s+([\p{L}-]+)")
# The kinds of entities about which nothing else is known.
KINDS_OF_ANYTHING = frozenset({"object", "topic"})


def type_of(
    number: int,
    found: Found,
    shapes: Sequence[EntityShape],
    edges: Sequence[EdgeShape],
    scene: EpisodeContext,
) -> EntityShape | None:
    """The custom type of an entity, if one fits."""
    entity = found.entities[number]
    if entity.who is not None or entity.kind == "value":
        return None
    scores = [_score(number, found, shape, shapes, edges, scene) for shape in shapes]
    best = max(range(len(shapes)), key=lambda place: (scores[place], -place), default=None)
    if best is None or scores[best] <= 0 or _is_a_guess(scores):
        return None
    return shapes[best]


def _is_a_guess(scores: Sequence[float]) -> bool:
    """Whether two types score alike with nothing but usage as evidence."""
    first, second = sorted([*scores, 0.0, 0.0], reverse=True)[:2]
    return first < 2.0 and second > 0 and first - second < _APART


def _score(
    number: int,
    found: Found,
    shape: EntityShape,
    shapes: Sequence[EntityShape],
    edges: Sequence[EdgeShape],
    scene: EpisodeContext,
) -> float:
    entity = found.entities[number]
    if shape.specific and not words.is_named(entity.name) and not definite(entity, scene):
        return 0.0
    called = _called(entity, shape, scene)
    if called == "text" and not (entity.kind == "place" and shape.kinds == {"person"}):
        return 4.0
    if _never(entity, shape):
        return 2.0 if _is_no_name(entity, shape, shapes, scene.space) else 0.0
    if called == "name" and not _other_kind(entity, shape):
        return 3.5 if words.head(entity.name) == words.head(shape.type.name) else 3.0
    if shape.whole_kind is not None and entity.kind == shape.whole_kind:
        return 2.5
    likeness, foreign, related = likeness_of(entity, shape, shapes, scene.space)
    if _like_by_name(entity, shape, likeness, foreign, related):
        return 2.0 + likeness
    if not words.is_named(entity.name) and likeness < _USED_ALIKE:
        return 0.0
    done = _done_with(number, found, shape, edges, scene)
    if done >= _LITERALLY and words.is_named(entity.name):
        foreign = foreign_to(entity, shape, scene.space, of_its_kinds=True)
    if likeness + 0.03 < foreign and foreign >= _SURELY_FOREIGN:
        return 0.0
    return 1.0 + likeness + done if done else 0.0


def _called(entity: FoundEntity, shape: EntityShape, scene: EpisodeContext) -> str | None:
    """Whether the text, or the name itself, says that the entity is of the type."""
    if any(_called_in(sentence, entity.name, shape) for sentence in scene.told):
        return "text"
    names = {example.casefold() for example in shape.examples}
    if words.head(entity.name) in shape.nouns or entity.name.casefold() in names:
        return "name"
    return None


def _called_in(sentence: str, name: str, shape: EntityShape) -> bool:
    place = sentence.casefold().find(name.casefold())
    if place < 0 or len(sentence) != len(sentence.casefold()):
        return False
    before, after = sentence[:place], sentence[place + len(name) :]
    if (said := _CALLED.search(before)) and words.stem(said.group(1)) in shape.nouns:
        return True
    if (said := _NEXT_WORD.match(after)) and words.stem(said.group(1)) in shape.nouns:
        return True
    if said := _IS_A.match(after):
        phrase = _IS_A_END.split(said.group(1), maxsplit=1)[0]
        return words.head(phrase) in shape.nouns
    return False


def _never(entity: FoundEntity, shape: EntityShape) -> bool:
    """Whether the kinds exclude each other: a person is never a thing, and a thing never a person."""
    if not shape.kinds or entity.kind is None or entity.kind in shape.kinds:
        return False
    return entity.kind in {"person", "animal"} or shape.kinds == {"person"}


def _is_no_name(
    entity: FoundEntity, shape: EntityShape, shapes: Sequence[EntityShape], space: Space
) -> bool:
    """Whether a word labelled as a person's name is far more similar to the type, for example a drug."""
    if entity.kind != "person" or not words.is_named(entity.name):
        return False
    likeness, like_a_person, related = likeness_of(entity, shape, shapes, space)
    ahead = likeness - max(like_a_person, related)
    return likeness >= _LIKENESS_OF_OTHER_KIND and ahead >= _AHEAD_OF_A_NAME


def _other_kind(entity: FoundEntity, shape: EntityShape) -> bool:
    """Whether the text gives it another kind: a power plant is an organization."""
    told = entity.kind is not None and entity.kind not in KINDS_OF_ANYTHING
    return told and bool(shape.kinds) and entity.kind not in shape.kinds


def _like_by_name(
    entity: FoundEntity, shape: EntityShape, likeness: float, foreign: float, related: float
) -> bool:
    if entity.kind == "person" or shape.kinds == {"person"}:
        return False  # a person's name does not say what the person is
    least = _LIKENESS_LEAST if words.is_named(entity.name) else _LIKENESS_OF_UNNAMED
    if _other_kind(entity, shape):
        least = _LIKENESS_OF_OTHER_KIND
    if not words.is_named(entity.name) and concepts_of(entity.name):
        # A common noun says what the entity is, and it does not say this type.
        least = _LIKENESS_OF_COMMON_NOUN
    return (
        likeness >= least
        and likeness - foreign >= _AHEAD_OF_FOREIGN
        and likeness - related >= _AHEAD_OF_RELATED
    )


def _done_with(
    number: int,
    found: Found,
    shape: EntityShape,
    edges: Sequence[EdgeShape],
    scene: EpisodeContext,
) -> float:
    """A score for a fact using the entity as a custom edge type says entities of the type are used."""
    entity = found.entities[number]
    strong, weak, literal = _relations_done(number, found, shape, edges)
    this_one = words.is_named(entity.name) or definite(entity, scene)
    if not this_one and not (strong and literal):
        return 0.0
    if indefinite(entity, scene) or (concepts_of(entity.name) - shape.own - shape.related):
        return 0.0
    fits = not shape.kinds or entity.kind is None or entity.kind in shape.kinds
    sure = strong and (fits or not is_place_like(entity))
    if sure or (weak and fits and _in_place(shape, scene)):
        return _LITERALLY if literal else 0.1
    return 0.0


def _relations_done(
    number: int, found: Found, shape: EntityShape, edges: Sequence[EdgeShape]
) -> tuple[bool, bool, bool]:
    """Whether a specific relation, any relation, and the literal verb of an edge type is used."""
    strong = weak = literal = False
    for fact in found.facts:
        if number not in (fact.source, fact.target) or fact.source == fact.target:
            continue
        said = spoken(found, fact)
        for edge in edges:
            if _joins(edge, shape, at_target=fact.target == number):
                shared = relations_in(said) & edge.relations
                strong = strong or any(not loose(relation) for relation in shared)
                weak = weak or bool(shared)
                literal = literal or bool(shared and edge.stems.intersection(said))
    return strong, weak, literal


def _joins(edge: EdgeShape, shape: EntityShape, *, at_target: bool) -> bool:
    name = shape.type.name
    return any(
        (ends.target if at_target else ends.source) == name for ends in edge.type.source_targets
    )


def _in_place(shape: EntityShape, scene: EpisodeContext) -> bool:
    """Whether the conversation is about the concept of the type."""
    if scene.stems & shape.nouns:
        return True
    return bool(scene.concepts & (shape.own | shape.related))


def likeness_of(
    entity: FoundEntity, shape: EntityShape, shapes: Sequence[EntityShape], space: Space
) -> tuple[float, float, float]:
    """The similarity of a name to the type, to foreign concepts, and to related or rival types."""
    vector = space.thing(entity.name)
    nouns = space.nouns @ vector
    likeness = float(np.max(shape.vectors @ vector))
    if len(shape.own) == 1:
        likeness = max(
            likeness, float(nouns[next(iter(shape.own))]) if _is_its_concept(shape) else 0
        )
    others = [float(np.max(other.vectors[:1] @ vector)) for other in shapes if other is not shape]
    near = [float(nouns[place]) for place in sorted(shape.related)]
    return likeness, foreign_to(entity, shape, space), max([*near, *others], default=-1.0)


def foreign_to(
    entity: FoundEntity, shape: EntityShape, space: Space, *, of_its_kinds: bool = False
) -> float:
    """The similarity of a name to the nearest concept that is foreign to the type.

    *of_its_kinds* ignores concepts of other kinds: a title may sound like anything, except like another
    kind of title.
    """
    nouns = space.nouns @ space.thing(entity.name)
    telling = shape.kinds - KINDS_OF_ANYTHING
    return max(
        (
            float(nouns[place])
            for place in range(len(nouns))
            if place not in shape.own
            and place not in shape.related
            and _possible(place, entity)
            and (not of_its_kinds or telling.intersection(_kinds(place)))
        ),
        default=-1.0,
    )


def _kinds(concept: int) -> tuple[str, ...]:
    return CONCEPTS.noun[NOUNS[concept]].kinds


def _possible(concept: int, entity: FoundEntity) -> bool:
    """Whether an entity of its kind can be an instance of a concept."""
    if entity.kind is None or entity.kind in KINDS_OF_ANYTHING:
        return True
    return entity.kind in _kinds(concept)


def _is_its_concept(shape: EntityShape) -> bool:
    return len(shape.nouns) > 3
