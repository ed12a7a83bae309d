"""Every operator and value of the filter language, and what is refused, with its place."""

from datetime import UTC, datetime
from typing import Any

import pytest

from recollect.episodic_memory.filter_language import parse
from recollect.errors import InvalidInput
from recollect.graph.episode_filters import EpisodeTest, EpisodeTree
from recollect.limits import (
    FILTER_LIST_MAX,
    FILTER_TESTS_MAX,
    FILTER_TEXT_CHARS_MAX,
    FILTER_TEXT_DEPTH_MAX,
    FILTER_VALUE_CHARS_MAX,
)

NEW_YEAR = datetime(2024, 1, 1, tzinfo=UTC)


def of_key(key: str, comparison: Any, value: Any = None) -> EpisodeTest:
    """A test of user metadata."""
    return EpisodeTest(field="metadata", key=key, comparison=comparison, value=value)


A, B, C = (of_key(key, "=", 1) for key in "abc")


def only(text: str) -> EpisodeTest:
    """The one test that a text states."""
    tree = parse(text)
    assert tree is not None
    assert (tree.joined_by, len(tree.tests), tree.trees) == ("and", 1, ())
    return tree.tests[0]


def both(*tests: EpisodeTest) -> EpisodeTree:
    """Tests that hold together."""
    return EpisodeTree(joined_by="and", tests=tests)


def none(*tests: EpisodeTest) -> EpisodeTree:
    """Tests of which none holds."""
    return EpisodeTree(joined_by="not", tests=tests)


def refusal(text: str) -> str:
    """What is said of a text that cannot be read."""
    with pytest.raises(InvalidInput) as caught:
        parse(text)
    return caught.value.message


@pytest.mark.parametrize("text", ["", " ", "\t\n ", "\u00a0"])
def test_a_blank_text_states_nothing(text: str) -> None:
    """Clients without a filter send an empty one."""
    assert parse(text) is None


@pytest.mark.parametrize(
    ("written", "meant"),
    [("=", "="), ("!=", "<>"), ("<>", "<>"), (">", ">"), ("<", "<"), (">=", ">="), ("<=", "<=")],
)
def test_every_comparison_is_known(written: str, meant: str) -> None:
    """With and without spaces around it."""
    assert only(f"m.a{written}1") == only(f" m.a {written} 1 ") == of_key("a", meant, 1)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("'u1'", "u1"),
        ("'O''Brien'", "O'Brien"),
        ("''", ""),
        ("''''", "'"),
        ("'a AND (b'", "a AND (b"),
        ('"chat_v3"', "chat_v3"),
        ('"say ""hi"""', 'say "hi"'),
        ('"it\'s"', "it's"),
        ("'line\nbreak'", "line\nbreak"),
        ("abc", "abc"),
        ("v1.2.3", "v1.2.3"),
        ("1.2.3", "1.2.3"),
        ("12ab", "12ab"),
        ("Zoë", "Zoë"),
        ("date", "date"),
        ("\u0131n", "\u0131n"),  # a letter that becomes an I is no I
        ("42", 42),
        ("-42", -42),
        ("+42", 42),
        ("007", 7),
        ("4.5", 4.5),
        ("-.5", -0.5),
        ("1e3", 1000.0),
        ("2.5E-3", 0.0025),
        ("9007199254740993", 9007199254740993),
        ("TRUE", True),
        ("false", False),
        ("'true'", "true"),
        ("date('2024-01-01')", NEW_YEAR),
        ("DATE ( '2024-01-01T00:00:00' )", NEW_YEAR),
        ("date('2024-01-01T02:00:00+02:00')", NEW_YEAR),
        ('date("2024-01-01T00:00:00Z")', NEW_YEAR),
    ],
)
def test_every_kind_of_value_is_read(written: str, value: object) -> None:
    """And keeps its type: true and 1 are two things."""
    found = only(f"m.a = {written}").value
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    "name",
    ["uid", "producer_id", "producer_role", "produced_for_id", "episode_type"],
)
def test_a_name_without_a_prefix_is_a_field_of_the_episode(name: str) -> None:
    """As the answers call it."""
    assert only(f"{name} = 'x'") == EpisodeTest(field=name, comparison="=", value="x")  # type: ignore[arg-type]


@pytest.mark.parametrize("key", ["user_id", "a.b", "2", "Größe", "名前", "in", "uid", "and"])
@pytest.mark.parametrize("prefix", ["m.", "metadata."])
def test_a_prefix_names_a_key_of_the_metadata(prefix: str, key: str) -> None:
    """Whatever letters it has, and whatever else it would mean."""
    assert only(f"{prefix}{key} = 1") == of_key(key, "=", 1)


@pytest.mark.parametrize("value", ["'2024-01-01'", "date('2024-01-01')", "'2024-01-01T00:00Z'"])
def test_when_it_happened_is_compared_with_a_moment(value: str) -> None:
    """A text in its place is read as one."""
    expected = EpisodeTest(field="created_at", comparison=">=", value=NEW_YEAR)
    assert only(f"created_at >= {value}") == expected


def test_lists_hold_values_of_one_sort() -> None:
    """Numbers of any kind are of one sort."""
    assert only("m.a in (1, 2.5,-3)") == of_key("a", "IN", (1, 2.5, -3))
    assert only("m.a IN ('x', y)") == of_key("a", "IN", ("x", "y"))
    dates = only("created_at IN ('2024-01-01', date('2024-01-01'))")
    assert dates.value == (NEW_YEAR, NEW_YEAR)
    assert parse("m.a Not In (1)") == none(of_key("a", "IN", (1,)))


def test_absence_is_asked_for() -> None:
    """And presence is its opposite."""
    absent = of_key("a", "IS NULL")
    assert parse("m.a IS NULL") == both(absent)
    assert parse("m.a is not null") == none(absent)
    assert parse("NOT m.a IS NOT NULL") == EpisodeTree(joined_by="not", trees=(none(absent),))


def test_and_binds_before_or_and_not_before_both() -> None:
    """Unless parentheses say otherwise."""
    assert parse("m.a=1 AND m.b=1 OR m.c=1") == EpisodeTree(
        joined_by="or", tests=(C,), trees=(both(A, B),)
    )
    assert parse("m.a=1 or m.b=1 and m.c=1") == EpisodeTree(
        joined_by="or", tests=(A,), trees=(both(B, C),)
    )
    assert parse("m.a=1 AND (m.b=1 OR m.c=1)") == EpisodeTree(
        joined_by="and", tests=(A,), trees=(EpisodeTree(joined_by="or", tests=(B, C)),)
    )
    assert parse("NOT m.a=1 AND m.b=1") == EpisodeTree(
        joined_by="and", tests=(B,), trees=(none(A),)
    )
    assert parse("NOT (m.a=1 AND m.b=1)") == EpisodeTree(joined_by="not", trees=(both(A, B),))


def test_twice_not_is_nothing_and_parentheses_alone_are_nothing() -> None:
    """However often they are written."""
    assert parse("NOT NOT m.a=1") == parse("((m.a=1))") == both(A)
    assert parse("NOT not NOT m.a=1") == none(A)
    assert parse("not " * 10_000 + "m.a=1") == both(A)


def test_what_the_client_makes_of_its_metadata_can_be_read() -> None:
    """Keys joined by AND, and a filter of one's own in parentheses."""
    text = "metadata.user_id='O''Brien' AND metadata.s='s1' AND (producer_id='bot')"
    bot = EpisodeTest(field="producer_id", comparison="=", value="bot")
    assert parse(text) == both(of_key("user_id", "=", "O'Brien"), of_key("s", "=", "s1"), bot)


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        ("m.a = 5;", 8, "';'"),
        ("m.a = 1 & m.b = 2", 9, "'&'"),
        ("m.user-id = 1", 7, "'-'"),
        ("m.a ~ 1", 5, "'~'"),
        ("m.a = 'x", 7, "no end"),
        ('m.a = "x', 7, "no end"),
        ("m.a = 'x'y'", 11, "no end"),
        ("m.a == 1", 6, "a value"),
        ("m.a ! 1", 5, "'!'"),
        ("m.a = ", 7, "found nothing"),
        ("m.a", 4, "a comparison, IN or IS"),
        ("= 1", 1, "a field"),
        ("'m.a' = 1", 1, "a field"),
        ("5 = 5", 1, "a field"),
        ("AND", 1, "a field"),
        ("m.a = 1 AND", 12, "a field"),
        ("m.a = 1 m.b = 2", 9, "AND, OR or the end"),
        ("m.a = 1)", 8, "AND, OR or the end"),
        ("(m.a = 1", 9, "expected )"),
        ("()", 2, "a field"),
        ("m.a = NULL", 7, "a value"),
        ("m.a = and", 7, "a value"),
        ("m.a = (1)", 7, "a value"),
        ("m.a IS 1", 8, "expected NULL"),
        ("m.a NOT 1", 5, "a comparison, IN or IS"),
        ("m.a IN 1", 8, "expected ("),
        ("m.a IN ()", 9, "a value"),
        ("m.a IN (1,)", 11, "a value"),
        ("m.a IN (1 2)", 11, "expected )"),
        ("m.a IN (1, 'x')", 9, "numbers only or texts only"),
        ("m.a IN (TRUE, FALSE)", 9, "numbers only or texts only"),
        ("m.a IN (date('2024-01-01'))", 9, "numbers only or texts only"),
        ("m.a = date(2024)", 12, "a quoted moment"),
        ("m.a = date('soon')", 12, "a quoted moment"),
        ("m.a = date('2024-01-01'", 24, "expected )"),
        ("m.a = 1e999", 7, "too large"),
        ("m.a = 2024-01-01", 11, "AND, OR or the end"),
        ("colour = 'red'", 1, "unknown field 'colour'"),
        ("m.a = 1 AND Uid = 'x'", 13, "unknown field 'Uid'"),
        ("metadata = 1", 1, "unknown field 'metadata'"),
        ("m. = 1", 1, "unknown field 'm.'"),
        ("created_at > 'yesterday'", 14, "a moment in ISO 8601"),
        ("created_at > 5", 14, "a moment in ISO 8601"),
        ("created_at IN ('2024-01-01', 5)", 30, "a moment in ISO 8601"),
        ("uid > 'a'", 5, "no order"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(text: str, place: int, what: str) -> None:
    """Nothing is passed over."""
    message = refusal(text)
    assert message.startswith("filter: ")
    assert message.endswith(f" at character {place}"), message
    assert what in message, message


def test_an_unknown_field_is_told_which_are_known() -> None:
    """So that the caller can mend it."""
    message = refusal("timestamp > '2024-01-01'")
    assert "uid, producer_id, producer_role, produced_for_id, episode_type, created_at" in message


def test_bounds_are_kept_and_may_be_reached() -> None:
    """Of the text, its tests, its depth, its lists and its values."""

    def listed(count: int) -> str:
        return f"m.a IN ({','.join(['1'] * count)})"

    def joined(count: int) -> str:
        return " OR ".join(["m.a=1"] * count)

    def deep(count: int) -> str:
        return "(" * count + "m.a=1" + ")" * count

    def long(count: int) -> str:
        return f"m.a='{'x' * (count - 2)}'"

    for write, most in (
        (listed, FILTER_LIST_MAX),
        (joined, FILTER_TESTS_MAX),
        (deep, FILTER_TEXT_DEPTH_MAX),
        (long, FILTER_VALUE_CHARS_MAX),
    ):
        assert parse(write(most)) is not None
        assert str(most) in refusal(write(most + 1))
    assert parse("m.a=1".ljust(FILTER_TEXT_CHARS_MAX)) == both(A)
    assert str(FILTER_TEXT_CHARS_MAX) in refusal("m.a=1".ljust(FILTER_TEXT_CHARS_MAX + 1))


@pytest.mark.parametrize("opening", ["(", "NOT (", "NOT ", "m.a IN ("])
def test_hostile_nesting_is_refused_like_anything_else(opening: str) -> None:
    """It does not exhaust the stack."""
    assert "at character" in refusal(opening * (FILTER_TEXT_CHARS_MAX // len(opening)))


def test_a_refusal_carries_little_of_what_was_sent() -> None:
    """However long the word is."""
    assert len(refusal("x" * 9_000 + " = 1")) < 400
