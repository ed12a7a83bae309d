"""Two entities that are one by hand, and taking back what was decided by hand.

A decision is an edit at its place of the log. Taking it back takes it out of there: the graph is folded
again as if it had never been made, with whatever was said since. So two entities that were one come
back with the facts of their own, also those that were told meanwhile.
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
    """An entity that is one with another by hand since *at*: *uuid* and *name* are those it had."""

    uuid: str
    name: str | None
    into: Entity
    at: datetime


def merge(tx: Transaction, access: Access, uuid: str, other: str) -> Entity:
    """Let two entities be one, the first of them; a user's own node or the assistant's always stays."""
    kept, gone = knowledge.entity(tx, access, uuid), knowledge.entity(tx, access, other)
    if kept.id == gone.id:
        raise InvalidInput("uuid: it takes two to be merged")
    if kept.graph_id != gone.graph_id:
        raise InvalidInput("uuid: entities of different graphs cannot be one")
    first, second = _row(tx, kept), _row(tx, gone)
    if second.is_user or (second.is_assistant and not first.is_user):
        kept, gone, first, second = gone, kept, second, first
    if second.is_user or second.is_assistant:
        raise InvalidInput("uuid: a user and the assistant cannot be one")
    if first.side != second.side and not first.is_user:
        raise InvalidInput("uuid: policies keep these apart by the metadata of their episodes")
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
    """What is one by hand in a graph, the newest first, as far as the asker may see it."""
    found: list[Merge] = []
    for row in tx.edits.merges_of_graph(graph_id=graph.id):
        if len(found) == limit:
            break
        if (told := _told(tx, access, graph.id, row)) is not None:
            found.append(told)
    return found


def _told(tx: Transaction, access: Access, graph_id: int, edit: MergesOfGraphRow) -> Merge | None:
    """A merge as it may be told; None for one that was not carried out, or is hidden."""
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
    """Take back that an entity is one with another: it has its own uuid and facts again as soon as
    the graph is folded."""
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
    """Take back the last change by hand to a fact: a correction, an end, or that it was reopened. It
    is what it was before as soon as the graph is folded; now it is told as it was meanwhile."""
    seen = knowledge.fact(tx, access, uuid)
    row = tx.facts.by_uuid(uuid=uuid, project_id=access.project_id)
    edit = _newest(tx, access, seen.uuid, _UNDOABLE)
    # What a user's record tells is not folded, so nothing would bring it back.
    if edit is None or row is None or row.extractor is None:
        raise Conflict("the fact was not changed by hand")
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
        raise NotAllowed("this was changed before policies drew walls here, and holds beyond them")
    tx.edits.drop(id=edit.id)
    readings.fold_again(tx, edit.graph_id, edit.seq)
