"""Forward-only migrations: `migrations/NNNN_what.sql`, counted in `PRAGMA user_version`."""

import sqlite3
from pathlib import Path

from recollect.errors import StoreUnavailable

_MIGRATIONS = Path(__file__).parent / "migrations"


def available() -> list[Path]:
    """Every migration in order."""
    return sorted(_MIGRATIONS.glob("[0-9]*.sql"))


def version(connection: sqlite3.Connection) -> int:
    """How many migrations this file has seen."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def apply(connection: sqlite3.Connection) -> list[str]:
    """Bring the file up to date, each migration whole or not at all; say which ran."""
    todo = available()
    done = version(connection)
    if done > len(todo):
        raise StoreUnavailable(
            f"the store was written by a newer release (schema {done}, this program knows "
            f"{len(todo)}): install that release or restore a backup"
        )
    applied = []
    for number, path in enumerate(todo[done:], start=done + 1):
        script = path.read_text(encoding="utf-8")
        try:
            connection.executescript(
                f"BEGIN IMMEDIATE;\n{script}\nPRAGMA user_version = {number};\nCOMMIT;"
            )
        except sqlite3.Error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if version(connection) >= number:
                continue  # another process was faster
            raise
        applied.append(path.stem)
    return applied
