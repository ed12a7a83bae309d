"""Which episodes facts and entities rest on, as pairs of slots."""

import numpy as np

from recollect.search.tables import Links


def test_the_pairs_of_an_episode_can_be_taken_away() -> None:
    """All of them, and no others."""
    links = Links()
    links.add(np.array([1, 2, 2]), np.array([5, 6, 7]))
    links.drop(np.array([6]))
    assert (links.item.array.tolist(), links.episode.array.tolist()) == ([1, 2], [5, 7])
    links.add(np.array([3]), np.array([6]))
    assert links.item.array.tolist() == [1, 2, 3]
