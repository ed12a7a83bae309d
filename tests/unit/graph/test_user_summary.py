"""The summary of a user: what instructions ask for first, then the five questions."""

from hypothesis import given
from hypothesis import strategies as st

from recollect.graph.user_summary import UserFact, summarize
from recollect.limits import USER_SUMMARY_CHARS_MAX

FACTS = [
    UserFact(number=number, fact=text, predicate=predicate)
    for number, (text, predicate) in enumerate(
        [
            ("Jane works at Acme", "WORKS_AT"),
            ("Jane likes tea", "LIKES"),
            ("Jane is allergic to nuts", "ALLERGIC_TO"),
            ("Jane plays the violin", "PLAYS"),
            ("Jane has a sister called Ann", "HAS_SISTER"),
            ("Jane lives in Oslo", "LIVES_IN"),
            ("The user's name is Jane", "HAS_NAME"),
        ]
    )
]


def test_the_five_questions_are_answered_in_their_order() -> None:
    """Who, with whom, what work, what taste, what to mind."""
    assert summarize(FACTS) == (
        "The user's name is Jane. Jane lives in Oslo. Jane has a sister called Ann. "
        "Jane works at Acme. Jane likes tea. Jane plays the violin. Jane is allergic to nuts."
    )


def test_an_instruction_is_answered_first() -> None:
    """By the words it shares, or by its topic."""
    assert summarize(FACTS, ["Which violin or other instrument?"]).startswith(
        "Jane plays the violin. "
    )
    assert summarize(FACTS, ["Dietary needs", "Family"]).startswith(
        "Jane is allergic to nuts. Jane has a sister called Ann. "
    )


def test_an_instruction_decides_what_is_left_out() -> None:
    """When there is no room for all, what was asked for stays."""
    crowd = [
        UserFact(number=100 + n, fact=f"Jane likes item {n} {'very ' * 40}much", predicate="LIKES")
        for n in range(8)
    ]
    old = UserFact(number=1, fact="Jane keeps bees " + "in the garden " * 10, predicate="KEEPS")
    assert "bees" not in summarize([*crowd, old])
    assert summarize([*crowd, old], ["Does Jane keep bees?"]).startswith("Jane keeps bees")


def test_facts_of_no_topic_are_told_when_there_are_no_others() -> None:
    """A short acquaintance, too, has a summary."""
    fact = UserFact(number=1, fact="Jane juggles", predicate="JUGGLE")
    assert summarize([fact]) == "Jane juggles."
    assert summarize([]) == ""


def test_one_topic_does_not_take_all_the_room() -> None:
    """A hundred likes leave room for the job."""
    likes = [
        UserFact(number=10 + n, fact=f"Jane likes tea {n}", predicate="LIKES") for n in range(100)
    ]
    found = summarize([*likes, FACTS[0]])
    assert "Jane works at Acme." in found
    assert found.count("likes") <= 6


@given(
    st.lists(
        st.tuples(st.text(min_size=1, max_size=300), st.sampled_from(["LIKES", "IS_A", "X"])),
        max_size=30,
    ),
    st.lists(st.text(max_size=100), max_size=5),
)
def test_it_never_is_too_long_and_always_the_same(
    data: list[tuple[str, str]], asked: list[str]
) -> None:
    """Whatever the texts are, and in whatever order they come."""
    facts = [UserFact(number=n, fact=text, predicate=name) for n, (text, name) in enumerate(data)]
    found = summarize(facts, asked)
    assert len(found) <= USER_SUMMARY_CHARS_MAX
    assert found == summarize(facts[::-1], asked)


def test_that_there_is_somebody_says_nothing() -> None:
    """Everybody has a mother; who she is would be worth telling."""
    facts = [
        UserFact(number=1, fact="Jane has a mother", predicate="HAS_MOTHER"),
        UserFact(number=2, fact="Jane has a mother called Ruth", predicate="HAS_MOTHER"),
    ]
    assert summarize(facts) == "Jane has a mother called Ruth."


def test_what_somebody_is_quoted_with_is_told_only_if_there_is_nothing_else() -> None:
    """A quotation says little without its conversation, and less when that is long ago."""
    quoted = [
        UserFact(number=7, fact="Jane: we're four people", predicate="WORKS_AS"),
        UserFact(number=8, fact='Jane (asked "Who, if anyone?"): my boss', predicate="LIKES"),
    ]
    assert summarize([*FACTS, *quoted]) == summarize(FACTS)
    assert summarize(quoted[:1]) == "Jane: we're four people."
