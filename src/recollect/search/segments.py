"""The segments in memory: brought up to date before each use, the least used dropped first."""

import asyncio
from collections import OrderedDict

from recollect.errors import NotFound
from recollect.graph.terms import terms
from recollect.graph.types import Access, Graph
from recollect.search.segment import Hit, IndexRow, Segment
from recollect.store.protocol import Store, Transaction


def _rows_since(tx: Transaction, access: Access, graph_uuid: str, version: int) -> list[IndexRow]:
    """Changes of a graph that still exists and belongs to the asker's project."""
    graph = tx.one("graph_by_uuid", uuid=graph_uuid, project_id=access.project_id)
    if graph is None:
        raise NotFound("graph not found")
    return [
        IndexRow(row["version"], row["item_kind"], row["item_uuid"], row["terms"])
        for row in tx.all("index_rows_since", graph_id=graph["id"], version=version)
    ]


class Segments:
    """A bounded cache of segments, keyed by the graph's uuid, which is never given out twice."""

    def __init__(self, store: Store, *, bytes_max: int) -> None:
        self._store = store
        self._bytes_max = bytes_max
        self._segments: OrderedDict[str, Segment] = OrderedDict()

    async def search(self, access: Access, graph: Graph, query: str, limit: int) -> list[Hit]:
        """The items of a graph that fit *query* best, as of now."""
        segment = self._segments.get(graph.uuid) or Segment()
        try:
            changes = await self._store.read(_rows_since, access, graph.uuid, segment.version)
        except NotFound:
            self._segments.pop(graph.uuid, None)
            raise
        wanted = terms(query)
        hits = await asyncio.to_thread(segment.answer, changes, wanted, limit)
        self._keep(graph.uuid, segment)
        return hits

    async def warm(self, access: Access, graph: Graph) -> None:
        """Bring a graph's segment into memory ahead of its first search."""
        await self.search(access, graph, "", 0)

    def _keep(self, graph_uuid: str, segment: Segment) -> None:
        """Hold on to what was used last, as far as there is room."""
        self._segments[graph_uuid] = segment
        self._segments.move_to_end(graph_uuid)
        self._evict()

    def _evict(self) -> None:
        total = sum(segment.size_bytes for segment in self._segments.values())
        while total > self._bytes_max and len(self._segments) > 1:
            _, segment = self._segments.popitem(last=False)
            total -= segment.size_bytes
