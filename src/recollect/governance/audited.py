"""A store that adds an audit entry to every write of a request or command.

The actor is in the `Access` that a unit is called with, and the entry is part of the unit's own
transaction: both are committed, or neither. A unit without an access, or with one that has no actor,
leaves no entry: that is how workers write what they derive from episodes.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from recollect.errors import InvariantViolated
from recollect.governance import audit, quotas
from recollect.governance.audit import Outcome, Told
from recollect.graph.acting import Acting, Target
from recollect.graph.types import Access, Json, Key, Project
from recollect.store.protocol import ApartGraph, Store, Transaction
from recollect.store.work import beside_others

_KINDS = {"policy": "policy_set"}
_NOT_FOUND = 404


def lasting_target(tx: Transaction, project_id: int, target: Target) -> Target | None:
    """The target under the server's own id, which may stay in the log after the target is deleted."""
    if not target.chosen:
        return target
    uuid = _uuid(tx, project_id, target)
    return None if uuid is None else Target(target.kind, uuid)


def existing_target(tx: Transaction, project_id: int, target: Target, status: int) -> Target | None:
    """The target of a request that did nothing, unless it no longer exists.

    It may have been erased, and the log must not bring its name back.
    """
    if target.chosen:
        return target if _uuid(tx, project_id, target) is not None else None
    return None if status == _NOT_FOUND else target


def _uuid(tx: Transaction, project_id: int, target: Target) -> str | None:
    """The server's id for a caller's id, or None if there is no such object."""
    named_target = {
        "user": tx.audit.names_user,
        "thread": tx.audit.names_thread,
        "graph": tx.audit.names_graph,
        "session_log": tx.audit.names_session_log,
    }.get(target.kind)
    return None if named_target is None else named_target(project_id=project_id, id=target.id)


def made_target(result: Any) -> Any:
    """The record inside a unit's result.

    A new key is wrapped with its secret, a repeatable write with its answer.
    """
    return getattr(result, "made", getattr(result, "key", result))


def named_target(action: str, record: Any) -> str | None:
    """The target that was created, under its new id."""
    kind = action.split(".")[0]
    kind = "key" if isinstance(record, Key) else _KINDS.get(kind, kind)
    id_ = getattr(record, "name" if kind == "policy_set" else "uuid", None)
    return f"{kind}:{id_}" if isinstance(id_, str) else None


def detailed(detail: Json | None, record: Any) -> Json | None:
    """The request's details, with the version of what it made and the receipt of an erasure."""
    told = dict(detail or {})
    version = getattr(record, "version", None)
    receipt = getattr(getattr(record, "receipt", None), "uuid", None)
    if isinstance(version, int):
        told["version"] = version
    if isinstance(receipt, str):
        told["receipt"] = receipt
    return told


def project_of(tx: Transaction, record: Any, name: str | None, target: Target | None) -> int | None:
    """The project that a command changed: from its result, the given name, or one of the project's keys."""
    if isinstance(record, Project):
        return record.id
    project_id = getattr(record, "project_id", None)
    if isinstance(project_id, int):
        return project_id
    if name is not None:
        project = tx.projects.by_name(name=name)
        return None if project is None else project.id
    if target is not None and target.kind == "key":
        key = tx.keys.by_uuid(uuid=target.id)
        return None if key is None else key.project_id
    return None


P = ParamSpec("P")
T = TypeVar("T")


def on_behalf(
    tx: Transaction, access: Access, unit: Callable[..., T], *args: Any, **kwargs: Any
) -> T:
    """Run a unit that takes no access in the name of *access*."""
    return unit(tx, *args, **kwargs)


class AuditedStore:
    """A store whose writes leave an audit entry if they have an actor."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def read(
        self, unit: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run *unit* on one consistent snapshot."""
        return await self._store.read(unit, *args, **kwargs)

    async def glance(
        self, unit: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a unit that looks up a few rows by key."""
        return await self._store.glance(unit, *args, **kwargs)

    async def write(
        self, unit: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run *unit* and commit it together with its audit entry."""
        access = next((one for one in args if isinstance(one, Access)), None)
        who = access.acting if access else None
        if access is None or who is None or who.reads:
            return await self._store.write(unit, *args, **kwargs)
        tell = _command if who.commands else _request

        def counted(tx: Transaction) -> T:
            quotas.spend(tx, access, "bytes", who.sent_bytes)
            return unit(tx, *args, **kwargs)

        @wraps(unit)
        def told(tx: Transaction, who: Acting) -> T:
            return tell(tx, who, counted)

        result: T = await self._store.write(told, who)
        who.written += 1
        who.sent_bytes = 0
        return result

    async def apart(self, graph_id: int) -> ApartGraph:
        """Copy what a graph is folded from; folding again has no actor and is not audited."""
        return await self._store.apart(graph_id)

    def on_work(self, wake: Callable[[], None]) -> None:
        """Call *wake* when work was added to the queue."""
        self._store.on_work(wake)

    def trouble(self) -> str | None:
        """Any known problem with the store's files or disk."""
        return self._store.trouble()

    async def scrub(self) -> bool:
        """Erase every byte that was deleted before this call from the store's files."""
        return await self._store.scrub()

    def scrub_soon(self) -> None:
        """Scrub in the background, without waiting."""
        self._store.scrub_soon()

    async def close(self) -> None:
        """Finish all submitted work, then release every file and thread."""
        await self._store.close()


@beside_others
def keep(tx: Transaction, who: Acting, outcome: Outcome, status: int, detail: Json | None) -> None:
    """Write the entry of a request that wrote nothing itself."""
    target = who.target and existing_target(tx, who.project_id, who.target, status)
    told = Told(
        actor=who.actor,
        action=who.action,
        outcome=outcome,
        status=status,
        target=None if target is None else str(target),
        detail=detail,
    )
    audit.tell(tx, who.project_id, told)


def _request(tx: Transaction, who: Acting, unit: Callable[[Transaction], T]) -> T:
    target = who.target
    if target is not None and who.erases:
        target = lasting_target(tx, who.project_id, target)
    result = unit(tx)
    audit.tell(tx, who.project_id, _told(who, target, made_target(result)))
    return result


def _command(tx: Transaction, who: Acting, unit: Callable[[Transaction], T]) -> T:
    before = tx.changes
    result = unit(tx)
    if tx.changes != before:
        made = made_target(result)
        project_id = project_of(tx, made, who.project, who.target)
        if project_id is None:
            raise InvariantViolated(f"{who.action} does not tell which project it changed")
        audit.tell(tx, project_id, _told(who, who.target, made))
    return result


def _told(who: Acting, target: Target | None, made: Any) -> Told:
    """The entry for a unit; a target that the request could not name yet has a name by now."""
    new = named_target(who.action, made) if who.target is None and not who.erases else None
    return Told(
        actor=who.actor,
        action=who.action,
        target=new if target is None else str(target),
        detail=detailed(who.detail, made),
    )
