"""The embedding model: texts to unit vectors, on one thread."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from recollect.models import onnx, weights
from recollect.models.manifest import EMBEDDER

Vectors = npt.NDArray[np.float32]

# The steps of the model, made by `training/fuse.py`; the weights are in the installed file.
GRAPH = Path(__file__).with_name("embedder.graph.onnx")
DIMENSIONS = 384
TOKENS_MAX = 512
# The similarity of a question to unrelated texts, and its deviation; the same in each of the four
# conversations it was measured on (docs/measurements/search.md).
USUAL_LIKENESS = 0.53
LIKENESS_DEVIATION = 0.03
QUERY_PREFIX = "Represent this sentence for searching relevant passages: "


class Embedder:
    """The embedding model. Passages go in as they are, queries through `queries`."""

    def __init__(self, folder: Path) -> None:
        self._session: Any = onnx.session(GRAPH, folder)
        self._tokenizer = onnx.tokenizer(folder / "tokenizer.json", TOKENS_MAX)

    def passages(self, texts: Sequence[str]) -> Vectors:
        """One unit vector per text, in order."""
        vectors = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        for number, encoded in enumerate(self._tokenizer.encode_batch(list(texts))):
            vectors[number] = self._run(encoded.ids)
        return vectors

    def queries(self, texts: Sequence[str]) -> Vectors:
        """One unit vector per question, with the prefix the model was trained on."""
        return self.passages([QUERY_PREFIX + text for text in texts])

    def _run(self, ids: list[int]) -> Vectors:
        feed = {"input_ids": np.array([ids], dtype=np.int64)}
        first: Vectors = self._session.run(None, feed)[0][0, 0]
        length = float(np.linalg.norm(first))
        return first / length if length else first


class CachedEmbedder:
    """Remembers recent vectors: a sentence is embedded once to be classified and again as a fact."""

    def __init__(self, embedder: Embedder, most: int = 512) -> None:
        self._embedder = embedder
        self._most = most
        self._kept: dict[str, Vectors] = {}

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Like the embedder's method."""
        new = [text for text in dict.fromkeys(texts) if text not in self._kept]
        made = dict(zip(new, self._embedder.passages(new), strict=True))
        found = [made[text] if text in made else self._kept[text] for text in texts]
        self._kept = dict([*self._kept.items(), *made.items()][-self._most :])
        return np.array(found, dtype=np.float32).reshape(len(texts), DIMENSIONS)


@cache
def load(models: Path) -> Embedder:
    """The installed embedder, loaded once per process."""
    return Embedder(weights.verified(EMBEDDER, models))
