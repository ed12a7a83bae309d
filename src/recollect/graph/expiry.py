"""Expiry: episodes and facts that are hidden at a time set beforehand, or when their type's lifetime ends."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Literal

from recollect.graph.types import GraphKind, Json, Record

ExpiringKind = Literal["episode", "fact"]


class Reason(Record):
    """Why something expires: someone set the time, facts of its type expire, or its episode did.

    *by* is the actor as the audit log names them, the name of the type, or the uuid of the episode.
    """

    kind: Literal["said", "type", "episode"] = "said"
    by: str = ""


class Expired(Record):
    """Something that expired, and what it was, for the operator."""

    uuid: str
    kind: ExpiringKind
    graph_kind: GraphKind
    graph: str
    expires_at: datetime
    hidden_at: datetime
    because: Reason
    told: Json


def lasting(
    name: str, labels: Iterable[str], durations: Mapping[str, timedelta]
) -> tuple[str, timedelta] | None:
    """The type that makes a fact expire, and its lifetime; None if no type does.

    Of the fact's own type and those of its two entities, the one with the shortest lifetime wins.
    """
    found = [(durations[one], one) for one in {name, *labels} if one in durations]
    if not found:
        return None
    duration, type_ = min(found)
    return type_, duration
