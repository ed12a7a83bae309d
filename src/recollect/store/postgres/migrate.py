"""Forward-only migrations: `migrations/NNNN_what.sql`, counted in a table of one row."""

from pathlib import Path

from recollect.errors import StoreUnavailable
from recollect.store.postgres.connection import Connection

_MIGRATIONS = Path(__file__).parent / "migrations"
_MIGRATING = 0x5EC0_11EC8


def available() -> list[Path]:
    """Every migration in order."""
    return sorted(_MIGRATIONS.glob("[0-9]*.sql"))


def version(connection: Connection) -> int:
    """The number of migrations applied to this database."""
    found = connection.execute("SELECT to_regclass('schema_version')::text").fetchone()
    if found is None or found[0] is None:
        return 0
    row = connection.execute("SELECT version FROM schema_version").fetchone()
    return 0 if row is None else int(row[0])


def apply(connection: Connection, upto: int | None = None) -> list[str]:
    """Bring the database up to date, or to version *upto*, atomically; returns the names of those that ran.

    Processes that start at the same time wait.
    """
    todo = available()[:upto]
    with connection.transaction():
        connection.execute(f"SELECT pg_advisory_xact_lock({_MIGRATING})")
        done = version(connection)
        if done > len(todo):
            raise StoreUnavailable(
                f"the store was written by a newer release (schema {done}, this program knows "
                f"{len(todo)}): install that release or restore a backup"
            )
        for path in todo[done:]:
            connection.execute(path.read_bytes())
        connection.execute("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)")
        connection.execute("DELETE FROM schema_version")
        connection.execute("INSERT INTO schema_version VALUES (%s)", (len(todo),))
    return [path.stem for path in todo[done:]]
