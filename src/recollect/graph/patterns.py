"""Shapes that recur in a graph: relationships, paths, co-occurrences, hubs and clusters.

A shape is identified by the labels of its nodes and the names of its facts. Its weight is the sum
of its occurrences' weights; an occurrence of several facts weighs as much as the lightest of them,
so a chain is only as fresh as its oldest link.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import combinations
from typing import Literal, NamedTuple

from recollect.graph.types import Record
from recollect.limits import PATTERN_STEPS_MAX

Shape = Literal["relationship", "path", "co_occurrence", "hub", "cluster"]

_DAY = timedelta(days=1)
_Signature = tuple[tuple[str, ...], tuple[str, ...]]  # labels of nodes, names of facts


class WeightedLink(NamedTuple):
    """A fact as an edge between two numbered nodes."""

    source: int
    target: int
    name: str
    weight: float = 1.0


class GraphPattern(Record):
    """A shape and how often it occurs."""

    shape: Shape
    description: str
    node_labels: tuple[str, ...]
    edge_types: tuple[str, ...]
    occurrences: int
    weight: float


class PatternOptions(Record):
    """Which shapes to look for, and how far; None skips a shape."""

    relationships: bool = True
    path_hops: int | None = None
    co_occurrence_hops: int | None = None
    hub_degree: int | None = None
    clusters: bool = True


class PatternNode(NamedTuple):
    """A node's most specific label, and its name."""

    label: str
    name: str


def decay(created_at: datetime, now: datetime, half_life_days: int | None) -> float:
    """The weight of a fact of that age; 1 without a half-life."""
    if half_life_days is None:
        return 1.0
    age_days = max(now - created_at, timedelta()) / _DAY
    return float(0.5 ** (age_days / half_life_days))


def detect(
    links: Sequence[WeightedLink],
    nodes: Mapping[int, PatternNode],
    options: PatternOptions,
    *,
    around: Iterable[int] | None = None,
    occurrences_min: int = 2,
) -> list[GraphPattern]:
    """The shapes that occur often enough, the weightiest first.

    With *around*, only occurrences that involve one of those nodes are counted (for paths: that
    start there). In a very dense graph counting stops at a bound.
    """
    detector = _Detector(links, nodes, None if around is None else frozenset(around))
    found = [pattern for pattern in detector.run(options) if pattern.occurrences >= occurrences_min]
    return sorted(found, key=lambda p: (-p.weight, -p.occurrences, p.shape, p.description))


class _PatternCounts:
    """Occurrences of shapes, by signature."""

    def __init__(self) -> None:
        self._counts: Counter[_Signature] = Counter()
        self._weights: dict[_Signature, float] = {}

    def add(self, labels: tuple[str, ...], names: tuple[str, ...], weight: float) -> None:
        """Count one occurrence."""
        self._counts[labels, names] += 1
        self._weights[labels, names] = self._weights.get((labels, names), 0.0) + weight

    def patterns(self, shape: Shape) -> Iterator[GraphPattern]:
        """The counted shapes."""
        for (labels, names), count in self._counts.items():
            yield GraphPattern(
                shape=shape,
                description=_describe(shape, labels, names),
                node_labels=labels,
                edge_types=names,
                occurrences=count,
                weight=self._weights[labels, names],
            )


def _describe(shape: Shape, labels: tuple[str, ...], names: tuple[str, ...]) -> str:
    if shape == "co_occurrence":
        return f"{labels[0]} near {labels[1]}"
    if shape == "cluster":
        return f"{', '.join(labels)} joined to one another"
    first, *others = labels
    steps = (f" -[{name}]-> {label}" for name, label in zip(names, others, strict=True))
    return first + "".join(steps)


class _Detector:
    """Links indexed by their ends."""

    def __init__(
        self,
        links: Sequence[WeightedLink],
        nodes: Mapping[int, PatternNode],
        around: frozenset[int] | None,
    ) -> None:
        self._links = links
        self._nodes = nodes
        self._around = around
        self._out: dict[int, list[WeightedLink]] = {}
        self._beside: dict[int, dict[int, list[WeightedLink]]] = {}
        for link in links:
            if link.source != link.target:
                self._out.setdefault(link.source, []).append(link)
                self._beside.setdefault(link.source, {}).setdefault(link.target, []).append(link)
                self._beside.setdefault(link.target, {}).setdefault(link.source, []).append(link)

    def run(self, options: PatternOptions) -> Iterator[GraphPattern]:
        """All requested shapes."""
        if options.relationships:
            yield from self._relationships().patterns("relationship")
        if options.path_hops is not None:
            yield from self._paths(options.path_hops).patterns("path")
        if options.co_occurrence_hops is not None:
            yield from self._co_occurrences(options.co_occurrence_hops).patterns("co_occurrence")
        if options.hub_degree is not None:
            yield from self._hubs(options.hub_degree)
        if options.clusters:
            yield from self._clusters().patterns("cluster")

    def _label(self, node: int) -> str:
        return self._nodes[node].label

    def _concerns(self, *nodes: int) -> bool:
        return self._around is None or not self._around.isdisjoint(nodes)

    def _starts(self) -> list[int]:
        return [node for node in self._beside if self._around is None or node in self._around]

    def _relationships(self) -> _PatternCounts:
        tally = _PatternCounts()
        for link in self._links:
            if self._concerns(link.source, link.target):
                ends = (self._label(link.source), self._label(link.target))
                tally.add(ends, (link.name,), link.weight)
        return tally

    def _paths(self, hops: int) -> _PatternCounts:
        """Chains of two or more facts that follow their direction and visit no node twice."""
        tally = _PatternCounts()
        steps = 0
        waiting: list[tuple[WeightedLink, ...]] = [
            (link,) for node in reversed(self._starts()) for link in self._out.get(node, ())
        ]
        while waiting and steps < PATTERN_STEPS_MAX:
            chain = waiting.pop()
            passed = {chain[0].source, *(link.target for link in chain)}
            for link in self._out.get(chain[-1].target, ()):
                steps += 1
                if link.target in passed or steps > PATTERN_STEPS_MAX:
                    continue
                longer = (*chain, link)
                labels = (chain[0].source, *(step.target for step in longer))
                names = tuple(step.name for step in longer)
                lightest = min(step.weight for step in longer)
                tally.add(tuple(map(self._label, labels)), names, lightest)
                if len(longer) < hops:
                    waiting.append(longer)
        return tally

    def _co_occurrences(self, hops: int) -> _PatternCounts:
        """Pairs of nodes at most *hops* steps apart, by their labels."""
        tally = _PatternCounts()
        steps = 0
        done: set[int] = set()
        for start in self._starts():
            reached: dict[int, float] = {start: float("inf")}
            level = [start]
            for _ in range(hops):
                following: list[int] = []
                for node in level:
                    for other, links in self._beside[node].items():
                        steps += 1
                        if other not in reached:
                            best = max(link.weight for link in links)
                            reached[other] = min(reached[node], best)
                            following.append(other)
                level = following
                if steps > PATTERN_STEPS_MAX:
                    return tally
            for other, weight in reached.items():
                if other != start and other not in done:
                    first, second = sorted((self._label(start), self._label(other)))
                    tally.add((first, second), (), weight)
            done.add(start)
        return tally

    def _hubs(self, degree: int) -> Iterator[GraphPattern]:
        """Nodes with many neighbours, each a pattern of its own."""
        for node in self._starts():
            beside = self._beside[node]
            if len(beside) < degree:
                continue
            names = Counter(link.name for links in beside.values() for link in links)
            told = ", ".join(f"{name} ({count})" for name, count in names.most_common(5))
            weight = sum(max(link.weight for link in links) for links in beside.values())
            yield GraphPattern(
                shape="hub",
                description=f"{self._nodes[node].name} ({self._label(node)}): {told}",
                node_labels=(self._label(node),),
                edge_types=tuple(sorted(names)),
                occurrences=len(beside),
                weight=weight,
            )

    def _clusters(self) -> _PatternCounts:
        """Triangles: three nodes, each linked to the other two."""
        tally = _PatternCounts()
        steps = 0
        rank = {node: (len(beside), node) for node, beside in self._beside.items()}
        for node, beside in self._beside.items():
            # Each triangle is met once, from its least connected corner.
            above = sorted(other for other in beside if rank[other] > rank[node])
            for first, second in combinations(above, 2):
                steps += 1
                if steps > PATTERN_STEPS_MAX:
                    return tally
                if second in self._beside[first] and self._concerns(node, first, second):
                    self._triangle(tally, node, first, second)
        return tally

    def _triangle(self, tally: _PatternCounts, one: int, two: int, three: int) -> None:
        sides = (self._beside[one][two], self._beside[two][three], self._beside[one][three])
        best = [max(side, key=lambda link: (link.weight, link.name)) for side in sides]
        labels = tuple(sorted(map(self._label, (one, two, three))))
        names = tuple(sorted(link.name for link in best))
        tally.add(labels, names, min(link.weight for link in best))
