"""Writing down what callers poll; `ingest.tasks` tells how far each is."""

from recollect.store import rows
from recollect.store.protocol import Transaction


def owe(tx: Transaction, uuid: str, kind: str, graph_id: int, jobs: int) -> None:
    """A task that stands for some jobs of one graph, and goes with it."""
    now = rows.micros(tx.now)
    tx.tasks.insert_of_graph(uuid=uuid, type=kind, graph_id=graph_id, owed=jobs, now=now)


def note(tx: Transaction, project_id: int, uuid: str, kind: str, jobs: int = 0) -> None:
    """A task of a project: one over several graphs, or one whose work is no job."""
    tx.tasks.insert(
        uuid=uuid,
        project_id=project_id,
        graph_id=None,
        type=kind,
        owed=jobs,
        now=rows.micros(tx.now),
    )
