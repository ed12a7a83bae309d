"""Messages over HTTP where the promise is finer than the clients' own tests can see."""

import pytest

from recollect.api.compat.zep import routes_messages
from recollect.errors import StoreUnavailable
from recollect.limits import PAGE_MAX
from tests.support.asgi import Program, program


@pytest.fixture
async def running(tmp_path):
    """The application with a user and a thread."""
    async with program(tmp_path) as made:
        await made.send("POST", "/api/v2/users", {"user_id": "jane"})
        await made.send("POST", "/api/v2/threads", {"thread_id": "t", "user_id": "jane"})
        yield made


def message(text: str) -> dict[str, str]:
    """A message of generation 3."""
    return {"role": "user", "content": text}


async def count(running: Program) -> int:
    """How many messages the thread has."""
    answer = await running.send("GET", "/api/v2/threads/t/messages")
    return answer.json()["total_count"]


async def test_a_context_that_fails_leaves_no_message_behind(
    running: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Older clients retry a 5xx: a message stored before it would then be there twice."""

    def broken(*args: object) -> str:
        raise StoreUnavailable

    sent = {"messages": [message("hello")], "return_context": True}
    with monkeypatch.context() as patch:
        patch.setattr(routes_messages, "_block3", broken)
        answer = await running.send("POST", "/api/v2/threads/t/messages", sent)
    assert answer.status == 503
    assert await count(running) == 0
    answer = await running.send("POST", "/api/v2/threads/t/messages", sent)
    assert answer.status == 200
    assert "FACTS" in answer.json()["context"]
    assert await count(running) == 1


async def test_only_a_message_can_be_updated_as_one(running: Program) -> None:
    """A text of the graph is an episode, and no message."""
    data = {"user_id": "jane", "type": "text", "data": "A note"}
    episode = (await running.send("POST", "/api/v2/graph", data)).json()["uuid"]
    change = {"metadata": {"a": 1}}
    assert (await running.send("PATCH", f"/api/v2/messages/{episode}", change)).status == 404
    sent = await running.send(
        "POST", "/api/v2/threads/t/messages", {"messages": [message("hello")]}
    )
    uuid = sent.json()["message_uuids"][0]
    answer = await running.send("PATCH", f"/api/v2/messages/{uuid}", change)
    assert answer.json()["metadata"] == {"a": 1}


async def test_a_cut_answer_says_that_it_is_cut(running: Program) -> None:
    """A list without pages is bounded, and a header tells when something was left out."""
    path = "/api/v2/threads/t/episodes"
    for full in range(PAGE_MAX // 30 + 1):
        batch = {"messages": [message(f"{full}-{n}") for n in range(30)]}
        await running.send("POST", "/api/v2/threads/t/messages", batch)
        if not full:
            assert (await running.send("GET", path)).header("zep-truncated") is None
    answer = await running.send("GET", path)
    assert len(answer.json()["episodes"]) == PAGE_MAX
    assert answer.header("zep-truncated") == "true"


async def test_a_small_field_does_not_make_a_large_error(running: Program) -> None:
    """What was sent is repeated only as far as a person would read it."""
    sent = {"messages": [{**message("x"), "created_at": "z" * 1_000_000}]}
    answer = await running.send("POST", "/api/v2/threads/t/messages", sent)
    assert answer.status == 400
    assert len(answer.body) < 500
