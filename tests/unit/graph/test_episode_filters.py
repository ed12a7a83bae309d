"""How what an episode has stands to what a condition gives."""

from datetime import UTC, datetime
from typing import Any

import pytest

from recollect.episodic_memory.filter_language import parse
from recollect.graph.episode_filters import (
    EpisodeTest,
    EpisodeTree,
    addressee_of,
    holds,
    moment_of,
    number_of,
    producer_of,
    role_of,
    text_of,
    truth_of,
    uuids_named,
)
from recollect.graph.types import Episode, Json

AT = datetime(2024, 1, 2, 3, 4, 5, 6, tzinfo=UTC)


def episode(metadata: Json | None = None, **fields: Any) -> Episode:
    """A message."""
    return Episode(
        **{  # type: ignore[arg-type]
            "id": 1,
            "uuid": "e1",
            "graph_id": 1,
            "seq": 1,
            "kind": "message",
            "content": "",
            "metadata": metadata,
            "created_at": AT,
            "received_at": AT,
            **fields,
        }
    )


def passes(text: str, metadata: Json | None = None, **fields: Any) -> bool:
    """Whether a filter holds of such an episode."""
    tree = parse(text)
    assert tree is not None
    return holds(tree, episode(metadata, **fields))


@pytest.mark.parametrize(
    ("text", "stored", "expected"),
    [
        # A number looks at numbers, and at texts that are written as numbers.
        ("m.a = 5", 5, True),
        ("m.a = 5", 5.0, True),
        ("m.a = 5", "5", True),
        ("m.a = 5", "5.0", True),
        ("m.a = 5", " 5", False),
        ("m.a = 1", True, False),
        ("m.a > 9", "10", True),
        ("m.a > 9", "x", False),
        ("m.a <> 5", "6", True),
        ("m.a <> 5", "x", False),
        ("m.a <= 5", "1e400", False),
        ("m.a >= 5", "٦", False),
        # A text looks at texts, and at how numbers and truths are written.
        ("m.a = '5'", "5", True),
        ("m.a = '5'", 5, True),
        ("m.a = '5'", 5.0, True),
        ("m.a = '5.0'", 5.0, False),
        ("m.a = 'true'", True, True),
        ("m.a = 'True'", True, False),
        ("m.a > '9'", "10", False),
        ("m.a > 'Z'", "a", True),
        ("m.a < 'é'", "z", True),
        ("m.a <> 'x'", 5, True),
        ("m.a = ''", "", True),
        # A truth looks at truths and their names.
        ("m.a = TRUE", True, True),
        ("m.a = TRUE", "True", True),
        ("m.a = FALSE", "false", True),
        ("m.a = TRUE", 1, False),
        ("m.a = TRUE", "1", False),
        ("m.a <> TRUE", "no", False),
        ("m.a <> TRUE", "FALSE", True),
        # A moment looks at texts in ISO 8601.
        ("m.a = date('2024-01-01')", "2024-01-01", True),
        ("m.a = date('2024-01-01')", "2024-01-01T01:00:00+01:00", True),
        ("m.a > date('2024-01-01')", "2024-01-01T00:00:01", True),
        ("m.a < date('2024-01-01')", "2023-12-31T23:59:59Z", True),
        ("m.a <> date('2024-01-01')", "soon", False),
        ("m.a > date('1970-01-01')", 5, False),
        # A list passes by any element, and differs when something can be read and nothing equals.
        ("m.a = 5", ["x", "5"], True),
        ("m.a <> 5", ["x", "6"], True),
        ("m.a <> 5", ["5", "6"], False),
        ("m.a <> 5", ["x"], False),
        ("m.a > 5", [1, 6], True),
        ("m.a IN (5, 6)", ["7", 6.0], True),
        # Several.
        ("m.a IN (1, 2)", "2", True),
        ("m.a IN (1, 2)", 3, False),
        ("m.a IN ('x', 'y')", "y", True),
        ("m.a IN ('1')", 1, True),
        ("m.a NOT IN (1, 2)", 3, True),
        ("m.a NOT IN (1, 2)", 2, False),
        ("m.a IS NULL", "x", False),
        ("m.a IS NULL", "", False),
        ("m.a IS NOT NULL", 0, True),
        ("m.a IS NOT NULL", False, True),
    ],
)
def test_the_given_value_says_how_the_stored_one_is_read(
    text: str, stored: Any, expected: bool
) -> None:
    """Clients can only store texts, and mean numbers."""
    assert passes(text, {"a": stored}) is expected


@pytest.mark.parametrize("metadata", [None, {}, {"a": None}, {"b": 1}, {"a": [None]}])
@pytest.mark.parametrize(
    "test",
    ["= 1", "<> 1", "> 1", "<= 1", "= ''", "<> ''", "= TRUE", "<> date('2024-01-01')", "IN (1)"],
)
def test_what_is_not_there_makes_every_comparison_false(test: str, metadata: Json | None) -> None:
    """And its opposite true."""
    assert not passes(f"m.a {test}", metadata)
    assert passes(f"NOT m.a {test}", metadata)
    assert passes("m.a IS NULL", metadata)
    assert not passes("m.a IS NOT NULL", metadata)


def test_a_key_is_looked_up_as_it_is_written() -> None:
    """Dots do not lead anywhere inside."""
    assert passes("m.a.b = 1", {"a.b": 1})
    assert not passes("m.A = 1", {"a": 1})


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"producer": "bot", "speaker": "Ann", "role": "user"}, "bot"),
        ({"speaker": "Ann", "role": "user"}, "Ann"),
        ({"role": "assistant"}, "assistant"),
        ({}, "user"),
    ],
)
def test_whoever_it_is_by_has_a_name(fields: Json, expected: str) -> None:
    """Also when another client added it."""
    assert producer_of(episode(**fields)) == expected
    assert passes(f"producer_id = '{expected}'", **fields)
    assert not passes("producer_id IS NULL", **fields)


def test_a_role_is_always_a_text() -> None:
    """An empty one for those that have none."""
    assert role_of(episode(role="user")) == "user"
    assert role_of(episode()) == ""
    assert passes("producer_role = ''")
    assert passes("producer_role <> 'assistant'")
    assert not passes("producer_role IS NULL")


def test_being_for_nobody_is_having_no_value() -> None:
    """Whether it was left out or sent empty."""
    assert addressee_of(episode(addressee="bob")) == "bob"
    for nobody in (None, ""):
        assert addressee_of(episode(addressee=nobody)) == ""
        assert passes("produced_for_id IS NULL", addressee=nobody)
        assert not passes("produced_for_id = ''", addressee=nobody)
        assert not passes("produced_for_id <> 'bob'", addressee=nobody)
    assert passes("produced_for_id <> 'bob'", addressee="eve")


@pytest.mark.parametrize("kind", ["message", "text", "json"])
def test_there_is_one_type_of_episodes(kind: str) -> None:
    """These clients know no other."""
    assert passes("episode_type = 'message'", kind=kind)
    assert not passes("episode_type <> message", kind=kind)
    assert not passes("episode_type IS NULL", kind=kind)


def test_when_it_happened_is_compared_to_the_microsecond() -> None:
    """In whatever zone it is given."""
    assert passes("created_at = '2024-01-02T03:04:05.000006Z'")
    assert passes("created_at = '2024-01-02T05:04:05.000006+02:00'")
    assert passes("created_at < date('2024-01-02T03:04:05.000007')")
    assert passes("created_at <> '2024-01-02'")
    assert not passes("created_at IN ('2024-01-02', '2024-01-03')")


def test_a_uid_is_itself_and_has_no_order() -> None:
    """Even in a tree that no text states."""
    assert passes("uid IN ('e0', 'e1')")
    assert not passes("uid = 'e2'")
    later = EpisodeTest(field="uid", comparison=">=", value="e0")
    assert not holds(EpisodeTree(joined_by="and", tests=(later,)), episode())


def test_the_whole_tree_is_asked_of_one_episode() -> None:
    """Together, one of them, none of them."""
    metadata = {"a": "1", "b": "2"}
    assert passes("m.a = 1 AND m.b = 2", metadata)
    assert not passes("m.a = 1 AND m.b = 1", metadata)
    assert passes("m.a = 2 OR (m.a = 1 AND NOT m.b = 1)", metadata)
    assert not passes("NOT (m.a = 2 OR m.b = 2)", metadata)


def test_the_uuids_that_a_tree_names_are_found_at_any_depth() -> None:
    """Those that something is compared with, and no other values."""
    tree = parse("uid = 'e1' AND NOT (m.a = 'e9' OR uid IN ('e2', 'e3') OR uid = 5)")
    assert tree is not None
    assert uuids_named(tree) == {"e1", "e2", "e3"}


@pytest.mark.parametrize("read", [text_of, number_of, truth_of, moment_of])
@pytest.mark.parametrize("value", [None, {}, [], ["x"]])
def test_what_is_no_scalar_cannot_be_read(read: Any, value: Any) -> None:
    """As anything."""
    assert read(value) is None


def test_equal_numbers_are_written_alike() -> None:
    """Whole ones without a fraction, however large."""
    assert text_of(5.0) == text_of(5) == "5"
    assert text_of(1e16) == text_of(10**16) == "1" + "0" * 16
    assert text_of(0.5) == "0.5"


@pytest.mark.parametrize(
    "text", ["9" * 65, "1" * 5_000, "nan", "inf", "1_000", "0x10", "1e999", ""]
)
def test_not_every_text_with_digits_is_a_number(text: str) -> None:
    """What is beyond all bounds is none."""
    assert number_of(text) is None


@pytest.mark.parametrize(
    "text", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "x", ""]
)
def test_a_moment_out_of_range_is_none(text: str) -> None:
    """Rather than an error."""
    assert moment_of(text) is None
