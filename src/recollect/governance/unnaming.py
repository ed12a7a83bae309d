"""Drops names and attributes of entities that only forgotten texts used.

Nothing records which episode taught an entity a name. So the texts are searched: what occurs in a
forgotten one, and in no surviving one that mentions the entity, is dropped. A name that a caller gave
by hand or that the user's record states stays, and so does the last one.
"""

from collections.abc import Sequence

from recollect.derive import knowledge
from recollect.graph.types import Json, Record
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.shapes import EntityRow

_OWN = ("user_id", "email", "first_name", "last_name", "role_type")


class Word(Record):
    """A name of an entity or, with *key*, the value of one of its attributes."""

    entity_id: int
    text: str
    key: str | None = None


def heard(tx: Transaction, entity_ids: Sequence[int], episodes: Sequence[int]) -> list[Word]:
    """The names of entities that occur in episodes about to be forgotten."""
    found = tx.entities.by_ids(ids=rows.to_json(list(entity_ids)))
    return _borne(tx, [word for row in found for word in _words(tx, row)], episodes)


def drop_unheard(tx: Transaction, words: Sequence[Word]) -> list[int]:
    """Drop those of *words* that no episode contains any more; returns the changed entities."""
    left = tx.entities.by_ids(ids=rows.to_json([word.entity_id for word in words]))
    still = set(_borne(tx, words, None))
    lost = [word for word in words if word not in still]
    return [row.id for row in left if _drop(tx, row, lost)]


def _words(tx: Transaction, row: EntityRow) -> list[Word]:
    kept = _kept_names(tx, row)
    number = row.id
    told = [name for name in rows.from_json(row.names) if name not in kept]
    own = _OWN if row.is_user else ()
    values = {key: text for key, text in _texts(row).items() if key not in own}
    return [
        *(Word(entity_id=number, text=name) for name in told),
        *(Word(entity_id=number, text=text, key=key) for key, text in values.items()),
    ]


def _texts(row: EntityRow) -> dict[str, str]:
    attributes: Json = rows.from_json(row.attributes) or {}
    return {
        key: value if isinstance(value, str) else str(rows.to_json(value))
        for key, value in attributes.items()
        if not isinstance(value, bool) and value not in (None, "")
    }


def _kept_names(tx: Transaction, row: EntityRow) -> set[str]:
    kept = {(rows.from_json(row.given) or {}).get("name")}
    user = tx.users.of_graph(graph_id=row.graph_id) if row.is_user else None
    if user is not None:
        kept |= {user.user_id, user.email, user.first_name} | {row.name}
        kept.add(" ".join(part for part in (user.first_name, user.last_name) if part))
    return {name for name in kept if name}


def _borne(tx: Transaction, words: Sequence[Word], among: Sequence[int] | None) -> list[Word]:
    if not words:
        return []
    pairs = rows.to_json([(word.entity_id, word.text) for word in words])
    listed = None if among is None else rows.to_json(list(among))
    found = tx.graphs.texts_bearing(pairs=pairs, among=listed)
    return [words[place] for place in found]


def _drop(tx: Transaction, row: EntityRow, lost: Sequence[Word]) -> bool:
    own = [word for word in lost if word.entity_id == row.id]
    names: list[str] = rows.from_json(row.names)
    gone = {word.text for word in own if word.key is None}
    left = [name for name in names if name not in gone] or names
    keys = {word.key for word in own}
    old: Json | None = rows.from_json(row.attributes)
    attributes = None if old is None else {k: v for k, v in old.items() if k not in keys}
    name = row.name if row.name in left or row.is_user else left[0]
    if (name, left, attributes) == (row.name, names, old):
        return False
    tx.entities.unname(
        id=row.id,
        name=name,
        names=rows.to_json(left),
        attributes=rows.to_json(attributes),
    )
    tx.entities.names_delete(entity_id=row.id)
    knowledge.put_names(tx, row.graph_id, row.id, left)
    return True
