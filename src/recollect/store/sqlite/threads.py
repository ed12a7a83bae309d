"""The threads of the store: they take units from a queue and answer on the caller's loop."""

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
    """Something for the writer to do between transactions; it is given the connection, and
    answers whether the next one has to be a new one."""

    __slots__ = ("errand",)

    def __init__(self, errand: Callable[[sqlite3.Connection], tuple[Any, bool]]) -> None:
        super().__init__(_no_unit)
        self.errand = errand


def _no_unit(tx: SqliteTransaction) -> None:
    """What an errand does in a transaction."""


def _translate(error: BaseException) -> BaseException:
    """SQLite's own trouble in our words; the cause stays attached."""
    translated: BaseException
    if is_damage(error):
        translated = StoreDamaged(DAMAGED)
    elif isinstance(error, sqlite3.OperationalError):
        translated = StoreUnavailable(f"the store cannot be used right now: {error}")
    elif isinstance(error, StopIteration):
        # A future cannot carry one: asyncio would refuse it and leave the caller waiting.
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
        """Let go of the file."""
        self._connection.close()

    def serve(self, work: Work) -> None:
        """Run one unit on a snapshot of its own."""
        try:
            self._connection.execute("BEGIN")
            try:
                work.result = work.unit(SqliteTransaction(self._connection, self._clock, self._ids))
            finally:
                self._connection.execute("COMMIT")
        except Exception as error:  # noqa: BLE001 - the caller gets whatever the unit raised
            work.error = _translate(error)


class Writer(threading.Thread):
    """The only thread that writes. What waits while a commit is on its way shares the next one.

    Units of a group run in one transaction. A unit that fails before it has changed anything
    costs the others nothing; one that fails later undoes the group, and each unit is then run
    in a transaction of its own. So every unit is whole or absent, as if it had been alone.
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
        """Serve until the end mark arrives; what was handed in before it is still done."""
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
        """Commit; when even undoing fails, say so to every caller and begin with a new connection."""
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
        """Commit *group* as one. False: it was undone and its units want to run alone."""
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
        # A full disk makes SQLite undo the transaction by itself: that is a change, too.
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
