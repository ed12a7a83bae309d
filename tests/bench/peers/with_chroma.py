"""Chroma, embedded: one collection in a folder, cosine distance, everything else as it comes."""

from collections.abc import Sequence
from pathlib import Path

import chromadb
import numpy as np
from chromadb.config import Settings

from tests.bench.peers.measured import WANTED, Embedding, run


class Chroma:
    """A collection that is given its vectors."""

    def __init__(self, folder: Path, embedding: Embedding) -> None:
        self._embedding = embedding
        client = chromadb.PersistentClient(str(folder), Settings(anonymized_telemetry=False))
        self._facts = client.get_or_create_collection(
            "facts", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
        )

    def add(self, numbers: Sequence[int], texts: Sequence[str], vectors: np.ndarray) -> None:
        """Texts with their vectors."""
        self._facts.add(ids=[str(n) for n in numbers], documents=list(texts), embeddings=vectors)

    def search(self, text: str) -> list[int]:
        """Ids and documents of the nearest."""
        found = self._facts.query([self._embedding.query(text)], n_results=WANTED)
        return [int(one) for one in found["ids"][0]]

    def close(self) -> None:
        """It writes as it goes."""


if __name__ == "__main__":
    run(Chroma)
