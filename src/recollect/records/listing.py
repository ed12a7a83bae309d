"""Pages of what passed a filter, and nodes with additional details."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace

from recollect.graph.types import Access, Entity, Graph, Record
from recollect.limits import NODE_EPISODES_MAX
from recollect.records import seeing, telling
from recollect.records.pages import Page, PageRequest, page_seen
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.shapes import EntityRow
from recollect.store.statements import Keyed

Ids = Sequence[int]
_LINKS_PER_LOOK = 2_000
_NEWEST = "~"  # sorts after every uuid


class ListedEntity(Record):
    """An entity with the episodes that mention it, newest first; None if there are too many."""

    entity: Entity
    episodes: list[str] | None
    degree: int | None = None


def entities(
    tx: Transaction,
    access: Access,
    graph: Graph,
    request: PageRequest,
    among: Ids | None = None,
) -> Page[ListedEntity]:
    """A page of a graph's entities, optionally only those in *among*; ordered by degree, with degrees.

    A caller with restricted visibility gets degrees that count visible facts only.
    """
    by_degree = request.order.startswith("degree/")
    degrees = _degrees(tx, access, graph) if by_degree and access.visibility is not None else None
    read = partial(_rows, tx, graph, request, among)
    if degrees is not None:
        read = partial(_by_degree, tx, graph, request, among, degrees)

    def tell(found: list[EntityRow]) -> dict[int, ListedEntity]:
        told = telling.entities(tx, access, [rows.entity(row) for row in found])
        return {
            one.entity.id: replace(one, degree=ranks.get(one.entity.id))
            for one in with_episodes(tx, access, told)
        }

    ranks: dict[int, int] = {}

    def ranked(bounds: dict[str, Any]) -> list[Keyed[EntityRow]]:
        found = read(bounds)
        if by_degree:
            ranks.update({one.row.id: one.key for one in found})
        return found

    return page_seen(ranked, request, tell, narrowing=access.visibility is not None)


def _rows(
    tx: Transaction, graph: Graph, request: PageRequest, among: Ids | None, bounds: dict[str, Any]
) -> list[Keyed[EntityRow]]:
    if among is None:
        return tx.entities.page(order=request.order, graph_id=graph.id, **bounds)
    listed = rows.to_json(among)
    return tx.entities.page_among(order=request.order, graph_id=graph.id, ids=listed, **bounds)


def _degrees(tx: Transaction, access: Access, graph: Graph) -> Counter[int]:
    """The number of visible facts of each entity."""
    counted: Counter[int] = Counter()
    before = _NEWEST
    while found := tx.links.before(graph_id=graph.id, before=before, limit=_LINKS_PER_LOOK):
        before = found[-1].uuid
        seen = seeing.ids(tx, access, "fact", [row.id for row in found])
        for row in found:
            if row.id in seen:
                counted.update({row.source_id, row.target_id})
    return counted


def _by_degree(
    tx: Transaction,
    graph: Graph,
    request: PageRequest,
    among: Ids | None,
    degrees: Counter[int],
    bounds: dict[str, Any],
) -> list[Keyed[EntityRow]]:
    """What the query would return if only the counted facts existed."""
    listed = rows.to_json(among)
    places = [
        (degrees[row.id], row.uuid, row.id)
        for row in tx.entities.uuids_among(graph_id=graph.id, ids=listed)
    ]
    downwards = request.order.endswith("/desc")
    places.sort(reverse=downwards)
    if bounds["after_uuid"] is not None:
        mark = (bounds["after_key"], bounds["after_uuid"])
        places = [p for p in places if (p[:2] < mark if downwards else p[:2] > mark)]
    chosen = places[: bounds["limit"]]
    found = tx.entities.by_ids(ids=rows.to_json([number for _, _, number in chosen]))
    known = {row.id: row for row in found}
    return [Keyed(known[n], degree) for degree, _, n in chosen]


def with_episodes(tx: Transaction, access: Access, found: Sequence[Entity]) -> list[ListedEntity]:
    """Entities with the episodes that mention them."""
    episodes = _episodes(tx, access, [entity.id for entity in found])
    return [ListedEntity(entity=entity, episodes=episodes.get(entity.id, [])) for entity in found]


def _episodes(tx: Transaction, access: Access, ids: Ids) -> dict[int, list[str] | None]:
    known: dict[int, list[str]] = {}
    if access.visibility is None:
        most = NODE_EPISODES_MAX + 1
        for row in tx.episodes.uuids_of_entities(ids=rows.to_json(ids), limit=most):
            known[row.id] = rows.from_json(row.episodes)
    else:
        for one in seeing.carriers(access, tx.entities.episodes(ids=rows.to_json(ids))):
            known.setdefault(one.id, []).append(one.uuid)
    return {i: uuids if len(uuids) <= NODE_EPISODES_MAX else None for i, uuids in known.items()}


def time_zone(tx: Transaction, graph: Graph) -> str | None:
    """The time zone in which the owner of a graph means words like yesterday."""
    row = tx.graphs.time_zone(id=graph.id)
    zone: str | None = row.time_zone if row else None
    return zone
