"""Running tools: the tool must be offered to the caller, and its arguments must be valid.

A call is authorized, audited, counted and logged like an HTTP request.
"""

import json
import time
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import mcp_types as types
import msgspec

from recollect import log
from recollect.api.errors import message_of, status_of
from recollect.api.http import fitted
from recollect.app.gate import Gate, acting, is_audited, named, record, understood
from recollect.errors import InvalidInput, InvariantViolated, RecollectError
from recollect.graph.policy import Decision
from recollect.graph.types import Access, Json
from recollect.mcp import lines, read_tools, tools, write_tools
from recollect.mcp.actions import Action
from recollect.mcp.tools import Tool

_log = log.get(__name__)
_WRITING = (*write_tools.TOOLS, *write_tools.READING_TOOLS)
_BY_NAME = {tool.name: tool for tool in (*read_tools.TOOLS, *_WRITING)}
_NOTHING = {"message": "There is nothing."}
_WRAPPER = "result"


class Outcome(NamedTuple):
    """The result of a tool: text for a model, and the structured value unless it failed."""

    text: str
    value: Json | None = None


def offered(access: Access) -> tuple[Tool, ...]:
    """The tools offered to a caller."""
    return (*read_tools.TOOLS, *_WRITING) if access.mcp_write else read_tools.TOOLS


def find(access: Access, name: str) -> Tool:
    """The tool of that name; one that is not offered counts as missing."""
    tool = _BY_NAME.get(name)
    if tool is None or (tool.writes and not access.mcp_write):
        raise InvalidInput(f"there is no tool named {name!r}")
    return tool


def for_user(name: str, given: Json, user_id: str | None) -> Json:
    """The arguments of a tool, with this user filled in if they name none and the tool takes one."""
    tool = _BY_NAME.get(name)
    if user_id is None or tool is None or not tool.of_user:
        return given
    if any(given.get(other) for other in ("user_id", "graph_id")):
        return given
    if given.get("thread_id") and not tool.writes:
        return given
    return {**given, "user_id": user_id}


def is_for_user(name: str) -> bool:
    """Whether the user that is served can be filled in for a tool."""
    tool = _BY_NAME.get(name)
    return tool is not None and tool.of_user


async def run(
    gate: Gate, access: Access, name: str, given: Json, *, in_lines: bool = False
) -> Outcome:
    """Call a tool; raises InvalidInput if there is no such tool or the arguments are invalid.

    *in_lines*: the text is written for a model; otherwise it is the value as JSON.
    """
    tool = find(access, name)
    sent = tools.read(tool.takes, given)
    try:
        tools.check_filled(sent)
        value = tool.shaped(await tool.run(partial(ask, gate, access), sent))
    except RecollectError as error:
        return Outcome(f"{tool.failed}: {told(error)}")
    text = lines.told(value) if in_lines else json.dumps(value, indent=2, ensure_ascii=False)
    return Outcome(text, value if isinstance(value, dict) else {_WRAPPER: value})


def told(error: RecollectError) -> str:
    """The text of an error in a tool's result, with its HTTP status."""
    return f"{status_of(error)}: {message_of(error)}"


async def ask(gate: Gate, access: Access, action: Action, name: str = "", /, **fields: Any) -> Any:
    """The result of an action as plain values; raises a RecollectError if it is refused or fails."""
    began = time.perf_counter()
    decision = gate.actions.decide_on(action, access)
    who = None
    if is_audited(action, access):
        target = named(action.of, name) if action.of else None
        who = acting(action, access, target, erases=action.erases)
    act = partial(_carry_out, gate, action, name, fields)
    try:
        answer = await gate.carry_out(action, access, decision, who, act, _status)
    except Exception as error:
        _record(action, access, decision, error, began)
        if isinstance(error, RecollectError):
            raise
        _log.error("request.crashed", action=action.action, exc_info=error)
        raise InvariantViolated from error
    _record(action, access, decision, answer, began)
    return _NOTHING if answer is None else answer


async def _carry_out(gate: Gate, action: Action, name: str, fields: Json, access: Access) -> Any:
    sent = fitted(fields, action.takes) if action.takes else None
    understood(access, None if action.query else sent)
    if access.acting is not None and access.limits is not None:
        access.acting.sent_bytes = len(msgspec.json.encode(fields))
    given = [value for value, wanted in ((name, action.of), (sent, action.takes)) if wanted]
    found = await action.run(gate.services, access, *given)
    return msgspec.to_builtins(found if action.tells is None else action.tells(found))


def _status(outcome: Any) -> int:
    if isinstance(outcome, Exception):
        return status_of(outcome) if isinstance(outcome, RecollectError) else 500
    return 204 if outcome is None else 200


def _record(action: Action, access: Access, decision: Decision, outcome: Any, began: float) -> None:
    seconds = time.perf_counter() - began
    failed = outcome if isinstance(outcome, Exception) else None
    record(action.action, _status(outcome), seconds, access, decision, failed=failed, method="MCP")


_FOR_USER = (
    " The user is {user_id}: a tool that takes a `user_id` is for this one when none is given."
)


@dataclass(frozen=True, slots=True)
class Served:
    """How tools are served.

    *user_id* is the default user of tools that take one. *in_lines*: the text of a result is written for a
    model; otherwise it is the value as JSON.
    """

    user_id: str | None = None
    in_lines: bool = False

    def filled(self, tool: str, given: Json) -> Json:
        """The arguments of a tool, with the default user if they name none."""
        return for_user(tool, given, self.user_id)

    def listed(self, tool: types.Tool) -> types.Tool:
        """A tool as it is listed: with a default user, `user_id` is optional."""
        if self.user_id is None or not is_for_user(tool.name):
            return tool
        schema: dict[str, Any] = dict(tool.input_schema)
        needed = [name for name in schema.get("required", []) if name != "user_id"]
        own = {**schema["properties"]["user_id"], "default": self.user_id}
        properties = {**schema["properties"], "user_id": own}
        changed = {**schema, "properties": properties, "required": needed}
        return tool.model_copy(update={"input_schema": changed})

    def worded(self, result: types.CallToolResult) -> types.CallToolResult:
        """The result from another server, with its text written the way this one does it."""
        value = result.structured_content
        if not self.in_lines or value is None:
            return result
        text = types.TextContent(type="text", text=lines.told(value))
        return result.model_copy(update={"content": [text]})

    def instructed(self, text: str) -> str:
        """The server instructions for clients, with the default user."""
        return text + (_FOR_USER.format(user_id=self.user_id) if self.user_id else "")


ANYBODY = Served()
