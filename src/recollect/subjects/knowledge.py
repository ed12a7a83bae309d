"""Reading and correcting entities and facts by hand."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec.structs import replace

from recollect.errors import InvalidInput, NotFound
from recollect.governance import describing, erasure
from recollect.graph import checks
from recollect.graph.gist import gist
from recollect.graph.types import Access, Entity, Episode, Fact, Graph, Json, Thread
from recollect.limits import DESCRIPTION_CHARS_MAX, EPISODE_CHARS_MAX, NAME_CHARS_MAX
from recollect.store import derived, findable, index, rows
from recollect.store.knowledge import put_names
from recollect.store.protocol import Row, Transaction
from recollect.subjects import seeing, telling
from recollect.subjects.pages import Page, PageRequest, page_seen

UnsetType = msgspec.UnsetType
UNSET = msgspec.UNSET


def entity(tx: Transaction, access: Access, uuid: str) -> Entity:
    """An entity by its uuid."""
    row = tx.one("entity_by_uuid", uuid=uuid, project_id=access.project_id)
    found = telling.entities(tx, access, [rows.entity(row)]) if row is not None else []
    if not found:
        raise NotFound(f"node not found: {uuid}")
    return found[0]


def fact(tx: Transaction, access: Access, uuid: str) -> Fact:
    """A fact by its uuid."""
    row = tx.one("fact_by_uuid", uuid=uuid, project_id=access.project_id)
    found = telling.facts(tx, access, [rows.fact(row)]) if row is not None else []
    if not found:
        raise NotFound(f"edge not found: {uuid}")
    return found[0]


def facts_by_ids(tx: Transaction, access: Access, graph: Graph, ids: Sequence[int]) -> list[Fact]:
    """Those facts of a graph that have one of the row ids."""
    found = tx.all("facts_told_by_ids", ids=rows.to_json(list(ids)))
    return telling.facts(tx, access, [rows.fact(r) for r in found if r["graph_id"] == graph.id])


def entities_by_ids(
    tx: Transaction, access: Access, graph: Graph, ids: Sequence[int]
) -> list[Entity]:
    """Those entities of a graph that have one of the row ids."""
    found = tx.all("entities_by_ids", ids=rows.to_json(list(ids)))
    known = [rows.entity(row) for row in found if row["graph_id"] == graph.id]
    return telling.entities(tx, access, known)


def entities_by_uuids(
    tx: Transaction, access: Access, graph: Graph, uuids: Sequence[str]
) -> list[Entity]:
    """Those entities of a graph that have one of the uuids."""
    found = tx.all("entities_by_uuids", graph_id=graph.id, uuids=rows.to_json(list(uuids)))
    return telling.entities(tx, access, [rows.entity(row) for row in found])


def entities_page(
    tx: Transaction, access: Access, graph: Graph, request: PageRequest
) -> Page[Entity]:
    """Entities of a graph, page by page."""

    def tell(found: list[Row]) -> dict[int, Entity]:
        told = telling.entities(tx, access, [rows.entity(row) for row in found])
        return {one.id: one for one in told}

    return page_seen(
        lambda bounds: tx.all("entities_page", order=request.order, graph_id=graph.id, **bounds),
        request,
        tell,
        narrowing=access.sight is not None,
    )


def facts_page(
    tx: Transaction,
    access: Access,
    graph: Graph,
    request: PageRequest,
    among: Sequence[int] | None = None,
) -> Page[Fact]:
    """Facts of a graph, page by page, those of *among* if given."""
    listed = rows.to_json(among)

    def read(bounds: dict[str, Any]) -> list[Row]:
        if listed is None:
            return tx.all("facts_page", order=request.order, graph_id=graph.id, **bounds)
        return tx.all(
            "facts_page_among", order=request.order, graph_id=graph.id, ids=listed, **bounds
        )

    def tell(found: list[Row]) -> dict[int, Fact]:
        told = telling.facts(tx, access, [rows.fact(row) for row in found])
        return {one.id: one for one in told}

    return page_seen(read, request, tell, narrowing=access.sight is not None)


def _facts(tx: Transaction, access: Access, limit: int, query: str, **params: Any) -> list[Fact]:
    """The first facts of a query that may be seen."""
    return seeing.first(
        access,
        lambda several: [rows.fact(row) for row in tx.all(query, limit=several, **params)],
        lambda found: telling.facts(tx, access, found),
        limit,
    )


def facts_holding(tx: Transaction, access: Access, graph: Graph, limit: int) -> list[Fact]:
    """What is true now as far as we know, newest knowledge first."""
    now = rows.micros(tx.now)
    return _facts(tx, access, limit, "facts_holding", graph_id=graph.id, now=now)


def facts_of_entity(tx: Transaction, access: Access, found: Entity, limit: int) -> list[Fact]:
    """The facts that touch an entity."""
    return _facts(tx, access, limit, "facts_of_entity", entity_id=found.id)


def facts_of_thread(
    tx: Transaction, access: Access, thread: Thread, rating_min: float | None, limit: int
) -> list[Fact]:
    """The facts that were said in a thread, newest first; an unrated one is never too low."""
    said = seeing.carriers(access, tx.all("episodes_that_state", thread_id=thread.id))
    return _facts(
        tx,
        access,
        limit,
        "facts_of_thread",
        episodes=rows.to_json([row["id"] for row in said]),
        rating_min=rating_min,
    )


def episodes_of_entity(tx: Transaction, access: Access, found: Entity, limit: int) -> list[Episode]:
    """The episodes that mention an entity, newest first."""
    query = "episodes_of_entity"
    return seeing.first(
        access,
        lambda several: [
            rows.episode(row) for row in tx.all(query, entity_id=found.id, limit=several)
        ],
        lambda read: seeing.episodes(access, read),
        limit,
    )


def mentions(
    tx: Transaction, access: Access, episode: Episode, limit: int
) -> tuple[list[Entity], list[Fact]]:
    """The entities and the facts that came out of an episode."""
    query = "entities_of_episode"
    found = seeing.first(
        access,
        lambda several: [
            rows.entity(row) for row in tx.all(query, episode_id=episode.id, limit=several)
        ],
        lambda read: telling.entities(tx, access, read),
        limit,
    )
    return found, _facts(tx, access, limit, "facts_of_episode", episode_id=episode.id)


class EntityChange(msgspec.Struct, frozen=True, kw_only=True):
    """A correction of an entity; what is UNSET stays."""

    name: str | UnsetType = UNSET
    summary: str | UnsetType = UNSET
    labels: list[str] | UnsetType = UNSET
    attributes: Json | UnsetType = UNSET


def update_entity(tx: Transaction, access: Access, uuid: str, change: EntityChange) -> Entity:
    """Correct an entity by hand; attributes merge, a null takes one away."""
    entity(tx, access, uuid)
    # What is not changed stays as it is, also what this caller may not see of it.
    old = entity(tx, replace(access, sight=None), uuid)
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
    _note_given(tx, old, change)
    index.put(tx, old.graph_id, [index.entity_item(old.id, name, summary)])
    tx.run("graph_edited", id=old.graph_id)
    return entity(tx, access, uuid)


def _note_given(tx: Transaction, old: Entity, change: EntityChange) -> None:
    """Remember what was written by hand: no episode bears it out, and yet it stays."""
    row = tx.one("entity_by_id", id=old.id)
    given = dict(rows.from_json(row["given"]) or {}) if row else {}
    new = {"name": change.name, "summary": change.summary}
    given |= {key: value for key, value in new.items() if value is not UNSET}
    tx.run("entity_set_given", id=old.id, given=rows.to_json(given or None))


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
    erasure.forget_entity(tx, found.graph_id, found.id)


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
    """Correct a fact by hand; attributes merge, a null takes one away."""
    fact(tx, access, uuid)
    # What is not changed stays as it is, also what this caller may not see of it.
    old = fact(tx, replace(access, sight=None), uuid)
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
    if (invalid_at, expired_at) != (old.invalid_at, old.expired_at):
        _set_ends(tx, old.id, invalid_at, expired_at)
    findable.settle(tx, derived.renew(tx, derived.resting_on(tx, facts=[old.id])))
    if sentence != old.fact:
        (ends,) = tx.all("fact_ends", ids=rows.to_json([old.id]))
        describing.describe_again(tx, [ends["source_id"], ends["target_id"]], also=[old.id])
    tx.run("graph_edited", id=old.graph_id)
    return fact(tx, access, uuid)


def _set_ends(
    tx: Transaction, fact_id: int, invalid_at: datetime | None, expired_at: datetime | None
) -> None:
    """Let the ends that someone set by hand count, and no others."""
    tx.run("closings_by_hand", id=fact_id)
    if invalid_at is not None or expired_at is not None:
        tx.run(
            "closing_insert",
            judge="hand",
            sure=None,
            fact_id=fact_id,
            by_fact_id=None,
            episode_id=None,
            ended_at=rows.micros_or_none(invalid_at),
            expired_at=rows.micros_or_none(expired_at),
        )


def delete_fact(tx: Transaction, access: Access, uuid: str) -> None:
    """Remove a fact; the entities it joined stay."""
    found = fact(tx, access, uuid)
    ends = tx.all("fact_ends", ids=rows.to_json([found.id]))
    erasure.forget_facts(tx, found.graph_id, ends)
