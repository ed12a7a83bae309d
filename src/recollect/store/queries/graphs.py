"""Graphs: one per user, and standalone ones."""

from typing import Any, NamedTuple

from recollect.graph.types import GraphKind
from recollect.store.statements import Keyed, Queries


class GraphContentsRow(NamedTuple):
    episodes: int
    facts: int
    entities: int
    observations: int
    thread_summaries: int
    document_summaries: int
    user_summaries: int
    chapters: int
    index_rows: int
    threads: int
    guidance: int
    group_memberships: int


class GraphRow(NamedTuple):
    id: int
    uuid: str
    project_id: int
    kind: GraphKind
    graph_id: str
    name: str | None
    description: str | None
    time_zone: str | None
    rating: str | None
    last_seq: int
    index_version: int
    created_at: int
    updated_at: int
    edits: int
    index_epoch: int
    condenses: int
    condensed: int
    folded: int
    fold_from: int | None
    inputs: int
    distance: int
    changes: int


class GraphNamesRow(NamedTuple):
    kind: GraphKind
    graph_id: str


class ObjectByUuidRow(NamedTuple):
    kind: Any
    id: int


class GraphFoldStateRow(NamedTuple):
    fold_from: int | None
    folded: int
    inputs: int
    uuid: str


class GraphInputsRow(NamedTuple):
    unread: int
    edits: int
    episodes: int
    unkept: int


class GraphEntitiesToldRow(NamedTuple):
    id: int
    uuid: str
    summary: str
    given: str | None


class GraphTimeZoneRow(NamedTuple):
    time_zone: str | None


class GrownRow(NamedTuple):
    id: int
    last_seq: int
    thread_key: int | None


class GraphQueries(Queries):
    """Graphs: one per user, and standalone ones."""

    __slots__ = ()

    def distance(self, *, id: int) -> int | None:
        return self._value(int, "graphs.distance", id=id)

    def texts_bearing(self, *, pairs: str | None, among: str | None) -> list[int]:
        """Which pairs of an entity and a text are confirmed by an episode that mentions the entity.

        The episode contains the text, plainly or JSON-escaped, or its speaker has that name.
        """
        return self._values(int, "graphs.texts_bearing", pairs=pairs, among=among)

    def contents(self, *, id: int) -> GraphContentsRow | None:
        """What a graph holds, read before it is deleted."""
        return self._one(GraphContentsRow, "graphs.contents", id=id)

    def insert(
        self,
        *,
        uuid: str,
        project_id: int,
        kind: str,
        graph_id: int | str,
        name: str | None,
        description: str | None,
        time_zone: str | None,
        rating: str | None,
        now: int,
    ) -> None:
        self._post(
            "graphs.insert",
            uuid=uuid,
            project_id=project_id,
            kind=kind,
            graph_id=graph_id,
            name=name,
            description=description,
            time_zone=time_zone,
            rating=rating,
            now=now,
        )

    def by_name(self, *, project_id: int, kind: str, graph_id: int | str) -> GraphRow | None:
        return self._one(
            GraphRow, "graphs.by_name", project_id=project_id, kind=kind, graph_id=graph_id
        )

    def by_uuid(self, *, uuid: str, project_id: int) -> GraphRow | None:
        return self._one(GraphRow, "graphs.by_uuid", uuid=uuid, project_id=project_id)

    def by_id(self, *, id: int) -> GraphRow | None:
        return self._one(GraphRow, "graphs.by_id", id=id)

    def update(
        self,
        *,
        name: str | None,
        description: str | None,
        time_zone: str | None,
        rating: str | None,
        now: int,
        id: int,
    ) -> None:
        self._post(
            "graphs.update",
            name=name,
            description=description,
            time_zone=time_zone,
            rating=rating,
            now=now,
            id=id,
        )

    def delete(self, *, id: int) -> None:
        self._post("graphs.delete", id=id)

    def page(
        self, *, order: str, project_id: int, search: str, limit: int, offset: int
    ) -> list[GraphRow]:
        return self._all(
            GraphRow,
            f"graphs.page/{order}",
            project_id=project_id,
            search=search,
            limit=limit,
            offset=offset,
        )

    def page_after(
        self,
        *,
        order: str,
        project_id: int,
        search: str,
        after_key: Any,
        after_uuid: str | None,
        limit: int,
    ) -> list[Keyed[GraphRow]]:
        return self._page(
            GraphRow,
            f"graphs.page_after/{order}",
            project_id=project_id,
            search=search,
            after_key=after_key,
            after_uuid=after_uuid,
            limit=limit,
        )

    def count(self, *, project_id: int, search: str) -> int | None:
        return self._value(int, "graphs.count", project_id=project_id, search=search)

    def names(self, *, project_id: int, limit: int) -> list[GraphNamesRow]:
        """User graphs and standalone ones."""
        return self._all(GraphNamesRow, "graphs.names", project_id=project_id, limit=limit)

    def next_seq(self, *, count: int, id: int) -> int | None:
        return self._value(int, "graphs.next_seq", count=count, id=id)

    def grow(self, *, project_id: int, kind: str, graph_id: str, count: int) -> GrownRow | None:
        """Find a graph by name, lock it, and reserve *count* places at the end of its log.

        None if it does not exist, or is locked by another transaction.
        """
        return self._one(
            GrownRow,
            "graphs.grow",
            project_id=project_id,
            kind=kind,
            graph_id=graph_id,
            count=count,
        )

    def grow_by_thread(self, *, project_id: int, thread_id: str, count: int) -> GrownRow | None:
        """The same for the graph of a thread."""
        return self._one(
            GrownRow,
            "graphs.grow_by_thread",
            project_id=project_id,
            thread_id=thread_id,
            count=count,
        )

    def next_version(self, *, count: int, id: int) -> int | None:
        return self._value(int, "graphs.next_version", count=count, id=id)

    def object_by_uuid(self, *, uuid: str, project_id: int) -> ObjectByUuidRow | None:
        """Which object a uuid belongs to, among those whose metadata policies evaluate."""
        return self._one(ObjectByUuidRow, "graphs.object_by_uuid", uuid=uuid, project_id=project_id)

    def parted(self, *, project_id: int) -> int:
        return self._run("graphs.parted", project_id=project_id)

    def fold_again(self, *, seq: int, graph_id: int) -> None:
        """Mark the first place that changed; an earlier mark stays."""
        self._post("graphs.fold_again", seq=seq, graph_id=graph_id)

    def edited(self, *, graph_id: int) -> None:
        """Increment a number by which caches of a graph notice that it has changed."""
        self._post("graphs.edited", graph_id=graph_id)

    def folded(self, *, graph_id: int) -> int | None:
        return self._value(int, "graphs.folded", graph_id=graph_id)

    def has_folded(self, *, seq: int, graph_id: int) -> None:
        self._post("graphs.has_folded", seq=seq, graph_id=graph_id)

    def fold_from_start(self, *, graph_id: int) -> None:
        self._post("graphs.fold_from_start", graph_id=graph_id)

    def to_fold(self) -> list[int]:
        return self._values(int, "graphs.to_fold")

    def fold_state(self, *, graph_id: int) -> GraphFoldStateRow | None:
        return self._one(GraphFoldStateRow, "graphs.fold_state", graph_id=graph_id)

    def folded_again(self, *, folded: int, condensed: int, graph_id: int) -> None:
        self._post("graphs.folded_again", folded=folded, condensed=condensed, graph_id=graph_id)

    def has_walls(self, *, graph_id: int) -> int | None:
        return self._value(int, "graphs.has_walls", graph_id=graph_id)

    def all(self, *, graph_id: int | str | None) -> list[GraphRow]:
        return self._all(GraphRow, "graphs.all", graph_id=graph_id)

    def reopen_profile(self, *, graph_id: int, told: str | None) -> None:
        """Reopen what a user's record states if only an episode ended it."""
        self._post("graphs.reopen_profile", graph_id=graph_id, told=told)

    def unlearn_supports(self, *, graph_id: int) -> None:
        self._post("graphs.unlearn_supports", graph_id=graph_id)

    def unlearn_closings(self, *, graph_id: int) -> None:
        self._post("graphs.unlearn_closings", graph_id=graph_id)

    def unlearn_doubts(self, *, graph_id: int) -> None:
        self._post("graphs.unlearn_doubts", graph_id=graph_id)

    def inputs(self, *, graph_id: int | str | None) -> GraphInputsRow | None:
        return self._one(GraphInputsRow, "graphs.inputs", graph_id=graph_id)

    def readers(self, *, graph_id: int | str | None) -> list[str]:
        return self._values(str, "graphs.readers", graph_id=graph_id)

    def entities_told(self, *, graph_id: int) -> list[GraphEntitiesToldRow]:
        return self._all(GraphEntitiesToldRow, "graphs.entities_told", graph_id=graph_id)

    def time_zone(self, *, id: int) -> GraphTimeZoneRow | None:
        """The user's time zone, else the graph's, else the project's."""
        return self._one(GraphTimeZoneRow, "graphs.time_zone", id=id)
