"""Similarity that tells apart: vectors with their common part taken away.

The embedder finds any two short texts alike (about 0.6), since all of them share what a short
English text is. That common part is the mean over the concepts of `concepts.toml`; without it,
unrelated texts are near 0, and a restaurant's name is nearest to "a restaurant".
"""

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from recollect.extract.ontology.tables import CONCEPTS
from recollect.extract.ontology.words import with_article
from recollect.models.embedder import Vectors

Embed = Callable[[Sequence[str]], Vectors]

NOUNS = tuple(CONCEPTS.noun)
RELATIONS = tuple(CONCEPTS.relation)
_REMEMBERED_MAX = 4096
_CHARS_MAX = 1000


class Space:
    """Vectors of things and of sentences, each kind around its own middle; remembers some."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self._remembered: dict[str, Vectors] = {}

    def thing(self, text: str) -> Vectors:
        """Where a name, a noun or a phrase lies among things."""
        return _centred(self._vector(_about(text)), self._things[0])

    def sentence(self, text: str) -> Vectors:
        """Where a sentence lies among relations."""
        return _centred(self._vector(text), self._sentences[0])

    @property
    def nouns(self) -> Vectors:
        """The common sorts of things, in the order of `NOUNS`."""
        return self._things[1]

    @property
    def relations(self) -> Vectors:
        """The common relations, in the order of `RELATIONS`."""
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
