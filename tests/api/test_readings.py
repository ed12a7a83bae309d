"""Agents as readers, over the routes and the tools: taking an episode and giving an answer."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from recollect.governance import keys
from recollect.graph.types import Access
from recollect.ingest import extractors
from recollect.ingest.extractors import AgentExtractor
from recollect.limits import READING_LEASE_S
from recollect.mcp import calls
from recollect.settings import Settings
from recollect.store.protocol import Transaction
from tests.contract.store.world import StillClock
from tests.support import here
from tests.support.asgi import Answer, Program
from tests.support.memory import GRAPH, Memory
from tests.support.memory import program as opened
from tests.support.second_readings import HereEmbedded, likes

ATTEMPTS = Settings().job_attempts_max
TAKE, GIVE, RETRY = (f"/api/v1/readings/{name}" for name in ("take", "give", "retry"))


@pytest.fixture
def clock() -> StillClock:
    """Time, in the test's hand."""
    return StillClock()


@pytest.fixture
async def memory(
    tmp_path: Path, clock: StillClock, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Memory]:
    """A memory whose episodes wait for agents once they were read."""
    monkeypatch.setattr(extractors, "EmbeddedExtractor", HereEmbedded)
    async with opened(tmp_path, clock=clock) as running:
        running.services._embedded = HereEmbedded()
        made = Memory(running)
        await made.post("/graph/create", {"graph_id": GRAPH})
        await made.post("/users", {"user_id": "ann", "first_name": "Ann", "last_name": "Lee"})
        yield made


async def tell(memory: Memory, *texts: str, graph: str = GRAPH, **more: Any) -> list[str]:
    """Texts that were read once and wait for an agent; their uuids."""
    uuids = []
    for text in texts:
        body = {"graph_id": graph, "type": "text", "data": text, **more}
        uuids.append(str((await memory.post("/graph", body))["uuid"]))
    await here.learn(memory.running.services.store, AgentExtractor(Path("none")))
    return uuids


async def take(memory: Memory, key: str | None = None, **body: Any) -> Any:
    """What an agent is given; None for nothing."""
    answer = await memory.running.send("POST", TAKE, body, key=key)
    assert answer.status in (200, 204), answer
    return answer.json() if answer.body else None


async def give(memory: Memory, taken: Any, answer: Any, key: str | None = None) -> Answer:
    """An answer to what was taken."""
    body = {"episode_uuid": taken["episode_uuid"], "lease": taken["lease"], "answer": answer}
    return await memory.running.send("POST", GIVE, body, key=key)


async def listed(memory: Memory, query: str = "", key: str | None = None) -> list[Any]:
    """What waits or is parked."""
    answer = await memory.running.send("GET", "/api/v1/readings", query=query, key=key)
    return list(answer.json()["readings"])


def reading(running: Program, uuid: str) -> list[tuple[str, str]]:
    """Who read an episode, and what was found."""
    return running.rows(
        "SELECT r.reader, r.found FROM readings r JOIN episodes e ON e.id = r.episode_id"
        " WHERE e.uuid = ?",
        uuid,
    )


async def test_an_agent_gets_the_prompt_of_a_model_and_answers_it(memory: Memory) -> None:
    """The answer replaces the first reading, is counted, and leaves an entry in the audit log."""
    (uuid,) = await tell(memory, "Ann plays chess.")
    taken = await take(memory)
    assert taken["episode_uuid"] == uuid
    assert "Ann plays chess." in taken["prompt"]["user"]
    assert taken["prompt"]["system"]
    assert taken["schema"]["required"] == ["entities", "facts"]
    given = await give(memory, taken, likes(who="Ann"))
    assert (given.status, given.json()) == (200, {"episode_uuid": uuid, "entities": 2, "facts": 1})
    ((reader, found),) = reading(memory.running, uuid)
    assert reader.startswith("agent:")
    assert "Ann likes chess" in found
    assert await listed(memory) == []
    assert await take(memory) is None
    entries = memory.running.rows("SELECT action FROM audit_entries ORDER BY number DESC LIMIT 3")
    assert [action for (action,) in entries] == ["reading.take", "reading.give", "reading.take"]


async def test_a_bad_answer_is_refused_with_its_place_and_can_be_mended(memory: Memory) -> None:
    """The lease stays for another try."""
    await tell(memory, "Ann plays chess.")
    taken = await take(memory)
    foreign = likes()
    foreign["facts"][0]["target"] = 7
    for answer, place in ((foreign, "facts[0].target"), ({"facts": []}, "entities")):
        refused = await give(memory, taken, answer)
        assert refused.status == 422
        assert place in refused.message
    assert (await give(memory, taken, likes())).status == 200


async def test_too_many_bad_answers_park_the_episode(memory: Memory) -> None:
    """It keeps its first reading, is listed with the error, and is tried again by hand."""
    (uuid,) = await tell(memory, "Ann plays chess.")
    taken = await take(memory)
    refused = [await give(memory, taken, {}) for _ in range(ATTEMPTS)]
    assert [one.status for one in refused] == [422] * ATTEMPTS
    assert "it is parked" in refused[-1].message
    assert (await give(memory, taken, likes())).status == 409
    (parked,) = await listed(memory, "status=parked")
    assert (parked["episode_uuid"], parked["attempts"]) == (uuid, ATTEMPTS)
    assert "entities" in parked["error"]
    assert await take(memory) is None
    again = await memory.running.send("POST", RETRY, {"episode_uuid": uuid})
    assert again.json() == {"retried": 1}
    assert (await give(memory, await take(memory), likes())).status == 200
    assert (await memory.running.send("POST", RETRY, {"episode_uuid": uuid})).status == 404


async def test_a_lease_is_lost_when_somebody_else_took_over(
    memory: Memory, clock: StillClock
) -> None:
    """Only one answer counts, and it counts once."""
    await tell(memory, "Ann plays chess.")
    slow = await take(memory)
    clock.advance(READING_LEASE_S)
    quick = await take(memory)
    assert quick["lease"] != slow["lease"]
    assert (await give(memory, slow, likes())).status == 409
    assert (await give(memory, quick, likes("tennis"))).status == 200
    assert (await give(memory, quick, likes())).status == 409
    ((_, found),) = reading(memory.running, quick["episode_uuid"])
    assert "tennis" in found


async def test_an_answer_after_the_episode_was_forgotten_is_not_found(memory: Memory) -> None:
    """Nothing of it is kept, not even what was shown."""
    (uuid,) = await tell(memory, "Ann plays chess.")
    taken = await take(memory)
    erased = await memory.running.send("DELETE", f"/api/v1/episodes/{uuid}", query="mode=forget")
    assert erased.status == 200
    assert (await give(memory, taken, likes())).status == 404
    assert memory.running.rows("SELECT * FROM readings") == []
    assert memory.running.rows("SELECT * FROM rereadings") == []


async def test_two_agents_at_once_never_get_the_same(memory: Memory) -> None:
    """One after the other within a graph, side by side in several."""
    await memory.post("/graph/create", {"graph_id": "other"})
    await tell(memory, "Ann plays chess.", "Ann lives in Oslo.")
    await tell(memory, "Bob plays golf.", graph="other")
    got = await asyncio.gather(*(take(memory) for _ in range(4)))
    taken = [one["episode_uuid"] for one in got if one is not None]
    assert len(taken) == len(set(taken)) == 2
    assert await take(memory, graph_id="other") is None


async def test_a_graph_can_be_named(memory: Memory) -> None:
    """One that is not there is not found, and two at once are a mistake."""
    await tell(memory, "Ann plays chess.")
    assert await take(memory, user_id="ann") is None
    assert await take(memory, graph_id=GRAPH) is not None
    for body, status in (({"user_id": "nobody"}, 404), ({"user_id": "a", "graph_id": "b"}, 400)):
        assert (await memory.running.send("POST", TAKE, body)).status == status


async def test_a_narrowed_key_is_shown_only_what_it_sees(memory: Memory) -> None:
    """Neither hidden episodes nor names that only they tell, nor may it answer for others."""
    hidden, seen, seen_only = {"team": "red"}, {"team": "blue"}, {"team": ["blue"]}
    (secret,) = await tell(memory, "Zoe Quill works at Acme.", metadata=hidden)
    (open_,) = await tell(memory, "Zoe Quill called about Acme.", metadata=seen)
    actions = ["readonly", "reading.take", "reading.give", "reading.retry"]
    key = await memory.key({"effect": "allow", "actions": actions, "attributes": seen_only})
    whole = await take(memory)
    assert whole["episode_uuid"] == secret
    taken = await take(memory, key)
    assert taken["episode_uuid"] == open_
    assert "Zoe Quill works" not in taken["prompt"]["user"]
    assert "<facts" not in taken["prompt"]["user"]
    assert "<entities" not in taken["prompt"]["user"]
    assert [one["episode_uuid"] for one in await listed(memory, key=key)] == [open_]
    assert (await give(memory, whole, likes(), key)).status == 404
    retried = await memory.running.send("POST", RETRY, {}, key=key)
    assert retried.json() == {"retried": 1}
    assert (await give(memory, taken, likes(), key)).status == 200


async def test_lists_come_in_pages(memory: Memory) -> None:
    """Each page says how to ask for the next."""
    uuids = await tell(memory, "Ann plays chess.", "Ann lives in Oslo.", "Ann likes tea.")
    first = (await memory.running.send("GET", "/api/v1/readings", query="limit=2")).json()
    assert [one["episode_uuid"] for one in first["readings"]] == uuids[:2]
    rest = await listed(memory, f"limit=2&cursor={first['next_cursor']}")
    assert [one["episode_uuid"] for one in rest] == uuids[2:]


async def test_the_tools_do_as_the_routes_do(memory: Memory) -> None:
    """For a key that may write through tools; nothing to read is told as such."""
    access = await memory.running.services.store.read(_access)
    gate = memory.running.app.gate
    (uuid,) = await tell(memory, "Ann plays chess.")
    taken = (await calls.run(gate, access, "take_reading", {"graph_id": GRAPH})).value
    assert taken is not None
    bad = {"episode_uuid": uuid, "lease": taken["lease"], "answer": {"facts": []}}
    refused = await calls.run(gate, access, "give_reading", bad)
    assert refused.value is None
    assert refused.text.startswith("could not give the reading: 422: answer: ")
    given = await calls.run(gate, access, "give_reading", bad | {"answer": likes()})
    assert given.value == {"episode_uuid": uuid, "entities": 2, "facts": 1}
    nothing = await calls.run(gate, access, "take_reading", {})
    assert nothing.value == {"message": "There is nothing."}
    assert not any(
        "reading" in tool.name for tool in calls.offered(replace(access, mcp_write=False))
    )


def _access(tx: Transaction) -> Access:
    project = keys.project_named(tx, keys.DEFAULT_PROJECT)
    return Access(project_id=project.id, project_uuid=project.uuid, key_uuid="", mcp_write=True)
