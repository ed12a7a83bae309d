"""Facts that may contradict each other and were not closed: what is still to be decided by someone."""

from typing import Annotated

import msgspec

from recollect.api.router import Call, Route
from recollect.app import provenance
from recollect.limits import DOUBTS_PER_PAGE_MAX
from recollect.native import facts_wire as wire
from recollect.records.provenance import doubted_with_episodes


class DoubtsQuery(msgspec.Struct):
    """How many."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=DOUBTS_PER_PAGE_MAX)] = 50


class DoubtedFact(msgspec.Struct):
    """A fact that holds, and a newer one that may have ended it."""

    fact: wire.ToldFact
    doubt: wire.FactDoubt


class Doubts(msgspec.Struct):
    """Doubts, the surest first; *truncated* says that there are more."""

    doubts: list[DoubtedFact]
    truncated: bool


async def of_graph(call: Call) -> Doubts:
    """The doubts of a standalone graph."""
    return await _page(call, graph_id=call.path["graph_id"])


async def of_user(call: Call) -> Doubts:
    """The doubts of a user's graph."""
    return await _page(call, user_id=call.path["user_id"])


async def _page(call: Call, user_id: str | None = None, graph_id: str | None = None) -> Doubts:
    limit = call.query.limit
    found = await provenance.doubts(
        call.services, call.access, user_id=user_id, graph_id=graph_id, limit=limit + 1
    )
    readable = doubted_with_episodes(found, call.access_for("graph.episode.get"))
    return Doubts(
        doubts=[
            DoubtedFact(fact=wire.fact(one.fact), doubt=wire.doubt(one.doubt))
            for one in readable[:limit]
        ],
        truncated=len(found) > limit,
    )


ROUTES = [
    Route(
        "GET",
        "/api/v1/graphs/{graph_id}/doubts",
        "doubt.list",
        of_graph,
        "List what may be over in a graph",
        query=DoubtsQuery,
    ),
    Route(
        "GET",
        "/api/v1/users/{user_id}/doubts",
        "doubt.list",
        of_user,
        "List what may be over in a user's graph",
        query=DoubtsQuery,
    ),
]
