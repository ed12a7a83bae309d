"""Pages of what passed a filter, and nodes with what is told of them beside their own fields."""

from collections.abc import Sequence

from recollect.graph.types import Entity, Episode, Fact, Graph, Record
from recollect.limits import NODE_EPISODES_MAX
from recollect.store import rows
from recollect.store.protocol import Row, Transaction
from recollect.subjects.pages import Page, PageRequest, page_of

Ids = Sequence[int]


class ListedEntity(Record):
    """An entity with the episodes that mention it, newest first; None when they are too many."""

    entity: Entity
    episodes: list[str] | None
    degree: int | None = None


def entities(
    tx: Transaction, graph: Graph, request: PageRequest, among: Ids | None = None
) -> Page[ListedEntity]:
    """Entities of a graph page by page, those of *among* if given; by degree, with degrees."""
    if among is None:
        found = tx.all("entities_page", order=request.order, graph_id=graph.id, **request.bounds())
    else:
        found = tx.all(
            "entities_page_among",
            order=request.order,
            graph_id=graph.id,
            ids=rows.to_json(among),
            **request.bounds(),
        )
    by_degree = request.order.startswith("degree/")
    episodes = _episodes(tx, [row["id"] for row in found[: request.limit]])

    def listed(row: Row) -> ListedEntity:
        return ListedEntity(
            entity=rows.entity(row),
            episodes=episodes.get(row["id"]),
            degree=row["page_key"] if by_degree else None,
        )

    return page_of(found, request, listed)


def with_episodes(tx: Transaction, found: Sequence[Entity]) -> list[ListedEntity]:
    """Entities with the episodes that mention them."""
    episodes = _episodes(tx, [entity.id for entity in found])
    return [ListedEntity(entity=entity, episodes=episodes.get(entity.id, [])) for entity in found]


def _episodes(tx: Transaction, ids: Ids) -> dict[int, list[str] | None]:
    found = tx.all("episode_uuids_of_entities", ids=rows.to_json(ids), limit=NODE_EPISODES_MAX + 1)
    known = {row["id"]: rows.from_json(row["episodes"]) for row in found}
    return {i: uuids if len(uuids) <= NODE_EPISODES_MAX else None for i, uuids in known.items()}


def facts(tx: Transaction, graph: Graph, request: PageRequest, among: Ids) -> Page[Fact]:
    """Those of *among* that are facts of a graph, page by page."""
    found = tx.all(
        "facts_page_among",
        order=request.order,
        graph_id=graph.id,
        ids=rows.to_json(among),
        **request.bounds(),
    )
    return page_of(found, request, rows.fact)


def episodes(
    tx: Transaction,
    graph: Graph,
    request: PageRequest,
    mentioned: list[str] | None,
    among: Ids,
) -> Page[Episode]:
    """Those of *among* that are episodes of a graph, page by page, as `episodes.page` does."""
    found = tx.all(
        "episodes_page_among",
        order=request.order,
        graph_id=graph.id,
        ids=rows.to_json(among),
        mentioned=rows.to_json(mentioned),
        **request.bounds(),
    )
    return page_of(found, request, rows.episode)


def time_zone(tx: Transaction, graph: Graph) -> str | None:
    """The zone in which the owner of a graph means words like yesterday."""
    row = tx.one("graph_time_zone", id=graph.id)
    zone: str | None = row["time_zone"] if row else None
    return zone
