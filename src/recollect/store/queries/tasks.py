"""Tasks, as clients poll them."""

from typing import NamedTuple

from recollect.store.statements import Queries


class TaskProgressRow(NamedTuple):
    jobs: int
    succeeded: int | None
    parked: int | None
    created_at: int | None
    started_at: int | None
    completed_at: int | None
    error: str | None


class TaskToldRow(NamedTuple):
    id: int
    uuid: str
    type: str
    owed: int
    created_at: int
    scrubbed: int | None
    jobs: int
    succeeded: int
    parked: int
    started_at: int | None
    completed_at: int | None
    error: str | None


class TaskEpisodesRow(NamedTuple):
    id: int
    uuid: str
    metadata: str | None
    status: str
    started_at: int | None
    completed_at: int | None
    error: str | None


class TaskQueries(Queries):
    """Tasks, as clients poll them."""

    __slots__ = ()

    def progress(self, *, uuid: str, project_id: int) -> TaskProgressRow | None:
        return self._one(TaskProgressRow, "tasks.progress", uuid=uuid, project_id=project_id)

    def insert(
        self, *, uuid: str, project_id: int, graph_id: int | None, type: str, owed: int, now: int
    ) -> None:
        self._post(
            "tasks.insert",
            uuid=uuid,
            project_id=project_id,
            graph_id=graph_id,
            type=type,
            owed=owed,
            now=now,
        )

    def insert_of_graph(self, *, uuid: str, type: str, owed: int, now: int, graph_id: int) -> None:
        self._post(
            "tasks.insert_of_graph", uuid=uuid, type=type, owed=owed, now=now, graph_id=graph_id
        )

    def by_uuid_told(self, *, uuid: str, project_id: int) -> TaskToldRow | None:
        return self._one(TaskToldRow, "tasks.by_uuid_told", uuid=uuid, project_id=project_id)

    def newest(
        self, *, project_id: int, before: int, type: str | None, limit: int
    ) -> list[TaskToldRow]:
        """Newest first; optionally before a given one, and of one type."""
        return self._all(
            TaskToldRow,
            "tasks.newest",
            project_id=project_id,
            before=before,
            type=type,
            limit=limit,
        )

    def episodes(self, *, uuid: str, limit: int) -> list[TaskEpisodesRow]:
        return self._all(TaskEpisodesRow, "tasks.episodes", uuid=uuid, limit=limit)
