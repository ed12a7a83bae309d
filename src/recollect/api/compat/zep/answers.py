"""What several routes share: the graph a path names, and the headers of cut answers."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from recollect.api.compat.zep import translate, translate_filters, wire
from recollect.api.http import Reply
from recollect.api.router import Call
from recollect.graph.filters import NO_FILTERS, Filters
from recollect.graph.types import Access, Entity, Graph
from recollect.search.query import Kind
from recollect.store.protocol import Transaction
from recollect.subjects import graphs, listing

_NEXT_CURSOR = "Zep-Next-Cursor"
_TRUNCATED = "Zep-Truncated"
_CLIENT_VERSION = b"x-fern-sdk-version"


def graph_of_path(tx: Transaction, access: Access, path: dict[str, str]) -> Graph:
    """The graph that a path names, by whichever word it uses."""
    if "user_id" in path:
        return graphs.of_user(tx, access, path["user_id"])
    return graphs.get(tx, access, path.get("graph_id") or path["group_id"])


def opens_group(call: Call, graph_id: str | None, group_id: str | None) -> bool:
    """Whether writing to a group may make it: it is called a group, as only generation 2 does,
    and the key may create graphs."""
    return graph_id is None and group_id is not None and bool(call.access_for("graph.create"))


def generation(call: Call) -> int | None:
    """The generation of the released client that asks; None when none of them does.

    Both speak to the same paths, and the version of the client is all that tells them apart.
    """
    version = next((value for name, value in call.headers if name == _CLIENT_VERSION), b"")
    major = version.partition(b".")[0]
    return int(major) if major in (b"2", b"3") else None


async def matching(call: Call, kind: Kind, filters: Filters) -> list[int] | None:
    """The row ids of what passes in the graph of the path and may be seen; None when nothing
    narrows."""
    meant = translate_filters.for_kind(filters, kind)
    if meant == NO_FILTERS and call.access.sight is None:
        return None
    graph = await call.services.store.glance(graph_of_path, call.access, call.path)
    return await call.services.finder.matching(call.access, graph, kind, meant)


async def nodes(call: Call, found: Sequence[Entity]) -> list[wire.Node]:
    """Entities for the wire, with the episodes that mention them."""
    listed = await call.services.store.read(listing.with_episodes, call.access, found)
    return [translate.listed_node(node) for node in listed]


def page(items: Sequence[Any], next_cursor: str | None, *, truncated: bool = False) -> Reply:
    """A page of a list; the next cursor is a header, empty at the end."""
    cut = {_TRUNCATED: "true"} if truncated else {}
    return Reply.json(items, headers={_NEXT_CURSOR: next_cursor or "", **cut})


def capped(answer: Any, *, truncated: bool) -> Reply:
    """An answer that has no pages, with a header where something was cut off."""
    return Reply.json(answer, headers={_TRUNCATED: "true"} if truncated else None)


def elapsed_ms(call: Call, began: datetime) -> int:
    """Whole milliseconds since *began*; a clock that was set back says none."""
    return max(0, (call.services.clock() - began) // timedelta(milliseconds=1))
