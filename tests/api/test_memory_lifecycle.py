"""A project of a memory client that is deleted while its memory is in use, and afterwards."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import REGISTRY

from recollect.governance import keys
from recollect.graph.types import Access, Graph
from recollect.records import graphs
from tests.support.memory import Memory, remembering

P = {"org_id": "acme", "project_id": "notes"}
TOLD = "The safe opens with heliotrope."


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    """The application with a project that was told something."""
    async with remembering(tmp_path) as made:
        await made.send(201, "POST", "/projects", {**P, "description": ""})
        await tell(made, TOLD)
        await made.learn()
        yield made


async def tell(memory: Memory, text: str) -> None:
    """A message for the project."""
    await memory.post("/memories", {**P, "types": [], "messages": [{"content": text}]})


async def search(memory: Memory, query: str = "What opens the safe?") -> Any:
    """What both memories answer."""
    body = {**P, "query": query, "types": ["episodic"]}
    return (await memory.post("/memories/search", body))["content"]["episodic_memory"]


async def graph_of(memory: Memory) -> Graph:
    """The graph behind the project."""
    store = memory.running.services.store
    key: Access | None = await store.read(keys.authenticate, keys.hashed(memory.running.key))
    assert key is not None
    return await store.read(graphs.get, key, "acme.notes")


async def test_deleting_a_project_in_use_waits_until_nobody_uses_it(memory: Memory) -> None:
    """Then everything of it is gone."""
    memories = memory.running.services.memories
    async with memories.hold(await graph_of(memory)):
        deletion = asyncio.create_task(memory.send(204, "POST", "/projects/delete", P))
        await asyncio.sleep(0.05)
        assert not deletion.done()
        await memory.send(200, "POST", "/projects/get", P)
    await deletion
    await memory.send(404, "POST", "/projects/get", P)
    assert (await search(memory))["short_term_memory"]["episodes"] == []


async def test_deleting_a_project_that_stays_in_use_is_a_conflict(memory: Memory) -> None:
    """It says so, deletes nothing, and succeeds later."""
    memories = memory.running.services.memories
    memories._manager._wait_s = 0.01
    async with memories.hold(await graph_of(memory)):
        answer = await memory.send(409, "POST", "/projects/delete", P)
    assert "in use" in answer.json()["detail"]["message"]
    assert (await search(memory))["short_term_memory"]["episodes"][0]["content"] == TOLD
    await memory.send(204, "POST", "/projects/delete", P)
    await memory.send(404, "POST", "/projects/delete", P)


async def test_a_deleted_project_leaves_no_byte(memory: Memory) -> None:
    """Not in the files, and not with an instance."""
    await search(memory)
    folder, memories = memory.running.folder, memory.running.services.memories
    assert any(b"heliotrope" in one.read_bytes() for one in folder.iterdir() if one.is_file())
    await memory.send(204, "POST", "/projects/delete", P)
    held = [one for one in folder.iterdir() if one.is_file() and b"heliotrope" in one.read_bytes()]
    assert held == []
    assert memories._manager.open_count == 0


async def test_a_search_during_the_deletion_sees_a_project_or_none(memory: Memory) -> None:
    """Searches and deletions at the same time: no answer is half a project."""
    tasks = [asyncio.create_task(search(memory)) for _ in range(6)]
    tasks.insert(3, asyncio.create_task(memory.send(204, "POST", "/projects/delete", P)))
    answers = await asyncio.gather(*tasks, return_exceptions=True)
    for answer in [one for one in answers if isinstance(one, dict)]:
        told = [one["content"] for one in answer["short_term_memory"]["episodes"]]
        assert told in ([], [TOLD])
    assert not [one for one in answers if isinstance(one, BaseException)]


async def test_a_project_made_anew_knows_nothing_of_the_old_one(memory: Memory) -> None:
    """Though it has the same name, and the old one was in memory."""
    await search(memory)
    await memory.send(204, "POST", "/projects/delete", P)
    await tell(memory, "The safe is open.")
    found = await search(memory)
    told = [one["content"] for one in found["short_term_memory"]["episodes"]]
    assert told == ["The safe is open."]


async def test_switching_a_memory_off_holds_for_an_open_instance(memory: Memory) -> None:
    """The next search is answered accordingly."""
    assert (await search(memory))["short_term_memory"]["episodes"] != []
    off = {**P, "short_term_memory_enabled": False}
    await memory.send(204, "POST", "/memory/episodic/config", off)
    found = await search(memory)
    assert found["short_term_memory"]["episodes"] == []
    assert found["long_term_memory"]["episodes"][0]["content"] == TOLD
    await memory.send(204, "POST", "/memory/episodic/config", {**P, "enabled": False})
    assert await search(memory) is None


async def test_ingestion_and_query_are_counted_and_timed(memory: Memory) -> None:
    """And Prometheus is told, also where these clients look."""

    def now(name: str) -> float:
        return REGISTRY.get_sample_value(f"recollect_memory_{name}") or 0.0

    names = ("ingestion_count_total", "ingestion_latency_ms_count", "query_latency_ms_count")
    before = {name: now(name) for name in names}
    two = [{"content": "one"}, {"content": "two"}]
    await memory.post("/memories", {**P, "types": [], "messages": two})
    await search(memory)
    assert {name: now(name) - before[name] for name in names} == dict(
        zip(names, (2, 1, 1), strict=True)
    )
    told = (await memory.send(200, "GET", "/metrics")).body.decode()
    assert "\nrecollect_memory_query_count_total " in told
    assert "acme" not in told
