"""The protocol over standard input and output: on an open store, or forwarded to a server."""

from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
import mcp_types as types
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from recollect.api.app import App
from recollect.graph.types import Access
from recollect.mcp import endpoint, server
from recollect.mcp.server import Context

_TIMEOUT_S = 300.0  # an answer may wait for a language model


async def serve(app: App, access: Callable[[], Awaitable[Access]]) -> None:
    """Answer until standard input ends; *access* is asked for at every message."""

    async def access_of(_: Context) -> Access:
        return await access()

    await _speak(server.build(app, access_of))


async def forward(url: str, key: str | None) -> None:
    """Hand everything on to the server at *url*, and its answers back, until input ends."""
    headers = {"Authorization": f"Api-Key {key}"} if key else {}
    address = url.rstrip("/").removesuffix(endpoint.PATH) + endpoint.PATH
    async with (
        httpx2.AsyncClient(headers=headers, timeout=_TIMEOUT_S) as http,
        Client(streamable_http_client(address, http_client=http), cache=None) as client,
    ):
        await _speak(_relay(client))


async def _speak(speaker: Server[Any]) -> None:
    async with stdio_server() as (incoming, outgoing):
        await speaker.run(incoming, outgoing, speaker.create_initialization_options())


def _relay(client: Client) -> Server[Any]:
    """A server that knows nothing itself and asks another one."""
    return Server(
        server.NAME,
        version=client.server_info.version if client.server_info else "",
        instructions=client.instructions,
        on_list_tools=lambda _, params: client.list_tools(cursor=_cursor(params)),
        on_call_tool=lambda _, params: client.session.call_tool(params.name, params.arguments),
        on_list_resources=lambda _, params: client.list_resources(cursor=_cursor(params)),
        on_list_resource_templates=lambda _, params: client.list_resource_templates(
            cursor=_cursor(params)
        ),
        on_read_resource=lambda _, params: client.read_resource(params.uri),
        on_list_prompts=lambda _, params: client.list_prompts(cursor=_cursor(params)),
        on_get_prompt=lambda _, params: client.get_prompt(params.name, params.arguments),
    )


def _cursor(params: types.PaginatedRequestParams | None) -> str | None:
    return params.cursor if params else None
