"""MCP over standard input and output: on an open store, or forwarded to a server."""

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any, TypeVar

import httpx2
import mcp_types as types
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from recollect.app.gate import Gate
from recollect.errors import NotAuthenticated, NotFound, RecollectError
from recollect.graph.types import Access
from recollect.mcp import endpoint, server
from recollect.mcp.calls import Served
from recollect.mcp.server import Context

T = TypeVar("T")

_TIMEOUT_S = 300.0  # an answer may wait for a language model


async def serve(gate: Gate, access: Callable[[], Awaitable[Access]], served: Served) -> None:
    """Serve until standard input ends; *access* is called for every message."""

    async def access_of(_: Context) -> Access:
        return await access()

    await _speak(server.build(gate, access_of, served))


async def forward(url: str, key: str | None, served: Served) -> None:
    """Forward everything to the server at *url* until standard input ends."""
    headers = {"Authorization": f"Api-Key {key}"} if key else {}
    address = url.rstrip("/").removesuffix(endpoint.PATH) + endpoint.PATH
    async with httpx2.AsyncClient(headers=headers, timeout=_TIMEOUT_S) as http:
        there = _There(http, address, key)
        await there.check()
        transport = streamable_http_client(address, http_client=http)
        async with Client(transport, cache=None) as client:
            await _speak(_relay(client, there, served))


class _There:
    """The server that is forwarded to. The MCP client does not say why it refuses, so this asks."""

    def __init__(self, http: httpx2.AsyncClient, address: str, key: str | None) -> None:
        self._http, self._address, self._key = http, address, key

    async def check(self) -> None:
        """Raise an error if the key or the address is wrong."""
        status = (
            await self._http.get(self._address)
        ).status_code  # the key is checked before the method
        if status == HTTPStatus.UNAUTHORIZED:
            raise NotAuthenticated(
                "it does not know the key in RECOLLECT_API_KEY (401)"
                if self._key
                else "it requires a key, and RECOLLECT_API_KEY is not set (401)"
            )
        if status == HTTPStatus.NOT_FOUND:
            raise NotFound(f"there is nothing at {self._address} (404)")

    async def said(self, answer: Awaitable[T]) -> T:
        """Its answer, or an error that says why there is none: a key can be revoked at any time."""
        try:
            return await answer
        except MCPError as error:
            try:
                await self.check()
            except RecollectError as cause:
                raise MCPError(types.INVALID_REQUEST, cause.message) from error
            raise


async def _speak(speaker: Server[Any]) -> None:
    async with stdio_server() as (incoming, outgoing):
        await speaker.run(incoming, outgoing, speaker.create_initialization_options())


def _relay(client: Client, there: _There, served: Served) -> Server[Any]:
    """A server that forwards every request to another one."""
    said = there.said

    async def list_tools(_: Any, params: types.PaginatedRequestParams | None) -> Any:
        found = await said(client.list_tools(cursor=_cursor(params)))
        return found.model_copy(update={"tools": [served.listed(one) for one in found.tools]})

    async def call_tool(_: Any, params: types.CallToolRequestParams) -> Any:
        given = served.filled(params.name, params.arguments or {})
        return served.worded(await said(client.session.call_tool(params.name, given)))

    return Server(
        server.NAME,
        version=client.server_info.version if client.server_info else "",
        instructions=served.instructed(client.instructions or ""),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=lambda _, params: said(client.list_resources(cursor=_cursor(params))),
        on_list_resource_templates=lambda _, params: said(
            client.list_resource_templates(cursor=_cursor(params))
        ),
        on_read_resource=lambda _, params: said(client.read_resource(params.uri)),
        on_list_prompts=lambda _, params: said(client.list_prompts(cursor=_cursor(params))),
        on_get_prompt=lambda _, params: said(client.get_prompt(params.name, params.arguments)),
    )


def _cursor(params: types.PaginatedRequestParams | None) -> str | None:
    return params.cursor if params else None
