"""Ranking: what a segment finds for a query, best first.

Without a reranker, the measures of a candidate are weighted and added up. The scale of meaning is
fixed, so that a score does not depend on what else the graph contains. On real conversations that beats
fusing ranks by far: docs/measurements/search.md.
"""

import math
from collections.abc import Callable, Sequence
from functools import reduce
from statistics import fmean, pstdev
from typing import NamedTuple

import numpy as np

from recollect.graph.types import Kind
from recollect.search import freshness, hops
from recollect.search.columns import Flags, Floats, Ints, Scores, Slots
from recollect.search.freshness import Order, doubts, freshened, overtaken
from recollect.search.query import Hit, PreparedQuery
from recollect.search.score import Candidates, bonus
from recollect.search.segment import Segment
from recollect.search.vectors import usual_vector

# The weight of each measure. Meaning is in standard deviations, words are a share of the query's words.
MEANING = 0.7
WORDS = 2.5
FACT_TOLD = 0.5
TURN_MEANING = 0.5
TURN_FACTS = 0.2
TURN_WORDS = 3.0
TURN_REPEATS = 0.4
# At 2, a fitting fact that is over does as much harm as one that holds does good.
WRONG = 2.0
_LEAST = 0.01
# The median, over questions of real conversations, of the best fused score in an unrelated conversation.
_UNRELATED: dict[Kind, float] = {"fact": 2.6, "episode": 1.8}
_UNRELATED_ELSE = 1.5
_STEEP = 2.0
_ASKED_BEHIND = 128
_WIDER = 4  # a reordering chooses from this many times the limit
_DISTANCE_MAX = 20
_JUDGED_LATER = ("cross_encoder",)  # replaces these scores with its own


def search(segment: Segment, prepared: PreparedQuery) -> list[Hit[int]]:
    """The row ids of the best items; for a cross-encoder twice as many as wanted."""
    query = prepared.query
    visible = segment.passing(prepared)
    if not visible.any():
        return []
    slots, scores = _RANKINGS[query.reranker or "default"](Candidates(segment, prepared, visible))
    return [
        Hit(item=number, score=float(score))
        for number, score in zip(segment.row_ids(query.kind, slots), scores, strict=True)
        if query.score_min is None or query.reranker in _JUDGED_LATER or score >= query.score_min
    ]


def order(segment: Segment, prepared: PreparedQuery, ids: Sequence[int]) -> Order:
    """When the facts that were found were said, and which of them can have replaced which."""
    visible = segment.passing(prepared)
    return freshness.order(Candidates(segment, prepared, visible), ids)


def fused(candidates: Candidates) -> Scores:
    """The score of each candidate."""
    return _sum(measures(candidates))


def measures(candidates: Candidates) -> dict[str, Scores]:
    """What each measure adds to the score of each candidate.

    The measures are what the query reveals besides its words, its meaning, its words, and the episodes
    behind a fact or the facts behind a turn.
    """
    if candidates.kind == "episode":
        return {
            "turn": _turn(candidates, candidates.words()),
            "facts": TURN_FACTS * candidates.facts(),
        }
    found = {
        "known": bonus(candidates),
        "meaning": MEANING * candidates.meaning(),
        "words": WORDS * candidates.words(),
    }
    if candidates.kind == "fact":
        found["told"] = FACT_TOLD * _told(candidates, _sum(found))
    return found


def _sum(found: dict[str, Scores]) -> Scores:
    return reduce(np.add, found.values())


def _turn(candidates: Candidates, words: Scores) -> Scores:
    """The score of a turn; low if it only asks the same question."""
    fits = TURN_MEANING * candidates.meaning() + TURN_WORDS * words
    return bonus(candidates) + np.where(candidates.repeats(), TURN_REPEATS * fits, fits)


def _told(candidates: Candidates, scores: Scores) -> Scores:
    """The score of the best episode behind each fact, computed for the best facts only.

    An episode's words and neighbours show what the fact is about if the fact itself uses other words.
    """
    chosen, _ = _chosen(
        candidates, candidates.slots, scores, max(_ASKED_BEHIND, 2 * candidates.query.limit)
    )
    behind, facts, episodes = candidates.behind(chosen)
    if behind is None:
        return np.zeros(len(candidates.slots))
    worth = np.zeros(len(behind.visible))
    worth[behind.slots] = _turn(behind, behind.words_among())
    best = np.full(len(candidates.visible), -np.inf)
    np.maximum.at(best, facts, worth[episodes])
    best[np.isinf(best)] = 0.0
    return best[candidates.slots]


def _chosen(
    candidates: Candidates, slots: Slots, scores: Scores, limit: int
) -> tuple[Slots, Scores]:
    return top(slots, scores, limit, candidates.segment.table(candidates.kind).ids.array)


def _best(candidates: Candidates, times: int) -> tuple[Slots, Scores]:
    return _chosen(
        candidates,
        candidates.slots,
        likely(candidates, fused(candidates)),
        times * candidates.query.limit,
    )


def likely(candidates: Candidates, scores: Scores) -> Scores:
    """Fused scores with newer facts before older ones, and facts that may be over ranked lower.

    A fitting fact is worth something insofar as it still holds, and does harm insofar as it is over. The
    stored judgements and the comparison with newer facts are independent evidence for that.
    """
    fresh = freshened(candidates, scores)
    doubted = 1 - (1 - doubts(candidates, fresh)) * (1 - overtaken(candidates, fresh))
    if not doubted.any():
        return fresh
    fits = scaled(candidates.kind, fresh) * np.maximum(1 - WRONG * doubted, _LEAST)
    return np.where(doubted > 0, unscaled(candidates.kind, fits), fresh)


def best(candidates: Candidates, without: Slots) -> tuple[Slots, Scores]:
    """The best candidates up to the query's limit, with their fused scores; none of *without*."""
    scores = fused(candidates)
    kept = ~np.isin(candidates.slots, without)
    return _chosen(candidates, candidates.slots[kept], scores[kept], candidates.query.limit)


def scaled(kind: Kind, scores: Scores) -> Scores:
    """Fused scores between 0 and 1. Below one half, an item is usually about something else.

    One half is the typical best score that an unrelated graph reaches for a question.
    """
    return 1 / (1 + np.exp((_UNRELATED.get(kind, _UNRELATED_ELSE) - scores) / _STEEP))


def unscaled(kind: Kind, fits: Scores) -> Scores:
    """The fused scores that `scaled` gave these."""
    fits = np.clip(fits, 1e-9, 1 - 1e-9)
    return _UNRELATED.get(kind, _UNRELATED_ELSE) + _STEEP * np.log(fits / (1 - fits))


def _default(candidates: Candidates) -> tuple[Slots, Scores]:
    slots, scores = _best(candidates, 1)
    return slots, scaled(candidates.kind, scores)


def _rrf(candidates: Candidates) -> tuple[Slots, Scores]:
    """The sum of reciprocal ranks by words, by meaning, and by hops if the query has origins."""
    limit = candidates.query.limit
    words = candidates.words()
    matching = words > 0
    lists = [_chosen(candidates, candidates.slots[matching], words[matching], 2 * limit)[0]]
    if candidates.prepared.vector is not None:
        lists.append(_chosen(candidates, candidates.slots, candidates.meaning(), 2 * limit)[0])
    if candidates.reached is not None:
        near = np.flatnonzero((candidates.reached < hops.FAR) & candidates.visible).astype(np.int32)
        nearness = -candidates.reached[near].astype(np.float64)
        lists.append(_chosen(candidates, near, nearness, 2 * limit)[0])
    slots, scores = reciprocal_ranks(lists)
    return slots[:limit], scores[:limit]


def _mmr(candidates: Candidates) -> tuple[Slots, Scores]:
    """Relevant items that are unlike each other."""
    slots, scores = _best(candidates, _WIDER)
    chosen, values = marginal_relevance(
        scores,
        _apart(candidates.meanings(slots)),
        candidates.query.mmr_lambda,
        candidates.query.limit,
    )
    return slots[chosen], np.array(values)


def _apart(vectors: Floats) -> Floats:
    """How vectors differ from plain English, as unit vectors.

    An item without a vector gets the mean of the others, so that it resembles all of them, not none.
    """
    held: Flags = np.any(vectors != 0, axis=1)
    apart = np.where(held[:, None], vectors - usual_vector(), 0.0)
    if held.any():
        apart[~held] = apart[held].mean(axis=0)
    unit: Floats = apart / np.maximum(np.linalg.norm(apart, axis=1, keepdims=True), 1e-6)
    return unit.astype(np.float32)


def _node_distance(candidates: Candidates) -> tuple[Slots, Scores]:
    """Items with fewer hops from the centre first, unreachable ones last."""
    center = candidates.segment.entities.known(candidates.prepared.lookups.center)
    slots, scores = _best(candidates, _WIDER)
    distances = hops.item_hops(candidates.segment, candidates.kind, center, _DISTANCE_MAX)[slots]
    order = np.lexsort((-scores, distances))[: candidates.query.limit]
    near = np.where(distances < hops.FAR, 1 / (1 + distances.astype(np.float64)), 0.0)
    return slots[order], near[order]


def _episode_mentions(candidates: Candidates) -> tuple[Slots, Scores]:
    """Items with the most supporting episodes first; only the anchors count, if any are given."""
    slots, scores = _best(candidates, _WIDER)
    counts = _mention_counts(candidates)[slots]
    order = np.lexsort((-scores, -counts))[: candidates.query.limit]
    return slots[order], counts[order]


def _mention_counts(candidates: Candidates) -> Scores:
    segment = candidates.segment
    if candidates.kind not in ("fact", "entity"):
        return np.zeros(len(candidates.visible))
    links = segment.supports if candidates.kind == "fact" else segment.mentions
    items, episodes = links.pairs(segment.episodes)
    anchors = candidates.prepared.lookups.episodes
    if anchors is not None:
        items = items[np.isin(episodes, segment.episodes.known(anchors))]
    return np.bincount(items, minlength=len(candidates.visible)).astype(np.float64)


def _cross_encoder(candidates: Candidates) -> tuple[Slots, Scores]:
    """The fused order, which the cross-encoder refines once the texts are read."""
    return _best(candidates, 2)


_RANKINGS: dict[str, Callable[[Candidates], tuple[Slots, Scores]]] = {
    "default": _default,
    "rrf": _rrf,
    "mmr": _mmr,
    "node_distance": _node_distance,
    "episode_mentions": _episode_mentions,
    "cross_encoder": _cross_encoder,
}


def reciprocal_ranks(lists: Sequence[Slots]) -> tuple[Slots, Scores]:
    """Items of ranked lists with the sums of their reciprocal ranks, best first.

    Equal items keep the order of the first list.
    """
    total: dict[int, float] = {}
    for ranked in lists:
        for place, slot in enumerate(ranked.tolist(), start=1):
            total[slot] = total.get(slot, 0.0) + 1 / place
    order = sorted(total, key=lambda slot: -total[slot])
    return np.array(order, np.int32), np.array([total[slot] for slot in order])


def top(slots: Slots, scores: Scores, limit: int, ids: Ints | None = None) -> tuple[Slots, Scores]:
    """The best *limit* slots, best first; among equals, newer ones first.

    *ids* are those of all slots, and show which is newer. Slots do not: a segment that is rebuilt from
    its rows assigns them in another order.
    """
    if len(scores) > limit:  # sort only those that can be among the best
        chosen = scores >= np.partition(scores, -limit)[-limit]
        slots, scores = slots[chosen], scores[chosen]
    newness = slots if ids is None else ids[slots]
    order = np.lexsort((-newness, -scores))[:limit]
    return slots[order], scores[order]


def marginal_relevance(
    scores: Scores, vectors: Floats, weight: float, limit: int
) -> tuple[list[int], list[float]]:
    """Places chosen one by one: relevant, and unlike those chosen before.

    *weight* is that of relevance, so 1 leaves the order as it is. Scores are first scaled to 0 to 1, so
    that they are comparable with similarities.
    """
    low, high = (float(scores.min()), float(scores.max())) if len(scores) else (0.0, 1.0)
    relevance = (scores - low) / (high - low) if high > low else np.ones(len(scores))
    alike = np.zeros(len(scores))
    chosen: list[int] = []
    values: list[float] = []
    left = np.ones(len(scores), bool)
    for _ in range(min(limit, len(scores))):
        value = np.where(left, weight * relevance - (1 - weight) * alike, -np.inf)
        place = int(np.argmax(value))
        chosen.append(place)
        values.append(float(value[place]))
        left[place] = False
        alike = np.maximum(alike, np.einsum("ij,j->i", vectors, vectors[place]))
    return chosen, values


# The cross-encoder alone orders far worse than the fused score it starts from, so it only gets a share,
# and after its time budget the fused order continues. On LoCoMo dev, over the best 20, a share of a half
# costs 2.8 nDCG@10 and 4.3 R@5. A fifth costs 1.0 R@5 and leaves nDCG@10 and R@10 where they were (+0.2
# and +0.1, which is no difference): it is the largest share that does little harm, not one that was shown
# to help.
CROSS_SHARE = 0.2

ScoreFn = Callable[[str, Sequence[str]], Sequence[float]]
Clock = Callable[[], float]  # in seconds, from any starting point


class Reranked(NamedTuple):
    """A candidate by its *place* in the input, and how well it fits.

    Scores lie between 0 and 1 and decrease along the list. *relevance* says the same on a scale that
    still separates good answers when the score is close to 1; it is None if time ran out.
    """

    place: int
    score: float
    relevance: float | None


def rerank(
    query: str,
    candidates: Sequence[tuple[str, float]],
    score_fn: ScoreFn,
    budget_s: float,
    clock: Clock,
    share: float = CROSS_SHARE,
) -> list[Reranked]:
    """All *candidates* (texts with their fused scores), best first.

    They are read in the order of their fused scores until *budget_s* is spent by *clock*. Those
    that were read are ordered by both scores, each standardised, the cross-encoder's with a
    weight of *share*; the others follow in the fused order. Equal texts are read once.
    """
    order = sorted(range(len(candidates)), key=lambda i: (-candidates[i][1], i))
    logits = _read(query, [candidates[i][0] for i in order], score_fn, budget_s, clock)
    reached, rest = order[: len(logits)], order[len(logits) :]
    blended = _blend(logits, [candidates[i][1] for i in reached], share)
    by_both = sorted(zip(blended, reached, strict=True), key=lambda pair: -pair[0])
    found = [Reranked(index, _sigmoid(logit), _softsign(logit)) for logit, index in by_both]
    return found + _unread(rest, found[-1].score if found else 1.0)


def _read(
    query: str, texts: Sequence[str], score_fn: ScoreFn, budget_s: float, clock: Clock
) -> list[float]:
    """The logits of the first texts, as many as time allows."""
    known: dict[str, float] = {}
    found: list[float] = []
    until = clock() + budget_s
    for text in texts:
        if text not in known:
            if clock() >= until:
                break
            known[text] = float(score_fn(query, [text])[0])
        found.append(known[text])
    return found


def _blend(logits: Sequence[float], fused: Sequence[float], share: float) -> list[float]:
    """Both scores combined, on the scale of the logits, so that the result still says how good a hit is."""
    if not logits:
        return []
    middle, spread = fmean(logits), pstdev(logits)
    pairs = zip(_standardised(logits), _standardised(fused), strict=True)
    return [middle + spread * (share * cross + (1 - share) * fit) for cross, fit in pairs]


def _standardised(values: Sequence[float]) -> list[float]:
    """Values with mean 0 and deviation 1; zeros if all are the same."""
    middle, spread = fmean(values), pstdev(values)
    return [(value - middle) / spread if spread else 0.0 for value in values]


def _unread(rest: Sequence[int], ceiling: float) -> list[Reranked]:
    """The candidates that were not read in time: below all that were, in the order given."""
    steps = len(rest) + 1
    return [
        Reranked(index, ceiling * (steps - place) / steps, None)
        for place, index in enumerate(rest, start=1)
    ]


def _sigmoid(logit: float) -> float:
    if logit < 0:
        return math.exp(logit) / (1 + math.exp(logit))
    return 1 / (1 + math.exp(-logit))


def _softsign(logit: float) -> float:
    """From 0 to 1, approaching its limits far more slowly than a sigmoid."""
    return 0.5 + logit / (2 * (1 + abs(logit)))
