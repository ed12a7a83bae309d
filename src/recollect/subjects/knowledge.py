"""Reading and correcting entities and facts by hand."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from recollect.errors import InvalidInput, NotFound
from recollect.graph import checks
from recollect.graph.gist import gist
from recollect.graph.types import Access, Entity, Episode, Fact, Graph, Json, Thread
from recollect.limits import DESCRIPTION_CHARS_MAX, EPISODE_CHARS_MAX, NAME_CHARS_MAX
from recollect.store import derived, findable, index, rows
from recollect.store.knowledge import put_names
from recollect.store.protocol import Transaction
from recollect.subjects.pages import Page, PageRequest, page_of

UnsetType = msgspec.UnsetType
UNSET = msgspec.UNSET


def entity(tx: Transaction, access: Access, uuid: str) -> Entity:
    """An entity by its uuid."""
    row = tx.one("entity_by_uuid", uuid=uuid, project_id=access.project_id)
    if row is None:
        raise NotFound(f"node not found: {uuid}")
    return rows.entity(row)


def fact(tx: Transaction, access: Access, uuid: str) -> Fact:
    """A fact by its uuid."""
    row = tx.one("fact_by_uuid", uuid=uuid, project_id=access.project_id)
    if row is None:
        raise NotFound(f"edge not found: {uuid}")
    return rows.fact(row)


def facts_by_ids(tx: Transaction, graph: Graph, ids: Sequence[int]) -> list[Fact]:
    """Those facts of a graph that have one of the row ids."""
    found = tx.all("facts_told_by_ids", ids=rows.to_json(list(ids)))
    return [rows.fact(row) for row in found if row["graph_id"] == graph.id]


def entities_by_ids(tx: Transaction, graph: Graph, ids: Sequence[int]) -> list[Entity]:
    """Those entities of a graph that have one of the row ids."""
    found = tx.all("entities_by_ids", ids=rows.to_json(list(ids)))
    return [rows.entity(row) for row in found if row["graph_id"] == graph.id]


def entities_page(tx: Transaction, graph: Graph, request: PageRequest) -> Page[Entity]:
    """Entities of a graph, page by page."""
    found = tx.all("entities_page", order=request.order, graph_id=graph.id, **request.bounds())
    return page_of(found, request, rows.entity)


def facts_page(tx: Transaction, graph: Graph, request: PageRequest) -> Page[Fact]:
    """Facts of a graph, page by page."""
    found = tx.all("facts_page", order=request.order, graph_id=graph.id, **request.bounds())
    return page_of(found, request, rows.fact)


def facts_holding(tx: Transaction, graph: Graph, limit: int) -> list[Fact]:
    """What is true now as far as we know, newest knowledge first."""
    found = tx.all("facts_holding", graph_id=graph.id, now=rows.micros(tx.now), limit=limit)
    return [rows.fact(row) for row in found]


def facts_of_entity(tx: Transaction, found: Entity, limit: int) -> list[Fact]:
    """The facts that touch an entity."""
    return [rows.fact(row) for row in tx.all("facts_of_entity", entity_id=found.id, limit=limit)]


def facts_of_thread(
    tx: Transaction, thread: Thread, rating_min: float | None, limit: int
) -> list[Fact]:
    """The facts that were said in a thread, newest first; an unrated one is never too low."""
    found = tx.all("facts_of_thread", thread_id=thread.id, rating_min=rating_min, limit=limit)
    return [rows.fact(row) for row in found]


def episodes_of_entity(tx: Transaction, found: Entity, limit: int) -> list[Episode]:
    """The episodes that mention an entity, newest first."""
    return [
        rows.episode(row) for row in tx.all("episodes_of_entity", entity_id=found.id, limit=limit)
    ]


def mentions(tx: Transaction, episode: Episode, limit: int) -> tuple[list[Entity], list[Fact]]:
    """The entities and the facts that came out of an episode."""
    found = tx.all("entities_of_episode", episode_id=episode.id, limit=limit)
    edges = tx.all("facts_of_episode", episode_id=episode.id, limit=limit)
    return [rows.entity(row) for row in found], [rows.fact(row) for row in edges]


class EntityChange(msgspec.Struct, frozen=True, kw_only=True):
    """A correction of an entity; what is UNSET stays."""

    name: str | UnsetType = UNSET
    summary: str | UnsetType = UNSET
    labels: list[str] | UnsetType = UNSET
    attributes: Json | UnsetType = UNSET


def update_entity(tx: Transaction, access: Access, uuid: str, change: EntityChange) -> Entity:
    """Correct an entity by hand; attributes merge, a null takes one away."""
    old = entity(tx, access, uuid)
    name = old.name if change.name is UNSET else change.name
    summary = old.summary if change.summary is UNSET else change.summary
    labels = old.labels if change.labels is UNSET else _labels(change.labels)
    attributes = _merged(old.attributes, change.attributes)
    checks.text("name", name, NAME_CHARS_MAX, required=True)
    checks.text("summary", summary, DESCRIPTION_CHARS_MAX)
    tx.run(
        "entity_update",
        id=old.id,
        name=name,
        summary=summary,
        labels=rows.to_json(labels),
        attributes=rows.to_json(attributes),
    )
    _answer_to(tx, old, name)
    index.put(tx, old.graph_id, [index.entity_item(old.id, name, summary)])
    tx.run("graph_edited", id=old.graph_id)
    return entity(tx, access, uuid)


def _answer_to(tx: Transaction, old: Entity, name: str) -> None:
    """Let an entity answer to its name, and to those that texts have used for it."""
    row = tx.one("entity_by_id", id=old.id)
    known: list[str] = rows.from_json(row["names"]) if row else []
    if name not in known:
        tx.run("entity_set_names", id=old.id, names=rows.to_json([name, *known]))
        put_names(tx, old.graph_id, old.id, [name])


def _labels(given: list[str]) -> list[str]:
    """The base label, and one type at the most."""
    own = [label for label in dict.fromkeys(given) if label != "Entity"]
    if len(own) > 1:
        raise InvalidInput("labels: at most one besides 'Entity'")
    for label in own:
        checks.text("labels", label, NAME_CHARS_MAX, required=True)
    return ["Entity", *own]


def _merged(old: Json | None, change: Json | UnsetType) -> Json | None:
    if change is UNSET or isinstance(change, UnsetType):
        return old
    return checks.json_object("attributes", checks.merge(old, change))


def delete_entity(tx: Transaction, access: Access, uuid: str) -> None:
    """Remove an entity and the facts that touch it; a user's own node goes with the user."""
    found = entity(tx, access, uuid)
    if found.is_user:
        raise InvalidInput("uuid: this is the user's own node; delete the user instead")
    gone = [row["id"] for row in tx.all("fact_ids_of_entity", entity_id=found.id)]
    resting = derived.resting_on(tx, facts=gone)
    tx.run("entity_delete", id=found.id)
    index.remove(tx, found.graph_id, "entity", [found.id])
    index.remove(tx, found.graph_id, "fact", gone)
    findable.settle(tx, derived.renew(tx, resting))
    tx.run("graph_edited", id=found.graph_id)


class FactChange(msgspec.Struct, frozen=True, kw_only=True):
    """A correction of a fact; what is UNSET stays. *vector* is that of the new sentence."""

    name: str | UnsetType = UNSET
    fact: str | UnsetType = UNSET
    vector: bytes | None = None
    attributes: Json | UnsetType = UNSET
    expired_at: datetime | UnsetType | None = UNSET
    valid_at: datetime | UnsetType | None = UNSET
    invalid_at: datetime | UnsetType | None = UNSET


def update_fact(tx: Transaction, access: Access, uuid: str, change: FactChange) -> Fact:
    """Correct a fact by hand."""
    old = fact(tx, access, uuid)
    name = old.name if change.name is UNSET else change.name
    sentence = old.fact if change.fact is UNSET else change.fact
    checks.text("name", name, NAME_CHARS_MAX, required=True)
    checks.text("fact", sentence, EPISODE_CHARS_MAX, required=True)
    valid_at = old.valid_at if change.valid_at is UNSET else change.valid_at
    invalid_at = old.invalid_at if change.invalid_at is UNSET else change.invalid_at
    expired_at = old.expired_at if change.expired_at is UNSET else change.expired_at
    if valid_at is not None and invalid_at is not None and invalid_at < valid_at:
        raise InvalidInput("invalid_at: must not be before valid_at")
    tx.run(
        "fact_update",
        id=old.id,
        name=name,
        fact=sentence,
        gist=gist(sentence),
        attributes=rows.to_json(_merged(old.attributes, change.attributes)),
        expired_at=rows.micros_or_none(expired_at),
        valid_at=rows.micros_or_none(valid_at),
        invalid_at=rows.micros_or_none(invalid_at),
    )
    if sentence == old.fact:
        index.touch(tx, old.graph_id, "fact", [old.id])
    else:
        index.put(tx, old.graph_id, [index.fact_item(old.id, sentence, change.vector)])
    findable.settle(tx, derived.renew(tx, derived.resting_on(tx, facts=[old.id])))
    tx.run("graph_edited", id=old.graph_id)
    return fact(tx, access, uuid)


def delete_fact(tx: Transaction, access: Access, uuid: str) -> None:
    """Remove a fact; the entities it joined stay."""
    found = fact(tx, access, uuid)
    resting = derived.resting_on(tx, facts=[found.id])
    tx.run("fact_delete", id=found.id)
    index.remove(tx, found.graph_id, "fact", [found.id])
    findable.settle(tx, derived.renew(tx, resting))
    tx.run("graph_edited", id=found.graph_id)
