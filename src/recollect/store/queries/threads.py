"""Threads of messages."""

from typing import Any, NamedTuple

from recollect.store.queries.shapes import InGraphRow
from recollect.store.statements import Keyed, Queries


class ThreadsOfFactsRow(NamedTuple):
    fact_id: int
    thread_id: int | None
    episode: str
    metadata: str | None


class ThreadRow(NamedTuple):
    id: int
    uuid: str
    thread_id: str
    user_id: str
    user_uuid: str
    graph_id: int
    graph_uuid: str
    metadata: str | None
    rating: str | None
    created_at: int
    updated_at: int
    ended_at: int | None


class ThreadUuidsRow(NamedTuple):
    thread_id: str
    uuid: str


class ThreadQueries(Queries):
    """Threads of messages."""

    __slots__ = ()

    def names_of_graph(self, *, id: int) -> list[str]:
        return self._values(str, "threads.names_of_graph", id=id)

    def of_facts(self, *, facts: str | None) -> list[ThreadsOfFactsRow]:
        """Which episodes of which threads state facts, newest first."""
        return self._all(ThreadsOfFactsRow, "threads.of_facts", facts=facts)

    def insert(
        self,
        *,
        uuid: str,
        project_id: int,
        thread_id: str,
        user_id: int,
        graph_id: int,
        metadata: str | None,
        rating: str | None,
        now: int,
    ) -> None:
        self._post(
            "threads.insert",
            uuid=uuid,
            project_id=project_id,
            thread_id=thread_id,
            user_id=user_id,
            graph_id=graph_id,
            metadata=metadata,
            rating=rating,
            now=now,
        )

    def by_name(self, *, project_id: int, thread_id: str) -> ThreadRow | None:
        return self._one(ThreadRow, "threads.by_name", project_id=project_id, thread_id=thread_id)

    def place(self, *, project_id: int, thread_id: str) -> InGraphRow | None:
        """What an append needs to know about a thread."""
        return self._one(InGraphRow, "threads.place", project_id=project_id, thread_id=thread_id)

    def update(
        self, *, metadata: str | None, rating: str | None, ended_at: int | None, now: int, id: int
    ) -> None:
        self._post(
            "threads.update", metadata=metadata, rating=rating, ended_at=ended_at, now=now, id=id
        )

    def delete(self, *, id: int) -> None:
        self._post("threads.delete", id=id)

    def page(
        self, *, order: str, project_id: int, search: str, limit: int, offset: int
    ) -> list[ThreadRow]:
        return self._all(
            ThreadRow,
            f"threads.page/{order}",
            project_id=project_id,
            search=search,
            limit=limit,
            offset=offset,
        )

    def page_said(
        self, *, order: str, project_id: int, search: str, limit: int, offset: int
    ) -> list[ThreadRow]:
        """Ordered by the last message in them, or their last change."""
        page = self._page(
            ThreadRow,
            f"threads.page_said/{order}",
            project_id=project_id,
            search=search,
            limit=limit,
            offset=offset,
        )
        return [keyed.row for keyed in page]

    def count(self, *, project_id: int, search: str) -> int | None:
        return self._value(int, "threads.count", project_id=project_id, search=search)

    def of_user(self, *, id: int, limit: int) -> list[ThreadRow]:
        return self._all(ThreadRow, "threads.of_user", id=id, limit=limit)

    def by_uuid(self, *, project_id: int, uuid: str) -> ThreadRow | None:
        return self._one(ThreadRow, "threads.by_uuid", project_id=project_id, uuid=uuid)

    def uuids(self, *, project_id: int, thread_ids: str | None) -> list[ThreadUuidsRow]:
        return self._all(
            ThreadUuidsRow, "threads.uuids", project_id=project_id, thread_ids=thread_ids
        )

    def page_after(
        self,
        *,
        order: str,
        project_id: int,
        after_key: Any,
        after_uuid: str | None,
        limit: int,
    ) -> list[Keyed[ThreadRow]]:
        return self._page(
            ThreadRow,
            f"threads.page_after/{order}",
            project_id=project_id,
            after_key=after_key,
            after_uuid=after_uuid,
            limit=limit,
        )

    def page_said_after(
        self,
        *,
        order: str,
        project_id: int,
        after_key: Any,
        after_uuid: str | None,
        limit: int,
    ) -> list[Keyed[ThreadRow]]:
        """Ordered by the last message in them, or their last change."""
        return self._page(
            ThreadRow,
            f"threads.page_said_after/{order}",
            project_id=project_id,
            after_key=after_key,
            after_uuid=after_uuid,
            limit=limit,
        )

    def page_of_user(
        self,
        *,
        order: str,
        user_id: int,
        after_key: Any,
        after_uuid: str | None,
        limit: int,
    ) -> list[Keyed[ThreadRow]]:
        return self._page(
            ThreadRow,
            f"threads.page_of_user/{order}",
            user_id=user_id,
            after_key=after_key,
            after_uuid=after_uuid,
            limit=limit,
        )
