"""PostgreSQL connections as this store uses them, and its transaction."""

from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

import psycopg
from psycopg.abc import Buffer
from psycopg.adapt import Dumper, Loader
from psycopg.pq import Format, TransactionStatus
from psycopg.types.numeric import Int8Dumper

from recollect.clock import Clock
from recollect.errors import InvariantViolated
from recollect.ids import Ids
from recollect.store.postgres import dialect
from recollect.store.statements import RowRefused
from recollect.store.transaction import AtEnd, Transaction

T = TypeVar("T")
Connection = psycopg.Connection[tuple[Any, ...]]
CONNECT_S_MAX = 10
APPLICATION = "recollect"
_PREPARED_MAX = 1000  # every statement of the product, including its orders, with room to spare
# A session that stalls inside a transaction is terminated, so that others can proceed.
_SESSION = (
    "SET timezone = 'UTC'",
    "SET idle_in_transaction_session_timeout = '30s'",
    "SET lock_timeout = '30s'",
    "SET client_min_messages = warning",
)
_QUEUE = 0x5EC0_11EC9
# Locks: wait for the holder, or return no row if the lock is taken.
_HOLD_GRAPH = (
    "SELECT 1 FROM graphs WHERE id = %(key)s FOR NO KEY UPDATE",
    "SELECT 1 FROM graphs WHERE id = %(key)s FOR NO KEY UPDATE SKIP LOCKED",
)
_HOLD_QUEUE = (
    "SELECT pg_advisory_xact_lock(%(key)s)",
    "SELECT 1 WHERE pg_try_advisory_xact_lock(%(key)s)",
)


class FlagDumper(Dumper):
    """Stores booleans as 0 and 1."""

    oid = Int8Dumper.oid

    def dump(self, obj: bool) -> bytes:
        """1 or 0."""
        return b"1" if obj else b"0"


class FlagLoader(Loader):
    """Returns booleans as 1 or 0, whether stored or computed by the database."""

    format = Format.BINARY

    def load(self, data: Buffer) -> int:
        """1 or 0."""
        return int(bytes(data) != b"\x00")


def connect(url: str) -> Connection:
    """A connection in autocommit mode: the store begins and ends transactions itself."""
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


class DatabaseSession:
    """Sends statements over one connection.

    When pipelined, statements are sent without waiting, and a caller that needs a result waits for
    everything sent so far; otherwise each statement is waited for.
    """

    def __init__(self, connection: Connection, *, pipelined: bool = False) -> None:
        self.connection = connection
        self._mode = ExitStack()
        self._pipeline: psycopg.Pipeline | None = None
        if pipelined:
            self._pipeline = self._mode.enter_context(connection.pipeline())

    def send(self, statement: str, params: Any = None) -> psycopg.Cursor[tuple[Any, ...]]:
        """Send a statement; its result is available after `wait`."""
        # The text is our own, and the parameters are sent separately.
        return self.connection.cursor(binary=True).execute(statement.encode(), params)

    def wait(self) -> None:
        """Wait for all results; raises the first error."""
        if self._pipeline is not None:
            self._pipeline.sync()

    def end(self, how: str) -> None:
        """End the transaction with COMMIT or ROLLBACK, and wait."""
        self.send(how)
        self.wait()

    def done(self) -> None:
        """End a read-only transaction. Not with ROLLBACK: the driver would forget its prepared statements."""
        self._end_if_sound("COMMIT")

    def undo(self) -> None:
        """Roll back the transaction."""
        self._end_if_sound("ROLLBACK")

    def _end_if_sound(self, how: str) -> None:
        """End the transaction, or close the session if a statement failed in it.

        After a failure the driver believes that statements queued behind the failed one were prepared.
        """
        try:
            if self.connection.info.transaction_status == TransactionStatus.ACTIVE:
                self.wait()
            if self.connection.info.transaction_status == TransactionStatus.INTRANS:
                self.end(how)
            else:
                self.close()
        except psycopg.Error:
            self.close()

    def close(self) -> None:
        """Close the connection, whether or not the database still answers."""
        with suppress(psycopg.Error):
            self.connection.close()
            self._mode.close()


class PostgresStatements:
    """The named statements of this dialect in one session.

    Queries wait for their result. A posted statement is only sent, and its result arrives with that of
    the next query. If a posted row is rejected, the error is raised then, or at the commit.
    """

    def __init__(self, session: DatabaseSession) -> None:
        self._session = session
        self._statements = dialect.statements()
        self._writing = dialect.writing()
        self.changes = 0
        self.failed = False  # then the transaction can no longer be used

    def _execute(
        self, name: str, params: dict[str, Any], end: str = "", *, waits: bool = True
    ) -> psycopg.Cursor[tuple[Any, ...]]:
        text = self._statements[name]
        try:
            cursor = self._session.send(text.rstrip().rstrip(";") + end if end else text, params)
            if waits:
                self._session.wait()
        except (psycopg.IntegrityError, psycopg.DataError) as error:
            self.failed = True
            raise RowRefused(str(error).partition("\n")[0]) from error
        except psycopg.Error:
            self.failed = True
            raise
        if name in self._writing:
            self.changes += max(cursor.rowcount, 0) if waits else 1
        return cursor

    def one(self, name: str, params: dict[str, Any], /) -> tuple[Any, ...] | None:
        """The first row, or None."""
        return self._execute(name, params).fetchone()

    def all(self, name: str, params: dict[str, Any], /) -> list[tuple[Any, ...]]:
        """Every row."""
        return self._execute(name, params).fetchall()

    def records(self, name: str, params: dict[str, Any], /) -> list[dict[str, Any]]:
        """Every row, as a dict by column name."""
        cursor = self._execute(name, params)
        columns = [column.name for column in cursor.description or ()]
        return [dict(zip(columns, row, strict=True)) for row in cursor]

    def insert(self, name: str, params: dict[str, Any], /) -> int:
        """Insert one row and return its id."""
        row = self._execute(name, params, " RETURNING id").fetchone()
        if row is None:
            raise InvariantViolated(f"{name} added no row")
        return int(row[0])

    def run(self, name: str, params: dict[str, Any], /) -> int:
        """Execute the statement and return the number of rows it affected."""
        return self._execute(name, params).rowcount

    def post(self, name: str, params: dict[str, Any], /) -> None:
        """Send the statement without waiting."""
        self._execute(name, params, waits=False)


class Busy(Exception):
    """Another transaction holds the lock that a unit wants, and this one already holds a lock."""


@dataclass
class Turn:
    """The locks of a group's transaction: *everything*, or the ones its units ask for.

    Only the *first* unit waits for a lock. A later one would wait while holding locks, and two
    transactions doing so would deadlock.
    """

    everything: bool = True
    first: bool = True
    held: set[int] = field(default_factory=set)


class PostgresTransaction(Transaction):
    """A transaction on one connection to the database."""

    def __init__(
        self, session: DatabaseSession, clock: Clock, ids: Ids, turn: Turn | None = None
    ) -> None:
        self.sent = PostgresStatements(session)
        super().__init__(self.sent, clock, ids)
        self._session = session
        self._connection = session.connection
        self._turn = turn or Turn()
        self.left: list[tuple[int, AtEnd[Any], Any]] = []

    def hold(self, graph_id: int) -> None:
        """Lock a graph until the end of the transaction."""
        self._hold(graph_id, _HOLD_GRAPH)

    def hold_queue(self) -> None:
        """Lock the queue until the end of the transaction."""
        self._hold(_QUEUE, _HOLD_QUEUE)

    def _hold(self, key: int, ways: tuple[str, str]) -> None:
        if self._turn.everything or key in self._turn.held:
            return
        waiting, trying = ways
        cursor = self._session.send(waiting if self._turn.first else trying, {"key": key})
        self._session.wait()
        if not self._turn.first and not cursor.fetchall():
            raise Busy
        self._turn.held.add(key)

    def at_end(self, project_id: int, then: AtEnd[T], item: T) -> None:
        """Defer work for a project until all units of the transaction have run.

        It runs at once if the transaction has the database to itself: a later unit may need its effect.
        """
        if self._turn.everything:
            then(self, project_id, [item])
        else:
            self.left.append((project_id, then, item))

    def many(self, sql: str, values: Sequence[Sequence[Any]]) -> None:
        """Execute one of the store's own statements for several rows."""
        if values:
            statement = dialect.translated(sql).replace("?", "%s")
            self._connection.cursor().executemany(statement.encode(), values)
