"""A window holds the newest episodes while they and a summary fit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.episodic_memory.short_term import WindowSize, hold, reserved, summary_room
from recollect.limits import WINDOW_SUMMARY_CHARS_MAX

lengths = st.lists(st.integers(0, 300), max_size=30)
capacities = st.integers(1, 2_000)


def test_it_holds_no_more_episodes_than_it_may() -> None:
    """However short they are."""
    held = hold(WindowSize(), [1] * 10, episodes=3, chars=1_000)
    assert (held.count, held.chars, held.full) == (3, 3, True)


def test_it_keeps_an_eighth_of_a_large_window_free_for_the_summary() -> None:
    """Of 8,000 characters 7,000 are for episodes."""
    assert reserved(8_000) == 1_000
    assert hold(WindowSize(), [3_500, 3_500, 1], episodes=9, chars=8_000).count == 2
    assert hold(WindowSize(), [3_500, 3_501], episodes=9, chars=8_000).count == 1


def test_a_summary_is_bounded_however_large_the_window_is() -> None:
    """Beyond some length it would be no summary."""
    assert reserved(10_000_000) == WINDOW_SUMMARY_CHARS_MAX


def test_the_newest_episode_is_always_held() -> None:
    """Also one that is longer than the window by itself; then there is no summary_room for a summary."""
    held = hold(WindowSize(), [500, 1], episodes=5, chars=100)
    assert (held.count, held.full) == (1, True)
    assert summary_room(held, 100) == 0


def test_nothing_older_than_what_did_not_fit_is_held() -> None:
    """A window has no holes."""
    assert hold(WindowSize(), [10, 5_000, 10], episodes=9, chars=1_000).count == 1


def test_a_window_without_episodes_is_not_full() -> None:
    """There may be more to come."""
    assert hold(WindowSize(), [], episodes=1, chars=1) == WindowSize()


@given(lengths, st.integers(1, 10), capacities)
def test_content_and_summary_fit_together_unless_one_episode_is_too_long(
    given_lengths: list[int], episodes: int, chars: int
) -> None:
    """Both bounds hold at once, and the window is as large as they let it be."""
    held = hold(WindowSize(), given_lengths, episodes=episodes, chars=chars)
    taken, rest = given_lengths[: held.count], given_lengths[held.count :]
    assert held.chars == sum(taken)
    assert held.count <= episodes
    assert held.chars + summary_room(held, chars) <= chars or held.count == 1
    assert held.full == bool(rest)
    if held.chars > chars:
        assert summary_room(held, chars) == 0
    if rest and held.count < episodes:
        assert held.chars + rest[0] + reserved(chars) > chars
    if given_lengths:
        assert held.count


@given(lengths, st.integers(0, 30), st.integers(1, 10), capacities)
def test_it_does_not_matter_in_how_many_pieces_a_log_is_read(
    given_lengths: list[int], cut: int, episodes: int, chars: int
) -> None:
    """A window that goes on with older episodes is that of all of them."""
    first = hold(WindowSize(), given_lengths[:cut], episodes=episodes, chars=chars)
    both = hold(first, given_lengths[cut:], episodes=episodes, chars=chars)
    assert both == hold(WindowSize(), given_lengths, episodes=episodes, chars=chars)


@pytest.mark.parametrize("chars", [1, 10, 39])
def test_a_tiny_window_has_no_summary(chars: int) -> None:
    """A few letters tell nothing."""
    assert reserved(chars) == 0
