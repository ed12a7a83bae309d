"""Names: spellings of one name meet, names of two things do not; keys are few."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.graph import names


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Jane Smith", "  jane   SMITH "),
        ("José Núñez", "Jose Nunez"),
        ("Straße", "STRASSE"),
        ("Kendra's", "Kendra"),
        ("Kendra\u2019s shoes", "Kendra shoes"),
        ("O'Brien", "O\u2019Brien"),
        ("the Golden Gate Bridge", "Golden Gate Bridge"),
        ("Acme", "Acme, Inc."),
        ("Acme Corporation", "ACME Corp."),
        ("Müller GmbH", "Muller"),
        ("Nestlé S.A.", "Nestle"),
        ("Johnson & Johnson", "Johnson and Johnson"),
        ("U.S.A.", "USA"),
        ("Dr. Sarah Chen", "Sarah Chen"),
        ("PaintWiz-Pro", "PaintWiz Pro"),
        ("Jane@Example.com", "jane@example.com"),
    ],
)
def test_spellings_of_one_name_are_equal(one: str, two: str) -> None:
    """Case, accents, punctuation, possessives, articles, titles, legal forms, spaces."""
    assert names.normal(one) == names.normal(two)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("C", "C++"),
        ("C++", "C#"),
        ("5", "-5"),
        ("5", "$5"),
        ("3.5", "35"),
        ("A/B", "B"),
        ("Dr Pepper", "Pepper"),
        ("Inc", "The"),
        ("???", "!!!"),
        ("हिन्दी", "हिन्दू"),
        ("Mr. Smith", "Mrs. Smith"),
        ("Thermal Spa", "Thermal"),
    ],
)
def test_signs_that_tell_names_apart_stay(one: str, two: str) -> None:
    """What is left after normalising still tells two things apart."""
    assert names.normal(one) != names.normal(two)


@given(st.text(max_size=200))
def test_a_name_has_few_short_keys_and_always_the_same(name: str) -> None:
    """At most 8, each a short line; and the normal form is its own normal form's key."""
    found = names.keys(name)
    assert len(found) <= 8
    assert len(set(found)) == len(found)
    assert all(0 < len(key) <= 100 for key in found)
    assert found == names.keys(name)
    assert bool(found) == bool(name.split())


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("Jane Smith", "Jane"),
        ("Jane", "Jane Smith"),
        ("International Business Machines", "IBM"),
        ("I.B.M.", "International Business Machines"),
        ("University of Southern Denmark", "University of Southern Denmarks"),
        ("jane@example.com", "JANE@example.com"),
        ("user-42", "user_42"),
    ],
)
def test_candidates_share_a_key(stored: str, asked: str) -> None:
    """So that a lookup by equality finds them."""
    assert set(names.keys(stored)) & set(names.keys(asked))


@pytest.mark.parametrize(
    ("one", "two", "alike"),
    [
        ("Golden Gate Bridge Authority", "Golden Gate Bridge Authoritys", True),
        ("Face Book Marketplace", "Facebook Marketplace", True),
        ("Jane", "Jana", False),
        ("aaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaa", False),
        ("Final Fantasy VII Remake", "Final Fantasy VIII Remake", False),
        ("Female Athletes Association", "Male Athletes Association", False),
        ("Windows Server Edition 2012", "Windows Server Edition 2016", False),
        ("Christopher Johnson", "Christopher Jackson", False),
    ],
)
def test_likeness_is_gated(one: str, two: str, alike: bool) -> None:
    """G6, G7: length or words, entropy, three-letter shingles, numbers, one changed ending."""
    assert (names.likeness(one, two) > 0) is alike
    assert names.likeness(one, two) == names.likeness(two, one)


@pytest.mark.parametrize(
    ("known", "found"),
    [
        ("Westbrook Systems", "Westbrook System"),
        ("Tau 4 x", "Tau 4x"),
        ("The A Team of Westbrook", "The A Team of Westbrooks"),
    ],
)
def test_a_similar_name_is_found_by_its_keys(known: str, found: str) -> None:
    stored = names.keys(known)
    assert names.likeness(known, found) > 0
    assert set(names.alike_keys(found)) & set(stored)
    assert names.may_be_alike(found, stored[0])


def test_a_name_that_only_begins_alike_is_not_loaded() -> None:
    exact, *others = names.keys("Westbrook choir 2")
    assert set(names.alike_keys("Westbrook choir 3")) & set(others)
    assert not names.may_be_alike("Westbrook choir 3", exact)
    assert not names.may_be_alike("Westbrook choir 2", exact), "it is found by the name itself"
    long, *_ = names.keys("choir " * 40)
    assert names.may_be_alike("Westbrook choir 3", long), "only a digest of it is known"


def test_a_double_first_name_is_one_name() -> None:
    """Anna-Lena is not called Anna."""
    assert names.first_name("Anna-Lena Berg") == "anna lena"
    assert names.first_name("Dr. Anna Berg") == "anna"


def test_initials_are_told_by_capitals() -> None:
    """A short word is not an acronym."""
    assert names.initials("IBM") == names.initials("International Business Machines") == "ibm"
    assert names.initials("Ibm") is None
    assert names.initials("Bank of America Corp") is None
    assert names.initials("United Nations") is None
