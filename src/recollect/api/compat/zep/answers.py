"""What several routes share: the graph a path names, and the headers of cut answers."""

from collections.abc import Sequence
from typing import Any

from recollect.api.http import Reply
from recollect.graph.types import Access, Graph
from recollect.store.protocol import Transaction
from recollect.subjects import graphs

_NEXT_CURSOR = "Zep-Next-Cursor"
_TRUNCATED = "Zep-Truncated"


def graph_of_path(tx: Transaction, access: Access, path: dict[str, str]) -> Graph:
    """The graph that a path names, by whichever word it uses."""
    if "user_id" in path:
        return graphs.of_user(tx, access, path["user_id"])
    return graphs.get(tx, access, path.get("graph_id") or path["group_id"])


def page(items: Sequence[Any], next_cursor: str | None) -> Reply:
    """A page of a list; the next cursor is a header, empty at the end."""
    return Reply.json(items, headers={_NEXT_CURSOR: next_cursor or ""})


def capped(answer: Any, *, truncated: bool) -> Reply:
    """An answer that has no pages, with a header where something was cut off."""
    return Reply.json(answer, headers={_TRUNCATED: "true"} if truncated else None)
