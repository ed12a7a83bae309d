"""Fair scheduling: projects share the workers by weight, however large their backlogs are.

A project's usage is counted in characters read, divided by its weight; the project with the least is
next. A project that was idle starts level with the others, so it is served at once but saves up nothing.
"""

from recollect.errors import InvalidInput
from recollect.governance import keys
from recollect.limits import JOB_CHARS_MIN, WEIGHT_MAX, WEIGHT_MIN
from recollect.store.protocol import Transaction
from recollect.store.queries.queue import QueueOldestFreeRow


def use(tx: Transaction, waiting: QueueOldestFreeRow, chars: int, jobs: int) -> None:
    """Charge a project for jobs that are started; *waiting* is its row from the queue."""
    cost = (chars + jobs * JOB_CHARS_MIN) / waiting.weight
    begun = waiting.turn
    tx.queue.share_use(project_id=waiting.project_id, begun=begun, used=begun + cost)


def weigh(tx: Transaction, project: str, weight: float) -> None:
    """Set a project's share of the workers, which counts when several projects wait."""
    if not WEIGHT_MIN <= weight <= WEIGHT_MAX:
        raise InvalidInput(f"weight: must be from {WEIGHT_MIN:g} to {WEIGHT_MAX:g}")
    tx.queue.share_weigh(project_id=keys.project_named(tx, project).id, weight=weight)


def weight(tx: Transaction, project_id: int) -> float:
    """The weight of a project; 1 by default."""
    row = tx.queue.share_weight(project_id=project_id)
    return float(row) if row else 1.0
