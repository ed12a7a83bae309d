"""Rows of a test's own SQL, read by name as the store's typed rows are."""

import sqlite3
from types import SimpleNamespace
from typing import Any


def named(row: sqlite3.Row) -> Any:
    """The columns of a row as attributes."""
    return SimpleNamespace(**{name: row[name] for name in row.keys()})  # noqa: SIM118
