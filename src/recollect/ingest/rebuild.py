"""The current state of graphs: their contents, their inputs, and one digest of everything derived.

Two folds of the same readings give the same digest; `recollect rebuild` folds once more and compares.
"""

import hashlib

import msgspec

from recollect.derive import readings
from recollect.graph.types import Record
from recollect.store.protocol import Transaction

_PARTS = (
    "entities",
    "facts",
    "supports",
    "closings",
    "doubts",
    "mentions",
    "observations",
    "observation_facts",
    "summaries",
    "summary_facts",
)


class GraphState(Record):
    """A graph as the command line shows it, and a digest of everything derived.

    *edits* counts changes by hand. *unread* counts episodes that are pending or parked, *unkept* those
    that were read before readings were kept. *readers*: who found its facts.
    """

    id: int
    project: str
    kind: str
    graph_id: str
    edits: int
    episodes: int
    entities: int
    facts: int
    unread: int
    unkept: int
    readers: tuple[str, ...]
    digest: str


def states(tx: Transaction, graph_id: str | None = None) -> list[GraphState]:
    """Every graph of the store, or those of one name."""
    told = []
    projects = {row.id: row.name for row in tx.projects.all()}
    for row in tx.graphs.all(graph_id=graph_id):
        digest_, counts = _digested(tx, row.id)
        counted = tx.graphs.inputs(graph_id=row.id)
        told.append(
            GraphState(
                id=row.id,
                project=projects[row.project_id],
                kind=row.kind,
                graph_id=row.graph_id,
                edits=counted.edits if counted else 0,
                episodes=counted.episodes if counted else 0,
                entities=counts["entities"],
                facts=counts["facts"],
                unread=counted.unread if counted else 0,
                unkept=counted.unkept if counted else 0,
                readers=tuple(found for found in tx.graphs.readers(graph_id=row.id)),
                digest=digest_,
            )
        )
    return told


def digest(tx: Transaction, graph_id: int) -> str:
    """A digest of everything that was derived from a graph's episodes."""
    return _digested(tx, graph_id)[0]


def _digested(tx: Transaction, graph_id: int) -> tuple[str, dict[str, int]]:
    """The digest of a graph, and how many rows each part of it has."""
    total = hashlib.sha256()
    counts = dict.fromkeys(_PARTS, 0)
    for part in _PARTS:
        for row in tx.digests.part(part, graph_id=graph_id):
            total.update(msgspec.json.encode([f"{part}", *row.values()]))
            counts[part] += 1
    return total.hexdigest(), counts


def again(tx: Transaction, graph_id: int) -> None:
    """Have a graph folded again from the start of its log."""
    readings.fold_again(tx, graph_id, 0)
