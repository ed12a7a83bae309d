"""Blocks have the literals that clients know, whole lines only, and an order that stays."""

import itertools
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from recollect.context import blocks
from recollect.context.blocks import facts_block
from recollect.context.gather import ranked
from tests.unit.context.items import (
    a_fact,
    a_thread_summary,
    an_entity,
    an_episode,
    an_observation,
    day,
    hits_of,
)

ROOM = 10_000


def user_block(*args: Any) -> str:
    """The text of the block."""
    return blocks.user_block(*args).text


def test_the_block_of_generation_2_is_exactly_this() -> None:
    """Its words and line breaks are what prompts and parsers out there rely on."""
    facts = [
        a_fact(2, "Jane works at Acme", valid_at=None),
        a_fact(3, "Jane lived in Rome", invalid_at=day(40)),
        a_fact(1, "Jane lives in Oslo"),
    ]
    assert facts_block(facts, [an_entity(1, "A town.", name="Oslo")], ROOM).text == (
        "FACTS and ENTITIES represent relevant context to the current conversation.\n"
        "\n"
        "# These are the most relevant facts and their valid date ranges\n"
        "# format: FACT (Date range: from - to)\n"
        "<FACTS>\n"
        "  - Jane works at Acme (date unknown - present)\n"
        "  - Jane lives in Oslo (2025-01-02 00:00:00 - present)\n"
        "  - Jane lived in Rome (2025-01-04 00:00:00 - 2025-02-10 00:00:00)\n"
        "</FACTS>\n"
        "\n"
        "# These are the most relevant entities\n"
        "# ENTITY_NAME: entity summary\n"
        "<ENTITIES>\n"
        "  - Oslo: A town.\n"
        "</ENTITIES>"
    )


def test_the_current_block_begins_with_who_the_user_is() -> None:
    """The facts follow, and then the kinds of which there is something to tell."""
    found = hits_of(
        facts=ranked([a_fact(1, "Jane lives in Oslo")]),
        entities=ranked([an_entity(1, "A town.", name="Oslo")]),
        observations=ranked([an_observation(4, "Jane moves every year.")]),
        thread_summaries=ranked([a_thread_summary(5, "Jane asked what rooms cost.")]),
        episodes=ranked([an_episode(6, "I need\na new flat")]),
    )
    assert user_block("Jane is a painter.\n\nShe paints boats.", found, ROOM) == (
        "# This is the user summary\n"
        "<USER_SUMMARY>\n"
        "Jane is a painter.\n"
        "She paints boats.\n"
        "</USER_SUMMARY>\n"
        "\n"
        "# These are the most relevant facts and their valid date ranges\n"
        "# format: FACT (Date range: from - to)\n"
        "<FACTS>\n"
        "  - Jane lives in Oslo (2025-01-02 00:00:00 - present)\n"
        "</FACTS>\n"
        "\n"
        "# These are the most relevant entities\n"
        "# ENTITY_NAME: entity summary\n"
        "<ENTITIES>\n"
        "  - Oslo: A town.\n"
        "</ENTITIES>\n"
        "\n"
        "# These are patterns that recur in what is known\n"
        "# format: OBSERVATION (Date range: from - to)\n"
        "<OBSERVATIONS>\n"
        "  - Jane moves every year. (2025-01-05 00:00:00 - present)\n"
        "</OBSERVATIONS>\n"
        "\n"
        "# These are summaries of relevant conversations\n"
        "# format: SUMMARY (Date of the last message)\n"
        "<THREAD_SUMMARIES>\n"
        "  - Jane asked what rooms cost. (2025-01-06 00:00:00)\n"
        "</THREAD_SUMMARIES>\n"
        "\n"
        "# These are the most relevant things said before\n"
        "# format: WHO: WHAT (Date)\n"
        "<EPISODES>\n"
        "  - Jane: I need a new flat (2025-01-07 00:00:00)\n"
        "</EPISODES>"
    )


def test_with_nothing_found_the_user_is_told_and_nothing_else() -> None:
    """A first "Hi" still says who is there; a section of which nothing is told is not there."""
    block = user_block("Jane is a painter.", [], ROOM)
    assert "Jane is a painter." in block
    assert block.endswith("</USER_SUMMARY>")
    assert user_block("", [], ROOM) == ""


def test_a_fact_that_was_withdrawn_is_not_told_as_present() -> None:
    """Its end in the world is not known, only that it does not hold."""
    block = facts_block([a_fact(1, "Jane is ill", expired_at=day(50))], [], ROOM).text
    assert "Jane is ill (2025-01-02 00:00:00 - date unknown)" in block
    assert "present)" not in block


def test_one_sentence_that_stands_for_two_facts_is_told_once() -> None:
    """ "Works at Acme as a cook" is where and as what; a different time is something else."""
    words = "Jane works at Acme as a cook"
    facts = [
        a_fact(1, words, name="WORKS_AT", valid_at=day(3)),
        a_fact(2, words, name="WORKS_AS", valid_at=day(3)),
        a_fact(3, words, name="WORKS_AS", valid_at=day(3), invalid_at=day(9)),
    ]
    for block in (
        facts_block(facts, [], ROOM).text,
        user_block("", hits_of(facts=ranked(facts)), ROOM),
    ):
        assert block.count(f"{words} (2025-01-04 00:00:00 - present)") == 1
        assert block.count(f"{words} (2025-01-04 00:00:00 - 2025-01-10 00:00:00)") == 1


def test_an_entity_nothing_is_known_of_has_no_line() -> None:
    """A name without a summary says nothing that the facts do not say."""
    block = facts_block([], [an_entity(1, " ", name="Oslo")], ROOM).text
    assert "Oslo" not in block


def test_an_entity_tells_what_the_facts_do_not() -> None:
    """Each thing is told once; one of which nothing new is known has no line."""
    facts = ranked([a_fact(1, "Bob sings"), a_fact(2, "Bob sings in Rome")])
    repeats = an_entity(1, "Bob sings.", uuid="other-1", name="Bob")
    more = an_entity(2, "Bob sings in Rome. He is tall.", uuid="other-2", name="Bobby")
    foreign = an_entity(3, "Bob sings.", uuid="other-3", name="Rob")
    block = user_block("", hits_of(facts=facts, entities=ranked([repeats, more, foreign])), ROOM)
    assert "- Bob: " not in block
    assert "- Bobby: He is tall." in block
    assert "- Rob: " not in block
    assert "- Bob: Bob sings." in facts_block([a_fact(1, "Bob sings")], [repeats], ROOM).text


def test_the_order_of_relevance_does_not_change_the_block() -> None:
    """The same things, found in another order for another question, are the same prompt."""
    facts = [a_fact(n, valid_at=day(n % 2)) for n in range(4)]
    entities = [an_entity(n) for n in range(2)]
    blocks = {
        facts_block(list(some), list(others), ROOM).text
        for some in itertools.permutations(facts)
        for others in itertools.permutations(entities)
    }
    assert len(blocks) == 1


def test_one_more_fact_leaves_the_other_lines_in_their_places() -> None:
    """Newer facts come after older ones, so that a prompt keeps its beginning."""
    facts = [a_fact(n) for n in range(5)]
    before = facts_block(facts, [], ROOM).text.split("\n</FACTS>")[0]
    after = facts_block([a_fact(9), *facts], [], ROOM).text
    assert after.startswith(before)


def test_a_tight_budget_keeps_the_most_relevant_lines() -> None:
    """What is left out is what was found last."""
    facts = [a_fact(n, "x" * 200 + f" number {n}") for n in (7, 3, 9, 1)]
    frame = len(facts_block([], [], ROOM).text)
    block = facts_block(facts, [], frame + 2 * 270).text
    assert [number for number in (7, 3, 9, 1) if f"number {number} (" in block] == [7, 3]


TEXTS = st.text(min_size=1, max_size=300)


@given(
    facts=st.lists(TEXTS, max_size=20),
    entities=st.lists(TEXTS, max_size=10),
    said=st.lists(TEXTS, max_size=5),
    summary=st.text(max_size=3_000),
    room=st.integers(2_000, 6_000),
)
def test_no_block_is_longer_than_its_budget(
    facts: list[str], entities: list[str], said: list[str], summary: str, room: int
) -> None:
    """And every line is one of those offered, whole."""
    told = [a_fact(n, text) for n, text in enumerate(facts)]
    about = [an_entity(n, text) for n, text in enumerate(entities)]
    episodes = [an_episode(n, text) for n, text in enumerate(said)]
    found = hits_of(facts=ranked(told), entities=ranked(about), episodes=ranked(episodes))
    everything = set(user_block(summary, found, 10**6).splitlines())
    block = user_block(summary, found, room)
    assert len(block) <= room
    lines = [line for line in block.splitlines() if line.startswith("  - ")]
    assert set(lines) <= everything
    assert len(facts_block(told, about, room).text) <= room


def test_a_long_summary_leaves_room_for_facts() -> None:
    """Half of the budget at most; what is cut says so."""
    block = user_block("word " * 2_000, hits_of(facts=ranked([a_fact(1, "Jane sings")])), 2_000)
    assert len(block) <= 2_000
    assert " …\n</USER_SUMMARY>" in block
    assert "Jane sings" in block


def test_a_message_tells_what_no_fact_told_of_it() -> None:
    """The sentence that became a fact is told by the fact, which says since when it is so."""
    fact = a_fact(1, "Jane moved to a flat in Oslo", episodes=["episode-6"])
    said = [
        an_episode(6, "I moved to a flat in Oslo. The landlord keeps two parrots."),
        an_episode(7, "I moved to a flat in Oslo!"),
        an_episode(8, "Good morning"),
    ]
    block = user_block(None, hits_of(facts=ranked([fact]), episodes=ranked(said)), ROOM)
    assert block.count("flat in Oslo") == 1
    assert "  - Jane: The landlord keeps two parrots. (" in block
    assert "Good morning" not in block


def test_a_block_has_the_sections_that_are_asked_for() -> None:
    """And no line of others, whatever was found."""
    found = hits_of(facts=ranked([a_fact(1)]), episodes=ranked([an_episode(6, "I need a flat")]))
    block = user_block("Jane is a painter.", found, ROOM, ("EPISODES",))
    assert "<EPISODES>" in block
    assert "<FACTS>" not in block
    assert "painter" not in block


def test_what_an_observation_tells_beside_the_facts_is_left_out() -> None:
    """What was not found by itself does not come in because of what was."""
    pattern = (
        "Jane has spoken about running on 3 days. First: Jane joined a club in Oslo. Most recently:"
        " Jane ran a marathon."
    )
    told = hits_of(
        facts=ranked([a_fact(1, "Jane ran a marathon.")]),
        observations=ranked([an_observation(1, pattern)]),
    )
    assert "club" not in user_block(None, told, 10_000)
    assert "club" in user_block(None, hits_of(observations=told[1:]), 10_000)


def test_an_observation_of_which_only_the_count_is_news_is_left_out() -> None:
    """What it says the facts said; how often somebody spoke of it is no knowledge by itself."""
    pattern = "Jane has spoken about Acme on 3 days. Most recently: Jane works at Acme as a cook."
    told = hits_of(
        facts=ranked([a_fact(1, "Jane works at Acme as a cook")]),
        observations=ranked([an_observation(1, pattern)]),
    )
    assert "OBSERVATIONS" not in user_block(None, told, 10_000)
    assert "on 3 days" in user_block(None, hits_of(observations=told[1:]), 10_000)
