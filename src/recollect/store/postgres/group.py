"""The transaction of a group of units.

Units run one after the other. Then the deferred work that a whole project contends for is written
for all of them together.
"""

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import psycopg

from recollect.clock import Clock
from recollect.errors import StoreUnavailable
from recollect.ids import Ids
from recollect.store.postgres.connection import Busy, DatabaseSession, PostgresTransaction, Turn
from recollect.store.statements import RowRefused
from recollect.store.transaction import AtEnd
from recollect.store.work import Work

_WHOSE = "SELECT set_config('recollect.project', %s, true)"
_PROJECT = "SELECT pg_advisory_xact_lock(%s)"
_OF_PROJECTS = 1 << 60  # advisory locks of projects are numbered from here
_AWAY = (psycopg.OperationalError, psycopg.InterfaceError)


def translate(error: BaseException) -> BaseException:
    """The database's errors as ours, without its address; the original is the cause."""
    translated: BaseException
    if isinstance(error, _AWAY):
        translated = StoreUnavailable("the database does not answer right now")
    elif isinstance(error, psycopg.IntegrityError | psycopg.DataError):
        translated = RowRefused(str(error).partition("\n")[0])
    elif isinstance(error, StopIteration):
        # A future cannot carry StopIteration: asyncio would refuse it and leave the caller waiting.
        translated = RuntimeError("a unit of work raised StopIteration")
    else:
        return error
    translated.__cause__ = error
    return translated


class Undone(Exception):
    """The transaction cannot continue; its units must run one by one. *error* is the cause."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error


class Group:
    """Runs units in one transaction, which the caller begins and ends."""

    def __init__(self, session: DatabaseSession, clock: Clock, ids: Ids, turn: Turn) -> None:
        self._session = session
        self._clock = clock
        self._ids = ids
        self._turn = turn
        self._shown = ""
        self._left: list[tuple[int, AtEnd[Any], Any]] = []

    def read(self, work: Work) -> Any:
        """Run a unit that only reads; returns or raises what it does."""
        self._show(work.project_id)
        return work.unit(self._transaction())

    def run(self, works: Sequence[Work]) -> int:
        """Run units in order and return how many ran.

        A unit that finds its lock taken needs a transaction of its own; those behind it wait with it.
        """
        for number, work in enumerate(works):
            self._turn.first = number == 0
            try:
                self._run(work)
            except Busy:
                return number
        return len(works)

    def _run(self, work: Work) -> None:
        work.result = work.error = None
        self._show(work.project_id)
        tx = self._transaction()
        try:
            work.result = work.unit(tx)
        except Busy as error:
            if tx.changes:
                raise Undone(error) from error
            raise
        except _AWAY:
            raise  # the database failed, not the unit
        except Exception as error:
            if tx.changes or tx.sent.failed:
                raise Undone(error) from error
            work.error = translate(error)
            return
        if tx.sent.failed:
            # The unit went on after a failed statement: COMMIT would silently roll everything back.
            raise Undone(StoreUnavailable("the store undid a unit of work by itself"))
        self._left += tx.left

    def settle(self) -> None:
        """Run the deferred work, project by project and always in the same order, to avoid deadlocks."""
        by_project = sorted(self._left, key=itemgetter(0))
        for project_id, left in groupby(by_project, key=itemgetter(0)):
            self._session.send(_PROJECT, (_OF_PROJECTS + project_id,))
            self._show(project_id)
            together: dict[AtEnd[Any], list[Any]] = {}
            for _, then, item in left:
                together.setdefault(then, []).append(item)
            for then, items in together.items():
                self._settle(then, project_id, items)

    def _settle(self, then: AtEnd[Any], project_id: int, items: Sequence[Any]) -> None:
        try:
            then(self._transaction(), project_id, items)
        except _AWAY:
            raise
        except Exception as error:
            raise Undone(error) from error

    def _show(self, project_id: int | None) -> None:
        """Set whose rows the database shows from here on: those of one project, or of all."""
        whose = "*" if project_id is None else str(project_id)
        if whose != self._shown:  # the setting lasts until the end of the transaction
            self._session.send(_WHOSE, (whose,))
            self._shown = whose

    def _transaction(self) -> PostgresTransaction:
        return PostgresTransaction(self._session, self._clock, self._ids, self._turn)
