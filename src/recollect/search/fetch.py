"""What was found, read from the store: the things themselves, and the texts they are judged by."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from recollect.graph.types import Access, Graph
from recollect.search.query import Kind, Ranked
from recollect.search.rank import Hit
from recollect.store.protocol import Transaction
from recollect.subjects import derived, episodes, knowledge


class Shape(NamedTuple):
    """How things of one kind are answered, read, and told to a cross-encoder."""

    field: str
    read: Callable[[Transaction, Access, Graph, Sequence[int]], list[Any]]
    text: Callable[[Any], str]


SHAPES: dict[Kind, Shape] = {
    "fact": Shape("facts", knowledge.facts_by_ids, lambda item: item.fact),
    "entity": Shape(
        "entities", knowledge.entities_by_ids, lambda item: f"{item.name}: {item.summary}"
    ),
    "episode": Shape("episodes", episodes.by_ids, lambda item: item.content),
    "observation": Shape("observations", derived.observations_by_ids, lambda item: item.summary),
    "thread_summary": Shape(
        "thread_summaries", derived.thread_summaries_by_ids, lambda item: item.summary
    ),
}


def fetch(
    tx: Transaction, access: Access, graph: Graph, kind: Kind, hits: Sequence[Hit]
) -> list[Ranked[Any]]:
    """The things behind hits, in their order; what was deleted or hidden meanwhile is left out."""
    found = SHAPES[kind].read(tx, access, graph, [hit.id for hit in hits])
    known = {item.id: item for item in found}
    return [Ranked(item=known[hit.id], score=hit.score) for hit in hits if hit.id in known]
