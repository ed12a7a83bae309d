"""The ASGI application: routes, authenticates, decodes, runs, answers and logs requests."""

import re
import time
from collections.abc import MutableMapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from recollect import log, spans
from recollect.api import auditing
from recollect.api.errors import ErrorFormat, reply_for
from recollect.api.http import (
    AS_KEY,
    Disconnected,
    Receive,
    Reply,
    Scope,
    Send,
    StreamReply,
    address_of,
    header,
    parse_body,
    parse_query,
    read_body,
    secret,
    segments,
)
from recollect.api.router import Call, Nothing, Route, Router
from recollect.app.gate import Gate, record
from recollect.app.services import Services
from recollect.errors import MethodNotAllowed, NotAllowed, NotFound, RecollectError
from recollect.graph.policy import Decision
from recollect.graph.types import Access
from recollect.ids import TimeOrderedIds
from recollect.spans import Facts, Span

_HEADER = b"x-request-id"
_SANE = re.compile(rb"[\w.:/+=@-]{1,128}", re.ASCII)
_new_id = TimeOrderedIds()


def request_id(scope: Scope) -> str:
    """The id sent with a request, or a new one."""
    given = header(scope, _HEADER)
    return given.decode() if given is not None and _SANE.fullmatch(given) else _new_id()


def telling_request_id(id_: str, send: Send) -> Send:
    """Wrap *send* to add the request id to the response headers."""
    told = (_HEADER, id_.encode())

    async def tell(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], told]}
        await send(message)

    return tell


_log = log.get(__name__)
_NOBODY = Access(project_id=0, project_uuid="", key_uuid="")


@dataclass(slots=True)
class _Request:
    """A request in progress, and what is known about it so far."""

    scope: Scope
    receive: Receive
    span: Span
    access: Access = _NOBODY
    action: str = "unknown"
    refusal: ErrorFormat = reply_for
    decision: Decision | None = None
    failed: Exception | None = None
    began: float = field(default_factory=time.perf_counter)


class Mounted(Protocol):
    """An ASGI application that handles one path instead of the routes, with its own lifetime."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One HTTP request."""

    async def close(self) -> None:
        """Release everything; no more requests follow."""


class App:
    """Routes over open services. The caller that opened the services has to close them."""

    def __init__(self, router: Router, services: Services) -> None:
        self.router = router
        self.gate = Gate(services, router.routes)
        self._mounted: dict[str, Mounted] = {}

    def mount(self, path: str, mounted: Mounted) -> None:
        """Delegate requests at *path* to *mounted*, which `close` closes."""
        self._mounted[path] = mounted

    async def close(self) -> None:
        """Close what is mounted."""
        for mounted in self._mounted.values():
            await mounted.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one ASGI request."""
        if scope["type"] == "http":
            id_ = request_id(scope)
            before = log.REQUEST_ID.set(id_)
            with spans.request(scope["method"], scope["headers"]) as span:
                await self._http(scope, receive, telling_request_id(id_, send), span)
            log.REQUEST_ID.reset(before)

    async def access(self, scope: Scope) -> Access:
        """The access of the caller; raises NotAuthenticated without a known key."""
        return await self.gate.authenticator.access(secret(scope), address_of(scope.get("client")))

    async def _http(self, scope: Scope, receive: Receive, send: Send, span: Span) -> None:
        mounted = self._mounted.get(scope["path"])
        if mounted is not None:
            span.note({"http.route": scope["path"]}, f"{scope['method']} {scope['path']}")
            await mounted(scope, receive, send)
            return
        request = _Request(scope, receive, span)
        try:
            reply = await self._reply(request)
        except Disconnected:
            return
        answered = time.perf_counter()
        if isinstance(reply, StreamReply):
            await self._stream(reply, request.action, scope, receive, send)
        else:
            await reply.send(send)
            answered = time.perf_counter()
        self._record(request, reply, answered - request.began)
        if spans.are_told():
            request.span.note(_told(request, reply))

    async def _reply(self, request: _Request) -> Reply:
        """The reply to a request, also if it fails; raises only if the client disconnected."""
        try:
            route, path = self._route(request)
            request.action, request.refusal = route.action, route.refusal
            if spans.are_told():
                told = {"http.route": route.path, "recollect.action": route.action}
                request.span.note(told, f"{route.method} {route.path}")
            if not route.public:
                asking = await self.access(request.scope)
                self.gate.rates.admit(asking)
                request.access = await self._seen_as(route, asking, request.scope)
                request.decision = self.gate.actions.decide_on(route, request.access)
            return await self.gate.carry_out(
                route,
                request.access,
                request.decision,
                auditing.acting(route, path, request.access),
                partial(self._run, route, path, request),
                auditing.status,
            )
        except Disconnected:
            raise
        except Exception as error:  # noqa: BLE001 - the one handler for every failure
            request.failed = error
            reply = request.refusal(error)
            if reply.status >= 500 and not isinstance(error, RecollectError):
                _log.error("request.crashed", action=request.action, exc_info=error)
            return reply

    async def _seen_as(self, route: Route, access: Access, scope: Scope) -> Access:
        """The caller's access, or that of the key whose view an administrator asked for, read-only."""
        named = header(scope, AS_KEY)
        if named is None:
            return access
        if not access.is_admin:
            raise NotAllowed("only an admin key may view the memory as another key")
        if route.mutates:
            raise NotAllowed("viewing the memory as another key is read-only")
        return await self.gate.authenticator.seen_as(access, named.decode("latin-1"))

    async def _stream(
        self, reply: StreamReply, action: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        try:
            await reply.stream(send, receive, head_only=scope["method"] == "HEAD")
        except Exception as error:  # noqa: BLE001 - too late to report it to the client
            _log.error("request.broke", action=action, exc_info=error)

    async def _again(self, route: Route, scope: Scope) -> Access:
        """Check the caller's access again, for responses that stream for a long time."""
        asking = await self.access(scope)
        access = await self._seen_as(route, asking, scope)
        actions = self.gate.actions
        return actions.permitted(route, access, actions.decide_on(route, access))

    def _route(self, request: _Request) -> tuple[Route, dict[str, str]]:
        scope = request.scope
        request.refusal = self.router.refusal(scope["path"].split("/")[1:])
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
        self, route: Route, path: dict[str, str], request: _Request, access: Access
    ) -> Reply:
        scope = request.scope
        body = await read_body(scope, request.receive)
        call = Call(
            services=self.gate.services,
            access=access,
            path=path,
            query=None if route.query is Nothing else parse_query(scope, route.query),
            body=_decoded(body, route.body),
            headers=scope["headers"],
            asked=_asked(scope),
            actions=self.gate.actions,
            again=partial(self._again, route, scope),
        )
        auditing.decoded(call, len(body))
        answer = await route.handler(call)
        return answer if isinstance(answer, Reply) else Reply.json(answer, route.status)

    def _record(self, request: _Request, reply: Reply, seconds: float) -> None:
        record(
            request.action,
            reply.status,
            seconds,
            request.access,
            request.decision,
            method=request.scope["method"],
            bytes=reply.size,
            failed=request.failed,
            path=_path(request.scope),
        )


def _told(request: _Request, reply: Reply) -> Facts:
    """The outcome of a request as span attributes, named by OpenTelemetry's conventions."""
    told: dict[str, str | int] = {
        "http.request.method": request.scope["method"],
        "http.response.status_code": reply.status,
        "recollect.request_id": log.REQUEST_ID.get(),
        "recollect.project": request.access.project_uuid,
    }
    if request.failed is not None:
        told["error.type"] = type(request.failed).__name__
    return told


def _path(scope: Scope) -> str:
    """The path as it was requested, without the query."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    return raw.split(b"?", 1)[0].decode("latin-1")


def _asked(scope: Scope) -> str:
    return f"{scope['method']} {scope['path']}?{scope.get('query_string', b'').decode('latin-1')}"


def _decoded(body: bytes, type_: Any) -> Any:
    """The body as its route expects it: None, the raw bytes, or the decoded JSON."""
    if type_ is Nothing:
        return None
    return body if type_ is bytes else parse_body(body, type_)
