"""The ASGI application: finds the route, authenticates, decodes, runs, answers, logs."""

import time
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from msgspec.structs import replace
from prometheus_client import Counter, Histogram

from recollect import log
from recollect.api import auditing
from recollect.api.auth import Authenticator
from recollect.api.errors import reply_for
from recollect.api.http import (
    Disconnected,
    Receive,
    Reply,
    Scope,
    Send,
    StreamReply,
    parse_body,
    parse_query,
    read_body,
    segments,
)
from recollect.api.router import Actions, Call, Nothing, Route, Router
from recollect.bootstrap import Services
from recollect.errors import MethodNotAllowed, NotAllowed, NotFound, RecollectError
from recollect.graph.policy import Decision
from recollect.graph.sight import both
from recollect.graph.types import Access

_log = log.get(__name__)
_REQUESTS = Counter("recollect_requests_total", "Requests answered.", ["action", "status"])
_SECONDS = Histogram("recollect_request_seconds", "Seconds to answer.", ["action"])
_NOBODY = Access(project_id=0, project_uuid="", key_uuid="")
_NO_ADMIN = Decision(outcome="denied", why="only an admin key manages access")


@cache
def _metrics(action: str, status: int) -> tuple[Counter, Histogram]:
    """The series of one outcome; finding them by label each time costs more than counting."""
    return _REQUESTS.labels(action, status), _SECONDS.labels(action)


class App:
    """Routes over open services. Whoever opened the services closes them."""

    def __init__(self, router: Router, services: Services) -> None:
        self.router = router
        self.actions = Actions(router.routes)
        self._services = services
        self._authenticator = Authenticator(services.store)
        self._auditor = auditing.Auditor(services.store)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request of the ASGI kind."""
        if scope["type"] == "http":
            await self._http(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.perf_counter()
        action = "unknown"
        refusal: Callable[[Exception], Reply] = reply_for
        access = _NOBODY
        decision = None
        try:
            route, path = self._route(scope)
            action, refusal = route.action, route.refusal
            if not route.public:
                access = await self._authenticator.access(scope)
                decision = self._decide(route, access)
            run = partial(self._run, route, path, access, decision, scope, receive)
            reply = await self._auditor.watch(route, path, access, run)
        except Disconnected:
            return
        except Exception as error:  # noqa: BLE001 - the one handler of everything that fails
            reply = refusal(error)
            if reply.status >= 500 and not isinstance(error, RecollectError):
                _log.error("request.crashed", action=action, exc_info=error)
        answered = time.perf_counter()
        if isinstance(reply, StreamReply):
            await self._stream(reply, action, scope, receive, send)
        else:
            await reply.send(send)
            answered = time.perf_counter()
        self._record(action, scope, reply, access, decision, answered - began)

    async def _stream(
        self, reply: StreamReply, action: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        try:
            await reply.stream(send, receive, head_only=scope["method"] == "HEAD")
        except Exception as error:  # noqa: BLE001 - it is too late to tell the client what failed
            _log.error("request.broke", action=action, exc_info=error)

    def _decide(self, route: Route, access: Access) -> Decision:
        if route.admin and not access.is_admin:
            return _NO_ADMIN
        return self.actions.decide(access, route.action)

    def _permitted(self, route: Route, access: Access, decision: Decision) -> Access:
        """The access of a route that is allowed, as narrow as that of the read it answers with.

        Which rule denied it is not for the caller.
        """
        needed = [(route.action, decision)]
        if route.shows is not None:
            needed.append((route.shows, self.actions.decide(access, route.shows)))
        seen = None
        for action, found in needed:
            if not found.allowed:
                raise NotAllowed(f"this key may not do {action}")
            seen = both(seen, found.sight)
        return access if seen is None else replace(access, sight=seen)

    async def _again(self, route: Route, scope: Scope) -> Access:
        """The access of whoever made a request, should its answer go on for long."""
        access = await self._authenticator.access(scope)
        return self._permitted(route, access, self._decide(route, access))

    def _route(self, scope: Scope) -> tuple[Route, dict[str, str]]:
        parts = segments(scope)
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        found = self.router.find(method, parts)
        if found is not None:
            return found
        allowed = self.router.methods(parts)
        if allowed:
            raise MethodNotAllowed(scope["method"], allowed)
        raise NotFound("no such route")

    async def _run(
        self,
        route: Route,
        path: dict[str, str],
        access: Access,
        decision: Decision | None,
        scope: Scope,
        receive: Receive,
    ) -> Reply:
        if decision is not None:
            access = self._permitted(route, access, decision)
        body = await read_body(scope, receive)
        call = Call(
            services=self._services,
            access=access,
            path=path,
            query=None if route.query is Nothing else parse_query(scope, route.query),
            body=_decoded(body, route.body),
            headers=scope["headers"],
            actions=self.actions,
            again=partial(self._again, route, scope),
        )
        auditing.decoded(call)
        answer = await route.handler(call)
        return answer if isinstance(answer, Reply) else Reply.json(answer, route.status)

    def _record(
        self,
        action: str,
        scope: Scope,
        reply: Reply,
        access: Access,
        decision: Decision | None,
        seconds: float,
    ) -> None:
        counter, seconds_seen = _metrics(action, reply.status)
        counter.inc()
        seconds_seen.observe(seconds)
        _log.info(
            "request.done",
            action=action,
            method=scope["method"],
            status=reply.status,
            project=access.project_uuid,
            key=access.key_uuid,
            bytes=reply.size,
            duration_ms=round(seconds * 1000, 2),
            **_told(decision),
        )


def _decoded(body: bytes, type_: Any) -> Any:
    """What a route takes of a body: nothing, the bytes themselves, or a model of its JSON."""
    if type_ is Nothing:
        return None
    return body if type_ is bytes else parse_body(body, type_)


def _told(decision: Decision | None) -> dict[str, str | bool]:
    """What was decided, for the log; also what would have been, where that is only reported."""
    if decision is None:
        return {}
    told: dict[str, str | bool] = {"outcome": decision.outcome, "mode": decision.mode}
    if decision.would is not None:
        told |= {"would": decision.would.outcome, "differs": decision.differs}
    return told
