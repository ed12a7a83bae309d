"""Lets a small model read the best facts of a search together with the question.

Words and vectors find what is about the same things; whether a fact answers the question takes reading
both at once. That costs a few milliseconds a fact, so only the best are read, and what the model says
is added to their scores. Of two facts that both answer a question about the present, the older one may
be over: the likelier that is, the further it falls behind.
"""

from collections.abc import Callable, Sequence

import numpy as np

from recollect.graph.types import Fact
from recollect.search import rank
from recollect.search.columns import Scores
from recollect.search.freshness import Rivals
from recollect.search.query import Hit, Query

Logits = Callable[[str, Sequence[str]], Sequence[float]]

# Measured: docs/measurements/search.md.
READ_MAX = 12
WEIGHT = 0.8
_SURE = 6.0  # the model's logits count up to here
_UNREAD = -2.5  # what it would say of most others
# The chance that an older answer is over, by how well it and a newer one answer, and how alike they are.
_BOTH_ANSWER, _ALIKE, _USUALLY_NOT = 0.69, 1.45, -2.2
_ALIKE_FROM, _ALIKE_RANGE = -0.1, 0.5
_OVER = 16.0  # how far a fact falls that is certainly over


def reads(query: Query) -> bool:
    """Whether the hits of a query are read: facts, in our own order."""
    return query.kind == "fact" and query.reranker is None


def candidates(query: Query) -> int:
    """How many facts a search has to find, of which the best are then read."""
    return max(query.limit, READ_MAX)


def answering(
    query: Query, hits: Sequence[Hit[Fact]], rivals: Rivals | None, logits: Logits
) -> list[Hit[Fact]]:
    """*hits* with the scores that they have once they were read, in the same order.

    Without *rivals* the question is not about the present, and no fact is over for it.
    """
    said = np.clip(logits(query.text, [hit.item.fact for hit in hits]), -_SURE, _SURE)
    fused = rank.unscaled("fact", np.array([hit.score for hit in hits]))
    if rivals is not None and hits:
        known = rivals.among([hit.item.id for hit in hits])
        fused -= _OVER * over(said, known)
        said = np.where(known.ended, np.minimum(said, 0.0), said)  # it answered before
    fused += WEIGHT * said
    scores = rank.scaled("fact", fused)
    return [Hit(item=hit.item, score=float(score)) for hit, score in zip(hits, scores, strict=True)]


def unread(hits: Sequence[Hit[Fact]]) -> list[Hit[Fact]]:
    """*hits* that the model did not read, with scores that compare with those of hits that it did."""
    fused = rank.unscaled("fact", np.array([hit.score for hit in hits])) + WEIGHT * _UNREAD
    scores = rank.scaled("fact", fused)
    return [Hit(item=hit.item, score=float(score)) for hit, score in zip(hits, scores, strict=True)]


def over(said: Scores, rivals: Rivals) -> Scores:
    """For each fact, the chance that a newer one took its place as the answer.

    *said* are the logits of answering the question.
    """
    newer = np.where(rivals.later, said, -_SURE)
    alike = np.clip((rivals.alike - _ALIKE_FROM) / _ALIKE_RANGE, 0.0, 1.0)
    near = np.where(rivals.later, alike / (1 + np.exp(-said)), 0.0)
    both = np.minimum(said, newer.max(axis=1))
    chance: Scores = 1 / (
        1 + np.exp(-(_BOTH_ANSWER * both + _ALIKE * near.max(axis=1) + _USUALLY_NOT))
    )
    return np.where(rivals.later.any(axis=1), chance, 0.0)


def share(found: float, fused: float) -> float:
    """What reading added to a fact's score, which was *fused* before and *found* afterwards."""
    after, before = rank.unscaled("fact", np.array([found, fused]))
    return float(after - before)
