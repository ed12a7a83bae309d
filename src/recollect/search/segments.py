"""The segments in memory: brought up to date before each use, evicted least recently used first."""

import asyncio
from collections import OrderedDict
from typing import cast

from recollect import log
from recollect.errors import NotFound, RecollectError
from recollect.graph.types import Access, Graph, Kind
from recollect.limits import INDEX_ROWS_PER_PAGE, SNAPSHOT_ROWS_MIN
from recollect.search import snapshot
from recollect.search.kinds import KINDS
from recollect.search.segment import IndexPage, Segment
from recollect.store import index, rows
from recollect.store.protocol import Store, Transaction
from recollect.store.queries.graphs import GraphRow

_log = log.get(__name__)
_CHUNKS_TOGETHER = 8  # chunks written in one transaction


def _graph(tx: Transaction, access: Access, graph_uuid: str) -> GraphRow:
    """A graph that still exists and belongs to the caller's project."""
    graph = tx.graphs.by_uuid(uuid=graph_uuid, project_id=access.project_id)
    if graph is None:
        raise NotFound("graph not found")
    return graph


def _state(tx: Transaction, access: Access, graph_uuid: str) -> tuple[int, int]:
    """The epoch of a graph's index and the version of its last change."""
    graph = _graph(tx, access, graph_uuid)
    return graph.index_epoch, graph.index_version


def _page(
    tx: Transaction, access: Access, graph_uuid: str, epoch: int, since: int
) -> IndexPage | None:
    """The next changes of a graph; None if a new epoch has begun meanwhile."""
    graph = _graph(tx, access, graph_uuid)
    if graph.index_epoch != epoch:
        return None
    until = min(since + INDEX_ROWS_PER_PAGE, graph.index_version)
    found = tx.index.rows_between(graph_id=graph.id, since=since, until=until)
    ids: dict[Kind, list[int]] = {kind: [] for kind in KINDS}
    for row in found:
        if row.terms is not None:
            ids[cast(Kind, row.item_kind)].append(row.item_id)
    listed = {kind: rows.to_json(numbers) for kind, numbers in ids.items()}
    return IndexPage(
        until=until,
        rows=found,
        items={
            kind: spec.rows(tx)(graph_id=graph.id, ids=listed[kind]) for kind, spec in KINDS.items()
        },
        endings=tx.index.endings(ids=listed["fact"]),
        supports=tx.index.supports(ids=listed["episode"]),
        mentions=tx.index.mentions(ids=listed["episode"]),
    )


def _saved_chunks(tx: Transaction, graph_id: int) -> list[bytes]:
    """The chunks of a graph's snapshot."""
    return [row.data for row in tx.index.snapshot(graph_id=graph_id)]


def _snapshot_of(segment: Segment) -> tuple[int, list[bytes]]:
    """The chunks to save; none while the segment still holds traces of something removed."""
    return (segment.version, []) if segment.holds_forgotten else snapshot.dump(segment)


class Segments:
    """A bounded cache of segments, keyed by the graph's uuid, which is never reused."""

    def __init__(self, store: Store, *, bytes_max: int) -> None:
        self._store = store
        self._bytes_max = bytes_max
        self._segments: OrderedDict[str, Segment] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._bytes = 0

    async def of(self, access: Access, graph: Graph) -> Segment:
        """The segment of a graph as of now."""
        try:
            while True:
                epoch, version = await self._store.glance(_state, access, graph.uuid)
                segment = self._use(graph.uuid, epoch)
                if segment.version == 0 and version > SNAPSHOT_ROWS_MIN:
                    await self._load_saved(segment, graph)
                if await self._catch_up(segment, access, graph.uuid, version):
                    self._save_if_ahead(segment, access, graph)
                    return segment
        except NotFound:
            self._drop(graph.uuid)
            raise

    async def _catch_up(
        self, segment: Segment, access: Access, graph_uuid: str, version: int
    ) -> bool:
        """Apply the changes that a segment lacks, one caller at a time.

        False if its epoch has ended, so that it can never be up to date again.
        """
        if segment.version < version:
            async with segment.turn:
                return await self._fill(segment, access, graph_uuid, version)
        return True

    async def _fill(self, segment: Segment, access: Access, graph_uuid: str, version: int) -> bool:
        while segment.version < version:
            page = await self._store.read(_page, access, graph_uuid, segment.epoch, segment.version)
            if page is None:
                return False
            try:
                await asyncio.to_thread(segment.take, page)
            except Exception:
                self._drop(graph_uuid)  # it may have applied a part
                raise
            self._weigh(graph_uuid, segment)
        return True

    async def _load_saved(self, segment: Segment, graph: Graph) -> None:
        """Start an empty segment of a large graph from its snapshot."""
        async with segment.turn:
            if segment.version == 0:
                chunks = await self._store.read(_saved_chunks, graph.id)
                found = await asyncio.to_thread(snapshot.load, segment.epoch, chunks)
                if found is not None:
                    segment.become(found)
                    self._weigh(graph.uuid, segment)

    def _save_if_ahead(self, segment: Segment, access: Access, graph: Graph) -> None:
        """Save a large segment once it is well ahead of its snapshot."""
        ahead = segment.version - segment.kept_version
        if ahead > max(SNAPSHOT_ROWS_MIN, segment.kept_version // 2):
            segment.kept_version = segment.version  # so that no other caller saves it as well
            task = asyncio.create_task(self._save(segment, access, graph))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _save(self, segment: Segment, access: Access, graph: Graph) -> None:
        """Write a snapshot; without one only the next cold search is slower."""
        try:
            if segment.holds_forgotten:
                await self._rebuild(segment, access, graph)
            version, chunks = await asyncio.to_thread(segment.work, _snapshot_of)
            for first in range(0, len(chunks), _CHUNKS_TOGETHER):
                part = chunks[first : first + _CHUNKS_TOGETHER]
                if not await self._store.write(
                    index.put_snapshot, graph.id, segment.epoch, version, chunks[0], part, first
                ):
                    break
        except (RecollectError, OSError) as error:
            _log.warning("snapshot.not_kept", graph=graph.id, error=type(error).__name__)

    async def _rebuild(self, segment: Segment, access: Access, graph: Graph) -> None:
        """Refill a segment from its rows, which drops all traces of what was removed."""
        fresh = Segment(segment.epoch)
        await self._fill(fresh, access, graph.uuid, segment.version)
        async with segment.turn:
            if await self._fill(fresh, access, graph.uuid, segment.version):
                fresh.kept_version = segment.kept_version
                await asyncio.to_thread(segment.become, fresh)
                self._weigh(graph.uuid, segment)

    def forget(self, graph_uuid: str) -> None:
        """Drop a graph's segment after an erasure; the next search reads the graph again."""
        self._drop(graph_uuid)

    async def close(self) -> None:
        """Cancel the snapshots in progress."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _use(self, graph_uuid: str, epoch: int) -> Segment:
        """The segment of a graph, now the most recently used."""
        segment = self._segments.get(graph_uuid)
        if segment is None or segment.epoch != epoch:
            segment = self._segments[graph_uuid] = Segment(epoch)
        self._segments.move_to_end(graph_uuid)
        self._weigh(graph_uuid, segment)
        return segment

    def _weigh(self, graph_uuid: str, segment: Segment) -> None:
        """Account for the size of a segment that is still cached, and evict others to make room."""
        if self._segments.get(graph_uuid) is segment:
            size = segment.size_bytes
            self._bytes += size - self._sizes.get(graph_uuid, 0)
            self._sizes[graph_uuid] = size
        while self._bytes > self._bytes_max and len(self._segments) > 1:
            self._drop(next(iter(self._segments)))

    def _drop(self, graph_uuid: str) -> None:
        """Drop a segment; a search that is using it finishes with it."""
        self._segments.pop(graph_uuid, None)
        self._bytes -= self._sizes.pop(graph_uuid, 0)
