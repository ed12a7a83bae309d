"""What a search of one graph costs in process: its bare parts, and the whole without the wire."""

import asyncio
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from recollect.graph.terms import hashed, terms
from recollect.graph.types import Access, Graph, Kind
from recollect.models import embedder
from recollect.records.graphs import get
from recollect.search import rank
from recollect.search.columns import Floats
from recollect.search.prepare import prepare
from recollect.search.query import Lookups, Query
from recollect.search.segment import Segment
from recollect.search.segments import Segments
from recollect.store.protocol import Transaction
from recollect.store.sqlite import SqliteStore

_BYTES_MAX = 1 << 40  # nothing is dropped


class Took(NamedTuple):
    """Milliseconds on the clock, and of the thread's own CPU time."""

    wall: float
    cpu: float


class Parts(NamedTuple):
    """What one question cost."""

    embedding: Took
    bare: Took
    ready: Took  # words, people and time of the question
    ranked: Took


class Cold(NamedTuple):
    """What the first search of a graph cost, without the embedding."""

    wall: float
    cpu: float
    bytes: int
    resident: int


def timed(task: Callable[..., Any], *args: Any) -> tuple[Any, Took]:
    """What *task* gives, and what it took."""
    cpu, began = time.thread_time(), time.perf_counter()
    found = task(*args)
    return found, Took(1000 * (time.perf_counter() - began), 1000 * (time.thread_time() - cpu))


def bare(segment: Segment, kind: Kind, hashes: Sequence[int], vector: Floats) -> None:
    """The scan over bits, the scoring of what it chooses, and the postings; nothing else.

    Entities have no vectors of their own: those of the facts are looked through.
    """
    held = segment.vectors["fact" if kind == "entity" else kind]
    visible = segment.visible("fact" if kind == "entity" else kind)
    held.likeness(held.nearest(vector, visible), vector)
    segment.words[kind].search(hashes, segment.visible(kind))


def parts(models: Path, segment: Segment, kind: Kind, text: str) -> Parts:
    """One question in process, part by part; the last two are what the bare part is the floor of."""
    model = embedder.load(models)
    query = Query(text=text, kind=kind, now=datetime.now(UTC), limit=10)
    vectors, embedding = timed(model.queries, [text])
    hashes = [hashed(term) for term in terms(text)]
    _, scanning = timed(bare, segment, kind, hashes, vectors[0])
    asked, ready = timed(
        prepare, set(segment.episodes.first_names), query, Lookups(), lambda _: vectors[0]
    )
    return Parts(embedding, scanning, ready, timed(rank.search, segment, asked)[1])


class Opened:
    """The store of a data folder with nobody else at work on it, for a while."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def __aenter__(self) -> "Opened":
        self.store = SqliteStore.open(self._folder)
        self.access = await self.store.read(project_access)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.store.close()

    async def graph(self, name: str) -> Graph:
        """A graph by the id its caller gave it."""
        return await self.store.read(get, self.access, name)

    async def segment(self, name: str) -> Segment:
        """The segment of a graph; it is kept as a snapshot, too, if it is large."""
        segments = Segments(self.store, bytes_max=_BYTES_MAX)
        found = await segments.of(self.access, await self.graph(name))
        await settled(segments)
        return found

    async def cold(self, name: str, text: str, vector: Floats) -> Cold:
        """The first search of a graph of which nothing is in memory yet."""
        graph = await self.graph(name)
        query = Query(text=text, kind="fact", now=datetime.now(UTC), limit=10)
        resident = psutil.Process().memory_info().rss
        segments = Segments(self.store, bytes_max=_BYTES_MAX)
        cpu, began = time.process_time(), time.perf_counter()
        segment = await segments.of(self.access, graph)
        rank.search(
            segment, prepare(set(segment.episodes.first_names), query, Lookups(), lambda _: vector)
        )
        took, spent = time.perf_counter() - began, time.process_time() - cpu
        grown = psutil.Process().memory_info().rss - resident
        await settled(segments)
        return Cold(1000 * took, 1000 * spent, segment.size_bytes, grown)


async def settled(segments: Segments) -> None:
    """Let it keep what it wants to keep."""
    await asyncio.gather(*segments._tasks)


def project_access(tx: Transaction) -> Access:
    """Whoever may see all of the first project."""
    (project, *_) = tx.projects.all()
    return Access(project_id=project.id, project_uuid=project.uuid, key_uuid="")
