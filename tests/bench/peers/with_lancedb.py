"""LanceDB, embedded: one table without an index, which is what it searches until one is asked for."""

from collections.abc import Sequence
from pathlib import Path

import lancedb
import numpy as np
import pyarrow as pa

from tests.bench.peers.measured import WANTED, Embedding, run


class Lance:
    """A table of texts and vectors."""

    def __init__(self, folder: Path, embedding: Embedding) -> None:
        self._embedding = embedding
        self._schema = pa.schema(
            [("number", pa.int64()), ("text", pa.string()), ("vector", pa.list_(pa.float32(), 384))]
        )
        self._facts = lancedb.connect(folder).create_table(
            "facts", schema=self._schema, exist_ok=True
        )

    def add(self, numbers: Sequence[int], texts: Sequence[str], vectors: np.ndarray) -> None:
        """A version of the table for each call."""
        flat = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), 384)
        columns = [pa.array(list(numbers)), pa.array(list(texts)), flat]
        self._facts.add(pa.table(columns, schema=self._schema))

    def search(self, text: str) -> list[int]:
        """Rows with their texts."""
        near = self._facts.search(self._embedding.query(text)).distance_type("cosine")
        return [
            row["number"]
            for row in near.select(["number", "text", "_distance"]).limit(WANTED).to_list()
        ]

    def close(self) -> None:
        """It writes as it goes; versions are made one, as its guide tells to do now and then."""
        if self._facts.count_rows():
            self._facts.optimize()


if __name__ == "__main__":
    run(Lance)
