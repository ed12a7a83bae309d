"""When episodes and facts expire."""

from typing import NamedTuple

from recollect.graph.expiry import ExpiringKind
from recollect.graph.types import GraphKind
from recollect.store.statements import Queries


class ExpiryDueRow(NamedTuple):
    graph_id: int
    uuid: str
    kind: ExpiringKind
    expires_at: int
    because: str
    project_id: int
    project_uuid: str


class ExpiryRow(NamedTuple):
    expires_at: int
    because: str


class ExpiredRow(NamedTuple):
    uuid: str
    kind: ExpiringKind
    expires_at: int
    hidden_at: int
    told: str | None
    because: str
    graph_kind: GraphKind
    graph_name: str


class ExpiryQueries(Queries):
    """When episodes and facts expire."""

    __slots__ = ()

    def put(self, *, graph_id: int, uuid: str, kind: str, expires_at: int, because: str) -> int:
        return self._run(
            "expiries.put",
            graph_id=graph_id,
            uuid=uuid,
            kind=kind,
            expires_at=expires_at,
            because=because,
        )

    def put_of_type(self, *, graph_id: int, uuid: str, expires_at: int, because: str) -> int:
        """The same for a fact, unless its expiry was set explicitly."""
        return self._run(
            "expiries.put_of_type",
            graph_id=graph_id,
            uuid=uuid,
            expires_at=expires_at,
            because=because,
        )

    def drop(self, *, graph_id: int, uuid: str) -> int:
        return self._run("expiries.drop", graph_id=graph_id, uuid=uuid)

    def of_thing(self, *, graph_id: int, uuid: str) -> ExpiryRow | None:
        """None for what does not expire."""
        return self._one(ExpiryRow, "expiries.of_thing", graph_id=graph_id, uuid=uuid)

    def drop_unsaid(self, *, graph_id: int) -> int:
        """Delete hidden facts whose episodes are all gone for another reason than expiring."""
        return self._run("expiries.drop_unsaid", graph_id=graph_id)

    def withdraw(self, *, graph_id: int) -> int:
        """Delete the expiries of things that were removed before they expired."""
        return self._run("expiries.withdraw", graph_id=graph_id)

    def due(self, *, now: int) -> ExpiryDueRow | None:
        """The first expiry that is due, in any project; None if there is none."""
        return self._one(ExpiryDueRow, "expiries.due", now=now)

    def due_in(self, *, project_id: int, now: int) -> ExpiryDueRow | None:
        """The same in one project."""
        return self._one(ExpiryDueRow, "expiries.due_in", project_id=project_id, now=now)

    def hide(
        self,
        *,
        graph_id: int,
        uuid: str,
        kind: str,
        expires_at: int,
        now: int,
        told: str,
        because: str,
    ) -> int:
        """Record what an expired thing was."""
        return self._run(
            "expiries.hide",
            graph_id=graph_id,
            uuid=uuid,
            kind=kind,
            expires_at=expires_at,
            now=now,
            told=told,
            because=because,
        )

    def hidden(self, *, project_id: int, limit: int) -> list[ExpiredRow]:
        """Most recently expired first."""
        return self._all(ExpiredRow, "expiries.hidden", project_id=project_id, limit=limit)

    def hidden_thing(self, *, project_id: int, uuid: str) -> ExpiredRow | None:
        """None for what has not expired, or was forgotten."""
        return self._one(ExpiredRow, "expiries.hidden_thing", project_id=project_id, uuid=uuid)

    def forget_thread(self, *, graph_id: int, thread_id: str) -> int:
        """Delete what was hidden of a thread's episodes."""
        return self._run("expiries.forget_thread", graph_id=graph_id, thread_id=thread_id)

    def oldest_hidden(self) -> int | None:
        """When the oldest hidden thing was hidden; None if there is none."""
        return self._value(int, "expiries.oldest_hidden")

    def forget(self, *, before: int) -> int:
        """Delete everything hidden before *before*."""
        return self._run("expiries.forget", before=before)
