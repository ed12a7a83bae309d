"""What a segment finds for a question, best first.

Without a reranker, the opinions about an item are weighed and added up, and so is what else is
known of the question. The scale of meaning is fixed, so that it does not depend on what else the
graph holds. Measured on real conversations, that beats ranks by far: docs/measurements/search.md.
"""

from collections.abc import Callable
from functools import reduce
from typing import NamedTuple

import numpy as np

from recollect.search import fuse, walk
from recollect.search.asked import Asked
from recollect.search.bonus import bonus
from recollect.search.columns import Flags, Floats, Slots
from recollect.search.fresh import doubts, freshened, overtaken
from recollect.search.fuse import Scores
from recollect.search.query import Kind
from recollect.search.segment import Segment
from recollect.search.vectors import usual_vector
from recollect.search.view import View, mask

# The share of each opinion. Meaning is counted in deviations, words as a share of all asked for.
MEANING = 0.7
WORDS = 2.5
FACT_TOLD = 0.5
TURN_MEANING = 0.5
TURN_FACTS = 0.2
TURN_WORDS = 3.0
TURN_REPEATS = 0.4
# A fact that fits but is over does as much harm as one that holds does good, if this is 2.
WRONG = 2.0
_LEAST = 0.01
# The median, over questions of real conversations, of the best fused score in another one.
_UNRELATED: dict[Kind, float] = {"fact": 2.6, "episode": 1.8}
_UNRELATED_ELSE = 1.5
_STEEP = 2.0
_ASKED_BEHIND = 128
_WIDER = 4  # times as many as wanted are looked at by those who put them in another order
_DISTANCE_MAX = 20
_JUDGED_LATER = ("cross_encoder",)  # its scores are not those that are answered


class Hit(NamedTuple):
    """The row id of something found, and how well it fits."""

    id: int
    score: float


def search(segment: Segment, asked: Asked) -> list[Hit]:
    """The best items for a question; twice as many as wanted for a cross-encoder to look at."""
    query = asked.query
    visible = mask(segment, query, asked.resolved)
    if not visible.any():
        return []
    slots, scores = _RANKINGS[query.reranker or "default"](View(segment, asked, visible))
    return [
        Hit(number, float(score))
        for number, score in zip(segment.row_ids(query.kind, slots), scores, strict=True)
        if query.score_min is None or query.reranker in _JUDGED_LATER or score >= query.score_min
    ]


def fused(view: View) -> Scores:
    """The score of each slot put forward."""
    return _sum(opinions(view))


def opinions(view: View) -> dict[str, Scores]:
    """What each opinion adds to the score of each slot put forward: what else is known of the
    question, its meaning, its words, and what stands behind a fact or a turn."""
    if view.kind == "episode":
        return {"turn": _turn(view, view.words()), "facts": TURN_FACTS * view.facts()}
    found = {
        "known": bonus(view),
        "meaning": MEANING * view.meaning(),
        "words": WORDS * view.words(),
    }
    if view.kind == "fact":
        found["told"] = FACT_TOLD * _told(view, _sum(found))
    return found


def _sum(found: dict[str, Scores]) -> Scores:
    return reduce(np.add, found.values())


def _turn(view: View, words: Scores) -> Scores:
    """What a turn is worth: little when it is the same question, asked before."""
    fits = TURN_MEANING * view.meaning() + TURN_WORDS * words
    return bonus(view) + np.where(view.repeats(), TURN_REPEATS * fits, fits)


def _told(view: View, scores: Scores) -> Scores:
    """What the best episode behind each fact is worth: its words and neighbours tell what a fact
    is about that says it in other words. Asked of the best facts only."""
    chosen, _ = _chosen(view, view.slots, scores, max(_ASKED_BEHIND, 2 * view.query.limit))
    behind, facts, episodes = view.behind(chosen)
    if behind is None:
        return np.zeros(len(view.slots))
    worth = np.zeros(len(behind.visible))
    worth[behind.slots] = _turn(behind, behind.words_among())
    best = np.full(len(view.visible), -np.inf)
    np.maximum.at(best, facts, worth[episodes])
    best[np.isinf(best)] = 0.0
    return best[view.slots]


def _chosen(view: View, slots: Slots, scores: Scores, limit: int) -> tuple[Slots, Scores]:
    return fuse.best(slots, scores, limit, view.segment.shelf(view.kind).ids.array)


def _best(view: View, times: int) -> tuple[Slots, Scores]:
    return _chosen(view, view.slots, likely(view, fused(view)), times * view.query.limit)


def likely(view: View, scores: Scores) -> Scores:
    """Fused scores with the newer before the older, and what may be over behind: that a fact fits is
    worth something as far as it still holds, and does harm as far as it is over. What was judged and
    what the question shows are independent signs of that."""
    fresh = freshened(view, scores)
    doubted = 1 - (1 - doubts(view, fresh)) * (1 - overtaken(view, fresh))
    if not doubted.any():
        return fresh
    fits = scaled(view.kind, fresh) * np.maximum(1 - WRONG * doubted, _LEAST)
    return np.where(doubted > 0, _unscaled(view.kind, fits), fresh)


def best(view: View, without: Slots) -> tuple[Slots, Scores]:
    """As many as are wanted, better ones first, with their fused scores; none of *without*."""
    scores = fused(view)
    kept = ~np.isin(view.slots, without)
    return _chosen(view, view.slots[kept], scores[kept], view.query.limit)


def scaled(kind: Kind, scores: Scores) -> Scores:
    """Fused scores between 0 and 1. What has less than a half is about something else, as a rule:
    so much has the best that a graph of other people and other matters finds for a question."""
    return 1 / (1 + np.exp((_UNRELATED.get(kind, _UNRELATED_ELSE) - scores) / _STEEP))


def _unscaled(kind: Kind, fits: Scores) -> Scores:
    """The fused scores that `scaled` gave these."""
    fits = np.clip(fits, 1e-9, 1 - 1e-9)
    return _UNRELATED.get(kind, _UNRELATED_ELSE) + _STEEP * np.log(fits / (1 - fits))


def _default(view: View) -> tuple[Slots, Scores]:
    slots, scores = _best(view, 1)
    return slots, scaled(view.kind, scores)


def _rrf(view: View) -> tuple[Slots, Scores]:
    """The sum of one over the ranks by words, by meaning, and by hops if it starts somewhere."""
    limit = view.query.limit
    words = view.words()
    matching = words > 0
    lists = [_chosen(view, view.slots[matching], words[matching], 2 * limit)[0]]
    if view.asked.vector is not None:
        lists.append(_chosen(view, view.slots, view.meaning(), 2 * limit)[0])
    if view.reached is not None:
        near = np.flatnonzero((view.reached < walk.FAR) & view.visible).astype(np.int32)
        hops = -view.reached[near].astype(np.float64)
        lists.append(_chosen(view, near, hops, 2 * limit)[0])
    slots, scores = fuse.reciprocal_ranks(lists)
    return slots[:limit], scores[:limit]


def _mmr(view: View) -> tuple[Slots, Scores]:
    """Relevant ones that are unlike each other."""
    slots, scores = _best(view, _WIDER)
    chosen, values = fuse.marginal_relevance(
        scores, _apart(view.meanings(slots)), view.query.mmr_lambda, view.query.limit
    )
    return slots[chosen], np.array(values)


def _apart(vectors: Floats) -> Floats:
    """Vectors by what sets them apart from plain English, of unit length. What has none lies in the
    middle of the others, so that it is like all of them, not like nobody."""
    held: Flags = np.any(vectors != 0, axis=1)
    apart = np.where(held[:, None], vectors - usual_vector(), 0.0)
    if held.any():
        apart[~held] = apart[held].mean(axis=0)
    unit: Floats = apart / np.maximum(np.linalg.norm(apart, axis=1, keepdims=True), 1e-6)
    return unit.astype(np.float32)


def _node_distance(view: View) -> tuple[Slots, Scores]:
    """Fewer hops from the centre first; what cannot be reached last."""
    center = view.segment.entities.known(view.asked.resolved.center)
    slots, scores = _best(view, _WIDER)
    hops = walk.item_hops(view.segment, view.kind, center, _DISTANCE_MAX)[slots]
    order = np.lexsort((-scores, hops))[: view.query.limit]
    near = np.where(hops < walk.FAR, 1 / (1 + hops.astype(np.float64)), 0.0)
    return slots[order], near[order]


def _episode_mentions(view: View) -> tuple[Slots, Scores]:
    """What most episodes stand behind first: most of those given as anchors, or of all."""
    slots, scores = _best(view, _WIDER)
    counts = _mention_counts(view)[slots]
    order = np.lexsort((-scores, -counts))[: view.query.limit]
    return slots[order], counts[order]


def _mention_counts(view: View) -> Scores:
    segment = view.segment
    if view.kind not in ("fact", "entity"):
        return np.zeros(len(view.visible))
    links = segment.supports if view.kind == "fact" else segment.mentions
    items, episodes = links.pairs(segment.episodes)
    anchors = view.asked.resolved.episodes
    if anchors is not None:
        items = items[np.isin(episodes, segment.episodes.known(anchors))]
    return np.bincount(items, minlength=len(view.visible)).astype(np.float64)


def _cross_encoder(view: View) -> tuple[Slots, Scores]:
    """The fused order, from which the cross-encoder goes on once the texts are read."""
    return _best(view, 2)


_RANKINGS: dict[str, Callable[[View], tuple[Slots, Scores]]] = {
    "default": _default,
    "rrf": _rrf,
    "mmr": _mmr,
    "node_distance": _node_distance,
    "episode_mentions": _episode_mentions,
    "cross_encoder": _cross_encoder,
}
