"""What is refused at the door, and that the refusal names the field."""

from typing import Any

import pytest

from recollect.errors import InvalidInput
from recollect.graph.types import NewEpisode
from recollect.ingest import intake
from recollect.limits import (
    DOCUMENT_ID_CHARS_MAX,
    EPISODE_CHARS_MAX,
    EPISODES_PER_BATCH_CALL_MAX,
    MESSAGE_CHARS_MAX,
    MESSAGES_PER_CALL_MAX,
    METADATA_KEYS_MAX,
)


def message(**more: Any) -> NewEpisode:
    """A message that passes, but for what is given."""
    return NewEpisode(**{"kind": "message", "content": "hello", "role": "user", **more})


def data(**more: Any) -> NewEpisode:
    """A piece of data that passes, but for what is given."""
    return NewEpisode(**{"kind": "text", "content": "hello", **more})


def test_what_fits_passes() -> None:
    """At the bounds, not one below them."""
    intake.check_messages([message(content="x" * MESSAGE_CHARS_MAX)] * MESSAGES_PER_CALL_MAX)
    intake.check_batch([data(content="x" * EPISODE_CHARS_MAX)] * EPISODES_PER_BATCH_CALL_MAX)
    intake.check_episode("", data(kind="json", content='{"a": [1, 2]}', document_id="d"))


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"content": ""}, "messages[1].content"),
        ({"content": " \n"}, "messages[1].content"),
        ({"content": "x" * (MESSAGE_CHARS_MAX + 1)}, "messages[1].content"),
        ({"role": None}, "messages[1].role"),
        ({"role": "robot"}, "messages[1].role"),
        ({"speaker": "x" * 1001}, "messages[1].name"),
        ({"metadata": {"a": {"b": 1}}}, "messages[1].metadata.a"),
        ({"metadata": {str(n): n for n in range(METADATA_KEYS_MAX + 1)}}, "messages[1].metadata"),
    ],
    ids=str,
)
def test_a_message_out_of_bounds_is_refused_by_its_field(
    change: dict[str, Any], field: str
) -> None:
    """The number of the message is part of the name."""
    with pytest.raises(InvalidInput) as refused:
        intake.check_messages([message(), message(**change)])
    assert refused.value.message.startswith(f"{field}: ")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"content": ""}, "data"),
        ({"content": "x" * (EPISODE_CHARS_MAX + 1)}, "data"),
        ({"kind": "json", "content": "{"}, "data"),
        ({"source_description": "x" * 10_001}, "source_description"),
        ({"document_id": " "}, "document_id"),
        ({"document_id": "x" * (DOCUMENT_ID_CHARS_MAX + 1)}, "document_id"),
        ({"metadata": {"": 1}}, "metadata"),
        ({"metadata": {"a": []}}, "metadata.a"),
        ({"metadata": {"a": None}}, "metadata.a"),
        ({"metadata": {"a": float("inf")}}, "metadata.a"),
    ],
    ids=str,
)
def test_data_out_of_bounds_is_refused_by_its_field(change: dict[str, Any], field: str) -> None:
    """Alone under its own name, in a batch with its number in front."""
    with pytest.raises(InvalidInput) as refused:
        intake.check_episode("", data(**change))
    assert refused.value.message.startswith(f"{field}: ")
    with pytest.raises(InvalidInput) as refused:
        intake.check_batch([data(), data(**change)])
    assert refused.value.message.startswith(f"episodes[1].{field}: ")


def test_a_call_has_some_episodes_but_not_too_many() -> None:
    """None and too many are refused; the message says how many there may be."""
    for check, one, most in (
        (intake.check_messages, message(), MESSAGES_PER_CALL_MAX),
        (intake.check_batch, data(), EPISODES_PER_BATCH_CALL_MAX),
    ):
        with pytest.raises(InvalidInput, match="at least one"):
            check([])
        with pytest.raises(InvalidInput, match=f"at most {most} per call, got {most + 1}"):
            check([one] * (most + 1))
