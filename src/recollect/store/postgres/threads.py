"""The store's threads: each has a connection, takes units from a queue and answers on the caller's loop."""

import threading
import time
from collections.abc import Callable
from typing import Any

import psycopg

from recollect.clock import Clock
from recollect.errors import StoreUnavailable
from recollect.ids import Ids
from recollect.limits import COMMIT_GROUP_MAX
from recollect.store.postgres.connection import DatabaseSession, Turn, connect
from recollect.store.postgres.group import Group, Undone, translate
from recollect.store.work import Inbox, Work, answer, next_group

_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
# A unit has the whole database to itself, as in the embedded store, so what it has read stays true
# until it commits; or it shares the database with units that lock other graphs.
WRITERS = 0x5EC0_11EC7
_ALONE = f"SELECT pg_advisory_xact_lock({WRITERS})"
_BESIDE_OTHERS = f"SELECT pg_advisory_xact_lock_shared({WRITERS})"
# Few, so that writers share the queue, and no transaction locks many graphs.
_BESIDE_MAX = 4
_TRIES = 6
_PAUSE_FIRST_S = 0.1


class _Connected(threading.Thread):
    """A thread with a connection, which reconnects when the database goes away."""

    def __init__(self, name: str, url: str, inbox: Inbox, clock: Clock, ids: Ids) -> None:
        super().__init__(name=name, daemon=True)
        self._url = url
        self._inbox = inbox
        self._clock = clock
        self._ids = ids
        self._session: DatabaseSession | None = None

    def session(self) -> DatabaseSession:
        """The session, reconnected if it was lost."""
        if self._session is None or self._session.connection.closed:
            self._session = DatabaseSession(connect(self._url), pipelined=True)
        return self._session

    def close(self) -> None:
        """Close the session."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def _tried_again(self, once: Callable[[], Any]) -> Any:
        """Retry when the database goes away before the work is done."""
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
        """Whether the database failed, rather than the statement."""
        lost = self._session is None or self._session.connection.closed
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
        """Run one unit on its own snapshot."""
        try:
            work.result = self._tried_again(lambda: self._once(work))
        except Exception as error:  # noqa: BLE001 - the caller gets whatever the unit raised
            work.error = translate(error)

    def _once(self, work: Work) -> Any:
        session = self.session()
        session.send(_READ)
        try:
            return Group(session, self._clock, self._ids, Turn()).read(work)
        finally:
            session.done()


class WritingThread(_Connected):
    """Writes. Units that queue up during a commit share the next one.

    The units of a group run in one transaction. A unit that fails before changing anything does not
    affect the others. One that fails later rolls back the group, and each unit then runs in its own
    transaction. So every unit is applied completely or not at all, as if it had run alone.

    With *beside_others*, it shares the database with other concurrent writers, in this process and in
    others, and its units lock their graphs. A unit that fails there may have run into another writer's
    change: it is run again with the database to itself, and that outcome counts.
    """

    def __init__(
        self, url: str, inbox: Inbox, clock: Clock, ids: Ids, *, beside_others: bool
    ) -> None:
        super().__init__("store-writer", url, inbox, clock, ids)
        self._alone = not beside_others
        self._most = _BESIDE_MAX if beside_others else COMMIT_GROUP_MAX

    def run(self) -> None:
        """Serve until the end mark arrives, including everything submitted before it."""
        ending = False
        while not ending:
            group, ending = next_group(self._inbox, self._most)
            if group:
                self._commit(group)
                answer(group)
        self.close()

    def _commit(self, group: list[Work]) -> None:
        """Commit units in order, as many per transaction as possible."""
        while group:
            done = self._committed(group, alone=self._alone)
            if done == 0:
                for work in group:
                    self._committed([work], alone=True)
                return
            group = group[done:]

    def _committed(self, group: list[Work], *, alone: bool) -> int:
        """Commit units as one transaction and return how many, from the first. 0: they must run alone."""
        try:
            done: int = self._tried_again(lambda: self._together(group, alone=alone))
        except Exception as error:  # noqa: BLE001 - this thread must outlive whatever happens
            for work in group:
                work.error = translate(error)
            self.close()
            return len(group)
        return done

    def _together(self, group: list[Work], *, alone: bool) -> int:
        session = self.session()
        session.send("BEGIN")
        session.send(_ALONE if alone else _BESIDE_OTHERS)
        transaction = Group(session, self._clock, self._ids, Turn(alone))
        try:
            done = transaction.run(group)
            transaction.settle()
            self._end(session)
        except Undone as undone:
            session.undo()
            if len(group) > 1 or not alone:
                return 0
            group[0].error = translate(undone.error)
            return 1
        return done

    @staticmethod
    def _end(session: DatabaseSession) -> None:
        """Commit. If the database goes away meanwhile, the outcome is unknown, so units are not run again."""
        try:
            session.end("COMMIT")
        except psycopg.OperationalError as error:
            raise StoreUnavailable("the database went away while it was writing") from error
        except psycopg.Error as error:  # a posted statement was rejected
            raise Undone(error) from error
