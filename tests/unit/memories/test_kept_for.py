"""Messages that a memory client adds for one memory, seen by that client and by the others."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.memory import GRAPH, Memory, remembering

SAID = {
    "episodic": "I moved to Lisbon and I love the violin.",
    "semantic": "I work at Acme and I play the violin.",
}


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    """A graph to which one message was added for each memory."""
    async with remembering(tmp_path) as made:
        for kind, content in SAID.items():
            message = {"content": content, "producer": "Ann"}
            await made.post("/memories", project() | {"types": [kind], "messages": [message]})
        await made.learn()
        yield made


def project() -> dict[str, str]:
    """How memory clients name the graph."""
    return {"org_id": "universal", "project_id": GRAPH}


async def recalled(memory: Memory, text: str, **more: object) -> list[str]:
    """What the long-term memory recalls, without the window that shows the same."""
    off = {"short_term_memory_enabled": False}
    await memory.send(204, "POST", "/memory/episodic/config", project() | off)
    body = {"query": text, "types": ["episodic"], **more}
    found = await memory.post("/memories/search", project() | body)
    episodes = found["content"]["episodic_memory"]["long_term_memory"]["episodes"]
    return [one["content"] for one in episodes]


async def test_facts_come_from_what_is_for_the_semantic_memory(memory: Memory) -> None:
    facts = {one["fact"] for one in await memory.listed("edge")}
    assert any("Acme" in fact for fact in facts)
    assert not any("Lisbon" in fact for fact in facts)


async def test_only_what_is_for_the_episodic_memory_is_recalled(memory: Memory) -> None:
    for expand in (0, 3):
        found = await recalled(memory, "violin", expand_context=expand)
        assert found == [SAID["episodic"]]


async def test_the_log_holds_both(memory: Memory) -> None:
    told = await memory.get(f"/graph/episodes/graph/{GRAPH}?lastn=10")
    assert {one["content"] for one in told["episodes"]} == set(SAID.values())
