"""The segments in memory: brought up to date before each use, the least used dropped first."""

import asyncio
from collections import OrderedDict

from recollect.errors import NotFound
from recollect.graph.terms import terms
from recollect.graph.types import Access, Graph
from recollect.search.segment import Hit, IndexRow, Segment
from recollect.store.protocol import Row, Store, Transaction


def _graph(tx: Transaction, access: Access, graph_uuid: str) -> Row:
    """A graph that still exists and belongs to the asker's project."""
    graph = tx.one("graph_by_uuid", uuid=graph_uuid, project_id=access.project_id)
    if graph is None:
        raise NotFound("graph not found")
    return graph


def _version(tx: Transaction, access: Access, graph_uuid: str) -> int:
    """The version of a graph's last change."""
    version: int = _graph(tx, access, graph_uuid)["index_version"]
    return version


def _rows_since(tx: Transaction, access: Access, graph_uuid: str, version: int) -> list[IndexRow]:
    """The next changes of a graph, not necessarily all."""
    graph_id = _graph(tx, access, graph_uuid)["id"]
    return [
        IndexRow(row["version"], row["item_kind"], row["item_uuid"], row["terms"])
        for row in tx.all("index_rows_since", graph_id=graph_id, version=version)
    ]


class Segments:
    """A bounded cache of segments, keyed by the graph's uuid, which is never given out twice."""

    def __init__(self, store: Store, *, bytes_max: int) -> None:
        self._store = store
        self._bytes_max = bytes_max
        self._segments: OrderedDict[str, Segment] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._bytes = 0

    async def search(self, access: Access, graph: Graph, query: str, limit: int) -> list[Hit]:
        """The items of a graph that fit *query* best, as of now."""
        wanted = await asyncio.to_thread(terms, query)
        try:
            version = await self._store.read(_version, access, graph.uuid)
            segment = self._use(graph.uuid)
            await self._catch_up(segment, access, graph.uuid, version)
        except NotFound:
            self._drop(graph.uuid)
            raise
        return await asyncio.to_thread(segment.answer, wanted, limit)

    async def warm(self, access: Access, graph: Graph) -> None:
        """Bring a graph's segment into memory ahead of its first search."""
        await self.search(access, graph, "", 0)

    async def _catch_up(
        self, segment: Segment, access: Access, graph_uuid: str, version: int
    ) -> None:
        """Let a segment take what it lacks; whoever comes meanwhile waits and finds it done."""
        if segment.version < version:
            async with segment.turn:
                while segment.version < version and (
                    rows := await self._store.read(_rows_since, access, graph_uuid, segment.version)
                ):
                    await asyncio.to_thread(segment.take, rows)
                    self._weigh(graph_uuid, segment)

    def _use(self, graph_uuid: str) -> Segment:
        """The segment of a graph, kept from now on as the one used last."""
        segment = self._segments.get(graph_uuid)
        if segment is None:
            segment = self._segments[graph_uuid] = Segment()
        self._segments.move_to_end(graph_uuid)
        self._weigh(graph_uuid, segment)
        return segment

    def _weigh(self, graph_uuid: str, segment: Segment) -> None:
        """Count what a segment takes, unless it was dropped meanwhile, and make room."""
        if self._segments.get(graph_uuid) is segment:
            size = segment.size_bytes
            self._bytes += size - self._sizes.get(graph_uuid, 0)
            self._sizes[graph_uuid] = size
        while self._bytes > self._bytes_max and len(self._segments) > 1:
            self._drop(next(iter(self._segments)))

    def _drop(self, graph_uuid: str) -> None:
        """Forget a segment; a search that is using it goes on with it to its end."""
        self._segments.pop(graph_uuid, None)
        self._bytes -= self._sizes.pop(graph_uuid, 0)
