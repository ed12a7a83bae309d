"""The order in which a block tells what was chosen for it.

Relevance decides what is told, never where: a block that keeps its lines in their places from one
turn to the next lets a prompt be taken from a cache up to the first line that is new. So things
stand in the order of their time, and what ended stands after what did not.
"""

from datetime import UTC, datetime

from recollect.context.lines import Item
from recollect.graph.types import Entity, Episode, Fact, Observation

_BEFORE_ALL = datetime.min.replace(tzinfo=UTC)
Place = tuple[bool, datetime, int]


def place(item: Item) -> Place:
    """Where *item* stands among its kind, whatever else is there."""
    match item:
        case Fact():
            return has_ended(item), item.valid_at or _BEFORE_ALL, item.id
        case Entity():
            return not item.is_user, item.created_at, item.id
        case Episode():
            return False, item.created_at, item.seq
        case Observation():
            return item.end_at is not None, item.start_at or _BEFORE_ALL, item.id
        case _:
            return False, item.created_at, item.id


def has_ended(fact: Fact) -> bool:
    """Whether an end of this fact is known, be it in the world or in what we hold for true."""
    return fact.invalid_at is not None or fact.expired_at is not None


def holds(fact: Fact, now: datetime) -> bool:
    """Whether a fact is true at *now*, as far as we know."""
    if fact.valid_at is not None and fact.valid_at > now:
        return False
    return all(end is None or end > now for end in (fact.invalid_at, fact.expired_at))
