"""Traces of agents over HTTP: what is erased is gone for good, and metadata of events is a wall."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.asgi import Answer
from tests.support.memory import Memory, remembering

WORD = "zanzibar"


class World(Memory):
    """An agent with a trace whose every text has a word that can be looked for."""

    agent: str = ""
    trace: str = ""

    @property
    def path(self) -> str:
        """The address of the trace."""
        return f"/api/v4/agents/{self.agent}/traces/{self.trace}"

    async def begin(self) -> None:
        """Make the agent and its trace."""
        named = {"agent_id": "helper", "name": "Helper", "security_domain": "a:b"}
        self.agent = (await self.running.send("POST", "/api/v4/agents", named)).json()["uuid"]
        told = {
            "objective": f"Go to {WORD}.",
            "trace_id": f"{WORD}-1",
            "task_family": WORD,
            "metadata": {"place": WORD},
        }
        path = f"/api/v4/agents/{self.agent}/traces"
        made = await self.running.send("POST", path, told, headers=_key("begin"))
        self.trace = made.json()["uuid"]

    async def ask(
        self, method: str, path: str, body: Any = b"", *, key: str | None = None, once: str = ""
    ) -> Answer:
        """A request below the trace; *once* is its idempotency key."""
        headers = _key(once) if once else []
        return await self.running.send(method, self.path + path, body, key=key, headers=headers)

    async def event(self, content: str, **fields: Any) -> dict[str, Any]:
        """An event that is told for the first time."""
        sent = {"event_type": "feedback", "content": content, **fields}
        answer = await self.ask("POST", "/events", sent, once=content)
        assert answer.status == 200, answer.body
        told: dict[str, Any] = answer.json()
        return told


def _key(once: str) -> list[tuple[str, str]]:
    return [("Idempotency-Key", once)]


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """The application with an agent that has a trace."""
    async with remembering(tmp_path) as memory:
        made = World(memory.running)
        await made.begin()
        yield made


def kept(world: World) -> str:
    """All answers that are kept for whoever asks again."""
    answers = world.running.rows("SELECT answer FROM kept_answers WHERE answer IS NOT NULL")
    return b"\n".join(bytes(row[0]) for row in answers).decode()


async def test_the_answer_to_a_deletion_keeps_no_words_of_what_was_erased(world: World) -> None:
    """Neither that of an event nor that of the trace, and it is told again as it was."""
    event = await world.event(f"Paul lives in {WORD}.")
    assert WORD in kept(world)
    path = f"/events/{event['uuid']}"
    first = [await world.ask("DELETE", path, {"expected_revision": 1}, once="e") for _ in range(2)]
    assert first[0].status == 200
    assert first[0].body == first[1].body
    assert WORD not in kept(world)
    gone = [await world.ask("DELETE", "", {"expected_revision": 2}, once="t") for _ in range(2)]
    assert gone[0].status == 200
    assert gone[0].body == gone[1].body
    assert gone[0].json()["trace"]["status"] == "deleted"
    assert WORD not in kept(world)
    graph_ids = world.running.rows("SELECT count(*) FROM kept_answers WHERE graph_id IS NULL")
    assert graph_ids == [(0,)]


async def test_a_trace_is_not_deleted_as_a_session(world: World) -> None:
    """That would leave what was read in it, and the answers that tell of it."""
    await world.event(f"Paul lives in {WORD}.")
    native = f"/api/v1/sessions/{world.trace}"
    refused = await world.running.send("DELETE", native)
    assert (refused.status, "trace of an agent" in refused.message) == (409, True)
    assert (await world.ask("GET", "")).status == 200


async def test_the_metadata_of_an_event_is_a_wall(world: World) -> None:
    """Around its words in the graph, in the list, in its log and for whoever tells it again."""
    await world.event("Paul likes tea.", metadata={"team": "blue"})
    await world.event("Paul lives in Oslo.", metadata={"team": "red"}, event_id="e")
    await world.event("Paul works at Siemens.")
    tags = world.running.rows("SELECT metadata FROM episodes ORDER BY id")
    own = [{"team": "blue"}, {"team": "red"}, {}]
    assert [json.loads(row[0]) for row in tags] == [{"place": WORD, **one} for one in own]
    rule = {
        "effect": "deny",
        "actions": ["readonly", "agent.trace.append_event"],
        "attributes": {"team": ["red"]},
    }
    key = await world.key(rule, role="default_allow")
    answer = await world.running.send("GET", f"{world.path}/events", query="page_size=2", key=key)
    page = answer.json()
    assert [one["sequence"] for one in page["items"]] == [1, 3]
    assert "next_cursor" not in page
    log = await world.running.send(
        "GET", f"/api/v1/sessions/{world.trace}/log", query="from_id=0", key=key
    )
    assert ("Siemens" in log.body.decode(), "Oslo" in log.body.decode()) == (True, False)
    again = {"event_type": "feedback", "content": "Paul lives in Oslo.", "event_id": "e"}
    sent = {**again, "metadata": {"team": "red"}}
    assert (await world.ask("POST", "/events", sent, key=key)).status == 409
    assert (await world.ask("POST", "/events", sent)).status == 200


async def test_an_event_that_was_deleted_is_neither_missing_nor_told_again(world: World) -> None:
    """Its place stays taken, and nothing of it is kept but a hash of its id."""
    first = {"event_id": f"{WORD}-e", "sequence": 1}
    told = await world.event("Paul likes tea.", **first)
    last = await world.event("Paul lives in Oslo.", event_id="last", sequence=2)
    for revision, one in enumerate((told, last), 1):
        gone = {"expected_revision": revision}
        assert (await world.ask("DELETE", f"/events/{one['uuid']}", gone)).status == 200
    kept_ids = world.running.rows("SELECT event_id, erased_id FROM trace_events")
    assert [(one, WORD in erased) for one, erased in kept_ids] == [(None, False)] * 2
    again = {"event_type": "feedback", "content": "Paul likes tea."}
    for named in (first, {"event_id": f"{WORD}-e"}, {"sequence": 1}, {"event_id": "last"}):
        refused = await world.ask("POST", "/events", {**again, **named})
        assert (refused.status, "was deleted" in refused.message) == (409, True)
    assert (await world.ask("GET", "/events")).json() == {"items": [], "total_size": 0}
    assert (await world.event("Paul works at Siemens."))["sequence"] == 3
    closed = await world.ask("POST", "/close", {"closing_sequence": 3})
    assert closed.status == 200, closed.body
