"""Finds the custom type of a fact, if any: first its ends must fit, then its words."""

from collections.abc import Mapping, Sequence

import numpy as np
import regex

from recollect.extract.ontology import words
from recollect.extract.ontology.shapes import EdgeShape, EpisodeContext, loose, relations_in, spoken
from recollect.graph.found import Found, FoundFact
from recollect.records.guidance import Ends

# Calibrated on the cases in the tests.
_LIKENESS_LEAST = 0.28
_LIKENESS_WITH_TYPE = 0.38
_LIKENESS_WITHOUT_WORDS = 0.42
_AHEAD_WITH_TYPE = 0.05
# The advantage of a relation whose verb is used over relations that are merely similar.
_EXPRESSED = 0.1
_PLAIN_FOLLOWERS = (
    "and", "but", "or", "because", "since", "so", "now", "again", "for", "as", "at", "in", "on",
    "by", "with", "from", "to", "too", "while", "although", "though", "who", "which", "that",
    "person", "eater", "diet", "lifestyle", "food",
)  # fmt: skip
_MAY_FOLLOW = frozenset(words.stem(word) for word in _PLAIN_FOLLOWERS)


def type_of(
    fact: FoundFact,
    found: Found,
    labels: Sequence[str | None],
    shapes: Sequence[EdgeShape],
    scene: EpisodeContext,
    custom: Mapping[str, str],
) -> EdgeShape | None:
    """The custom type of a fact, if one fits.

    *labels* are the types of the entities; *custom* maps a custom entity type to its noun.
    """
    fitting = [
        shape
        for shape in shapes
        if _signature_fits(shape, fact, labels) and _polarity_fits(shape, fact)
    ]
    scores = [_score(shape, fact, found, labels, scene, custom) for shape in fitting]
    best = max(range(len(fitting)), key=lambda place: (scores[place], -place), default=None)
    return fitting[best] if best is not None and scores[best] > 0 else None


def _signature_fits(shape: EdgeShape, fact: FoundFact, labels: Sequence[str | None]) -> bool:
    ends = shape.type.source_targets
    return not ends or any(_pair_fits(pair, fact, labels) for pair in ends)


def _pair_fits(pair: Ends, fact: FoundFact, labels: Sequence[str | None]) -> bool:
    if pair.target is not None and fact.source == fact.target:
        return False  # a fact about a single entity has no other end
    return _side_fits(pair.source, labels[fact.source]) and _side_fits(
        pair.target, labels[fact.target]
    )


def _side_fits(wanted: str | None, label: str | None) -> bool:
    return wanted is None or wanted == "Entity" or wanted == label


def _polarity_fits(shape: EdgeShape, fact: FoundFact) -> bool:
    """A negated or ended fact is not an instance of a type, unless the type is about just that."""
    if fact.ends:
        return shape.allows_end
    return shape.allows_not or not fact.negated


def _score(
    shape: EdgeShape,
    fact: FoundFact,
    found: Found,
    labels: Sequence[str | None],
    scene: EpisodeContext,
    custom: Mapping[str, str],
) -> float:
    if shape.type.name.casefold() in {fact.name.casefold(), fact.predicate.casefold()}:
        return 4.0
    said = spoken(found, fact)
    if _gives_example(shape, fact):
        return 3.0
    typed = _typed_end(shape, fact, labels, custom)
    likeness, rival = _likeness(shape, fact, found, labels, scene, custom if typed else {})
    if fact.mood == "requested" and not typed:
        return 0.0
    shared = relations_in(said) & shape.relations
    if typed and shared:
        return 2.0 + likeness
    expressed = relations_in(said) & (shape.relations | shape.near)
    if typed:
        # The type's own noun makes every sentence about such an entity similar.
        other = relations_in(said) - expressed
        least = _LIKENESS_WITH_TYPE if shape.relations else _LIKENESS_LEAST
        sounds = likeness >= least and likeness - rival >= _AHEAD_WITH_TYPE
        return 1.5 + likeness if sounds and not (other and shape.relations) else 0.0
    least = _LIKENESS_WITHOUT_WORDS
    if any(not loose(item) for item in expressed):
        rival -= _EXPRESSED
        least = _LIKENESS_LEAST
    if likeness >= least and likeness >= rival:
        return 1.0 + likeness
    return 0.0


def _gives_example(shape: EdgeShape, fact: FoundFact) -> bool:
    """Whether the fact contains one of the type's example values."""
    said = words.stems(fact.fact)
    tokens = words.words(fact.fact)
    for example in shape.examples:
        place = words.position(said, words.stems(example))
        if place is not None and len(example) > 3 and not words.negated_before(tokens, place):
            return not _about_something_else(said, place, len(words.stems(example)))
    return False


def _about_something_else(said: Sequence[str], place: int, size: int) -> bool:
    """Whether the example merely modifies another noun: "vegetarian options"."""
    following = said[place + size : place + size + 1]
    return bool(following) and following[0] not in _MAY_FOLLOW


def _typed_end(
    shape: EdgeShape,
    fact: FoundFact,
    labels: Sequence[str | None],
    custom: Mapping[str, str],
) -> bool:
    """Whether the type requires a custom type at one end, and the fact has it there."""
    return any(
        _pair_fits(pair, fact, labels)
        and ((pair.source or "") in custom or (pair.target or "") in custom)
        for pair in shape.type.source_targets
    )


def _likeness(
    shape: EdgeShape,
    fact: FoundFact,
    found: Found,
    labels: Sequence[str | None],
    scene: EpisodeContext,
    custom: Mapping[str, str],
) -> tuple[float, float]:
    """The similarity of a fact to the type's description, and to the nearest other relation."""
    text = generalised(fact, found, labels, custom)
    vector = scene.space.sentence(text)
    closeness = scene.space.relations @ vector
    rivals = [float(closeness[place]) for place in range(len(closeness)) if place not in shape.near]
    return float(np.dot(shape.vector, vector)), max(rivals, default=-1.0)


def generalised(
    fact: FoundFact,
    found: Found,
    labels: Sequence[str | None],
    custom: Mapping[str, str],
) -> str:
    """The fact with "the user" for the user, and a type's noun for an entity of that type."""
    text = fact.fact
    for place in dict.fromkeys((fact.source, fact.target)):
        entity = found.entities[place]
        instead = "The user" if entity.who == "user" else None
        if labels[place] in custom:
            instead = words.with_article(custom[labels[place] or ""])
        if instead is not None:
            name = rf"(?:\b(?:the|an?)\s+)?{regex.escape(entity.name)}"
            text = regex.sub(name, lambda _: instead, text, flags=regex.IGNORECASE)  # noqa: B023
    return text if text.endswith(".") else text + "."
