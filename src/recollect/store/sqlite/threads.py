"""The store's threads: they take units from a queue and answer on the caller's event loop."""

import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from recollect.clock import Clock
from recollect.errors import StoreDamaged, StoreUnavailable
from recollect.ids import Ids
from recollect.store.sqlite.checking import DAMAGED, is_damage
from recollect.store.sqlite.connection import SqliteTransaction
from recollect.store.work import Inbox, Work, answer, next_group


class Errand(Work):
    """Maintenance that the writer does between transactions.

    It receives the connection, and returns whether the writer must reconnect afterwards.
    """

    __slots__ = ("errand",)

    def __init__(self, errand: Callable[[sqlite3.Connection], tuple[Any, bool]]) -> None:
        super().__init__(_no_unit)
        self.errand = errand


def _no_unit(tx: SqliteTransaction) -> None:
    """Placeholder: an errand runs no unit."""


def _translate(error: BaseException) -> BaseException:
    """SQLite's errors as ours, with the original as the cause."""
    translated: BaseException
    if is_damage(error):
        translated = StoreDamaged(DAMAGED)
    elif isinstance(error, sqlite3.OperationalError):
        translated = StoreUnavailable(f"the store cannot be used right now: {error}")
    elif isinstance(error, StopIteration):
        # A future cannot carry StopIteration: asyncio would refuse it and leave the caller waiting.
        translated = RuntimeError("a unit of work raised StopIteration")
    else:
        return error
    translated.__cause__ = error
    return translated


class Reader(threading.Thread):
    """Runs units one at a time, each on its own snapshot."""

    def __init__(
        self, connection: sqlite3.Connection, inbox: Inbox, clock: Clock, ids: Ids
    ) -> None:
        super().__init__(name="store-reader", daemon=True)
        self._connection = connection
        self._inbox = inbox
        self._clock = clock
        self._ids = ids

    def run(self) -> None:
        """Serve until the end mark arrives."""
        while (work := self._inbox.get()) is not None:
            self.serve(work)
            answer([work])
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def serve(self, work: Work) -> None:
        """Run one unit on its own snapshot."""
        try:
            self._connection.execute("BEGIN")
            try:
                work.result = work.unit(SqliteTransaction(self._connection, self._clock, self._ids))
            finally:
                self._connection.execute("COMMIT")
        except Exception as error:  # noqa: BLE001 - the caller gets whatever the unit raised
            work.error = _translate(error)


class Writer(threading.Thread):
    """The only thread that writes. Units that queue up during a commit share the next one.

    The units of a group run in one transaction. A unit that fails before changing anything does not
    affect the others. One that fails later rolls back the group, and each unit then runs in its own
    transaction. So every unit is applied completely or not at all, as if it had run alone.
    """

    def __init__(
        self, connect: Callable[[], sqlite3.Connection], inbox: Inbox, clock: Clock, ids: Ids
    ) -> None:
        super().__init__(name="store-writer", daemon=True)
        self._connect = connect
        self._connection = connect()
        self._inbox = inbox
        self._clock = clock
        self._ids = ids

    def run(self) -> None:
        """Serve until the end mark arrives, including everything submitted before it."""
        ending = False
        while not ending:
            group, ending = next_group(self._inbox)
            units = [work for work in group if not isinstance(work, Errand)]
            if units:
                self._commit_or_reconnect(units)
                answer(units)
            for work in group:
                if isinstance(work, Errand):
                    self._run_errand(work)
                    answer([work])
        self._connection.close()

    def _commit_or_reconnect(self, group: list[Work]) -> None:
        """Commit; if even the rollback fails, every caller gets the error and the writer reconnects."""
        try:
            self._commit(group)
        except Exception as error:  # noqa: BLE001 - this thread must outlive whatever happens
            for work in group:
                work.error = _translate(error)
            with suppress(sqlite3.Error):
                self._connection.close()
                self._connection = self._connect()

    def _run_errand(self, work: Errand) -> None:
        try:
            work.result, anew = work.errand(self._connection)
            if anew:
                fresh = self._connect()
                self._connection.close()
                self._connection = fresh
        except Exception as error:  # noqa: BLE001 - this thread must outlive whatever happens
            work.error = _translate(error)

    def _commit(self, group: list[Work]) -> None:
        if not self._together(group):
            for work in group:
                work.result = work.error = None
                self._together([work])

    def _together(self, group: list[Work]) -> bool:
        """Commit *group* as one transaction. False: it was rolled back, and its units must run alone."""
        connection = self._connection
        try:
            connection.execute("BEGIN IMMEDIATE")
            for work in group:
                before = connection.total_changes
                self._run_unit(work)
                if work.error is not None and self._has_changed_since(before):
                    self._undo()
                    return len(group) == 1
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            self._undo()
            for work in group:
                work.error = _translate(error)
        return True

    def _has_changed_since(self, before: int) -> bool:
        # On a full disk, SQLite rolls back the transaction itself: that counts as a change.
        return not self._connection.in_transaction or self._connection.total_changes != before

    def _undo(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def _run_unit(self, work: Work) -> None:
        try:
            work.result = work.unit(SqliteTransaction(self._connection, self._clock, self._ids))
            if not self._connection.in_transaction:
                work.error = StoreUnavailable("the store undid a unit of work by itself")
        except Exception as error:  # noqa: BLE001 - the caller gets whatever the unit raised
            work.error = _translate(error)
