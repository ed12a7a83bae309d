"""What stands around the entities of one episode: what was told, what it is about."""

from functools import cached_property

import numpy as np
import regex

from recollect.extract.brief import Brief
from recollect.extract.ontology import words
from recollect.extract.ontology.space import Space
from recollect.graph.found import Found, FoundEntity, FoundFact

_TURNS_MAX = 5
_TURN_CHARS_MAX = 2000
_CONTENT_CHARS_MAX = 20_000
_CONCEPTS_OF_CONTEXT = 3
_ABOUT_LEAST = 0.12
_INDEFINITE = r"\b(?:an?|some|any|another|one|every)\s+(?:\p{L}+\s+){0,2}"


class Scene:
    """An episode and the turns before it, with what is worked out from them at most once."""

    def __init__(self, reading: Brief, space: Space) -> None:
        self.space = space
        self.content = reading.content[:_CONTENT_CHARS_MAX]
        self._before = [turn.content[:_TURN_CHARS_MAX] for turn in reading.before[-_TURNS_MAX:]]

    @cached_property
    def told(self) -> tuple[str, ...]:
        """The sentences that tell something: of this episode, then of the turns, newest first."""
        texts = [self.content, *reversed(self._before)]
        return tuple(
            sentence
            for text in texts
            for sentence in words.sentences(text)
            if not words.is_question(sentence)
        )

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of all words said, questions included."""
        return frozenset(
            stem for text in (self.content, *self._before) for stem in words.stems(text)
        )

    @cached_property
    def concepts(self) -> frozenset[int]:
        """The sorts of things that the conversation is about."""
        vector = self.space.thing(" ".join([*self._before, self.content])[-1000:])
        closeness = self.space.nouns @ vector
        order = np.argsort(-closeness, kind="stable")[:_CONCEPTS_OF_CONTEXT]
        return frozenset(int(place) for place in order if closeness[place] >= _ABOUT_LEAST)


def spoken(found: Found, fact: FoundFact) -> list[str]:
    """The stems of how a fact says its relation: its own words without the names it joins."""
    text = fact.fact
    ends = (found.entities[fact.source].name, found.entities[fact.target].name)
    for name in sorted(set(ends), key=lambda item: (-len(item), item)):
        text = regex.sub(regex.escape(name), " | ", text, flags=regex.IGNORECASE)
    relation = fact.predicate.replace("_", " ").lower()
    wished = {"want", "wish"} if fact.mood == "requested" else set()
    said = words.stems(f"{relation} | {text}".replace("|", " . "))
    return [stem for stem in said if stem not in wished]


def definite(entity: FoundEntity, scene: Scene) -> bool:
    """Whether the text speaks of this very thing: "the ...", "my ..."."""
    name = regex.escape(words.bare(entity.name))
    pattern = rf"\b(?:the|my|our|his|her|their|this|that)\s+{name}"
    return regex.search(pattern, scene.content, flags=regex.IGNORECASE) is not None


def indefinite(entity: FoundEntity, scene: Scene) -> bool:
    """Whether the text speaks of any such thing: "a ...", "some ..."."""
    pattern = _INDEFINITE + regex.escape(words.bare(entity.name))
    return regex.search(pattern, scene.content, flags=regex.IGNORECASE) is not None


def is_place_like(entity: FoundEntity) -> bool:
    """Whether the text tells for sure that it is a person or a place."""
    return entity.kind in {"person", "animal", "place", "value"}
