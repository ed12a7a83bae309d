"""MemMachine's event memory as its server builds it for SQLite: usearch beside a file of vectors, another of segments.

The classes are called without its HTTP server, whose embedders all need a network or weights that are not to be had here.
"""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
from memmachine_server.common.data_types import SimilarityMetric
from memmachine_server.common.embedder import Embedder
from memmachine_server.common.resource_manager.database_manager import enable_sqlite_foreign_keys
from memmachine_server.common.vector_store import VectorStoreCollectionConfig
from memmachine_server.common.vector_store.sqlite_vector_store import (
    SQLiteVectorStore,
    SQLiteVectorStoreParams,
)
from memmachine_server.common.vector_store.vector_search_engine.usearch_engine import (
    USearchVectorSearchEngine,
)
from memmachine_server.episodic_memory.event_memory.data_types import Event, TextBlock
from memmachine_server.episodic_memory.event_memory.deriver.text_deriver import WholeTextDeriver
from memmachine_server.episodic_memory.event_memory.event_memory import (
    EventMemory,
    EventMemoryParams,
)
from memmachine_server.episodic_memory.event_memory.segment_store import SegmentStorePartitionConfig
from memmachine_server.episodic_memory.event_memory.segment_store.sqlalchemy_segment_store import (
    SQLAlchemySegmentStore,
    SQLAlchemySegmentStoreParams,
)
from memmachine_server.episodic_memory.event_memory.segmenter.passthrough_segmenter import (
    PassthroughSegmenter,
)
from sqlalchemy.ext.asyncio import create_async_engine

from tests.bench.peers.measured import WANTED, Embedding, run

FIRST_DAY = datetime(2024, 1, 1, tzinfo=UTC)


class OurEmbedder(Embedder):  # type: ignore[misc]  # not installed where types are checked
    """What the event memory calls for vectors."""

    model_id = "ours"
    dimensions = 384
    similarity_metric = SimilarityMetric.COSINE

    def __init__(self, embedding: Embedding) -> None:
        super().__init__()
        self._embedding = embedding

    async def _ingest_embed(self, inputs: list[Any], max_attempts: int = 1) -> list[list[float]]:
        return [self._embedding.passage(text).tolist() for text in inputs]

    async def _search_embed(self, queries: list[Any], max_attempts: int = 1) -> list[list[float]]:
        return [self._embedding.query(text).tolist() for text in queries]


class MemMachine:
    """The event memory of one session, on a loop of its own."""

    def __init__(self, folder: Path, embedding: Embedding) -> None:
        self._runner = asyncio.Runner()
        self._memory = self._runner.run(self._open(folder, OurEmbedder(embedding)))

    async def _open(self, folder: Path, embedder: OurEmbedder) -> EventMemory:
        self._vectors = SQLiteVectorStore(
            SQLiteVectorStoreParams(
                sqlalchemy_engine=create_async_engine(f"sqlite+aiosqlite:///{folder}/vectors.db"),
                vector_search_engine_factory=lambda dimensions, metric: USearchVectorSearchEngine(
                    num_dimensions=dimensions, similarity_metric=metric
                ),
                index_directory=str(folder),
            )
        )
        await self._vectors.startup()
        collection = await self._vectors.open_or_create_collection(
            namespace="long_term_memory",
            name="facts",
            config=VectorStoreCollectionConfig(
                vector_dimensions=embedder.dimensions,
                similarity_metric=embedder.similarity_metric,
                indexed_properties_schema=EventMemory.expected_vector_store_collection_schema(),
            ),
        )
        engine = create_async_engine(f"sqlite+aiosqlite:///{folder}/segments.db")
        enable_sqlite_foreign_keys(engine)
        self._segments = SQLAlchemySegmentStore(SQLAlchemySegmentStoreParams(engine=engine))
        await self._segments.startup()
        partition = await self._segments.open_or_create_partition(
            "facts", SegmentStorePartitionConfig()
        )
        return EventMemory(
            EventMemoryParams(
                segment_store_partition=partition,
                vector_store_collection=collection,
                segmenter=PassthroughSegmenter(),
                deriver=WholeTextDeriver(),
                embedder=embedder,
            )
        )

    def add(self, numbers: Sequence[int], texts: Sequence[str], vectors: np.ndarray) -> None:
        """Each fact is an event that tells its number in its id."""
        events = [
            Event(
                uuid=UUID(int=number),
                timestamp=FIRST_DAY + timedelta(minutes=number),
                blocks=[TextBlock(text=text)],
            )
            for number, text in zip(numbers, texts, strict=True)
        ]
        self._runner.run(self._memory.encode_events(events))

    def search(self, text: str) -> list[int]:
        """Segments with their texts."""
        found = self._runner.run(self._memory.query(text, vector_search_limit=WANTED))
        return [one.segments[0].event_uuid.int for one in found.scored_segment_contexts]

    def close(self) -> None:
        """Save the index."""
        self._runner.run(self._vectors.shutdown())
        self._runner.run(self._segments.shutdown())
        self._runner.close()


if __name__ == "__main__":
    run(MemMachine)
