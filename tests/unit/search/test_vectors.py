"""Vectors: exact while there are few, and still the nearest ones when bits choose among many."""

import numpy as np
import numpy.typing as npt
import pytest

from recollect.search.vectors import CHOSEN, DIMENSIONS, EXACT_MAX, Vectors, usual_vector

Matrix = npt.NDArray[np.float32]


def unit(vectors: Matrix) -> Matrix:
    """Vectors of length one."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return (vectors / lengths).astype(np.float32)


def sentences(count: int, seed: int) -> Matrix:
    """Vectors as a model gives them: around the usual one, in some topics, each a bit apart."""
    random = np.random.default_rng(seed)
    topics = random.normal(size=(40, DIMENSIONS)) * 0.04
    own = random.normal(size=(count, DIMENSIONS)) * 0.03
    return unit(usual_vector() + topics[random.integers(0, 40, count)] + own)


def blobs(vectors: Matrix) -> list[bytes | None]:
    """As the index keeps them."""
    return [vector.astype(np.float16).tobytes() for vector in vectors]


def held(vectors: Matrix) -> Vectors:
    """All of them, in order."""
    found = Vectors()
    found.put(np.arange(len(vectors), dtype=np.int32), blobs(vectors))
    return found


def test_likeness_is_the_cosine() -> None:
    """One byte for a number is as good as two for every purpose here."""
    vectors = sentences(300, 1)
    kept = held(vectors)
    slots = np.arange(300, dtype=np.int32)
    for query in vectors[:5]:
        assert kept.likeness(slots, query) == pytest.approx(vectors @ query, abs=0.005)
    assert kept.rows(slots) == pytest.approx(vectors, abs=0.002)


def test_few_are_all_put_forward() -> None:
    """Up to the bound nobody is left out, and nobody who is hidden or gone is let in."""
    vectors = sentences(EXACT_MAX + 10, 2)
    kept = held(vectors)
    visible = np.ones(len(vectors), bool)
    visible[:10] = False
    assert kept.nearest(vectors[0], visible).tolist() == list(range(10, EXACT_MAX + 10))
    kept.put(np.array([20], np.int32), [None])
    assert 20 not in kept.nearest(vectors[0], visible).tolist()


@pytest.mark.parametrize("hidden", [0.0, 0.5])
def test_of_many_the_nearest_are_among_the_chosen(hidden: float) -> None:
    """At least 99 of the 100 nearest, on average, though only one bit of each number is read."""
    vectors = sentences(20_000, 3)
    kept = held(vectors)
    random = np.random.default_rng(4)
    visible = random.random(len(vectors)) >= hidden
    recalls = []
    for query in sentences(25, 3) + np.float32(0.0):
        chosen = kept.nearest(query, visible)
        assert CHOSEN <= len(set(chosen.tolist())) == len(chosen) < 2 * CHOSEN
        assert visible[chosen].all()
        likeness = np.where(visible, vectors @ query, -1)
        nearest = np.argpartition(-likeness, 100)[:100]
        recalls.append(np.isin(nearest, chosen).mean())
    assert np.mean(recalls) >= 0.99


def test_one_more_than_few_is_chosen_by_bits() -> None:
    """At the edge itself."""
    vectors = sentences(EXACT_MAX + 1, 5)
    kept = held(vectors)
    chosen = kept.nearest(vectors[7], np.ones(len(vectors), bool))
    assert len(chosen) == CHOSEN
    assert 7 in chosen.tolist()


def test_a_vector_can_change_and_go() -> None:
    """And what has none is like nothing."""
    first, second = sentences(2, 6)
    kept = Vectors()
    slot = np.array([3], np.int32)
    kept.put(slot, blobs(first[None]))
    assert kept.likeness(slot, first) == pytest.approx([1], abs=0.01)
    kept.put(slot, blobs(second[None]))
    assert kept.likeness(slot, second) == pytest.approx([1], abs=0.01)
    kept.put(slot, [None])
    assert kept.likeness(slot, second).tolist() == [0]
    assert kept.rows(slot).tolist() == [[0] * DIMENSIONS]
    assert kept.held(5).tolist() == [False] * 5
    assert kept.nearest(second, np.ones(4, bool)).tolist() == []


def test_slots_beyond_the_last_have_no_vector() -> None:
    """A shelf grows with every item, its vectors only with those that have one."""
    (vector,) = sentences(1, 7)
    kept = held(vector[None])
    assert kept.held(4).tolist() == [True, False, False, False]
    assert kept.nearest(vector, np.ones(4, bool)).tolist() == [0]
    far = np.array([0, 500], np.int32)
    assert kept.likeness(far, vector) == pytest.approx([1, 0], abs=0.01)
    assert Vectors().nearest(vector, np.ones(4, bool)).tolist() == []
    assert len(Vectors().likeness(np.empty(0, np.int32), vector)) == 0


def test_a_blob_of_another_length_is_no_vector() -> None:
    """Left by another model, it would tell nothing."""
    (vector,) = sentences(1, 8)
    kept = Vectors()
    kept.put(np.arange(2, dtype=np.int32), [b"1234", vector.astype(np.float16).tobytes()])
    assert kept.held(2).tolist() == [False, True]


def test_nothing_at_all_is_a_vector_too() -> None:
    """A vector of zeros is near to nothing and breaks nothing."""
    kept = held(np.zeros((1, DIMENSIONS), np.float32))
    found = kept.likeness(np.array([0], np.int32), usual_vector())
    assert found.tolist() == pytest.approx([0], abs=0.01)


def test_memory_is_counted() -> None:
    """One byte and one bit for each number at least."""
    before = Vectors().bytes
    assert held(sentences(1_000, 9)).bytes - before > 900 * (DIMENSIONS + DIMENSIONS // 8)
