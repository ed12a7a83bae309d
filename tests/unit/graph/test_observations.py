"""Patterns over facts: what makes one, how it is told, when it has ended."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.graph.observations import LEAST, FactEvidence, PatternKind, label, pattern
from recollect.limits import OBSERVATION_NAMES_MAX, OBSERVATION_OPEN_FACTS_MAX

MARCH = datetime(2024, 3, 1, 9, tzinfo=UTC)


def day(number: int) -> datetime:
    """A day of March 2024, counted from its first."""
    return MARCH + timedelta(days=number)


def fact(number: int, value: str, **more: Any) -> FactEvidence:
    """Jane likes something, from the day of its number on."""
    known = {"valid_at": day(number), "said_at": (day(number),), "fact": f"Jane likes {value}"}
    return FactEvidence(number=number, value=value, object_name=value, **{**known, **more})


def test_three_things_of_one_relation_are_a_pattern() -> None:
    """Two are not; the sentence names them, counts them and dates them."""
    facts = [fact(1, "tea"), fact(4, "jazz")]
    assert pattern("gathers", "Jane", "LIKES", facts) is None
    found = pattern("gathers", "Jane", "LIKES", [*facts, fact(9, "hiking")])
    assert found is not None
    assert found.summary == (
        "Jane likes tea, jazz and hiking (3 in all, from 2 March 2024 to 10 March 2024)."
    )
    assert found.name == "Jane likes several"
    assert found.facts == (1, 4, 9)
    assert (found.start_at, found.latest_evidence_at, found.end_at) == (day(1), day(9), None)


def test_one_thing_said_three_times_is_one_thing() -> None:
    """Values are counted, not facts."""
    facts = [fact(1, "tea"), fact(2, "tea"), fact(3, "jazz")]
    assert pattern("gathers", "Jane", "LIKES", facts) is None


def test_what_holds_no_longer_is_said_to_and_may_end_the_pattern() -> None:
    """Below three that hold it has ended, at the last end."""
    facts = [fact(1, "tea"), fact(2, "jazz"), fact(3, "hiking"), fact(4, "wine", invalid_at=day(9))]
    going = pattern("gathers", "Jane", "LIKES", facts)
    assert going is not None
    assert going.summary.startswith("Jane likes tea, jazz and hiking (4 in all")
    assert going.summary.endswith("; no longer wine.")
    assert going.end_at is None
    facts[2] = fact(3, "hiking", invalid_at=day(6))
    over = pattern("gathers", "Jane", "LIKES", facts)
    assert over is not None
    assert over.end_at == day(9)


def test_a_long_list_is_cut_to_its_newest_and_counted() -> None:
    """Nobody reads fifty names; past the bound the count is a lower bound."""
    facts = [fact(n, f"thing{n}") for n in range(OBSERVATION_NAMES_MAX + 3)]
    found = pattern("gathers", "Jane", "LIKES", facts)
    assert found is not None
    assert "thing0" not in found.summary
    assert f"and 3 more ({OBSERVATION_NAMES_MAX + 3} in all" in found.summary
    many = [fact(n, f"thing{n}") for n in range(OBSERVATION_OPEN_FACTS_MAX)]
    found = pattern("gathers", "Jane", "LIKES", many)
    assert found is not None
    assert f"(at least {OBSERVATION_OPEN_FACTS_MAX} in all" in found.summary


def test_the_same_on_three_days_is_a_pattern_and_twice_on_one_day_is_not() -> None:
    """Whether it is one fact said again or several of the same kind."""
    said = (day(1), day(1) + timedelta(hours=3), day(5))
    once = fact(1, "Ann", fact="Jane met Ann", valid_at=None, said_at=said)
    assert pattern("repeats", "Jane", "MET", [once]) is None
    again = fact(2, "Ann", fact="Jane met Ann", valid_at=day(8), said_at=(day(9),))
    found = pattern("repeats", "Jane", "MET", [again, once])
    assert found is not None
    assert found.summary == "Came up on 3 days, from 2 March 2024 to 9 March 2024: Jane met Ann."
    assert found.end_at is None


def test_a_repetition_ends_with_its_last_fact() -> None:
    """As long as one goes on, so does it."""
    facts = [fact(n, "Ann", invalid_at=day(n + 1)) for n in (1, 3, 5)]
    found = pattern("repeats", "Jane", "LIKES", facts)
    assert found is not None
    assert found.end_at == day(6)
    assert pattern("repeats", "Jane", "LIKES", [*facts, fact(7, "Ann")]).end_at is None  # type: ignore[union-attr]


def test_values_that_follow_each_other_are_a_change() -> None:
    """Told in the order in which they held, whatever the order of learning."""
    acme = fact(5, "acme", fact="Jane works at Acme.", valid_at=day(0), invalid_at=day(8))
    globex = fact(2, "globex", fact="Jane works at Globex", valid_at=day(8))
    assert pattern("changes", "Jane", "WORKS_AT", [acme]) is None
    found = pattern("changes", "Jane", "WORKS_AT", [globex, acme])
    assert found is not None
    assert found.summary == (
        "Changed once: Jane works at Acme (until 9 March 2024); "
        "Jane works at Globex (since 9 March 2024)."
    )
    assert found.name == "Jane works at: changed once"


def test_the_same_value_again_is_no_change() -> None:
    """It has to be another one."""
    facts = [fact(1, "acme", invalid_at=day(3)), fact(4, "acme")]
    assert pattern("changes", "Jane", "WORKS_AT", facts) is None


def test_going_back_counts_as_a_change() -> None:
    """There and back are two."""
    facts = [
        fact(1, "acme", invalid_at=day(3)),
        fact(3, "globex", invalid_at=day(6)),
        fact(6, "acme"),
    ]
    found = pattern("changes", "Jane", "WORKS_AT", facts)
    assert found is not None
    assert found.summary.startswith("Changed 2 times: ")


def test_a_relation_without_a_verb_gets_one() -> None:
    """Names of relations leave out "is"."""
    facts = [fact(n, value) for n, value in enumerate(("art", "law", "go"))]
    found = pattern("gathers", "Jane", "INTERESTED_IN", facts)
    assert found is not None
    assert found.summary.startswith("Jane is interested in art, law and go (")


def test_a_type_is_chosen_by_shared_words() -> None:
    """The first of equals; generic when nothing is shared."""
    types = [("food_habit", "What the user eats or drinks"), ("travel", "Trips and places visited")]
    assert label("Jane visited Rome, Oslo and other places", types) == "travel"
    assert label("Jane eats late", types) == "food_habit"
    assert label("Jane works at Acme", types) == "generic"
    assert label("Jane works at Acme", []) == "generic"


@pytest.mark.parametrize("kind", LEAST)
@given(
    data=st.lists(
        st.tuples(st.sampled_from("abcd"), st.integers(0, 20), st.none() | st.integers(1, 9)),
        min_size=1,
        max_size=8,
    )
)
def test_a_pattern_rests_on_its_facts_whatever_their_order(
    kind: PatternKind, data: list[tuple[str, int, int | None]]
) -> None:
    """Same facts, same pattern; one value always is enough for what is left of one."""
    facts = [
        fact(n, value, valid_at=day(at), invalid_at=None if end is None else day(at + end))
        for n, (value, at, end) in enumerate(data)
    ]
    found = pattern(kind, "Jane", "LIKES", facts)
    assert found == pattern(kind, "Jane", "LIKES", facts[::-1])
    left = pattern(kind, "Jane", "LIKES", facts, least=1)
    assert left is not None
    assert set(left.facts) == {item.number for item in facts}
    if found is not None:
        assert found.end_at is None or any(item.invalid_at == found.end_at for item in facts)


def test_different_things_on_one_topic_are_a_pattern_from_the_third_day_on() -> None:
    """It says since when, and what came first and last of what holds; one thing again is none."""
    said = [
        fact(1, "a", fact="Jane went for a run", said_at=(day(1),)),
        fact(2, "b", fact="Jane trains for a marathon", said_at=(day(3),), invalid_at=day(8)),
        fact(3, "c", fact="Jane hurt her knee running", said_at=(day(9),)),
    ]
    assert pattern("topics", "Jane", "running", said[:2]) is None
    found = pattern("topics", "Jane", "running", said)
    assert found is not None
    assert found.summary == (
        "Jane has spoken about running on 3 days, from 2 March 2024 to 10 March 2024. First: Jane "
        "went for a run. Most recently: Jane hurt her knee running."
    )
    assert (found.start_at, found.latest_evidence_at, found.end_at) == (day(1), day(9), None)
    again = [fact(n, "a", fact="Jane went for a run", said_at=(day(n),)) for n in range(5)]
    assert pattern("topics", "Jane", "running", again) is None


def test_a_topic_of_which_all_is_over_says_what_it_was() -> None:
    """With its end; what came up again and again is told by what still holds of it."""
    said = [
        fact(n, name, fact=f"Jane runs with {name}", said_at=(day(n),), invalid_at=day(n + 1))
        for n, name in enumerate(("Ann", "Bea", "Cas"), start=1)
    ]
    found = pattern("topics", "Jane", "running", said)
    assert found is not None
    assert "First: Jane runs with Ann (until 3 March 2024)" in found.summary
    assert found.end_at == day(4)
    days = (day(1), day(2), day(3))
    again = [
        fact(1, "a", fact="Jane runs at six", said_at=days),
        fact(2, "a", fact="Jane runs at seven", said_at=(day(4),), invalid_at=day(5)),
    ]
    repeated = pattern("repeats", "Jane", "RUNS", again)
    assert repeated is not None
    assert repeated.summary.endswith(": Jane runs at six.")
