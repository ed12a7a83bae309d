"""The audit log."""

from typing import Any, NamedTuple

from recollect.store.statements import Queries


class AuditHeadRow(NamedTuple):
    number: int
    hash: bytes


class AuditEntryRow(NamedTuple):
    project_id: int
    number: int
    at: int
    actor: str
    action: str
    outcome: Any
    status: int | None
    target: str | None
    salt: bytes | None
    target_digest: bytes | None
    detail: str | None
    hash: bytes


class AuditQueries(Queries):
    """The audit log."""

    __slots__ = ()

    def head(self, *, project_id: int) -> AuditHeadRow | None:
        return self._one(AuditHeadRow, "audit.head", project_id=project_id)

    def follow(
        self,
        *,
        project_id: int,
        number: int,
        at: int,
        actor: str,
        action: str,
        outcome: str,
        status: int | str | None,
        target: str | None,
        salt: bytes | None,
        target_digest: bytes | None,
        detail: str | None,
        hash: bytes,
        before: bytes | int,
    ) -> int:
        """Append after the entry *before*; adds nothing if that is no longer the last.

        The first entry of a chain follows none.
        """
        return self._run(
            "audit.follow",
            project_id=project_id,
            number=number,
            at=at,
            actor=actor,
            action=action,
            outcome=outcome,
            status=status,
            target=target,
            salt=salt,
            target_digest=target_digest,
            detail=detail,
            hash=hash,
            before=before,
        )

    def add(
        self,
        *,
        project_id: int,
        number: int,
        at: int,
        actor: str,
        action: str,
        outcome: str,
        status: int | None,
        target: str | None,
        salt: bytes | None,
        target_digest: bytes | None,
        detail: str | None,
        hash: bytes,
    ) -> None:
        """Append an entry after one that this transaction has just added."""
        self._post(
            "audit.add",
            project_id=project_id,
            number=number,
            at=at,
            actor=actor,
            action=action,
            outcome=outcome,
            status=status,
            target=target,
            salt=salt,
            target_digest=target_digest,
            detail=detail,
            hash=hash,
        )

    def page(
        self,
        *,
        project_id: int,
        before: int,
        action: str | None,
        outcome: str | None,
        actor: str | None,
        since: int | None,
        limit: int,
    ) -> list[AuditEntryRow]:
        """Newest first; a filter that is NULL does not apply."""
        return self._all(
            AuditEntryRow,
            "audit.page",
            project_id=project_id,
            before=before,
            action=action,
            outcome=outcome,
            actor=actor,
            since=since,
            limit=limit,
        )

    def after(self, *, project_id: int, after: int, limit: int) -> list[AuditEntryRow]:
        return self._all(
            AuditEntryRow, "audit.after", project_id=project_id, after=after, limit=limit
        )

    def redact(self, *, project_id: int, targets: str | None) -> int:
        return self._run("audit.redact", project_id=project_id, targets=targets)

    def names_user(self, *, project_id: int, id: str) -> str | None:
        return self._value(str, "audit.names_user", project_id=project_id, id=id)

    def names_thread(self, *, project_id: int, id: str) -> str | None:
        return self._value(str, "audit.names_thread", project_id=project_id, id=id)

    def names_session_log(self, *, project_id: int, id: str) -> str | None:
        return self._value(str, "audit.names_session_log", project_id=project_id, id=id)

    def names_graph(self, *, project_id: int, id: str) -> str | None:
        return self._value(str, "audit.names_graph", project_id=project_id, id=id)
