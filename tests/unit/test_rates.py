"""Buckets of requests: how many at once, how they fill, and that they are few."""

from typing import Any

import pytest

from recollect.app import gate
from recollect.app.gate import Rates
from recollect.errors import LimitReached
from recollect.graph.types import Access
from recollect.graph.usage import UsageLimits


class Hand:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """The time it was set to."""
        return self.now


def access(key: str = "a", project: str = "p", **limits: float) -> Access:
    """Somebody who is limited."""
    chosen = UsageLimits(**limits)  # type: ignore[arg-type]
    return Access(project_id=1, project_uuid=project, key_uuid=key, limits=chosen)


def admitted(buckets: Rates, who: Access, tries: int) -> int:
    """How many of so many requests at once get through."""
    through = 0
    for _ in range(tries):
        try:
            buckets.admit(who)
        except LimitReached:
            continue
        through += 1
    return through


def test_a_bucket_fills_at_its_rate_and_no_further() -> None:
    clock = Hand()
    buckets, who = Rates(clock), access(key_requests_per_s=2.0, key_requests_burst=5)
    assert admitted(buckets, who, 20) == 5
    clock.now += 1
    assert admitted(buckets, who, 20) == 2
    clock.now += 100
    assert admitted(buckets, who, 20) == 5


@pytest.mark.parametrize(("per_s", "at_once"), [(0.1, 1), (1.0, 2), (10.0, 20)])
def test_without_a_burst_it_is_two_seconds_worth(per_s: float, at_once: int) -> None:
    assert admitted(Rates(Hand()), access(key_requests_per_s=per_s), 50) == at_once


def test_what_the_project_refuses_is_not_counted_for_the_key() -> None:
    clock = Hand()
    buckets = Rates(clock)
    limits: dict[str, Any] = {"key_requests_per_s": 1.0, "key_requests_burst": 3}
    limits |= {"project_requests_per_s": 10.0, "project_requests_burst": 4}
    one, other = access("one", **limits), access("other", **limits)
    assert admitted(buckets, one, 2) == 2
    assert admitted(buckets, other, 3) == 2
    clock.now += 0.1
    assert admitted(buckets, other, 3) == 1, "its own bucket still had one"


def test_the_wait_is_told_in_whole_seconds() -> None:
    buckets, who = Rates(Hand()), access(key_requests_per_s=0.3, key_requests_burst=1)
    buckets.admit(who)
    with pytest.raises(LimitReached) as refused:
        buckets.admit(who)
    assert refused.value.retry_after_s == 4


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "RATES_REMEMBERED_MAX", 10)
    buckets = Rates(Hand())
    for number in range(50):
        buckets.admit(access(str(number), key_requests_per_s=1.0))
    assert len(buckets._buckets) == 10
