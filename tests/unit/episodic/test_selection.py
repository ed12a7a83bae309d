"""Reading (E6, E7), by the log and by the pure function."""

import math
from typing import Any

import pytest

from recollect.session_log import Episode, Episodic, select
from recollect.session_log.log import PARTS_MAX
from tests.unit.episodic.support import message


@pytest.fixture
def log() -> Episodic:
    """150 episodes: items of turn a (odd) and meta of turn b (even)."""
    log = Episodic()
    for number in range(1, 151):
        if number % 2:
            log.append_items([message(str(number))], turn_id="a")
        else:
            log.append("meta", {"event": "e"}, turn_id="b")
    return log


def ids(episodes: list[Episode]) -> list[int]:
    """Their ids."""
    return [one.id for one in episodes]


def test_e6_without_arguments_the_latest_hundred_are_read(log: Episodic) -> None:
    assert ids(log.read()) == list(range(51, 151))


@pytest.mark.parametrize("length", [0, 1, 99, 100])
def test_e6_a_log_of_up_to_a_hundred_is_read_whole(length: int) -> None:
    log = Episodic()
    log.append_items([message("x")] * length)
    assert len(log.read()) == length


def test_e6_of_a_hundred_and_one_the_first_is_not_read() -> None:
    log = Episodic()
    log.append_items([message("x")] * 101)
    assert ids(log.read()) == list(range(2, 102))


def test_e6_from_id_is_exclusive_and_reads_all_that_follows(log: Episodic) -> None:
    assert ids(log.read(from_id=0)) == list(range(1, 151))
    assert ids(log.read(from_id=10)) == list(range(11, 151))
    assert log.read(from_id=150) == []
    assert ids(log.read(from_id=-5)) == list(range(1, 151))


def test_e6_a_type_or_a_turn_alone_reads_all_of_it(log: Episodic) -> None:
    odd, even = list(range(1, 151, 2)), list(range(2, 151, 2))
    assert ids(log.read(type="item")) == odd
    assert ids(log.read(type=["item", "meta"])) == list(range(1, 151))
    assert ids(log.read(turn_id="b")) == even
    assert log.read(type=[]) == log.read(turn_id="") == []


def test_e6_filters_come_first_and_the_limit_keeps_the_last(log: Episodic) -> None:
    assert ids(log.read(type="item", limit=2)) == [147, 149]
    assert ids(log.read(turn_id="b", type="meta", from_id=145, limit=9)) == [146, 148, 150]
    assert log.read(turn_id="b", type="item", limit=9) == []
    assert ids(log.read(from_id=100, limit=2)) == [149, 150]


def test_e7_a_limit_alone_applies_to_the_whole_log(log: Episodic) -> None:
    assert ids(log.read(limit=120)) == list(range(31, 151))
    assert len(log.read(limit=10**400)) == 150
    assert len(log.read(limit=1e300, type="item")) == 75


@pytest.mark.parametrize("limit", [0, -1, -0.5, 0.9, math.nan, math.inf, -math.inf])
def test_e7_nothing_passes_a_limit_that_is_not_positive_or_not_finite(
    log: Episodic, limit: float
) -> None:
    assert log.read(limit=limit) == []
    assert log.read(limit=limit, type="item") == []


def test_e7_a_limit_is_cut_to_a_whole_number(log: Episodic) -> None:
    assert ids(log.read(limit=2.7)) == [149, 150]


def test_e7_none_is_no_limit(log: Episodic) -> None:
    assert len(log.read(limit=None)) == 100
    assert len(log.read(limit=None, from_id=0)) == 150


def test_e7_the_result_is_a_fresh_list(log: Episodic) -> None:
    log.read(from_id=0).clear()
    log.read(type="item").clear()
    assert len(log) == 150


def test_e7_ids_out_of_order_are_filtered_one_by_one(log: Episodic) -> None:
    mixed = Episodic.from_episodes(list(reversed(log.read(from_id=0))))
    assert ids(mixed.read(from_id=147)) == [150, 149, 148]
    assert ids(mixed.read(from_id=147, limit=2)) == [149, 148]


@pytest.mark.parametrize(
    "query", [{}, {"limit": 3}, {"from_id": 9}, {"type": "item", "limit": 4}, {"turn_id": "a"}]
)
def test_the_pure_function_reads_any_sequence_alike(log: Episodic, query: dict[str, Any]) -> None:
    assert select(tuple(log.read(from_id=0)), **query) == log.read(**query)


def test_a_fork_of_forks_reads_like_one_log(log: Episodic) -> None:
    fork, expected = log, ids(log.read(from_id=0))
    for _ in range(PARTS_MAX + 3):
        fork = fork.fork()
        expected.append(fork.append("meta", {"event": "e"}).id)
    assert ids(fork.read(from_id=0)) == expected == list(range(1, len(expected) + 1))
    assert ids(fork.read(limit=20)) == expected[-20:]
    assert ids(fork.read(limit=70, type="meta"))[-1] == expected[-1]
    assert fork.episodes[-1].id == fork.episodes[len(fork) - 1].id == expected[-1]
    assert [one.id for one in reversed(fork.episodes)] == expected[::-1]
    assert [one.id for one in fork.episodes[::50]] == expected[::50]
    with pytest.raises(IndexError):
        fork.episodes[len(fork)]
    assert len(log) == 150
