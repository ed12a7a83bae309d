"""Walks from node to node along facts, within bounds.

Newer facts come before older ones, so that a bound cuts off the past first.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

from msgspec.structs import replace

from recollect.graph.filters import (
    NO_FILTERS,
    EpisodeSource,
    Filters,
    needs_evidence,
    passes_entity,
    passes_fact,
)
from recollect.graph.types import Access, Entity, Fact, Graph, Record
from recollect.limits import NEIGHBOUR_EDGES_MAX, WALKED_FACTS_MAX
from recollect.records import seeing, telling
from recollect.records.pages import Page, PageRequest, page_seen
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.shapes import EntityRow
from recollect.store.statements import Keyed

Direction = Literal["in", "out", "both"]
Bound = Literal["max_nodes", "max_edges", "max_scanned"]

_FACTS_FIRST_READ = 500  # doubled with each further read of the same node
_NEWEST = 2**63 - 1


class Neighbour(Record):
    """A node one step away, and the facts that lead to it."""

    entity: Entity
    facts: list[Fact]


class Neighbours(Record):
    """A page of neighbours; some facts may have been cut off."""

    page: Page[Neighbour]
    truncated: bool = False


class Limits(Record):
    """How far a walk may go."""

    depth: int
    nodes: int
    facts: int


class Subgraph(Record):
    """Part of a graph: both entities of every fact are included."""

    entities: list[Entity]
    facts: list[Fact]
    truncated_by: Bound | None = None


def neighbours(
    tx: Transaction,
    access: Access,
    start: Entity,
    request: PageRequest,
    direction: Direction,
    filters: Filters,
) -> Neighbours:
    """The distinct nodes that facts join with *start*; a node is never its own neighbour."""
    along, fact_ids, truncated = _flags(direction), None, False
    if _of_facts(filters) != NO_FILTERS or access.visibility is not None:
        taken = _Facts(tx, access, filters)
        fact_ids = rows.to_json([fact.id for fact in taken.at(start, direction)])
        truncated = taken.left == 0
    page = _nodes(tx, access, start, request, along, fact_ids, filters)
    joined = tx.facts.between(
        entity_id=start.id,
        others=rows.to_json([entity.id for entity in page.items]),
        fact_ids=fact_ids,
        limit=NEIGHBOUR_EDGES_MAX + 1,
        **along,
    )
    truncated = truncated or len(joined) > NEIGHBOUR_EDGES_MAX
    facts = telling.facts(tx, access, [rows.fact(row) for row in joined[:NEIGHBOUR_EDGES_MAX]])
    ends = _by_other_end(start, facts)
    near = [Neighbour(entity=each, facts=ends.get(each.uuid, [])) for each in page.items]
    return Neighbours(page=Page(items=near, next_cursor=page.next_cursor), truncated=truncated)


def _nodes(
    tx: Transaction,
    access: Access,
    start: Entity,
    request: PageRequest,
    along: dict[str, Any],
    fact_ids: str | None,
    filters: Filters,
) -> Page[Entity]:
    """A page of the nodes at the other ends of facts, filtered by label."""

    def read(bounds: dict[str, Any]) -> list[Keyed[EntityRow]]:
        return tx.links.neighbours(
            order=request.order,
            entity_id=start.id,
            fact_ids=fact_ids,
            labels=rows.to_json(filters.node_labels or None),
            labels_not=rows.to_json(filters.exclude_node_labels),
            **along,
            **bounds,
        )

    def tell(found: list[EntityRow]) -> dict[int, Entity]:
        told = telling.entities(tx, access, [rows.entity(row) for row in found])
        return {one.id: one for one in told}

    return page_seen(read, request, tell, narrowing=access.visibility is not None)


def _by_other_end(start: Entity, found: list[Fact]) -> dict[str, list[Fact]]:
    ends: dict[str, list[Fact]] = {}
    for fact in found:
        other = fact.target_uuid if fact.source_uuid == start.uuid else fact.source_uuid
        ends.setdefault(other, []).append(fact)
    return ends


def subgraph(
    tx: Transaction,
    access: Access,
    graph: Graph,
    seeds: Sequence[str],
    direction: Direction,
    limits: Limits,
    filters: Filters,
) -> Subgraph:
    """The surroundings of *seeds*, breadth-first and in their order; unknown seeds are skipped.

    Label filters apply to the nodes that are reached, all others to the facts on the way.
    """
    found = tx.entities.by_uuids(graph_id=graph.id, uuids=rows.to_json(list(seeds)))
    seen = seeing.ids(tx, access, "entity", [row.id for row in found])
    known = {row.uuid: rows.entity(row) for row in found if row.id in seen}
    starts = [known[uuid] for uuid in dict.fromkeys(seeds) if uuid in known]
    walked = _Walk(tx, access, limits, filters).run(starts, direction)
    return replace(
        walked,
        entities=telling.entities(tx, access, walked.entities),
        facts=telling.facts(tx, access, walked.facts),
    )


class _Walk:
    """A breadth-first walk that records which bound was the first to cut something off."""

    def __init__(self, tx: Transaction, access: Access, limits: Limits, filters: Filters) -> None:
        self._tx = tx
        self._access = access
        self._limits = limits
        self._filters = filters
        self._read = _Facts(tx, access, filters)
        self._nodes: dict[str, Entity] = {}
        self._facts: dict[str, Fact] = {}
        self._reason: Bound | None = None
        self._full = False  # a fact was found for which there was no room

    def run(self, starts: list[Entity], direction: Direction) -> Subgraph:
        """Walk until the depth is reached, a budget is spent, or nothing is left."""
        for start in starts:
            self._admit(start)
        level = list(self._nodes.values())
        for _ in range(self._limits.depth):
            level = [reached for node in level for reached in self._expand(node, direction)]
        return Subgraph(
            entities=list(self._nodes.values()),
            facts=list(self._facts.values()),
            truncated_by=self._reason,
        )

    def _admit(self, entity: Entity) -> bool:
        if len(self._nodes) >= self._limits.nodes:
            self._cut("max_nodes")
            return False
        self._nodes[entity.uuid] = entity
        return True

    def _cut(self, reason: Bound) -> None:
        self._reason = self._reason or reason

    def _expand(self, node: Entity, direction: Direction) -> Iterator[Entity]:
        """Take the facts of a node, and yield the nodes that they reach for the first time."""
        if self._full:
            return
        among = self._nodes.values() if self._reason == "max_nodes" else None
        for fact in self._read.at(node, direction, among):
            uuid = fact.target_uuid if fact.source_uuid == node.uuid else fact.source_uuid
            if uuid in self._nodes:
                if not self._take(fact):
                    return
            elif (other := self._passing(fact, uuid)) is not None:
                if not self._admit(other):
                    # From here on, only facts among the nodes already included can follow.
                    yield from self._expand(node, direction)
                    return
                if not self._take(fact):
                    del self._nodes[uuid]
                    return
                yield other
        if self._read.left == 0:
            self._cut("max_scanned")

    def _take(self, fact: Fact) -> bool:
        """Keep a fact, once, unless there are too many."""
        if fact.uuid not in self._facts and len(self._facts) >= self._limits.facts:
            self._cut("max_edges")
            self._full = True
            return False
        self._facts[fact.uuid] = fact
        return True

    def _passing(self, fact: Fact, uuid: str) -> Entity | None:
        """The node at the other end, unless it is hidden or filtered out by its labels."""
        (row,) = self._tx.entities.by_uuids(graph_id=fact.graph_id, uuids=rows.to_json([uuid]))
        other = rows.entity(row)
        if not seeing.ids(self._tx, self._access, "entity", [other.id]):
            return None
        return other if passes_entity(_of_nodes(self._filters), other) else None


class _Facts:
    """Reads the visible facts of nodes that pass the filters; `left` is how many it may still read.

    Hidden facts do not count, so that a bound does not reveal how many there are.
    """

    def __init__(self, tx: Transaction, access: Access, filters: Filters) -> None:
        self._tx = tx
        self._access = access
        self._filters = _of_facts(filters)
        self.left = WALKED_FACTS_MAX

    def at(
        self, node: Entity, direction: Direction, among: Iterable[Entity] | None = None
    ) -> Iterator[Fact]:
        """The facts of a node, newest first, optionally only those that lead to one of *among*."""
        before, several = _NEWEST, _FACTS_FIRST_READ
        others = None if among is None else rows.to_json([entity.id for entity in among])
        while self.left:
            limit = min(self.left, several)
            several *= 2
            bounds = {"entity_id": node.id, "before": before, "limit": limit, **_flags(direction)}
            if others is None:
                found = self._tx.facts.of_node_before(**bounds)
            else:
                found = self._tx.facts.between_before(others=others, **bounds)
            seen = seeing.ids(self._tx, self._access, "fact", [row.id for row in found])
            self.left -= len(seen)
            known = [rows.fact(row) for row in found if row.id in seen]
            yield from passing_facts(self._tx, self._access, known, self._filters)
            if len(found) < limit:
                return
            before = found[-1].id


def passing_facts(
    tx: Transaction, access: Access, found: list[Fact], filters: Filters
) -> list[Fact]:
    """The facts that pass, judged by their visible supporting episodes.

    A filter on hidden attributes lets nothing pass.
    """
    if filters == NO_FILTERS:
        return found
    behind: dict[int, list[EpisodeSource]] = {}
    if access.visibility is not None or needs_evidence(filters):
        behind = seeing.fact_sources(tx, [fact.id for fact in found])

    def passes(fact: Fact) -> bool:
        every = behind.get(fact.id, [])
        seen = seeing.sources(access, every)
        shown = fact if len(seen) == len(every) else replace(fact, attributes=None)
        return passes_fact(filters, shown, seen)

    return [fact for fact in found if passes(fact)]


def _of_facts(filters: Filters) -> Filters:
    return replace(filters, node_labels=(), exclude_node_labels=())


def _of_nodes(filters: Filters) -> Filters:
    return Filters(node_labels=filters.node_labels, exclude_node_labels=filters.exclude_node_labels)


def _flags(direction: Direction) -> dict[str, Any]:
    return {"outwards": direction != "in", "inwards": direction != "out"}
