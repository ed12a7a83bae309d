"""PostgreSQL connections as this store uses them, and the transaction a unit of work sees."""

from collections.abc import Sequence
from typing import Any

import psycopg
from psycopg.abc import Buffer
from psycopg.adapt import Dumper, Loader
from psycopg.pq import Format
from psycopg.types.numeric import Int8Dumper

from recollect.clock import Clock
from recollect.errors import InvariantViolated
from recollect.ids import Ids
from recollect.store.postgres import dialect
from recollect.store.statements import RowRefused
from recollect.store.transaction import Transaction

Connection = psycopg.Connection[tuple[Any, ...]]
CONNECT_S_MAX = 10
APPLICATION = "recollect"
_PREPARED_MAX = 1000  # every statement of the product, with room for those with orders
# Whoever stops in the middle of a transaction is put out of it, so that others can go on.
_SESSION = (
    "SET timezone = 'UTC'",
    "SET idle_in_transaction_session_timeout = '30s'",
    "SET lock_timeout = '30s'",
    "SET client_min_messages = warning",
)


class FlagDumper(Dumper):
    """Flags are kept as 0 and 1."""

    oid = Int8Dumper.oid

    def dump(self, obj: bool) -> bytes:
        """1 or 0."""
        return b"1" if obj else b"0"


class FlagLoader(Loader):
    """What is true is told as 1, whether the database keeps it or works it out."""

    format = Format.BINARY

    def load(self, data: Buffer) -> int:
        """1 or 0."""
        return int(bytes(data) != b"\x00")


def connect(url: str) -> Connection:
    """A connection that begins and ends its transactions itself."""
    connection: Connection = psycopg.connect(
        url,
        autocommit=True,
        connect_timeout=CONNECT_S_MAX,
        application_name=APPLICATION,
    )
    connection.adapters.register_dumper(int, Int8Dumper)
    connection.adapters.register_dumper(bool, FlagDumper)
    connection.adapters.register_loader("bool", FlagLoader)
    connection.prepared_max = _PREPARED_MAX
    connection.execute("; ".join(_SESSION))
    return connection


class PostgresStatements:
    """The named statements of this dialect on one connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._statements = dialect.statements()
        self.changes = 0

    def _execute(
        self, name: str, params: dict[str, Any], end: str = ""
    ) -> psycopg.Cursor[tuple[Any, ...]]:
        text = self._statements[name]
        statement = text.rstrip().rstrip(";") + end if end else text
        try:
            # The text is ours, and the parameters travel apart from it.
            return self._connection.cursor(binary=True).execute(statement.encode(), params)
        except (psycopg.IntegrityError, psycopg.DataError) as error:
            raise RowRefused(str(error).partition("\n")[0]) from error

    def one(self, name: str, params: dict[str, Any], /) -> tuple[Any, ...] | None:
        """The first row, or None."""
        return self._execute(name, params).fetchone()

    def all(self, name: str, params: dict[str, Any], /) -> list[tuple[Any, ...]]:
        """Every row."""
        return self._execute(name, params).fetchall()

    def records(self, name: str, params: dict[str, Any], /) -> list[dict[str, Any]]:
        """Every row by the names of its columns."""
        cursor = self._execute(name, params)
        columns = [column.name for column in cursor.description or ()]
        return [dict(zip(columns, row, strict=True)) for row in cursor]

    def insert(self, name: str, params: dict[str, Any], /) -> int:
        """Add one row and give back its id."""
        row = self._execute(name, params, " RETURNING id").fetchone()
        if row is None:
            raise InvariantViolated(f"{name} added no row")
        self.changes += 1
        return int(row[0])

    def run(self, name: str, params: dict[str, Any], /) -> int:
        """Execute the statement and say how many rows it touched."""
        count = self._execute(name, params).rowcount
        self.changes += max(count, 0)
        return count


class PostgresTransaction(Transaction):
    """A transaction on one connection to the database."""

    def __init__(self, connection: Connection, clock: Clock, ids: Ids) -> None:
        super().__init__(PostgresStatements(connection), clock, ids)
        self._connection = connection

    def many(self, sql: str, values: Sequence[Sequence[Any]]) -> None:
        """Execute a statement of the store's own for each of several rows."""
        if values:
            statement = dialect.translated(sql).replace("?", "%s")
            self._connection.cursor().executemany(statement.encode(), values)
