"""txtai: an index with content, vectors from outside, everything else as it comes (Faiss)."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from txtai import Embeddings

from tests.bench.peers.measured import WANTED, Embedding, run


class Txtai:
    """An index in memory that is loaded from a folder and saved to it."""

    def __init__(self, folder: Path, embedding: Embedding) -> None:
        self._file = folder / "index"
        self._embedding = embedding
        self._added = False
        vectors = lambda texts: self._vectors(texts)  # noqa: E731 - it takes nothing but functions
        self._index = Embeddings(method="external", transform=vectors, content=True)
        if self._file.exists():
            self._index.load(str(self._file))
            self._index.config["transform"] = vectors
            self._index.model = self._index.loadvectors()

    def _vectors(self, texts: Sequence[str]) -> np.ndarray:
        embed = self._embedding.passage if self._added else self._embedding.query
        return np.array([embed(text) for text in texts], dtype=np.float32)

    def add(self, numbers: Sequence[int], texts: Sequence[str], vectors: np.ndarray) -> None:
        """Its first call trains the index, later ones add to it."""
        self._added = True
        self._index.upsert(zip(numbers, texts, strict=True))

    def search(self, text: str) -> list[int]:
        """Ids, texts and scores."""
        return [int(one["id"]) for one in self._index.search(text, WANTED)]

    def close(self) -> None:
        """Nothing is on disk before."""
        if self._added:
            del self._index.config["transform"]  # a function cannot be saved
            self._index.save(str(self._file))


if __name__ == "__main__":
    run(Txtai)
