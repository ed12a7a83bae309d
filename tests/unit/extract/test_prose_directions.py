"""Which way an open date points: ahead when it is planned, behind when it is told."""

from datetime import UTC, datetime

import msgspec
import pytest

from tests.unit.extract.direction_table import NO_FACT, ROWS
from tests.unit.extract.prose_world import prose, reading

SAID = datetime(2024, 3, 11, 10, 0, tzinfo=UTC)
TABLE = [tuple(part.strip() for part in line.split("|")) for line in ROWS.strip().splitlines()]


def _short(moment: datetime | None) -> str:
    if moment is None:
        return "-"
    if moment == SAID:
        return "said"
    midnight = (moment.hour, moment.minute) == (0, 0)
    return moment.strftime("%Y-%m-%d" if midnight else "%Y-%m-%dT%H:%M")


def held(text: str) -> tuple[str, str]:
    """From when to when the first fact of a message holds; lengths count in days."""
    fact = prose().read(msgspec.structs.replace(reading(text), at=SAID)).facts[0]
    first, last = _short(fact.valid_at), _short(fact.invalid_at)
    return first.removesuffix("T10:00"), last.removesuffix("T10:00")


@pytest.mark.parametrize(("text", "first", "last"), TABLE, ids=[row[0] for row in TABLE])
def test_a_date_points_where_its_clause_does(text: str, first: str, last: str) -> None:
    if text in NO_FACT:
        pytest.xfail("the reader keeps no fact of it")
    assert held(text) == (first, last)


@pytest.mark.parametrize(
    "head",
    [
        "Published: March 3, 2021",
        "Posted on 2021-03-03",
        "Date: Wed, 3 March 2021 10:00",
        "Last updated: 3 March 2021.",
    ],
)
def test_a_text_counts_its_days_from_the_date_in_its_head(head: str) -> None:
    text = f"{head}\n\nAcme bought Globex yesterday."
    fact = prose().read(msgspec.structs.replace(reading(text, kind="text"), at=SAID)).facts[0]
    assert _short(fact.valid_at) == "2021-03-02"


@pytest.mark.parametrize("head", ["Published: Friday", "The date: 3 March 2021 was fun", "Hi"])
def test_without_such_a_head_days_count_from_the_message(head: str) -> None:
    text = f"{head}\n\nAcme bought Globex yesterday."
    facts = prose().read(msgspec.structs.replace(reading(text, kind="text"), at=SAID)).facts
    assert "2024-03-10" in [_short(fact.valid_at) for fact in facts]
