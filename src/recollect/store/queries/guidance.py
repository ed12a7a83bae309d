"""Ontologies, instructions and templates."""

from typing import NamedTuple

from recollect.store.statements import Queries


class GuidanceRow(NamedTuple):
    id: int
    uuid: str
    project_id: int
    kind: str
    scope: str
    graph_id: int | None
    name: str
    value: str
    created_at: int
    updated_at: int


class GuidanceQueries(Queries):
    """Ontologies, instructions and templates."""

    __slots__ = ()

    def put(
        self,
        *,
        uuid: str,
        project_id: int,
        kind: str,
        scope: str,
        graph_id: int | None,
        name: str,
        value: str | None,
        now: int,
    ) -> None:
        """Upserts by name, so an existing entry keeps its uuid and its place in the list."""
        self._post(
            "guidance.put",
            uuid=uuid,
            project_id=project_id,
            kind=kind,
            scope=scope,
            graph_id=graph_id,
            name=name,
            value=value,
            now=now,
        )

    def at(self, *, project_id: int, kind: str, scope: str) -> list[GuidanceRow]:
        return self._all(GuidanceRow, "guidance.at", project_id=project_id, kind=kind, scope=scope)

    def named(self, *, project_id: int, kind: str, scope: str, name: str) -> GuidanceRow | None:
        return self._one(
            GuidanceRow, "guidance.named", project_id=project_id, kind=kind, scope=scope, name=name
        )

    def delete(self, *, project_id: int, kind: str, scope: str, names: str | None) -> int:
        """Without names, deletes everything at the scope."""
        return self._run(
            "guidance.delete", project_id=project_id, kind=kind, scope=scope, names=names
        )

    def by_uuid(self, *, project_id: int, kind: str, uuid: str) -> GuidanceRow | None:
        return self._one(
            GuidanceRow, "guidance.by_uuid", project_id=project_id, kind=kind, uuid=uuid
        )

    def rename(self, *, name: str, project_id: int, uuid: str) -> None:
        self._post("guidance.rename", name=name, project_id=project_id, uuid=uuid)
