"""Which episodes are neighbours: by thread or document, in the order of the log, without gaps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.search.neighbours import ANY_GAP, DECAY, EpisodeOrder

HOUR = 3600 * 1_000_000


def window_of(strands: EpisodeOrder, visible: list[bool], times: list[int]):
    """The neighbourhoods, as a plain list of groups of slots."""
    window = strands.neighbours(np.array(visible, bool), np.array(times, np.int64))
    groups: dict[int, list[int]] = {}
    for slot, group in zip(window.slots.tolist(), window.group.tolist(), strict=True):
        groups.setdefault(group, []).append(slot)
    return window, sorted(groups.values())


@given(
    st.lists(st.tuples(st.integers(-1, 2), st.integers(0, 40)), max_size=120),
    st.data(),
)
def test_episodes_are_in_order_however_they_come(
    hours: list[tuple[int, int]], data: st.DataObject
) -> None:
    """In one page or in many, in any order: those of a strand follow each other by their number."""
    strand = [number for number, _ in hours]
    times = [int(hour) * HOUR for hour in np.cumsum([hour for _, hour in hours])]
    visible = data.draw(st.lists(st.booleans(), min_size=len(hours), max_size=len(hours)))
    order = data.draw(st.permutations(range(len(hours))))
    strands = EpisodeOrder()
    place = 0
    while place < len(order):
        step = data.draw(st.integers(1, len(order)))
        slots = np.array(order[place : place + step], np.int32)
        strands.add(np.array(strand, np.int64)[slots], slots.astype(np.int64) + 1, slots)
        place += step
    expected: list[list[int]] = []
    for number in sorted(set(strand)):
        before = None
        for slot in range(len(hours)):
            if strand[slot] != number or not visible[slot]:
                continue
            if before is None or number < 0 or times[slot] - times[before] > 24 * HOUR:
                expected.append([])
            expected[-1].append(slot)
            before = slot
    window, groups = window_of(strands, visible, times)
    assert groups == sorted(expected)
    for slot, flag in enumerate(visible):
        assert (window.place[slot] >= 0) == flag
        if flag:
            assert window.slots[window.place[slot]] == slot


def three_and_two() -> EpisodeOrder:
    """Slots 0 to 2 are one strand, 3 and 4 another."""
    strands = EpisodeOrder()
    strands.add(np.array([0, 0, 0, 1, 1]), np.array([1, 2, 3, 1, 2]), np.arange(5, dtype=np.int32))
    return strands


def test_who_came_before_is_of_the_same_strand() -> None:
    """Nobody comes before the first."""
    window, _ = window_of(three_and_two(), [True] * 5, [0] * 5)
    before, there = window.before(np.arange(5, dtype=np.int32), 1)
    assert there.tolist() == [False, True, True, False, True]
    assert before[there].tolist() == [0, 1, 3]
    before, there = window.before(np.arange(5, dtype=np.int32), 2)
    assert there.tolist() == [False, False, True, False, False]
    assert before[there].tolist() == [0]


def test_whoever_is_hidden_is_nobodys_neighbour() -> None:
    """Those on both sides of it are neighbours then."""
    window, groups = window_of(three_and_two(), [True, False, True, True, True], [0] * 5)
    assert groups == [[0, 2], [3, 4]]
    before, there = window.before(np.array([2], np.int32), 1)
    assert (before.tolist(), there.tolist()) == ([0], [True])


def test_whoever_is_beside_is_of_the_same_strand() -> None:
    """However long the pause was, when no gap ends a neighbourhood."""
    visible, times = np.ones(5, bool), np.arange(5, dtype=np.int64) * 1000 * HOUR
    window = three_and_two().neighbours(visible, times, ANY_GAP)
    for shift, expected in (
        (1, {0: 1, 1: 2, 3: 4}),
        (2, {0: 2}),
        (-1, {1: 0, 2: 1, 4: 3}),
        (3, {}),
    ):
        beside, there = window.beside(np.arange(5, dtype=np.int32), shift)
        assert {slot: int(beside[slot]) for slot in np.flatnonzero(there).tolist()} == expected
    apart = three_and_two().neighbours(visible, times)
    assert not apart.beside(np.arange(5, dtype=np.int32), 1)[1].any()


def test_values_spread_to_neighbours_and_not_further() -> None:
    """Each lends its share by distance, within its strand; what it has itself, it keeps."""
    window, _ = window_of(three_and_two(), [True] * 5, [0] * 5)
    found = window.spread(np.array([1, 3], np.int32), np.array([10.0, 5.0]), np.array([4.0, 2.0]))
    assert found.tolist() == pytest.approx([4 * DECAY[0], 10, 4 * DECAY[0], 5, 2 * DECAY[0]])


def test_nobody_at_all_is_a_window_too() -> None:
    """Without episodes, or with none to be seen."""
    window, groups = window_of(EpisodeOrder(), [], [])
    assert groups == []
    window, groups = window_of(three_and_two(), [False] * 5, [0] * 5)
    assert groups == []
    assert window.spread(np.empty(0, np.int32), np.empty(0), np.empty(0)).tolist() == []


def test_memory_is_counted() -> None:
    """Twelve bytes for each episode."""
    strands = EpisodeOrder()
    numbers = np.arange(1_000, dtype=np.int64)
    strands.add(np.zeros(1_000, np.int64), numbers, numbers.astype(np.int32))
    assert strands.bytes >= 12_000
