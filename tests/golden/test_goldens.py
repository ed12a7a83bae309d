"""Known conversations lead to the facts, times and closings that a careful reader expects."""

import pytest

from tests.golden.chain import Learned, learned
from tests.golden.conversations import (
    ACCOUNT,
    CLAPTON,
    CLAPTON_GOLDEN,
    DESSERT_GOLDEN,
    EMILY,
    EMILY_GOLDEN,
    EMILY_ID,
    GOLDENS,
    JANE,
    JANE_GOLDEN,
    JOHN_GOLDEN,
    KENDRA_GOLDEN,
    Golden,
)
from tests.golden.expectations import Absent, Holds, check_absent, check_holds, told

EXPECTED = [
    pytest.param(golden, expected, id=f"{golden.name}: {expected}")
    for golden in GOLDENS
    for expected in golden.expected
]
UNWANTED = [
    pytest.param(golden, unwanted, id=f"{golden.name}: {unwanted}")
    for golden in GOLDENS
    for unwanted in golden.unwanted
]
# What is closed at the end of each story, and nothing else.
CLOSED = {
    "Emily's account is opened again": 2,
    "Kendra's shoes, as she tells it": 1,
    "Kendra's shoes, as others tell it": 1,
    "Eric Clapton is a year older": 1,
    "Records and talk": 3,
    "What is so now, a moment later": 2,
    "A job that ends with its title": 1,
    "A new home and a dog": 1,
}


def _closed(graph: Learned) -> list[str]:
    return [fact.fact for fact in graph.facts if fact.expired_at is not None]


@pytest.mark.parametrize(("golden", "expected"), EXPECTED)
def test_what_was_said_is_known_since_then_and_as_long_as_it_held(
    golden: Golden, expected: Holds
) -> None:
    check_holds(learned(golden.story), expected)


@pytest.mark.parametrize(("golden", "unwanted"), UNWANTED)
def test_what_was_not_said_is_not_known(golden: Golden, unwanted: Absent) -> None:
    check_absent(learned(golden.story), unwanted)


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda golden: golden.name)
def test_nothing_is_closed_but_what_ended(golden: Golden) -> None:
    graph = learned(golden.story)
    ended = sum(expected.until is not None for expected in golden.expected)
    if golden.name in CLOSED:
        assert len(_closed(graph)) == CLOSED[golden.name], told(graph)
    elif ended == 0:
        assert not _closed(graph), told(graph)


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda golden: golden.name)
def test_a_closed_fact_ends_after_it_began_and_names_what_closed_it(golden: Golden) -> None:
    for fact in learned(golden.story).facts:
        if fact.invalid_at is not None and fact.valid_at is not None:
            assert fact.valid_at <= fact.invalid_at, fact
        assert len(fact.episodes) >= (2 if fact.expired_at else 1), fact


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda golden: golden.name)
def test_every_fact_is_a_sentence_in_the_third_person_under_a_proper_name(golden: Golden) -> None:
    """Or a quotation with its speaker in front, where only the speaker knows who "we" are."""
    known = learned(golden.story)
    quoted = tuple(f"{entity.name}: " for entity in known.entities)
    for fact in (one for one in known.facts if not one.fact.startswith(quoted)):
        assert len(fact.fact.split()) >= 2, fact
        assert fact.name == fact.name.upper(), fact
        assert fact.name.replace("_", "").isalnum(), fact
        words = {word.strip(".,!?").lower() for word in fact.fact.split()}
        assert not words & {"i", "my", "me", "you", "your", "i'm", "we", "our"}, fact


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda golden: golden.name)
def test_no_fact_is_stored_twice(golden: Golden) -> None:
    facts = learned(golden.story).facts
    keys = [(f.source_uuid, f.target_uuid, f.fact.casefold(), f.valid_at) for f in facts]
    assert len(keys) == len(set(keys)), told(learned(golden.story))


def test_emily_is_one_person_whatever_she_is_called() -> None:
    graph = learned(EMILY_GOLDEN.story)
    called = [e.name for e in graph.entities if "emily" in e.name.lower()]
    made = [name for name in called if name not in (EMILY, ACCOUNT)]
    assert EMILY in called
    assert all("transaction" in name for name in made), called
    assert EMILY_ID not in called


def test_eric_clapton_is_one_person_in_message_text_and_record() -> None:
    graph = learned(CLAPTON_GOLDEN.story)
    clapton = graph.named(CLAPTON)
    assert len(graph.episodes[clapton.name]) >= 2
    assert "78" in clapton.summary or "fan" in clapton.summary


def test_jane_smith_is_the_user_and_acme_is_one_company() -> None:
    graph = learned(JANE_GOLDEN.story)
    assert "User" in graph.named(JANE).labels
    assert [e.name for e in graph.entities if "acme" in e.name.lower()] == ["Acme Corp"]
    assert not [e.name for e in graph.entities if e.name in ("Jane", "AI Assistant Jane")]


def test_kendra_has_two_kinds_of_shoes() -> None:
    graph = learned(KENDRA_GOLDEN.story)
    shoes = sorted(e.name for e in graph.entities if "shoes" in e.name.lower())
    assert shoes == ["Adidas shoes", "Puma shoes"]


def test_restaurants_and_audiobooks_have_the_types_of_the_project() -> None:
    graph = learned(JOHN_GOLDEN.story)
    assert graph.named("Green Leaf Cafe").labels == ["Entity", "Restaurant"]
    assert graph.named("7 habits of highly effective people").labels == ["Entity", "Audiobook"]
    assert learned(DESSERT_GOLDEN.story).named("Insomnia Cookies").labels == [
        "Entity",
        "Restaurant",
    ]


def test_what_is_known_of_a_restaurant_fills_the_fields_of_its_type() -> None:
    cafe = learned(JOHN_GOLDEN.story).named("Green Leaf Cafe")
    attributes = cafe.attributes or {}
    assert attributes.get("dietary_accommodation") == "vegetarian"
    assert attributes.get("cuisine_type") is None
