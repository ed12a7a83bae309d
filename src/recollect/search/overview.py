"""An overview of a graph: its best-connected nodes, and the facts that join them."""

from typing import NamedTuple

import numpy as np

from recollect.graph.filters import NO_FILTERS, Filters
from recollect.graph.types import Record
from recollect.search.query import Lookups
from recollect.search.segment import Segment


class OverviewRequest(Record):
    """Which facts count, which labels nodes must have, and the maximum number of each."""

    nodes: int
    facts: int
    filters: Filters = NO_FILTERS
    labels: tuple[str, ...] = ()


class OverviewLink(NamedTuple):
    """A fact between two nodes, by their places in the list of nodes."""

    source: int
    target: int
    name: str


class Overview(Record):
    """The best-connected part of a graph.

    *nodes* are row ids with their degrees, the best-connected first; *links* join them. *relations* are
    the names of all relations with their numbers of facts. The totals count all nodes, and all facts
    that join two of them.
    """

    nodes: tuple[tuple[int, int], ...]
    links: tuple[OverviewLink, ...]
    relations: tuple[tuple[str, int], ...]
    nodes_total: int
    facts_total: int


def overview(segment: Segment, wanted: OverviewRequest, lookups: Lookups) -> Overview:
    """The part of a segment that passes, cut to the requested size; newer facts are preferred."""
    facts, entities = segment.facts, segment.entities
    kept = np.flatnonzero(segment.mask("fact", wanted.filters, lookups))
    source, target = facts.source.array[kept], facts.target.array[kept]
    there = segment.mask("entity", Filters(node_labels=wanted.labels))
    joining = (source >= 0) & (target >= 0)
    joining[joining] &= there[source[joining]] & there[target[joining]]
    kept, source, target = kept[joining], source[joining], target[joining]
    degree = np.bincount(source, minlength=len(there)) + np.bincount(target, minlength=len(there))
    met = np.flatnonzero(degree)
    order = np.lexsort((entities.ids.array[met], -degree[met]))[: wanted.nodes]
    chosen = met[order]
    places = np.full(len(there), -1, np.int64)
    places[chosen] = np.arange(len(chosen))
    between = (places[source] >= 0) & (places[target] >= 0) & (source != target)
    newest = np.argsort(-facts.ids.array[kept[between]], kind="stable")[: wanted.facts]
    shown = np.flatnonzero(between)[newest]
    names = facts.names.values
    codes = facts.name.array[kept]
    counts = np.bincount(codes[codes >= 0], minlength=len(names))
    return Overview(
        nodes=tuple(zip(entities.ids.array[chosen].tolist(), degree[chosen].tolist(), strict=True)),
        links=tuple(
            OverviewLink(int(places[source[at]]), int(places[target[at]]), names[codes[at]])
            for at in shown.tolist()
        ),
        relations=tuple(
            sorted(
                ((name, int(count)) for name, count in zip(names, counts, strict=True) if count),
                key=lambda one: (-one[1], one[0]),
            )
        ),
        nodes_total=len(met),
        facts_total=int(np.count_nonzero(source != target)),
    )
