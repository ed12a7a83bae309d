"""What several routes share: the graph a path names, and the headers of truncated responses."""

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
    """Whether writing to a group may create it: only Zep v2 says group, and the key must be allowed to
    create graphs."""
    return graph_id is None and group_id is not None and bool(call.access_for("graph.create"))


def client_version(call: Call) -> int | None:
    """The major version of the calling client, 2 or 3; None if it is neither.

    Both use the same paths, and only the client's version header tells them apart.
    """
    version = next((value for name, value in call.headers if name == _CLIENT_VERSION), b"")
    major = version.partition(b".")[0]
    return int(major) if major in (b"2", b"3") else None


def page(items: Sequence[Any], next_cursor: str | None, *, truncated: bool = False) -> Reply:
    """A page of a list; the next cursor is in a header, empty on the last page."""
    cut = {_TRUNCATED: "true"} if truncated else {}
    return Reply.json(items, headers={_NEXT_CURSOR: next_cursor or "", **cut})


def capped(answer: Any, *, truncated: bool) -> Reply:
    """A response without pages, with a header if it was truncated."""
    return Reply.json(answer, headers={_TRUNCATED: "true"} if truncated else None)


def capped_episodes(found: Sequence[Episode]) -> Reply:
    """Episodes; the caller reads one more than a response holds, to see whether there are more."""
    shown = [translate.episode(episode) for episode in found[:PAGE_MAX]]
    return capped(graphs_wire.Episodes(episodes=shown), truncated=len(found) > PAGE_MAX)
