"""Effective metadata: the combined metadata of the episodes behind an item.

It is never stored, so the next read sees any change to an episode's metadata, and any deletion.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from recollect.graph import visibility
from recollect.graph.types import Carried, Json
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.shapes import MetadataRow

DerivedKind = Literal[
    "fact", "entity", "episode", "observation", "thread_summary", "document_summary"
]


def _read(tx: Transaction, kind: DerivedKind, ids: str | None) -> list[MetadataRow]:
    read: dict[DerivedKind, Callable[..., list[MetadataRow]]] = {
        "fact": tx.facts.metadata,
        "entity": tx.entities.metadata,
        "episode": tx.episodes.metadata,
        "observation": tx.observations.metadata,
        "thread_summary": tx.summaries.thread_summary_metadata,
        "document_summary": tx.summaries.document_summary_metadata,
    }
    return read[kind](ids=ids)


def sources(tx: Transaction, kind: DerivedKind, ids: Sequence[int]) -> dict[int, list[Json | None]]:
    """The distinct metadata of the episodes behind each item, in order; None for an episode without any.

    An item without episodes has an empty list.
    """
    found: dict[int, list[Json | None]] = {number: [] for number in ids}
    read: dict[str | None, Json | None] = {}
    for row in _read(tx, kind, rows.to_json(list(found))) if found else ():
        text = row.metadata
        if text not in read:
            read[text] = rows.from_json(text)
        found[row.id].append(read[text])
    return found


def of(tx: Transaction, kind: DerivedKind, ids: Iterable[int]) -> dict[int, Carried]:
    """The effective metadata of each item: per key the distinct values; empty if there are none."""
    behind = sources(tx, kind, list(ids))
    return {number: visibility.effective(given) for number, given in behind.items()}
