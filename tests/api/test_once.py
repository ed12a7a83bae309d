"""A writing call that comes again with its key is carried out once, for a day."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.asgi import Answer, Program, program

BEGAN = datetime(2026, 5, 1, 12, tzinfo=UTC)


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = BEGAN

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    """The clock of the program."""
    return Clock()


@pytest.fixture
async def running(tmp_path: Path, clock: Clock) -> AsyncIterator[Program]:
    """The application on an empty folder."""
    async with program(tmp_path / "data", clock=clock) as made:
        yield made


async def ask(running: Program, method: str, path: str, body: Any = b"", key: str = "k") -> Answer:
    """A request of generation 4 with an idempotency key."""
    headers = [("Idempotency-Key", key)]
    return await running.send(method, f"/api/v4{path}", body, headers=headers)


async def a_thread(running: Program) -> tuple[str, str]:
    """The uuids of a new user and of a thread of theirs."""
    user = (await ask(running, "POST", "/users", {}, "user")).json()["uuid"]
    thread = await ask(running, "POST", "/threads", {"user_uuid": user}, "thread")
    return user, thread.json()["uuid"]


def said(words: str) -> dict[str, Any]:
    """A message."""
    return {"messages": [{"role": "user", "content": words}]}


async def test_the_answer_is_the_same_byte_for_byte(running: Program) -> None:
    """And the message is there once."""
    _, thread = await a_thread(running)
    path = f"/threads/{thread}/messages"
    first, second = [await ask(running, "POST", path, said("I like tea.")) for _ in range(2)]
    assert (first.status, first.body) == (second.status, second.body)
    assert running.rows("SELECT count(*) FROM episodes") == [(1,)]


async def test_without_a_key_everything_is_done_each_time(running: Program) -> None:
    """As older clients expect."""
    _, thread = await a_thread(running)
    path = f"/api/v4/threads/{thread}/messages"
    for _ in range(2):
        assert (await running.send("POST", path, said("I like tea."))).status == 200
    assert running.rows("SELECT count(*) FROM episodes") == [(2,)]


async def test_a_key_is_kept_for_a_day(running: Program, clock: Clock) -> None:
    """A second less, and it is known; a second more, and it is not, nor is it in the store."""
    _, thread = await a_thread(running)
    path = f"/threads/{thread}/messages"
    await ask(running, "POST", path, said("I like tea."))
    clock.now = BEGAN + timedelta(days=1, seconds=-1)
    await ask(running, "POST", path, said("I like tea."))
    assert running.rows("SELECT count(*) FROM episodes") == [(1,)]
    clock.now = BEGAN + timedelta(days=1, seconds=1)
    await ask(running, "POST", path, said("I like tea."))
    assert running.rows("SELECT count(*) FROM episodes") == [(2,)]
    assert running.rows("SELECT count(*) FROM kept_answers") == [(1,)]


async def test_a_refused_write_may_be_sent_again(running: Program) -> None:
    """Nothing was done, so nothing is kept."""
    refused = await ask(running, "POST", "/users", {"time_zone": "nowhere"})
    assert refused.status == 400
    assert (await ask(running, "POST", "/users", {"time_zone": "UTC"})).status == 200


@pytest.mark.parametrize("key", ["", " ", "x" * 256, "schlüssel"])
async def test_a_key_that_is_none_is_refused_by_name(running: Program, key: str) -> None:
    """Before anything is done."""
    answer = await ask(running, "POST", "/users", {}, key)
    assert answer.status == 400
    assert answer.message.startswith("Idempotency-Key: ")
    assert running.rows("SELECT count(*) FROM users") == [(0,)]


async def test_what_is_erased_is_in_no_kept_answer(running: Program) -> None:
    """Neither the words of a deleted episode nor anything of a deleted user, in no file."""
    user, thread = await a_thread(running)
    added = await ask(running, "POST", f"/threads/{thread}/messages", said("My pin is 4711."))
    episode = added.json()["messages"][0]["uuid"]
    path = f"/graphs/{user}/episodes/{episode}"
    assert (await ask(running, "DELETE", path, key="gone")).status == 200
    assert (await ask(running, "POST", "/users", {"first_name": "Xanthippe"}, "x")).status == 200
    other = running.rows("SELECT uuid FROM users WHERE first_name = 'Xanthippe'")[0][0]
    assert (await ask(running, "DELETE", f"/users/{other}", key="x gone")).status == 200
    held = b"".join(file.read_bytes() for file in running.folder.iterdir() if file.is_file())
    assert b"4711" not in held
    assert b"Xanthippe" not in held
    again = await ask(running, "POST", f"/threads/{thread}/messages", said("My pin is 4711."))
    assert again.status == 409
    assert running.rows("SELECT count(*) FROM episodes") == [(0,)]


async def test_what_was_said_about_a_user_goes_with_them(running: Program) -> None:
    """Also out of the answers to instructions that were given for them alone."""
    user, _ = await a_thread(running)
    path = f"/users/{user}/summary-instructions"
    told = {"instructions": [{"name": "care", "text": "Ann has a bad knee."}]}
    assert (await ask(running, "PUT", path, told)).status == 200
    assert (await ask(running, "DELETE", f"/users/{user}", key="gone")).status == 200
    assert (await ask(running, "PUT", path, told)).status in (404, 409)
    assert running.rows("SELECT count(*) FROM kept_answers WHERE answer LIKE '%knee%'") == [(0,)]
