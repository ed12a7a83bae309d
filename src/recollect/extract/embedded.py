"""The built-in reader: a parser, an embedder and rules; no network. It also rates facts."""

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt

from recollect.extract import documents
from recollect.extract.brief import Brief, Extracted
from recollect.extract.ontology import Classifier
from recollect.extract.ontology.shapes import Embed
from recollect.extract.prose import Prose
from recollect.graph import predicates
from recollect.graph.found import Found, FoundFact, read_direct
from recollect.graph.types import DIRECT_KINDS, EpisodeKind, Json
from recollect.models import embedder, judge, parser, sentence_kinds
from recollect.models.embedder import QUERY_PREFIX, Vectors
from recollect.models.judge import Opinion, Pair

_LONG_WORDS = 30
_SENTENCES_MAX = 12
_SENTENCE_WORDS_MIN = 4
_MACHINES = frozenset({"assistant", "system", "function", "tool"})
_SENTENCE_END = re.compile(r"(?<=[.!?\u2026])\s+|\n+")
_LEVELS = {"high": 1.0, "medium": 0.5, "low": 0.0}
_MIDDLE = 0.5
_REMEMBERED_MAX = 256
# The softmax temperature over the examples: similarities of two facts differ by a few hundredths.
_SHARPNESS = 0.03
# The largest weight of the instruction, and how far apart it must put the high and the low example
# to get it: an instruction that does not order its own examples orders nothing else.
_INSTRUCTION_WEIGHT = 0.3
_TELLS_APART = 0.1


class EmbeddedReader:
    """Reads episodes with the models in one folder. Not thread-safe."""

    def __init__(self, models: Path, table: Path | None = None) -> None:
        self._embedder = embedder.load(models)
        self._vectors = embedder.CachedEmbedder(self._embedder)
        kinds = sentence_kinds.classifier(self._vectors.passages)
        self._prose = Prose(parser.load(models), predicates.load(table), kinds)
        self._classifier = Classifier(self._embedder.passages)
        self._rater = Rater(self._embedder.passages)
        self._models = models

    def read(self, readings: Sequence[Brief]) -> list[Extracted]:
        """What the episodes say, each read as if it were alone."""
        prose = iter(self._prose.read_many([reading for reading in readings if _is_prose(reading)]))
        found = [
            next(prose) if _is_prose(reading) else self._structured(reading) for reading in readings
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
            return read_direct(reading.kind, reading.content)
        return documents.read(reading, self._prose.read)

    def _classified(self, reading: Brief, found: Found) -> Found:
        """Facts written by a caller keep the types the caller gave them."""
        return found if reading.kind in DIRECT_KINDS else self._classifier.classify(found, reading)

    def finish(self, reading: Brief, found: Found) -> Extracted:
        """Rate and embed the findings, which may also be a language model's."""
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


def passages(kind: EpisodeKind, role: str | None, text: str) -> list[str]:
    """The texts to embed: the whole, and each sentence of a long message.

    A passing remark hardly affects the vector of the whole.
    """
    if kind == "json" or role in _MACHINES or len(text.split()) < _LONG_WORDS:
        return [text]
    parts = [part for part in _SENTENCE_END.split(text) if len(part.split()) >= _SENTENCE_WORDS_MIN]
    return [text, *parts[:_SENTENCES_MAX]] if len(parts) > 1 else [text]


_Numbers = npt.NDArray[np.float64]


class _Scale(msgspec.Struct, frozen=True):
    """A rating instruction, embedded: the levels given, their examples, the instruction's weight."""

    values: _Numbers
    examples: _Numbers
    instruction: _Numbers | None
    middle: float
    weight: float


class Rater:
    """Rates facts by their similarity to the examples; caches the embedded instructions."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self._scales: dict[bytes, _Scale | None] = {}

    def rate(self, texts: Sequence[str], vectors: Vectors, rating: Json) -> list[float]:
        """One rating per text; *vectors* are theirs. Without two examples all get the middle."""
        scale = self._scale(rating)
        if scale is None:
            return [_MIDDLE] * len(texts)
        return [_rating(scale, vector.astype(np.float64)) for vector in vectors[: len(texts)]]

    def _scale(self, rating: Json) -> _Scale | None:
        key = msgspec.json.encode(rating, order="sorted")
        if key not in self._scales:
            if len(self._scales) >= _REMEMBERED_MAX:
                self._scales.clear()
            self._scales[key] = self._made(rating)
        return self._scales[key]

    def _made(self, rating: Json) -> _Scale | None:
        given = rating.get("examples") or {}
        said = {level: str(given.get(level) or "").strip() for level in _LEVELS}
        levels = [level for level in _LEVELS if said[level]]
        if len(levels) < 2:
            return None
        examples = self._embed([said[level] for level in levels]).astype(np.float64)
        values = np.array([_LEVELS[level] for level in levels])
        instruction = self._instruction(rating)
        if instruction is None:
            return _Scale(values, examples, None, 0.0, 0.0)
        near = examples @ instruction
        apart = float(np.clip((near[0] - near[-1]) / _TELLS_APART, 0.0, 1.0))
        weight = _INSTRUCTION_WEIGHT * apart
        return _Scale(values, examples, instruction, float(near.mean()), weight)

    def _instruction(self, rating: Json) -> _Numbers | None:
        text = str(rating.get("instruction") or "").strip()
        return self._embed([QUERY_PREFIX + text])[0].astype(np.float64) if text else None


def _rating(scale: _Scale, vector: _Numbers) -> float:
    near = scale.examples @ vector
    if scale.instruction is not None:
        lift = scale.weight * (float(scale.instruction @ vector) - scale.middle)
        near = near + lift * (2 * scale.values - 1)
    shares = np.exp((near - near.max()) / _SHARPNESS)
    return round(float(shares @ scale.values / shares.sum()), 4)
