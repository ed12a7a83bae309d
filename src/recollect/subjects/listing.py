"""Pages of what passed a filter, and nodes with what is told of them beside their own fields."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace

from recollect.graph.types import Access, Entity, Graph, Record
from recollect.limits import NODE_EPISODES_MAX
from recollect.store import rows
from recollect.store.protocol import Row, Transaction
from recollect.subjects import seeing, telling
from recollect.subjects.pages import Page, PageRequest, page_seen

Ids = Sequence[int]
_LINKS_PER_LOOK = 2_000
_NEWEST = "~"  # after every uuid


class ListedEntity(Record):
    """An entity with the episodes that mention it, newest first; None when they are too many."""

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
    """Entities of a graph page by page, those of *among* if given; by degree, with degrees.

    Whoever may not see everything gets the degrees that facts give which they may see.
    """
    by_degree = request.order.startswith("degree/")
    degrees = _degrees(tx, access, graph) if by_degree and access.sight is not None else None
    read = partial(_rows, tx, graph, request, among)
    if degrees is not None:
        read = partial(_by_degree, tx, graph, request, among, degrees)

    def tell(found: list[Row]) -> dict[int, ListedEntity]:
        told = telling.entities(tx, access, [rows.entity(row) for row in found])
        ranks = {row["id"]: row["page_key"] for row in found} if by_degree else {}
        return {
            one.entity.id: replace(one, degree=ranks.get(one.entity.id))
            for one in with_episodes(tx, access, told)
        }

    return page_seen(read, request, tell, narrowing=access.sight is not None)


def _rows(
    tx: Transaction, graph: Graph, request: PageRequest, among: Ids | None, bounds: dict[str, Any]
) -> list[Row]:
    if among is None:
        return tx.all("entities_page", order=request.order, graph_id=graph.id, **bounds)
    listed = rows.to_json(among)
    return tx.all(
        "entities_page_among", order=request.order, graph_id=graph.id, ids=listed, **bounds
    )


def _degrees(tx: Transaction, access: Access, graph: Graph) -> Counter[int]:
    """How many facts that may be seen touch each entity."""
    counted: Counter[int] = Counter()
    before = _NEWEST
    while found := tx.all("links_before", graph_id=graph.id, before=before, limit=_LINKS_PER_LOOK):
        before = found[-1]["uuid"]
        seen = seeing.ids(tx, access, "fact", [row["id"] for row in found])
        for row in found:
            if row["id"] in seen:
                counted.update({row["source_id"], row["target_id"]})
    return counted


class _Ranked:
    """A row with a sort key that no query could have given it."""

    def __init__(self, row: Row, page_key: int) -> None:
        self._row = row
        self._page_key = page_key

    def __getitem__(self, column: str, /) -> Any:
        return self._page_key if column == "page_key" else self._row[column]

    def keys(self) -> list[str]:
        """The columns."""
        return [*self._row.keys(), "page_key"]


def _by_degree(
    tx: Transaction,
    graph: Graph,
    request: PageRequest,
    among: Ids | None,
    degrees: Counter[int],
    bounds: dict[str, Any],
) -> list[Row]:
    """What the query would give if there were no more facts than are counted."""
    listed = rows.to_json(among)
    places = [
        (degrees[row["id"]], row["uuid"], row["id"])
        for row in tx.all("entity_uuids_among", graph_id=graph.id, ids=listed)
    ]
    downwards = request.order.endswith("/desc")
    places.sort(reverse=downwards)
    if bounds["after_uuid"] is not None:
        mark = (bounds["after_key"], bounds["after_uuid"])
        places = [p for p in places if (p[:2] < mark if downwards else p[:2] > mark)]
    chosen = places[: bounds["limit"]]
    found = tx.all("entities_by_ids", ids=rows.to_json([number for _, _, number in chosen]))
    known = {row["id"]: row for row in found}
    return [_Ranked(known[n], degree) for degree, _, n in chosen]


def with_episodes(tx: Transaction, access: Access, found: Sequence[Entity]) -> list[ListedEntity]:
    """Entities with the episodes that mention them."""
    episodes = _episodes(tx, access, [entity.id for entity in found])
    return [ListedEntity(entity=entity, episodes=episodes.get(entity.id, [])) for entity in found]


def _episodes(tx: Transaction, access: Access, ids: Ids) -> dict[int, list[str] | None]:
    known: dict[int, list[str]] = {}
    if access.sight is None:
        most = NODE_EPISODES_MAX + 1
        for row in tx.all("episode_uuids_of_entities", ids=rows.to_json(ids), limit=most):
            known[row["id"]] = rows.from_json(row["episodes"])
    else:
        for row in seeing.carriers(access, tx.all("entity_episodes", ids=rows.to_json(ids))):
            known.setdefault(row["id"], []).append(row["uuid"])
    return {i: uuids if len(uuids) <= NODE_EPISODES_MAX else None for i, uuids in known.items()}


def time_zone(tx: Transaction, graph: Graph) -> str | None:
    """The zone in which the owner of a graph means words like yesterday."""
    row = tx.one("graph_time_zone", id=graph.id)
    zone: str | None = row["time_zone"] if row else None
    return zone
