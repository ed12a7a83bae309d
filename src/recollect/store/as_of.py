"""A unit of work that is done again as of the moment when it was done first."""

from datetime import datetime
from typing import Any

from recollect.store.protocol import Row, Transaction


class AsOf:
    """A transaction in which it is another time; everything else is that of the one given."""

    def __init__(self, tx: Transaction, now: datetime) -> None:
        self._tx = tx
        self.now = now

    def new_id(self) -> str:
        """A fresh server UUID."""
        return self._tx.new_id()

    def one(self, query: str, /, order: str | None = None, **params: Any) -> Row | None:
        """The first row of a named query, or None."""
        return self._tx.one(query, order, **params)

    def all(self, query: str, /, order: str | None = None, **params: Any) -> list[Row]:
        """Every row of a named query."""
        return self._tx.all(query, order, **params)

    def insert(self, query: str, /, **params: Any) -> int:
        """Execute a named statement that adds one row, and give back the row's `id`."""
        return self._tx.insert(query, **params)

    def run(self, query: str, /, **params: Any) -> int:
        """Execute a named statement and say how many rows it touched."""
        return self._tx.run(query, **params)
