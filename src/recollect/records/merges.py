"""Merges entities by hand, and undoes manual decisions.

A decision is an edit at its place in the log. Undoing it removes it from there: the graph is folded
again as if it had never been made, with everything said since. So two merged entities come back with
their own facts, including those stated in between.
"""

from datetime import datetime

from recollect.derive import readings, taken_in
from recollect.errors import Conflict, InvalidInput, NotAllowed, NotFound
from recollect.graph import visibility as rules
from recollect.graph.gist import mark
from recollect.graph.types import Access, Entity, Fact, Graph, Record
from recollect.records import edits, knowledge
from recollect.records.edit_subjects import Edit
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.edits import EditNewestOfRow, MergesOfGraphRow
from recollect.store.queries.shapes import EntityRow

_UNDOABLE = ("fact.update", "fact.reopen")


class Merge(Record):
    """An entity that was merged into another by hand *at* a time, with its former *uuid* and *name*."""

    uuid: str
    name: str | None
    into: Entity
    at: datetime


def merge(tx: Transaction, access: Access, uuid: str, other: str) -> Entity:
    """Merge two entities into the first; the user's own node and the assistant's always stay."""
    kept, gone = knowledge.entity(tx, access, uuid), knowledge.entity(tx, access, other)
    if kept.id == gone.id:
        raise InvalidInput("uuid: an entity cannot be merged with itself")
    if kept.graph_id != gone.graph_id:
        raise InvalidInput("uuid: entities of different graphs cannot be merged")
    first, second = _row(tx, kept), _row(tx, gone)
    if second.is_user or (second.is_assistant and not first.is_user):
        kept, gone, first, second = gone, kept, second, first
    if second.is_user or second.is_assistant:
        raise InvalidInput("uuid: a user and the assistant cannot be merged")
    if first.side != second.side and not first.is_user:
        raise InvalidInput(
            "uuid: policies separate these entities by the metadata of their episodes"
        )
    marks = edits.marks_of(tx, kept.uuid, first.name)
    edit = Edit(
        kind="entity.merge",
        subject=gone.uuid,
        marks=edits.marks_of(tx, gone.uuid, second.name),
        near=kept.uuid,
        change={"marks": list(marks), "user": bool(first.is_user)},
    )
    edits.make(tx, kept.graph_id, edit)
    return knowledge.entity(tx, access, kept.uuid)


def _row(tx: Transaction, found: Entity) -> EntityRow:
    (row,) = tx.entities.by_ids(ids=rows.to_json([found.id]))
    return row


def of_graph(tx: Transaction, access: Access, graph: Graph, limit: int) -> list[Merge]:
    """The merges of a graph, newest first, as far as visible to the caller."""
    found: list[Merge] = []
    for row in tx.edits.merges_of_graph(graph_id=graph.id):
        if len(found) == limit:
            break
        if (told := _told(tx, access, graph.id, row)) is not None:
            found.append(told)
    return found


def _told(tx: Transaction, access: Access, graph_id: int, edit: MergesOfGraphRow) -> Merge | None:
    """A merge as shown to the caller; None if it was not carried out, or is hidden."""
    for row in tx.entities.that_took_in(graph_id=graph_id, uuid=edit.subject):
        taken = taken_in.by(row).get(edit.subject)
        if taken is None or not _sees(access, taken["side"]):
            continue
        names = (name for name in rows.from_json(row.names) if mark(name) in taken["marks"])
        try:
            into = knowledge.entity(tx, access, row.uuid)
        except NotFound:
            continue
        at = rows.moment(edit.at)
        return Merge(uuid=edit.subject, name=next(names, None), into=into, at=at)
    return None


def _sees(access: Access, side: str) -> bool:
    return access.visibility is None or access.visibility.sees(rules.said_on(side))


def unmerge(tx: Transaction, access: Access, uuid: str) -> Merge:
    """Undo a merge: the entity has its own uuid and facts again once the graph is folded."""
    edit = _newest(tx, access, uuid, ("entity.merge",))
    if edit is None:
        raise NotFound(f"merged node not found: {uuid}")
    graph_id = edit.graph_id
    (row,) = (r for r in tx.edits.merges_of_graph(graph_id=graph_id) if r.id == edit.id)
    told = _told(tx, access, graph_id, row)
    if told is None:
        raise NotFound(f"merged node not found: {uuid}")
    _withdraw(tx, access, edit)
    return told


def undo(tx: Transaction, access: Access, uuid: str) -> Fact:
    """Undo the last manual change to a fact: a correction, an end, or a reopening.

    It is reverted once the graph is folded; the fact is returned as it still is.
    """
    seen = knowledge.fact(tx, access, uuid)
    row = tx.facts.by_uuid(uuid=uuid, project_id=access.project_id)
    edit = _newest(tx, access, seen.uuid, _UNDOABLE)
    # Facts of a user's record are not folded, so nothing would restore them.
    if edit is None or row is None or row.extractor is None:
        raise Conflict("the fact has no manual change to undo")
    _withdraw(tx, access, edit)
    return seen


def _newest(
    tx: Transaction, access: Access, subject: str, kinds: tuple[str, ...]
) -> EditNewestOfRow | None:
    return tx.edits.newest_of(
        subject=subject,
        project_id=access.project_id,
        kinds=rows.to_json(list(kinds)),
    )


def _withdraw(tx: Transaction, access: Access, edit: EditNewestOfRow) -> None:
    if edit.everywhere and access.visibility is not None:
        raise NotAllowed(
            "this was changed before policies divided the graph, and affects all its parts"
        )
    tx.edits.drop(id=edit.id)
    readings.fold_again(tx, edit.graph_id, edit.seq)
