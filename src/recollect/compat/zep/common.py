"""What several routes share: the graph a path names, and the headers of answers that were cut."""

from collections.abc import Sequence
from typing import Any

from recollect.api.http import Reply
from recollect.api.router import Call
from recollect.app.refs import GraphRef
from recollect.compat.zep import translate
from recollect.compat.zep.wire import graphs as graphs_wire
from recollect.graph.types import Episode
from recollect.limits import PAGE_MAX

_NEXT_CURSOR = "Zep-Next-Cursor"
_TRUNCATED = "Zep-Truncated"
_CLIENT_VERSION = b"x-fern-sdk-version"


def graph_ref(path: dict[str, str]) -> GraphRef:
    """The graph that a path names, by whichever word it uses."""
    if "user_id" in path:
        return GraphRef(user_id=path["user_id"])
    return GraphRef(graph_id=path.get("graph_id") or path["group_id"])


def opens_group(call: Call, graph_id: str | None, group_id: str | None) -> bool:
    """Whether writing to a group may make it: it is called a group, as only Zep v2 does, and the key
    may create graphs."""
    return graph_id is None and group_id is not None and bool(call.access_for("graph.create"))


def client_version(call: Call) -> int | None:
    """The major version of the released client that asks, 2 or 3; None when neither does.

    Both speak to the same paths, and the version of the client is all that tells them apart.
    """
    version = next((value for name, value in call.headers if name == _CLIENT_VERSION), b"")
    major = version.partition(b".")[0]
    return int(major) if major in (b"2", b"3") else None


def page(items: Sequence[Any], next_cursor: str | None, *, truncated: bool = False) -> Reply:
    """A page of a list; the next cursor is a header, empty at the end."""
    cut = {_TRUNCATED: "true"} if truncated else {}
    return Reply.json(items, headers={_NEXT_CURSOR: next_cursor or "", **cut})


def capped(answer: Any, *, truncated: bool) -> Reply:
    """An answer that has no pages, with a header where something was cut off."""
    return Reply.json(answer, headers={_TRUNCATED: "true"} if truncated else None)


def capped_episodes(found: Sequence[Episode]) -> Reply:
    """Episodes, of which one more was read than an answer holds."""
    shown = [translate.episode(episode) for episode in found[:PAGE_MAX]]
    return capped(graphs_wire.Episodes(episodes=shown), truncated=len(found) > PAGE_MAX)
