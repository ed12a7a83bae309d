"""Custom types and episodes, prepared for comparison.

The embedder finds any two short texts similar (about 0.6), because both are short English texts.
`Space` subtracts that common part, the mean over the concepts of `concepts.toml`; then unrelated texts
are near 0, and a restaurant's name is nearest to "a restaurant".
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import regex

from recollect.extract.brief import Brief
from recollect.extract.ontology import words
from recollect.extract.ontology.tables import CONCEPTS
from recollect.extract.ontology.words import with_article
from recollect.graph.found import Found, FoundEntity, FoundFact
from recollect.models.embedder import Vectors
from recollect.records.guidance import EdgeType, EntityType

Embed = Callable[[Sequence[str]], Vectors]

NOUNS = tuple(CONCEPTS.noun)
RELATIONS = tuple(CONCEPTS.relation)
_REMEMBERED_MAX = 4096
_CHARS_MAX = 1000
# Similarity from which a concept counts as the type itself, and from which it counts as related.
SAME = 0.55
RELATED = 0.33
_PREAMBLE = regex.compile(
    r"^\s*(?:this\s+)?(?:represents?|describes?|indicates?|denotes?|captures?|is|models?)?\s*"
    r"(?:the fact that\s+)?",
    regex.IGNORECASE,
)
_CLAUSE = regex.compile(r"\b(?:that|which|who|where|whose|used|owned|kept|sold|the user)\b|[.;]")
# Type names that stand for a whole kind: a person is a Person whatever else is said.
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
_NOUN_STEMS = tuple(
    frozenset(words.stem(word) for word in noun.words if " " not in word)
    for noun in CONCEPTS.noun.values()
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
_TURNS_MAX = 5
_TURN_CHARS_MAX = 2000
_CONTENT_CHARS_MAX = 20_000
_CONCEPTS_OF_CONTEXT = 3
_ABOUT_LEAST = 0.12
_INDEFINITE = r"\b(?:an?|some|any|another|one|every)\s+(?:\p{L}+\s+){0,2}"


class Space:
    """Vectors of names and of sentences, each centred on the mean of its kind; caches some."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self._remembered: dict[str, Vectors] = {}

    def thing(self, text: str) -> Vectors:
        """The centred vector of a name, noun or phrase."""
        return _centred(self._vector(_about(text)), self._things[0])

    def sentence(self, text: str) -> Vectors:
        """The centred vector of a sentence."""
        return _centred(self._vector(text), self._sentences[0])

    @property
    def nouns(self) -> Vectors:
        """The vectors of common concepts, in the order of `NOUNS`."""
        return self._things[1]

    @property
    def relations(self) -> Vectors:
        """The vectors of common relations, in the order of `RELATIONS`."""
        return self._sentences[1]

    @cached_property
    def _things(self) -> tuple[Vectors, Vectors]:
        return _around_mean(self._embed([_about(with_article(noun)) for noun in NOUNS]))

    @cached_property
    def _sentences(self) -> tuple[Vectors, Vectors]:
        says = [f"The user {relation.says}." for relation in CONCEPTS.relation.values()]
        return _around_mean(self._embed(says))

    def _vector(self, text: str) -> Vectors:
        text = text[:_CHARS_MAX]
        found = self._remembered.get(text)
        if found is None:
            found = self._embed([text])[0]
            if len(self._remembered) >= _REMEMBERED_MAX:
                self._remembered.clear()
            self._remembered[text] = found
        return found


def _about(text: str) -> str:
    return f"This is about {text}."


def _around_mean(vectors: Vectors) -> tuple[Vectors, Vectors]:
    mean: Vectors = vectors.mean(axis=0)
    return mean, np.stack([_centred(vector, mean) for vector in vectors])


def _centred(vector: Vectors, mean: Vectors) -> Vectors:
    moved: Vectors = vector - mean
    length = float(np.linalg.norm(moved))
    return moved / length if length else moved


@dataclass(frozen=True, slots=True)
class EntityShape:
    """A custom entity type, prepared for comparison.

    It has the stems of the type's nouns, the concepts that it is or is related to, its kinds, and the
    vectors of its name, description and examples.
    """

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
    """A custom edge type: its stems, the relations it expresses or is near, and its vector."""

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
    """All words of a concept, if the type is the concept: a cafe is a Restaurant."""
    stem = words.stem(name)
    return {
        word
        for number in own
        for word in _stems_of(number)
        if stem in {words.stem(NOUNS[number]), words.stem(CONCEPTS.noun[NOUNS[number]].words[0])}
    }


def _stems_of(number: int) -> frozenset[str]:
    return _NOUN_STEMS[number]


def concepts_of(name: str) -> frozenset[int]:
    """The concepts of a name's head noun: "chocolate chip cookie" is food."""
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


def relations_in(spoken: list[str]) -> set[int]:
    """The common relations whose verbs are among the stems of a sentence."""
    return set(_VERBS.within(spoken))


def loose(number: int) -> bool:
    """Whether a common relation applies to anything."""
    return CONCEPTS.relation[RELATIONS[number]].loose


class EpisodeContext:
    """An episode and the turns before it, with lazily derived properties."""

    def __init__(self, reading: Brief, space: Space) -> None:
        self.space = space
        self.content = reading.content[:_CONTENT_CHARS_MAX]
        self._before = [turn.content[:_TURN_CHARS_MAX] for turn in reading.before[-_TURNS_MAX:]]

    @cached_property
    def told(self) -> tuple[str, ...]:
        """The sentences of this episode and then of earlier turns, newest first, without questions."""
        texts = [self.content, *reversed(self._before)]
        return tuple(
            sentence
            for text in texts
            for sentence in words.sentences(text)
            if not words.is_question(sentence)
        )

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of all words, questions included."""
        return frozenset(
            stem for text in (self.content, *self._before) for stem in words.stems(text)
        )

    @cached_property
    def concepts(self) -> frozenset[int]:
        """The concepts that the conversation is about."""
        vector = self.space.thing(" ".join([*self._before, self.content])[-1000:])
        closeness = self.space.nouns @ vector
        order = np.argsort(-closeness, kind="stable")[:_CONCEPTS_OF_CONTEXT]
        return frozenset(int(place) for place in order if closeness[place] >= _ABOUT_LEAST)


def spoken(found: Found, fact: FoundFact) -> list[str]:
    """The stems of a fact's words, without the names of its two entities."""
    text = fact.fact
    ends = (found.entities[fact.source].name, found.entities[fact.target].name)
    for name in sorted(set(ends), key=lambda item: (-len(item), item)):
        text = regex.sub(regex.escape(name), " | ", text, flags=regex.IGNORECASE)
    relation = fact.predicate.replace("_", " ").lower()
    wished = {"want", "wish"} if fact.mood == "requested" else set()
    said = words.stems(f"{relation} | {text}".replace("|", " . "))
    return [stem for stem in said if stem not in wished]


def definite(entity: FoundEntity, scene: EpisodeContext) -> bool:
    """Whether the text refers to a definite entity: "the ...", "my ..."."""
    name = regex.escape(words.bare(entity.name))
    pattern = rf"\b(?:the|my|our|his|her|their|this|that)\s+{name}"
    return regex.search(pattern, scene.content, flags=regex.IGNORECASE) is not None


def indefinite(entity: FoundEntity, scene: EpisodeContext) -> bool:
    """Whether the text refers to any such entity: "a ...", "some ..."."""
    pattern = _INDEFINITE + regex.escape(words.bare(entity.name))
    return regex.search(pattern, scene.content, flags=regex.IGNORECASE) is not None


def is_place_like(entity: FoundEntity) -> bool:
    """Whether its kind is certain: persons, animals, places and values are recognised reliably."""
    return entity.kind in {"person", "animal", "place", "value"}
