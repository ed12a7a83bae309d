"""What surrounds every use case called from outside, over HTTP or by a tool.

Rate limits and policies are enforced, and the audit log, the metrics and the log record the request.
"""

import math
import re
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from functools import cache
from typing import Any, TypeVar

import msgspec
from prometheus_client import Counter, Histogram

from recollect import log, spans
from recollect.app.authorize import Actions, Auditor, Authenticator, Governed, actor_of
from recollect.app.guessing import Guesses
from recollect.app.services import Services
from recollect.errors import LimitReached, RecollectError
from recollect.graph import usage
from recollect.graph.acting import Acting, Target
from recollect.graph.policy import Decision
from recollect.graph.types import Access, Json
from recollect.graph.usage import SCOPES, Scope
from recollect.limits import ID_CHARS_MAX, RATES_REMEMBERED_MAX

# Rate limiting: a token bucket for each key and each project.
#
# Buckets are in memory: after a restart all are full. Daily quotas are kept in the store
# (`governance/quotas.py`).


class Rates:
    """The buckets of recent callers, least recently used first out; an evicted bucket is full again."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._buckets: OrderedDict[tuple[Scope, str], tuple[float, float]] = OrderedDict()

    def admit(self, access: Access) -> None:
        """Count one request; raises LimitReached if the key or its project is over its rate."""
        if access.limits is None:
            return
        now = self._clock()
        left: dict[tuple[Scope, str], float] = {}
        for scope in SCOPES:
            rate = access.limits.rate(scope)
            if rate is None:
                continue
            name = (scope, access.key_uuid if scope == "key" else access.project_uuid)
            per_s, burst = rate
            room, since = self._buckets.get(name, (float(burst), now))
            room = min(float(burst), room + (now - since) * per_s)
            if room < 1.0:
                wait_s = max(1, math.ceil((1.0 - room) / per_s))
                raise LimitReached(
                    f"{scope}_requests_per_s: {per_s:g} requests per second are allowed to one "
                    f"{scope}, {burst} at once; try again in {wait_s} s",
                    retry_after_s=wait_s,
                )
            left[name] = room - 1.0
        for name, room in left.items():  # a refused request costs nothing
            self._buckets[name] = (room, now)
            self._buckets.move_to_end(name)
        while len(self._buckets) > RATES_REMEMBERED_MAX:
            self._buckets.popitem(last=False)


T = TypeVar("T")

_log = log.get(__name__)
_REQUESTS = Counter("recollect_requests_total", "Requests answered.", ["action", "status"])
_SECONDS = Histogram("recollect_request_seconds", "Seconds to answer.", ["action"])
_USE_CASE = {"recollect.layer": "use case"}
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SESSION_LOG = "session_log."  # sessions of other APIs are threads
_CHOSEN = {
    "user_id": "user",
    "thread_id": "thread",
    "session_id": "thread",
    "graph_id": "graph",
    "group_id": "graph",
    "target_user_id": "user",
    "target_graph_id": "graph",
    "target_group_id": "graph",
}
_GIVEN = {"message_uuid": "episode", "group_uuid": "user_group"}
_OTHERWISE = {"fact": "edge", "entitie": "node"}
# The first of these fields that a body has names the target.
_BODY_IDS = (
    *("thread_id", "session_id", "user_id", "graph_id", "group_id"),
    *("target_user_id", "target_graph_id", "target_group_id", "template_id"),
)
_FIELDS: dict[type, list[tuple[str, str, Any]]] = {}


class Gate:
    """The entry point from outside to the use cases of open services."""

    def __init__(self, services: Services, offered: Iterable[Governed]) -> None:
        self.services = services
        self.actions = Actions(offered)
        chosen = services.settings
        self.authenticator = Authenticator(
            services.store, usage.of_settings(chosen), Guesses(chosen.wrong_keys_max)
        )
        self.rates = Rates()
        self._auditor = Auditor(services.store)

    async def carry_out(
        self,
        asked: Governed,
        access: Access,
        decision: Decision | None,
        who: Acting | None,
        act: Callable[[Access], Awaitable[T]],
        status_of: Callable[[T | Exception], int | None],
    ) -> T:
        """Run *act* with the access that was decided on, and record it in the audit log as *who*.

        No decision means that nothing had to be decided; without *who* nothing goes to the audit log.
        """

        async def permitted(access: Access) -> T:
            if decision is not None:
                access = self.actions.permitted(asked, access, decision)
            if not asked.public:
                await self.services.hide_expired(access)
            try:
                return await act(access)
            finally:
                if asked.mutates:
                    self.services.next_expiry.changed()

        with spans.span(asked.action, _USE_CASE):
            if who is None:
                return await permitted(access)
            return await self._auditor.watch(who, access, permitted, status_of)


@cache
def _metrics(action: str, status: int) -> tuple[Counter, Histogram]:
    """The series of one outcome, cached: looking them up by label costs more than counting."""
    return _REQUESTS.labels(action, status), _SECONDS.labels(action)


def record(
    action: str,
    status: int,
    seconds: float,
    access: Access,
    decision: Decision | None,
    *,
    failed: Exception | None = None,
    path: str = "",
    **more: str | int,
) -> None:
    """Count a request in the metrics, and write its log line.

    *path* and the message of *failed* may quote user data: they are only shown on a terminal.
    """
    counter, seconds_seen = _metrics(action, status)
    counter.inc()
    seconds_seen.observe(seconds)
    _log.info(
        log.REQUEST_DONE,
        action=action,
        status=status,
        project=access.project_uuid,
        key=access.key_uuid,
        duration_ms=round(seconds * 1000, 2),
        **more,
        **_told(decision),
        **_refused(failed),
        **(_shown(path, failed) if log.for_people() else {}),
    )


def _refused(failed: Exception | None) -> dict[str, str]:
    return {} if failed is None else {"error": type(failed).__name__}


def _shown(path: str, failed: Exception | None) -> dict[str, str]:
    why = failed.message if isinstance(failed, RecollectError) else ""
    return {"path": path, "why": why}


def _told(decision: Decision | None) -> dict[str, str | bool]:
    """The decision for the log; in report mode also what would have been decided."""
    if decision is None:
        return {}
    told: dict[str, str | bool] = {"outcome": decision.outcome, "mode": decision.mode}
    if decision.would is not None:
        told |= {"would": decision.would.outcome, "differs": decision.differs}
    return told


def is_audited(asked: Governed, access: Access) -> bool:
    """Whether the audit log records it: mutations always, reads if the key is set to."""
    return not asked.public and (asked.mutates or access.logs_reads)


def acting(asked: Governed, access: Access, target: Target | None, *, erases: bool) -> Acting:
    """The actor for the audit log, before the body of the request is decoded."""
    return Acting(
        # No key: somebody who opened the folder directly.
        actor=actor_of(access),
        action=asked.action,
        project_id=access.project_id,
        target=target,
        erases=erases,
        reads=not asked.mutates,
    )


def understood(access: Access, body: Any, around: Json | None = None) -> None:
    """Add the body's fields, and the ids *around* it, to the audit entry of a request."""
    who = access.acting
    if who is not None:
        who.target = who.target or _of_body(body, who.action)
        who.detail = (around or {}) | said(body)


def said(body: Any) -> Json:
    """The names of a body's fields, the lengths of its lists, and server-side ids; never its text."""
    if isinstance(body, list):
        return {"items": len(body)}
    found: Json = {}
    fields = []
    for name, shown, default in _fields(type(body)):
        value = getattr(body, name)
        if isinstance(value, list):
            if value:
                found[shown] = len(value)
        elif name.endswith("_uuid") and is_uuid(value):
            found[shown] = value
        elif value is not msgspec.UNSET and value != default:
            fields.append(shown)
    return {"fields": fields, **found} if fields else found


def is_uuid(value: Any) -> bool:
    """Whether it is a server-side id."""
    return isinstance(value, str) and _UUID.fullmatch(value) is not None


def _fields(model: type) -> list[tuple[str, str, Any]]:
    """The fields of a wire model: attribute, name on the wire, default."""
    known = _FIELDS.get(model)
    if known is None:
        infos = msgspec.structs.fields(model) if issubclass(model, msgspec.Struct) else ()
        known = _FIELDS[model] = [(info.name, info.encode_name, info.default) for info in infos]
    return known


def _of_body(body: Any, action: str) -> Target | None:
    if action.startswith(_SESSION_LOG) and isinstance(getattr(body, "session_id", None), str):
        return session_log(body.session_id)
    for name in _BODY_IDS:
        value = getattr(body, name, None)
        if value and isinstance(value, str):
            return named(name, value)
    return None


def session_log(session_id: str) -> Target | None:
    """The session of a session log, as opposed to a thread."""
    return _target("session_log", session_id, chosen=True)


def named(parameter: str, id_: str, before: str = "") -> Target | None:
    """The target that a parameter names; its kind follows from its name or the path word *before* it."""
    return _target(_kind(parameter, before), id_, chosen=is_chosen(parameter))


def is_chosen(parameter: str) -> bool:
    """Whether callers choose the ids under this name themselves."""
    return parameter in _CHOSEN


def _target(kind: str, id_: str, *, chosen: bool) -> Target | None:
    return Target(kind, id_, chosen) if len(id_) <= ID_CHARS_MAX else None


@cache
def _kind(name: str, before: str) -> str:
    known = _CHOSEN.get(name) or _GIVEN.get(name)
    if known:
        return known
    kind, _, suffix = name.rpartition("_")
    if not kind or suffix not in {"id", "uuid", "name"}:
        kind = before.replace("-", "_").removesuffix("s")
    return _OTHERWISE.get(kind, kind)
