"""The expiry of episodes and facts and, for administrators, what has expired."""

from datetime import datetime
from typing import Annotated, Literal

import msgspec

from recollect.api.router import Call, Route
from recollect.app import expiry
from recollect.errors import NotAllowed
from recollect.graph.expiry import ExpiringKind
from recollect.graph.types import GraphKind, Json
from recollect.limits import PAGE_DEFAULT, PAGE_MAX


class Expiry(msgspec.Struct, forbid_unknown_fields=True):
    """When something expires; null: never."""

    expires_at: Annotated[datetime, msgspec.Meta(tz=True)] | None


class ExpiredQuery(msgspec.Struct):
    """How many are asked for."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=PAGE_MAX)] = PAGE_DEFAULT


class ExpiryReason(msgspec.Struct):
    """Why something expired: somebody said so, facts of its type do, or the episode did that told it."""

    kind: Literal["said", "type", "episode"]
    by: str


class ExpiredThing(msgspec.Struct):
    """Something that is not known any more, and what it was."""

    uuid: str
    kind: ExpiringKind
    graph_kind: GraphKind
    graph: str
    expires_at: datetime
    hidden_at: datetime
    because: ExpiryReason
    told: Json


class ExpiredThings(msgspec.Struct):
    """What is not known any more, the last first."""

    expired: list[ExpiredThing]


async def expire_episode(call: Call) -> Expiry:
    """Let an episode expire at a time, or never."""
    return await _expire(call, "episode")


async def expire_fact(call: Call) -> Expiry:
    """Let a fact expire at a time, or never."""
    return await _expire(call, "fact")


async def _expire(call: Call, kind: ExpiringKind) -> Expiry:
    sent: Expiry = call.body
    uuid = call.path["uuid"]
    if sent.expires_at is not None:
        await _require_deletable(call, kind, uuid)
    at = await expiry.expire(call.services, call.access, kind, uuid, sent.expires_at)
    return Expiry(expires_at=at)


async def _require_deletable(call: Call, kind: ExpiringKind, uuid: str) -> None:
    """Setting an expiry deletes later, so it needs the permission to delete."""
    action = _DELETING[kind]
    deleting = call.access_for(action)
    if deleting is None:
        raise NotAllowed(f"this key may not do {action}")
    await expiry.expires_at(call.services, deleting, kind, uuid)


async def episode_expiry(call: Call) -> Expiry:
    """When an episode expires."""
    uuid = call.path["uuid"]
    return Expiry(expires_at=await expiry.expires_at(call.services, call.access, "episode", uuid))


async def fact_expiry(call: Call) -> Expiry:
    """When a fact expires."""
    uuid = call.path["uuid"]
    return Expiry(expires_at=await expiry.expires_at(call.services, call.access, "fact", uuid))


async def expired(call: Call) -> ExpiredThings:
    """What has expired in this project, and its content for as long as that is kept."""
    sent: ExpiredQuery = call.query
    found = await expiry.expired(call.services, call.access, sent.limit)
    return ExpiredThings(expired=msgspec.convert(found, list[ExpiredThing], from_attributes=True))


_EPISODE = "/api/v1/episodes/{uuid}/expiry"
_FACT = "/api/v1/facts/{uuid}/expiry"

_DELETING = {"episode": "graph.episode.delete", "fact": "graph.edge.delete"}

ROUTES = [
    Route(
        "PUT",
        _EPISODE,
        "graph.episode.update",
        expire_episode,
        "Set when an episode expires",
        body=Expiry,
    ),
    Route(
        "GET",
        _EPISODE,
        "graph.episode.get",
        episode_expiry,
        "Get when an episode expires",
    ),
    Route(
        "PUT",
        _FACT,
        "graph.edge.update",
        expire_fact,
        "Set when a fact expires",
        body=Expiry,
    ),
    Route("GET", _FACT, "graph.edge.get", fact_expiry, "Get when a fact expires"),
    Route(
        "GET",
        "/api/v1/expired",
        "expiry.list",
        expired,
        "List what has expired, and its content",
        query=ExpiredQuery,
        admin=True,
    ),
]
