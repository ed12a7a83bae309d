"""Days begin at midnight where the speaker is; what is handed out is UTC."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfoNotFoundError

import pytest

from recollect.dates import find


def resolved(text: str, reference: datetime, zone: str) -> tuple[str, str]:
    (when,) = find(text, reference=reference, zone=zone)
    assert when.first is not None
    assert when.last is not None
    assert when.first.tzinfo is UTC
    return when.first.strftime("%Y-%m-%dT%H:%M"), when.last.strftime("%Y-%m-%dT%H:%M")


def test_a_day_is_a_day_of_the_speaker() -> None:
    reference = datetime(2023, 5, 17, 2, 0, tzinfo=UTC)
    assert resolved("today", reference, "UTC")[0] == "2023-05-17T00:00"
    assert resolved("today", reference, "America/New_York")[0] == "2023-05-16T04:00"
    assert resolved("today", reference, "Asia/Tokyo")[0] == "2023-05-16T15:00"


def test_a_year_begins_at_midnight_of_the_speaker() -> None:
    reference = datetime(2023, 5, 17, tzinfo=UTC)
    assert resolved("in 2015", reference, "Europe/Berlin")[0] == "2014-12-31T23:00"


@pytest.mark.parametrize(
    ("text", "hours"), [("on 26 March 2023", 23), ("on 29 October 2023", 25), ("on 5 May 2023", 24)]
)
def test_days_on_which_the_clock_is_changed_are_shorter_or_longer(text: str, hours: int) -> None:
    (when,) = find(text, reference=datetime(2023, 5, 17, tzinfo=UTC), zone="Europe/Berlin")
    assert when.first is not None
    assert when.last is not None
    assert (when.last - when.first).total_seconds() == hours * 3600


def test_the_same_local_hour_is_another_utc_hour_in_summer() -> None:
    reference = datetime(2023, 5, 17, tzinfo=UTC)
    assert (
        resolved("at 5 pm on 5 January 2023", reference, "Europe/Berlin")[0] == "2023-01-05T16:00"
    )
    assert resolved("at 5 pm on 5 July 2023", reference, "Europe/Berlin")[0] == "2023-07-05T15:00"


def test_an_hour_that_the_clock_skips_still_has_a_time() -> None:
    reference = datetime(2023, 3, 20, tzinfo=UTC)
    first, _ = resolved("at 2:30 am on 26 March 2023", reference, "Europe/Berlin")
    assert first == "2023-03-26T01:30"


def test_a_stamp_with_its_own_offset_does_not_depend_on_the_zone() -> None:
    reference = datetime(2023, 5, 17, tzinfo=UTC)
    for zone in ("UTC", "Asia/Tokyo", "America/New_York"):
        assert resolved("2024-03-15T10:00:00Z", reference, zone)[0] == "2024-03-15T10:00"


def test_a_reference_in_another_zone_is_the_same_moment() -> None:
    reference = datetime.fromisoformat("2023-05-17T23:30:00-04:00")
    assert resolved("today", reference, "UTC")[0] == "2023-05-18T00:00"


def test_an_unknown_zone_is_an_error() -> None:
    with pytest.raises(ZoneInfoNotFoundError):
        find("today", reference=datetime(2023, 5, 17, tzinfo=UTC), zone="Nowhere/Town")
