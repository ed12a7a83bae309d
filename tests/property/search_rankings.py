"""The expected order for each reranker, given an oracle's scores."""

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
from hypothesis import assume

from recollect.search import rank
from recollect.search.vectors import DIMENSIONS, usual_vector
from tests.property.search_oracle import FAR, Oracle, Vector

NEAR = 1e-4  # scores closer than this may change places by rounding alone

Answer = list[tuple[str, float]]


def ordered(oracle: Oracle, scores: dict[str, float]) -> list[str]:
    """Higher scores first; among equals, newer items first."""
    newest = {item.uuid: -place for place, item in enumerate(oracle.seen)}
    order = sorted(scores, key=lambda uuid: (-scores[uuid], newest[uuid]))
    for one, other in pairwise(order):
        gap = scores[one] - scores[other]
        # The words around an episode are summed in any order, so equal sums may differ by rounding.
        exact = oracle.question.kind != "episode" or oracle.words[one] == oracle.words[other] == 0
        assume(gap > NEAR or (gap == 0 and exact))
    return order


def pool(oracle: Oracle, times: int) -> list[str]:
    """The best items by the fused score: *times* the limit."""
    return ordered(oracle, oracle.fused)[: times * oracle.question.limit]


def default(oracle: Oracle) -> Answer:
    """By the fused score, mapped to between 0 and 1."""
    middle = rank._UNRELATED.get(oracle.question.kind, rank._UNRELATED_ELSE)
    return [
        (uuid, 1 / (1 + math.exp((middle - oracle.fused[uuid]) / rank._STEEP)))
        for uuid in pool(oracle, 1)
    ]


def cross_encoder(oracle: Oracle) -> Answer:
    """Twice as many by the fused score, for the model to read."""
    return [(uuid, oracle.fused[uuid]) for uuid in pool(oracle, 2)]


def rrf(oracle: Oracle) -> Answer:
    """By the sum of 1/rank over the lists that contain an item."""
    matching = {uuid: score for uuid, score in oracle.words.items() if score > 0}
    lists = [ordered(oracle, matching)]
    if oracle.question.vector is not None:
        lists.append(ordered(oracle, oracle.meaning))
    if oracle.reached is not None:
        near = {uuid: -float(hops) for uuid, hops in oracle.reached.items() if hops < FAR}
        lists.append(ordered(oracle, near))
    total: dict[str, float] = {}
    for ranked in lists:
        for place, uuid in enumerate(ranked[: 2 * oracle.question.limit], start=1):
            total[uuid] = total.get(uuid, 0.0) + 1 / place
    order = sorted(total, key=lambda uuid: -total[uuid])[: oracle.question.limit]
    return [(uuid, total[uuid]) for uuid in order]


def mmr(oracle: Oracle) -> Answer:
    """Chosen one by one: relevant, and unlike the most similar item chosen before."""
    left = pool(oracle, rank._WIDER)
    weight = oracle.question.mmr_lambda
    low, high = oracle.fused[left[-1]], oracle.fused[left[0]]
    chosen: Answer = []
    vectors = _apart(oracle, left)

    def value(uuid: str) -> float:
        relevance = (oracle.fused[uuid] - low) / (high - low) if high > low else 1.0
        alike = max((float(vectors[uuid] @ vectors[other]) for other, _ in chosen), default=0.0)
        return weight * relevance - (1 - weight) * max(0.0, alike)

    while left and len(chosen) < oracle.question.limit:
        values = {uuid: value(uuid) for uuid in left}
        best = max(left, key=lambda uuid: values[uuid])
        rivals = [other for other in left if other != best]
        assume(all(values[best] - values[other] > NEAR for other in rivals))
        chosen.append((best, values[best]))
        left.remove(best)
    return chosen


def _apart(oracle: Oracle, uuids: list[str]) -> dict[str, Vector]:
    """The difference of each vector from the usual one, as a unit vector.

    An item without a vector, of its own or of its facts, gets the mean of the others.
    """
    apart: dict[str, Vector] = {}
    for uuid in uuids:
        held = [oracle.told.vectors[one] for one in oracle.meant_by(uuid)]
        if held:
            total = np.sum(held, axis=0)
            apart[uuid] = total / np.linalg.norm(total) - usual_vector()
    middle = np.mean(list(apart.values()), axis=0) if apart else np.zeros(DIMENSIONS)
    found = {uuid: apart.get(uuid, middle) for uuid in uuids}
    return {uuid: one / max(np.linalg.norm(one), 1e-6) for uuid, one in found.items()}


def node_distance(oracle: Oracle) -> Answer:
    """Fewer hops from the centre first, then by the fused score."""
    center = oracle.question.center
    origins = [center] if center in oracle.here else []
    hops = oracle.hops(origins, rank._DISTANCE_MAX)
    order = sorted(pool(oracle, rank._WIDER), key=lambda uuid: hops[uuid])
    return [
        (uuid, 1 / (1 + hops[uuid]) if hops[uuid] < FAR else 0.0)
        for uuid in order[: oracle.question.limit]
    ]


def episode_mentions(oracle: Oracle) -> Answer:
    """By the number of supporting episodes, of those given or of all; then by the fused score."""
    graph, wanted = oracle.graph, oracle.question.filters.episode_uuids
    counts: dict[str, int] = {}
    for items, links in ((graph.facts, graph.supports), (graph.entities, graph.mentions)):
        for place, item in enumerate(items):
            behind = [episode.uuid for episode in graph.evidence(links, place)]
            counts[item.uuid] = sum(wanted is None or uuid in wanted for uuid in behind)
    order = sorted(pool(oracle, rank._WIDER), key=lambda uuid: -counts.get(uuid, 0))
    return [(uuid, float(counts.get(uuid, 0))) for uuid in order[: oracle.question.limit]]


RANKINGS: dict[str | None, Callable[[Oracle], Answer]] = {
    None: default,
    "rrf": rrf,
    "mmr": mmr,
    "node_distance": node_distance,
    "episode_mentions": episode_mentions,
    "cross_encoder": cross_encoder,
}
