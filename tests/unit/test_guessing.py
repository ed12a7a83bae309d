"""Wrong keys from one address: when it has to wait, how long, and who does not have to."""

import pytest

from recollect.app.guessing import Guesses
from recollect.errors import LimitReached
from recollect.limits import GUESS_FORGIVEN_S, GUESS_PAUSE_S_MAX, GUESSERS_REMEMBERED_MAX

HERE, ELSEWHERE = "192.0.2.1", "192.0.2.2"
LONG = "rk_" + "x" * 43


class Hand:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        """The time it was set to."""
        return self.now


@pytest.fixture
def clock() -> Hand:
    return Hand()


@pytest.fixture
def guesses(clock: Hand) -> Guesses:
    return Guesses(3, clock)


def try_keys(guesses: Guesses, count: int, address: str = HERE, begin: int = 0) -> list[int | None]:
    """How long each of so many different wrong keys has to wait; None: it was looked at."""
    told: list[int | None] = []
    for number in range(begin, begin + count):
        try:
            guesses.check(address, f"guess {number}")
            guesses.wrong(address, f"digest {number}".encode())
        except LimitReached as refused:
            told.append(refused.retry_after_s)
        else:
            told.append(None)
    return told


def test_the_pause_doubles_with_each_key_too_many(guesses: Guesses, clock: Hand) -> None:
    assert try_keys(guesses, 5) == [None, None, None, None, 1], "the fourth is one too many"
    pauses = []
    for number in range(10, 18):
        clock.now += pauses[-1] if pauses else 1
        assert try_keys(guesses, 1, begin=number) == [None]
        (wait,) = try_keys(guesses, 1, begin=number)
        pauses.append(wait or 0)
    assert pauses[:5] == [2, 4, 8, 16, 32]
    assert all(16 <= pause <= GUESS_PAUSE_S_MAX for pause in pauses[5:]), "about two in a minute"


def test_others_do_not_wait(guesses: Guesses) -> None:
    try_keys(guesses, 5)
    assert try_keys(guesses, 1, ELSEWHERE) == [None]


def test_a_key_that_cannot_be_guessed_is_looked_at_all_the_while(guesses: Guesses) -> None:
    """So a right one behind the same proxy is let in, and a wrong one waits as the others do."""
    try_keys(guesses, 5)
    guesses.check(HERE, LONG)
    with pytest.raises(LimitReached):
        guesses.wrong(HERE, b"the digest of another long one")


def test_a_program_that_repeats_its_old_key_locks_nobody_out(guesses: Guesses) -> None:
    for _ in range(100):
        guesses.check(HERE, LONG)
        guesses.wrong(HERE, b"always the same")
    guesses.check(HERE, "short")


def test_wrong_keys_are_forgiven_in_time(guesses: Guesses, clock: Hand) -> None:
    assert try_keys(guesses, 3) == [None] * 3
    clock.now += GUESS_FORGIVEN_S * 3
    assert try_keys(guesses, 3, begin=10) == [None] * 3
    guesses.check(HERE, "short")


def test_memory_is_bounded(guesses: Guesses) -> None:
    for number in range(GUESSERS_REMEMBERED_MAX + 10):
        guesses.wrong(str(number), b"x")
    assert len(guesses._guessers) == GUESSERS_REMEMBERED_MAX
    for number in range(50):
        guesses.wrong("one", str(number).encode()) if number < 4 else None
    assert len(guesses._guessers["one"].tried) <= 3


def test_counting_can_be_turned_off(clock: Hand) -> None:
    assert try_keys(Guesses(0, clock), 50) == [None] * 50
