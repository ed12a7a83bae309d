"""Policy sets, their versions, and what they are attached to."""

from typing import NamedTuple

from recollect.graph.policy import Mode
from recollect.store.statements import Queries


class PolicySetRow(NamedTuple):
    id: int
    uuid: str
    project_id: int
    name: str
    version: int
    mode: Mode
    spec: str
    for_all_users: int
    created_at: int
    updated_at: int
    keys: int
    user_groups: int


class PolicySetVersionsRow(NamedTuple):
    version: int
    mode: Mode
    spec: str
    created_at: int


class PolicySetNamesOfKeysRow(NamedTuple):
    key_uuid: str
    name: str


class PolicyQueries(Queries):
    """Policy sets, their versions, and what they are attached to."""

    __slots__ = ()

    def set_insert(
        self, *, uuid: str, project_id: int, name: str, mode: str, spec: str, now: int
    ) -> int:
        return self._insert(
            "policies.set_insert",
            uuid=uuid,
            project_id=project_id,
            name=name,
            mode=mode,
            spec=spec,
            now=now,
        )

    def set_update(self, *, mode: str, spec: str, now: int, id: int | str) -> None:
        self._post("policies.set_update", mode=mode, spec=spec, now=now, id=id)

    def set_version_insert(self, *, id: int | str) -> None:
        self._post("policies.set_version_insert", id=id)

    def set_by_name(self, *, project_id: int, name: str) -> PolicySetRow | None:
        return self._one(PolicySetRow, "policies.set_by_name", project_id=project_id, name=name)

    def set_by_uuid(self, *, uuid: str, project_id: int) -> PolicySetRow | None:
        return self._one(PolicySetRow, "policies.set_by_uuid", uuid=uuid, project_id=project_id)

    def sets_of_project(self, *, project_id: int, limit: int) -> list[PolicySetRow]:
        return self._all(
            PolicySetRow, "policies.sets_of_project", project_id=project_id, limit=limit
        )

    def sets_count(self, *, project_id: int) -> int | None:
        return self._value(int, "policies.sets_count", project_id=project_id)

    def set_versions(self, *, id: int, limit: int) -> list[PolicySetVersionsRow]:
        return self._all(PolicySetVersionsRow, "policies.set_versions", id=id, limit=limit)

    def specs(self, *, project_id: int) -> list[str]:
        return self._values(str, "policies.specs", project_id=project_id)

    def total_bytes(self, *, project_id: int) -> int | None:
        return self._value(int, "policies.total_bytes", project_id=project_id)

    def set_delete(self, *, id: int) -> int:
        return self._run("policies.set_delete", id=id)

    def sets_of_key(self, *, key_id: int) -> list[PolicySetRow]:
        return self._all(PolicySetRow, "policies.sets_of_key", key_id=key_id)

    def set_names_of_keys(self, *, project_id: int) -> list[PolicySetNamesOfKeysRow]:
        return self._all(
            PolicySetNamesOfKeysRow, "policies.set_names_of_keys", project_id=project_id
        )

    def set_attach(self, *, key_id: int, policy_set_id: int) -> int:
        return self._run("policies.set_attach", key_id=key_id, policy_set_id=policy_set_id)

    def set_detach(self, *, key_id: int, policy_set_id: int) -> int:
        return self._run("policies.set_detach", key_id=key_id, policy_set_id=policy_set_id)

    def sets_of_group(self, *, group_id: int) -> list[PolicySetRow]:
        return self._all(PolicySetRow, "policies.sets_of_group", group_id=group_id)

    def sets_of_all_users(self, *, project_id: int) -> list[PolicySetRow]:
        return self._all(PolicySetRow, "policies.sets_of_all_users", project_id=project_id)

    def set_detach_from_group(self, *, group_id: int, policy_set_id: int) -> int:
        return self._run(
            "policies.set_detach_from_group", group_id=group_id, policy_set_id=policy_set_id
        )

    def set_not_for_all_users(self, *, id: int) -> int:
        return self._run("policies.set_not_for_all_users", id=id)
