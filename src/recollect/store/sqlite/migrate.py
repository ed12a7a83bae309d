"""Forward-only migrations: `migrations/NNNN_what.sql`, counted in `PRAGMA user_version`.

A new file starts with the schema that they lead to.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from recollect.errors import StoreUnavailable
from recollect.graph.terms import packed, terms
from recollect.store.sqlite.connection import teach

SCHEMA = Path(__file__).with_name("schema.sql")
_MIGRATIONS = Path(__file__).parent / "migrations"


def available() -> list[Path]:
    """Every migration in order."""
    return sorted(_MIGRATIONS.glob("[0-9]*.sql"))


def version(connection: sqlite3.Connection) -> int:
    """The number of migrations applied to this file."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def apply(connection: sqlite3.Connection, upto: int | None = None) -> list[str]:
    """Bring the file up to date, or to version *upto*; each migration is atomic.

    Returns the names of those that ran.
    """
    todo = available()[:upto]
    done = version(connection)
    if done > len(todo):
        raise StoreUnavailable(
            f"the store was written by a newer release (schema {done}, this program knows "
            f"{len(todo)}): install that release or restore a backup"
        )
    return [path.stem for path in todo[done:] if _apply(connection, path, todo.index(path) + 1)]


def begin(connection: sqlite3.Connection) -> None:
    """Give a new file the full schema at once: a sixth of the work of running every migration."""
    if version(connection) == 0:
        _step(connection, _schema(), older_than=1, number=len(available()))


@cache
def _schema() -> tuple[str, ...]:
    return tuple(_statements(SCHEMA.read_text(encoding="utf-8")))


def _apply(connection: sqlite3.Connection, path: Path, number: int) -> bool:
    statements = _statements(path.read_text(encoding="utf-8"))
    return _step(connection, statements, older_than=number, number=number)


def _step(
    connection: sqlite3.Connection, statements: Iterable[str], *, older_than: int, number: int
) -> bool:
    """Migrate to a version; False if another process already did."""
    connection.create_function("packed_terms", 1, _packed_terms, deterministic=True)
    teach(connection)
    connection.execute("BEGIN IMMEDIATE")
    try:
        fresh = version(connection) < older_than
        if fresh:
            for statement in statements:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return fresh


def _packed_terms(text: str) -> bytes:
    """SQL function for migrations that recompute search terms."""
    return packed(terms(text))


def _statements(script: str) -> Iterator[str]:
    """Split a script into statements; `executescript` would commit first."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
