"""The protocol over streamable HTTP, at one path of the server.

Each request stands alone: no sessions, an answer in JSON, and the key is looked at every time.
The SDK takes most of a second to load, so that waits for the first request.
"""

import asyncio
from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from recollect.api.errors import reply_for
from recollect.api.http import AS_KEY, Receive, Scope, Send, secret
from recollect.app.gate import Gate
from recollect.errors import MethodNotAllowed, NotAllowed, RecollectError
from recollect.graph.types import Access
from recollect.limits import BODY_BYTES_MAX
from recollect.mcp.hosts import Hosts

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

PATH = "/mcp"
_ACCESS = "recollect.access"


class Endpoint:
    """Answers requests at the path; what it runs ends with `close`."""

    def __init__(self, gate: Gate, names: Iterable[str] = ()) -> None:
        self._gate = gate
        self._hosts = Hosts(names)
        self._manager: StreamableHTTPSessionManager | None = None
        self._starting = asyncio.Lock()
        self._closing = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One HTTP request. There is nothing to listen to and no session to end: POST only."""
        try:
            self._hosts.check(scope)
            scope[_ACCESS] = await self._gate.authenticator.access(secret(scope))
            if any(name == AS_KEY for name, _ in scope["headers"]):
                raise NotAllowed("tools are not used as another key")
            if scope["method"] != "POST":
                raise MethodNotAllowed(scope["method"], ["POST"])
        except RecollectError as error:
            await reply_for(error).send(send)
            return
        manager = self._manager or await self._start()
        await manager.handle_request(scope, receive, send)

    async def close(self) -> None:
        """End what the first request began."""
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


def _manager(gate: Gate) -> "StreamableHTTPSessionManager":
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from recollect.mcp import server

    return StreamableHTTPSessionManager(
        app=server.build(gate, _access_of),
        json_response=True,
        stateless=True,
        max_request_body_size=BODY_BYTES_MAX,
    )


async def _access_of(context: Any) -> Access:
    """Whom the key of the HTTP request stands for, as it was found on arrival."""
    access: Access = context.request.scope[_ACCESS]
    return access
