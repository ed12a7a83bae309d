"""Reads entities and facts, and corrects them by hand."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec.structs import replace

from recollect.errors import Conflict, InvalidInput, NotFound
from recollect.governance.erasure import Removed
from recollect.graph import checks
from recollect.graph.gist import mark
from recollect.graph.judged import BY_ITSELF
from recollect.graph.types import Access, Entity, Episode, Fact, Graph, Json, Thread
from recollect.limits import DESCRIPTION_CHARS_MAX, EPISODE_CHARS_MAX, NAME_CHARS_MAX, PAGE_MAX
from recollect.records import edits, seeing, telling
from recollect.records.edit_subjects import Edit, EditKind
from recollect.records.pages import Page, PageRequest, page_seen
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.facts import WholeFactRow
from recollect.store.queries.shapes import EntityRow
from recollect.store.statements import Keyed

UnsetType = msgspec.UnsetType
UNSET = msgspec.UNSET


def entity(tx: Transaction, access: Access, uuid: str) -> Entity:
    """An entity by its uuid."""
    row = tx.entities.by_uuid(uuid=uuid, project_id=access.project_id)
    found = telling.entities(tx, access, [rows.entity(row)]) if row is not None else []
    if not found:
        raise NotFound(f"node not found: {uuid}")
    return found[0]


def fact(tx: Transaction, access: Access, uuid: str) -> Fact:
    """A fact by its uuid."""
    row = tx.facts.by_uuid(uuid=uuid, project_id=access.project_id)
    found = telling.facts(tx, access, [rows.fact(row)]) if row is not None else []
    if not found:
        raise NotFound(f"edge not found: {uuid}")
    return found[0]


def facts_by_ids(tx: Transaction, access: Access, graph: Graph, ids: Sequence[int]) -> list[Fact]:
    """The facts of a graph with these row ids."""
    found = tx.facts.told_by_ids(ids=rows.to_json(list(ids)))
    return telling.facts(tx, access, [rows.fact(r) for r in found if r.graph_id == graph.id])


def entities_by_ids(
    tx: Transaction, access: Access, graph: Graph, ids: Sequence[int]
) -> list[Entity]:
    """The entities of a graph with these row ids."""
    found = tx.entities.by_ids(ids=rows.to_json(list(ids)))
    known = [rows.entity(row) for row in found if row.graph_id == graph.id]
    return telling.entities(tx, access, known)


def entities_by_uuids(
    tx: Transaction, access: Access, graph: Graph, uuids: Sequence[str]
) -> list[Entity]:
    """The entities of a graph with these uuids."""
    found = tx.entities.by_uuids(graph_id=graph.id, uuids=rows.to_json(list(uuids)))
    return telling.entities(tx, access, [rows.entity(row) for row in found])


def entities_page(
    tx: Transaction, access: Access, graph: Graph, request: PageRequest
) -> Page[Entity]:
    """A page of a graph's entities."""

    def tell(found: list[EntityRow]) -> dict[int, Entity]:
        told = telling.entities(tx, access, [rows.entity(row) for row in found])
        return {one.id: one for one in told}

    return page_seen(
        lambda bounds: tx.entities.page(order=request.order, graph_id=graph.id, **bounds),
        request,
        tell,
        narrowing=access.visibility is not None,
    )


def facts_page(
    tx: Transaction,
    access: Access,
    graph: Graph,
    request: PageRequest,
    among: Sequence[int] | None = None,
) -> Page[Fact]:
    """A page of a graph's facts, optionally only those in *among*."""
    listed = rows.to_json(among)

    def read(bounds: dict[str, Any]) -> list[Keyed[WholeFactRow]]:
        if listed is None:
            return tx.facts.page(order=request.order, graph_id=graph.id, **bounds)
        return tx.facts.page_among(order=request.order, graph_id=graph.id, ids=listed, **bounds)

    def tell(found: list[WholeFactRow]) -> dict[int, Fact]:
        told = telling.facts(tx, access, [rows.fact(row) for row in found])
        return {one.id: one for one in told}

    return page_seen(read, request, tell, narrowing=access.visibility is not None)


def _facts(
    tx: Transaction,
    access: Access,
    limit: int,
    read: Callable[..., list[WholeFactRow]],
    **params: Any,
) -> list[Fact]:
    """The first visible facts of a query."""
    return seeing.first(
        access,
        lambda several: [rows.fact(row) for row in read(limit=several, **params)],
        lambda found: telling.facts(tx, access, found),
        limit,
    )


def facts_holding(tx: Transaction, access: Access, graph: Graph, limit: int) -> list[Fact]:
    """Facts that are true now as far as we know, most recently learned first.

    With restricted visibility, as far as the visible episodes tell.
    """
    now = rows.micros(tx.now)
    if access.visibility is None:
        return _facts(tx, access, limit, tx.facts.holding, graph_id=graph.id, now=now)
    return seeing.first(
        access,
        lambda several: [
            rows.fact(row) for row in tx.facts.begun(graph_id=graph.id, now=now, limit=several)
        ],
        lambda found: [one for one in telling.facts(tx, access, found) if _holds(one, tx.now)],
        limit,
    )


def _holds(fact: Fact, now: datetime) -> bool:
    return all(end is None or end > now for end in (fact.invalid_at, fact.expired_at))


def facts_of_entity(tx: Transaction, access: Access, found: Entity, limit: int) -> list[Fact]:
    """The facts of an entity."""
    return _facts(tx, access, limit, tx.facts.of_entity, entity_id=found.id)


def facts_of_thread(
    tx: Transaction, access: Access, thread: Thread, rating_min: float | None, limit: int
) -> list[Fact]:
    """The facts stated in a thread, newest first; an unrated fact passes any minimum."""
    said = seeing.carriers(access, tx.episodes.that_state(thread_id=thread.id))
    return _facts(
        tx,
        access,
        limit,
        tx.facts.of_thread,
        episodes=rows.to_json([row.id for row in said]),
        rating_min=rating_min,
    )


def episodes_of_entity(tx: Transaction, access: Access, found: Entity, limit: int) -> list[Episode]:
    """The episodes that mention an entity, newest first."""
    return seeing.first(
        access,
        lambda several: [
            rows.episode(row) for row in tx.episodes.of_entity(entity_id=found.id, limit=several)
        ],
        lambda read: seeing.episodes(access, read),
        limit,
    )


def mentions(
    tx: Transaction, access: Access, episode: Episode, limit: int
) -> tuple[list[Entity], list[Fact]]:
    """The entities and facts learned from an episode."""
    found = seeing.first(
        access,
        lambda several: [
            rows.entity(row) for row in tx.entities.of_episode(episode_id=episode.id, limit=several)
        ],
        lambda read: telling.entities(tx, access, read),
        limit,
    )
    return found, _facts(tx, access, limit, tx.facts.of_episode, episode_id=episode.id)


class EntityChange(msgspec.Struct, frozen=True, kw_only=True):
    """A correction of an entity; UNSET leaves a field unchanged."""

    name: str | UnsetType = UNSET
    summary: str | UnsetType = UNSET
    labels: list[str] | UnsetType = UNSET
    attributes: Json | UnsetType = UNSET


def update_entity(tx: Transaction, access: Access, uuid: str, change: EntityChange) -> Entity:
    """Correct an entity by hand; attributes are merged, and null removes one."""
    entity(tx, access, uuid)
    # Unchanged fields stay as they are, including what this caller may not see.
    old = entity(tx, replace(access, visibility=None), uuid)
    given: Json = {"name": change.name, "summary": change.summary}
    given["attributes"] = change.attributes
    if change.labels is not UNSET:
        given["labels"] = _labels(change.labels)
    told = {key: value for key, value in given.items() if value is not UNSET}
    checks.text("name", told.get("name", old.name), NAME_CHARS_MAX, required=True)
    checks.text("summary", told.get("summary", old.summary), DESCRIPTION_CHARS_MAX)
    _check_merged(old.attributes, change.attributes)
    marks = edits.marks_of(tx, uuid, old.name)
    edits.make(tx, old.graph_id, Edit(kind="entity.update", subject=uuid, marks=marks, change=told))
    return entity(tx, access, uuid)


def _labels(given: list[str]) -> list[str]:
    """The base label, and at most one type."""
    own = [label for label in dict.fromkeys(given) if label != "Entity"]
    if len(own) > 1:
        raise InvalidInput("labels: at most one besides 'Entity'")
    for label in own:
        checks.text("labels", label, NAME_CHARS_MAX, required=True)
    return ["Entity", *own]


def _check_merged(old: Json | None, change: Json | UnsetType) -> None:
    if not isinstance(change, UnsetType):
        checks.json_object("attributes", checks.merge(old, change))


def delete_entity(tx: Transaction, access: Access, uuid: str) -> Removed:
    """Delete an entity and its facts; a user's own node is deleted only with the user."""
    found = entity(tx, access, uuid)
    if found.is_user:
        raise InvalidInput("uuid: this is the user's own node; delete the user instead")
    marks = edits.marks_of(tx, uuid, found.name)
    edit = Edit(kind="entity.delete", subject=uuid, marks=marks)
    return edits.make(tx, found.graph_id, edit)


class FactChange(msgspec.Struct, frozen=True, kw_only=True):
    """A correction of a fact; UNSET leaves a field unchanged. *vector* belongs to the new sentence."""

    name: str | UnsetType = UNSET
    fact: str | UnsetType = UNSET
    vector: bytes | None = None
    attributes: Json | UnsetType = UNSET
    expired_at: datetime | UnsetType | None = UNSET
    valid_at: datetime | UnsetType | None = UNSET
    invalid_at: datetime | UnsetType | None = UNSET


def update_fact(tx: Transaction, access: Access, uuid: str, change: FactChange) -> Fact:
    """Correct a fact by hand; attributes are merged, and null removes one."""
    fact(tx, access, uuid)
    # Unchanged fields stay as they are, including what this caller may not see.
    old = fact(tx, replace(access, visibility=None), uuid)
    given = {"name": change.name, "fact": change.fact, "attributes": change.attributes}
    told: Json = {key: value for key, value in given.items() if value is not UNSET}
    checks.text("name", told.get("name", old.name), NAME_CHARS_MAX, required=True)
    checks.text("fact", told.get("fact", old.fact), EPISODE_CHARS_MAX, required=True)
    _check_merged(old.attributes, change.attributes)
    told |= _times(old, change)
    _edit(tx, old, "fact.update", told, change.vector)
    return fact(tx, access, uuid)


def _times(old: Fact, change: FactChange) -> Json:
    """The times that a correction sets, as they are stored."""
    begin = old.valid_at if isinstance(change.valid_at, UnsetType) else change.valid_at
    end = old.invalid_at if isinstance(change.invalid_at, UnsetType) else change.invalid_at
    if begin is not None and end is not None and end < begin:
        raise InvalidInput("invalid_at: must not be before valid_at")
    given = {key: getattr(change, key) for key in ("valid_at", "invalid_at", "expired_at")}
    return {key: rows.micros_or_none(value) for key, value in given.items() if value is not UNSET}


def _edit(
    tx: Transaction,
    found: Fact,
    kind: EditKind,
    change: Json | None = None,
    vector: bytes | None = None,
) -> Removed:
    edit = Edit(
        kind=kind,
        subject=found.uuid,
        marks=edits.marks_of(tx, found.uuid, found.fact),
        near=found.source_uuid,
        change=change,
        vector=vector,
    )
    return edits.make(tx, found.graph_id, edit)


def reopen_fact(tx: Transaction, access: Access, uuid: str) -> Fact:
    """Revoke what closed a fact or cast doubt on it; the same statements will not close it again."""
    seen = fact(tx, access, uuid)
    ended = seen.invalid_at is not None or seen.expired_at is not None
    if not ended and not _doubted(tx, access, seen):
        raise Conflict("the fact has no end to undo")
    old = fact(tx, replace(access, visibility=None), uuid)
    marks = [mark(row) for row in tx.closings.closers_of_fact(id=old.id)]
    _edit(tx, old, "fact.reopen", {"against": [BY_ITSELF, *marks] if ended else marks})
    return fact(tx, access, uuid)


def _doubted(tx: Transaction, access: Access, seen: Fact) -> bool:
    """Whether a visible fact casts doubt on this one."""
    by = [row.fact_id for row in tx.doubts.of_fact(fact_id=seen.id, limit=PAGE_MAX)]
    return bool(seeing.ids(tx, access, "fact", by))


def delete_fact(tx: Transaction, access: Access, uuid: str) -> Removed:
    """Delete a fact; the entities it joined stay."""
    found = fact(tx, access, uuid)
    return _edit(tx, found, "fact.delete")
