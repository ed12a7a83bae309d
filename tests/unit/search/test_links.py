"""Pairs of items and the episodes they rest on."""

import numpy as np

from recollect.search.shelves import Links


def test_pairs_that_are_there_are_told_from_those_that_are_not() -> None:
    """Both parts count, and a pair that is there twice is there."""
    links = Links()
    assert links.lacks(np.array([1]), np.array([5])).tolist() == [True]
    links.add(np.array([1, 2, 2]), np.array([5, 6, 6]))
    asked = np.array([1, 1, 2, 2, 3]), np.array([5, 6, 6, 5, 7])
    assert links.lacks(*asked).tolist() == [False, True, False, True, True]
