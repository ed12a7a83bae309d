"""The rows that search segments are built from, and their snapshots."""

from typing import NamedTuple

from recollect.store.statements import Queries


class IndexVectorsOfRow(NamedTuple):
    item_id: int
    vector: bytes | None


class IndexRowsBetweenRow(NamedTuple):
    version: int
    item_kind: str
    item_id: int
    terms: bytes | None
    vector: bytes | None


class IndexFactsRow(NamedTuple):
    id: int
    source_id: int
    target_id: int
    name: str
    created_at: int
    valid_at: int | None
    invalid_at: int | None
    expired_at: int | None
    rating: float | None
    attributes: str | None
    weighed: int
    took_place: int
    denies: int
    doubts: str


class IndexEndingsRow(NamedTuple):
    fact_id: int
    episode_id: int | None
    ended_at: int | None
    expired_at: int | None


class IndexEntitiesRow(NamedTuple):
    id: int
    created_at: int
    labels: str
    attributes: str | None
    is_user: int


class IndexEpisodesRow(NamedTuple):
    id: int
    created_at: int
    seq: int
    role: str | None
    speaker: str | None
    metadata: str | None
    producer: str | None
    kept_for: str | None
    addressee: str | None
    asked: str | None
    open: int
    strand: str | None


class IndexSupportsRow(NamedTuple):
    item_id: int
    episode_id: int


class IndexObservationsRow(NamedTuple):
    id: int
    created_at: int
    facts: str


class IndexSummariesRow(NamedTuple):
    id: int
    created_at: int
    strand: str | None


class IndexSnapshotRow(NamedTuple):
    version: int
    data: bytes


class IndexQueries(Queries):
    """The rows that search segments are built from, and their snapshots."""

    __slots__ = ()

    def row_put(
        self,
        *,
        graph_id: int,
        version: int,
        item_kind: str,
        item_id: int,
        terms: bytes,
        vector: bytes | None,
    ) -> None:
        self._post(
            "index.row_put",
            graph_id=graph_id,
            version=version,
            item_kind=item_kind,
            item_id=item_id,
            terms=terms,
            vector=vector,
        )

    def rows_touch(self, *, version: int, ids: str | None, graph_id: int, item_kind: str) -> None:
        """The items' filterable fields changed; the first row gets the given version.

        CROSS JOIN fixes the join order: an UPDATE FROM a list would scan all rows of the kind.
        """
        self._post(
            "index.rows_touch", version=version, ids=ids, graph_id=graph_id, item_kind=item_kind
        )

    def rows_remove(self, *, version: int, ids: str | None, graph_id: int, item_kind: str) -> None:
        self._post(
            "index.rows_remove", version=version, ids=ids, graph_id=graph_id, item_kind=item_kind
        )

    def rows_among(self, *, graph_id: int, item_kind: str, ids: str | None) -> list[int]:
        return self._values(
            int, "index.rows_among", graph_id=graph_id, item_kind=item_kind, ids=ids
        )

    def vectors_of(
        self, *, graph_id: int, item_kind: str, ids: str | None
    ) -> list[IndexVectorsOfRow]:
        return self._all(
            IndexVectorsOfRow, "index.vectors_of", graph_id=graph_id, item_kind=item_kind, ids=ids
        )

    def rows_between(self, *, graph_id: int, since: int, until: int) -> list[IndexRowsBetweenRow]:
        return self._all(
            IndexRowsBetweenRow, "index.rows_between", graph_id=graph_id, since=since, until=until
        )

    def facts(self, *, graph_id: int, ids: str | None) -> list[IndexFactsRow]:
        return self._all(IndexFactsRow, "index.facts", graph_id=graph_id, ids=ids)

    def endings(self, *, ids: str | None) -> list[IndexEndingsRow]:
        return self._all(IndexEndingsRow, "index.endings", ids=ids)

    def entities(self, *, graph_id: int, ids: str | None) -> list[IndexEntitiesRow]:
        return self._all(IndexEntitiesRow, "index.entities", graph_id=graph_id, ids=ids)

    def episodes(self, *, graph_id: int, ids: str | None) -> list[IndexEpisodesRow]:
        return self._all(IndexEpisodesRow, "index.episodes", graph_id=graph_id, ids=ids)

    def supports(self, *, ids: str | None) -> list[IndexSupportsRow]:
        return self._all(IndexSupportsRow, "index.supports", ids=ids)

    def mentions(self, *, ids: str | None) -> list[IndexSupportsRow]:
        return self._all(IndexSupportsRow, "index.mentions", ids=ids)

    def observations(self, *, graph_id: int, ids: str | None) -> list[IndexObservationsRow]:
        return self._all(IndexObservationsRow, "index.observations", graph_id=graph_id, ids=ids)

    def summaries(self, *, graph_id: int, ids: str | None) -> list[IndexSummariesRow]:
        return self._all(IndexSummariesRow, "index.summaries", graph_id=graph_id, ids=ids)

    def snapshot(self, *, graph_id: int) -> list[IndexSnapshotRow]:
        return self._all(IndexSnapshotRow, "index.snapshot", graph_id=graph_id)

    def snapshot_head(self, *, graph_id: int) -> bytes | None:
        return self._value(bytes, "index.snapshot_head", graph_id=graph_id)

    def snapshot_put(self, *, graph_id: int, chunk: int, version: int, data: bytes) -> None:
        self._post("index.snapshot_put", graph_id=graph_id, chunk=chunk, version=version, data=data)

    def snapshot_drop(self, *, graph_id: int) -> int:
        return self._run("index.snapshot_drop", graph_id=graph_id)
