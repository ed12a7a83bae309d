"""The rows that search segments are built from, written in the transaction of their item."""

from collections.abc import Sequence
from typing import TypeVar

from recollect.store import rows
from recollect.store.protocol import Transaction

T = TypeVar("T")


def put(tx: Transaction, graph_id: int, item_kind: str, items: Sequence[tuple[str, str]]) -> None:
    """Make items findable: pairs of uuid and their terms, joined by spaces."""
    for version, (uuid, terms) in _numbered(tx, graph_id, items):
        _write(tx, graph_id, version, item_kind, uuid, terms)


def remove(tx: Transaction, graph_id: int, uuids: Sequence[str]) -> None:
    """Make items unfindable, and tell every segment that already holds them.

    No segment holds what was never indexed, so that leaves no mark.
    """
    found = tx.all("index_items_among", graph_id=graph_id, uuids=rows.to_json(list(uuids)))
    for version, uuid in _numbered(tx, graph_id, [row["item_uuid"] for row in found]):
        _write(tx, graph_id, version, "", uuid, None)


def _numbered(tx: Transaction, graph_id: int, items: Sequence[T]) -> list[tuple[int, T]]:
    row = tx.one("graph_next_version", id=graph_id, count=len(items)) if items else None
    if row is None:
        return []
    first = row["index_version"] - len(items) + 1
    return list(enumerate(items, start=first))


def _write(
    tx: Transaction, graph_id: int, version: int, item_kind: str, uuid: str, terms: str | None
) -> None:
    tx.run(
        "index_row_insert",
        graph_id=graph_id,
        version=version,
        item_kind=item_kind,
        item_uuid=uuid,
        terms=terms,
    )
