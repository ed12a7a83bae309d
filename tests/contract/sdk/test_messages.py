"""Messages in both vocabularies: order, paging, metadata, limits, roles that are not extracted."""

from typing import Any

import pytest

from tests.contract.sdk.drivers import Zep
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import (
    NOBODY,
    a_session,
    a_thread,
    a_user,
    contents,
    eventually,
    instant,
    missing,
    refused,
    said2,
    said3,
    uuids,
)

MESSAGES_MAX = 30
CHARACTERS_MAX = 4096


def session_with(zep2: Zep, count: int) -> str:
    """A session holding messages `line 0` … in order, added in two calls."""
    session_id: str = a_session(zep2)["session_id"]
    lines = [said2(f"line {number}") for number in range(count)]
    zep2.memory.add(session_id, messages=lines[:2])
    zep2.memory.add(session_id, messages=lines[2:])
    return session_id


def thread_with(zep3: Zep, count: int) -> str:
    """A thread holding messages `line 0` … in order, added in two calls."""
    thread_id: str = a_thread(zep3)["thread_id"]
    lines = [said3(f"line {number}") for number in range(count)]
    zep3.thread.add_messages(thread_id, messages=lines[:2])
    zep3.thread.add_messages(thread_id, messages=lines[2:])
    return thread_id


def lines(*numbers: int) -> list[str]:
    """The contents of the numbered lines."""
    return [f"line {number}" for number in numbers]


@requirement("v2:memory.add", "v2:memory.get_session_messages")
def test_messages_of_a_session_keep_their_order(zep2: Zep) -> None:
    """All messages of two calls come back oldest first, with their number."""
    found = zep2.memory.get_session_messages(session_with(zep2, 5))
    assert contents(found["messages"]) == lines(0, 1, 2, 3, 4)
    assert found["total_count"] == 5
    assert found["row_count"] == 5


@requirement("v3:thread.add_messages", "v3:thread.get")
def test_messages_of_a_thread_keep_their_order(zep3: Zep) -> None:
    """All messages of two calls come back oldest first, with their number."""
    found = zep3.thread.get(thread_with(zep3, 5))
    assert contents(found["messages"]) == lines(0, 1, 2, 3, 4)
    assert found["total_count"] == 5
    assert found["row_count"] == 5


@requirement("v3:thread.add_messages")
def test_adding_messages_answers_their_uuids_in_order(zep3: Zep) -> None:
    """The uuids of the answer are those the history shows."""
    thread = a_thread(zep3)
    answer = zep3.thread.add_messages(
        thread["thread_id"], messages=[said3("one"), said3("two"), said3("three")]
    )
    assert answer["message_uuids"] == uuids(zep3.thread.get(thread["thread_id"])["messages"])


@requirement("v2:memory.add:message-fields", "v2:memory.get_session_message")
def test_a_session_message_keeps_all_it_was_given(zep2: Zep) -> None:
    """Name, role type, time and metadata come back, in the list and by uuid."""
    session_id = a_session(zep2)["session_id"]
    metadata = {"channel": "web", "score": 0.5, "tags": ["a", "b"]}
    message = said2(
        "The invoice is paid.",
        role_type="assistant",
        role="Ada",
        created_at="2024-03-01T10:00:00Z",
        metadata=metadata,
    )
    zep2.memory.add(session_id, messages=[message])
    listed = zep2.memory.get_session_messages(session_id)["messages"][0]
    found = zep2.memory.get_session_message(session_id, listed["uuid"])
    for answer in (listed, found):
        assert answer["content"] == "The invoice is paid."
        assert answer["role"] == "Ada"
        assert answer["role_type"] == "assistant"
        assert answer["metadata"] == metadata
        assert instant(answer["created_at"]) == instant("2024-03-01T10:00:00Z")
    with missing():
        zep2.memory.get_session_message(session_id, NOBODY)


@requirement("v3:thread.add_messages:message-fields")
def test_a_thread_message_keeps_all_it_was_given(zep3: Zep) -> None:
    """Name, role, time and metadata come back."""
    thread_id = a_thread(zep3)["thread_id"]
    metadata = {"channel": "web", "score": 0.5, "tags": ["a", "b"]}
    message = said3(
        "The invoice is paid.",
        role="assistant",
        name="Ada",
        created_at="2024-03-01T10:00:00Z",
        metadata=metadata,
    )
    zep3.thread.add_messages(thread_id, messages=[message])
    found = zep3.thread.get(thread_id)["messages"][0]
    assert found["content"] == "The invoice is paid."
    assert found["name"] == "Ada"
    assert found["role"] == "assistant"
    assert found["metadata"] == metadata
    assert instant(found["created_at"]) == instant("2024-03-01T10:00:00Z")


@requirement("v2:memory.get_session_messages:paging")
def test_a_session_is_read_in_pages(zep2: Zep) -> None:
    """limit cuts and cursor continues where the page before ended; the total stays whole."""
    session_id = session_with(zep2, 5)
    seen: list[str] = []
    for cursor in (0, 2, 4):
        page = zep2.memory.get_session_messages(session_id, limit=2, cursor=cursor)
        assert page["total_count"] == 5
        assert page["row_count"] == len(page["messages"])
        seen += contents(page["messages"])
    assert seen == lines(0, 1, 2, 3, 4)


@requirement("v3:thread.get:paging")
def test_a_thread_is_read_in_pages(zep3: Zep) -> None:
    """limit cuts and cursor continues where the page before ended; the total stays whole."""
    thread_id = thread_with(zep3, 5)
    seen: list[str] = []
    for cursor in (0, 2, 4):
        page = zep3.thread.get(thread_id, limit=2, cursor=cursor)
        assert page["total_count"] == 5
        assert page["row_count"] == len(page["messages"])
        seen += contents(page["messages"])
    assert seen == lines(0, 1, 2, 3, 4)


@requirement("v3:thread.get:lastn-overrides-limit")
def test_lastn_wins_over_limit_and_cursor(zep3: Zep) -> None:
    """The newest messages are answered, oldest of them first, whatever else was asked."""
    thread_id = thread_with(zep3, 5)
    assert contents(zep3.thread.get(thread_id, lastn=2)["messages"]) == lines(3, 4)
    found = zep3.thread.get(thread_id, lastn=3, limit=1, cursor=4)
    assert contents(found["messages"]) == lines(2, 3, 4)


@requirement("v2:memory.get", "v2:memory.get:lastn")
def test_memory_holds_the_newest_messages(zep2: Zep) -> None:
    """lastn keeps the newest messages in the order they were said."""
    session_id = session_with(zep2, 5)
    assert contents(zep2.memory.get(session_id, lastn=2)["messages"]) == lines(3, 4)
    assert contents(zep2.memory.get(session_id, lastn=50)["messages"]) == lines(0, 1, 2, 3, 4)


@requirement("v2:memory.get", "v2:memory.get:facts-that-hold")
def test_memory_tells_what_is_known_of_the_user(zep2: Zep) -> None:
    """The context string and the relevant facts carry what the user was created with."""
    user = a_user(zep2)
    session_id = a_session(zep2, user_id=user["user_id"])["session_id"]
    zep2.memory.add(session_id, messages=[said2("Hi")])
    memory = zep2.memory.get(session_id)
    assert user["email"] in memory["context"]
    assert any(user["email"] in fact["fact"] for fact in memory["relevant_facts"])


@requirement("v2:memory.add:return-context")
def test_adding_to_a_session_can_answer_with_context(zep2: Zep) -> None:
    """The context comes in the same answer when asked for, and not otherwise."""
    user = a_user(zep2)
    session_id = a_session(zep2, user_id=user["user_id"])["session_id"]
    asked = zep2.memory.add(session_id, messages=[said2("Hi")], return_context=True)
    assert user["email"] in asked["context"]
    assert not zep2.memory.add(session_id, messages=[said2("Hi")]).get("context")


@requirement("v3:thread.add_messages:return-context")
def test_adding_to_a_thread_can_answer_with_context(zep3: Zep) -> None:
    """The context comes in the same answer when asked for, and not otherwise."""
    user = a_user(zep3)
    thread_id = a_thread(zep3, user_id=user["user_id"])["thread_id"]
    asked = zep3.thread.add_messages(thread_id, messages=[said3("Hi")], return_context=True)
    assert user["email"] in asked["context"]
    assert not zep3.thread.add_messages(thread_id, messages=[said3("Hi")]).get("context")


@requirement("v2:memory.add:ignore-roles")
def test_ignored_roles_stay_in_the_history_of_a_session(zep2: Zep) -> None:
    """Messages that are not to be extracted are still remembered as said."""
    session_id = a_session(zep2)["session_id"]
    said = [said2("I live in Rome."), said2("Lovely.", role_type="assistant", role="Ada")]
    zep2.memory.add(session_id, messages=said, ignore_roles=["assistant"])
    found = zep2.memory.get_session_messages(session_id)
    assert contents(found["messages"]) == ["I live in Rome.", "Lovely."]
    assert found["total_count"] == 2


@requirement("v3:thread.add_messages:ignore-roles")
def test_ignored_roles_stay_in_the_history_of_a_thread(zep3: Zep) -> None:
    """Messages that are not to be extracted are still remembered as said."""
    thread_id = a_thread(zep3)["thread_id"]
    said = [said3("I live in Rome."), said3("Lovely.", role="assistant", name="Ada")]
    answer = zep3.thread.add_messages(thread_id, messages=said, ignore_roles=["assistant"])
    found = zep3.thread.get(thread_id)
    assert contents(found["messages"]) == ["I live in Rome.", "Lovely."]
    assert uuids(found["messages"]) == answer["message_uuids"]


@requirement("v3:thread.add_messages:becomes-processed")
def test_a_message_is_processed_after_a_while(zep3: Zep) -> None:
    """The history shows when a message has been taken in."""
    thread_id = a_thread(zep3)["thread_id"]
    zep3.thread.add_messages(thread_id, messages=[said3("I live in Rome.")])
    eventually(
        lambda: zep3.thread.get(thread_id)["messages"][0],
        lambda message: message.get("processed") is True,
    )


@requirement("v3:thread.add_messages_batch", "v3:task.get", "v3:task.get:succeeds")
def test_a_batch_of_messages_is_followed_by_its_task(zep3: Zep) -> None:
    """The messages are in order and the task of the call ends as succeeded."""
    thread_id = a_thread(zep3)["thread_id"]
    answer = zep3.thread.add_messages_batch(
        thread_id, messages=[said3(text) for text in lines(0, 1, 2)]
    )
    found = zep3.thread.get(thread_id)
    assert contents(found["messages"]) == lines(0, 1, 2)
    assert uuids(found["messages"]) == answer["message_uuids"]
    task = eventually(
        lambda: zep3.task.get(answer["task_id"]), lambda task: task["status"] == "succeeded"
    )
    assert task["task_id"] == answer["task_id"]
    assert instant(task["completed_at"]) >= instant(task["created_at"])


@requirement("v3:task.get", "v3:errors:404-is-typed")
def test_an_unknown_task_is_not_found(zep3: Zep) -> None:
    """No task under this id is the client's NotFoundError."""
    with missing():
        zep3.task.get(NOBODY)


@requirement("v2:memory.update_message_metadata", "v2:memory.update_message_metadata:merge")
def test_metadata_of_a_session_message_merges(zep2: Zep) -> None:
    """Given keys are set, others stay, and null removes a key."""
    session_id = a_session(zep2)["session_id"]
    zep2.memory.add(session_id, messages=[said2("Hi", metadata={"a": 1, "b": 2})])
    uuid = zep2.memory.get_session_messages(session_id)["messages"][0]["uuid"]
    changed = zep2.memory.update_message_metadata(session_id, uuid, metadata={"a": None, "c": 3})
    merged = {"b": 2, "c": 3}
    if zep2.client.language == "javascript":  # this client drops nulls before it sends
        merged["a"] = 1
    assert changed["metadata"] == merged
    assert zep2.memory.get_session_message(session_id, uuid)["metadata"] == merged
    with missing():
        zep2.memory.update_message_metadata(session_id, NOBODY, metadata={"a": 1})


@requirement("v3:thread.message.update", "v3:thread.message.update:merge")
def test_metadata_of_a_thread_message_merges(zep3: Zep) -> None:
    """Given keys are set, others stay, and null removes a key."""
    thread_id = a_thread(zep3)["thread_id"]
    said = [said3("Hi", metadata={"a": 1, "b": 2})]
    uuid = zep3.thread.add_messages(thread_id, messages=said)["message_uuids"][0]
    changed = zep3.thread.message.update(uuid, metadata={"a": None, "c": 3})
    assert changed["metadata"] == {"b": 2, "c": 3}
    assert changed["content"] == "Hi"
    assert zep3.thread.get(thread_id)["messages"][0]["metadata"] == {"b": 2, "c": 3}
    with missing():
        zep3.thread.message.update(NOBODY, metadata={"a": 1})


TOO_MUCH: dict[str, list[dict[str, Any]]] = {
    "one message too many": [{"content": "x"}] * (MESSAGES_MAX + 1),
    "one character too many": [{"content": "x" * (CHARACTERS_MAX + 1)}],
}


@pytest.mark.parametrize("said", TOO_MUCH.values(), ids=TOO_MUCH)
@requirement("v2:memory.add:limits")
def test_too_much_at_once_is_refused_for_a_session(zep2: Zep, said: list[dict[str, Any]]) -> None:
    """Past the limits nothing is stored."""
    session_id = a_session(zep2)["session_id"]
    with refused(400):
        zep2.memory.add(session_id, messages=[said2(message["content"]) for message in said])
    assert zep2.memory.get_session_messages(session_id)["total_count"] == 0


@pytest.mark.parametrize("said", TOO_MUCH.values(), ids=TOO_MUCH)
@requirement("v3:thread.add_messages:limits")
def test_too_much_at_once_is_refused_for_a_thread(zep3: Zep, said: list[dict[str, Any]]) -> None:
    """Past the limits nothing is stored."""
    thread_id = a_thread(zep3)["thread_id"]
    with refused(400):
        zep3.thread.add_messages(thread_id, messages=[said3(one["content"]) for one in said])
    assert zep3.thread.get(thread_id)["total_count"] == 0


@requirement("v3:thread.add_messages:limits", "v2:memory.add:limits")
def test_the_limits_themselves_are_allowed(py2: Zep, py3: Zep) -> None:
    """Thirty messages, one of them as long as can be, counted in characters and not in bytes."""
    said = ["é" * CHARACTERS_MAX] + ["x"] * (MESSAGES_MAX - 1)
    session_id = a_session(py2)["session_id"]
    py2.memory.add(session_id, messages=[said2(text) for text in said])
    assert py2.memory.get_session_messages(session_id)["total_count"] == MESSAGES_MAX
    thread_id = a_thread(py3)["thread_id"]
    py3.thread.add_messages(thread_id, messages=[said3(text) for text in said])
    assert contents(py3.thread.get(thread_id, lastn=MESSAGES_MAX)["messages"])[0] == said[0]
