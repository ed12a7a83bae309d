"""A snapshot is the segment again, and goes on like it."""

from hypothesis import given
from hypothesis import strategies as st

from recollect.search import snapshot
from recollect.search.segment import Segment
from tests.unit.search.test_segment import Change, content, histories, page


@given(histories, st.integers(0, 25))
def test_a_snapshot_is_the_segment_again(history: list[Change], cut: int) -> None:
    """It holds the same, and takes later changes with the same outcome."""
    cut = min(cut, len(history))
    segment = Segment(epoch=3)
    segment.take(page(history[:cut], 0, cut))
    version, chunks = snapshot.dump(segment)
    again = snapshot.load(3, chunks)
    assert again is not None
    assert (version, again.version, again.epoch) == (segment.version, segment.version, 3)
    assert content(again) == content(segment)
    for one in (segment, again):
        one.take(page(history, cut, len(history)))
    assert content(again) == content(segment)


def test_half_a_snapshot_is_none() -> None:
    """Nor is one whose head cannot be read: its graph is read from its rows then."""
    segment = Segment()
    segment.take(page([Change("episode", n, ["a"], None) for n in range(6)], 0, 6))
    _, chunks = snapshot.dump(segment)
    assert snapshot.load(0, []) is None
    assert snapshot.load(0, chunks[:1]) is None
    assert snapshot.load(0, [b"\xff\xff", *chunks[1:]]) is None
    assert snapshot.load(0, [chunks[0], chunks[1][:-1]]) is None
