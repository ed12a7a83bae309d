"""Authorization: which access a key gives, what the policies decide, and what the audit log records.

A write adds its audit entry in its own transaction (`governance.audited`). The `Auditor` records the rest:
requests that were refused or failed, mutations that wrote nothing, and reads by keys whose reads are logged.
Malformed requests (unknown action, no key, invalid input) leave no entry. Failures are recorded at a bounded
rate per key, so that a caller cannot fill the disk by being refused.
"""

import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Protocol, TypeVar

from msgspec.structs import replace

from recollect import log
from recollect.app.guessing import Guesses
from recollect.errors import NotAllowed, NotAuthenticated
from recollect.governance import audit, audited, keys
from recollect.governance.audit import Outcome
from recollect.graph import policy
from recollect.graph.acting import Acting
from recollect.graph.policy import Decision, KeyPolicy
from recollect.graph.types import Access
from recollect.graph.usage import NO_LIMITS, UsageLimits
from recollect.graph.visibility import both
from recollect.limits import AUDIT_FAILURES_AT_ONCE, AUDIT_FAILURES_PER_S
from recollect.store.protocol import Store

actor_of = audit.actor_of

T = TypeVar("T")

_log = log.get(__name__)
_REMEMBERED_S = 1.0
_REMEMBERED_MAX = 10_000
_UNGOVERNED = Decision(outcome="allowed", why="no policy applies to the key")
_NO_ADMIN = Decision(outcome="denied", why="only an admin key manages access")
_FORBIDDEN = 403
_NOT_KEPT = frozenset({400, 401, 405, 413})  # the request named nothing that exists


class Authenticator:
    """Looks up keys and caches the result for a second, so a revoked key stops working within one."""

    def __init__(
        self, store: Store, limits: UsageLimits = NO_LIMITS, guesses: Guesses | None = None
    ) -> None:
        self._store = store
        self._limits = limits
        self._guesses = guesses or Guesses(0)
        self._known: dict[bytes, tuple[float, Access]] = {}

    async def access(self, secret: str, address: str = "") -> Access:
        """The access that a key gives.

        Raises NotAuthenticated for an unknown key, and LimitReached after too many of them from *address*.
        """
        self._guesses.check(address, secret)
        digest = keys.hashed(secret)
        remembered = self._known.get(digest)
        now = time.monotonic()
        if remembered is not None and remembered[0] > now:
            return remembered[1]
        access = await self._store.glance(keys.authenticate, digest, self._limits)
        if access is None:
            self._known.pop(digest, None)
            self._guesses.wrong(address, digest)
            raise NotAuthenticated
        if len(self._known) >= _REMEMBERED_MAX:
            self._known.clear()
        self._known[digest] = (now + _REMEMBERED_S, access)
        return access

    async def of_subject(self, project: str, subject_uuid: str, *, writes: bool) -> Access:
        """The access of a subject that a token issuer has authenticated."""
        found = await self._store.glance(
            keys.of_subject, project, subject_uuid, self._limits, writes=writes
        )
        if found is None:
            raise NotAllowed("the token is for a project that does not exist here")
        return found

    async def seen_as(self, access: Access, key_uuid: str) -> Access:
        """An administrator's access, restricted to what another key of the project may do and see."""
        return await self._store.glance(keys.seen_as, access, key_uuid)


class Governed(Protocol):
    """An operation that callers can request, with the action name that policies use for it."""

    @property
    def action(self) -> str:
        """The action name in policies."""

    @property
    def public(self) -> bool:
        """Whether it needs no key."""

    @property
    def admin(self) -> bool:
        """Whether it manages access: this takes an admin key, whatever the policies say."""

    @property
    def mutates(self) -> bool:
        """Whether it may change stored data."""

    @property
    def shows(self) -> str | None:
        """The read action that covers what a write returns: the caller needs permission for it, too."""


class Actions:
    """All actions, and which of them a key may perform.

    An action counts as mutating if any operation under its name mutates.
    """

    def __init__(self, offered: Iterable[Governed]) -> None:
        governed = [one for one in offered if not (one.public or one.admin)]
        self.known = frozenset(one.action for one in governed)
        self.reading = self.known - {one.action for one in governed if one.mutates}
        self._decided: dict[tuple[str, str], tuple[KeyPolicy, Decision]] = {}

    def decide(self, access: Access, action: str) -> Decision:
        """The decision of a key's policies on an action."""
        given = access.policy
        if given is None:
            return _UNGOVERNED
        # Compared by identity: policies that compare equal may still differ, as 1 and True do.
        policy_then, decided = self._decided.get((access.key_uuid, action), (None, _UNGOVERNED))
        if policy_then is given:
            return decided
        reads = action in self.reading
        decided = policy.decide(given.role, given.mode, given.sets, action, reads=reads)
        if len(self._decided) >= _REMEMBERED_MAX:
            self._decided.clear()
        self._decided[access.key_uuid, action] = (given, decided)
        return decided

    def decide_on(self, asked: Governed, access: Access) -> Decision:
        """The decision on a requested operation, which may be for admins only."""
        if asked.admin and not access.is_admin:
            return _NO_ADMIN
        return self.decide(access, asked.action)

    def permitted(self, asked: Governed, access: Access, decision: Decision) -> Access:
        """The access for an allowed operation, narrowed to what the read behind its answer may see.

        Raises NotAllowed otherwise, without telling the caller which rule denied it.
        """
        needed = [(asked.action, decision)]
        if asked.shows is not None:
            needed.append((asked.shows, self.decide(access, asked.shows)))
        seen = None
        for action, found in needed:
            if not found.allowed:
                raise NotAllowed(f"this key may not do {action}")
            seen = both(seen, found.visibility)
        return access if seen is None else replace(access, visibility=seen)


def narrowed(access: Access, decision: Decision) -> Access:
    """The access for one action, with the visibility that was decided."""
    if access.visibility is None and decision.visibility is None:
        return access
    return replace(access, visibility=decision.visibility)


class Allowance:
    """How many more failures of a key get an audit entry each; the rest are only counted."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._states: dict[str, tuple[float, float, int]] = {}

    def take(self, actor: str) -> int | None:
        """How many failures were skipped since the last recorded one; None: skip this one, too."""
        now = self._clock()
        room, since, left_out = self._states.get(actor, (float(AUDIT_FAILURES_AT_ONCE), now, 0))
        room = min(float(AUDIT_FAILURES_AT_ONCE), room + (now - since) * AUDIT_FAILURES_PER_S)
        kept = room >= 1.0
        self._states[actor] = (room - 1.0, now, 0) if kept else (room, now, left_out + 1)
        return left_out if kept else None


class Auditor:
    """Runs operations and makes sure that the audit log records them."""

    def __init__(self, store: Store, allowance: Allowance | None = None) -> None:
        self._store = store
        self._allowance = allowance or Allowance()

    async def watch(
        self,
        who: Acting,
        access: Access,
        act: Callable[[Access], Awaitable[T]],
        status_of: Callable[[T | Exception], int | None],
    ) -> T:
        """The result of an operation, returned once every audit entry it needs is on disk.

        *status_of* gives the status it ended with; None if the caller is gone.
        """
        try:
            result = await act(replace(access, acting=who))
        except Exception as error:
            status = status_of(error)
            if status is not None:
                await self._failed(who, status)
            raise
        status = status_of(result)
        if status is not None and status >= 400:
            await self._failed(who, status)
        elif status is not None and not who.written:
            await self._store.write(audited.keep, who, "done", status, who.detail)
        return result

    async def _failed(self, who: Acting, status: int) -> None:
        """Record a failure, if it qualifies. An error here is logged and not raised."""
        if status != _FORBIDDEN and (status in _NOT_KEPT or who.detail is None):
            return
        left_out = self._allowance.take(who.actor)
        if left_out is None:
            return
        detail = dict(who.detail or {})
        if who.written:
            detail["written"] = who.written
        if left_out:
            detail["left_out"] = left_out
        outcome: Outcome = "refused" if status == _FORBIDDEN else "failed"
        try:
            await self._store.write(audited.keep, who, outcome, status, detail)
        except Exception as error:  # noqa: BLE001 - the first error is the one to report
            _log.error("audit.not_kept", action=who.action, status=status, exc_info=error)
