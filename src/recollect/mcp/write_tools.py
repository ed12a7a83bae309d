"""The tools that change the memory. They are offered only to whom writing is permitted."""

from collections.abc import Sequence

import msgspec

from recollect.errors import InvalidInput
from recollect.graph.types import Json
from recollect.mcp import shapes
from recollect.mcp.parameters import Parameter
from recollect.mcp.tools import Request, Tool, asked, get, needed, place, post

_V1 = "/api/v1"
_CHANGES = {"fact": "fact", "edge_type": "name", "valid_at": "valid_at", "invalid_at": "invalid_at"}
_LEVELS = ("high", "medium", "low")
_ERASED = {
    "episode_uuid": "episodes",
    "thread_id": "threads",
    "user_id": "users",
}


def _one_of(names: Sequence[str], arguments: Json) -> str:
    given = [name for name in names if name in arguments]
    if len(given) != 1:
        raise InvalidInput(f"give exactly one of {', '.join(names)}")
    return given[0]


def _add(arguments: Json) -> Request:
    content = needed(arguments, "content")
    if "thread_id" in arguments and "graph_id" not in arguments:
        message = {"role": arguments["role"], "content": content}
        if "name" in arguments:
            message["name"] = arguments["name"]
        return post("threads", arguments["thread_id"], "messages", body={"messages": [message]})
    owner = _one_of(("thread_id", "user_id", "graph_id"), arguments)
    kind = arguments.get("type")
    if kind is None and owner == "user_id":
        kind, content = "message", f"user: {content}"  # so that "I" is the user
    body = {owner: arguments[owner], "type": kind or "text", "data": content}
    if "source_description" in arguments:
        body["source_description"] = arguments["source_description"]
    return Request("POST", place("graph"), body=msgspec.json.encode(body))


def _owners(arguments: Json) -> list[Request]:
    """Whoever is to remember it may be new."""
    if "graph_id" in arguments:
        return [post("graph", "create", body={"graph_id": arguments["graph_id"]})]
    if "user_id" not in arguments:
        return []
    user = {"user_id": arguments["user_id"]}
    made = [post("users", body=user)]
    if "thread_id" in arguments:
        made.append(post("threads", body={**user, "thread_id": arguments["thread_id"]}))
    return made


def _owned(arguments: Json) -> Request | None:
    """Whose thread it is, asked only when a user is named as well."""
    if not {"thread_id", "user_id"} <= arguments.keys():
        return None
    return get("threads", arguments["thread_id"], "messages", limit=1)


def _correct(arguments: Json) -> Request:
    path = place("graph", "edge", needed(arguments, "uuid"))
    change = {wire: arguments[name] for name, wire in _CHANGES.items() if name in arguments}
    if not change:
        raise InvalidInput(f"give at least one of {', '.join(_CHANGES)}")
    return Request("PATCH", path, body=msgspec.json.encode(change))


def _forget(arguments: Json) -> Request:
    what = _one_of(("edge_uuid", *_ERASED), arguments)
    if what == "edge_uuid":
        return Request("DELETE", place("graph", "edge", arguments[what]))
    path = place(_ERASED[what], arguments[what], under=_V1)
    return Request("DELETE", path, asked(mode="forget"))


def _rate(arguments: Json) -> Request:
    path = place("users", needed(arguments, "user_id"))
    examples = {level: needed(arguments, level) for level in _LEVELS}
    asked: Json = {"instruction": needed(arguments, "instruction"), "examples": examples}
    return Request("PATCH", path, body=msgspec.json.encode({"fact_rating_instruction": asked}))


def _rated_user(arguments: Json) -> list[Request]:
    return [post("users", body={"user_id": arguments["user_id"]})]


ADD_MEMORY = Tool(
    "add_memory",
    "Remember something",
    "Add something to remember: a message to a thread (`thread_id`; with `user_id` the thread is "
    "begun for that user if it is new), something that a user says (`user_id`), or a text to a "
    "shared graph (`graph_id`). A user or graph that is new is made. It returns at once the uuids "
    "under which it is kept; facts are learned from it within seconds and are then found by "
    "search_graph. Use it when the user says something worth keeping, one matter at a time, in "
    "whole sentences that name who and what they are about. Do not add what is known already: "
    "correct_fact mends a fact that is wrong.",
    (
        Parameter("content", "string", "What to remember, in whole sentences.", required=True),
        Parameter("thread_id", "string", "Thread to add it to, as a message."),
        Parameter("user_id", "string", "User to whose graph it is added, or whose thread it is."),
        Parameter("graph_id", "string", "Shared graph to add it to."),
        Parameter(
            "role",
            "string",
            "In a thread, who speaks: `user`, `assistant`, `system`, `tool` or `function`.",
            default="user",
            choices=("user", "assistant", "system", "tool", "function"),
        ),
        Parameter("name", "string", "In a thread, the name of the speaker."),
        Parameter(
            "type",
            "string",
            "In a graph, what it is: `text`, `json`, or `message` (`Name: what was said`). Without "
            "it, what goes to a user is a message of theirs, in which `I` is the user, and what "
            "goes to a shared graph is a text.",
            choices=("text", "json", "message"),
        ),
        Parameter("source_description", "string", "In a graph, where it comes from."),
    ),
    _add,
    "could not add the memory",
    writes=True,
    missing=_owners,
    owned=_owned,
    repeatable=False,
)

CORRECT_FACT = Tool(
    "correct_fact",
    "Correct a fact",
    "Change what a fact says or when it held, and return it as it is now. Use it when a fact that "
    "search_graph or get_edge returned is wrong; give its `uuid` and at least one change. A fact "
    "that was true and has ended is not wrong: set `invalid_at` to when it ended.",
    (
        Parameter("uuid", "string", "UUID of the fact (edge).", required=True),
        Parameter("fact", "string", "The sentence it should say."),
        Parameter("edge_type", "string", "The type it should have, such as WORKS_AT."),
        Parameter("valid_at", "string", "When it became true, in ISO 8601 with a zone."),
        Parameter("invalid_at", "string", "When it ceased to be true, in ISO 8601 with a zone."),
    ),
    _correct,
    "could not correct the fact",
    shaped=shapes.edges,
    writes=True,
)

FORGET = Tool(
    "forget",
    "Forget for good",
    "Erase a fact (`edge_uuid`), an episode with all that was learned from it alone "
    "(`episode_uuid`), a thread with its messages (`thread_id`), or a user with everything that is "
    "known of them (`user_id`); give exactly one. What only the erased episodes had ended holds "
    "again. It returns a receipt. This cannot be undone: use it only when the user asks to forget, "
    "and for the smallest of the four that does it.",
    (
        Parameter("edge_uuid", "string", "UUID of a fact (edge)."),
        Parameter("episode_uuid", "string", "UUID of an episode."),
        Parameter("thread_id", "string", "Id of a thread."),
        Parameter("user_id", "string", "Id of a user, who is forgotten altogether."),
    ),
    _forget,
    "could not forget it",
    writes=True,
    destroys=True,
)

RATE_FACTS = Tool(
    "rate_facts",
    "Have facts rated",
    "Say how much facts about a user matter: an instruction and a fact for each of three levels. "
    "Every fact learned from then on gets a `rating` between 0 and 1, by which search_graph narrows "
    "with `min_fact_rating`; facts learned before have none. It returns the user. Use it when only "
    "what matters to a purpose is to be found, before the memory is told what it is about.",
    (
        Parameter("user_id", "string", "User whose facts are rated; made if new.", required=True),
        Parameter("instruction", "string", "What makes a fact matter.", required=True),
        Parameter("high", "string", "A fact that matters most.", required=True),
        Parameter("medium", "string", "A fact in the middle.", required=True),
        Parameter("low", "string", "A fact that hardly matters.", required=True),
    ),
    _rate,
    "could not set how facts are rated",
    writes=True,
    missing=_rated_user,
    shaped=shapes.user,
)

TOOLS = (ADD_MEMORY, CORRECT_FACT, FORGET, RATE_FACTS)
