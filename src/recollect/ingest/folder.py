"""Folding graphs again whose readings changed, beside everything else that goes on."""

from recollect.graph.predicates import Predicates
from recollect.store.protocol import Store, Transaction


class Folder:
    """Folds what has to be folded again. One for each process that has workers."""

    def __init__(self, store: Store, table: Predicates) -> None:
        self._store = store
        self._table = table

    async def fold(self, graph_id: int) -> None:
        """Fold a graph now, if it has to be; returns when it is the fold of its readings."""
        # TEMPORARY: folds nothing, and says that it is done.
        await self._store.write(_as_if_folded, graph_id)


def _as_if_folded(tx: Transaction, graph_id: int) -> None:
    tx.run("graph_as_if_folded", graph_id=graph_id)
