"""The context of a user or a thread as text, for the resources and the prompt."""

import re
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from recollect.app.gate import Gate
from recollect.errors import NotAllowed, NotFound, RecollectError
from recollect.graph.types import Access, Json
from recollect.limits import MCP_RESOURCES_PER_PAGE
from recollect.mcp import actions
from recollect.mcp.calls import ask

USER_TEMPLATE = "recollect://users/{user_id}/context"
THREAD_TEMPLATE = "recollect://threads/{thread_id}/context"
PROMPT = "what_do_you_know_about_me"
QUESTION = (
    "What do you know about me? I am the user {user_id}. The attached memory holds what you "
    "learned of me so far. Tell me in your own words what you know, the most important first, and "
    "since when it holds where that is known. Add nothing that is not in it, and say so if it is "
    "empty. Then ask whether anything is wrong or should be forgotten."
)
_PLACE = re.compile(r"recollect://(users|threads)/([^/?#]+)/context")


class Listed(NamedTuple):
    """Users whose context can be read, and the cursor of the next page."""

    user_ids: list[str]
    next_cursor: str | None


def user_uri(user_id: str) -> str:
    """The URI of a user's context."""
    return USER_TEMPLATE.format(user_id=quote(user_id, safe=""))


async def read(gate: Gate, access: Access, uri: str) -> str | None:
    """The text of a resource, or None if the URI is not one of ours."""
    found = _PLACE.fullmatch(uri)
    if found is None:
        return None
    kind, name = found[1], unquote(found[2])
    return await (of_user if kind == "users" else of_thread)(gate, access, name)


async def of_thread(gate: Gate, access: Access, thread_id: str) -> str:
    """What is relevant to the newest messages of a thread."""
    answer = await ask(gate, access, actions.GET_CONTEXT, thread_id)
    return str(answer["context"])


async def of_user(gate: Gate, access: Access, user_id: str) -> str:
    """The summary of a user and the facts that hold now, as Markdown."""
    facts = await ask(gate, access, actions.GET_USER_FACTS, user_id)
    summary = await _summary(gate, access, user_id)
    parts = [f"# What is known of {user_id}"]
    if summary:
        parts += ["## Summary", summary]
    parts.append("## Facts that hold now")
    parts.append("\n".join(_told(fact) for fact in facts) or "None are known.")
    return "\n\n".join(parts) + "\n"


async def _summary(gate: Gate, access: Access, user_id: str) -> str | None:
    try:
        node: Json = await ask(gate, access, actions.GET_USER_NODE, user_id)
    except (NotAllowed, NotFound):  # treated as if there were no summary
        return None
    return node.get("summary")


def _told(fact: Any) -> str:
    since = fact.get("valid_at")
    sentence = " ".join(fact["fact"].split())
    return f"- {sentence}" + (f" (since {since[:10]})" if since else "")


async def users(gate: Gate, access: Access, cursor: str | None) -> Listed:
    """A page of users; empty for a key that may not list them."""
    page = int(cursor) if cursor and cursor.isdecimal() and len(cursor) < 10 else 1
    window = {"pageNumber": page, "pageSize": MCP_RESOURCES_PER_PAGE}
    try:
        found = await ask(gate, access, actions.LIST_USERS, **window)
    except RecollectError:
        return Listed([], None)
    more = page * MCP_RESOURCES_PER_PAGE < found["total_count"]
    return Listed([one["user_id"] for one in found["users"]], str(page + 1) if more else None)
