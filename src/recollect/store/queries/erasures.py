"""Receipts of what was erased."""

from typing import Any, NamedTuple

from recollect.store.statements import Queries


class ErasureRow(NamedTuple):
    id: int
    uuid: str
    project_id: int
    at: int
    kind: Any
    subject: str
    mode: Any
    removed: str
    kept: str
    scrubbed: int


class ErasureQueries(Queries):
    """Receipts of what was erased."""

    __slots__ = ()

    def insert(
        self,
        *,
        uuid: str,
        project_id: int,
        at: int,
        kind: str,
        subject: str,
        mode: str,
        removed: str | None,
        kept: str | None,
    ) -> int:
        return self._insert(
            "erasures.insert",
            uuid=uuid,
            project_id=project_id,
            at=at,
            kind=kind,
            subject=subject,
            mode=mode,
            removed=removed,
            kept=kept,
        )

    def scrubbed(self, *, uuid: str) -> int:
        """Marks this erasure and all earlier ones: a scrub covers everything deleted before it."""
        return self._run("erasures.scrubbed", uuid=uuid)

    def unscrubbed(self) -> str | None:
        return self._value(str, "erasures.unscrubbed")

    def by_uuid(self, *, uuid: str, project_id: int) -> ErasureRow | None:
        return self._one(ErasureRow, "erasures.by_uuid", uuid=uuid, project_id=project_id)

    def page(self, *, project_id: int, before: int | str | None, limit: int) -> list[ErasureRow]:
        return self._all(
            ErasureRow, "erasures.page", project_id=project_id, before=before, limit=limit
        )
