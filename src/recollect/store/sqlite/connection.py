"""SQLite connections as this store uses them, and its transaction."""

import sqlite3
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from recollect.clock import Clock
from recollect.errors import InvariantViolated
from recollect.graph import visibility
from recollect.ids import Ids
from recollect.store import rows, sql
from recollect.store.statements import RowRefused
from recollect.store.transaction import Transaction

FILE_NAME = "recollect.db"

_HERE = Path(__file__).parent
BUSY_MS = 10_000
_WRITER_CACHE_KIB = 65_536
_READER_CACHE_KIB = 8_192
# Errors that waiting does not fix.
_LASTING = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY)


@cache
def statements() -> dict[str, str]:
    """The named statements of this dialect."""
    return sql.load(_HERE / "queries")


def prepare(folder: Path) -> Path:
    """The path of the store's file in *folder*, created readable by its owner only."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / FILE_NAME
    path.touch(mode=0o600)
    return path


def connect(path: Path, *, writer: bool) -> sqlite3.Connection:
    """A connection to the file. FULL means an acknowledged commit survives a power cut."""
    connection = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, cached_statements=512
    )
    connection.row_factory = sqlite3.Row
    cache_kib = _WRITER_CACHE_KIB if writer else _READER_CACHE_KIB
    for pragma in (
        f"busy_timeout = {BUSY_MS}",
        "synchronous = FULL",
        "fullfsync = ON",  # macOS: also flush the drive's own cache
        "checkpoint_fullfsync = ON",
        "foreign_keys = ON",
        "temp_store = MEMORY",
        "secure_delete = ON",
        f"cache_size = -{cache_kib}",
        f"query_only = {0 if writer else 1}",
    ):
        connection.execute(f"PRAGMA {pragma}")
    _use_wal(connection)
    teach(connection)
    return connection


def teach(connection: sqlite3.Connection) -> None:
    """Register the SQL functions `side` and `side_within`.

    They compute on which side of the walls drawn by policies an episode stands, and which side that is
    when only some of the policy keys count.
    """
    connection.create_function("side", 2, _side, deterministic=True)
    connection.create_function("side_within", 2, _side_within, deterministic=True)


def _side(metadata: str | None, keys: str) -> str | None:
    """NULL if no policy names a key: then there are no walls."""
    named = rows.from_json(keys)
    return visibility.side(rows.from_json(metadata), named) if named else None


def _side_within(side: str | None, keys: str) -> str | None:
    named = rows.from_json(keys)
    return visibility.within(side or "", named) if named else None


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch to WAL, retrying while another process creates the file: SQLite does not wait for that."""
    deadline = time.monotonic() + BUSY_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF in _LASTING or time.monotonic() >= deadline:
                raise
            time.sleep(0.01)
        else:
            return


class SqliteStatements:
    """The named statements of this dialect on one connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._cursor = connection.cursor
        self._statements = statements()
        self.changes = 0

    def _execute(self, name: str, params: dict[str, Any]) -> sqlite3.Cursor:
        cursor = self._cursor()
        cursor.row_factory = None  # plain tuples, which become typed rows
        try:
            return cursor.execute(self._statements[name], params)
        except (sqlite3.IntegrityError, sqlite3.DataError, OverflowError) as error:
            raise RowRefused(str(error)) from error

    def one(self, name: str, params: dict[str, Any], /) -> tuple[Any, ...] | None:
        """The first row, or None."""
        row: tuple[Any, ...] | None = self._execute(name, params).fetchone()
        return row

    def all(self, name: str, params: dict[str, Any], /) -> list[tuple[Any, ...]]:
        """Every row."""
        return self._execute(name, params).fetchall()

    def records(self, name: str, params: dict[str, Any], /) -> list[dict[str, Any]]:
        """Every row, as a dict by column name."""
        cursor = self._execute(name, params)
        columns = [column[0] for column in cursor.description]
        return [dict(zip(columns, row, strict=True)) for row in cursor]

    def insert(self, name: str, params: dict[str, Any], /) -> int:
        """Insert one row and return its id."""
        row_id = self._execute(name, params).lastrowid
        if row_id is None:
            raise InvariantViolated(f"{name} added no row")
        self.changes += 1
        return row_id

    def run(self, name: str, params: dict[str, Any], /) -> int:
        """Execute the statement and return the number of rows it affected."""
        count = self._execute(name, params).rowcount
        self.changes += max(count, 0)
        return count

    def post(self, name: str, params: dict[str, Any], /) -> None:
        """Execute the statement; a local file has no round trip to save."""
        self.run(name, params)


class SqliteTransaction(Transaction):
    """A transaction on one connection to the file."""

    def __init__(self, connection: sqlite3.Connection, clock: Clock, ids: Ids) -> None:
        super().__init__(SqliteStatements(connection), clock, ids)
        self._connection = connection

    def many(self, sql: str, values: Sequence[Sequence[Any]]) -> None:
        """Execute one of the store's own statements for several rows."""
        if values:
            self._connection.executemany(sql, values)
