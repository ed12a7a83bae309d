"""The extractor that comes with the program: a parser, an embedder and rules; no network."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from recollect.extract import documents
from recollect.extract.brief import Brief, Extracted
from recollect.extract.ontology import Classifier
from recollect.extract.passages import passages
from recollect.extract.prose import Prose
from recollect.extract.ratings import Rater
from recollect.graph import predicates, written
from recollect.graph.found import Found, FoundFact
from recollect.graph.types import DIRECT_KINDS
from recollect.models import embedder, judge, parser, sentence_kinds
from recollect.models.judge import Opinion
from recollect.models.pair_signs import Pair


class Embedded:
    """Reads episodes with the models in one folder. Not to be shared between threads."""

    def __init__(self, models: Path, table: Path | None = None) -> None:
        self._embedder = embedder.load(models)
        self._vectors = embedder.Remembered(self._embedder)
        kinds = sentence_kinds.classifier(self._vectors.passages)
        self._prose = Prose(parser.load(models), predicates.load(table), kinds)
        self._classifier = Classifier(self._embedder.passages)
        self._rater = Rater(self._embedder.passages)
        self._models = models

    def read(self, readings: Sequence[Brief]) -> list[Extracted]:
        """Everything the episodes say, each as if it were read alone."""
        told = iter(self._prose.read_many([reading for reading in readings if _is_prose(reading)]))
        found = [
            next(told) if _is_prose(reading) else self._structured(reading) for reading in readings
        ]
        return [
            self.finish(reading, self._classified(reading, item))
            for reading, item in zip(readings, found, strict=True)
        ]

    def judge(self, pairs: Sequence[Pair]) -> list[Opinion]:
        """What the newer sentence of each pair does to the older one."""
        return judge.load(self._models).opinions(pairs, judge.setting())

    def _structured(self, reading: Brief) -> Found:
        if not reading.learn:
            return Found()
        if reading.kind in DIRECT_KINDS:
            return written.read(reading.kind, reading.content)
        return documents.read(reading, self._prose.read)

    def _classified(self, reading: Brief, found: Found) -> Found:
        """Knowledge that a caller wrote has the types the caller gave it."""
        return found if reading.kind in DIRECT_KINDS else self._classifier.classify(found, reading)

    def finish(self, reading: Brief, found: Found) -> Extracted:
        """Rate what was found and make it findable; also for what a language model found."""
        texts = [fact.fact for fact in found.facts]
        parts = passages(reading.kind, reading.role, reading.content)
        vectors = self._vectors.passages([*parts, *texts])
        packed = [row.astype(np.float16).tobytes() for row in vectors]
        own, packed = b"".join(packed[: len(parts)]), packed[len(parts) :]
        facts = found.facts
        if reading.guidance.rating is not None and facts:
            ratings = self._rater.rate(texts, vectors[len(parts) :], reading.guidance.rating)
            facts = tuple(map(_rated, facts, ratings))
        return Extracted(
            found=msgspec.structs.replace(found, facts=facts),
            vector=own,
            fact_vectors=tuple(packed),
        )


def _is_prose(reading: Brief) -> bool:
    return reading.learn and reading.kind in ("message", "text")


def _rated(fact: FoundFact, rating: float) -> FoundFact:
    return fact if fact.rating is not None else msgspec.structs.replace(fact, rating=rating)
