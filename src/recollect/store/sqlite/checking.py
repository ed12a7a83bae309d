"""Integrity checks of the store's file that do not block its users."""

import os
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

from recollect import log
from recollect.errors import StoreDamaged
from recollect.limits import DISK_FREE_BYTES_MIN
from recollect.store.sqlite.connection import connect

DAMAGED = "the store's file is damaged"
ADVICE = (
    f"{DAMAGED}. Keep a copy of the data folder; then restore a backup, or save what can be read "
    "into a new folder with `recollect doctor --repair NEW-FOLDER`"
)
FULL = "the disk is full"
GONE = "the store's file was removed or replaced"
_BEGINNING = b"SQLite format 3\0"
_log = log.get(__name__)


class Check(threading.Thread):
    """Checks every table, each on its own snapshot, so that writers are not blocked."""

    def __init__(self, path: Path) -> None:
        super().__init__(name="store-check", daemon=True)
        self._path = path
        self._stopped = False
        self.found: str | None = None

    def run(self) -> None:
        """Check tables until damage is found or all were checked."""
        if not self._path.exists() or not self._path.stat().st_size:
            return
        try:
            with closing(connect(self._path, writer=False)) as connection:
                self.found = self._damage(connection)
        except sqlite3.DatabaseError as error:
            if is_damage(error):
                self.found = str(error)
        if self.found is not None:
            _log.error("store.damaged")

    def _damage(self, connection: sqlite3.Connection) -> str | None:
        tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        for row in tables.fetchall():
            if self._stopped:
                break
            name = row[0].replace("'", "''")
            told = connection.execute(f"PRAGMA quick_check('{name}')").fetchone()[0]
            if told != "ok":
                return str(told)
        return None

    def stop(self) -> None:
        """Stop after the current table."""
        self._stopped = True


def begin(path: Path, within_s: float) -> Check:
    """Start checking the file and wait up to *within_s*; a longer check continues in the background.

    Raises StoreDamaged, with advice, if damage is found in that time.
    """
    check = Check(path)
    check.start()
    check.join(within_s)
    if check.found is not None:
        raise StoreDamaged(ADVICE)
    return check


def is_damage(error: BaseException) -> bool:
    """Whether SQLite reports that the file is corrupt or not a database."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def identity(path: Path) -> tuple[int, int]:
    """Distinguishes a file from another of the same name."""
    stat = path.stat()
    return stat.st_dev, stat.st_ino


def trouble(path: Path, known: tuple[int, int], file: int) -> str | None:
    """A quick check of the file and its disk.

    *file* is a descriptor that the store keeps open. Closing one here would drop the locks of all the
    store's connections, and the next process to open the store would take its log for abandoned.
    """
    try:
        if identity(path) != known:
            return GONE
        if os.pread(file, len(_BEGINNING), 0) not in (_BEGINNING, b""):
            return DAMAGED
        disk = os.statvfs(path)
    except OSError:
        return GONE
    return FULL if disk.f_bavail * disk.f_frsize < DISK_FREE_BYTES_MIN else None
