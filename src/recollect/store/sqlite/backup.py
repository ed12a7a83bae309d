"""Backups of a store that is in use, and verification of them."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import quote

from recollect.errors import StoreDamaged, StoreUnavailable
from recollect.store.sqlite import migrate
from recollect.store.sqlite.connection import FILE_NAME, prepare

_PAGES_PER_STEP = 2_048

Progress = Callable[[int, int], None]


def copy(folder: Path, into: Path) -> None:
    """Copy a snapshot of the store into another folder, even while it is in use."""
    write(folder, prepare(into))


def write(folder: Path, target: Path, progress: Progress | None = None) -> None:
    """Copy a snapshot of the store into one file, even while it is in use.

    The read transaction is what makes it a snapshot: without it, SQLite would restart the copy whenever
    another process commits between two steps.
    """
    if not (folder / FILE_NAME).is_file():
        raise StoreUnavailable(f"there is no store in {folder}")

    def told(_status: int, remaining: int, total: int) -> None:
        if progress is not None:
            progress(total - remaining, total)

    with closing(_read_only(folder / FILE_NAME)) as source, closing(sqlite3.connect(target)) as new:
        source.execute("BEGIN")
        source.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        source.backup(new, pages=_PAGES_PER_STEP, progress=told, sleep=0)
        new.execute("PRAGMA journal_mode = DELETE")  # a single file, without a log beside it
    _sync(target)


def check(file: Path) -> int:
    """Check every page, index and reference of a backup, and return its schema version."""
    try:
        with closing(_read_only(file)) as connection:
            found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
            if found != "ok":
                raise StoreDamaged(f"{file} is damaged: {found}")
            if connection.execute("PRAGMA foreign_key_check").fetchone() is not None:
                raise StoreDamaged(f"{file} is damaged: a row refers to one that is not there")
            version = migrate.version(connection)
    except sqlite3.DatabaseError as error:
        raise StoreDamaged(f"{file} is not a backup, or is damaged: {error}") from error
    if not version:
        raise StoreUnavailable(f"{file} is a database of another program")
    if version > (known := len(migrate.available())):
        raise StoreUnavailable(
            f"{file} was written by a newer release (schema {version}, this program knows {known})"
        )
    return version


def origin(file: Path) -> str | None:
    """An id shared by all backups of one store; None for any other file."""
    try:
        with closing(_read_only(file)) as connection:
            row = connection.execute("SELECT uuid FROM projects ORDER BY id LIMIT 1").fetchone()
    except sqlite3.DatabaseError:
        return None
    return None if row is None else str(row[0])


def place(file: Path, folder: Path) -> None:
    """Install a backup as the store of *folder*; the file appears only once it is complete."""
    target = folder / FILE_NAME
    for one in (target, folder / f"{FILE_NAME}-wal"):  # the log may hold the newest commits
        if one.exists() and one.stat().st_size:
            raise StoreUnavailable(f"there is a store in {folder}: move {one.name} away first")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    remove(folder)
    partial = folder / f"{FILE_NAME}.part"
    partial.touch(mode=0o600)
    try:
        with closing(_read_only(file)) as source, closing(sqlite3.connect(partial)) as new:
            source.backup(new)
        _sync(partial)
        partial.rename(target)
        _sync(folder)
    finally:
        with suppress(FileNotFoundError):
            partial.unlink()


def remove(folder: Path) -> None:
    """Remove what `place` installed."""
    for end in ("", "-wal", "-shm"):
        (folder / f"{FILE_NAME}{end}").unlink(missing_ok=True)


def _read_only(file: Path) -> sqlite3.Connection:
    if not file.is_file():
        raise StoreUnavailable(f"{file}: no such file")
    return sqlite3.connect(f"file:{quote(str(file))}?mode=ro", uri=True, isolation_level=None)


def _sync(path: Path) -> None:
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
