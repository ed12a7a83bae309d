"""What memory clients send becomes episodes, or is refused by the name of the field."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from recollect.episodic_memory.entries import KNOWN_ROLES, MemoryEntry, episodes, moment
from recollect.errors import InvalidInput
from recollect.graph.types import NewEpisode
from recollect.limits import (
    EPISODE_CHARS_MAX,
    MEMORY_MESSAGES_PER_CALL_MAX,
    MEMORY_METADATA_KEYS_MAX,
    NAME_CHARS_MAX,
)


def one(**fields: Any) -> NewEpisode:
    """The episode of one entry."""
    roles = fields.pop("roles", "any")
    (made,) = episodes([MemoryEntry(**{"content": "hello", **fields})], roles=roles)
    return made


def refused(**fields: Any) -> str:
    """What is said about an entry that cannot be."""
    with pytest.raises(InvalidInput) as raised:
        one(**fields)
    return raised.value.message


def test_a_bare_message_is_by_the_user_and_for_both_memories() -> None:
    """Whatever a client leaves out has the client's own default."""
    made = one(role="", addressee="", metadata={})
    assert (made.kind, made.producer, made.speaker) == ("message", "user", "user")
    assert (made.role, made.addressee, made.metadata, made.extra) == (None, None, None, None)
    assert made.created_at is None, "the transaction says when it is"
    assert made.kept_for is None


def test_everything_that_is_said_is_kept() -> None:
    """Producer, addressee, role and time, each in its place."""
    made = one(producer="Bo", addressee="Ann", role="critic", timestamp=0, kind="message")
    assert (made.producer, made.speaker, made.addressee) == ("Bo", "Bo", "Ann")
    assert made.role == "critic"
    assert made.created_at == datetime(1970, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("producer", "metadata", "speaker"),
    [
        (None, {"user_id": "u1"}, "u1"),
        ("user", {"user_id": "u1"}, "u1"),
        ("user", {"user_id": 7}, "7"),
        ("user", {"user_id": "  "}, "user"),
        ("user", {"user_id": True}, "user"),
        ("user", {"user_id": ["u1"]}, "user"),
        ("user", {}, "user"),
        ("Bo", {"user_id": "u1"}, "Bo"),
    ],
)
def test_users_without_a_name_are_told_apart_by_their_id(
    producer: str | None, metadata: dict[str, Any], speaker: str
) -> None:
    """All of them are "user" to the client; one person to us they would contradict each other."""
    made = one(producer=producer, metadata=metadata)
    assert made.speaker == speaker
    assert made.producer == (producer or "user"), "what is told again is what was sent"


@pytest.mark.parametrize("role", ["Assistant", "assistant", "bot", "system", "tool"])
def test_what_an_assistant_says_is_not_the_word_of_its_user(role: str) -> None:
    """Clients give the role alone, with the metadata of the user whose memory it is."""
    made = one(role=role, metadata={"user_id": "u1"})
    assert (made.speaker, made.role, made.producer) == (None, role, "user")
    assert one(role=role, producer="Max", metadata={"user_id": "u1"}).speaker == "Max"


def test_other_roles_are_those_of_users() -> None:
    """A role that nobody knows says nothing of who speaks."""
    for role in ("", "critic", "user"):
        assert one(role=role, metadata={"user_id": "u1"}).speaker == "u1"


def test_a_name_has_the_length_of_names() -> None:
    """Metadata may be longer."""
    assert one(metadata={"user_id": "u" * 9_000}).speaker == "u" * NAME_CHARS_MAX


MOMENT = datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)
SECONDS = int(MOMENT.timestamp())


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2024-01-02T03:04:05Z", MOMENT),
        ("2024-01-02T03:04:05", MOMENT),
        (" 2024-01-02 03:04:05+00:00 ", MOMENT),
        ("2024-01-02T08:34:05+05:30", MOMENT),
        ("2024-01-02T03:04:05.250", MOMENT + timedelta(milliseconds=250)),
        ("20240102T030405Z", MOMENT),
        ("2024-01-02", datetime(2024, 1, 2, tzinfo=UTC)),
        ("20240102", datetime(2024, 1, 2, tzinfo=UTC)),
        ("2024-W01-2", datetime(2024, 1, 2, tzinfo=UTC)),
        (SECONDS, MOMENT),
        (float(SECONDS) + 0.5, MOMENT + timedelta(milliseconds=500)),
        (SECONDS * 1000, MOMENT),
        (SECONDS * 1000.0 + 0.5, MOMENT + timedelta(microseconds=500)),
        (0, datetime(1970, 1, 1, tzinfo=UTC)),
        (-86_400, datetime(1969, 12, 31, tzinfo=UTC)),
        (-0.5, datetime(1969, 12, 31, 23, 59, 59, 500_000, tzinfo=UTC)),
        (1_000_000_000_001, datetime(2001, 9, 9, 1, 46, 40, 1_000, tzinfo=UTC)),
        (None, None),
    ],
)
def test_a_time_is_understood_in_every_form(value: Any, expected: datetime | None) -> None:
    """And is in UTC, whatever it was."""
    found = moment("timestamp", value)
    assert found == expected
    assert found is None or found.tzinfo is UTC


@pytest.mark.parametrize(
    "value",
    [
        *(
            "",
            "now",
            "yesterday",
            "17000",
            "202403051200",
            "2024-13-01",
            "0001-01-01T00:00:00+05:00",
        ),
        *("9" * 5000, 1e15, 1e30, -1e30, 10**400, -(10**5000)),
        *(float("inf"), -float("inf"), float("nan")),
    ],
    ids=range(16),
)
def test_what_is_no_time_is_refused_by_name(value: Any) -> None:
    """Text that is no date, a number without end, and years that no calendar has."""
    said = refused(timestamp=value)
    assert said.startswith("messages[0].timestamp: ")
    assert len(said) < 300


def test_a_time_of_another_zone_is_the_same_moment() -> None:
    """Two ways to say it."""
    zone = timezone(timedelta(hours=-8))
    text = MOMENT.astimezone(zone).isoformat()
    assert one(timestamp=text).created_at == MOMENT


def test_scalars_can_be_filtered_by_and_the_rest_is_only_kept() -> None:
    """Nothing of what was sent is lost, a null neither. Lists are seen by policies, which would
    otherwise let by what they deny."""
    told = {"s": "x", "i": 1, "f": 1.5, "b": False, "list": ["open", "secret"]}
    kept = {"map": {"a": 1}, "none": None, "nested": [["x"]], "empty": []}
    made = one(metadata={**told, **kept})
    assert (made.metadata, made.extra) == (told, kept)


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        ({"_id": 1}, "messages[0].metadata._id: a key must not begin with '_'"),
        ({" ": 1}, "messages[0].metadata: a key must not be blank"),
        ({"k" * (NAME_CHARS_MAX + 1): 1}, "messages[0].metadata: a key has at most"),
        ({str(n): n for n in range(MEMORY_METADATA_KEYS_MAX + 1)}, "messages[0].metadata: at most"),
        ({"k": "x" * 70_000}, "messages[0].metadata: at most"),
        ({"k": float("nan")}, "messages[0].metadata.k: must be a finite number"),
    ],
)
def test_metadata_out_of_bounds_is_refused_by_name(metadata: dict[str, Any], said: str) -> None:
    """Keys of the system's own kind, too many, too much."""
    assert refused(metadata=metadata).startswith(said)


def test_metadata_within_its_bounds_is_taken() -> None:
    """As many keys as are allowed."""
    given = {str(number): number for number in range(MEMORY_METADATA_KEYS_MAX)}
    assert one(metadata=given).metadata == given


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"content": " "}, "messages[0].content: must not be empty"),
        ({"producer": " "}, "messages[0].producer: must not be empty"),
        ({"producer": "x" * (NAME_CHARS_MAX + 1)}, "messages[0].producer: at most"),
        ({"addressee": "x" * (NAME_CHARS_MAX + 1)}, "messages[0].produced_for: at most"),
        ({"role": "x" * (NAME_CHARS_MAX + 1)}, "messages[0].role: at most"),
        ({"kind": "email"}, "messages[0].episode_type: only 'message' is known"),
    ],
)
def test_a_field_out_of_bounds_is_refused_by_name(fields: dict[str, Any], said: str) -> None:
    """Each of them."""
    assert refused(**fields).startswith(said)


@pytest.mark.parametrize("role", [*KNOWN_ROLES, "", None])
def test_a_known_role_passes_the_strict_switch(role: str | None) -> None:
    """As does none: that is what clients send by default."""
    assert one(role=role, roles="known").role == (role or None)
    assert one(role=(role or "").title(), roles="known").role == (role or None)


@pytest.mark.parametrize("role", ["Users", "critic", " "])
def test_an_unknown_role_is_refused_only_by_the_strict_switch(role: str) -> None:
    """With the role and the known ones in the message."""
    assert one(role=role).role == role
    said = refused(role=role, roles="known")
    assert said.startswith("messages[0].role: must be one of user, assistant, system")
    assert repr(role) in said


@pytest.mark.parametrize(
    ("kinds", "kept_for"),
    [
        ([], None),
        (["episodic", "semantic"], None),
        (["semantic", "episodic", "semantic"], None),
        (["episodic"], "episodic"),
        (["semantic", "semantic"], "semantic"),
    ],
)
def test_a_message_is_for_the_memories_that_are_named(kinds: Any, kept_for: str | None) -> None:
    """None named is both."""
    (made,) = episodes([MemoryEntry(content="hello")], kinds)
    assert made.kept_for == kept_for


def test_the_messages_of_a_call_keep_their_order_and_their_number_is_bounded() -> None:
    """The second of two is named as the second; none, and too many, are refused."""
    several = [MemoryEntry(content=str(number)) for number in range(MEMORY_MESSAGES_PER_CALL_MAX)]
    assert [made.content for made in episodes(several)] == [entry.content for entry in several]
    for wrong in ([], [*several, MemoryEntry(content="one more")]):
        with pytest.raises(InvalidInput, match=r"^messages: at "):
            episodes(wrong)
    with pytest.raises(InvalidInput, match=r"^messages\[1\]\.content: "):
        episodes([MemoryEntry(content="fine"), MemoryEntry(content="")])


def test_a_message_that_is_too_long_for_one_episode_makes_several() -> None:
    """Each a moment later than the one before, and otherwise the same."""
    text = "A sentence of some length. " * (EPISODE_CHARS_MAX // 9)
    made = episodes(
        [MemoryEntry(content=text, producer="Bo", timestamp=0), MemoryEntry(content="next")]
    )
    assert [one.content for one in made[:3]] != [text]
    assert len(made) == 5
    assert " ".join(one.content for one in made[:-1]) == text.strip()
    assert {one.producer for one in made[:-1]} == {"Bo"}
    times = [one.created_at for one in made[:-1] if one.created_at is not None]
    assert times == sorted(set(times))
    assert len(times) == 4
    latest = episodes([MemoryEntry(content=text, timestamp="9999-12-31T23:59:59.999999Z")])
    assert len(latest) == 4


def test_more_episodes_than_a_call_may_make_are_refused() -> None:
    """And the message says how many they are."""
    text = "x" * (EPISODE_CHARS_MAX * 20)
    with pytest.raises(InvalidInput) as caught:
        episodes([MemoryEntry(content=text)] * 51)
    said = str(caught.value)
    assert said.startswith("messages: too long: they make 1020 episodes")
