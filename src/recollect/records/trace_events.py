"""What the events of a trace are in its log: the words of people and of the agent are messages, tools
are called and answer, and anything else is on record without being part of the conversation."""

from typing import Any

from recollect.graph.types import Json
from recollect.session_log.episode import ITEM, META

# By whom the words of an event are, where they are a turn of the conversation.
_ROLES = {
    "input_reference": "user",
    "feedback": "user",
    "correction": "user",
    "observation": "assistant",
    "decision": "assistant",
    "reflection": "assistant",
}
_SOURCES = {"user": "user", "assistant": "agent"}
TOOL_EVENTS = frozenset({"tool_call", "tool_result"})


def logged(told: Json, content: str | None, name: str) -> tuple[str, Json, Json]:
    """The type, the meta and the payload of an event; *name* is what the agent is called."""
    kind = told["event_type"]
    role = _ROLES.get(kind)
    meta: Json = {"source": "runtime", "event": told}
    if told.get("occurred_at"):
        meta["date"] = told["occurred_at"]
    if role is not None:
        item: Json = {"type": "message", "role": role, "content": content or ""}
        if role == "assistant":
            item["name"] = name
        return ITEM, {**meta, "source": _SOURCES[role]}, {"item": item}
    if kind in TOOL_EVENTS:
        return ITEM, {**meta, "source": "tool"}, {"item": _tool_item(told, content or "")}
    return META, meta, {"event": f"trace.{kind}", "data": {"content": content}}


def _tool_item(told: Json, content: str) -> Json:
    call_id = told.get("tool_call_id") or told["event_id"]
    if told["event_type"] == "tool_result":
        return {"type": "function_call_output", "call_id": call_id, "output": content}
    tools = (told.get("context") or {}).get("tools") or [{}]
    named = tools[0].get("name") or "tool"
    return {"type": "function_call", "call_id": call_id, "name": named, "arguments": content}


def content_of(payload: Json) -> str | None:
    """The words of an event, from its payload."""
    held: Any = payload.get("item") or payload.get("data") or {}
    for name in ("content", "arguments", "output"):
        if isinstance(held.get(name), str):
            return held[name] or None
    return None


def carried(shared: Json | None, own: Json | None) -> Json | None:
    """What an event is judged by: the metadata that its trace shares with it, and its own over that."""
    return {**(shared or {}), **(own or {})} or None
