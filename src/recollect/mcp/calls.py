"""Running tools: the arguments become a request to a route, its answer a result of the tool."""

import json
from typing import Any, NamedTuple

import msgspec

from recollect.api.app import App
from recollect.api.errors import status_of
from recollect.errors import InvalidInput, RecollectError
from recollect.graph.types import Access, Json
from recollect.mcp import parameters, read_tools, reading_tools, write_tools
from recollect.mcp.tools import Request, Tool

_WRITING = (*write_tools.TOOLS, *reading_tools.TOOLS)
_BY_NAME = {tool.name: tool for tool in (*read_tools.TOOLS, *_WRITING)}
_NOTHING = {"message": "There is nothing."}
_WRAPPER = "result"
_NOT_FOUND = 404


class Outcome(NamedTuple):
    """What a tool came to: text for a model, and the same as a value unless it failed."""

    text: str
    value: Json | None = None


class Refused(Exception):
    """A route refused; the message says with which status and why."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status


def offered(access: Access) -> tuple[Tool, ...]:
    """The tools somebody may know of."""
    return (*read_tools.TOOLS, *_WRITING) if access.mcp_write else read_tools.TOOLS


def find(access: Access, name: str) -> Tool:
    """The tool of that name; one that is not offered does not exist."""
    tool = _BY_NAME.get(name)
    if tool is None or (tool.writes and not access.mcp_write):
        raise InvalidInput(f"there is no tool named {name!r}")
    return tool


async def run(app: App, access: Access, name: str, given: Json) -> Outcome:
    """Call a tool; raises InvalidInput when there is none, or when the arguments do not fit it."""
    tool = find(access, name)
    arguments = parameters.checked(tool.parameters, given)
    try:
        value = await _answered(app, access, tool, arguments)
    except Refused as error:
        return Outcome(f"{tool.failed}: {error}")
    value = tool.shaped(value)
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return Outcome(text, value if isinstance(value, dict) else {_WRAPPER: value})


def refused(error: RecollectError) -> Refused:
    """An error of ours, told as a route tells it."""
    return Refused(status_of(error), error.message)


async def _answered(app: App, access: Access, tool: Tool, arguments: Json) -> Any:
    """What the route of a tool answers, if need be after making what it did not find."""
    request = _request(tool, arguments)
    await _check_owner(app, access, tool, arguments)
    try:
        return await ask(app, access, request)
    except Refused as error:
        if error.status != _NOT_FOUND or tool.missing is None:
            raise
        made = [await _made(app, access, each) for each in tool.missing(arguments)]
        if not any(made):
            raise
    return await ask(app, access, request)


async def _check_owner(app: App, access: Access, tool: Tool, arguments: Json) -> None:
    """Refuse to add one user's words to what is another's; what is new is nobody's yet."""
    request = tool.owned(arguments) if tool.owned else None
    if request is None:
        return
    try:
        found = await ask(app, access, request)
    except Refused as error:
        if error.status != _NOT_FOUND:
            raise
        return
    if found["user_id"] != arguments["user_id"]:
        raise refused(InvalidInput("thread_id: it is a thread of another user than user_id"))


async def _made(app: App, access: Access, request: Request) -> bool:
    try:
        await ask(app, access, request)
    except Refused:
        return False
    return True


def _request(tool: Tool, arguments: Json) -> Request:
    try:
        return tool.request(arguments)
    except InvalidInput as error:
        raise refused(error) from error


async def ask(app: App, access: Access, request: Request) -> Any:
    """What a route answers, as a value; raises Refused with what it says against it."""
    reply = await app.answer(access, *request)
    value = msgspec.json.decode(reply.body) if reply.body else _NOTHING
    if reply.status >= 400:
        raise Refused(reply.status, value["message"])
    return value
