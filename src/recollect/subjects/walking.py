"""Walks from node to node along the facts that join them, within bounds.

Newer facts are taken before older ones, so that a bound cuts off the past first.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

from msgspec.structs import replace

from recollect.graph import passing
from recollect.graph.filters import NO_FILTERS, Filters
from recollect.graph.passing import Source
from recollect.graph.types import Entity, Fact, Graph, Record
from recollect.limits import NEIGHBOUR_EDGES_MAX, WALKED_FACTS_MAX
from recollect.store import rows
from recollect.store.protocol import Row, Transaction
from recollect.subjects.pages import Page, PageRequest, page_of

Direction = Literal["in", "out", "both"]

_FACTS_FIRST_READ = 500  # more with each further read of the same node
_NEWEST = 2**63 - 1


class Neighbour(Record):
    """A node one step away, and the facts that join it with where the step began."""

    entity: Entity
    facts: list[Fact]


class Neighbours(Record):
    """A page of neighbours; some of their facts or of the node's own may have been cut off."""

    page: Page[Neighbour]
    truncated: bool = False


class Limits(Record):
    """How far a walk may go."""

    depth: int
    nodes: int
    facts: int


class Subgraph(Record):
    """Part of a graph: both ends of every fact are among the entities."""

    entities: list[Entity]
    facts: list[Fact]
    truncated_by: str | None = None


def neighbours(
    tx: Transaction, start: Entity, request: PageRequest, direction: Direction, filters: Filters
) -> Neighbours:
    """The distinct nodes that facts join with *start*; a node is never its own neighbour."""
    along, fact_ids, truncated = _flags(direction), None, False
    if _of_facts(filters) != NO_FILTERS:
        taken = _Facts(tx, filters)
        fact_ids = rows.to_json([fact.id for fact in taken.at(start, direction)])
        truncated = taken.left == 0
    found = tx.all(
        "neighbours_page",
        order=request.order,
        entity_id=start.id,
        fact_ids=fact_ids,
        labels=rows.to_json(filters.node_labels or None),
        labels_not=rows.to_json(filters.exclude_node_labels),
        **along,
        **request.bounds(),
    )
    joined = tx.all(
        "facts_between",
        entity_id=start.id,
        others=rows.to_json([row["id"] for row in found[: request.limit]]),
        fact_ids=fact_ids,
        limit=NEIGHBOUR_EDGES_MAX + 1,
        **along,
    )
    truncated = truncated or len(joined) > NEIGHBOUR_EDGES_MAX
    by_end = _by_other_end(start, [rows.fact(row) for row in joined[:NEIGHBOUR_EDGES_MAX]])

    def neighbour(row: Row) -> Neighbour:
        return Neighbour(entity=rows.entity(row), facts=by_end.get(row["uuid"], []))

    return Neighbours(page=page_of(found, request, neighbour), truncated=truncated)


def _by_other_end(start: Entity, found: list[Fact]) -> dict[str, list[Fact]]:
    ends: dict[str, list[Fact]] = {}
    for fact in found:
        other = fact.target_uuid if fact.source_uuid == start.uuid else fact.source_uuid
        ends.setdefault(other, []).append(fact)
    return ends


def subgraph(
    tx: Transaction,
    graph: Graph,
    seeds: Sequence[str],
    direction: Direction,
    limits: Limits,
    filters: Filters,
) -> Subgraph:
    """What lies around *seeds*, breadth first and in their order; seeds that are not are skipped.

    Filters on labels hold for the nodes that are reached, the others for the facts on the way.
    """
    found = tx.all("entities_by_uuids", graph_id=graph.id, uuids=rows.to_json(list(seeds)))
    known = {row["uuid"]: rows.entity(row) for row in found}
    starts = [known[uuid] for uuid in dict.fromkeys(seeds) if uuid in known]
    return _Walk(tx, limits, filters).run(starts, direction)


class _Walk:
    """A breadth-first walk that says which bound was the first to cut something off."""

    def __init__(self, tx: Transaction, limits: Limits, filters: Filters) -> None:
        self._tx = tx
        self._limits = limits
        self._filters = filters
        self._read = _Facts(tx, filters)
        self._nodes: dict[str, Entity] = {}
        self._facts: dict[str, Fact] = {}
        self._reason: str | None = None
        self._full = False  # a fact was met for which there was no room

    def run(self, starts: list[Entity], direction: Direction) -> Subgraph:
        """Walk until the depth is reached, a budget is spent or there is nothing more."""
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

    def _cut(self, reason: str) -> None:
        self._reason = self._reason or reason

    def _expand(self, node: Entity, direction: Direction) -> Iterator[Entity]:
        """Take the facts at a node, and give back the nodes they led to for the first time."""
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
                    # From here on there can only be more facts among those who are there.
                    yield from self._expand(node, direction)
                    return
                if not self._take(fact):
                    del self._nodes[uuid]
                    return
                yield other
        if self._read.left == 0:
            self._cut("max_scanned")

    def _take(self, fact: Fact) -> bool:
        """Keep a fact, unless there are too many; once is enough."""
        if fact.uuid not in self._facts and len(self._facts) >= self._limits.facts:
            self._cut("max_edges")
            self._full = True
            return False
        self._facts[fact.uuid] = fact
        return True

    def _passing(self, fact: Fact, uuid: str) -> Entity | None:
        """The node at the other end, unless its labels keep it out."""
        (row,) = self._tx.all(
            "entities_by_uuids", graph_id=fact.graph_id, uuids=rows.to_json([uuid])
        )
        other = rows.entity(row)
        return other if passing.passes_entity(_of_nodes(self._filters), other) else None


class _Facts:
    """Reads the facts at nodes that pass; `left` is how many it may still look at."""

    def __init__(self, tx: Transaction, filters: Filters) -> None:
        self._tx = tx
        self._filters = _of_facts(filters)
        self.left = WALKED_FACTS_MAX

    def at(
        self, node: Entity, direction: Direction, among: Iterable[Entity] | None = None
    ) -> Iterator[Fact]:
        """The facts at a node, newest first, those that lead to one of *among* if given."""
        before, several = _NEWEST, _FACTS_FIRST_READ
        others = None if among is None else rows.to_json([entity.id for entity in among])
        while self.left:
            limit = min(self.left, several)
            several *= 2
            found = self._tx.all(
                "facts_of_node_before" if others is None else "facts_between_before",
                entity_id=node.id,
                before=before,
                limit=limit,
                **({} if others is None else {"others": others}),
                **_flags(direction),
            )
            self.left -= len(found)
            yield from passing_facts(self._tx, [rows.fact(row) for row in found], self._filters)
            if len(found) < limit:
                return
            before = found[-1]["id"]


def passing_facts(tx: Transaction, found: list[Fact], filters: Filters) -> list[Fact]:
    """Those facts that pass, each with all the episodes behind it as evidence."""
    if filters == NO_FILTERS:
        return found
    behind: dict[int, list[Source]] = {}
    if passing.needs_evidence(filters):
        ids = rows.to_json([fact.id for fact in found])
        for row in tx.all("sources_of_facts", ids=ids):
            source = Source(uuid=row["uuid"], metadata=rows.from_json(row["metadata"]))
            behind.setdefault(row["fact_id"], []).append(source)
    return [f for f in found if passing.passes_fact(filters, f, behind.get(f.id, ()))]


def _of_facts(filters: Filters) -> Filters:
    return replace(filters, node_labels=(), exclude_node_labels=())


def _of_nodes(filters: Filters) -> Filters:
    return Filters(node_labels=filters.node_labels, exclude_node_labels=filters.exclude_node_labels)


def _flags(direction: Direction) -> dict[str, Any]:
    return {"outwards": direction != "in", "inwards": direction != "out"}
