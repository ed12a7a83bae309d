"""The embedded store: one SQLite file, one writer, many readers."""

from recollect.store.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
