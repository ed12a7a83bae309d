"""When episodes and facts cease to be known."""

from typing import NamedTuple

from recollect.graph.expiry import ExpiringKind
from recollect.graph.types import GraphKind
from recollect.store.statements import Queries


class ExpiryDueRow(NamedTuple):
    graph_id: int
    uuid: str
    kind: ExpiringKind
    expires_at: int
    project_id: int
    project_uuid: str


class ExpiredRow(NamedTuple):
    uuid: str
    kind: ExpiringKind
    expires_at: int
    hidden_at: int
    told: str | None
    graph_kind: GraphKind
    graph_name: str


class ExpiryQueries(Queries):
    """When episodes and facts cease to be known."""

    __slots__ = ()

    def put(self, *, graph_id: int, uuid: str, kind: str, expires_at: int) -> int:
        return self._run(
            "expiries.put", graph_id=graph_id, uuid=uuid, kind=kind, expires_at=expires_at
        )

    def drop(self, *, graph_id: int, uuid: str) -> int:
        return self._run("expiries.drop", graph_id=graph_id, uuid=uuid)

    def of_thing(self, *, graph_id: int, uuid: str) -> int | None:
        """None for what does not expire."""
        return self._value(int, "expiries.of_thing", graph_id=graph_id, uuid=uuid)

    def withdraw(self, *, graph_id: int) -> int:
        """Those of things that are gone before their time."""
        return self._run("expiries.withdraw", graph_id=graph_id)

    def due(self, *, now: int) -> ExpiryDueRow | None:
        """The first whose time has come, of any project; None while there is none."""
        return self._one(ExpiryDueRow, "expiries.due", now=now)

    def hide(
        self, *, graph_id: int, uuid: str, kind: str, expires_at: int, now: int, told: str
    ) -> int:
        """Keep what something was that is not known any more."""
        return self._run(
            "expiries.hide",
            graph_id=graph_id,
            uuid=uuid,
            kind=kind,
            expires_at=expires_at,
            now=now,
            told=told,
        )

    def hidden(self, *, project_id: int, limit: int) -> list[ExpiredRow]:
        """The last that expired first."""
        return self._all(ExpiredRow, "expiries.hidden", project_id=project_id, limit=limit)

    def forget_thread(self, *, graph_id: int, thread_id: str) -> int:
        """What was hidden of a thread's episodes."""
        return self._run("expiries.forget_thread", graph_id=graph_id, thread_id=thread_id)

    def oldest_hidden(self) -> int | None:
        """Since when the first of them is hidden; None when nothing is."""
        return self._value(int, "expiries.oldest_hidden")

    def forget(self, *, before: int) -> int:
        """All that was hidden until then."""
        return self._run("expiries.forget", before=before)
