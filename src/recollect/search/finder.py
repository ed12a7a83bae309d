"""Searching one graph: what callers of every surface use."""

from recollect.graph.types import Access, Graph
from recollect.search.query import Found, Query, Ranked
from recollect.search.segments import Segments
from recollect.store.protocol import Store
from recollect.subjects import episodes


class Finder:
    """Finds facts, entities, episodes, observations and thread summaries of a graph."""

    def __init__(self, store: Store, segments: Segments) -> None:
        self._store = store
        self._segments = segments

    async def find(self, access: Access, graph: Graph, query: Query) -> Found:
        """What fits *query* best, as of now; an empty text finds nothing."""
        hits = await self._segments.search(access, graph, query.text, query.limit)
        scores = {hit.uuid: hit.score for hit in hits}
        found = await self._store.read(episodes.by_uuids, graph, list(scores))
        return Found(episodes=tuple(Ranked(item=item, score=scores[item.uuid]) for item in found))

    async def warm(self, access: Access, graph: Graph) -> None:
        """Bring what a search of this graph needs into memory."""
        await self._segments.warm(access, graph)
