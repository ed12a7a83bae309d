"""What makes things unlike each other, for whoever asks for variety."""

import numpy as np

from recollect.search.rank import _apart, marginal_relevance
from recollect.search.vectors import DIMENSIONS, usual_vector


def plain(*places: int) -> np.ndarray:
    """A sentence: mostly what all have in common, and a little of its own."""
    vector = 4 * usual_vector()
    for place in places:
        vector[place] += 1.0
    return vector / np.linalg.norm(vector)


def test_what_all_have_in_common_makes_nothing_alike() -> None:
    """Of two that say the same and one that does not, the two are not told side by side."""
    vectors = np.stack([plain(1, 2), plain(1, 2), plain(3, 4)]).astype(np.float32)
    chosen, _ = marginal_relevance(np.array([3.0, 2.9, 2.0]), _apart(vectors), 0.5, 2)
    assert chosen == [0, 2]


def test_what_has_no_vector_is_not_unlike_everything() -> None:
    """It lies in the middle of the others, and comes where its relevance puts it."""
    nothing = np.zeros(DIMENSIONS)
    vectors = np.stack([plain(1), plain(3), nothing]).astype(np.float32)
    chosen, _ = marginal_relevance(np.array([3.0, 2.0, 2.0]), _apart(vectors), 0.3, 3)
    assert chosen == [0, 1, 2]
