"""A simple extractor and simple models, for worlds in which something is hidden.

A text is a sequence of names. A person before a place lives there, before a thing likes it, and before
another person is a friend of theirs. `me` is the user, and a word that begins with `trait` is an attribute
of the first name. No text contains the sentence of a fact, so that a sentence in a response can only come
from the fact.
"""

import re
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from itertools import pairwise

import numpy as np

from recollect.extract.brief import Brief, Extracted
from recollect.graph import predicates
from recollect.graph.found import EntityKind, Found, FoundEntity, FoundFact, read_direct
from recollect.graph.types import DIRECT_KINDS
from recollect.models import answers, cross_encoder, embedder
from recollect.models.embedder import DIMENSIONS, Vectors

_WORD = re.compile(r"\w+")
_NUMBERED = re.compile(r"\d{5}q")
ME = "me"
_NAMES: dict[EntityKind, str] = {
    "person": """
        Adalwin Brunhild Cosimo Dorothea Eckbert Fiorella Gottlob Hadewig Isidor Jorunn Kasimir
        Leocadia Malwine Norbert Oktavia Pankraz Quirin Roswitha
    """,
    "place": """
        Xanten Wismar Vechta Ulmbach Torgau Soltau Rinteln Quedlin Passau Oelsnitz Neuruppin Meldorf
    """,
    "object": """
        zither yoghurt walnut violin umbrella turnip saffron radish quince pottery origami nutmeg
        mandolin licorice kayaking jasmine icicle hazelnut
    """,
}
PEOPLE, PLACES, THINGS = (names.split() for names in _NAMES.values())
_KINDS = {name: kind for kind, names in _NAMES.items() for name in names.split()}
_SAID: dict[EntityKind, tuple[str, str]] = {
    "person": ("IS_FRIEND_OF", "is a friend of"),
    "place": ("LIVES_IN", "lives in"),
    "object": ("LIKES", "likes"),
}


def sentence(one: str, two: str) -> str:
    """The sentence of the fact that joins two names."""
    return f"{one} {_SAID[_KINDS[two]][1]} {two}"


class WordsReader:
    """The extractor for workers."""

    together = 2
    wants_known = False
    predicates = predicates.load()

    async def extract(self, readings: Sequence[Brief]) -> list[Extracted]:
        """What each text says, in order."""
        return [_extracted(reading) for reading in readings]

    async def close(self) -> None:
        """Nothing to close."""


def _extracted(reading: Brief) -> Extracted:
    if reading.kind in DIRECT_KINDS:
        found = read_direct(reading.kind, reading.content)
    else:
        found = _found(reading)
    packed = [packed_vector(text) for text in (reading.content, *(f.fact for f in found.facts))]
    return Extracted(found=found, vector=packed[0], fact_vectors=tuple(packed[1:]))


def _found(reading: Brief) -> Found:
    said = _WORD.findall(reading.content)
    words = [w for w in said if w in _KINDS or (w == ME and reading.user is not None)]
    names = list(dict.fromkeys(words))
    traits = [word for word in said if word.startswith("trait")]
    entities = [
        _entity(reading, name, traits[0] if traits and name == names[0] else None) for name in names
    ]
    joined = [
        (one, two)
        for one, two in dict.fromkeys(pairwise(words))
        if one != two and two != ME and (one == ME or _KINDS[one] == "person")
    ]
    facts = [_fact(reading, names, one, two) for one, two in joined]
    return Found(entities=tuple(entities), facts=tuple(facts), extractor="words")


def _entity(reading: Brief, name: str, trait: str | None) -> FoundEntity:
    attributes = {"trait": trait} if trait else None
    if name == ME and reading.user is not None:
        return FoundEntity(name=reading.user.name, kind="person", who="user", attributes=attributes)
    return FoundEntity(name=name, kind=_KINDS[name], attributes=attributes)


def _fact(reading: Brief, names: Sequence[str], one: str, two: str) -> FoundFact:
    relation, _ = _SAID[_KINDS[two]]
    who = reading.user.name if one == ME and reading.user is not None else one
    return FoundFact(
        source=names.index(one),
        target=names.index(two),
        name=relation,
        predicate=relation,
        fact=sentence(who, two),
        valid_at=reading.at,
    )


@cache
def _direction(word: str) -> Vectors:
    seed = int.from_bytes(blake2b(word.encode(), digest_size=8).digest())
    made: Vectors = np.random.default_rng(seed).standard_normal(DIMENSIONS).astype(np.float32)
    return made / np.linalg.norm(made)


def _vector(text: str) -> Vectors:
    """Texts are similar by the words they share; all are a little similar, and all marks are equal."""
    words = _WORD.findall(_NUMBERED.sub("", text.lower()))
    total = sum((_direction(word) for word in words), 0.7 * max(len(words), 1) ** 0.5 * _BASE)
    unit: Vectors = (total / np.linalg.norm(total)).astype(np.float32)
    return unit


_BASE = _direction("")


def packed_vector(text: str) -> bytes:
    """The vector of a text as it is stored."""
    return _vector(text).astype(np.float16).tobytes()


class WordsEmbedder(embedder.Embedder):
    """Vectors without a model."""

    def __init__(self) -> None:
        pass

    def passages(self, texts: Sequence[str]) -> Vectors:
        """One unit vector for each text."""
        return np.array([_vector(text) for text in texts]).reshape(-1, DIMENSIONS)

    def queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions like any other text."""
        return self.passages(texts)


class WordsCrossEncoder(cross_encoder.CrossEncoder):
    """Scores texts by the words they share with the question."""

    def __init__(self) -> None:
        pass

    def scores(self, query: str, texts: Sequence[str]) -> Vectors:
        """The number of shared words, minus a half."""
        asked = set(_WORD.findall(query.lower()))
        shared = [len(asked & set(_WORD.findall(text.lower()))) - 0.5 for text in texts]
        return np.array(shared, dtype=np.float32)


class WordsAnswers(answers.AnswerModel):
    """Takes a fact for an answer by the words that it shares with the question, and for one that is over
    by how many later ones share some: what else is read shows in every score."""

    def __init__(self) -> None:
        pass

    def read(self, question: str, facts: Sequence[str]) -> list[answers.Reading]:
        """The number of shared words, minus two; and of later facts with a shared word, minus one."""
        asked = set(_WORD.findall(question.lower()))
        shared = [len(asked & set(_WORD.findall(fact.lower()))) for fact in facts]
        return [
            answers.Reading(count - 2.0, sum(map(bool, shared[place:])) - 2.0)
            for place, count in enumerate(shared, 1)
        ]
