"""Opinions made one: reciprocal ranks, the best of scores, and relevance against likeness."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.search.rank import marginal_relevance, reciprocal_ranks, top


def slots(*numbers: int) -> np.ndarray:
    """Slots in order."""
    return np.array(numbers, np.int32)


def test_reciprocal_ranks_add_up() -> None:
    """One over the rank of each list; who is in none is not there."""
    order, scores = reciprocal_ranks([slots(5, 7, 9), slots(7, 5)])
    assert dict(zip(order.tolist(), scores.tolist(), strict=True)) == pytest.approx(
        {5: 1.5, 7: 1.5, 9: 1 / 3}
    )
    assert order.tolist() == [5, 7, 9]


@given(
    st.lists(st.permutations(range(6)).flatmap(lambda p: st.integers(0, 6).map(lambda n: p[:n])))
)
def test_reciprocal_ranks_are_those_of_the_definition(lists: list[list[int]]) -> None:
    """Whatever the lists, better ones first."""
    order, scores = reciprocal_ranks([slots(*ranked) for ranked in lists])
    expected: dict[int, float] = {}
    for ranked in lists:
        for place, slot in enumerate(ranked, start=1):
            expected[slot] = expected.get(slot, 0.0) + 1 / place
    assert dict(zip(order.tolist(), scores.tolist(), strict=True)) == pytest.approx(expected)
    assert scores.tolist() == sorted(scores.tolist(), reverse=True)


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=12), st.integers(0, 13))
def test_the_best_are_the_first_of_all(values: list[float], limit: int) -> None:
    """Newer ones, whose slots are higher, first among equals."""
    found, scores = top(np.arange(len(values), dtype=np.int32), np.array(values), limit)
    expected = sorted(range(len(values)), key=lambda slot: (-values[slot], -slot))[:limit]
    assert found.tolist() == expected
    assert scores.tolist() == [values[slot] for slot in expected]


def two_alike() -> tuple[np.ndarray, np.ndarray]:
    """The first two say the same, the third something else."""
    vectors = np.array([[1, 0], [1, 0], [0, 1]], np.float32)
    return np.array([3.0, 2.9, 1.0]), vectors


@pytest.mark.parametrize(("weight", "order"), [(1.0, [0, 1, 2]), (0.5, [0, 2, 1])])
def test_what_says_the_same_comes_later(weight: float, order: list[int]) -> None:
    """Unless relevance is all that counts."""
    scores, vectors = two_alike()
    chosen, values = marginal_relevance(scores, vectors, weight, 3)
    assert chosen == order
    assert values[0] == weight
    assert marginal_relevance(scores, vectors, weight, 2)[0] == order[:2]


def test_only_likeness_counts_without_relevance() -> None:
    """The first is arbitrary but always the same; the next is unlike it."""
    scores, vectors = two_alike()
    chosen, _ = marginal_relevance(scores, vectors, 0.0, 2)
    assert chosen == [0, 2]


def test_equal_scores_and_none_at_all() -> None:
    """Nothing to divide by is no reason to fail."""
    chosen, values = marginal_relevance(np.ones(2), np.eye(2, dtype=np.float32), 0.5, 5)
    assert (chosen, values) == ([0, 1], [0.5, 0.5])
    assert marginal_relevance(np.empty(0), np.empty((0, 2), np.float32), 0.5, 5) == ([], [])


def brute_force(scores: np.ndarray, vectors: np.ndarray, weight: float, limit: int) -> list[int]:
    """The definition, one by one."""
    span = scores.max() - scores.min()
    relevance = (scores - scores.min()) / span if span else np.ones(len(scores))
    chosen: list[int] = []
    while len(chosen) < min(limit, len(scores)):
        left = [n for n in range(len(scores)) if n not in chosen]
        alike = {n: max([0.0, *(float(vectors[n] @ vectors[m]) for m in chosen)]) for n in left}
        chosen.append(max(left, key=lambda n: weight * relevance[n] - (1 - weight) * alike[n]))
    return chosen


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weight", [0.0, 0.3, 0.7, 1.0])
def test_choosing_is_that_of_the_definition(seed: int, weight: float) -> None:
    """On vectors of no special shape."""
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(20, 8))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    scores = random.normal(size=20)
    chosen, _ = marginal_relevance(scores, vectors, weight, 10)
    assert chosen == brute_force(scores, vectors, weight, 10)


def test_what_is_newer_is_told_by_ids() -> None:
    """Whatever slots the segment happened to give out."""
    ids = np.array([30, 10, 20])
    found, _ = top(slots(0, 1, 2), np.ones(3), 2, ids)
    assert found.tolist() == [0, 2]
