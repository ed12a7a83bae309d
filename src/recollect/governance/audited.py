"""A store that tells the audit log of every write that a request or a command makes.

Whoever acts says so in a context variable. Each unit that is then written carries its entry in
the same transaction: both are there, or neither. Workers act for nobody, so what they derive
from the episodes leaves no entries.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Concatenate, ParamSpec, TypeVar

from recollect.errors import InvariantViolated
from recollect.governance import audit, audit_targets
from recollect.governance.audit import Outcome, Told
from recollect.governance.audit_targets import Target
from recollect.graph.types import Json
from recollect.store.protocol import ApartGraph, Row, Store, Transaction

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(slots=True)
class Acting:
    """Who acts, and on what; *written* counts the units that were committed meanwhile.

    *detail* is None until it is known what exactly is asked for.
    *erases*: the target may be gone afterwards, so it is named by the server's own id.
    *reads*: nothing is to be changed; a cache may be.
    *commands*: what is changed tells the project, unless it is named here, and a unit that
    changes nothing has no entry.
    """

    actor: str
    action: str
    project_id: int = 0
    target: Target | None = None
    detail: Json | None = None
    erases: bool = False
    reads: bool = False
    commands: bool = False
    project: str | None = None
    written: int = 0


_ACTING: ContextVar[Acting | None] = ContextVar("acting", default=None)


@contextmanager
def acting(who: Acting) -> Iterator[Acting]:
    """Let *who* be the one that acts, here and in every task and thread begun from here."""
    token = _ACTING.set(who)
    try:
        yield who
    finally:
        _ACTING.reset(token)


def who_acts() -> Acting | None:
    """Who acts here, if anybody does."""
    return _ACTING.get()


def by_command(
    action: str,
    *,
    project: str | None = None,
    target: Target | None = None,
    detail: Json | None = None,
) -> Acting:
    """Somebody at the command line."""
    return Acting(
        actor=audit.COMMAND,
        action=action,
        target=target,
        detail=detail,
        commands=True,
        project=project,
    )


class AuditedStore:
    """A store whose writes leave entries while somebody acts."""

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
        """Run a unit that looks up a few rows by their keys."""
        return await self._store.glance(unit, *args, **kwargs)

    async def write(
        self, unit: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run *unit* and commit it, together with the entry that tells of it."""
        who = _ACTING.get()
        if who is None or who.reads:
            return await self._store.write(unit, *args, **kwargs)
        tell = _command if who.commands else _request
        result: T = await self._store.write(tell, who, lambda tx: unit(tx, *args, **kwargs))
        who.written += 1
        return result

    async def apart(self, graph_id: int) -> ApartGraph:
        """What a graph is folded from; deriving it again is nobody's act."""
        return await self._store.apart(graph_id)

    def trouble(self) -> str | None:
        """What is known to be wrong with the store's files or their disk."""
        return self._store.trouble()

    async def scrub(self) -> bool:
        """Leave no byte of what was deleted before this call in the store's files."""
        return await self._store.scrub()

    def scrub_soon(self) -> None:
        """Have the same done in the background, without anyone waiting for it."""
        self._store.scrub_soon()

    async def close(self) -> None:
        """Finish what was handed in, then let go of every file and thread."""
        await self._store.close()


def keep(tx: Transaction, who: Acting, outcome: Outcome, status: int, detail: Json | None) -> None:
    """Write the entry of a request that wrote nothing itself."""
    target = who.target and audit_targets.existing(tx, who.project_id, who.target, status)
    told = Told(
        actor=who.actor,
        action=who.action,
        outcome=outcome,
        status=status,
        target=None if target is None else str(target),
        detail=detail,
    )
    audit.append(tx, who.project_id, told)


def _request(tx: Transaction, who: Acting, unit: Callable[[Transaction], T]) -> T:
    target = who.target
    if target is not None and who.erases:
        target = audit_targets.lasting(tx, who.project_id, target)
    result = unit(tx)
    audit.append(tx, who.project_id, _told(who, target, audit_targets.made(result)))
    return result


def _command(tx: Transaction, who: Acting, unit: Callable[[Transaction], T]) -> T:
    watched = _Watched(tx)
    result = unit(watched)
    if watched.changed:
        made = audit_targets.made(result)
        project_id = audit_targets.project_of(tx, made, who.project, who.target)
        if project_id is None:
            raise InvariantViolated(f"{who.action} does not tell which project it changed")
        audit.append(tx, project_id, _told(who, who.target, made))
    return result


def _told(who: Acting, target: Target | None, made: Any) -> Told:
    """What is said of a unit; what the request could not name yet has a name by now."""
    new = audit_targets.named(who.action, made) if who.target is None and not who.erases else None
    return Told(
        actor=who.actor,
        action=who.action,
        target=new if target is None else str(target),
        detail=audit_targets.detailed(who.detail, made),
    )


class _Watched:
    """A transaction that remembers whether anything was changed through it."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self.changed = False

    @property
    def now(self) -> datetime:
        return self._tx.now

    def new_id(self) -> str:
        return self._tx.new_id()

    def one(self, query: str, /, order: str | None = None, **params: Any) -> Row | None:
        return self._tx.one(query, order, **params)

    def all(self, query: str, /, order: str | None = None, **params: Any) -> list[Row]:
        return self._tx.all(query, order, **params)

    def insert(self, query: str, /, **params: Any) -> int:
        self.changed = True
        return self._tx.insert(query, **params)

    def run(self, query: str, /, **params: Any) -> int:
        count = self._tx.run(query, **params)
        self.changed = self.changed or count != 0
        return count
