"""Deriving a graph again from its log, and telling whether it comes out the same."""

import asyncio
import hashlib
from collections.abc import Sequence

import msgspec

from recollect.graph.types import Record
from recollect.ingest.worker import Worker
from recollect.store import chapters, index, rows
from recollect.store.protocol import Store, Transaction
from recollect.subjects import users

_PARTS = (
    "digest_entities",
    "digest_facts",
    "digest_supports",
    "digest_closings",
    "digest_mentions",
    "digest_observations",
    "digest_observation_facts",
    "digest_summaries",
    "digest_summary_facts",
)
_PAUSE_S = 0.1


class GraphState(Record):
    """A graph as a user of the command line knows it, and a digest of all that was derived.

    *edits* counts what was changed or removed by hand: the log does not tell of that, so a graph
    with edits may well come out differently. *unread* counts episodes that wait or are parked.
    *readers*: what its facts were read with, such as a language model that a rebuild does not ask.
    """

    id: int
    project: str
    kind: str
    graph_id: str
    edits: int
    entities: int
    facts: int
    unread: int
    readers: tuple[str, ...]
    digest: str


def states(tx: Transaction, graph_id: str | None = None) -> list[GraphState]:
    """Every graph of the store, or those of one name."""
    told = []
    for row in tx.all("graphs_all", graph_id=graph_id):
        digest_, counts = _digested(tx, row["id"])
        told.append(
            GraphState(
                id=row["id"],
                project=row["project_name"],
                kind=row["kind"],
                graph_id=row["graph_id"],
                edits=row["edits"],
                entities=counts["digest_entities"],
                facts=counts["digest_facts"],
                unread=sum(_unread(tx, row["id"])),
                readers=tuple(
                    found["extractor"] for found in tx.all("graph_readers", graph_id=row["id"])
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


def _unread(tx: Transaction, graph_id: int) -> tuple[int, int]:
    """How many of a graph's episodes wait, and how many are parked."""
    row = tx.one("graph_unread", graph_id=graph_id)
    return (row["pending"], row["parked"]) if row else (0, 0)


def set_aside(tx: Transaction) -> None:
    """Leave out what is still owed, so that a copy can be compared with itself."""
    tx.run("jobs_set_aside")
    tx.run("queue_empty")


def unlearn(tx: Transaction, graph_id: int) -> None:
    """Drop all that was derived from a graph's episodes, and owe it to them again.

    The log, the user's node and what the user's record tells stay. Whoever is at work on the
    graph has lost it: jobs run in order, from the first one on.
    """
    tx.run("graph_unlearn_observations", graph_id=graph_id)
    tx.run("graph_unlearn_summaries", graph_id=graph_id)
    tx.run("graph_unlearn_user_summary", graph_id=graph_id)
    chapters.unlearn(tx, graph_id)
    tx.run("graph_unlearn_facts", graph_id=graph_id)
    tx.run("graph_unlearn_mentions", graph_id=graph_id)
    tx.run("graph_unlearn_entities", graph_id=graph_id)
    tx.run("graph_unlearn_index", graph_id=graph_id)
    tx.run("graph_next_epoch", id=graph_id)
    tx.run("index_snapshot_drop", graph_id=graph_id)
    ignored = [row["id"] for row in tx.all("episodes_ignored", graph_id=graph_id)]
    index.keep_unfound(tx, graph_id, ignored)
    users.restore_node(tx, graph_id)
    tx.run("graph_unlearn_supports", graph_id=graph_id)
    tx.run("graph_unlearn_closings", graph_id=graph_id)
    tx.run("graph_unedited", id=graph_id)
    tx.run("graph_owe_again", graph_id=graph_id)
    tx.run("queue_enter_anew", graph_id=graph_id, now=rows.micros(tx.now))


async def relearn(store: Store, worker: Worker, graph_ids: Sequence[int]) -> None:
    """Work until these graphs are owed nothing: every episode was read, or is parked."""
    while True:
        while await worker.step():
            pass
        if not await store.read(_owed, graph_ids):
            return
        await asyncio.sleep(_PAUSE_S)  # another process is at work on them


def _owed(tx: Transaction, graph_ids: Sequence[int]) -> bool:
    return any(_unread(tx, graph_id)[0] for graph_id in graph_ids)
