"""Corrections by hand, in the order in which they were made."""

from typing import Any, NamedTuple

from recollect.store.statements import Queries


class EditRow(NamedTuple):
    id: int
    graph_id: int
    seq: int
    kind: Any
    subject: str
    near: str | None
    mark: str
    change: str | None
    vector: bytes | None
    at: int
    everywhere: int
    side: str
    walls: str


class EditNewestOfRow(NamedTuple):
    id: int
    graph_id: int
    seq: int
    kind: Any
    near: str | None
    everywhere: int


class MergesOfGraphRow(NamedTuple):
    id: int
    subject: str
    at: int


class EditQueries(Queries):
    """Corrections by hand, in the order in which they were made."""

    __slots__ = ()

    def part(self, *, keys: str | None, project_id: int, graph_id: int | None) -> int:
        """An edit made on one side applies to every side that it is split into."""
        return self._run("edits.part", keys=keys, project_id=project_id, graph_id=graph_id)

    def insert(
        self,
        *,
        seq: int | None,
        kind: str,
        subject: str,
        near: str | None,
        mark: str,
        change: str | None,
        vector: bytes | None,
        now: int,
        side: str,
        graph_id: int,
    ) -> None:
        """Placed after *seq*, or after the last place that the graph has folded."""
        self._post(
            "edits.insert",
            seq=seq,
            kind=kind,
            subject=subject,
            near=near,
            mark=mark,
            change=change,
            vector=vector,
            now=now,
            side=side,
            graph_id=graph_id,
        )

    def first(self, *, graph_id: int) -> int | None:
        return self._value(int, "edits.first", graph_id=graph_id)

    def due(self, *, graph_id: int, before: int | None) -> list[EditRow]:
        """Edits placed before *before*, or all of them if it is NULL."""
        return self._all(EditRow, "edits.due", graph_id=graph_id, before=before)

    def drop(self, *, id: bytes | int | str | None) -> None:
        self._post("edits.drop", id=id)

    def drop_of_gone(self, *, graph_id: int) -> int:
        """Delete updates to things that no longer exist. Deletions are kept, with marks of their words."""
        return self._run("edits.drop_of_gone", graph_id=graph_id)

    def drop_of_unborn(self, *, graph_id: int) -> None:
        """Delete updates to merged entities that the refolded graph no longer produces.

        Then there is nothing left to merge.
        """
        self._post("edits.drop_of_unborn", graph_id=graph_id)

    def newest_of(
        self, *, subject: str, project_id: int, kinds: str | None
    ) -> EditNewestOfRow | None:
        """The latest edit of one of these kinds to a fact or an entity."""
        return self._one(
            EditNewestOfRow, "edits.newest_of", subject=subject, project_id=project_id, kinds=kinds
        )

    def merges_of_graph(self, *, graph_id: int) -> list[MergesOfGraphRow]:
        return self._all(MergesOfGraphRow, "edits.merges_of_graph", graph_id=graph_id)

    def of_subject(self, *, subject: str) -> list[str]:
        return self._values(str, "edits.of_subject", subject=subject)

    def newest(self, *, graph_id: int) -> int | None:
        return self._value(int, "edits.newest", graph_id=graph_id)
