"""The transaction of a group of units: they run in it one after the other, and then what all of a
project take turns at is written for all of them together."""

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
_OF_PROJECTS = 1 << 60  # their locks are numbered from here on
_AWAY = (psycopg.OperationalError, psycopg.InterfaceError)


def translate(error: BaseException) -> BaseException:
    """The database's trouble in our words, without its address; the cause stays attached."""
    translated: BaseException
    if isinstance(error, _AWAY):
        translated = StoreUnavailable("the database does not answer right now")
    elif isinstance(error, psycopg.IntegrityError | psycopg.DataError):
        translated = RowRefused(str(error).partition("\n")[0])
    elif isinstance(error, StopIteration):
        # A future cannot carry one: asyncio would refuse it and leave the caller waiting.
        translated = RuntimeError("a unit of work raised StopIteration")
    else:
        return error
    translated.__cause__ = error
    return translated


class Undone(Exception):
    """The transaction cannot go on; its units want to run one by one. *error* is what went wrong."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error


class Group:
    """Units in one transaction, which somebody else has begun and will end."""

    def __init__(self, session: DatabaseSession, clock: Clock, ids: Ids, turn: Turn) -> None:
        self._session = session
        self._clock = clock
        self._ids = ids
        self._turn = turn
        self._shown = ""
        self._left: list[tuple[int, AtEnd[Any], Any]] = []

    def read(self, work: Work) -> Any:
        """What a unit finds, or what it raises."""
        self._show(work.project_id)
        return work.unit(self._transaction())

    def run(self, works: Sequence[Work]) -> int:
        """Run units in their order, and say how many: one that finds taken what it wants to hold waits
        for its own transaction, and those behind it wait with it."""
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
            raise  # the database's trouble, and not the unit's
        except Exception as error:
            if tx.changes or tx.sent.failed:
                raise Undone(error) from error
            work.error = translate(error)
            return
        if tx.sent.failed:
            # It went on after a statement that failed: a commit would undo everything in silence.
            raise Undone(StoreUnavailable("the store undid a unit of work by itself"))
        self._left += tx.left

    def settle(self) -> None:
        """Write what units have left for the end, one project after the other and always in the same order, so
        that nobody waits for somebody who waits for him."""
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
        """Say to the database whose rows are to be seen from here on: a project's, or those of all."""
        whose = "*" if project_id is None else str(project_id)
        if whose != self._shown:  # it holds until the end of the transaction
            self._session.send(_WHOSE, (whose,))
            self._shown = whose

    def _transaction(self) -> PostgresTransaction:
        return PostgresTransaction(self._session, self._clock, self._ids, self._turn)
