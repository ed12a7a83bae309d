"""For whom tools are served, and how they word their answers."""

from dataclasses import dataclass
from typing import Any

import mcp_types as types

from recollect.graph.types import Json
from recollect.mcp import calls, lines

_FOR_USER = (
    " The user is {user_id}: a tool that takes a `user_id` is for this one when none is given."
)


@dataclass(frozen=True, slots=True)
class Served:
    """*user_id* is whom tools are for when nobody is named. *in_lines*: the text of an answer is for a
    model; else it is the value as JSON."""

    user_id: str | None = None
    in_lines: bool = False

    def filled(self, tool: str, given: Json) -> Json:
        """The arguments of a tool, with the user if they name nobody."""
        return calls.for_user(tool, given, self.user_id)

    def listed(self, tool: types.Tool) -> types.Tool:
        """A tool as it is listed: whoever is served need not be named."""
        if self.user_id is None or not calls.is_for_user(tool.name):
            return tool
        schema: dict[str, Any] = dict(tool.input_schema)
        needed = [name for name in schema.get("required", []) if name != "user_id"]
        own = {**schema["properties"]["user_id"], "default": self.user_id}
        properties = {**schema["properties"], "user_id": own}
        changed = {**schema, "properties": properties, "required": needed}
        return tool.model_copy(update={"input_schema": changed})

    def worded(self, result: types.CallToolResult) -> types.CallToolResult:
        """An answer of another server, in the words of this one."""
        value = result.structured_content
        if not self.in_lines or value is None:
            return result
        text = types.TextContent(type="text", text=lines.told(value))
        return result.model_copy(update={"content": [text]})

    def instructed(self, text: str) -> str:
        """What clients are told beforehand."""
        return text + (_FOR_USER.format(user_id=self.user_id) if self.user_id else "")


ANYBODY = Served()
