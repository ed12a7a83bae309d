"""The store that tests run on: a file in a folder, or with TEST_STORE=postgres a database per folder.

Tests only name the folder; they do not know which store is behind it.
"""

import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import psycopg
import pytest
from psycopg.rows import RowMaker
from pydantic import SecretStr

from recollect.clock import Clock, system_clock
from recollect.ids import Ids
from recollect.settings import Settings
from recollect.store.postgres import PostgresStore, dialect
from recollect.store.postgres.connection import Connection, connect
from recollect.store.protocol import Store
from recollect.store.sqlite import SqliteStore
from recollect.store.sqlite.connection import FILE_NAME
from tests.support import postgres
from tests.support.server import place_of

ON_POSTGRES = os.environ.get("TEST_STORE") == "postgres"
_NO_FILE = "it is about the file of the embedded store"
of_the_file = pytest.mark.skipif(ON_POSTGRES, reason=_NO_FILE)


def open_store(
    folder: Path, *, readers: int = 2, clock: Clock = system_clock, ids: Ids | None = None
) -> Store:
    """Open the store of a folder, and create it if necessary."""
    if ON_POSTGRES:
        url = postgres.database_of(folder)
        return PostgresStore.open(url, readers=readers, clock=clock, ids=ids)
    return SqliteStore.open(folder, readers=readers, clock=clock, ids=ids)


def settings_of(folder: Path, **more: Any) -> Settings:
    """Settings for a program on the store of a folder."""
    store = SecretStr(postgres.database_of(folder)) if ON_POSTGRES else None
    return Settings(data=folder, store=store, **more)


def environment_of(folder: Path) -> dict[str, str]:
    """The environment variables that a process needs to find the store of a folder."""
    return place_of(folder)


def copy_store(source: Path, target: Path) -> Path:
    """Copy a folder and its store; the source must not be open."""
    shutil.copytree(source, target, dirs_exist_ok=True)
    if ON_POSTGRES:
        postgres.copy_database(source, target)
    return target


class NamedRow(tuple[Any, ...]):
    """A row that is indexed by column number or name, like SQLite's."""

    names: ClassVar[list[str]]

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(self.names.index(key) if isinstance(key, str) else key)


def _named_row(cursor: psycopg.Cursor[Any]) -> RowMaker[NamedRow]:
    names = [column.name for column in cursor.description or ()]
    made: RowMaker[NamedRow] = type("NamedRow", (NamedRow,), {"names": names})  # type: ignore[assignment]
    return made


class Rows:
    """A connection that bypasses the store, for SQL that both databases understand; `?` is a parameter."""

    def __init__(self, connection: sqlite3.Connection | Connection) -> None:
        self._connection = connection

    def execute(self, statement: str, values: Sequence[Any] | dict[str, Any] = ()) -> Any:
        """Run a statement; returns its cursor."""
        if isinstance(self._connection, sqlite3.Connection):
            return self._connection.execute(statement, values)
        translated = dialect.translated(statement).replace("?", "%s")
        return self._connection.cursor(row_factory=_named_row).execute(translated.encode(), values)

    def named(self, query: str, values: tuple[Any, ...] = ()) -> list[Any]:
        """Rows with their columns as attributes."""
        cursor = self.execute(query, values)
        names = [column[0] for column in cursor.description]
        return [SimpleNamespace(**dict(zip(names, row, strict=True))) for row in cursor]

    def let_go_of_keys(self) -> None:
        """Turn off foreign keys for this transaction; SQLite still checks them at the commit."""
        if ON_POSTGRES:
            self.execute("SET LOCAL session_replication_role = replica")
        else:
            self.execute("PRAGMA defer_foreign_keys = ON")

    def tables(self) -> list[str]:
        """The names of the tables, sorted."""
        schema = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        if ON_POSTGRES:
            schema = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        return sorted(name for (name,) in self.execute(schema))

    def everything(self) -> dict[str, list[tuple[Any, ...]]]:
        """All rows of all tables."""
        kept = {name: self.execute(f"SELECT * FROM {name}") for name in self.tables()}  # noqa: S608
        return {name: [tuple(row) for row in found] for name, found in kept.items()}

    def parents(self, table: str) -> dict[str, str]:
        """The tables that a table references, by the referencing column."""
        if not ON_POSTGRES:
            keys = self.execute(f"PRAGMA foreign_key_list({table})").fetchall()
            return {row[3]: row[2] for row in keys}
        keys = self.execute(
            "SELECT a.attname, c.confrelid::regclass::text FROM pg_constraint c"
            " JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]"
            " WHERE c.contype = 'f' AND c.conrelid = to_regclass(?)",
            (table,),
        )
        return dict(tuple(row) for row in keys)

    def copied(self) -> "Rows | None":
        """A copy in memory; None on PostgreSQL, where there is no quick way."""
        if not isinstance(self._connection, sqlite3.Connection):
            return None
        copy = sqlite3.connect(":memory:")
        self._connection.backup(copy)
        return Rows(copy)

    def version(self) -> int:
        """A number that changes after someone else has written."""
        asked = "PRAGMA data_version"
        if ON_POSTGRES:
            asked = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text"
        return int(self.execute(asked).fetchone()[0])

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def rows_of(folder: Path) -> Rows:
    """An autocommit connection to the store of a folder."""
    if ON_POSTGRES:
        return Rows(connect(postgres.database_of(folder, of_all=True)))
    return Rows(sqlite3.connect(folder / FILE_NAME, isolation_level=None, timeout=30))


def raw(tx: Any) -> Rows:
    """The connection of a transaction of either store."""
    return Rows(tx._connection)


@contextmanager
def behind(folder: Path) -> Iterator[Rows]:
    """The store of a folder, read and changed behind the program's back."""
    with closing(rows_of(folder)) as connection:
        yield connection
