"""Reranking: a share for the cross-encoder, the rest for the fused order, within a time budget."""

import random
from collections.abc import Sequence

import pytest

from recollect.search.rank import Reranked, rerank


class Judge:
    """A score function that answers from a table, and a clock that each reading moves."""

    def __init__(self, logits: dict[str, float], cost_s: float = 0.0) -> None:
        self.read: list[str] = []
        self._logits = logits
        self._cost_s = cost_s
        self._now = 100.0

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        self.read += texts
        self._now += self._cost_s * len(texts)
        return [self._logits[text] for text in texts]

    def clock(self) -> float:
        return self._now


def ranked(
    judge: Judge, candidates: Sequence[tuple[str, float]], budget_s: float = 1.0
) -> list[Reranked]:
    return rerank("q", candidates, judge.score, budget_s, judge.clock)


def order(found: list[Reranked]) -> list[int]:
    return [item.place for item in found]


@pytest.mark.parametrize(
    ("share", "expected"), [(0.0, [0, 1, 2]), (0.5, [1, 0, 2]), (1.0, [2, 1, 0])]
)
def test_the_share_says_who_decides(share: float, expected: list[int]) -> None:
    """Half and half, the best of both together wins against the best of either."""
    judge = Judge({"fused": -2.0, "both": 1.5, "cross": 2.0})
    candidates = [("fused", 1.0), ("both", 0.8), ("cross", 0.0)]
    found = rerank("q", candidates, judge.score, 1.0, judge.clock, share)
    assert order(found) == expected


def test_by_default_a_clear_fused_order_stands_and_a_close_one_turns() -> None:
    """The cross-encoder has a small say."""
    judge = Judge({"a": -1.0, "b": 2.0, "c": 0.0})
    assert order(ranked(judge, [("a", 0.9), ("b", 0.5), ("c", 0.1)])) == [0, 1, 2]
    assert order(ranked(judge, [("a", 0.90), ("b", 0.89), ("c", 0.1)])) == [1, 0, 2]


def test_candidates_are_read_best_first_whatever_order_they_come_in() -> None:
    """Those at the top of the fused order must not wait."""
    judge = Judge({"low": 0.0, "high": 0.0, "mid": 0.0})
    ranked(judge, [("low", 0.1), ("high", 0.9), ("mid", 0.5)])
    assert judge.read == ["high", "mid", "low"]


def test_what_time_does_not_reach_keeps_the_fused_order_below_what_was_read() -> None:
    """Two readings of a second each fit a budget of two."""
    judge = Judge({"a": -3.0, "b": 4.0, "c": 9.0, "d": 9.0}, cost_s=1.0)
    found = ranked(judge, [("d", 0.1), ("c", 0.2), ("b", 0.8), ("a", 0.9)], budget_s=2.0)
    assert judge.read == ["a", "b"]
    assert order(found)[2:] == [1, 0]
    assert [item.relevance is None for item in found] == [False, False, True, True]


@pytest.mark.parametrize("budget_s", [0.0, -1.0])
def test_without_time_the_fused_order_stands(budget_s: float) -> None:
    """Nothing is read, and every candidate is there."""
    judge = Judge({}, cost_s=1.0)
    found = ranked(judge, [("a", 0.1), ("b", 0.7), ("c", 0.4)], budget_s=budget_s)
    assert judge.read == []
    assert order(found) == [1, 2, 0]
    assert all(item.relevance is None for item in found)


def test_equal_texts_are_read_once_and_score_alike() -> None:
    """The copy costs no time; what differs between the two is their fused score."""
    judge = Judge({"same": 1.0, "other": 0.0}, cost_s=1.0)
    candidates = [("same", 0.9), ("same", 0.9), ("other", 0.5)]
    found = ranked(judge, candidates, budget_s=2.0)
    assert judge.read == ["same", "other"]
    assert order(found) == [0, 1, 2]
    assert found[0].score == found[1].score


def test_one_candidate_is_told_its_own_logit() -> None:
    """With nothing to compare with, the score is the sigmoid of what the model said."""
    (found,) = ranked(Judge({"a": 0.0}), [("a", 0.3)])
    assert found == (0, 0.5, 0.5)


def test_no_candidates_give_nothing() -> None:
    """An empty list in, an empty list out."""
    assert ranked(Judge({}), []) == []


@pytest.mark.parametrize("seed", range(20))
def test_every_candidate_comes_once_and_scores_fall_between_one_and_zero(seed: int) -> None:
    """For any scores, copies and budgets; relevance is ordered as the score is."""
    chance = random.Random(seed)  # noqa: S311
    logits = {f"t{n}": chance.uniform(-40, 40) for n in range(15)}
    texts = [chance.choice(list(logits)) for _ in range(chance.randint(1, 30))]
    candidates = [(text, chance.uniform(-5, 5)) for text in texts]
    judge = Judge(logits, cost_s=1.0)
    found = ranked(judge, candidates, budget_s=chance.randint(0, 20))
    assert sorted(order(found)) == list(range(len(candidates)))
    scores = [item.score for item in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    relevances = [item.relevance for item in found if item.relevance is not None]
    assert relevances == sorted(relevances, reverse=True)
    assert all(0 <= relevance <= 1 for relevance in relevances)


def test_relevance_keeps_apart_what_the_score_has_pressed_together() -> None:
    """Two logits far out have nearly one score and clearly two relevances."""
    judge = Judge({"a": 18.0, "b": 9.0})
    first, second = ranked(judge, [("a", 1.0), ("b", 0.0)])
    assert first.score - second.score < 0.001
    assert first.relevance is not None
    assert second.relevance is not None
    assert first.relevance - second.relevance > 0.02


def test_the_same_input_gives_the_same_order() -> None:
    """Ties are broken by the place in what was given."""
    logits = {"a": 1.0, "b": 1.0, "c": 1.0}
    candidates = [("a", 0.5), ("b", 0.5), ("c", 0.5)]
    assert order(ranked(Judge(logits), candidates)) == [0, 1, 2]
