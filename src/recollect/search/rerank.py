"""Candidates of a search, put in order by a cross-encoder as far as the time allows.

The cross-encoder alone orders far worse than the fused score it is given: so it only has a say,
and where its time ends the fused order goes on.
"""

import math
from collections.abc import Callable, Sequence
from statistics import fmean, pstdev
from typing import NamedTuple

# The say of the cross-encoder. On LoCoMo dev, over the best 20, a half costs 2.8 nDCG@10 and 4.3
# R@5. A fifth costs 1.0 R@5 and leaves nDCG@10 and R@10 where they were (+0.2 and +0.1, which is
# no difference): it is the largest share that does little harm, not one that was shown to help.
CROSS_SHARE = 0.2

ScoreFn = Callable[[str, Sequence[str]], Sequence[float]]
Clock = Callable[[], float]  # in seconds, from wherever


class Reranked(NamedTuple):
    """A candidate by its *place* in what was given, and how well it fits.

    Scores lie between 0 and 1 and fall down the list. *relevance* says the same on a scale that
    keeps good answers apart where the score comes close to 1; it is None where time ran out.
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
    """The logits of the first texts, as many as there is time for."""
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
    """Both scores in one, on the scale of the logits, so that it still says how good a hit is."""
    if not logits:
        return []
    middle, spread = fmean(logits), pstdev(logits)
    pairs = zip(_standardised(logits), _standardised(fused), strict=True)
    return [middle + spread * (share * cross + (1 - share) * fit) for cross, fit in pairs]


def _standardised(values: Sequence[float]) -> list[float]:
    """Values with mean 0 and deviation 1; zeros where all are the same."""
    middle, spread = fmean(values), pstdev(values)
    return [(value - middle) / spread if spread else 0.0 for value in values]


def _unread(rest: Sequence[int], ceiling: float) -> list[Reranked]:
    """Those that time did not reach: below all that were read, in the order given."""
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
    """From 0 to 1, nearing its ends far more slowly than a sigmoid does."""
    return 0.5 + logit / (2 * (1 + abs(logit)))
