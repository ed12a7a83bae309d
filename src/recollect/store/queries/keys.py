"""API keys."""

from typing import NamedTuple

from recollect.graph.policy import Mode, Role
from recollect.store.statements import Queries


class KeyRow(NamedTuple):
    id: int
    uuid: str
    project_id: int
    name: str
    prefix: str
    hash: bytes
    created_at: int
    revoked_at: int | None
    is_admin: int
    role: Role
    mode: Mode
    logs_reads: int
    mcp_write: int
    project_uuid: str
    project_name: str
    project_limits: str | None
    has_policies: int


class KeyQueries(Queries):
    """API keys."""

    __slots__ = ()

    def insert(
        self,
        *,
        uuid: str,
        project_id: int,
        name: str,
        prefix: str,
        hash: bytes,
        is_admin: int,
        role: str,
        mode: str,
        logs_reads: int,
        mcp_write: int,
        now: int,
    ) -> None:
        self._post(
            "keys.insert",
            uuid=uuid,
            project_id=project_id,
            name=name,
            prefix=prefix,
            hash=hash,
            is_admin=is_admin,
            role=role,
            mode=mode,
            logs_reads=logs_reads,
            mcp_write=mcp_write,
            now=now,
        )

    def by_hash(self, *, hash: bytes) -> KeyRow | None:
        return self._one(KeyRow, "keys.by_hash", hash=hash)

    def by_uuid(self, *, uuid: str) -> KeyRow | None:
        return self._one(KeyRow, "keys.by_uuid", uuid=uuid)

    def all(self) -> list[KeyRow]:
        return self._all(KeyRow, "keys.all")

    def of_project(self, *, project_id: int) -> list[KeyRow]:
        return self._all(KeyRow, "keys.of_project", project_id=project_id)

    def change(self, *, role: str, mode: str, logs_reads: int, mcp_write: int, uuid: str) -> None:
        self._post(
            "keys.change",
            role=role,
            mode=mode,
            logs_reads=logs_reads,
            mcp_write=mcp_write,
            uuid=uuid,
        )

    def revoke(self, *, now: int, uuid: str) -> int:
        return self._run("keys.revoke", now=now, uuid=uuid)

    def named(self, *, project_id: int, name: str) -> int | None:
        return self._value(int, "keys.named", project_id=project_id, name=name)

    def set_secret(self, *, hash: bytes, prefix: str, id: int) -> None:
        """Only the secret changes; the key keeps its identity, role and policies."""
        self._post("keys.set_secret", hash=hash, prefix=prefix, id=id)

    def replace_named(self, *, project_id: int, name: str, hash: bytes) -> int:
        """Delete the previous key that was set by the environment.

        A revoked key is kept, so that it is recognised as revoked.
        """
        return self._run("keys.replace_named", project_id=project_id, name=name, hash=hash)
