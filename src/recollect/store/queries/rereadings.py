"""Episodes that wait for a second reading."""

from typing import Any, NamedTuple

from recollect.graph.types import GraphKind
from recollect.store.queries.shapes import ThreadedEpisodeRow
from recollect.store.statements import Queries


class RereadingNextRow(NamedTuple):
    episode_id: int
    graph_id: int


class RereadingsInOrderRow(NamedTuple):
    episode_id: int
    graph_id: int
    ready_at: int
    lease_until: int
    fold_from: int | None
    metadata: str | None


class RereadingTakenRow(NamedTuple):
    episode: ThreadedEpisodeRow
    reader: Any
    lease: str | None
    lease_until: int
    attempts: int
    shown: str | None


class RereadingFailedRow(NamedTuple):
    attempts: int
    status: Any


class RereadingsPageRow(NamedTuple):
    episode_id: int
    reader: Any
    status: Any
    reason: str
    attempts: int
    error: str | None
    ready_at: int
    lease_until: int
    created_at: int
    episode_uuid: str
    metadata: str | None
    graph_uuid: str
    graph_kind: GraphKind
    graph_name: str
    project_name: str


class RereadingsCountsRow(NamedTuple):
    reader: Any
    status: Any
    n: int


class RereadingQueries(Queries):
    """Episodes that wait for a second reading."""

    __slots__ = ()

    def want(self, *, reader: str, reason: str, now: int, episode_id: int) -> None:
        self._post("rereadings.want", reader=reader, reason=reason, now=now, episode_id=episode_id)

    def wait(self, *, graph_id: int, reader: str) -> int | None:
        return self._value(int, "rereadings.wait", graph_id=graph_id, reader=reader)

    def next(
        self,
        *,
        reader: str,
        now: int,
        wait_end: int,
        in_graph: int | None,
        project_id: int | None,
        folded: int,
    ) -> RereadingNextRow | None:
        """The first of each graph, if it is due and not leased; of these, the one that has waited longest.

        A skip scan finds the graphs without reading the whole backlog. A time further ahead than any pause
        or lease was written before the clock was set back, and is ignored.
        """
        return self._one(
            RereadingNextRow,
            "rereadings.next",
            reader=reader,
            now=now,
            wait_end=wait_end,
            in_graph=in_graph,
            project_id=project_id,
            folded=folded,
        )

    def in_order(
        self, *, reader: str, project_id: int, in_graph: int | None
    ) -> list[RereadingsInOrderRow]:
        """All that wait for a reader, for callers that may not see every episode."""
        return self._all(
            RereadingsInOrderRow,
            "rereadings.in_order",
            reader=reader,
            project_id=project_id,
            in_graph=in_graph,
        )

    def following(
        self, *, graph_id: int, reader: str, now: int, wait_end: int, limit: int
    ) -> list[int]:
        return self._values(
            int,
            "rereadings.following",
            graph_id=graph_id,
            reader=reader,
            now=now,
            wait_end=wait_end,
            limit=limit,
        )

    def unfolded(self, *, reader: str, project_id: int | None, in_graph: int | None) -> list[int]:
        """Graphs that must be folded before anything can be taken from them."""
        return self._values(
            int, "rereadings.unfolded", reader=reader, project_id=project_id, in_graph=in_graph
        )

    def take(self, *, lease: str, until: int, episode_id: int) -> None:
        self._post("rereadings.take", lease=lease, until=until, episode_id=episode_id)

    def show(self, *, shown: str, episode_id: int, lease: str) -> int:
        return self._run("rereadings.show", shown=shown, episode_id=episode_id, lease=lease)

    def taken(self, *, episode_id: int) -> RereadingTakenRow | None:
        return self._one_with(
            RereadingTakenRow, ThreadedEpisodeRow, "rereadings.taken", episode_id=episode_id
        )

    def done(self, *, episode_id: int) -> int:
        return self._run("rereadings.done", episode_id=episode_id)

    def give_back(self, *, ready_at: int, error: str | None, episode_id: int) -> None:
        self._post("rereadings.give_back", ready_at=ready_at, error=error, episode_id=episode_id)

    def failed(
        self, *, error: str, attempts_max: int, episode_id: int
    ) -> RereadingFailedRow | None:
        """The holder may try again, up to *attempts_max*."""
        return self._one(
            RereadingFailedRow,
            "rereadings.failed",
            error=error,
            attempts_max=attempts_max,
            episode_id=episode_id,
        )

    def free(self, *, owner: str) -> int:
        return self._run("rereadings.free", owner=owner)

    def due_now(self, *, now: int, reader: str) -> int:
        """Those that were deferred because the reader did not answer; those that failed keep their delay."""
        return self._run("rereadings.due_now", now=now, reader=reader)

    def unshow(self, *, graph_id: int) -> None:
        """What the prompts showed may be gone now, so answers to them are no longer accepted."""
        self._post("rereadings.unshow", graph_id=graph_id)

    def page(
        self, *, project_id: int | None, status: str | None, after: int, limit: int
    ) -> list[RereadingsPageRow]:
        return self._all(
            RereadingsPageRow,
            "rereadings.page",
            project_id=project_id,
            status=status,
            after=after,
            limit=limit,
        )

    def retry(self, *, now: int, ids: str | None) -> int:
        return self._run("rereadings.retry", now=now, ids=ids)

    def counts(self) -> list[RereadingsCountsRow]:
        return self._all(RereadingsCountsRow, "rereadings.counts")

    def waiting_for(self, *, reader: str, project_id: int, in_graph: int | None) -> int | None:
        return self._value(
            int, "rereadings.waiting_for", reader=reader, project_id=project_id, in_graph=in_graph
        )

    def want_guarded(self, *, reason: str, now: int, project_id: int) -> int:
        """Queue all episodes of a project for another reading, because the guarded metadata keys changed.

        Episodes were read together with turns and names visible to the same people, and the keys decide who
        those are. Each reader reads its episodes again. This covers all episodes, because which of them
        carry such keys must not be revealed.
        """
        return self._run("rereadings.want_guarded", reason=reason, now=now, project_id=project_id)

    def want_all(self, *, reader: str, reason: str, now: int, graph_id: int) -> int:
        """Every episode of a graph that was read, unless it is already queued."""
        return self._run(
            "rereadings.want_all", reader=reader, reason=reason, now=now, graph_id=graph_id
        )

    def left(self, *, reason: str, graphs: str | None) -> int | None:
        return self._value(int, "rereadings.left", reason=reason, graphs=graphs)
