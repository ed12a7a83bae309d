"""What is known of a user, or matters to a thread, as text: behind the resources and the prompt."""

import re
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from recollect.api.app import App
from recollect.graph.types import Access, Json
from recollect.limits import MCP_RESOURCES_PER_PAGE
from recollect.mcp.calls import Refused, ask
from recollect.mcp.tools import get

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
_HIDDEN = (403, 404)  # the key may not see it; for this text that is as if there were none


class Listed(NamedTuple):
    """Users whose context can be read, and the cursor of those that follow."""

    user_ids: list[str]
    next_cursor: str | None


def user_uri(user_id: str) -> str:
    """The address of a user's context."""
    return USER_TEMPLATE.format(user_id=quote(user_id, safe=""))


async def read(app: App, access: Access, uri: str) -> str | None:
    """The text at an address, or None when there is no such kind of address."""
    found = _PLACE.fullmatch(uri)
    if found is None:
        return None
    kind, name = found[1], unquote(found[2])
    return await (of_user if kind == "users" else of_thread)(app, access, name)


async def of_thread(app: App, access: Access, thread_id: str) -> str:
    """What matters to the newest messages of a thread."""
    answer = await ask(app, access, get("threads", thread_id, "context"))
    return str(answer["context"])


async def of_user(app: App, access: Access, user_id: str) -> str:
    """The summary of a user and the facts that hold now, as Markdown."""
    facts = (await ask(app, access, get("users", user_id, "facts")))["facts"]
    summary = await _summary(app, access, user_id)
    parts = [f"# What is known of {user_id}"]
    if summary:
        parts += ["## Summary", summary]
    parts.append("## Facts that hold now")
    parts.append("\n".join(_told(fact) for fact in facts) or "None are known.")
    return "\n\n".join(parts) + "\n"


async def _summary(app: App, access: Access, user_id: str) -> str | None:
    try:
        answer: Json = await ask(app, access, get("users", user_id, "node"))
    except Refused as error:
        if error.status in _HIDDEN:
            return None
        raise
    summary: str | None = answer["node"].get("summary")
    return summary


def _told(fact: Any) -> str:
    since = fact.get("valid_at")
    sentence = " ".join(fact["fact"].split())
    return f"- {sentence}" + (f" (since {since[:10]})" if since else "")


async def users(app: App, access: Access, cursor: str | None) -> Listed:
    """A page of users, for lists; nobody for a key that may not list them."""
    page = int(cursor) if cursor and cursor.isdecimal() and len(cursor) < 10 else 1
    request = get("users-ordered", pageNumber=page, pageSize=MCP_RESOURCES_PER_PAGE)
    try:
        answer = await ask(app, access, request)
    except Refused:
        return Listed([], None)
    more = page * MCP_RESOURCES_PER_PAGE < answer["total_count"]
    return Listed([user["user_id"] for user in answer["users"]], str(page + 1) if more else None)
