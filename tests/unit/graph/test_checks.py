"""Each check accepts what it should and names the field it refuses."""

from datetime import UTC, datetime

import pytest

from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.graph.types import ROLE_TYPES
from recollect.limits import ID_CHARS_MAX, METADATA_BYTES_MAX, NAME_CHARS_MAX


@pytest.mark.parametrize(
    "value", ["jane", "jane@example.com", "a b", "Zoë-1", "東京", "a:b", "x" * ID_CHARS_MAX, "..."]
)
def test_an_id_that_can_be_addressed_is_accepted(value: str) -> None:
    """E-mail addresses, any script, inner spaces."""
    assert checks.caller_id("user_id", value) == value


@pytest.mark.parametrize(
    "value",
    [
        *["", ".", "..", "a/b", "a\\b", "a?b", "a#b", "a%20b", " a", "a ", "a\tb", "a\nb", "a\0b"],
        *["\ud800", "a\u2028b", "\u00a0a", "x" * (ID_CHARS_MAX + 1)],
    ],
)
def test_an_id_that_cannot_be_addressed_is_refused(value: str) -> None:
    """What a path would cut, decode or normalise away."""
    with pytest.raises(InvalidInput, match=r"^user_id: "):
        checks.caller_id("user_id", value)


def test_roles_are_the_six() -> None:
    """And are spelt as clients send them."""
    for role in ROLE_TYPES:
        assert checks.role("role", role) == role
    for role in ("", "User", "robot"):
        with pytest.raises(InvalidInput, match=r"^role: "):
            checks.role("role", role)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-05-01T10:00:00Z", datetime(2024, 5, 1, 10, tzinfo=UTC)),
        ("2024-05-01T10:00:00+02:00", datetime(2024, 5, 1, 8, tzinfo=UTC)),
        ("2024-05-01T10:00:00", datetime(2024, 5, 1, 10, tzinfo=UTC)),
        ("2024-05-01", datetime(2024, 5, 1, tzinfo=UTC)),
        ("2024-05-01T10:00:00.123456Z", datetime(2024, 5, 1, 10, 0, 0, 123456, tzinfo=UTC)),
        ("2024-05-01T10:00:00.123Z", datetime(2024, 5, 1, 10, 0, 0, 123000, tzinfo=UTC)),
        ("2024-05-01T10:00:00.123456789Z", datetime(2024, 5, 1, 10, 0, 0, 123456, tzinfo=UTC)),
    ],
)
def test_times_are_read_as_clients_write_them(text: str, moment: datetime) -> None:
    """Python, TypeScript and Go write fractions of different lengths."""
    assert checks.moment("at", text) == moment


@pytest.mark.parametrize("text", ["", "now", "2024-13-01", "1714557600", "0001-01-01T00:00+01:00"])
def test_what_is_no_time_is_refused(text: str) -> None:
    """Also a time that does not exist in UTC."""
    with pytest.raises(InvalidInput, match=r"^at: "):
        checks.moment("at", text)


def test_nothing_given_is_nothing() -> None:
    """Optional values pass through."""
    assert checks.moment("x", None) is None
    assert checks.time_zone("x", None) is None
    assert checks.text("x", None, 1) is None
    assert checks.json_object("x", None) is None
    assert checks.episode_metadata("x", None) is None
    assert checks.episode_metadata("x", {}) is None


def test_text_has_a_bound_and_may_be_required() -> None:
    """Characters are counted, not bytes."""
    assert checks.text("x", "äöü", 3) == "äöü"
    with pytest.raises(InvalidInput, match="at most 2 characters, got 3"):
        checks.text("x", "äöü", 2)
    for empty in (None, "", "  "):
        with pytest.raises(InvalidInput, match="must not be empty"):
            checks.text("x", empty, 3, required=True)


def test_json_has_a_bound_in_bytes() -> None:
    """What would be stored is measured."""
    fits = {"a": "x" * (METADATA_BYTES_MAX - len('{"a":""}'))}
    assert checks.json_object("m", fits) == fits
    with pytest.raises(InvalidInput, match=r"^m: at most"):
        checks.json_object("m", {"a": fits["a"] + "x"})


def test_a_key_of_metadata_is_not_too_long_to_be_named() -> None:
    """By a filter or a policy; what is said of it is short as well."""
    longest = "k" * NAME_CHARS_MAX
    assert checks.episode_metadata("m", {longest: 1}) == {longest: 1}
    with pytest.raises(InvalidInput, match=r"^m: a key has at most"):
        checks.episode_metadata("m", {longest + "k": 1})
    with pytest.raises(InvalidInput) as raised:
        checks.episode_metadata("m", {longest: []})
    assert len(raised.value.message) < 200


def test_deeply_nested_json_text_is_refused_and_not_fatal() -> None:
    """A bottomless document is the caller's mistake."""
    with pytest.raises(InvalidInput, match=r"^data: "):
        checks.json_text("data", "[" * 100_000 + "]" * 100_000)


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires"])
def test_zone_names_are_accepted(zone: str) -> None:
    """IANA names, on a machine without a zone database too."""
    assert checks.time_zone("zone", zone) == zone


@pytest.mark.parametrize("zone", ["", "Berlin", "../etc/passwd", "/etc/passwd", "CEST+1", "Europe"])
def test_what_is_no_zone_is_refused(zone: str) -> None:
    """Nothing outside of the database is opened."""
    with pytest.raises(InvalidInput, match=r"^zone: "):
        checks.time_zone("zone", zone)
