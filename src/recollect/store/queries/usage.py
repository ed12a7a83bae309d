"""Daily usage of keys and projects."""

from typing import NamedTuple

from recollect.errors import InvariantViolated
from recollect.store.statements import Queries


class UsageRow(NamedTuple):
    episodes: int
    bytes: int


class DayUsageRow(NamedTuple):
    project: str
    limits: str | None
    key_uuid: str
    key_name: str | None
    episodes: int
    bytes: int


class UsageQueries(Queries):
    """Daily usage of keys and projects; an empty `key_uuid` stands for the whole project."""

    __slots__ = ()

    def of_day(self, *, project_id: int, key_uuid: str, day: int) -> UsageRow | None:
        """None if nothing was counted on that day."""
        return self._one(
            UsageRow, "usage.of_day", project_id=project_id, key_uuid=key_uuid, day=day
        )

    def on_day(self, *, day: int, limit: int) -> list[DayUsageRow]:
        """The usage of all projects on a day, with the limits chosen for each."""
        return self._all(DayUsageRow, "usage.on_day", day=day, limit=limit)

    def add(
        self, *, project_id: int, key_uuid: str, day: int, episodes: int, bytes: int
    ) -> UsageRow:
        """Returns the new totals."""
        used = self._one(
            UsageRow,
            "usage.add",
            project_id=project_id,
            key_uuid=key_uuid,
            day=day,
            episodes=episodes,
            bytes=bytes,
        )
        if used is None:
            raise InvariantViolated("what was counted is not there")
        return used

    def expire(self, *, before: int) -> int:
        return self._run("usage.expire", before=before)
