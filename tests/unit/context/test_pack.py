"""All kinds in one text: chosen by score, told by kind and time, never too long."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from recollect.context.blocks import pack
from recollect.search.query import Hit
from tests.unit.context.items import (
    a_fact,
    a_thread_summary,
    an_entity,
    an_episode,
    an_observation,
    hits_of,
)


def hit(item: Any, score: float) -> Hit[Any]:
    """Something found with a score."""
    return Hit(item=item, score=score)


FOUND = hits_of(
    facts=(hit(a_fact(2), 0.9), hit(a_fact(1), 0.4)),
    entities=(hit(an_entity(1), 0.8),),
    observations=(hit(an_observation(1), 0.4),),
    thread_summaries=(hit(a_thread_summary(1), 0.3),),
    episodes=(hit(an_episode(1), 0.95),),
)


def test_better_scores_are_chosen_first_whatever_their_kind() -> None:
    """At the same score a fact comes before an observation."""
    packed = pack(FOUND, max_characters=5_000)
    assert [hit.item.uuid for hit in packed.chosen] == [
        "episode-1",
        "fact-2",
        "other-1",
        "fact-1",
        "observation-1",
        "summary-1",
    ]
    assert not packed.truncated
    assert packed.text.startswith("# These are the most relevant facts")
    assert packed.text.index("fact number 1 ") < packed.text.index("fact number 2 ")


def test_what_does_not_fit_is_left_out_and_said() -> None:
    """A kind of which nothing fits has no heading either."""
    packed = pack(FOUND, max_characters=300)
    assert packed.truncated
    assert len(packed.text) <= 300
    assert packed.chosen[0].item.uuid == "episode-1"
    assert "<THREAD_SUMMARIES>" not in packed.text


def test_one_sentence_that_stands_for_two_facts_is_chosen_once() -> None:
    """The better of the two is the one chosen, and nothing counts as left out."""
    twice = hits_of(facts=tuple(hit(a_fact(n, "same", valid_at=None), 1 / n) for n in (1, 2)))
    packed = pack(twice, max_characters=5_000)
    assert [each.item.uuid for each in packed.chosen] == ["fact-1"]
    assert packed.text.count("same") == 1
    assert not packed.truncated


def test_nothing_found_is_no_text() -> None:
    """No headings without lines."""
    packed = pack([], max_characters=2_500, note="Read as May 2025.")
    assert (packed.text, packed.chosen, packed.truncated) == ("", (), False)


def test_a_note_stands_first() -> None:
    """Such as the time that relative words were taken for."""
    packed = pack(FOUND, max_characters=2_500, note="Read as\nMay 2025.")
    assert packed.text.startswith("Read as May 2025.\n\n# These are")


def test_an_entity_without_a_summary_is_not_chosen() -> None:
    """It would have no line, so it has no place among the chosen."""
    found = hits_of(entities=(hit(an_entity(1, " "), 1.0),))
    assert pack(found, max_characters=2_500).chosen == ()


def test_answers_of_single_searches_come_together() -> None:
    """One search for each kind, and one text of all, whichever was searched first."""
    assert pack(FOUND[::-1], max_characters=5_000) == pack(FOUND, max_characters=5_000)


@given(
    st.lists(st.tuples(st.text(min_size=1, max_size=200), st.floats(0, 1)), max_size=12),
    st.integers(1, 1_500),
    st.sampled_from(["", "a note"]),
)
def test_the_text_is_never_too_long(
    given_facts: list[tuple[str, float]], room: int, note: str
) -> None:
    """And it has a line for each of the chosen, no more and no less."""
    hits = tuple(hit(a_fact(n, text), score) for n, (text, score) in enumerate(given_facts))
    said = tuple(hit(an_episode(n, text), score) for n, (text, score) in enumerate(given_facts))
    packed = pack(hits_of(facts=hits, episodes=said), max_characters=room, note=note)
    assert len(packed.text) <= room
    assert packed.text.count("\n  - ") == len(packed.chosen)
    scores = [hit.score for hit in packed.chosen]
    assert scores == sorted(scores, reverse=True)
    assert packed.truncated == (len(packed.chosen) < 2 * len(given_facts))
