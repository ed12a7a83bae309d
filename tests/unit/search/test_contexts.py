"""What is told of hits and their neighbours, held against a plain way to choose it."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.search.contexts import Context, ContextSpan, fill, reach

NUMBERS = st.integers(0, 30)
SCORES = st.sampled_from((0.1, 0.25, 0.5, 0.75))
CONTEXTS = st.lists(
    st.builds(
        lambda nucleus, before, after, score: Context(
            nucleus=nucleus,
            before=tuple(range(nucleus - 1, nucleus - 1 - before, -1)),
            after=tuple(range(nucleus + 1, nucleus + 1 + after)),
            score=score,
        ),
        NUMBERS,
        st.integers(0, 4),
        st.integers(0, 7),
        SCORES,
    ),
    max_size=12,
)


@pytest.mark.parametrize(
    ("expand", "limit", "before", "after"),
    [
        (0, 10, 0, 0),
        (1, 10, 0, 1),
        (2, 10, 0, 2),
        (3, 10, 1, 2),
        (5, 10, 1, 4),
        (6, 10, 2, 4),
        (100, 10, 3, 6),
        (100, 1, 0, 0),
        (-3, 10, 0, 0),
        (3, 0, 0, 0),
    ],
)
def test_a_third_of_the_neighbours_come_before(
    expand: int, limit: int, before: int, after: int
) -> None:
    assert reach(expand, limit) == ContextSpan(before=before, after=after)


def chosen_plainly(
    contexts: list[Context], limit: int, without: set[int]
) -> list[tuple[int, float]]:
    """The same choice, step by step: of what is left, the best context's nearest member."""
    left = [
        (-context.score, place, _distance(context, number), number)
        for place, context in enumerate(contexts)
        for number in (context.nucleus, *context.before, *context.after)
        if number not in without
    ]
    told: list[tuple[int, float]] = []
    while left and len(told) < limit:
        best = min(left, key=lambda one: one[:3])
        told.append((best[3], -best[0]))
        left = [one for one in left if one[3] != best[3]]
    return told


def _distance(context: Context, number: int) -> float:
    """How far a member is from the hit; what comes before is twice as far, and a bit."""
    steps = number - context.nucleus
    return steps if steps >= 0 else 0.5 - 2 * steps


@given(CONTEXTS, st.integers(0, 20), st.sets(NUMBERS, max_size=8))
def test_contexts_are_told_best_first_and_from_the_hit_outwards(
    contexts: list[Context], limit: int, without: set[int]
) -> None:
    found = fill(contexts, limit, without)
    assert list(found.items()) == chosen_plainly(contexts, limit, without)
    assert all(one >= other for one, other in pairwise(found.values()))


@given(CONTEXTS)
def test_hits_without_neighbours_are_told_as_they_are_ranked(contexts: list[Context]) -> None:
    ranked = sorted(
        {one.nucleus: Context(nucleus=one.nucleus, score=one.score) for one in contexts}.values(),
        key=lambda one: -one.score,
    )
    for limit in range(len(ranked) + 2):
        assert list(fill(ranked, limit)) == [one.nucleus for one in ranked[:limit]]


def test_a_context_that_does_not_fit_is_told_in_part() -> None:
    context = Context(nucleus=5, before=(4, 3), after=(6, 7, 8, 9), score=0.9)
    assert list(fill([context], 4)) == [5, 6, 7, 4]
    assert list(fill([context], 7)) == [5, 6, 7, 4, 8, 9, 3]
