"""Entities merged by hand: which entity took in which, by the uuids that no longer exist.

An entity that was merged into another is gone from the graph, but callers and readers may still refer
to it. The entity that took it in is found by a special key among its names, on the side of the walls
where they were merged. The merged entity's names are kept as marks among what was given by hand.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from recollect.graph.found import Found, FoundEntity
from recollect.graph.types import Json
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.shapes import EntityRow

FIELD = "taken_in"
_WAS = "was:"
_UUID_CHARS = 36


def key(uuid: str, side: str) -> str:
    """The key that finds the entity into which *uuid* was merged."""
    return f"{_WAS}{uuid}{side}"


def renamed_key(key_: str, rename: Callable[[str], str]) -> str:
    """A name key with its uuid replaced, if it is a key of this module; otherwise unchanged."""
    if not key_.startswith(_WAS):
        return key_
    uuid, side = key_[len(_WAS) :][:_UUID_CHARS], key_[len(_WAS) + _UUID_CHARS :]
    return key(rename(uuid), side)


def renamed(given: Json, rename: Callable[[str], str]) -> Json:
    """What was given by hand, with the uuids of merged entities replaced."""
    if FIELD not in given:
        return given
    return {**given, FIELD: {rename(uuid): told for uuid, told in given[FIELD].items()}}


def by(row: EntityRow) -> dict[str, Json]:
    """The entities merged into this one, by uuid: the marks of their names, and their side."""
    return dict((rows.from_json(row.given) or {}).get(FIELD) or {})


def marks(row: EntityRow, side: str) -> tuple[str, ...]:
    """The marks of all names of the entities merged into this one on a side."""
    every = (mark for one in by(row).values() if one["side"] == side for mark in one["marks"])
    return tuple(dict.fromkeys(every))


def takers(tx: Transaction, graph_id: int, side: str, uuids: Iterable[str]) -> dict[str, EntityRow]:
    """The *uuids* that were merged away, each with the entity that took it in on a side."""
    keys = {key(uuid, side): uuid for uuid in uuids}
    if not keys:
        return {}
    found = tx.entities.taking_in(graph_id=graph_id, keys=rows.to_json(list(keys)))
    return {keys[row.key]: row.entity for row in found}


def followed(tx: Transaction, graph_id: int, side: str, found: Found) -> Found:
    """*found* with the uuids of merged entities replaced by those of the entities that took them in."""
    named = {uuid for item in found.entities for uuid in _named(item)}
    by_uuid = {old: row.uuid for old, row in takers(tx, graph_id, side, named).items()}
    if not by_uuid:
        return found
    return replace(found, entities=tuple(_follow(item, by_uuid) for item in found.entities))


def _named(item: FoundEntity) -> list[str]:
    shown = item.known.uuid if item.known else None
    return [uuid for uuid in (item.uuid, shown) if uuid is not None]


def _follow(item: FoundEntity, by_uuid: Mapping[Any, str]) -> FoundEntity:
    known = item.known and replace(item.known, uuid=by_uuid.get(item.known.uuid, item.known.uuid))
    return replace(item, known=known, uuid=by_uuid.get(item.uuid, item.uuid))
