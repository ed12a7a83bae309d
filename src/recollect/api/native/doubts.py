"""Facts that may contradict each other and were not closed: what is still to be decided by someone."""

from collections.abc import Callable
from typing import Annotated

import msgspec

from recollect.api.native import facts_wire as wire
from recollect.api.router import Call, Route
from recollect.graph.types import Access, Graph
from recollect.limits import DOUBTS_PER_PAGE_MAX
from recollect.store.protocol import Transaction
from recollect.subjects import graphs, provenance


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
    return await _listed(call, graphs.get, call.path["graph_id"])


async def of_user(call: Call) -> Doubts:
    """The doubts of a user's graph."""
    return await _listed(call, graphs.of_user, call.path["user_id"])


async def _listed(
    call: Call, find: Callable[[Transaction, Access, str], Graph], name: str
) -> Doubts:
    sent: DoubtsQuery = call.query

    def read(tx: Transaction) -> list[provenance.Doubted]:
        graph = find(tx, call.access, name)
        return provenance.doubts_of_graph(tx, call.access, graph, sent.limit + 1)

    found = await call.services.store.read(read)
    readable = provenance.doubted_with_episodes(found, call.access_for("graph.episode.get"))
    return Doubts(
        doubts=[
            DoubtedFact(fact=wire.fact(one.fact), doubt=wire.doubt(one.doubt))
            for one in readable[: sent.limit]
        ],
        truncated=len(found) > sent.limit,
    )


ROUTES = [
    Route(
        "GET",
        "/api/v1/graphs/{graph_id}/doubts",
        "doubt.list",
        of_graph,
        "List what may be over in a graph",
        query=DoubtsQuery,
        answer=Doubts,
    ),
    Route(
        "GET",
        "/api/v1/users/{user_id}/doubts",
        "doubt.list",
        of_user,
        "List what may be over in a user's graph",
        query=DoubtsQuery,
        answer=Doubts,
    ),
]
