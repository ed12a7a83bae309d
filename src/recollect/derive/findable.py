"""Indexes observations and thread summaries by their words and by the vectors of what they rest on."""

import numpy as np

from recollect.derive.derived import Aftermath, Derived
from recollect.graph.terms import packed, terms
from recollect.graph.types import Kind
from recollect.store import index, rows
from recollect.store.index import IndexItem
from recollect.store.protocol import Transaction

DIMENSIONS = 384


def put(tx: Transaction, graph_id: int, derived: list[Derived]) -> None:
    """Index derived items by their current text."""
    index.put(tx, graph_id, [_item(tx, graph_id, one) for one in derived])


def settle(tx: Transaction, after: Aftermath) -> None:
    """Update the index after `derived.renew`: reindex what changed, remove what is gone."""
    for graph_id, one in after.renewed:
        put(tx, graph_id, [one])
    gone: dict[tuple[int, Kind], list[int]] = {}
    for one_gone in after.gone:
        gone.setdefault((one_gone.graph_id, one_gone.kind), []).append(one_gone.id)
    for (graph_id, kind), numbers in gone.items():
        index.remove(tx, graph_id, kind, numbers)


def _item(tx: Transaction, graph_id: int, one: Derived) -> IndexItem:
    kind: Kind = "fact" if one.facts else "episode"
    found = tx.index.vectors_of(
        graph_id=graph_id,
        item_kind=kind,
        ids=rows.to_json(list(one.facts or one.episodes)),
    )
    return IndexItem(
        kind=one.kind,
        id=one.id,
        terms=packed(terms(one.text)),
        vector=_middle([row.vector for row in found if row.vector is not None]),
    )


def _middle(vectors: list[bytes]) -> bytes | None:
    """The normalized mean of the vectors; it needs no model."""
    if not vectors:
        return None
    total = np.frombuffer(b"".join(vectors), np.float16).reshape(-1, DIMENSIONS)
    middle = total.astype(np.float32).sum(axis=0)
    length = float(np.linalg.norm(middle))
    return (middle / length).astype(np.float16).tobytes() if length else None
