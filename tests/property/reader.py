"""A simple extractor: enough for entities, facts, restatements and closings."""

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise

from recollect.extract.brief import Brief, Extracted
from recollect.graph import predicates
from recollect.graph.found import Found, FoundEntity, FoundFact, read_direct
from recollect.graph.types import DIRECT_KINDS

VECTOR = bytes(768)
# The words that name an entity, by kind.
PEOPLE = ("alpha", "beta")
PLACES = ("gamma", "delta")
_TABLE = predicates.load()


class ScriptedReader:
    """Adjacent people are friends; a person before a place lives there.

    If the graph has a user, the user likes the person that is named first.
    """

    together = 2
    wants_known = False
    predicates = _TABLE

    async def extract(self, readings: Sequence[Brief]) -> list[Extracted]:
        """What each text says, in order."""
        return [_extracted(reading) for reading in readings]

    async def close(self) -> None:
        """Nothing to close."""


class LearnedReader(ScriptedReader):
    """The same, and knowledge that callers added directly is taken as it is."""

    async def extract(self, readings: Sequence[Brief]) -> list[Extracted]:
        """What each text or each piece of knowledge says, in order."""
        return [
            _written(reading) if reading.kind in DIRECT_KINDS else _extracted(reading)
            for reading in readings
        ]


def _written(reading: Brief) -> Extracted:
    found = read_direct(reading.kind, reading.content)
    return Extracted(found=found, fact_vectors=(None,) * len(found.facts))


def _extracted(reading: Brief) -> Extracted:
    words = [word for word in reading.content.split() if word in (*PEOPLE, *PLACES)]
    names = list(dict.fromkeys(words))
    entities = [
        FoundEntity(name=name.title(), kind="person" if name in PEOPLE else "place")
        for name in names
    ]
    facts = [
        _fact(names.index(one), names.index(two), one, two, reading.at)
        for one, two in dict.fromkeys(pairwise(words))
        if one in PEOPLE and one != two
    ]
    if reading.user is not None and names and names[0] in PEOPLE:
        entities.append(FoundEntity(name=reading.user.name, kind="person", who="user"))
        facts.append(_said("LIKES", len(names), 0, f"The user likes {names[0]}", reading.at))
    found = Found(entities=tuple(entities), facts=tuple(facts), extractor="scripted")
    return Extracted(found=found, vector=VECTOR, fact_vectors=(VECTOR,) * len(facts))


def _fact(source: int, target: int, one: str, two: str, at: datetime) -> FoundFact:
    if two in PLACES:
        return _said("LIVES_IN", source, target, f"{one} lives in {two}", at)
    return _said("IS_FRIEND_OF", source, target, f"{one} is a friend of {two}", at)


def _said(relation: str, source: int, target: int, sentence: str, at: datetime) -> FoundFact:
    return FoundFact(
        source=source,
        target=target,
        name=relation,
        predicate=relation,
        fact=sentence,
        valid_at=at,
    )
