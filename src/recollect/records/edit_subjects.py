"""Resolves what an edit applies to: its subject, or what has the subject's text now, on the same side.

Where policies draw walls inside a graph, an edit belongs to the side of its subject. A wall drawn
later may split the subject: then the edit applies to all parts, each on its current side.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Literal, TypeVar

from recollect.graph.gist import mark, mark_of
from recollect.graph.types import Json, Record
from recollect.graph.visibility import within
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.facts import FactRow
from recollect.store.queries.shapes import EntityRow

Subject = EntityRow | FactRow
S = TypeVar("S", EntityRow, FactRow)
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
    """One change to a fact or an entity.

    *marks* are those of its subject's texts, newest first. *near* is the uuid of an entity: for a fact,
    one among whose facts it is looked for if its uuid changed; for a merge, the entity it is merged into.
    """

    kind: EditKind
    subject: str
    marks: tuple[str, ...]
    near: str | None = None
    change: Json | None = None
    vector: bytes | None = None
    side: str = ""
    walls: tuple[str, ...] = ()  # the policy keys that have been named ever since it was made
    everywhere: bool = False  # more keys now: its side was split, and it applies to all parts


def subject(tx: Transaction, graph_id: int, edit: Edit) -> Subject | None:
    """The fact or entity that an edit applies to, if it exists."""
    of_fact = edit.kind.startswith("fact.")
    return _fact(tx, graph_id, edit) if of_fact else _entity(tx, graph_id, edit)


def subjects(tx: Transaction, graph_id: int, edit: Edit) -> list[Subject]:
    """What an edit applies to now: its subject, and the other parts if that was split or changed sides."""
    found = subject(tx, graph_id, edit)
    if found is None:
        return _alone_on_their_sides(_alike(tx, graph_id, edit)) if edit.everywhere else []
    whole = isinstance(found, EntityRow) and found.is_user
    if whole or (not edit.everywhere and _fits(found, edit)):
        return [found]
    others = _alike(tx, graph_id, edit)
    return [found, *(row for row in others if row.side != found.side)]


def kept(tx: Transaction, graph_id: int, edit: Edit, gone: EntityRow) -> EntityRow | None:
    """The entity that *gone* is merged into: one on the same side, or the user."""
    told = edit.change or {}
    if told.get("user"):
        return next((r for r in tx.entities.who(graph_id=graph_id) if r.is_user), None)
    into = Edit(kind=edit.kind, subject=edit.near or "", marks=tuple(told.get("marks", ())))

    def there(found: Sequence[EntityRow]) -> list[EntityRow]:
        beside = [r for r in found if r.side == gone.side and r.id != gone.id]
        return _named(beside, into)

    uuids = rows.to_json([into.subject])
    exact = there(tx.entities.by_uuids(graph_id=graph_id, uuids=uuids))
    return _only(exact or there(tx.entities.of_graph(graph_id=graph_id)))


def _fits(row: Subject, edit: Edit) -> bool:
    """Whether something is on the side of an edit, or on one that this was split into."""
    return within(row.side, edit.walls) == edit.side


def _alike(tx: Transaction, graph_id: int, edit: Edit) -> Sequence[Subject]:
    """Everything that may have been one with the subject of an edit."""
    if edit.kind.startswith("fact."):
        return _facts_alike(tx, graph_id, edit)
    return _entities_alike(tx, graph_id, edit)


def _facts_alike(tx: Transaction, graph_id: int, edit: Edit) -> list[FactRow]:
    every = tx.facts.of_graph(graph_id=graph_id)
    return [row for row in every if mark_of(row.gist) in edit.marks and _fits(row, edit)]


def _entities_alike(tx: Transaction, graph_id: int, edit: Edit) -> list[EntityRow]:
    named = _named(tx.entities.of_graph(graph_id=graph_id), edit)
    # Two entities may have the same name.
    return [row for row in named if row.uuid != edit.near and _fits(row, edit)]


def _alone_on_their_sides(alike: Sequence[Subject]) -> list[Subject]:
    counted = Counter(row.side for row in alike)
    return [row for row in alike if counted[row.side] == 1]


def _fact(tx: Transaction, graph_id: int, edit: Edit) -> FactRow | None:
    uuids = rows.to_json([edit.subject])
    meant = _saying(tx.facts.by_uuids(graph_id=graph_id, uuids=uuids), edit)
    if meant:
        return meant[0]
    near = tx.entities.by_uuids(graph_id=graph_id, uuids=rows.to_json([edit.near]))
    if near:
        around = tx.facts.from_place(entity_id=near[0].id, limit=_FACTS_LOOKED_AT_MAX)
        return next((row for row in _saying(around, edit) if _fits(row, edit)), None)
    return _only(_facts_alike(tx, graph_id, edit))


def _entity(tx: Transaction, graph_id: int, edit: Edit) -> EntityRow | None:
    """The intended entity; a user's own node matches whatever its name is."""
    uuids = rows.to_json([edit.subject])
    found = tx.entities.by_uuids(graph_id=graph_id, uuids=uuids)
    meant = [row for row in found if row.is_user] or _named(found, edit)
    return _only(meant or _entities_alike(tx, graph_id, edit))


def _saying(found: Sequence[FactRow], edit: Edit) -> list[FactRow]:
    return [row for row in found if mark(row.fact) in edit.marks]


def _named(found: Sequence[EntityRow], edit: Edit) -> list[EntityRow]:
    return [
        row
        for row in found
        if any(mark(name) in edit.marks for name in (row.name, *rows.from_json(row.names)))
    ]


def _only(found: Sequence[S]) -> S | None:
    """The only candidate; None if it is ambiguous."""
    return found[0] if len(found) == 1 else None
