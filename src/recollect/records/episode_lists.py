"""The episodes of a graph in order of time, optionally filtered.

Episodes are listed as soon as they are stored, including unprocessed ones and messages of ignored
roles. Knowledge that a caller wrote directly is not an episode here.
"""

from collections.abc import Iterator
from typing import NamedTuple

from recollect.graph.episode_filters import EpisodeTree, tree_test
from recollect.graph.types import Access, Episode, Graph
from recollect.limits import EPISODES_PER_LOOK, INTEGER_MAX
from recollect.records import seeing
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.episodes import EpisodesJudgedRow


class _Place(NamedTuple):
    """The position of an episode in the order of a list."""

    created_at: int
    seq: int
    id: int
    uuid: str


def page(
    tx: Transaction,
    access: Access,
    graph: Graph,
    tree: EpisodeTree | None,
    *,
    size: int,
    number: int,
) -> list[Episode]:
    """A page of *size* visible episodes that satisfy *tree*; pages are counted from 0.

    Oldest first; at the same time, in the order they were stored.
    """
    skipped = min(size * number, INTEGER_MAX)  # there are fewer than that
    if tree is None and access.visibility is None:
        found = tx.episodes.by_time(graph_id=graph.id, limit=size, offset=skipped)
        return [rows.episode(row) for row in found]
    chosen = sorted(_matching(tx, access, graph, tree))[skipped : skipped + size]
    listed = rows.to_json([place.id for place in chosen])
    known = {row.id: rows.episode(row) for row in tx.episodes.by_ids(ids=listed)}
    return [known[place.id] for place in chosen]


def count(tx: Transaction, access: Access, graph: Graph) -> int:
    """The number of visible episodes."""
    if access.visibility is not None:
        return sum(1 for _ in _matching(tx, access, graph, None))
    row = tx.episodes.of_graph_count(graph_id=graph.id)
    return row or 0


def uuids(tx: Transaction, access: Access, graph: Graph, tree: EpisodeTree | None) -> list[str]:
    """The uuids of visible episodes that satisfy *tree*, oldest first."""
    return [place.uuid for place in sorted(_matching(tx, access, graph, tree))]


def _matching(
    tx: Transaction, access: Access, graph: Graph, tree: EpisodeTree | None
) -> Iterator[_Place]:
    """Scan all of them, in bounded batches and without reading their content."""
    holds = None if tree is None else tree_test(tree)
    for row in _looked_at(tx, access, graph):
        if holds is None or holds(seeing.source(row)):
            yield _Place(row.created_at, row.seq, row.id, row.uuid)


def _looked_at(tx: Transaction, access: Access, graph: Graph) -> Iterator[EpisodesJudgedRow]:
    """The filterable columns of the visible episodes."""
    after = -1
    while True:
        found = tx.episodes.judged(graph_id=graph.id, after_seq=after, limit=EPISODES_PER_LOOK)
        yield from seeing.carriers(access, found)
        if len(found) < EPISODES_PER_LOOK:
            return
        after = found[-1].seq
