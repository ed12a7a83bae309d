"""Key-value items, as agent frameworks store them.

An item is the newest episode of the document named by its key.
"""

from typing import NamedTuple

from recollect.store.queries.episodes import EpisodeRow
from recollect.store.statements import Queries


class ItemsGraphsRow(NamedTuple):
    id: int
    graph_id: str


class ItemQueries(Queries):
    """Key-value items: an item is the newest episode of the document named by its key."""

    __slots__ = ()

    def newest(self, *, graph_id: int, key: str) -> EpisodeRow | None:
        return self._one(EpisodeRow, "items.newest", graph_id=graph_id, key=key)

    def of_graph(self, *, graph_id: int) -> list[EpisodeRow]:
        return self._all(EpisodeRow, "items.of_graph", graph_id=graph_id)

    def by_uuids(self, *, uuids: str | None) -> list[EpisodeRow]:
        return self._all(EpisodeRow, "items.by_uuids", uuids=uuids)

    def graphs(self, *, project_id: int, first: int | str, last: int | str) -> list[ItemsGraphsRow]:
        """The non-empty graphs in a range of names."""
        return self._all(
            ItemsGraphsRow, "items.graphs", project_id=project_id, first=first, last=last
        )
