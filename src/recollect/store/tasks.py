"""Writes the tasks that callers poll; `ingest.tasks` reports their progress."""

from recollect.store import rows
from recollect.store.protocol import Transaction


def owe(tx: Transaction, uuid: str, kind: str, graph_id: int, jobs: int) -> None:
    """Record a task for some jobs of one graph; it is deleted with the graph."""
    now = rows.micros(tx.now)
    tx.tasks.insert_of_graph(uuid=uuid, type=kind, graph_id=graph_id, owed=jobs, now=now)


def note(tx: Transaction, project_id: int, uuid: str, kind: str, jobs: int = 0) -> None:
    """Record a task of a project: one that spans several graphs, or whose work is not a job."""
    tx.tasks.insert(
        uuid=uuid,
        project_id=project_id,
        graph_id=None,
        type=kind,
        owed=jobs,
        now=rows.micros(tx.now),
    )
