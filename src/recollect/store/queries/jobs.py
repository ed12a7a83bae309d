"""Jobs: one for each episode to be read."""

from typing import NamedTuple

from recollect.graph.types import GraphKind
from recollect.store.queries.shapes import InGraphRow, JobRow, ThreadedEpisodeRow
from recollect.store.statements import Queries


class JobsParkedRow(NamedTuple):
    attempts: int
    error: str | None
    created_at: int
    completed_at: int | None
    task_uuid: str
    episode_uuid: str
    metadata: str | None
    graph_uuid: str
    graph_kind: GraphKind
    graph_name: str
    project_name: str


class JobsWaitingRow(NamedTuple):
    id: int
    created_at: int
    metadata: str | None
    graph_kind: GraphKind
    graph_name: str


class JobQueries(Queries):
    """Jobs: one for each episode to be read."""

    __slots__ = ()

    def insert(self, *, graph_id: int, seq: int, task_uuid: str, now: int) -> None:
        """Queue a job for the episode at a place in the log."""
        self._post("jobs.insert", graph_id=graph_id, seq=seq, task_uuid=task_uuid, now=now)

    def next(self, *, graph_id: int, limit: int) -> list[JobRow]:
        return self._all_with(
            JobRow, ThreadedEpisodeRow, "jobs.next", graph_id=graph_id, limit=limit
        )

    def pending_among(self, *, graph_id: int, ids: str | None) -> list[int]:
        return self._values(int, "jobs.pending_among", graph_id=graph_id, ids=ids)

    def started(self, *, graph_id: int, now: int, run: str, ids: str | None) -> None:
        self._post("jobs.started", graph_id=graph_id, now=now, run=run, ids=ids)

    def given_back(self, *, graph_id: int, ids: str | None) -> None:
        """The worker is alive and returned them itself, so this counts as no death."""
        self._post("jobs.given_back", graph_id=graph_id, ids=ids)

    def lost(self, *, graph_id: int, error: str, id: int) -> int | None:
        return self._value(int, "jobs.lost", graph_id=graph_id, error=error, id=id)

    def clear(self, *, but: int | None) -> list[int]:
        """Clear the deaths of all jobs but *but*, and return their graphs.

        A job that ran alone in a process that died keeps its deaths. Only the first job of each graph was
        ever run, so only those are updated.
        """
        return self._values(int, "jobs.clear", but=but)

    def on_trial(self) -> int | None:
        """The job with the most deaths held against it."""
        return self._value(int, "jobs.on_trial")

    def suspected(self, *, graph_id: int, id: int) -> None:
        """The job must run alone next time."""
        self._post("jobs.suspected", graph_id=graph_id, id=id)

    def succeeded(self, *, graph_id: int, now: int, ids: str | None) -> list[int]:
        """Returns the ids of those that still existed."""
        return self._values(int, "jobs.succeeded", graph_id=graph_id, now=now, ids=ids)

    def failed(self, *, graph_id: int, error: str, id: int) -> int | None:
        return self._value(int, "jobs.failed", graph_id=graph_id, error=error, id=id)

    def park(self, *, graph_id: int, error: str, now: int, id: int) -> None:
        self._post("jobs.park", graph_id=graph_id, error=error, now=now, id=id)

    def retry(self, *, graph_id: int, id: int) -> None:
        """Reset the job as if it had never been tried.

        Jobs run in the order of their ids, so it runs before later jobs of its graph that are still waiting.
        """
        self._post("jobs.retry", graph_id=graph_id, id=id)

    def parked(self, *, project_id: int | None, limit: int) -> list[JobsParkedRow]:
        return self._all(JobsParkedRow, "jobs.parked", project_id=project_id, limit=limit)

    def waiting(self, *, project_id: int, limit: int) -> list[JobsWaitingRow]:
        return self._all(JobsWaitingRow, "jobs.waiting", project_id=project_id, limit=limit)

    def parked_of_episode(self, *, episode_uuid: str, project_id: int) -> InGraphRow | None:
        return self._one(
            InGraphRow,
            "jobs.parked_of_episode",
            episode_uuid=episode_uuid,
            project_id=project_id,
        )
