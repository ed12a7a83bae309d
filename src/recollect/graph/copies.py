"""Uuids in a copy of a graph: all of them are one distance away from those of the original.

The readings of a copy speak of the original: they are as they were when they were copied. What is
folded from them is moved, and what is read in the copy is kept in the words of the original.
"""

from collections.abc import Callable

from msgspec.structs import replace

from recollect import ids
from recollect.graph.found import Found, FoundEntity, FoundFact, Judgement
from recollect.graph.types import Episode
from recollect.ids import Ids


def derived(episode: Episode, distance: int, part: str = "") -> Ids:
    """The ids of what an episode brings forth: those of the original's, moved."""
    seed = ids.moved(episode.uuid, -distance) + part
    new_id = ids.derived(episode.received_at, episode.seq, seed)
    return (lambda: ids.moved(new_id(), distance)) if distance else new_id


def placed(episode: Episode, distance: int) -> Callable[[int], str]:
    """The same ids, each by its place."""
    at = ids.placed(episode.received_at, episode.seq, ids.moved(episode.uuid, -distance))
    return lambda place: ids.moved(at(place), distance)


def moved(found: Found, distance: int) -> Found:
    """What was found in an episode of the original, as the copy calls what it names."""
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
