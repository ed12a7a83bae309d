"""The running summary: sentences that hold, the newest last, never too long."""

from hypothesis import given
from hypothesis import strategies as st

from recollect.graph.summary import grow
from recollect.limits import ENTITY_SUMMARY_CHARS_MAX


def test_it_grows_by_sentences() -> None:
    """Each fact once, with a full stop."""
    one = grow("", ["Ann lives in Paris", "Ann has a dog."], [])
    assert one == "Ann lives in Paris. Ann has a dog."
    assert grow(one, ["Ann works at Acme"], []) == f"{one} Ann works at Acme."


def test_nothing_new_leaves_it_alone() -> None:
    """Even what a caller wrote in another form."""
    assert grow("free text, no stop", [], []) == "free text, no stop"


def test_what_is_said_again_moves_to_the_end() -> None:
    """No duplicates, whatever the tense."""
    assert grow("Ann runs. Ann swims.", ["Ann is running"], []) == "Ann swims. Ann is running."


def test_what_holds_no_longer_leaves() -> None:
    """A closed fact takes its sentence along, stops inside it or not."""
    held = "Ann lives in Paris. Ann sees Dr. Smith at St. Mary's. Ann swims."
    assert grow(held, [], ["Ann sees Dr. Smith at St. Mary's"]) == "Ann lives in Paris. Ann swims."
    assert grow(held, ["Ann lives in Rome"], ["Ann lives in Paris"]) == (
        "Ann sees Dr. Smith at St. Mary's. Ann swims. Ann lives in Rome."
    )
    assert grow("Ann swims.", [], ["Ann swims"]) == ""


def test_the_end_of_a_longer_sentence_is_no_sentence_of_its_own() -> None:
    """What holds no longer takes nothing out of what was said with the same words."""
    held = "Ann moved to Oslo. Bob says that Ann moved to Oslo. Note 10.1: Ann moved to Oslo."
    left = "Bob says that Ann moved to Oslo. Note 10.1: Ann moved to Oslo."
    assert grow(held, [], ["Ann moved to Oslo"]) == left


def test_what_follows_a_text_without_a_stop_leaves_it_alone() -> None:
    """A caller's text ends where the first fact begins."""
    grown = grow("a keen rower", ["Ann swims"], [])
    assert grow(grown, [], ["Ann swims"]) == "a keen rower"


def test_the_oldest_sentences_leave_first_and_as_a_whole() -> None:
    """Short and readable."""
    summary = ""
    for number in range(100):
        summary = grow(summary, [f"Dr. Ann Q. Lee has seen {number} lakes"], [])
        assert len(summary) <= ENTITY_SUMMARY_CHARS_MAX
    sentences = summary.split(" lakes.")
    assert sentences[0].startswith("Dr. Ann Q. Lee has seen ")
    assert sentences[-2].endswith(" 99")
    assert len(summary) > ENTITY_SUMMARY_CHARS_MAX - 50


def test_a_sentence_that_is_too_long_is_cut_only_if_it_stands_alone() -> None:
    """It never drives the others out."""
    long = "Ann " + "very " * 200 + "long"
    assert grow("Ann swims.", [long], []) == "Ann swims."
    alone = grow("", [long], [])
    assert len(alone) <= ENTITY_SUMMARY_CHARS_MAX
    assert alone.endswith(" very\u2026")


@given(st.text(max_size=600), st.lists(st.text(max_size=300)), st.lists(st.text(max_size=300)))
def test_it_is_never_too_long(summary: str, said: list[str], gone: list[str]) -> None:
    """Whatever comes."""
    after = grow(summary, said, gone)
    assert len(after) <= ENTITY_SUMMARY_CHARS_MAX or after == summary
