"""The rows that search segments are built from, written in the transaction of their item.

A row says that its item was new, changed or removed as of a version; what a segment wants to know
besides words and vector, it reads from the item itself.
"""

from collections.abc import Sequence
from typing import TypeVar

from recollect.graph.terms import packed, terms
from recollect.graph.types import DIRECT_KINDS, Episode, Kind, Record
from recollect.store import rows
from recollect.store.protocol import Transaction

T = TypeVar("T")


class IndexItem(Record):
    """Something to be found: its terms as `graph.terms.packed` writes them, and its vector."""

    kind: Kind
    id: int
    terms: bytes
    vector: bytes | None = None


def fact_item(fact_id: int, fact: str, vector: bytes | None = None) -> IndexItem:
    """A fact, found by its sentence."""
    return IndexItem(kind="fact", id=fact_id, terms=packed(terms(fact)), vector=vector)


def entity_item(entity_id: int, name: str, summary: str) -> IndexItem:
    """An entity, found by its name and by what is said of it."""
    return IndexItem(kind="entity", id=entity_id, terms=packed(terms(f"{name} {summary}")))


def episode_terms(episode: Episode) -> bytes:
    """What an episode is found by; one that carries what a caller wrote down is never found.

    Who said it is not among it: a question names people in order to ask what they said, and
    their names would find their greetings first.
    """
    return b"" if episode.kind in DIRECT_KINDS else packed(terms(episode.content))


def put(tx: Transaction, graph_id: int, items: Sequence[IndexItem]) -> None:
    """Make items findable, or findable by what they say now."""
    for version, item in _numbered(tx, graph_id, items):
        tx.index.row_put(
            graph_id=graph_id,
            version=version,
            item_kind=item.kind,
            item_id=item.id,
            terms=item.terms,
            vector=item.vector,
        )


def keep_unfound(tx: Transaction, graph_id: int, episode_ids: Sequence[int]) -> None:
    """Episodes that no search finds, but whose metadata the summary of their thread carries."""
    unfound = [IndexItem(kind="episode", id=number, terms=b"") for number in episode_ids]
    put(tx, graph_id, unfound)


def touch(tx: Transaction, graph_id: int, kind: Kind, ids: Sequence[int]) -> None:
    """Say that items changed in what they are filtered by, though not in their words."""
    first = _next_version(tx, graph_id, len(ids))
    if first is not None:
        listed = rows.to_json(list(ids))
        tx.index.rows_touch(graph_id=graph_id, version=first, item_kind=kind, ids=listed)


def remove(tx: Transaction, graph_id: int, kind: Kind, ids: Sequence[int]) -> None:
    """Make items unfindable, and tell every segment that already holds them.

    No segment holds what was never indexed, so that leaves no mark.
    """
    listed = rows.to_json(list(ids))
    found = tx.index.rows_among(graph_id=graph_id, item_kind=kind, ids=listed)
    first = _next_version(tx, graph_id, len(found))
    if first is not None:
        drop_snapshot(tx, graph_id)
        held = rows.to_json(list(found))
        tx.index.rows_remove(graph_id=graph_id, version=first, item_kind=kind, ids=held)


def drop_snapshot(tx: Transaction, graph_id: int) -> None:
    """Forget a segment that was kept as bytes: it holds what is no longer to be held."""
    tx.index.snapshot_drop(graph_id=graph_id)


def put_snapshot(
    tx: Transaction,
    graph_id: int,
    epoch: int,
    version: int,
    head: bytes,
    chunks: Sequence[bytes],
    first: int,
) -> bool:
    """Keep the next chunks of a segment, if its graph has not changed since; says whether it did.

    The first chunk, which is *head* and like no other, takes the place of what was kept before.
    Once something has changed, nothing of it stays. Whoever finds another's head has come too late.
    """
    graph = tx.graphs.by_id(id=graph_id)
    same = graph is not None and (graph.index_epoch, graph.index_version) == (epoch, version)
    if first == 0 or not same:
        drop_snapshot(tx, graph_id)
    if not same or (first and not _began(tx, graph_id, head)):
        return False
    for number, data in enumerate(chunks, start=first):
        tx.index.snapshot_put(graph_id=graph_id, chunk=number, version=version, data=data)
    return True


def _began(tx: Transaction, graph_id: int, head: bytes) -> bool:
    row = tx.index.snapshot_head(graph_id=graph_id)
    return row == head


def _numbered(tx: Transaction, graph_id: int, items: Sequence[T]) -> list[tuple[int, T]]:
    first = _next_version(tx, graph_id, len(items))
    return [] if first is None else list(enumerate(items, start=first))


def _next_version(tx: Transaction, graph_id: int, count: int) -> int | None:
    """The first of so many new versions of a graph; None for none, or if it is gone."""
    row = tx.graphs.next_version(id=graph_id, count=count) if count else None
    return None if row is None else row - count + 1
