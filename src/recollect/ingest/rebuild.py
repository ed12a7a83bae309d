"""Graphs as they stand: what they hold, what they rest on, and one digest of all that was derived.

Two folds of the same readings give the same digest; `recollect rebuild` folds once more and compares.
"""

import hashlib

import msgspec

from recollect.graph.types import Record
from recollect.store import readings
from recollect.store.protocol import Transaction

_PARTS = (
    "digest_entities",
    "digest_facts",
    "digest_supports",
    "digest_closings",
    "digest_doubts",
    "digest_mentions",
    "digest_observations",
    "digest_observation_facts",
    "digest_summaries",
    "digest_summary_facts",
)


class GraphState(Record):
    """A graph as a user of the command line knows it, and a digest of all that was derived.

    *edits* counts what was changed by hand. *unread* counts episodes that wait or are parked,
    *unkept* those that were read before readings were kept. *readers*: who found its facts.
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
    for row in tx.all("graphs_all", graph_id=graph_id):
        digest_, counts = _digested(tx, row["id"])
        counted = tx.one("graph_inputs", graph_id=row["id"])
        told.append(
            GraphState(
                id=row["id"],
                project=row["project_name"],
                kind=row["kind"],
                graph_id=row["graph_id"],
                edits=counted["edits"] if counted else 0,
                episodes=counted["episodes"] if counted else 0,
                entities=counts["digest_entities"],
                facts=counts["digest_facts"],
                unread=counted["unread"] if counted else 0,
                unkept=counted["unkept"] if counted else 0,
                readers=tuple(
                    found["reader"] for found in tx.all("graph_readers", graph_id=row["id"])
                ),
                digest=digest_,
            )
        )
    return told


def digest(tx: Transaction, graph_id: int) -> str:
    """One value for everything that was derived from a graph's episodes."""
    return _digested(tx, graph_id)[0]


def _digested(tx: Transaction, graph_id: int) -> tuple[str, dict[str, int]]:
    """The digest of a graph, and how many rows each part of it has."""
    total = hashlib.sha256()
    counts = dict.fromkeys(_PARTS, 0)
    for part in _PARTS:
        for row in tx.all(part, graph_id=graph_id):
            total.update(msgspec.json.encode([part, *(row[key] for key in row.keys())]))  # noqa: SIM118
            counts[part] += 1
    return total.hexdigest(), counts


def again(tx: Transaction, graph_id: int) -> None:
    """Have a graph folded from the first place of its log."""
    readings.fold_again(tx, graph_id, 0)
