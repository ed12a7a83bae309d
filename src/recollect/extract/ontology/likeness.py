"""How like a custom type a name is, and how like everything that the type is not."""

from collections.abc import Sequence

import numpy as np

from recollect.extract.ontology.shapes import EntityShape
from recollect.extract.ontology.space import NOUNS, Space
from recollect.extract.ontology.tables import CONCEPTS
from recollect.graph.found import FoundEntity

# Reading says these of things that it knows nothing else about.
KINDS_OF_ANYTHING = frozenset({"object", "topic"})


def likeness_of(
    entity: FoundEntity, shape: EntityShape, shapes: Sequence[EntityShape], space: Space
) -> tuple[float, float, float]:
    """How like the type a name is, and how like what the type is not."""
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
    """How like the nearest concept a name is that the type is not.

    *of_its_kinds* leaves out concepts of other kinds: what a title sounds like is no matter,
    except where it sounds like another sort of title.
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
    """Whether an entity can be of a concept; object and topic are said of what is not known."""
    if entity.kind is None or entity.kind in KINDS_OF_ANYTHING:
        return True
    return entity.kind in _kinds(concept)


def _is_its_concept(shape: EntityShape) -> bool:
    return len(shape.nouns) > 3
