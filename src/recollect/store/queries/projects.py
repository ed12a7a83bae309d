"""Projects, which are the tenants."""

from typing import NamedTuple

from recollect.store.statements import Queries


class ProjectRow(NamedTuple):
    id: int
    uuid: str
    name: str
    description: str | None
    default_time_zone: str | None
    created_at: int
    guarded: str
    limits: str | None


class ProjectQueries(Queries):
    """Projects, which are the tenants."""

    __slots__ = ()

    def guarded(self, *, project_id: int) -> str | None:
        return self._value(str, "projects.guarded", project_id=project_id)

    def guards(self, *, keys: str | None, project_id: int) -> None:
        self._post("projects.guards", keys=keys, project_id=project_id)

    def insert(self, *, uuid: str, name: str, description: str | None, now: int) -> None:
        self._post("projects.insert", uuid=uuid, name=name, description=description, now=now)

    def by_name(self, *, name: str) -> ProjectRow | None:
        return self._one(ProjectRow, "projects.by_name", name=name)

    def by_id(self, *, id: int) -> ProjectRow | None:
        return self._one(ProjectRow, "projects.by_id", id=id)

    def first(self) -> int | None:
        return self._value(int, "projects.first")

    def touch(self) -> int:
        """Rewrite a row unchanged, to test whether the store is writable."""
        return self._run("projects.touch")

    def all(self) -> list[ProjectRow]:
        return self._all(ProjectRow, "projects.all")

    def describe(self, *, description: str | None, id: int) -> None:
        self._post("projects.describe", description=description, id=id)

    def limit(self, *, limits: str | None, id: int) -> None:
        self._post("projects.limit", limits=limits, id=id)

    def set_time_zone(self, *, time_zone: str | None, id: int) -> None:
        self._post("projects.set_time_zone", time_zone=time_zone, id=id)
