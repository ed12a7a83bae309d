"""Lets a small model read the best facts of a search together with the question.

Words and vectors find what is about the same things; whether a fact answers the question, and whether it
still does, takes reading the question and all of them at once. That costs a few milliseconds a fact, so only
the best are read, and what the model says is added to their scores. An answer that a newer one has replaced
falls behind, the further the surer the model is.
"""

from collections.abc import Callable, Sequence

import numpy as np

from recollect.graph.types import Fact
from recollect.models.answers import Reading
from recollect.search import rank
from recollect.search.columns import Scores
from recollect.search.freshness import Order
from recollect.search.query import Hit, Query

Reads = Callable[[str, Sequence[str]], Sequence[Reading]]

# Measured: docs/measurements/search.md.
READ_MAX = 12
WEIGHT = 0.8
_SURE = 6.0  # the model's logits count up to here
_UNREAD = -2.5  # what it would say of most others
_OVER = 24.0  # how far a fact falls that is certainly over
_DOUBTFUL = 1.0  # the logit from which a fact is rather over than not


def reads(query: Query) -> bool:
    """Whether the hits of a query are read: facts, in our own order."""
    return query.kind == "fact" and query.reranker is None


def candidates(query: Query) -> int:
    """How many facts a search has to find, of which the best are then read."""
    return max(query.limit, READ_MAX)


def answering(
    query: Query, hits: Sequence[Hit[Fact]], order: Order, read: Reads
) -> list[Hit[Fact]]:
    """*hits* with the scores that they have once they were read, in the same order.

    They are read in the order in which they were said, so that the model sees what came after what.
    """
    if not hits:
        return []
    known = order.among([hit.item.id for hit in hits])
    places = np.argsort(known.places)
    said = np.empty((len(hits), 2))
    said[places] = read(query.text, [hits[place].item.fact for place in places])
    answers, over = np.clip(said, -_SURE, 0.0 if known.strange else _SURE).T
    fused = rank.unscaled("fact", np.array([hit.score for hit in hits]))
    newer = np.where(known.later, _chance(answers), 0.0).max(axis=1)
    chance = _chance(answers) * _chance(over - _DOUBTFUL) * newer
    fused -= _OVER * chance
    fused += WEIGHT * np.where(known.ended, np.minimum(answers, 0.0), answers)
    scores = rank.scaled("fact", fused)
    return [
        Hit(item=hit.item, score=score, over=one)
        for hit, score, one in zip(hits, scores.tolist(), chance.tolist(), strict=True)
    ]


def unread(hits: Sequence[Hit[Fact]]) -> list[Hit[Fact]]:
    """*hits* that the model did not read, with scores that compare with those of hits that it did."""
    fused = rank.unscaled("fact", np.array([hit.score for hit in hits])) + WEIGHT * _UNREAD
    scores = rank.scaled("fact", fused)
    return [Hit(item=hit.item, score=float(score)) for hit, score in zip(hits, scores, strict=True)]


def _chance(logits: Scores) -> Scores:
    chance: Scores = 1 / (1 + np.exp(-logits))
    return chance


def share(found: float, fused: float) -> float:
    """What reading added to a fact's score, which was *fused* before and *found* afterwards."""
    after, before = rank.unscaled("fact", np.array([found, fused]))
    return float(after - before)
