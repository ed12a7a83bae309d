"""What may cease to be known at a time that is said beforehand, and what types of facts do so by themselves."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Literal

from recollect.graph.types import GraphKind, Json, Record

ExpiringKind = Literal["episode", "fact"]


class Reason(Record):
    """Why something expires: somebody said so, facts of its type do, or the episode did that told it.

    *by* is who said so as the audit log names them, the name of the type, or the uuid of the episode.
    """

    kind: Literal["said", "type", "episode"] = "said"
    by: str = ""


class Expired(Record):
    """Something that is not known any more, and what it was, for the operator."""

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
    """The type by which a fact expires and how long it lasts: of its own type and those of the two that
    it joins, the one that lasts least; None if none of them says so."""
    found = [(durations[one], one) for one in {name, *labels} if one in durations]
    if not found:
        return None
    duration, type_ = min(found)
    return type_, duration
