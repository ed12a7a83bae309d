"""A graph's facts as links between numbered nodes, for counting recurring patterns."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from recollect.graph.filters import NO_FILTERS, Filters
from recollect.graph.patterns import PatternNode, WeightedLink, decay
from recollect.graph.types import Access, Graph, Record
from recollect.limits import PATTERN_FACTS_MAX
from recollect.records import seeing, walking
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.entities import EntitiesLabelledRow
from recollect.store.queries.links import LinksBeforeRow


class Linked(Record):
    """The newest facts of a graph, and the names of their nodes."""

    links: list[WeightedLink]
    nodes: dict[int, PatternNode]
    uuids: dict[int, str]


class Around(Record):
    """Which nodes to search around; the conditions are a union."""

    uuids: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()


def read(
    tx: Transaction,
    access: Access,
    graph: Graph,
    filters: Filters,
    *,
    now: datetime,
    half_life_days: int | None,
) -> Linked:
    """The facts that pass the filters, the newest ones of a large graph, weighted by age.

    With restricted visibility, only facts whose entities are both visible.
    """
    found = seeing.first(
        access,
        lambda several: tx.links.newest(graph_id=graph.id, limit=several),
        lambda read: _seen(tx, access, read),
        PATTERN_FACTS_MAX,
    )
    kept = _passing(tx, access, found, filters)
    links = [
        WeightedLink(
            source=row.source_id,
            target=row.target_id,
            name=row.name,
            weight=decay(rows.moment(row.created_at), now, half_life_days),
        )
        for row in kept
    ]
    ends = sorted({end for link in links for end in (link.source, link.target)})
    entities = tx.entities.labelled(ids=rows.to_json(ends))
    return Linked(
        links=links,
        nodes={row.id: PatternNode(_label(row), row.name) for row in entities},
        uuids={row.id: row.uuid for row in entities},
    )


def _seen(tx: Transaction, access: Access, found: Sequence[LinksBeforeRow]) -> list[LinksBeforeRow]:
    if access.visibility is None:
        return list(found)
    facts = seeing.ids(tx, access, "fact", [row.id for row in found])
    kept = [row for row in found if row.id in facts]
    ends = {end for row in kept for end in (row.source_id, row.target_id)}
    nodes = seeing.ids(tx, access, "entity", sorted(ends))
    return [row for row in kept if nodes.issuperset((row.source_id, row.target_id))]


def _passing(
    tx: Transaction, access: Access, found: Sequence[LinksBeforeRow], filters: Filters
) -> Sequence[LinksBeforeRow]:
    if filters == NO_FILTERS:
        return found
    told = tx.facts.told_by_ids(ids=rows.to_json([row.id for row in found]))
    facts = [rows.fact(row) for row in told]
    ids = {fact.id for fact in walking.passing_facts(tx, access, facts, filters)}
    return [row for row in found if row.id in ids]


def _label(row: EntitiesLabelledRow) -> str:
    """The type of a node if it has one, else the base label."""
    labels: list[str] = rows.from_json(row.labels)
    return next((label for label in labels if label != "Entity"), "Entity")


def seeds(linked: Linked, around: Around) -> list[int]:
    """The nodes to search around, by number."""
    chosen = {
        node
        for node, named in linked.nodes.items()
        if linked.uuids[node] in around.uuids or named.label in around.labels
    }
    chosen.update(_ends(link for link in linked.links if link.name in around.names))
    return sorted(chosen)


def _ends(links: Iterable[WeightedLink]) -> Iterable[int]:
    return (end for link in links for end in (link.source, link.target))
