"""Which fact or entity an edit means.

It is named by uuid and by a mark of what it said, since a place that is read again can give the same
uuid to something else, and another uuid to the same; what is not there any more is passed over.
"""

from collections.abc import Sequence
from typing import Literal

from recollect.graph.gist import mark, mark_of
from recollect.graph.types import Json, Record
from recollect.store import rows
from recollect.store.protocol import Row, Transaction

EditKind = Literal[
    "fact.update",
    "fact.end",
    "fact.reopen",
    "fact.delete",
    "entity.update",
    "entity.delete",
    "entity.merge",
]
_FACTS_LOOKED_AT_MAX = 500


class Edit(Record):
    """One change. *marks* are those that its subject had, the newest first; *near* is the uuid of
    an entity: among its facts a fact is looked for that has another uuid now, and with it an entity
    is one from then on."""

    kind: EditKind
    subject: str
    marks: tuple[str, ...]
    near: str | None = None
    change: Json | None = None
    vector: bytes | None = None
    everywhere: bool = False  # made before there were walls, so that it is one on every side


def subject(tx: Transaction, graph_id: int, edit: Edit) -> Row | None:
    """What an edit changes."""
    of_fact = edit.kind.startswith("fact.")
    return _fact(tx, graph_id, edit) if of_fact else _entity(tx, graph_id, edit)


def twins(tx: Transaction, graph_id: int, edit: Edit, found: Row | None) -> list[Row]:
    """What was one with the subject of an edit before walls were drawn between them."""
    if edit.kind.startswith("fact."):
        every = tx.all("facts_of_graph", graph_id=graph_id)
        alike = [row for row in every if mark_of(row["gist"]) in edit.marks]
    else:
        alike = _named(tx.all("entities_of_graph", graph_id=graph_id), edit)
    if found is None:
        return alike if len({row["side"] for row in alike}) == len(alike) else []
    return [row for row in alike if row["side"] != found["side"]]


def kept(tx: Transaction, graph_id: int, edit: Edit, gone: Row) -> Row | None:
    """With whom *gone* is to be one: on its side of the walls that policies draw, or the user."""
    told = edit.change or {}
    if told.get("user"):
        return next((r for r in tx.all("entities_who", graph_id=graph_id) if r["is_user"]), None)
    into = Edit(kind=edit.kind, subject=edit.near or "", marks=tuple(told.get("marks", ())))
    every = _named(tx.all("entities_of_graph", graph_id=graph_id), into)
    there = [row for row in every if row["side"] == gone["side"] and row["id"] != gone["id"]]
    exact = [row for row in there if row["uuid"] == into.subject]
    return _only(exact or there)


def _fact(tx: Transaction, graph_id: int, edit: Edit) -> Row | None:
    uuids = rows.to_json([edit.subject])
    meant = _saying(tx.all("facts_by_uuids", graph_id=graph_id, uuids=uuids), edit)
    if meant:
        return meant[0]
    near = tx.all("entities_by_uuids", graph_id=graph_id, uuids=rows.to_json([edit.near]))
    if near:
        around = tx.all("facts_from", entity_id=near[0]["id"], limit=_FACTS_LOOKED_AT_MAX)
        return next(iter(_saying(around, edit)), None)
    everywhere = tx.all("facts_of_graph", graph_id=graph_id)
    return _only([row for row in everywhere if mark_of(row["gist"]) in edit.marks])


def _entity(tx: Transaction, graph_id: int, edit: Edit) -> Row | None:
    """The one that was meant; a user's own node is that whatever it is called, and two that are to be
    one may be called the same."""
    uuids = rows.to_json([edit.subject])
    found = tx.all("entities_by_uuids", graph_id=graph_id, uuids=uuids)
    meant = [row for row in found if row["is_user"]] or _named(found, edit)
    others = tx.all("entities_of_graph", graph_id=graph_id)
    return _only(meant or [row for row in _named(others, edit) if row["uuid"] != edit.near])


def _saying(found: Sequence[Row], edit: Edit) -> list[Row]:
    return [row for row in found if mark(row["fact"]) in edit.marks]


def _named(found: Sequence[Row], edit: Edit) -> list[Row]:
    return [
        row
        for row in found
        if any(mark(name) in edit.marks for name in (row["name"], *rows.from_json(row["names"])))
    ]


def _only(found: Sequence[Row]) -> Row | None:
    """Among several, nobody knows which one was meant."""
    return found[0] if len(found) == 1 else None
