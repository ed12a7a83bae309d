"""Mem0's local stack: `Memory` with its local Qdrant and its history, `infer=False`, our embedder in the place of its own.

No language model is asked: what is added is kept as it is. The key is one that nobody has, and no call is made with it.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.bench.peers.measured import WANTED, Embedding, run

os.environ.update(MEM0_TELEMETRY="False", OPENAI_API_KEY="none")  # read when it is imported


class OurEmbedder:
    """What `Memory` calls for a vector."""

    def __init__(self, embedding: Embedding) -> None:
        self._embedding = embedding

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """A vector as a list, as its own embedders give it."""
        of = self._embedding.passage if memory_action == "add" else self._embedding.query
        return [float(value) for value in of(text)]


class Mem0:
    """A memory of one user."""

    def __init__(self, folder: Path, embedding: Embedding) -> None:
        os.environ["MEM0_DIR"] = str(folder)
        from mem0 import Memory

        store = {"path": str(folder / "qdrant"), "on_disk": True, "embedding_model_dims": 384}
        config: dict[str, Any] = {
            "vector_store": {"provider": "qdrant", "config": store},
            "history_db_path": str(folder / "history.db"),
        }
        self._memory = Memory.from_config(config)
        self._memory.embedding_model = OurEmbedder(embedding)

    def add(self, numbers: Sequence[int], texts: Sequence[str], vectors: np.ndarray) -> None:
        """Each fact is a memory; it has no call for many that asks no language model."""
        for number, text in zip(numbers, texts, strict=True):
            self._memory.add(text, user_id="ann", infer=False, metadata={"number": number})

    def search(self, text: str) -> list[int]:
        """Memories with their metadata."""
        found = self._memory.search(text, filters={"user_id": "ann"}, top_k=WANTED)
        return [int(one["metadata"]["number"]) for one in found["results"]]

    def close(self) -> None:
        """Let go of its files."""
        self._memory.vector_store.client.close()
        self._memory.close()


if __name__ == "__main__":
    run(Mem0)
