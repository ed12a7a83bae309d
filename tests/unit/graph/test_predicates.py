"""The table of relations is data that a user can read and extend; mistakes in it are told."""

from pathlib import Path

import pytest

from recollect.errors import InvalidInput
from recollect.graph.predicates import Predicate, load


def extended(folder: Path, text: str) -> Path:
    """A file of one's own entries."""
    path = folder / "own.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_table_that_comes_with_the_program_is_sound() -> None:
    """Every name in it is an entry, and its phrases lead back to it."""
    table = load()
    for name in table:
        assert table[name].name == name
        assert all(table.of_phrase(phrase) == name for phrase in table[name].phrases)
        assert all(other in table for other in (*table[name].ends, *table[name].replaces))


def test_a_relation_that_is_not_listed_is_an_open_one() -> None:
    """It coexists with everything."""
    table = load()
    assert "JUGGLES" not in table
    assert table["JUGGLES"] == Predicate(name="JUGGLES")


def test_another_way_to_say_it_is_the_same_relation(tmp_path: Path) -> None:
    """Its phrases and properties are those of the relation."""
    table = load(
        extended(
            tmp_path,
            """
            [CAPTAIN_OF]
            phrases = ["captain"]
            [HELMS]
            phrases = ["helm"]
            canonical = "CAPTAIN_OF"
            single = true
            ends = ["REMOVED"]
            [REMOVED]
            phrases = ["be removed from"]
            [SACKED]
            phrases = ["be sacked from"]
            canonical = "REMOVED"
            ends = ["HELMS"]
            """,
        )
    )
    assert table["HELMS"] == table["CAPTAIN_OF"]
    assert table["CAPTAIN_OF"].single
    assert table["CAPTAIN_OF"].phrases == ("captain", "helm")
    assert table.of_phrase("helm") == "CAPTAIN_OF"
    assert table["SACKED"].ends == ("CAPTAIN_OF",)
    assert table.closers_of("CAPTAIN_OF") == ("REMOVED",)


def test_own_entries_replace_those_that_come_with_the_program(tmp_path: Path) -> None:
    """Whole entries, and phrases wherever they were."""
    table = load(
        extended(
            tmp_path,
            """
            [LIVES_IN]
            phrases = ["dwell in"]
            [ZZZ]
            phrases = ["work at"]
            """,
        )
    )
    assert not table["LIVES_IN"].single
    assert table["LIVES_IN"].phrases == ("dwell in",)
    assert table.of_phrase("work at") == "ZZZ"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[A]\nends = ["NOWHERE"]', "A: ends names NOWHERE"),
        ('[A]\nreplaces = ["NOWHERE"]', "A: replaces names NOWHERE"),
        ('[A]\nrivals = ["NOWHERE"]', "A: rivals names NOWHERE"),
        ('[A]\ncanonical = "NOWHERE"', "A: canonical names NOWHERE"),
        ('[A]\ncanonical = "B"\n[B]\ncanonical = "C"\n[C]', "B is not canonical itself"),
        ('[A]\nphrases = ["do"]\n[B]\nphrases = ["do"]', "'do' is a phrase of A and B"),
        ("[A]\nsingel = true", "singel"),
        ("[A", "cannot be read"),
    ],
)
def test_a_mistake_in_the_table_is_told(tmp_path: Path, text: str, message: str) -> None:
    """With the name of the entry."""
    with pytest.raises(InvalidInput, match=message):
        load(extended(tmp_path, text))


def test_what_acts_on_a_relation_is_known_from_its_side() -> None:
    """Who closes, replaces or rivals it."""
    table = load()
    assert "LEFT" in table.closers_of("WORKS_AT")
    assert "LEFT" not in table.lone_closers_of("WORKS_AT")
    assert "QUIT" in table.lone_closers_of("WORKS_AT")
    assert "PREFERS" in table.rivals_of("LIKES")
    assert table.replacers_of("JUGGLES") == ()
