"""The queue of graphs with pending jobs, its leases, and the shares of projects."""

from typing import NamedTuple

from recollect.store.statements import Queries


class QueueOldestFreeRow(NamedTuple):
    graph_id: int
    project_id: int
    weight: float
    turn: float


class QueueHeldRow(NamedTuple):
    graphs: int
    alone: int


class QueueLeaseRow(NamedTuple):
    lease: str | None
    lease_until: int
    pauses: int


class QueueStateRow(NamedTuple):
    pending: int
    parked: int
    oldest_id: int | None
    oldest: int | None
    graphs: int
    held: int
    due: int


class QueueReasonsRow(NamedTuple):
    reason: str
    graphs: int


class QueueQueries(Queries):
    """The queue of graphs with pending jobs, its leases, and the shares of projects."""

    __slots__ = ()

    def enter(self, *, graph_id: int) -> None:
        self._post("queue.enter", graph_id=graph_id)

    def let_go(self, *, graph_id: int, lease: str) -> None:
        self._post("queue.let_go", graph_id=graph_id, lease=lease)

    def oldest_free(self, *, now: int, wait_end: int, lease_end: int) -> QueueOldestFreeRow | None:
        """The first free graph of the project that used least.

        A skip scan finds the projects without reading the whole backlog. A time further ahead than any pause
        or lease was written before the clock was set back, and is ignored.
        """
        return self._one(
            QueueOldestFreeRow, "queue.oldest_free", now=now, wait_end=wait_end, lease_end=lease_end
        )

    def share_use(self, *, project_id: int, begun: float, used: float) -> None:
        self._post("queue.share_use", project_id=project_id, begun=begun, used=used)

    def share_weigh(self, *, project_id: int, weight: float) -> None:
        self._post("queue.share_weigh", project_id=project_id, weight=weight)

    def share_weight(self, *, project_id: int) -> float | None:
        return self._value(float, "queue.share_weight", project_id=project_id)

    def held(self, *, now: int, lease_end: int) -> QueueHeldRow | None:
        """How many graphs are leased right now, and whether one of the holders must run alone."""
        return self._one(QueueHeldRow, "queue.held", now=now, lease_end=lease_end)

    def take(self, *, lease: str, until: int, alone: int, graph_id: int) -> None:
        self._post("queue.take", lease=lease, until=until, alone=alone, graph_id=graph_id)

    def hold_on(self, *, until: int, graph_id: int, lease: str) -> bool:
        """Extend a lease; False if this lease no longer holds the graph."""
        return self._run("queue.hold_on", until=until, graph_id=graph_id, lease=lease) > 0

    def hold_on_all(self, *, until: int, leases: str | None) -> int:
        return self._run("queue.hold_on_all", until=until, leases=leases)

    def wait(self, *, until: int, graph_id: int) -> None:
        self._post("queue.wait", until=until, graph_id=graph_id)

    def due_now(self, *, graphs: str | None) -> None:
        """Make these graphs due, whatever they were waiting for."""
        self._post("queue.due_now", graphs=graphs)

    def lease(self, *, graph_id: int) -> QueueLeaseRow | None:
        return self._one(QueueLeaseRow, "queue.lease", graph_id=graph_id)

    def give_back(self, *, wait_until: int, pauses: int, reason: str, graph_id: int) -> None:
        """Release a graph to the end of the queue."""
        self._post(
            "queue.give_back",
            wait_until=wait_until,
            pauses=pauses,
            reason=reason,
            graph_id=graph_id,
        )

    def free_owned(self, *, owner: str) -> int:
        return self._run("queue.free_owned", owner=owner)

    def free_all(self) -> int:
        return self._run("queue.free_all")

    def leave(self, *, graph_id: int) -> None:
        self._post("queue.leave", graph_id=graph_id)

    def state(self, *, now: int, lease_end: int, wait_end: int) -> QueueStateRow | None:
        """due: graphs that could be worked on right now; held: graphs that are being worked on."""
        return self._one(
            QueueStateRow, "queue.state", now=now, lease_end=lease_end, wait_end=wait_end
        )

    def reasons(self, *, limit: int) -> list[QueueReasonsRow]:
        """What keeps graphs from being worked on, and how many."""
        return self._all(QueueReasonsRow, "queue.reasons", limit=limit)
