"""Checks rows against their types while tests run.

A statement and the row type of its method are written in two places, and nothing else would notice a
column that can be null although the type says it cannot.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from recollect.store import statements

_tampered = False


@contextmanager
def tampered() -> Iterator[None]:
    """Disable the checks, for tests that write invalid rows into a file."""
    global _tampered
    _tampered = True
    try:
        yield
    finally:
        _tampered = False


def _checked(row_type: Any, row: Any, name: str) -> Any:
    if _tampered:
        return row
    try:
        msgspec.convert(_plain(row), row_type)
    except msgspec.ValidationError as error:
        raise AssertionError(f"{name}: a row is no {row_type.__name__}: {error}") from error
    return row


def _plain(row: Any) -> Any:
    """A row as a plain tuple: msgspec would accept an instance of the row type unchecked."""
    return tuple(_plain(value) for value in row) if isinstance(row, tuple) else row


def check_rows() -> None:
    """Check all rows from now on, in this process."""
    queries: Any = statements.Queries
    one, every, page = queries._one, queries._all, queries._page
    one_with, all_with = queries._one_with, queries._all_with
    value, values = queries._value, queries._values

    def checked_values(self: Any, row_type: Any, name: str, /, **params: Any) -> Any:
        return [_checked(row_type, v, name) for v in values(self, row_type, name, **params)]

    def checked_value(self: Any, row_type: Any, name: str, /, **params: Any) -> Any:
        return _checked(row_type | None, value(self, row_type, name, **params), name)

    def checked_one(self: Any, row_type: Any, name: str, /, **params: Any) -> Any:
        row = one(self, row_type, name, **params)
        return None if row is None else _checked(row_type, row, name)

    def checked_all(self: Any, row_type: Any, name: str, /, **params: Any) -> Any:
        return [_checked(row_type, row, name) for row in every(self, row_type, name, **params)]

    def checked_one_with(self: Any, row_type: Any, inner: Any, name: str, /, **params: Any) -> Any:
        row = one_with(self, row_type, inner, name, **params)
        return None if row is None else _checked(row_type, row, name)

    def checked_all_with(self: Any, row_type: Any, inner: Any, name: str, /, **params: Any) -> Any:
        found = all_with(self, row_type, inner, name, **params)
        return [_checked(row_type, row, name) for row in found]

    def checked_page(self: Any, row_type: Any, name: str, /, **params: Any) -> Any:
        found = page(self, row_type, name, **params)
        for keyed in found:
            _checked(row_type, keyed.row, name)
        return found

    queries._one, queries._all, queries._page = checked_one, checked_all, checked_page
    queries._one_with, queries._all_with = checked_one_with, checked_all_with
    queries._value, queries._values = checked_value, checked_values
