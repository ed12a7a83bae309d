"""The threads of the store: each has a connection, takes units from a queue and answers on the
caller's loop."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus

from recollect.clock import Clock
from recollect.errors import StoreUnavailable
from recollect.ids import Ids
from recollect.store.postgres.connection import Connection, PostgresTransaction, connect
from recollect.store.work import Inbox, Work, answer, next_group

_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; "
_WHOSE = "SELECT set_config('recollect.project', '{}', true)"
# One writer at a time in the whole database, as in a file: what a unit has read holds until it commits.
WRITERS = 0x5EC0_11EC7
_WRITE = f"BEGIN; SELECT pg_advisory_xact_lock({WRITERS}); "
_TRIES = 6
_PAUSE_FIRST_S = 0.1


def _whose(work: Work) -> str:
    """Says to the database whose rows are to be seen from here on."""
    return _WHOSE.format("*" if work.project_id is None else int(work.project_id))


def translate(error: BaseException) -> BaseException:
    """The database's trouble in our words, without its address; the cause stays attached."""
    translated: BaseException
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        translated = StoreUnavailable("the database does not answer right now")
    elif isinstance(error, StopIteration):
        # A future cannot carry one: asyncio would refuse it and leave the caller waiting.
        translated = RuntimeError("a unit of work raised StopIteration")
    else:
        return error
    translated.__cause__ = error
    return translated


class _Connected(threading.Thread):
    """A thread with a connection, which it makes anew when the database went away."""

    def __init__(self, name: str, url: str, inbox: Inbox, clock: Clock, ids: Ids) -> None:
        super().__init__(name=name, daemon=True)
        self._url = url
        self._inbox = inbox
        self._clock = clock
        self._ids = ids
        self._connection: Connection | None = None

    def connection(self) -> Connection:
        """The connection, whole."""
        if self._connection is None or self._connection.closed:
            self._connection = connect(self._url)
        return self._connection

    def close(self) -> None:
        """Let go of the connection."""
        if self._connection is not None:
            with suppress(psycopg.Error):
                self._connection.close()
            self._connection = None

    def _transaction(self, connection: Connection) -> PostgresTransaction:
        return PostgresTransaction(connection, self._clock, self._ids)

    def _tried_again(self, once: Callable[[], Any]) -> Any:
        """Do something once more when the database went away before it was done."""
        for attempt in range(_TRIES):
            try:
                return once()
            except psycopg.Error as error:
                if not self._went_away(error):
                    raise
                self.close()
                if attempt == _TRIES - 1:
                    raise
                time.sleep(_PAUSE_FIRST_S * 2**attempt)
        return None

    def _went_away(self, error: psycopg.Error) -> bool:
        """Whether it is the database's trouble, and not the statement's."""
        lost = self._connection is None or self._connection.closed
        return lost or isinstance(error, psycopg.OperationalError)


class ReadingThread(_Connected):
    """Runs units one at a time, each on its own snapshot."""

    def run(self) -> None:
        """Serve until the end mark arrives."""
        while (work := self._inbox.get()) is not None:
            self.serve(work)
            answer([work])
        self.close()

    def serve(self, work: Work) -> None:
        """Run one unit on a snapshot of its own."""
        try:
            work.result = self._tried_again(lambda: self._once(work))
        except Exception as error:  # noqa: BLE001 - the caller gets whatever the unit raised
            work.error = translate(error)

    def _once(self, work: Work) -> Any:
        connection = self.connection()
        connection.execute(_READ + _whose(work))
        try:
            return work.unit(self._transaction(connection))
        finally:
            if not connection.closed:
                connection.execute("ROLLBACK")


class WritingThread(_Connected):
    """The only thread of this process that writes. What waits while a commit is on its way shares
    the next one.

    Units of a group run in one transaction. A unit that fails before it has changed anything
    costs the others nothing; one that fails later undoes the group, and each unit is then run
    in a transaction of its own. So every unit is whole or absent, as if it had been alone.
    """

    def run(self) -> None:
        """Serve until the end mark arrives; what was handed in before it is still done."""
        ending = False
        while not ending:
            group, ending = next_group(self._inbox)
            if group:
                self._commit(group)
                answer(group)
        self.close()

    def _commit(self, group: list[Work]) -> None:
        if not self._committed(group):
            for work in group:
                self._committed([work])

    def _committed(self, group: list[Work]) -> bool:
        """Commit *group* as one. False: it was undone and its units want to run alone."""
        try:
            done: bool = self._tried_again(lambda: self._together(group))
        except Exception as error:  # noqa: BLE001 - this thread must outlive whatever happens
            for work in group:
                work.error = translate(error)
            self.close()
            return True
        return done

    def _together(self, group: list[Work]) -> bool:
        for work in group:
            work.result = work.error = None
        connection = self.connection()
        shown = _whose(group[0])
        connection.execute(_WRITE + shown)
        for work in group:
            if (whose := _whose(work)) != shown:  # it holds until the end of the transaction
                connection.execute(whose)
                shown = whose
            changed = self._run_unit(connection, work)
            if work.error is None and not _is_sound(connection):
                # It went on after a statement that failed: a commit would undo everything in silence.
                work.error = StoreUnavailable("the store undid a unit of work by itself")
            if work.error is not None and (changed or not _is_sound(connection)):
                connection.execute("ROLLBACK")
                return len(group) == 1
        self._end(connection)
        return True

    def _run_unit(self, connection: Connection, work: Work) -> bool:
        """Whether it has changed anything."""
        tx = self._transaction(connection)
        try:
            work.result = work.unit(tx)
        except psycopg.Error as error:
            if self._went_away(error):
                raise
            work.error = error
        except Exception as error:  # noqa: BLE001 - the caller gets whatever the unit raised
            work.error = translate(error)
        return tx.changes > 0

    @staticmethod
    def _end(connection: Connection) -> None:
        """Commit. When the database goes away meanwhile, nobody knows whether it did: units are not
        run again then."""
        try:
            connection.execute("COMMIT")
        except psycopg.OperationalError as error:
            raise StoreUnavailable("the database went away while it was writing") from error


def _is_sound(connection: Connection) -> bool:
    """Whether the transaction can go on."""
    return not connection.closed and connection.info.transaction_status == TransactionStatus.INTRANS
