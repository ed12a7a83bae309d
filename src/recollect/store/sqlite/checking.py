"""Whether the store's file is sound, found out without keeping anybody waiting."""

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
    """Looks at every table, each on a snapshot of its own, so that writers are not held up."""

    def __init__(self, path: Path) -> None:
        super().__init__(name="store-check", daemon=True)
        self._path = path
        self._stopped = False
        self.found: str | None = None

    def run(self) -> None:
        """Until something is wrong, or everything was looked at."""
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
        """After the table that is being looked at."""
        self._stopped = True


def begin(path: Path, within_s: float) -> Check:
    """Check the file; what takes longer goes on in the background.

    Raises StoreDamaged with what to do.
    """
    check = Check(path)
    check.start()
    check.join(within_s)
    if check.found is not None:
        raise StoreDamaged(ADVICE)
    return check


def is_damage(error: BaseException) -> bool:
    """Whether SQLite says that the file is not what it should be."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def identity(path: Path) -> tuple[int, int]:
    """What tells a file from another one of the same name."""
    stat = path.stat()
    return stat.st_dev, stat.st_ino


def trouble(path: Path, known: tuple[int, int], file: int) -> str | None:
    """What is wrong with the file or its disk at a glance.

    *file* is held open by the store: closing one here would drop the locks of all its connections,
    and whoever opens the store next would take its log for one that nobody uses.
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
