"""Edits by hand, recorded so that folding a graph again repeats them.

An edit is made after a place in the log and stays there: anything later may change the same thing
again. It names its fact or entity by uuid and by a mark of its text. A place that is read again can
give the same uuid to something else, or another uuid to the same thing. An edit whose subject no
longer exists is skipped.
"""

from typing import Any

from recollect.derive import derived, findable, user_sides
from recollect.derive.knowledge import put_names
from recollect.errors import InvariantViolated
from recollect.governance import describing, erasure, joining, outbox
from recollect.governance.erasure import Removed
from recollect.graph import checks
from recollect.graph.gist import gist, mark
from recollect.graph.types import Json
from recollect.records.edit_subjects import Edit, Subject, kept, subject, subjects
from recollect.store import index, rows
from recollect.store.protocol import Transaction
from recollect.store.queries.edits import EditRow
from recollect.store.queries.facts import FactRow
from recollect.store.queries.shapes import EntityRow

BY_HAND = "hand"


def make(tx: Transaction, graph_id: int, edit: Edit) -> Removed:
    """Record an edit and apply it; returns what it removed."""
    found = subject(tx, graph_id, edit)
    tx.edits.insert(
        graph_id=graph_id,
        seq=None,
        kind=edit.kind,
        subject=edit.subject,
        near=edit.near,
        mark=" ".join(edit.marks),
        change=rows.to_json(edit.change),
        vector=edit.vector,
        side="" if found is None else found.side,
        now=rows.micros(tx.now),
    )
    tx.graphs.edited(graph_id=graph_id)
    if found is None:
        return Removed()
    removed = _do(tx, graph_id, edit, found, folding=False)
    if isinstance(found, FactRow) and found.invalid_at is None:
        outbox.tell(tx, graph_id, outbox.closed([found.uuid]))
    return removed


def again(tx: Transaction, graph_id: int, *, before: int | None) -> None:
    """Repeat the edits made after the places that a graph has folded so far.

    This runs on a copy of the graph, which drops each edit once applied. The time is that of the edit.
    """
    for row in tx.edits.due(graph_id=graph_id, before=before):
        edit, then = _edit(row), tx.as_of(rows.moment(row.at))
        for found in subjects(then, graph_id, edit):
            _do(then, graph_id, edit, found, folding=True)
        tx.edits.drop(id=row.id)


def first_place(tx: Transaction, graph_id: int) -> int | None:
    """The place in the log after which the first edit of a graph was made."""
    row = tx.edits.first(graph_id=graph_id)
    return None if row is None else int(row)


def marks_of(tx: Transaction, subject: str, text: str) -> tuple[str, ...]:
    """The mark of something's current text, then those of its texts before earlier edits."""
    earlier = [known for row in tx.edits.of_subject(subject=subject) for known in row.split()]
    return tuple(dict.fromkeys([mark(text), *reversed(earlier)]))


def _edit(row: EditRow) -> Edit:
    return Edit(
        kind=row.kind,
        subject=row.subject,
        marks=tuple(row.mark.split()),
        near=row.near,
        change=rows.from_json(row.change),
        vector=row.vector,
        side=row.side,
        walls=tuple(rows.from_json(row.walls)),
        everywhere=bool(row.everywhere),
    )


def _do(tx: Transaction, graph_id: int, edit: Edit, found: Subject, *, folding: bool) -> Removed:
    """Apply an edit to one subject; returns what it removed."""
    if isinstance(found, FactRow):
        return _do_to_fact(tx, graph_id, edit, found, folding=folding)
    return _do_to_entity(tx, graph_id, edit, found, folding=folding)


def _do_to_fact(
    tx: Transaction, graph_id: int, edit: Edit, found: FactRow, *, folding: bool
) -> Removed:
    if edit.kind == "fact.delete":
        return erasure.forget_facts(tx, graph_id, [found], folding=folding)
    if edit.kind == "fact.update":
        _update_fact(tx, found, edit)
    elif edit.kind == "fact.end":
        _end(tx, found, edit.change or {})
    elif edit.kind == "fact.reopen":
        _reopen(tx, found, edit.change or {})
    else:
        raise InvariantViolated(f"nobody knows edits of kind {edit.kind} of a fact")
    return Removed()


def _do_to_entity(
    tx: Transaction, graph_id: int, edit: Edit, found: EntityRow, *, folding: bool
) -> Removed:
    if edit.kind == "entity.delete":
        return erasure.forget_entity(tx, graph_id, found.id, folding=folding)
    if edit.kind == "entity.update":
        _update_entity(tx, found, edit.change or {})
    elif edit.kind == "entity.merge":
        _merge(tx, graph_id, edit, found)
    else:
        raise InvariantViolated(f"nobody knows edits of kind {edit.kind} of an entity")
    return Removed()


def _merge(tx: Transaction, graph_id: int, edit: Edit, gone: EntityRow) -> None:
    """Merge an entity into another, if that one exists."""
    into = kept(tx, graph_id, edit, gone)
    if into is not None:
        joining.join(tx, into, gone, called=edit.subject)


def _update_entity(tx: Transaction, old: EntityRow, change: Json) -> None:
    """Attributes are merged, and null removes one; everything else is replaced."""
    name, summary = change.get("name", old.name), change.get("summary", old.summary)
    attributes: Json | None = rows.from_json(old.attributes)
    if "attributes" in change:
        attributes = checks.merge(attributes, change["attributes"])
    tx.entities.update(
        id=old.id,
        name=name,
        summary=summary,
        labels=rows.to_json(change.get("labels", rows.from_json(old.labels))),
        attributes=rows.to_json(attributes),
    )
    _answer_to(tx, old, name)
    _note_given(tx, old, change)
    if old.is_user:
        user_sides.unteach(tx, old.id, name, change.get("attributes", {}))
    index.put(tx, old.graph_id, [index.entity_item(old.id, name, summary)])


def _answer_to(tx: Transaction, old: EntityRow, name: str) -> None:
    """Make an entity known by its new name, besides those that texts have used for it."""
    known: list[str] = rows.from_json(old.names)
    if name not in known:
        tx.entities.set_names(id=old.id, names=rows.to_json([name, *known]))
        put_names(tx, old.graph_id, old.id, [name])


def _note_given(tx: Transaction, old: EntityRow, change: Json) -> None:
    """Remember what was written by hand: it stays although no episode supports it."""
    given = dict(rows.from_json(old.given) or {})
    given |= {key: change[key] for key in ("name", "summary") if key in change}
    tx.entities.set_given(id=old.id, given=rows.to_json(given or None))


def _update_fact(tx: Transaction, old: FactRow, edit: Edit) -> None:
    change = edit.change or {}
    sentence = change.get("fact", old.fact)
    attributes: Json | None = rows.from_json(old.attributes)
    if "attributes" in change:
        attributes = checks.merge(attributes, change["attributes"])
    times: dict[str, Any] = {
        key: change.get(key, getattr(old, key)) for key in ("expired_at", "valid_at", "invalid_at")
    }
    tx.facts.update(
        id=old.id,
        name=change.get("name", old.name),
        fact=sentence,
        gist=gist(sentence),
        attributes=rows.to_json(attributes),
        **times,
    )
    if sentence == old.fact:
        index.touch(tx, old.graph_id, "fact", [old.id])
    else:
        _judge_no_more(tx, old)
        index.put(tx, old.graph_id, [index.fact_item(old.id, sentence, edit.vector)])
    ends = times["invalid_at"], times["expired_at"]
    if ends != (old.invalid_at, old.expired_at):
        _close_by_hand(tx, old.id, *ends, judge=BY_HAND)
    _settle(tx, old, reworded=sentence != old.fact)


def _judge_no_more(tx: Transaction, old: FactRow) -> None:
    """Drop the doubts that rest on a fact's old text."""
    doubted = tx.doubts.doubted_by_fact(fact_id=old.id)
    tx.doubts.dispel(fact_id=old.id)
    tx.doubts.drop_by(fact_id=old.id)
    index.touch(tx, old.graph_id, "fact", doubted)


def _end(tx: Transaction, old: FactRow, change: Json) -> None:
    """End a fact whose reason is no longer stored; an earlier end still counts."""
    tx.closings.put_by_hand(fact_id=old.id, **change)
    tx.facts.end_again(ids=rows.to_json([old.id]))
    index.touch(tx, old.graph_id, "fact", [old.id])
    _settle(tx, old, reworded=False)


def _reopen(tx: Transaction, old: FactRow, change: Json) -> None:
    """Reopen a fact, whatever closed it; the same statements will not close it again."""
    tx.closings.by_hand(id=old.id)
    tx.doubts.dispel(fact_id=old.id)
    tx.facts.end(id=old.id, invalid_at=None, expired_at=None)
    held = rows.from_json(old.kept_against) or []
    against = sorted({*held, *change.get("against", [])})
    tx.facts.keep_against(id=old.id, marks=rows.to_json(against or None))
    index.touch(tx, old.graph_id, "fact", [old.id])
    _settle(tx, old, reworded=True)


def _close_by_hand(
    tx: Transaction,
    fact_id: int,
    ended_at: int | None,
    expired_at: int | None,
    *,
    judge: str | None,
) -> None:
    """Replace all ends of a fact by those set by hand."""
    tx.closings.by_hand(id=fact_id)
    if ended_at is not None or expired_at is not None:
        tx.closings.put_by_hand(
            fact_id=fact_id,
            ended_at=ended_at,
            expired_at=expired_at,
            judge=judge,
        )


def _settle(tx: Transaction, old: FactRow, *, reworded: bool) -> None:
    """Update everything derived from a changed fact."""
    findable.settle(tx, derived.renew(tx, derived.resting_on(tx, facts=[old.id])))
    if reworded:
        both = [old.source_id, old.target_id]
        describing.describe_again(tx, both, also=[old.id])
