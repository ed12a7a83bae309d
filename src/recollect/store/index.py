"""The rows that search segments are built from, written in the same transaction as their item.

A row records that its item was added, changed or removed as of a version. It carries only terms and
vector; a segment reads everything else from the item itself.
"""

from collections.abc import Sequence
from typing import TypeVar

from recollect.graph.terms import packed, terms
from recollect.graph.types import DIRECT_KINDS, Episode, Kind, Record
from recollect.store import rows
from recollect.store.protocol import Transaction

T = TypeVar("T")


class IndexItem(Record):
    """A searchable item: its terms as written by `graph.terms.packed`, and its vector."""

    kind: Kind
    id: int
    terms: bytes
    vector: bytes | None = None


def fact_item(fact_id: int, fact: str, vector: bytes | None = None) -> IndexItem:
    """A fact, indexed by its sentence."""
    return IndexItem(kind="fact", id=fact_id, terms=packed(terms(fact)), vector=vector)


def entity_item(entity_id: int, name: str, summary: str) -> IndexItem:
    """An entity, indexed by its name and summary."""
    return IndexItem(kind="entity", id=entity_id, terms=packed(terms(f"{name} {summary}")))


def episode_terms(episode: Episode) -> bytes:
    """The terms an episode is indexed by; none for knowledge that a caller wrote directly.

    The speaker's name is left out: a question names people to ask what they said, and their names
    would match their greetings first.
    """
    return b"" if episode.kind in DIRECT_KINDS else packed(terms(episode.content))


def put(tx: Transaction, graph_id: int, items: Sequence[IndexItem]) -> None:
    """Index items, or reindex them by their current terms."""
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
    """Index episodes without terms: no search finds them, but their thread's summary needs their metadata."""
    unfound = [IndexItem(kind="episode", id=number, terms=b"") for number in episode_ids]
    put(tx, graph_id, unfound)


def touch(tx: Transaction, graph_id: int, kind: Kind, ids: Sequence[int]) -> None:
    """Mark items whose filterable fields changed while their text did not."""
    first = _next_version(tx, graph_id, len(ids))
    if first is not None:
        listed = rows.to_json(list(ids))
        tx.index.rows_touch(graph_id=graph_id, version=first, item_kind=kind, ids=listed)


def remove(tx: Transaction, graph_id: int, kind: Kind, ids: Sequence[int]) -> None:
    """Remove items from the index and from every segment that already holds them.

    An item that was never indexed is in no segment, so it leaves no tombstone.
    """
    listed = rows.to_json(list(ids))
    found = tx.index.rows_among(graph_id=graph_id, item_kind=kind, ids=listed)
    first = _next_version(tx, graph_id, len(found))
    if first is not None:
        drop_snapshot(tx, graph_id)
        held = rows.to_json(list(found))
        tx.index.rows_remove(graph_id=graph_id, version=first, item_kind=kind, ids=held)


def drop_snapshot(tx: Transaction, graph_id: int) -> None:
    """Delete a graph's serialized segment, because it holds items that must no longer be kept."""
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
    """Store the next chunks of a serialized segment; False if its graph has changed since.

    The first chunk is *head*, which is unique to the snapshot; writing it discards any earlier snapshot.
    If the graph has changed, the whole snapshot is dropped. If the stored head is another writer's, this
    writer is too late and stores nothing.
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
    """Reserve *count* versions of a graph and return the first; None if *count* is 0 or the graph is gone."""
    row = tx.graphs.next_version(id=graph_id, count=count) if count else None
    return None if row is None else row - count + 1
