"""The summary of a thread: its own sentences, the weightiest, within a budget."""

from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from recollect.graph.gist import gist
from recollect.graph.thread_summary import (
    SummaryFact,
    SummaryMessage,
    keep,
    keep_seen,
    summarize,
    weight,
)
from recollect.limits import (
    SUMMARY_CHARS_MAX,
    SUMMARY_NEWEST_FACTS_MAX,
    SUMMARY_WEIGHTY_FACTS_MAX,
)

MAY = datetime(2024, 5, 3, tzinfo=UTC)


def said(number: int, text: str, place: str = "", **more: Any) -> SummaryFact:
    """A fact that came up; each has a place of its own unless told otherwise."""
    return SummaryFact(
        number=number, fact=text, gist=gist(text), place=place or str(number), **more
    )


def test_facts_are_told_oldest_first_in_whole_sentences() -> None:
    """Each with a stop."""
    facts = [said(2, "Jane likes tea."), said(1, "Jane lives in Oslo")]
    assert summarize(facts) == "Jane lives in Oslo. Jane likes tea."


def test_what_took_the_place_of_another_is_told_alone() -> None:
    """The newest state only; what just ended says so."""
    old = said(1, "Jane works at Acme", "job", invalid_at=MAY)
    assert summarize([old]) == "Jane works at Acme (ended by 3 May 2024)."
    assert summarize([old, said(2, "Jane works at Globex", "job")]) == "Jane works at Globex."


def test_the_same_said_twice_is_told_once() -> None:
    """Whatever the tense."""
    assert summarize([said(1, "Jane runs"), said(2, "Jane is running")]) == "Jane is running."


def test_the_weightiest_win_when_there_is_no_room_for_all() -> None:
    """And none is cut in the middle."""
    rest = [said(n, f"Thing number {n} is somewhat red " + "x" * 90) for n in range(20)]
    best = said(50, "Jane moved to Norway with Tom", joins=True, of_user=True)
    found = summarize([*rest, best])
    assert "Jane moved to Norway with Tom." in found
    assert len(found) <= SUMMARY_CHARS_MAX
    assert found.endswith(".")


def test_a_rating_weighs_more_than_length() -> None:
    """What the project finds important is told first."""
    assert weight(said(1, "Jane swims", rating=1.0)) > weight(
        said(2, "Jane walks her old brown dog along the wide river bank every day", rating=0.1)
    )


def test_without_facts_the_most_telling_messages_stand_in() -> None:
    """With their speakers; a mere greeting only when there is nothing else."""
    hello, tale = (
        SummaryMessage(number=1, content="Hi!", speaker="Jane"),
        SummaryMessage(number=2, content="My boat sank near Bergen last week", speaker="Jane"),
    )
    assert summarize([], [hello, tale]) == "Jane: My boat sank near Bergen last week."
    assert summarize([], [hello]) == "Jane: Hi!"
    assert summarize([], []) == ""


def test_a_message_that_alone_is_too_long_is_cut_between_words() -> None:
    """Better than nothing."""
    found = summarize([], [SummaryMessage(number=1, content="boat " * 400)])
    assert len(found) <= SUMMARY_CHARS_MAX
    assert found.endswith("boat\u2026")


@given(
    st.lists(
        st.tuples(st.integers(1, 200), st.floats(0, 1), st.booleans()),
        unique_by=lambda item: item[0],
        max_size=120,
    ),
    st.integers(0, 120),
)
def test_keeping_in_two_steps_keeps_the_same(data: list[tuple[int, float, bool]], cut: int) -> None:
    """However the episodes of a thread are cut, the same facts are left to speak of."""
    facts = [said(n, f"fact {n}", rating=rating, joins=joins) for n, rating, joins in data]
    kept = keep(facts)
    assert keep([*keep(facts[:cut]), *facts[cut:]]) == kept
    assert len(kept) <= SUMMARY_NEWEST_FACTS_MAX + SUMMARY_WEIGHTY_FACTS_MAX
    assert [item.number for item in kept] == sorted(item.number for item in kept)


@given(
    st.lists(
        st.tuples(st.integers(1, 400), st.floats(0, 1)),
        unique_by=lambda item: item[0],
        max_size=300,
    ),
    st.integers(1, 5),
)
def test_keeping_of_what_is_seen_is_keeping_without_the_rest(
    data: list[tuple[int, float]], hidden: int
) -> None:
    """However little is looked at."""
    facts = [said(n, f"fact {n}", rating=rating) for n, rating in data]
    seen = [item for item in facts if item.number % hidden]
    kept = keep_seen(facts, lambda some: {number for number in some if number % hidden})
    assert kept == keep(seen)
    assert keep_seen(facts, lambda some: some) == keep(facts)
