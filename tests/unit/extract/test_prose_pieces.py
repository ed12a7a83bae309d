"""In which pieces a message is told: clauses with what they share, headings, openings, answers."""

import pytest

from recollect.extract.brief import Turn
from tests.unit.extract.prose_world import said, sentences, triples

J = "Jane Smith"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "The invoice is wrong and it was paid on Friday.",
            "The invoice is wrong and it was paid on Friday (8 March 2024)",
        ),
        ("I bought a kayak and it has a leak.", f"{J} bought a kayak and it has a leak"),
        (
            "The gate code is 7710, give it to my aunt.",
            f"{J}: The gate code is 7710, give it to my aunt",
        ),
    ],
)
def test_it_stays_with_the_clause_that_tells_what_it_is(text: str, told: str) -> None:
    assert told in sentences(said(text))


def test_it_is_not_named_where_there_are_two_things() -> None:
    told = sentences(said("The crane hit the bridge and it was damaged on Friday."))
    assert not any(one.startswith(("The crane was", "The bridge was")) for one in told)


def test_a_month_is_nobody() -> None:
    before = (Turn(content="The baby is here since Thursday!", role="user", speaker="Jane"),)
    told = sentences(said("Her name is Alma, she weighs 3400 grams.", before=before))
    assert not any("Thursday" in one for one in told)


def test_no_name_is_another_name() -> None:
    before = (Turn(content="Your dentist is on Quay Street.", role="assistant"),)
    assert not any("Quay" in one for one in sentences(said("It's Dr. Boyle now.", before=before)))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("back in Porto since Monday", f"{J} is back in Porto since Monday (11 March 2024)"),
        ("allergic to shrimp and crab", f"{J} is allergic to shrimp and crab"),
        (
            "start at a studio called Kvist tomorrow",
            f"{J} starts at a studio called Kvist tomorrow",
        ),
        ("sold my old Vespa to a neighbour", f"{J} sold Jane's old Vespa to a neighbour"),
    ],
)
def test_the_speaker_is_the_subject_that_chat_leaves_out(text: str, told: str) -> None:
    assert any(one.startswith(told) for one in sentences(said(text)))


def test_but_not_where_something_else_may_be_meant() -> None:
    told = sentences(said("missing index on the orders table"))
    assert not any(one.startswith(f"{J} is missing") for one in told)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Dear Support, my order 5512 arrived broken.", f"{J}'s order 5512 arrived broken"),
        ("Hii my chemistry exam is on Friday", f"{J}'s chemistry exam is on 15 March 2024"),
        (
            "Gg the guild was dissolved on Monday",
            "The guild was dissolved on Monday (11 March 2024)",
        ),
        ("um so I I work at, uh, Renault", f"{J} works at Renault"),
        ("Quick update: I moved to Rome.", f"{J} moved to Rome"),
    ],
)
def test_what_only_opens_a_sentence_is_left_out(text: str, told: str) -> None:
    assert told in sentences(said(text))


def test_a_heading_belongs_to_what_stands_under_it() -> None:
    told = sentences(said("Shopping rules:\n- no nuts\n- oat milk only\n- never buy veal"))
    assert f"{J}: Shopping rules: no nuts" in told
    assert f"{J}: Shopping rules: oat milk only" in told
    assert not any(one.endswith("rules") for one in told)


def test_the_members_of_a_list_under_a_heading_are_told_apart() -> None:
    told = sentences(said("repo notes: python 3.12, django + celery, mysql 8 on a heroku dyno"))
    assert f"{J}: repo notes: python 3.12" in told
    assert f"{J}: mysql 8 on a heroku dyno" in told


def test_an_answer_that_stands_alone_is_told_alone() -> None:
    before = (Turn(content="Will you look for a job in Lyon?", role="assistant"),)
    told = sentences(said("nah, keeping my job at Renault", before=before))
    assert told
    assert not any("Lyon" in one for one in told)


@pytest.mark.parametrize("text", ["The ticket number is R-2210.", "Alma hates the pram."])
def test_a_relation_is_made_of_words(text: str) -> None:
    ((_, name, _),) = triples(said(text))
    assert name.replace("_", "").isalpha()
    assert name != "HATS"


def test_whose_name_was_just_told_may_be_meant_as_well() -> None:
    told = sentences(
        said("My flatmate Jo moved out and the new one is called Wen, she studies law.")
    )
    assert not any("Jo studies" in one for one in told)
