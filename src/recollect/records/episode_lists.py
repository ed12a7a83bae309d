"""The episodes of a graph by when they happened, and those of which conditions hold.

All of them are there as soon as they are stored: what nobody has read yet, and messages of roles
that nothing is learned from, too. What a caller wrote down directly is no episode here.
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
    """Where an episode stands in the order of a list."""

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
    """A page of *size* of those that may be seen and of which *tree* holds, counted from 0.

    The oldest come first; of one moment, those that were stored first.
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
    """How many may be seen."""
    if access.visibility is not None:
        return sum(1 for _ in _matching(tx, access, graph, None))
    row = tx.episodes.of_graph_count(graph_id=graph.id)
    return row or 0


def uuids(tx: Transaction, access: Access, graph: Graph, tree: EpisodeTree | None) -> list[str]:
    """The uuids of those that may be seen and of which *tree* holds, the oldest first."""
    return [place.uuid for place in sorted(_matching(tx, access, graph, tree))]


def _matching(
    tx: Transaction, access: Access, graph: Graph, tree: EpisodeTree | None
) -> Iterator[_Place]:
    """Looks at all of them, but never at many at once, nor at what they say."""
    holds = None if tree is None else tree_test(tree)
    for row in _looked_at(tx, access, graph):
        if holds is None or holds(seeing.source(row)):
            yield _Place(row.created_at, row.seq, row.id, row.uuid)


def _looked_at(tx: Transaction, access: Access, graph: Graph) -> Iterator[EpisodesJudgedRow]:
    """What the episodes that may be seen are judged by."""
    after = -1
    while True:
        found = tx.episodes.judged(graph_id=graph.id, after_seq=after, limit=EPISODES_PER_LOOK)
        yield from seeing.carriers(access, found)
        if len(found) < EPISODES_PER_LOOK:
            return
        after = found[-1].seq
