"""Named statements, and the base class of the typed queries built on them.

Each store has a dialect of SQL: for every method of every `Queries` class, a statement of the same
name in the file of the class's noun. `Statements` runs them on one connection; nothing above `store`
sees a statement's name or an untyped row.
"""

from collections.abc import Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

R = TypeVar("R", bound=tuple[Any, ...])
R2 = TypeVar("R2", bound=tuple[Any, ...])
V = TypeVar("V")


class RowRefused(Exception):
    """The store rejected a row: something it refers to is missing, or it already exists."""


class Statements(Protocol):
    """A dialect's statements on one connection. Rows are plain tuples."""

    @property
    def changes(self) -> int:
        """The number of rows written so far."""

    def one(self, name: str, params: dict[str, Any], /) -> tuple[Any, ...] | None:
        """The first row, or None."""

    def all(self, name: str, params: dict[str, Any], /) -> Sequence[tuple[Any, ...]]:
        """Every row."""

    def records(self, name: str, params: dict[str, Any], /) -> list[dict[str, Any]]:
        """Every row, as a dict by column name."""

    def insert(self, name: str, params: dict[str, Any], /) -> int:
        """Insert one row and return its id."""

    def run(self, name: str, params: dict[str, Any], /) -> int:
        """Execute the statement and return the number of rows it affected."""

    def post(self, name: str, params: dict[str, Any], /) -> None:
        """Execute the statement without waiting for its result."""


class Keyed(NamedTuple, Generic[V]):
    """A row of a page with its sort key, which is the cursor for the next page."""

    row: V
    key: Any


def _nested(row_type: type[R], inner: type[R2], row: tuple[Any, ...]) -> R:
    """Build a row whose first columns form another row; that row is None if its first column is NULL."""
    size = len(inner._fields)  # type: ignore[attr-defined]
    first = None if row[0] is None else inner._make(row[:size])  # type: ignore[attr-defined]
    nested: R = row_type._make((first, *row[size:]))  # type: ignore[attr-defined]
    return nested


class Queries:
    """Base class of the queries about one noun."""

    __slots__ = ("_statements",)

    def __init__(self, statements: Statements) -> None:
        self._statements = statements

    def _one(self, row_type: type[R], name: str, /, **params: Any) -> R | None:
        row = self._statements.one(name, params)
        return None if row is None else row_type._make(row)  # type: ignore[attr-defined]

    def _all(self, row_type: type[R], name: str, /, **params: Any) -> list[R]:
        return list(map(row_type._make, self._statements.all(name, params)))  # type: ignore[attr-defined]

    def _one_with(
        self, row_type: type[R], inner: type[R2], name: str, /, **params: Any
    ) -> R | None:
        row = self._statements.one(name, params)
        return None if row is None else _nested(row_type, inner, row)

    def _all_with(self, row_type: type[R], inner: type[R2], name: str, /, **params: Any) -> list[R]:
        return [_nested(row_type, inner, row) for row in self._statements.all(name, params)]

    def _page(self, row_type: type[R], name: str, /, **params: Any) -> list[Keyed[R]]:
        make = row_type._make  # type: ignore[attr-defined]
        return [Keyed(make(row[:-1]), row[-1]) for row in self._statements.all(name, params)]

    def _value(self, _type: type[V], name: str, /, **params: Any) -> V | None:
        row = self._statements.one(name, params)
        return None if row is None else row[0]

    def _values(self, _type: type[V], name: str, /, **params: Any) -> list[V]:
        return [row[0] for row in self._statements.all(name, params)]

    def _records(self, name: str, /, **params: Any) -> list[dict[str, Any]]:
        return self._statements.records(name, params)

    def _insert(self, name: str, /, **params: Any) -> int:
        return self._statements.insert(name, params)

    def _run(self, name: str, /, **params: Any) -> int:
        return self._statements.run(name, params)

    def _post(self, name: str, /, **params: Any) -> None:
        self._statements.post(name, params)
