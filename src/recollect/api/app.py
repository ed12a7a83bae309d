"""The ASGI application: finds the route, authenticates, decodes, runs, answers, logs."""

import time
from functools import cache

from prometheus_client import Counter, Histogram

from recollect import log
from recollect.api.auth import Authenticator
from recollect.api.errors import reply_for
from recollect.api.http import (
    Disconnected,
    Receive,
    Reply,
    Scope,
    Send,
    parse_body,
    parse_query,
    read_body,
    segments,
)
from recollect.api.router import Call, Nothing, Route, Router
from recollect.bootstrap import Services
from recollect.errors import MethodNotAllowed, NotFound, RecollectError
from recollect.graph.types import Access

_log = log.get(__name__)
_REQUESTS = Counter("recollect_requests_total", "Requests answered.", ["action", "status"])
_SECONDS = Histogram("recollect_request_seconds", "Seconds to answer.", ["action"])
_NOBODY = Access(project_id=0, project_uuid="", key_uuid="")


@cache
def _metrics(action: str, status: int) -> tuple[Counter, Histogram]:
    """The series of one outcome; finding them by label each time costs more than counting."""
    return _REQUESTS.labels(action, status), _SECONDS.labels(action)


class App:
    """Routes over open services. Whoever opened the services closes them."""

    def __init__(self, router: Router, services: Services) -> None:
        self.router = router
        self._services = services
        self._authenticator = Authenticator(services.store)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request of the ASGI kind."""
        if scope["type"] == "http":
            await self._http(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.perf_counter()
        action = "unknown"
        access = _NOBODY
        try:
            route, path = self._route(scope)
            action = route.action
            if not route.public:
                access = await self._authenticator.access(scope)
            reply = await self._run(route, path, access, scope, receive)
        except Disconnected:
            return
        except Exception as error:  # noqa: BLE001 - the one handler of everything that fails
            reply = reply_for(error)
            if reply.status >= 500 and not isinstance(error, RecollectError):
                _log.error("request.crashed", action=action, exc_info=error)
        await reply.send(send)
        self._record(action, scope, reply, access, time.perf_counter() - began)

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
        self, route: Route, path: dict[str, str], access: Access, scope: Scope, receive: Receive
    ) -> Reply:
        body = await read_body(scope, receive)
        call = Call(
            services=self._services,
            access=access,
            path=path,
            query=None if route.query is Nothing else parse_query(scope, route.query),
            body=None if route.body is Nothing else parse_body(body, route.body),
            headers=scope["headers"],
        )
        answer = await route.handler(call)
        return answer if isinstance(answer, Reply) else Reply.json(answer, route.status)

    def _record(
        self, action: str, scope: Scope, reply: Reply, access: Access, seconds: float
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
            bytes=len(reply.body),
            duration_ms=round(seconds * 1000, 2),
        )
