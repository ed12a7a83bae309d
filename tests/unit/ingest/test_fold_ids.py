"""The uuids of what a reading brings forth."""

from datetime import UTC, datetime

from recollect.graph import copies
from recollect.graph.found import Found, FoundEntity
from recollect.graph.types import Episode
from recollect.ingest import fold

AT = datetime(2024, 5, 1, tzinfo=UTC)
EPISODE = Episode(
    id=1,
    uuid="018f3c00-0000-7000-8000-000000000001",
    graph_id=1,
    seq=7,
    kind="text",
    content="",
    created_at=AT,
    received_at=AT,
)


def test_what_is_new_has_the_uuid_of_its_place() -> None:
    """Whatever else is new, and whoever asks first."""
    counted = copies.derived(EPISODE, 0)
    expected = [counted() for _ in range(6)]
    new_id = fold._new_ids(EPISODE, Found(placed=True), 0)
    assert [new_id(5), new_id(0), new_id(5)] == [expected[5], expected[0], expected[5]]


def test_what_is_new_in_a_reading_of_an_earlier_version_is_counted() -> None:
    """Its graph has been folded so, and is the same when it is folded again."""
    counted = copies.derived(EPISODE, 3)
    new_id = fold._new_ids(EPISODE, Found(), 3)
    assert [new_id(5), new_id(0), new_id(9)] == [counted(), counted(), counted()]


def test_a_uuid_that_was_asked_for_is_left_to_whoever_asked() -> None:
    """The next round of places is free."""
    at = copies.placed(EPISODE, 0)
    asked = (FoundEntity(name="Ann", uuid=at(1)), FoundEntity(name="Bob"))
    new_id = fold._new_ids(EPISODE, Found(entities=asked, placed=True), 0)
    assert (new_id(0), new_id(1)) == (at(0), at(3))
