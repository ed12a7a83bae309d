"""What went into the contexts that were given out."""

from typing import Any, NamedTuple

from recollect.store.statements import Queries


class InjectionRow(NamedTuple):
    id: int
    uuid: str
    project_id: int
    graph_id: int
    thread_id: int | None
    key_uuid: str
    at: int
    form: Any
    question: str | None
    graph_kind: Any
    graph_name: str
    thread_name: str | None


class InjectionLineRow(NamedTuple):
    place: int
    kind: Any
    item_uuid: str | None
    text: str
    score: float | None
    reason: Any


class InjectionQueries(Queries):
    """What went into the contexts that were given out."""

    __slots__ = ()

    def insert(
        self,
        *,
        uuid: str,
        project_id: int,
        graph_id: int,
        thread_id: int | None,
        key_uuid: str,
        at: int,
        form: str,
        question: str | None,
    ) -> int:
        return self._insert(
            "injections.insert",
            uuid=uuid,
            project_id=project_id,
            graph_id=graph_id,
            thread_id=thread_id,
            key_uuid=key_uuid,
            at=at,
            form=form,
            question=question,
        )

    def insert_line(
        self,
        *,
        graph_id: int,
        injection_id: int,
        place: int,
        kind: str | None,
        item_uuid: str | None,
        text: str,
        score: float | None,
        reason: str | None,
    ) -> None:
        self._post(
            "injections.insert_line",
            graph_id=graph_id,
            injection_id=injection_id,
            place=place,
            kind=kind,
            item_uuid=item_uuid,
            text=text,
            score=score,
            reason=reason,
        )

    def trim(self, *, project_id: int, before: int, keep: int) -> int:
        """Delete a project's entries older than *before*, and all but the newest *keep*."""
        return self._run("injections.trim", project_id=project_id, before=before, keep=keep)

    def by_uuid(self, *, uuid: str, project_id: int, key_uuid: str | None) -> InjectionRow | None:
        """None if there is no such entry, or if *key_uuid* is given and it belongs to another key."""
        return self._one(
            InjectionRow, "injections.by_uuid", uuid=uuid, project_id=project_id, key_uuid=key_uuid
        )

    def page(
        self,
        *,
        project_id: int,
        key_uuid: str | None,
        graph_id: int | None,
        before: str | None,
        limit: int,
    ) -> list[InjectionRow]:
        """Newest first, continuing after the uuid *before*; optionally of one key or graph."""
        return self._all(
            InjectionRow,
            "injections.page",
            project_id=project_id,
            key_uuid=key_uuid,
            graph_id=graph_id,
            before=before,
            limit=limit,
        )

    def lines(self, *, graph_id: int, injection_id: int) -> list[InjectionLineRow]:
        """The pieces of a context, in order."""
        return self._all(
            InjectionLineRow, "injections.lines", graph_id=graph_id, injection_id=injection_id
        )

    def drop_gone(self, *, graph_id: int) -> int:
        """Delete lines of facts and episodes that no longer exist, and of facts whose text has changed."""
        return self._run("injections.drop_gone", graph_id=graph_id)

    def drop_derived(self, *, graph_id: int) -> int:
        """Delete lines that were derived from several things."""
        return self._run("injections.drop_derived", graph_id=graph_id)

    def drop_questions(self, *, graph_id: int) -> int:
        """Delete the questions, which may quote messages."""
        return self._run("injections.drop_questions", graph_id=graph_id)
