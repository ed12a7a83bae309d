"""Batches of episodes that are submitted together, and their items."""

from typing import Any, NamedTuple

from recollect.store.statements import Queries


class BatchRow(NamedTuple):
    id: int
    uuid: str
    project_id: int
    number: int
    status: Any
    ignore_roles: str | None
    strict_ontology: int
    metadata: str | None
    item_count: int
    skipped_count: int
    failed_count: int
    created_at: int
    updated_at: int
    processed_at: int | None
    state: Any


class BatchProgressRow(NamedTuple):
    pending: int
    started: int
    parked: int
    canceled: int
    succeeded_at: int | None
    parked_at: int | None


class BatchItemsNextRow(NamedTuple):
    uuid: str
    content: str
    thread_key: int | None
    graph_key: int


class BatchItemsPageRow(NamedTuple):
    uuid: str
    sequence_index: int
    kind: Any
    created_at: int
    updated_at: int
    user_name: str | None
    user_uuid: str | None
    graph_name: str | None
    graph_uuid: str | None
    thread_name: str | None
    document_id: str | None
    error: str | None
    job_error: str | None
    metadata: str | None
    state: Any


class BatchQueries(Queries):
    """Batches of episodes that are submitted together, and their items."""

    __slots__ = ()

    def insert(
        self,
        *,
        uuid: str,
        project_id: int,
        ignore_roles: str | None,
        strict_ontology: int,
        metadata: str | None,
        now: int,
    ) -> None:
        """Batches are numbered per project.

        The number is exposed as a cursor, and must not reveal how many batches other projects have.
        """
        self._post(
            "batches.insert",
            uuid=uuid,
            project_id=project_id,
            ignore_roles=ignore_roles,
            strict_ontology=strict_ontology,
            metadata=metadata,
            now=now,
        )

    def by_uuid(self, *, uuid: str, project_id: int) -> BatchRow | None:
        return self._one(BatchRow, "batches.by_uuid", uuid=uuid, project_id=project_id)

    def page(
        self, *, project_id: int, cursor: Any, status: str | None, limit: int
    ) -> list[BatchRow]:
        """Newest first; the cursor is the number of the last batch seen."""
        return self._all(
            BatchRow,
            "batches.page",
            project_id=project_id,
            cursor=cursor,
            status=status,
            limit=limit,
        )

    def progress(self, *, uuid: str, id: int) -> BatchProgressRow | None:
        """The counts of pending, parked and cancelled items, and when the last job finished.

        A submitted item has one job for as long as its episode exists. Items that succeeded are the
        remainder and are not counted, so reading a batch that went well costs the same at any size.
        """
        return self._one(BatchProgressRow, "batches.progress", uuid=uuid, id=id)

    def grow(self, *, count: int, now: int, id: int) -> None:
        self._post("batches.grow", count=count, now=now, id=id)

    def close(self, *, status: str, skipped: int, failed: int, now: int, id: int) -> None:
        self._post("batches.close", status=status, skipped=skipped, failed=failed, now=now, id=id)

    def delete(self, *, id: int) -> int:
        return self._run("batches.delete", id=id)

    def item_insert(
        self,
        *,
        uuid: str,
        batch_id: int,
        sequence_index: int,
        kind: str,
        user_id: int | str | None,
        graph_id: int | str | None,
        thread_id: str | None,
        content: str | None,
        now: int,
    ) -> None:
        self._post(
            "batches.item_insert",
            uuid=uuid,
            batch_id=batch_id,
            sequence_index=sequence_index,
            kind=kind,
            user_id=user_id,
            graph_id=graph_id,
            thread_id=thread_id,
            content=content,
            now=now,
        )

    def items_refuse_lost(self, *, now: int, batch_id: int, project_id: int) -> int:
        """Fail the items whose target does not exist.

        An item has exactly one of the three names, or none once its target was deleted; a NULL name matches
        nothing.
        """
        return self._run(
            "batches.items_refuse_lost", now=now, batch_id=batch_id, project_id=project_id
        )

    def items_drop_content(self, *, batch_id: int) -> int:
        return self._run("batches.items_drop_content", batch_id=batch_id)

    def items_forget_user(self, *, now: int, user_id: int | str, project_id: int) -> int:
        """Remove a user's names and content from batch items, failed ones included.

        Must run while the user still exists: messages name only the user's threads.
        """
        return self._run(
            "batches.items_forget_user", now=now, user_id=user_id, project_id=project_id
        )

    def items_forget_thread(self, *, now: int, thread_id: str, project_id: int) -> int:
        return self._run(
            "batches.items_forget_thread", now=now, thread_id=thread_id, project_id=project_id
        )

    def items_forget_graph(self, *, now: int, graph_id: int | str, project_id: int) -> int:
        return self._run(
            "batches.items_forget_graph", now=now, graph_id=graph_id, project_id=project_id
        )

    def items_next(
        self, *, project_id: int, batch_id: int, first: int, limit: int
    ) -> list[BatchItemsNextRow]:
        """The items in order, with the graph and thread that their names resolve to."""
        return self._all(
            BatchItemsNextRow,
            "batches.items_next",
            project_id=project_id,
            batch_id=batch_id,
            first=first,
            limit=limit,
        )

    def items_hand_in(self, *, now: int, batch_id: int, first: int, limit: int) -> int:
        """Drop the items' content: from now on it is in their episodes, and is forgotten with them."""
        return self._run(
            "batches.items_hand_in", now=now, batch_id=batch_id, first=first, limit=limit
        )

    def items_skipped(self, *, batch_id: int) -> int | None:
        return self._value(int, "batches.items_skipped", batch_id=batch_id)

    def items_page(
        self, *, batch_id: int, cursor: Any, status: str | None, limit: int
    ) -> list[BatchItemsPageRow]:
        """The cursor is the index of the first item of the page."""
        return self._all(
            BatchItemsPageRow,
            "batches.items_page",
            batch_id=batch_id,
            cursor=cursor,
            status=status,
            limit=limit,
        )
