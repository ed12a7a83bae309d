"""What facts are about: themes by their words, people and things by their names."""

from recollect.graph import observations


def test_a_theme_is_told_by_any_of_its_words_in_any_form() -> None:
    for said in ("Jane ran home", "Jane goes running", "Jane finished a marathon"):
        assert observations.themes(said) == {"running"}
    assert observations.themes("Jane lives in Oslo") == frozenset()
    assert observations.themes("Jane drinks espresso after a run") == {"coffee", "running"}


def test_a_name_is_known_again_without_its_owner_and_not_by_half() -> None:
    called = observations.name_words(["Jane Smith's old piano teacher"], "Jane Smith")
    assert observations.name_words(["Jane Smith's sister"], "Jane Smith") == (
        frozenset({"sister"}),
    )
    assert not called  # the piano is on a theme already
    (project,) = observations.name_words(["Berlin project"], "Jane Smith")
    assert observations.names_it("Jane leads the Berlin project", [project])
    assert not observations.names_it("Jane leads a project", [project])


def test_what_says_nothing_is_no_topic() -> None:
    assert observations.name_words(["morning", "5 km", "people", "thing"], "Jane") == ()


def test_a_name_stands_in_a_sentence_with_its_article() -> None:
    assert [observations.spoken(name) for name in ("knee", "Biscuit", "green apples")] == [
        "the knee",
        "Biscuit",
        "green apples",
    ]
