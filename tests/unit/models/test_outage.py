"""When an endpoint that failed is asked again."""

from datetime import timedelta

from recollect.limits import OUTAGE_PAUSE_MAX_S
from recollect.models.language_model import Outage
from tests.contract.store.world import START, StillClock


def test_pauses_get_longer_up_to_a_bound_and_end_with_an_answer() -> None:
    """One second, two, four, and never more than the longest."""
    clock = StillClock()
    outage = Outage(clock)
    pauses = []
    for _ in range(9):
        outage.failed()
        assert outage.rest_until is not None
        pauses.append((outage.rest_until - clock()).total_seconds())
        clock.moment = outage.rest_until
    assert pauses == [1, 2, 4, 8, 16, 32, *[OUTAGE_PAUSE_MAX_S] * 3]
    assert outage.is_on
    outage.over()
    assert not outage.is_on
    assert outage.rest_until is None


def test_calls_that_fail_together_count_once() -> None:
    """Four calls under way are one outage, not four."""
    outage = Outage(StillClock())
    for _ in range(4):
        outage.failed()
    assert outage.rest_until == START + timedelta(seconds=1)


def test_a_rest_for_want_of_room_is_no_outage_and_no_cover_for_one() -> None:
    """A call that fails meanwhile is noticed, and the rest is not cut short by it."""
    outage = Outage(StillClock())
    until = START + timedelta(minutes=5)
    outage.rest(until)
    assert not outage.is_on
    outage.failed()
    assert outage.is_on
    assert outage.rest_until == until
