"""Which custom type an entity is of, if any.

Three sorts of evidence, the surer first: what the text calls it ("Luna is a restaurant", "Corner
Diner"), what its name is like next to everything else, and what is done with it, when a custom
edge type says that this is done with things of that type. An entity that fits nothing stays as
it is.
"""

from collections.abc import Sequence

import regex

from recollect.extract.ontology import words
from recollect.extract.ontology.likeness import KINDS_OF_ANYTHING, foreign_to, likeness_of
from recollect.extract.ontology.scene import (
    Scene,
    definite,
    indefinite,
    is_place_like,
    spoken,
)
from recollect.extract.ontology.shapes import (
    EdgeShape,
    EntityShape,
    concepts_of,
    loose,
    relations_in,
)
from recollect.extract.ontology.space import Space
from recollect.graph.found import Found, FoundEntity

# Calibrated on the cases in the tests: the least likeness by which a name alone is of a type, by
# how much it must beat other sorts of things, and the likeness at which a name is surely foreign.
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


def type_of(
    number: int,
    found: Found,
    shapes: Sequence[EntityShape],
    edges: Sequence[EdgeShape],
    scene: Scene,
) -> EntityShape | None:
    """The custom type of one entity, or nothing where none fits."""
    entity = found.entities[number]
    if entity.who is not None or entity.kind == "value":
        return None
    scores = [_score(number, found, shape, shapes, edges, scene) for shape in shapes]
    best = max(range(len(shapes)), key=lambda place: (scores[place], -place), default=None)
    if best is None or scores[best] <= 0 or _is_a_guess(scores):
        return None
    return shapes[best]


def _is_a_guess(scores: Sequence[float]) -> bool:
    """Whether two types are as good, with nothing but what is done with the thing to go by."""
    first, second = sorted([*scores, 0.0, 0.0], reverse=True)[:2]
    return first < 2.0 and second > 0 and first - second < _APART


def _score(
    number: int,
    found: Found,
    shape: EntityShape,
    shapes: Sequence[EntityShape],
    edges: Sequence[EdgeShape],
    scene: Scene,
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


def _called(entity: FoundEntity, shape: EntityShape, scene: Scene) -> str | None:
    """Whether the text or the name itself says that the entity is one."""
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
    """A person is no thing and no thing is a person, whatever the words are like."""
    if not shape.kinds or entity.kind is None or entity.kind in shape.kinds:
        return False
    return entity.kind in {"person", "animal"} or shape.kinds == {"person"}


def _is_no_name(
    entity: FoundEntity, shape: EntityShape, shapes: Sequence[EntityShape], space: Space
) -> bool:
    """Whether a word was taken for a person's name that is far more like the type: a drug, say."""
    if entity.kind != "person" or not words.is_named(entity.name):
        return False
    likeness, like_a_person, related = likeness_of(entity, shape, shapes, space)
    ahead = likeness - max(like_a_person, related)
    return likeness >= _LIKENESS_OF_OTHER_KIND and ahead >= _AHEAD_OF_A_NAME


def _other_kind(entity: FoundEntity, shape: EntityShape) -> bool:
    """Whether the text tells that it is of another kind: a power plant is an organization."""
    told = entity.kind is not None and entity.kind not in KINDS_OF_ANYTHING
    return told and bool(shape.kinds) and entity.kind not in shape.kinds


def _like_by_name(
    entity: FoundEntity, shape: EntityShape, likeness: float, foreign: float, related: float
) -> bool:
    if entity.kind == "person" or shape.kinds == {"person"}:
        return False  # a person's name does not tell what the person is
    least = _LIKENESS_LEAST if words.is_named(entity.name) else _LIKENESS_OF_UNNAMED
    if _other_kind(entity, shape):
        least = _LIKENESS_OF_OTHER_KIND
    if not words.is_named(entity.name) and concepts_of(entity.name):
        # A common noun says itself what it is, and it did not say this.
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
    scene: Scene,
) -> float:
    """How sure it is that a fact does with it what a custom edge type says is done with things of the type."""
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
    """Whether a telling relation, any relation, and the very verb of an edge type is used."""
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


def _in_place(shape: EntityShape, scene: Scene) -> bool:
    """Whether the conversation is about the sort of thing that the type is."""
    if scene.stems & shape.nouns:
        return True
    return bool(scene.concepts & (shape.own | shape.related))
