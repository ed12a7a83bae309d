"""Uuids in a clone of a graph: each is the original's, shifted by one fixed distance.

The readings of a clone keep the original's uuids. They are shifted when they are folded, and
shifted back when something is read in the clone.
"""

from collections.abc import Callable

from msgspec.structs import replace

from recollect import ids
from recollect.graph.found import Found, FoundEntity, FoundFact, Judgement
from recollect.graph.types import Episode
from recollect.ids import Ids


def derived(episode: Episode, distance: int, part: str = "") -> Ids:
    """Ids for what is derived from an episode: those of the original, shifted."""
    seed = ids.moved(episode.uuid, -distance) + part
    new_id = ids.derived(episode.received_at, episode.seq, seed)
    return (lambda: ids.moved(new_id(), distance)) if distance else new_id


def placed(episode: Episode, distance: int) -> Callable[[int], str]:
    """The same ids, by position."""
    at = ids.placed(episode.received_at, episode.seq, ids.moved(episode.uuid, -distance))
    return lambda place: ids.moved(at(place), distance)


def moved(found: Found, distance: int) -> Found:
    """What was found in an episode of the original, with the clone's uuids."""
    if not distance:
        return found
    return replace(
        found,
        entities=tuple(_entity(item, distance) for item in found.entities),
        facts=tuple(_fact(item, distance) for item in found.facts),
        judged=_judged(found.judged, distance),
    )


def _entity(item: FoundEntity, distance: int) -> FoundEntity:
    known = item.known and replace(item.known, uuid=ids.moved(item.known.uuid, distance))
    return replace(item, known=known, uuid=item.uuid and ids.moved(item.uuid, distance))


def _fact(item: FoundFact, distance: int) -> FoundFact:
    judged = _judged(item.judged, distance)
    return replace(item, judged=judged, uuid=item.uuid and ids.moved(item.uuid, distance))


def _judged(given: tuple[Judgement, ...], distance: int) -> tuple[Judgement, ...]:
    return tuple(replace(one, fact=ids.moved(one.fact, distance)) for one in given)
