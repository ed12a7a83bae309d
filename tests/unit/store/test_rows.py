"""Times are whole microseconds, JSON is text, and both come back as they went."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from recollect.store import rows

MOMENTS = [
    datetime(1970, 1, 1, tzinfo=UTC),
    datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    datetime(1, 1, 1, tzinfo=UTC),
    datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    datetime(2024, 2, 29, 12, 0, 0, 1, tzinfo=timezone(timedelta(hours=-7, minutes=-30))),
]


@pytest.mark.parametrize("moment", MOMENTS, ids=str)
def test_a_moment_comes_back_in_utc(moment: datetime) -> None:
    """The same instant, to the microsecond, before 1970 too."""
    back = rows.moment(rows.micros(moment))
    assert back == moment
    assert back.tzinfo is UTC


def test_nothing_stays_nothing() -> None:
    """None is NULL, and a JSON null is not."""
    assert rows.micros_or_none(None) is None
    assert rows.moment_or_none(None) is None
    assert rows.to_json(None) is None
    assert rows.from_json(None) is None
    assert rows.from_json("null") is None
    assert rows.moment_or_none(0) == MOMENTS[0]
    assert rows.micros_or_none(MOMENTS[0]) == 0
