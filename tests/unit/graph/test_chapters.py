"""However a log is cut, chapters make it up without gaps and without overlaps, and few of them."""

from hypothesis import given
from hypothesis import strategies as st

from recollect.graph import chapters
from recollect.limits import CHAPTER_EPISODES, CHAPTER_PARTS


def lowest(chapter: tuple[int, int]) -> list[int]:
    """The numbers of the lowest level that a chapter holds."""
    level, number = chapter
    extent = CHAPTER_PARTS**level
    return list(range((number - 1) * extent + 1, number * extent + 1))


@given(st.integers(0, 5_000))
def test_a_beginning_of_the_log_is_made_up_of_few_chapters(whole: int) -> None:
    """Each run of episodes is in exactly one of them."""
    made = chapters.making_up(whole)
    assert sorted(n for one in made for n in lowest(one)) == list(range(1, whole + 1))
    assert len(made) <= (CHAPTER_PARTS - 1) * 5


@given(st.integers(1, 2_000), st.integers(0, 2_000))
def test_the_chapters_above_one_hold_it_and_are_complete(number: int, more: int) -> None:
    """Every complete one is named, from below."""
    whole = number + more
    above = chapters.above(number, whole)
    assert [level for level, _ in above] == list(range(1, len(above) + 1))
    assert all(number in lowest(one) and lowest(one)[-1] <= whole for one in above)
    missing = (len(above) + 1, (number - 1) // CHAPTER_PARTS ** (len(above) + 1) + 1)
    assert lowest(missing)[-1] > whole


@given(st.integers(1, 100_000))
def test_a_place_of_the_log_is_in_its_chapter(seq: int) -> None:
    """And whole chapters before it end before it."""
    first, last = chapters.extent(chapters.number_of(seq))
    assert first <= seq <= last == first + CHAPTER_EPISODES - 1
    assert chapters.before(seq) == chapters.number_of(seq) - 1


@given(st.integers(1, 4), st.integers(1, 50))
def test_parts_make_up_a_chapter(level: int, number: int) -> None:
    """Those of the level below, in order."""
    parts = chapters.parts(level, number)
    assert [n for one in parts for n in lowest(one)] == lowest((level, number))
