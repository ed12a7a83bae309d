"""An extractor for sentences of three words: subject, relation, object. Other texts yield nothing."""

from collections.abc import Sequence

from recollect.extract.brief import Brief, Extracted
from recollect.graph import predicates
from recollect.graph.found import Found, FoundEntity, FoundFact
from recollect.limits import JOBS_PER_COMMIT_MAX

_TABLE = predicates.load()


class ThreeWords:
    """`ann likes tea` is a fact; `ann lives_in rome` ends where she lived before."""

    together = JOBS_PER_COMMIT_MAX
    wants_known = False
    predicates = _TABLE

    async def extract(self, readings: Sequence[Brief]) -> list[Extracted]:
        """What each text says, in order."""
        return [_extracted(reading) for reading in readings]

    async def close(self) -> None:
        """Nothing to close."""


def _extracted(reading: Brief) -> Extracted:
    words = reading.content.split()
    if len(words) != 3:
        return Extracted(found=Found(entities=(), facts=(), extractor="three words"))
    who, relation, what = words
    fact = FoundFact(
        source=0,
        target=1,
        name=relation.upper(),
        predicate=relation.upper(),
        fact=f"{who.title()} {relation.replace('_', ' ')} {what.title()}",
        valid_at=reading.at,
    )
    entities = (FoundEntity(name=who.title(), kind="person"), FoundEntity(name=what.title()))
    found = Found(entities=entities, facts=(fact,), extractor="three words")
    return Extracted(found=found, fact_vectors=(None,))
