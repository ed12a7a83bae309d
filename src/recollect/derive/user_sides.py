"""What a user's own node learned on each side of the walls drawn by policies.

All sides share one node. Its row combines the user's record, what was written by hand, and what each
side learned. A side sees only the first two and its own part. What came from the record or by hand is
never replaced by what an episode says, or one side would leak to the others.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from recollect.graph.delta import ChangedEntity, KnownEntity
from recollect.graph.types import Json, Record
from recollect.store import rows
from recollect.store.protocol import Transaction


class Learned(Record):
    """The names and attributes that a node learned on one side, and those learned on any side."""

    names: tuple[str, ...]
    attributes: Json
    names_of_all: frozenset[str]
    keys_of_all: frozenset[str]


def learned(tx: Transaction, entity_id: int, side: str) -> Learned:
    """What a node learned on a side."""
    row = tx.entities.user_side(entity_id=entity_id, side=side)
    given = {} if row is None else row._asdict()
    return Learned(
        names=tuple(rows.from_json(given.get("names")) or ()),
        attributes=rows.from_json(given.get("attributes")) or {},
        names_of_all=frozenset(rows.from_json(given.get("all_names")) or ()),
        keys_of_all=frozenset(rows.from_json(given.get("all_attributes")) or ()),
    )


def as_known(whole: KnownEntity, part: Learned) -> KnownEntity:
    """A node as one side knows it."""
    attributes = {**_own(whole.attributes, part), **part.attributes}
    return replace(whole, names=names_on(whole.names, part), attributes=attributes or None)


def names_on(names: Iterable[str], part: Learned) -> tuple[str, ...]:
    """The names of a node that one side knows."""
    return (*(name for name in names if name not in part.names_of_all), *part.names)


def learn(
    tx: Transaction, entity_id: int, side: str, whole: KnownEntity, changed: ChangedEntity
) -> ChangedEntity:
    """Store what a node learned from an episode on a side; returns the change to the whole node."""
    part = learned(tx, entity_id, side)
    known = as_known(whole, part)
    own = _own(whole.attributes, part)
    before = known.attributes or {}
    told = {
        key: value
        for key, value in (changed.attributes or {}).items()
        if key not in own and before.get(key) != value
    }
    if changed.new_names or told:
        tx.entities.user_side_put(
            entity_id=entity_id,
            side=side,
            names=rows.to_json([*part.names, *changed.new_names]),
            attributes=rows.to_json({**part.attributes, **told} or None),
        )
    fresh = tuple(name for name in changed.new_names if name not in whole.names)
    return replace(
        changed,
        names=(*whole.names, *fresh),
        new_names=fresh,
        attributes={**(whole.attributes or {}), **told} or None,
    )


def unteach(tx: Transaction, entity_id: int, name: str, keys: Iterable[str]) -> None:
    """Remove a name and attributes written by hand from every side's part: they are visible on all sides."""
    written = frozenset(keys)
    for row in tx.entities.user_sides_of(entity_id=entity_id):
        attributes: Json = rows.from_json(row.attributes) or {}
        tx.entities.user_side_put(
            entity_id=entity_id,
            side=row.side,
            names=rows.to_json([one for one in rows.from_json(row.names) if one != name]),
            attributes=rows.to_json(
                {k: v for k, v in attributes.items() if k not in written} or None
            ),
        )


def _own(attributes: Json | None, part: Learned) -> Json:
    """The attributes from the user's record or written by hand."""
    return {key: item for key, item in (attributes or {}).items() if key not in part.keys_of_all}
