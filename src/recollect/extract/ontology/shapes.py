"""Custom types made ready for comparison: what they are called, what they are like, what they join."""

from dataclasses import dataclass, field

import numpy as np
import regex

from recollect.extract.ontology import words
from recollect.extract.ontology.space import NOUNS, RELATIONS, Space
from recollect.extract.ontology.tables import CONCEPTS
from recollect.models.embedder import Vectors
from recollect.subjects.guidance import EdgeType, EntityType

# A concept this near to a type is the type itself; one this near belongs to the same field.
SAME = 0.55
RELATED = 0.33

_PREAMBLE = regex.compile(
    r"^\s*(?:this\s+)?(?:represents?|describes?|indicates?|denotes?|captures?|is|models?)?\s*"
    r"(?:the fact that\s+)?",
    regex.IGNORECASE,
)
_CLAUSE = regex.compile(r"\b(?:that|which|who|where|whose|used|owned|kept|sold|the user)\b|[.;]")
# Type names that are a kind of thing as a whole: a person is a Person whatever else is said.
_KIND_NAMES = {
    "person": "person",
    "human": "person",
    "individual": "person",
    "organization": "organization",
    "organisation": "organization",
    "place": "place",
    "location": "place",
    "event": "event",
    "document": "document",
    "animal": "animal",
    "pet": "animal",
}


@dataclass(frozen=True, slots=True)
class EntityShape:
    """A custom entity type: its nouns as stems, the sorts it is, and vectors of what it is like."""

    type: EntityType
    nouns: frozenset[str]
    own: frozenset[int]
    related: frozenset[int]
    kinds: frozenset[str]
    whole_kind: str | None
    specific: bool
    examples: tuple[str, ...]
    vectors: Vectors = field(repr=False)


@dataclass(frozen=True, slots=True)
class EdgeShape:
    """A custom edge type: stems it speaks of, relations it expresses, and where it lies."""

    type: EdgeType
    stems: frozenset[str]
    relations: frozenset[int]
    near: frozenset[int]
    examples: tuple[str, ...]
    allows_not: bool
    allows_end: bool
    vector: Vectors = field(repr=False)


def entity_shape(space: Space, item: EntityType) -> EntityShape:
    """What it takes to recognise an entity of a custom type."""
    name = " ".join(words.name_words(item.name)) or item.name
    text = _PREAMBLE.sub("", item.description.strip())
    first = _CLAUSE.split(text, maxsplit=1)[0]
    listed = words.examples(item.description)
    vectors = [space.thing(words.with_article(name))]
    vectors += [space.thing(first.strip())] if first.strip() else []
    vectors += [space.thing(example) for example in listed[:5]]
    own = _own_concepts(name, first, space.nouns @ vectors[0]) | _concepts_listed(listed)
    nouns = {words.head(name)} | _nouns_said(first, own)
    nouns |= {words.head(example) for example in listed if not words.is_named(example)}
    closeness = np.max(space.nouns @ np.stack(vectors[:2]).T, axis=1)
    return EntityShape(
        type=item,
        nouns=frozenset(nouns | _words_of(own, name)),
        own=own,
        related=frozenset(np.flatnonzero(closeness >= RELATED).tolist()) - own,
        kinds=frozenset(kind for number in own for kind in CONCEPTS.noun[NOUNS[number]].kinds),
        whole_kind=_KIND_NAMES.get(name),
        specific="specific" in text.lower() or "particular" in text.lower(),
        examples=listed,
        vectors=np.stack(vectors),
    )


def _own_concepts(name: str, first: str, closeness: Vectors) -> frozenset[int]:
    by_name = {number for number in range(len(NOUNS)) if words.stem(name) in _stems_of(number)}
    by_name = by_name or {
        number for number in range(len(NOUNS)) if words.head(name) in _stems_of(number)
    }
    said = {words.head(item) for item in words.listed(first)}
    by_text = {number for number in range(len(NOUNS)) if said & _stems_of(number)}
    near = {int(number) for number in np.flatnonzero(closeness >= SAME)}
    return frozenset(by_name | by_text or near)


def _concepts_listed(listed: tuple[str, ...]) -> frozenset[int]:
    common = [example for example in listed if not words.is_named(example)]
    return frozenset(number for example in common for number in concepts_of(example))


def _nouns_said(first: str, own: frozenset[int]) -> set[str]:
    said = {words.head(item) for item in words.listed(first)}
    return {noun for number in own for noun in _stems_of(number) & said}


def _words_of(own: frozenset[int], name: str) -> set[str]:
    """All words of a concept, for a type that is the concept: a cafe is a Restaurant."""
    stem = words.stem(name)
    return {
        word
        for number in own
        for word in _stems_of(number)
        if stem in {words.stem(NOUNS[number]), words.stem(CONCEPTS.noun[NOUNS[number]].words[0])}
    }


def _stems_of(number: int) -> frozenset[str]:
    return _NOUN_STEMS[number]


_NOUN_STEMS = tuple(
    frozenset(words.stem(word) for word in noun.words if " " not in word)
    for noun in CONCEPTS.noun.values()
)


def concepts_of(name: str) -> frozenset[int]:
    """The common sorts that a name says it is by its head: "chocolate chip cookie" is food."""
    head = words.head(name)
    return frozenset(number for number, stems in enumerate(_NOUN_STEMS) if head in stems)


def edge_shape(space: Space, item: EdgeType) -> EdgeShape:
    """What it takes to recognise a fact of a custom type."""
    name = " ".join(words.name_words(item.name))
    text = _PREAMBLE.sub("", item.description.strip()) or name
    spoken = words.stems(f"{text} {name}")
    relations = frozenset(relations_in(spoken))
    vector = space.sentence(text)
    near = frozenset(np.flatnonzero(space.relations @ vector >= 0.5).tolist())
    lower = f"{text} {name}".lower()
    return EdgeShape(
        type=item,
        stems=frozenset(words.telling(f"{text} {name}")),
        relations=relations,
        near=near,
        examples=tuple(
            example
            for prop in item.properties
            if prop.type == "Text"
            for example in words.examples(prop.description)
        )
        + words.examples(item.description),
        allows_not=any(word in lower for word in _SAYS_NOT),
        allows_end=any(word in lower for word in _SAYS_END),
        vector=vector,
    )


_SAYS_NOT = (
    "not", "never", "restrict", "avoid", "dislike", "allerg", "intoleran", "without", "refus",
    "preference", "against", "lack", "absence", "opinion", "attitude", "feeling",
)  # fmt: skip
_SAYS_END = (
    "stop", "end", "quit", "left", "leave", "former", "no longer", "past", "cancel", "sold", "sell",
    "resign", "divorc", "clos", "terminat", "lost", "lose", "remov", "return",
)  # fmt: skip

_VERBS = words.Runs(
    (verb, number)
    for number, relation in enumerate(CONCEPTS.relation.values())
    for verb in relation.verbs
)


def relations_in(spoken: list[str]) -> set[int]:
    """The common relations whose verbs stand among the stems of a sentence."""
    return set(_VERBS.within(spoken))


def loose(number: int) -> bool:
    """Whether a common relation goes with anything."""
    return CONCEPTS.relation[RELATIONS[number]].loose
