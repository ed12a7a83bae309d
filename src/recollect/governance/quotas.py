"""Daily quotas of keys and projects, counted in the transaction of the write.

Days are UTC. Only what is limited is counted, so a deployment without limits pays nothing. A refused
write is rolled back with its count, and counts survive a restart.
"""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import NamedTuple

import msgspec

from recollect.errors import LimitReached
from recollect.governance import keys
from recollect.graph import usage
from recollect.graph.types import Access, Project, Record
from recollect.graph.usage import DAILY, SCOPES, Chosen, Daily, Scope, UsageLimits
from recollect.limits import USAGE_DAYS_KEPT
from recollect.store.protocol import Transaction
from recollect.store.queries.usage import UsageRow

_encode = msgspec.json.Encoder().encode
_THE_PROJECT = ""  # stored in place of a key
_NEARLY = 0.9  # refused writes are not counted, so a request that is too big leaves some over


class ProjectLimits(Record):
    """The limits chosen for a project, those in force, and today's usage."""

    project: Project
    chosen: Chosen
    in_force: UsageLimits
    used: dict[str, int]

    @property
    def uuid(self) -> str:
        """The uuid of the project."""
        return self.project.uuid

    @property
    def project_id(self) -> int:
        """The project's row id, by which the audit log finds it."""
        return self.project.id


class SpentQuota(Record):
    """A quota that is nearly used up today; *key* is None if it is the project's."""

    project: str
    key: str | None
    limit: str
    used: int
    most: int


def spent(tx: Transaction, settings: UsageLimits, most: int) -> list[SpentQuota]:
    """The quotas of all projects that are used up today, or nearly."""
    found = []
    for row in tx.usage.on_day(day=_day(tx.now), limit=most):
        limits = usage.in_force(settings, usage.decoded(row.limits)) or usage.NO_LIMITS
        scope: Scope = "key" if row.key_uuid else "project"
        for what in DAILY:
            allowed, used = limits.a_day(scope, what), getattr(row, what)
            if allowed is not None and used >= allowed * _NEARLY:
                found.append(
                    SpentQuota(
                        project=row.project,
                        key=(row.key_name or row.key_uuid) if row.key_uuid else None,
                        limit=f"{scope}_{what}_per_day",
                        used=used,
                        most=allowed,
                    )
                )
    return found


class _Spent(NamedTuple):
    """What a unit uses of a daily quota."""

    scope: Scope
    whose: str
    what: Daily
    amount: int
    most: int
    at: datetime


def spend(tx: Transaction, access: Access, what: Daily, amount: int) -> None:
    """Count *amount* for today; raises LimitReached if it exceeds what a quota has left.

    Counting happens at the end of the transaction, because the whole project contends for the row. What
    is clearly too much is refused at once.
    """
    limits = access.limits
    if limits is None or not amount or not access.key_uuid:
        return
    for scope in SCOPES:
        most = limits.a_day(scope, what)
        if most is None:
            continue
        spent = _Spent(scope, _whose(access, scope), what, amount, most, tx.now)
        found = tx.usage.of_day(
            project_id=access.project_id, key_uuid=spent.whose, day=_day(spent.at)
        )
        _check(spent, amount if found is None else getattr(found, what) + amount)
        tx.at_end(access.project_id, _count, spent)


def _check(spent: _Spent, used: int) -> None:
    """Refuse usage above the limit."""
    if used > spent.most:
        left_s = _until_tomorrow_s(spent.at)
        raise LimitReached(
            f"{spent.scope}_{spent.what}_per_day: {spent.most} per day are allowed to one {spent.scope}; "
            f"{used - spent.amount} are used, and this asks for {spent.amount} more; the next day begins "
            f"in {left_s} s",
            retry_after_s=left_s,
        )


def _count(tx: Transaction, project_id: int, items: Sequence[_Spent]) -> None:
    """Count, and refuse what concurrent units left no room for; the day's first count deletes the oldest."""
    for spent in items:
        day, of = _day(spent.at), {spent.what: spent.amount}
        used = tx.usage.add(
            project_id=project_id, key_uuid=spent.whose, day=day, **{"episodes": 0, "bytes": 0} | of
        )
        _check(spent, getattr(used, spent.what))
        if used == UsageRow(**{"episodes": 0, "bytes": 0} | of):
            tx.usage.expire(before=day - USAGE_DAYS_KEPT)


def _whose(access: Access, scope: Scope) -> str:
    return access.key_uuid if scope == "key" else _THE_PROJECT


def _day(now: datetime) -> int:
    return now.astimezone(UTC).date().toordinal()


def _until_tomorrow_s(now: datetime) -> int:
    today = now.astimezone(UTC)
    tomorrow = datetime.combine(today.date() + timedelta(days=1), time(), UTC)
    return max(1, int((tomorrow - today).total_seconds()) + 1)


def choose(
    tx: Transaction, access: Access, name: str, chosen: Chosen, settings: UsageLimits
) -> ProjectLimits:
    """Replace all limits chosen for a project."""
    for limit, value in chosen.items():
        usage.check(limit, value)
    project = keys.project_named(tx, name)
    tx.projects.limit(limits=_encode(chosen).decode() if chosen else None, id=project.id)
    return look(tx, access, name, settings)


def change(
    tx: Transaction,
    access: Access,
    name: str,
    changes: Chosen,
    dropped: Collection[str],
    settings: UsageLimits,
) -> ProjectLimits:
    """Change some limits of a project; those *dropped* revert to the settings."""
    before = look(tx, access, name, settings).chosen
    kept = {limit: value for limit, value in (before | changes).items() if limit not in dropped}
    return choose(tx, access, name, kept, settings)


def look(tx: Transaction, access: Access, name: str, settings: UsageLimits) -> ProjectLimits:
    """The limits of a project, and its usage today."""
    project = keys.project_named(tx, name)
    row = tx.projects.by_id(id=project.id)
    chosen = usage.decoded(row.limits if row else None)
    used = tx.usage.of_day(project_id=project.id, key_uuid=_THE_PROJECT, day=_day(tx.now))
    return ProjectLimits(
        project=project,
        chosen=chosen,
        in_force=usage.in_force(settings, chosen) or usage.NO_LIMITS,
        used={what: 0 if used is None else getattr(used, what) for what in DAILY},
    )


def own(tx: Transaction, access: Access, settings: UsageLimits) -> ProjectLimits:
    """The same for the caller's project."""
    return look(tx, access, keys.project_of(tx, access).name, settings)
