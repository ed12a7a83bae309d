"""The official client on every way to reach the memory."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent

from tests.contract.mcp.story import Story, pretty
from tests.support.server import program, program_environment

HTTP = ("http", "http-handshake")
STDIO = ("stdio", "forwarded")


@asynccontextmanager
async def connected(story: Story, way: str, key: str | None = None) -> AsyncIterator[Client]:
    """A client: over HTTP in the newest protocol or the one before, or with a child of its own.

    The child opens the data folder itself, or forwards to the server.
    """
    if way in HTTP:
        headers = {"Authorization": f"Bearer {key or story.server.api_key}"}
        async with httpx2.AsyncClient(headers=headers, trust_env=False, timeout=60) as http:
            transport = streamable_http_client(f"{story.server.url}/mcp", http_client=http)
            mode = "auto" if way == "http" else "legacy"
            async with Client(transport, mode=mode) as client:
                yield client
    else:
        given = key or (story.server.api_key if way == "forwarded" else None)
        where = ("--url", story.server.url) if way == "forwarded" else ()
        async with child(story, *where, key=given) as client:
            yield client


@asynccontextmanager
async def child(story: Story, *options: str, key: str | None = None) -> AsyncIterator[Client]:
    """A client whose server is `recollect mcp` with these options."""
    words = program("mcp", "--text", "json", *options, "--data", str(story.server.data))
    given = {"RECOLLECT_API_KEY": key} if key else {}
    environment = program_environment(story.server.data, RECOLLECT_EXTRACTION="on", **given)
    parameters = StdioServerParameters(command=words[0], args=words[1:], env=environment)
    async with Client(parameters, mode="legacy") as client:
        yield client


async def value(client: Client, tool: str, **arguments: Any) -> Any:
    """What a tool answers, after a look at whether text and structure agree."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, said(result)
    return agreed(result)


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """How a tool says that it failed."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, said(result)
    assert result.structured_content is None
    return said(result)


def said(result: CallToolResult) -> str:
    """The one text of a result."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def agreed(result: CallToolResult) -> Any:
    """The value of a result, out of both of its forms."""
    structured = result.structured_content
    assert isinstance(structured, dict)
    unwrapped = structured["result"] if set(structured) == {"result"} else structured
    assert said(result) == pretty(unwrapped)
    return unwrapped
