"""Preferring what is recent among what was found."""

from datetime import datetime
from typing import Any, Literal

from msgspec.structs import fields, replace

from recollect.graph.types import Entity, Fact
from recollect.search.query import Found, Ranked

Bias = Literal["off", "mild", "strong"]
# How much more something of this very moment counts, and after how many days half of that is left.
_WEIGHTS: dict[Bias, float] = {"off": 0.0, "mild": 0.25, "strong": 1.0}
_HALF_LIFE_DAYS = 30.0


def weighed(found: Found, bias: Bias, now: datetime) -> Found:
    """The same with scores that favour what is recent, as strongly as was asked for."""
    weight = _WEIGHTS[bias]
    if not weight:
        return found
    kinds = {field.name: getattr(found, field.name) for field in fields(Found)}
    return replace(
        found,
        **{
            kind: tuple(sorted((_weighed(hit, weight, now) for hit in hits), key=_worse))
            for kind, hits in kinds.items()
        },
    )


def _worse(hit: Ranked[Any]) -> float:
    return -hit.score


def _weighed(hit: Ranked[Any], weight: float, now: datetime) -> Ranked[Any]:
    if isinstance(hit.item, Entity):  # one is as old as what is known of it, which is found as well
        return hit
    days = max(0.0, (now - _moment(hit.item)).total_seconds() / 86_400)
    return replace(hit, score=hit.score * (1 + weight * 0.5 ** (days / _HALF_LIFE_DAYS)))


def _moment(item: Any) -> datetime:
    """When something began to be so, or was last told."""
    if isinstance(item, Fact):
        return item.valid_at or item.created_at
    moment: datetime = getattr(item, "updated_at", item.created_at)
    return moment
