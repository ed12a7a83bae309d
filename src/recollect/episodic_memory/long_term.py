"""The long-term memory: the episodes that match a question, with their neighbours."""

from collections.abc import Collection
from datetime import datetime

from recollect.episodic_memory.settings import MemoryQuery
from recollect.graph.filters import Filters
from recollect.graph.types import Access, Episode, Graph
from recollect.limits import RECALL_CANDIDATES_MAX, RECALL_CANDIDATES_PER_EPISODE
from recollect.records import episodes
from recollect.search.contexts import fill, reach
from recollect.search.finder import Finder
from recollect.search.query import Hit, Query
from recollect.store import rows
from recollect.store.protocol import Store, Transaction


async def search(
    finder: Finder,
    store: Store,
    access: Access,
    graph: Graph,
    question: MemoryQuery,
    *,
    without: Collection[str] = (),
) -> tuple[Hit[Episode], ...]:
    """The episodes that answer a question, in time order, each with the score of its context.

    The best contexts come first, each as complete as there is room for. Episodes in *without*
    (uuids) are left out and take no room.
    """
    told = await store.read(_ids, graph.id, without) if without else frozenset()
    query = Query(
        text=question.text,
        kind="episode",
        now=question.now,
        limit=_candidates(question.limit),
        filters=Filters(episodes=question.tree, recallable_only=True),
        time_zone=graph.time_zone,
    )
    around = reach(question.expand, question.limit)
    found = await finder.contexts(access, graph, query, around, told)
    fitting = [one for one in found if one.score >= (question.score_min or 0.0)]
    chosen = fill(fitting, question.limit, told)
    read = await store.read(episodes.by_ids, access, graph, list(chosen)) if chosen else []
    ranked = [Hit(item=one, score=chosen[one.id]) for one in read]
    return tuple(sorted(ranked, key=_when))


def _candidates(limit: int) -> int:
    """How many hits are expanded to contexts."""
    return max(limit, min(RECALL_CANDIDATES_PER_EPISODE * limit, RECALL_CANDIDATES_MAX))


def _ids(tx: Transaction, graph_id: int, uuids: Collection[str]) -> frozenset[int]:
    found = tx.episodes.ids_by_uuids(graph_id=graph_id, uuids=rows.to_json(list(uuids)))
    return frozenset(row.id for row in found)


def _when(one: Hit[Episode]) -> tuple[datetime, int]:
    return one.item.created_at, one.item.seq
