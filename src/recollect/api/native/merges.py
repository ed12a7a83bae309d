"""Two entities that are one by hand, and taking back what was decided by hand."""

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import Annotated

import msgspec

from recollect import log
from recollect.api.native import facts_wire as wire
from recollect.api.router import Call, Route
from recollect.errors import NotFound
from recollect.graph.types import Access, Entity, Fact, Graph
from recollect.limits import PAGE_DEFAULT, PAGE_MAX
from recollect.store.protocol import Transaction
from recollect.subjects import graphs, knowledge, merges

_log = log.get(__name__)
_FOLD_S_MAX = 10.0  # how long an answer waits for the graph to be what it was; then that goes on


class MergeBody(msgspec.Struct, forbid_unknown_fields=True):
    """The entity that is the same as the one of the path."""

    other: str


class ToldEntity(msgspec.Struct, kw_only=True):
    """Someone or something that is known."""

    uuid: str
    name: str
    labels: list[str]
    summary: str
    created_at: datetime


class ToldMerge(msgspec.Struct, kw_only=True):
    """An entity that is one with another by hand. *uuid* is the one it had, which takes it back."""

    uuid: str
    name: str | None
    into: ToldEntity
    merged_at: datetime


class MergesQuery(msgspec.Struct):
    """How many."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=PAGE_MAX)] = PAGE_DEFAULT


class Merges(msgspec.Struct):
    """What was made one by hand, the newest first; *truncated* says that there is more."""

    merges: list[ToldMerge]
    truncated: bool


async def merge(call: Call) -> ToldEntity:
    """Let two entities be one: facts, messages and names of the other go over to this one. The user's
    own node always stays. What is said of either from now on is said of it."""
    sent: MergeBody = call.body
    store = call.services.store
    return _entity(await store.write(merges.merge, call.access, call.path["uuid"], sent.other))


async def unmerge(call: Call) -> ToldMerge:
    """Take back that an entity is one with another. Both have the facts of their own again, also those
    that were told meanwhile."""
    found = await call.services.store.write(merges.unmerge, call.access, call.path["uuid"])
    await _folded(call, found.into.graph_id)
    return _merge(found)


async def undo(call: Call) -> wire.ToldFact:
    """Take back the last change by hand to a fact: a correction, an end, or that it was reopened. It is a
    conflict when nobody changed it."""
    before = await call.services.store.write(_undo, call.access, call.path["uuid"])
    await _folded(call, before.graph_id)
    return wire.fact(await call.services.store.read(_again, call.access, before))


def _undo(tx: Transaction, access: Access, uuid: str) -> Fact:
    try:
        return merges.undo(tx, access, uuid)
    except NotFound as error:
        raise NotFound(f"fact not found: {uuid}") from error


def _again(tx: Transaction, access: Access, before: Fact) -> Fact:
    try:
        return knowledge.fact(tx, access, before.uuid)
    except NotFound:  # forgotten meanwhile
        return before


async def _folded(call: Call, graph_id: int) -> None:
    """Wait for a while until a graph is the fold of what is left; it is tried again by itself if that
    fails, and what was asked for is written down either way."""
    fold = asyncio.ensure_future(call.services.folder.fold(graph_id))
    await asyncio.wait([fold], timeout=_FOLD_S_MAX)
    if fold.done() and (error := fold.exception()) is not None:
        _log.warning("merge.not_folded", graph=graph_id, error=type(error).__name__)


async def of_graph(call: Call) -> Merges:
    """What is one by hand in a standalone graph."""
    return await _listed(call, graphs.get, call.path["graph_id"])


async def of_user(call: Call) -> Merges:
    """What is one by hand in a user's graph."""
    return await _listed(call, graphs.of_user, call.path["user_id"])


async def _listed(
    call: Call, find: Callable[[Transaction, Access, str], Graph], name: str
) -> Merges:
    sent: MergesQuery = call.query

    def read(tx: Transaction) -> list[merges.Merge]:
        return merges.of_graph(tx, call.access, find(tx, call.access, name), sent.limit + 1)

    found = await call.services.store.read(read)
    return Merges(
        merges=[_merge(one) for one in found[: sent.limit]], truncated=len(found) > sent.limit
    )


def _merge(found: merges.Merge) -> ToldMerge:
    return ToldMerge(uuid=found.uuid, name=found.name, into=_entity(found.into), merged_at=found.at)


def _entity(found: Entity) -> ToldEntity:
    return ToldEntity(
        uuid=found.uuid,
        name=found.name,
        labels=list(found.labels),
        summary=found.summary,
        created_at=found.created_at,
    )


ROUTES = [
    Route(
        "POST",
        "/api/v1/entities/{uuid}/merge",
        "graph.node.merge",
        merge,
        "Let two entities be one",
        body=MergeBody,
        answer=ToldEntity,
        shows="graph.node.get",
    ),
    Route(
        "POST",
        "/api/v1/entities/{uuid}/unmerge",
        "graph.node.unmerge",
        unmerge,
        "Take back that an entity is one with another",
        answer=ToldMerge,
        shows="graph.node.get",
    ),
    Route(
        "POST",
        "/api/v1/facts/{uuid}/undo",
        "graph.edge.undo",
        undo,
        "Take back the last change by hand to a fact",
        answer=wire.ToldFact,
        shows="graph.edge.get",
    ),
    Route(
        "GET",
        "/api/v1/graphs/{graph_id}/merges",
        "merge.list",
        of_graph,
        "List what is one by hand in a graph",
        query=MergesQuery,
        answer=Merges,
    ),
    Route(
        "GET",
        "/api/v1/users/{user_id}/merges",
        "merge.list",
        of_user,
        "List what is one by hand in a user's graph",
        query=MergesQuery,
        answer=Merges,
    ),
]
