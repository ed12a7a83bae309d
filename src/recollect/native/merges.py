"""Merging entities by hand, and undoing changes made by hand."""

from datetime import datetime
from typing import Annotated

import msgspec

from recollect.api.router import Call, Route
from recollect.app import provenance
from recollect.graph.types import Entity
from recollect.limits import PAGE_DEFAULT, PAGE_MAX
from recollect.native import facts as wire
from recollect.records.merges import Merge

_FOLD_S_MAX = 10.0  # how long a response waits for the fold, which then goes on


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
    uuid = call.path["uuid"]
    return _entity(await provenance.merge(call.services, call.access, uuid, sent.other))


async def unmerge(call: Call) -> ToldMerge:
    """Take back that an entity is one with another. Both have the facts of their own again, also those
    that were told meanwhile."""
    uuid = call.path["uuid"]
    return _merge(await provenance.unmerge(call.services, call.access, uuid, wait_s=_FOLD_S_MAX))


async def undo(call: Call) -> wire.ToldFact:
    """Take back the last change by hand to a fact: a correction, an end, or that it was reopened. It is a
    conflict when nobody changed it."""
    uuid = call.path["uuid"]
    return wire.fact(await provenance.undo(call.services, call.access, uuid, wait_s=_FOLD_S_MAX))


async def of_graph(call: Call) -> Merges:
    """What is one by hand in a standalone graph."""
    return await _page(call, graph_id=call.path["graph_id"])


async def of_user(call: Call) -> Merges:
    """What is one by hand in a user's graph."""
    return await _page(call, user_id=call.path["user_id"])


async def _page(call: Call, user_id: str | None = None, graph_id: str | None = None) -> Merges:
    limit = call.query.limit
    found = await provenance.page(
        call.services, call.access, user_id=user_id, graph_id=graph_id, limit=limit + 1
    )
    return Merges(merges=[_merge(one) for one in found[:limit]], truncated=len(found) > limit)


def _merge(found: Merge) -> ToldMerge:
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
        "Merge two entities",
        body=MergeBody,
        shows="graph.node.get",
    ),
    Route(
        "POST",
        "/api/v1/entities/{uuid}/unmerge",
        "graph.node.unmerge",
        unmerge,
        "Undo a merge of two entities",
        shows="graph.node.get",
    ),
    Route(
        "POST",
        "/api/v1/facts/{uuid}/undo",
        "graph.edge.undo",
        undo,
        "Undo the last manual change to a fact",
        shows="graph.edge.get",
    ),
    Route(
        "GET",
        "/api/v1/graphs/{graph_id}/merges",
        "merge.list",
        of_graph,
        "List the manual merges in a graph",
        query=MergesQuery,
    ),
    Route(
        "GET",
        "/api/v1/users/{user_id}/merges",
        "merge.list",
        of_user,
        "List the manual merges in a user's graph",
        query=MergesQuery,
    ),
]
