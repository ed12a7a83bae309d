"""How much a fact matters, from 0 to 1, by an instruction and an example of each level."""

from collections.abc import Callable, Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from recollect.graph.types import Json
from recollect.models.embedder import QUERY_PREFIX, Vectors

Embed = Callable[[Sequence[str]], Vectors]
_Numbers = npt.NDArray[np.float64]

_LEVELS = {"high": 1.0, "medium": 0.5, "low": 0.0}
_MIDDLE = 0.5
_REMEMBERED_MAX = 256
# How sharply the nearest example decides. Two facts of the embedder differ by some hundredths.
_SHARPNESS = 0.03
# What the instruction weighs at most, and how far it must tell the high example from the low one
# to weigh that much: an instruction that does not order its own examples orders nothing else.
_INSTRUCTION_WEIGHT = 0.3
_TELLS_APART = 0.1


class _Scale(msgspec.Struct, frozen=True):
    """An instruction made ready: the levels there are, their examples, and how far it helps."""

    values: _Numbers
    examples: _Numbers
    instruction: _Numbers | None
    middle: float
    weight: float


class Rater:
    """Rates facts by how near they are to the examples; keeps what it worked out about them."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self._scales: dict[bytes, _Scale | None] = {}

    def rate(self, texts: Sequence[str], vectors: Vectors, rating: Json) -> list[float]:
        """One rating per text; *vectors* are theirs. Without any example all are in the middle."""
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
