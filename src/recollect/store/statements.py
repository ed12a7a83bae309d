"""Named statements, and the typed queries that stand on them.

A store speaks one dialect of SQL: for every method of every `Queries` class it has a statement of
the same name, in the file of the class's noun. `Statements` runs them on one connection; nothing
above `store` sees a statement's name or an untyped row.
"""

from collections.abc import Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

R = TypeVar("R", bound=tuple[Any, ...])
R2 = TypeVar("R2", bound=tuple[Any, ...])
V = TypeVar("V")


class RowRefused(Exception):
    """The store does not take a row: something that it refers to is missing, or is there already."""


class Statements(Protocol):
    """A dialect's statements on one connection. Rows are plain tuples."""

    @property
    def changes(self) -> int:
        """How many rows were written so far."""

    def one(self, name: str, params: dict[str, Any], /) -> tuple[Any, ...] | None:
        """The first row, or None."""

    def all(self, name: str, params: dict[str, Any], /) -> Sequence[tuple[Any, ...]]:
        """Every row."""

    def records(self, name: str, params: dict[str, Any], /) -> list[dict[str, Any]]:
        """Every row by the names of its columns."""

    def insert(self, name: str, params: dict[str, Any], /) -> int:
        """Add one row and give back its id."""

    def run(self, name: str, params: dict[str, Any], /) -> int:
        """Execute the statement and say how many rows it touched."""

    def post(self, name: str, params: dict[str, Any], /) -> None:
        """Execute the statement without waiting to hear what came of it."""


class Keyed(NamedTuple, Generic[V]):
    """A row of a page, with the value that it was sorted by: pages go on after it."""

    row: V
    key: Any


def _nested(row_type: type[R], inner: type[R2], row: tuple[Any, ...]) -> R:
    """A row that begins with the columns of another; None stands for one that was not found."""
    size = len(inner._fields)  # type: ignore[attr-defined]
    first = None if row[0] is None else inner._make(row[:size])  # type: ignore[attr-defined]
    nested: R = row_type._make((first, *row[size:]))  # type: ignore[attr-defined]
    return nested


class Queries:
    """The base of all queries about one noun."""

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

    def _optional_values(self, _type: type[V], name: str, /, **params: Any) -> list[V | None]:
        return [row[0] for row in self._statements.all(name, params)]

    def _records(self, name: str, /, **params: Any) -> list[dict[str, Any]]:
        return self._statements.records(name, params)

    def _insert(self, name: str, /, **params: Any) -> int:
        return self._statements.insert(name, params)

    def _run(self, name: str, /, **params: Any) -> int:
        return self._statements.run(name, params)

    def _post(self, name: str, /, **params: Any) -> None:
        self._statements.post(name, params)
