"""The rows that search segments are built from, written in the transaction of their item."""

from collections.abc import Sequence
from typing import Literal, TypeVar

from recollect.graph.terms import terms
from recollect.graph.types import Record
from recollect.store import rows
from recollect.store.protocol import Transaction

T = TypeVar("T")
ItemKind = Literal["episode", "fact", "entity", "gone"]


class Item(Record):
    """Something to be found: its terms, joined by spaces, and its vector, if it has one."""

    kind: ItemKind
    uuid: str
    terms: str
    vector: bytes | None = None


def fact_item(uuid: str, fact: str, vector: bytes | None = None) -> Item:
    """A fact, found by its sentence."""
    return Item(kind="fact", uuid=uuid, terms=" ".join(terms(fact)), vector=vector)


def entity_item(uuid: str, name: str, summary: str) -> Item:
    """An entity, found by its name and by what is said of it."""
    return Item(kind="entity", uuid=uuid, terms=" ".join(terms(f"{name} {summary}")))


def put(tx: Transaction, graph_id: int, items: Sequence[Item]) -> None:
    """Make items findable, or findable by what they say now."""
    for version, item in _numbered(tx, graph_id, items):
        _write(tx, graph_id, version, item)


def put_again(tx: Transaction, graph_id: int, item: Item) -> None:
    """Make an item findable by what it says now, if it is findable at all."""
    if tx.one("index_items_among", graph_id=graph_id, uuids=rows.to_json([item.uuid])) is not None:
        put(tx, graph_id, [item])


def remove(tx: Transaction, graph_id: int, uuids: Sequence[str]) -> None:
    """Make items unfindable, and tell every segment that already holds them.

    No segment holds what was never indexed, so that leaves no mark.
    """
    found = tx.all("index_items_among", graph_id=graph_id, uuids=rows.to_json(list(uuids)))
    for version, uuid in _numbered(tx, graph_id, [row["item_uuid"] for row in found]):
        _write(tx, graph_id, version, Item(kind="gone", uuid=uuid, terms=""))


def _numbered(tx: Transaction, graph_id: int, items: Sequence[T]) -> list[tuple[int, T]]:
    row = tx.one("graph_next_version", id=graph_id, count=len(items)) if items else None
    if row is None:
        return []
    first = row["index_version"] - len(items) + 1
    return list(enumerate(items, start=first))


def _write(tx: Transaction, graph_id: int, version: int, item: Item) -> None:
    tx.run(
        "index_row_insert",
        graph_id=graph_id,
        version=version,
        item_kind=item.kind,
        item_uuid=item.uuid,
        terms=None if item.kind == "gone" else item.terms,
        vector=item.vector,
    )
