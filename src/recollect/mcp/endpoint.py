"""MCP over streamable HTTP, at one path of the server.

Requests are stateless: no sessions, a JSON response, and the key is checked every time.
The SDK takes most of a second to load, so it is loaded on the first request.
"""

import asyncio
from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager
from importlib import import_module
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from recollect.api.errors import headers_of, reply_for, status_of
from recollect.api.http import (
    AS_KEY,
    PROTECTED_RESOURCE,
    Receive,
    Reply,
    Scope,
    Send,
    address_of,
    header,
    secret,
)
from recollect.app.gate import Gate
from recollect.errors import (
    LimitReached,
    MethodNotAllowed,
    NotAllowed,
    NotAuthenticated,
    RecollectError,
)
from recollect.graph.types import Access
from recollect.limits import BODY_BYTES_MAX
from recollect.settings import origins_in

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from recollect.mcp.tokens import Tokens


# Protection against DNS rebinding: checks of the Host and Origin headers.
#
# A foreign page can point its own host name at this machine, and the browser would then treat both as
# one origin. So a host name has to be a known one; an IP address cannot be rebound.

_HERE = "localhost"


class Hosts:
    """The host names of this server, and the *origins* of foreign pages that may send requests."""

    def __init__(self, names: Iterable[str] = (), origins: Iterable[str] = ()) -> None:
        self._names = {name.strip().lower() for name in names if name.strip()}
        self._origins = frozenset(origins)

    def check(self, scope: Scope) -> None:
        """Raise NotAllowed for a request to another host name, or from a foreign page."""
        if [name for name, _ in scope["headers"]].count(b"host") > 1:
            raise NotAllowed("Host: more than one")
        host, origin = header(scope, b"host"), header(scope, b"origin")
        asked = None if host is None else _name(f"//{host.decode('latin-1')}")
        if host is not None and not (self._is_known(asked) or _number(asked) is not None):
            raise NotAllowed("Host: not a name of this server; RECOLLECT_MCP_HOSTS tells them")
        if origin is not None and not self._is_welcome(origin.decode("latin-1"), asked):
            raise NotAllowed("Origin: not a page of this server; RECOLLECT_MCP_HOSTS tells them")

    def _is_welcome(self, origin: str, asked: str | None) -> bool:
        return origin in self._origins or self._is_own(_name(origin), asked)

    def _is_own(self, page: str | None, asked: str | None) -> bool:
        number = _number(page)
        return self._is_known(page) or (
            number is not None and (number.is_loopback or page == asked)
        )

    def _is_known(self, name: str | None) -> bool:
        return name is not None and (
            name in self._names or name == _HERE or name.endswith(f".{_HERE}")
        )


def _name(address: str) -> str | None:
    try:
        found = urlsplit(address)
        _ = found.port
    except ValueError:
        return None
    return found.hostname if found.username is None else None


def _number(name: str | None) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(name or "")
    except ValueError:
        return None


PATH = "/mcp"
_ACCESS = "recollect.access"
_CHALLENGED = {401: "invalid_token", 403: "insufficient_scope"}
_LIMIT_REACHED = -32_000  # the first of the codes left to implementations


class Endpoint:
    """Handles the requests at the path; `close` ends what it runs."""

    def __init__(self, gate: Gate) -> None:
        chosen = gate.services.settings
        self._gate = gate
        self._hosts = Hosts(
            (chosen.host, *chosen.mcp_hosts.split(",")), origins_in(chosen.cors_origins)
        )
        self._tokens: Tokens | None = None
        self._manager: StreamableHTTPSessionManager | None = None
        self._starting = asyncio.Lock()
        self._closing = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one HTTP request. POST only: there is no stream to listen to and no session to end."""
        try:
            self._hosts.check(scope)
            try:
                scope[_ACCESS] = await self._access(scope)
            except (NotAllowed, NotAuthenticated) as error:
                await self._challenge(error, scope).send(send)
                return
            self._gate.rates.admit(scope[_ACCESS])
            if any(name == AS_KEY for name, _ in scope["headers"]):
                raise NotAllowed("tools are not used as another key")
            if scope["method"] != "POST":
                raise MethodNotAllowed(scope["method"], ["POST"])
        except LimitReached as error:
            await _limited(error).send(send)
            return
        except RecollectError as error:
            await reply_for(error).send(send)
            return
        manager = self._manager or await self._start()
        await manager.handle_request(scope, receive, send)

    def _challenge(self, error: RecollectError, scope: Scope) -> Reply:
        """A refusal that says where to get a token and with which scopes (RFC 6750, RFC 9728)."""
        reply, chosen = reply_for(error), self._gate.services.settings
        if chosen.oauth_audience is None:
            return reply
        place = urlsplit(chosen.oauth_audience)
        address = f"{place.scheme}://{place.netloc}{PROTECTED_RESOURCE}{place.path.rstrip('/')}"
        scopes = f"{chosen.oauth_read_scope} {chosen.oauth_write_scope}"
        said = {"scope": scopes, "resource_metadata": address}
        if header(scope, b"authorization") is not None:  # no error if no credentials were sent
            said["error"] = _CHALLENGED[reply.status]
        told = ", ".join(f'{name}="{value}"' for name, value in said.items())
        others = [one for one in reply.headers if one[0] != b"www-authenticate"]
        return Reply(
            reply.status, reply.body, [*others, (b"www-authenticate", f"Bearer {told}".encode())]
        )

    async def _access(self, scope: Scope) -> Access:
        """The access that a key or a token gives."""
        given, known = secret(scope), self._gate.authenticator
        if self._gate.services.settings.oauth_issuer is None or not _is_token(given):
            return await known.access(given, address_of(scope.get("client")))
        if self._tokens is None:
            found = await asyncio.to_thread(import_module, "recollect.mcp.tokens")
            self._tokens = found.Tokens(self._gate.services.settings)
        bearer = await self._tokens.bearer(given)
        return await known.of_subject(bearer.project, bearer.subject_uuid, writes=bearer.writes)

    async def close(self) -> None:
        """Stop what the first request started."""
        self._closing.set()
        if self._running is not None:
            await self._running

    async def _start(self) -> "StreamableHTTPSessionManager":
        async with self._starting:
            if self._manager is None:
                await asyncio.to_thread(import_module, "recollect.mcp.server")
                manager = _manager(self._gate)
                started = asyncio.Event()
                self._running = asyncio.create_task(self._run(manager.run(), started))
                await started.wait()
                self._manager = manager
        return self._manager

    async def _run(
        self, manager: AbstractAsyncContextManager[None], started: asyncio.Event
    ) -> None:
        async with manager:
            started.set()
            await self._closing.wait()


def _is_token(given: str) -> bool:
    """Whether it looks like a JWT: it starts with a base64 JSON object and has three parts."""
    return given.startswith("eyJ") and given.count(".") == 2


def _limited(error: LimitReached) -> Reply:
    """A rate limit as a JSON-RPC error: clients show no other part of the response."""
    told = {"code": _LIMIT_REACHED, "message": f"{status_of(error)}: {error.message}"}
    body = {"jsonrpc": "2.0", "id": None, "error": told, "message": error.message}
    return Reply.json(body, status_of(error), headers_of(error))


def _manager(gate: Gate) -> "StreamableHTTPSessionManager":
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from recollect.mcp import server
    from recollect.mcp.calls import Served

    served = Served(in_lines=gate.services.settings.mcp_text == "lines")
    return StreamableHTTPSessionManager(
        app=server.build(gate, _access_of, served),
        json_response=True,
        stateless=True,
        max_request_body_size=BODY_BYTES_MAX,
    )


async def _access_of(context: Any) -> Access:
    """The access that was established when the HTTP request arrived."""
    access: Access = context.request.scope[_ACCESS]
    return access
