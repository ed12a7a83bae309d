"""Switches, window sizes and defaults as memory clients set them; what is not theirs to choose."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from recollect.models.manifest import CROSS_ENCODER, EMBEDDER
from recollect.settings import Settings
from tests.support.memory import Memory, remembering

NAMED = {"org_id": "acme", "project_id": "p1"}
OTHER = {"org_id": "acme", "project_id": "p2"}
ALL_ON = {
    "enabled": True,
    "long_term_memory_enabled": True,
    "short_term_memory_enabled": True,
}
Json = dict[str, Any]


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    """The application with two projects, each of which remembers three messages."""
    async with remembering(tmp_path / "data") as made:
        for named in (NAMED, OTHER):
            messages = [{"content": text} for text in ("first", "second", "third")]
            await made.post("/memories", {**named, "messages": messages})
        yield made


async def found(memory: Memory, named: Json = NAMED) -> Any:
    """What both memories answer."""
    asked = {**named, "query": "What came first?", "types": ["episodic"]}
    return (await memory.post("/memories/search", asked))["content"]["episodic_memory"]


async def window(memory: Memory, named: Json = NAMED) -> list[str]:
    """What is in the window."""
    episodes = (await found(memory, named))["short_term_memory"]["episodes"]
    return [one["content"] for one in episodes]


async def put(memory: Memory, path: str, body: Json, status: int = 200) -> Json:
    """What a change of the defaults is told."""
    answer: Json = (await memory.send(status, "PUT", f"/config/memory{path}", body)).json()
    return answer


async def test_every_memory_of_a_project_is_on_until_it_is_switched_off(memory: Memory) -> None:
    """Only what is given changes, and only here."""
    path = "/memory/episodic/config"
    assert await memory.post(f"{path}/get", NAMED) == ALL_ON
    change = {**NAMED, "long_term_memory_enabled": False}
    assert (await memory.send(204, "POST", path, change)).body == b""
    expected = {**ALL_ON, "long_term_memory_enabled": False}
    assert await memory.post(f"{path}/get", NAMED) == expected
    await memory.send(204, "POST", path, NAMED)
    assert await memory.post(f"{path}/get", NAMED) == expected
    assert await memory.post(f"{path}/get", OTHER) == ALL_ON


async def test_a_switch_takes_effect_with_the_next_question(memory: Memory) -> None:
    """Off is empty, both off or the whole off is null; the log keeps what was said meanwhile."""
    await memory.learn()
    path = "/memory/episodic/config"
    assert await window(memory) == ["first", "second", "third"]
    await memory.send(204, "POST", path, {**NAMED, "short_term_memory_enabled": False})
    answer = await found(memory)
    assert answer["short_term_memory"] == {"episodes": [], "episode_summary": []}
    assert answer["long_term_memory"]["episodes"]
    await memory.send(204, "POST", path, {**NAMED, "long_term_memory_enabled": False})
    assert await found(memory) is None
    await memory.send(204, "POST", path, {**NAMED, "short_term_memory_enabled": True})
    assert (await found(memory))["long_term_memory"] == {"episodes": []}
    await memory.send(204, "POST", path, {**NAMED, "enabled": False})
    assert await found(memory) is None
    await memory.post("/memories", {**NAMED, "messages": [{"content": "fourth"}]})
    await memory.send(204, "POST", path, {**NAMED, "enabled": True})
    assert await window(memory) == ["first", "second", "third", "fourth"]


async def test_the_window_has_the_size_that_was_chosen(memory: Memory) -> None:
    """By episodes and by characters, at once."""
    path = "/memory/episodic/short_term/config"
    usual = Settings()
    assert await memory.post(f"{path}/get", NAMED) == {
        "enabled": True,
        "message_capacity": usual.memory_window_episodes,
        "character_capacity": usual.memory_window_chars,
    }
    await memory.send(204, "POST", path, {**NAMED, "message_capacity": 2})
    assert await window(memory) == ["second", "third"]
    await memory.send(204, "POST", path, {**NAMED, "character_capacity": len("third")})
    assert await window(memory) == ["third"]
    await memory.send(204, "POST", path, {**NAMED, "enabled": False})
    assert await memory.post(f"{path}/get", NAMED) == {
        "enabled": False,
        "message_capacity": 2,
        "character_capacity": len("third"),
    }


async def test_the_long_term_memory_has_a_switch_of_its_own(memory: Memory) -> None:
    """The same one."""
    path = "/memory/episodic/long_term/config"
    await memory.send(204, "POST", path, {**NAMED, "enabled": False})
    assert await memory.post(f"{path}/get", NAMED) == {"enabled": False}
    assert (await memory.post("/memory/episodic/config/get", NAMED))["enabled"] is True


@pytest.mark.parametrize("part", ["", "/short_term", "/long_term"])
@pytest.mark.parametrize("what", ["", "/get"])
async def test_an_unknown_project_has_no_switches(memory: Memory, part: str, what: str) -> None:
    """And none are kept for it."""
    nowhere = {"org_id": "acme", "project_id": "nowhere", "enabled": False}
    answer = await memory.send(404, "POST", f"/memory/episodic{part}/config{what}", nowhere)
    assert "acme/nowhere" in answer.json()["detail"]["message"]


@pytest.mark.parametrize("field", ["message_capacity", "character_capacity"])
@pytest.mark.parametrize("bad", [0, -1, 10**9, "2", 1.5])
async def test_a_size_without_sense_is_refused_by_name(
    memory: Memory, field: str, bad: Any
) -> None:
    """And nothing changes."""
    path = "/memory/episodic/short_term/config"
    before = await memory.post(f"{path}/get", NAMED)
    answer = await memory.send(422, "POST", path, {**NAMED, "enabled": False, field: bad})
    assert field in answer.json()["detail"]["message"]
    assert await memory.post(f"{path}/get", NAMED) == before


# ---------------------------------------------------------------- defaults


async def test_a_default_reaches_every_project_that_chose_nothing_else(memory: Memory) -> None:
    """At once, also where the memory was asked before."""
    path = "/memory/episodic/short_term/config"
    await memory.send(204, "POST", path, {**NAMED, "character_capacity": 1_000})
    assert await window(memory, OTHER) == ["first", "second", "third"]
    told = await put(memory, "/episodic/short_term", {"character_capacity": len("third")})
    assert told["success"] is True
    assert await window(memory, OTHER) == ["third"]
    assert await window(memory) == ["first", "second", "third"]
    await put(memory, "/episodic", {"enabled": False})
    assert await found(memory) is None
    assert await found(memory, {"org_id": "acme", "project_id": "nowhere"}) is None


async def test_defaults_are_read_again_as_they_were_set(memory: Memory) -> None:
    """By each of the ways to set and to read them."""
    window = {"message_capacity": 70, "character_capacity": 700}
    episodic = {"short_term_memory": window, "long_term_memory_enabled": False}
    change = {"episodic_memory": episodic, "semantic_memory": {"enabled": False}}
    await put(memory, "", change)
    await put(memory, "/episodic/short_term", {"enabled": False})
    whole = await memory.get("/config")
    assert whole["episodic_memory"] == await memory.get("/config/memory/episodic")
    assert whole["semantic_memory"] == await memory.get("/config/memory/semantic")
    assert whole["resources"] == await memory.get("/config/resources")
    short = await memory.get("/config/memory/episodic/short_term")
    assert short == {"llm_model": None, **window, "enabled": False}
    long = await memory.get("/config/memory/episodic/long_term")
    assert (long["enabled"], long["embedder"], long["backend"]) == (False, EMBEDDER.name, "event")
    assert whole["semantic_memory"]["enabled"] is False
    asked = {**NAMED, "query": "x", "types": ["semantic"]}
    assert (await memory.post("/memories/search", asked))["content"]["semantic_memory"] is None
    for sent in ({}, {"episodic_memory": None}):
        assert (await put(memory, "", sent))["success"] is True


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/episodic/long_term", {"embedder": "e"}, "embedder"),
        ("/episodic/long_term", {"reranker": "r"}, "reranker"),
        ("/episodic/long_term", {"backend": "declarative"}, "backend"),
        ("/episodic/long_term", {"vector_store": "v"}, "vector_store"),
        ("/episodic/long_term", {"properties_schema": {"a": "date"}}, "properties_schema"),
        ("/episodic/short_term", {"llm_model": "l"}, "llm_model"),
        ("/episodic/short_term", {"message_capacity": 0}, "message_capacity"),
        ("/semantic", {"llm_model": "l"}, "llm_model"),
        ("/semantic", {"database": "d"}, "database"),
        ("/semantic", {"vector_dimensions": 1}, "vector_dimensions"),
        ("/semantic", {"ingestion_trigger_messages": 3}, "ingestion_trigger_messages"),
        ("/episodic", {"long_term_memory": {"embedder": "e"}}, "long_term_memory.embedder"),
        ("", {"semantic_memory": {"embedding_model": "e"}}, "semantic_memory.embedding_model"),
    ],
)
async def test_what_the_operator_chose_cannot_be_exchanged(
    memory: Memory, path: str, body: Json, field: str
) -> None:
    """The refusal says what there is, and what else was sent is not done either."""
    before = await memory.get("/config")
    switch = {"enabled": False} if path else {}
    refused = await put(memory, path, {**body, **switch}, 422)
    assert field in refused["detail"]["message"]
    assert await memory.get("/config") == before


async def test_naming_what_there_is_is_no_change(memory: Memory) -> None:
    """A client may send back what it read."""
    long = await memory.get("/config/memory/episodic/long_term")
    assert (await put(memory, "/episodic/long_term", long))["success"] is True
    short = await memory.get("/config/memory/episodic/short_term")
    assert (await put(memory, "/episodic/short_term", short))["success"] is True


# ---------------------------------------------------------------- resources


async def test_resources_are_what_the_server_has(memory: Memory) -> None:
    """Models that are not installed have failed, and it is said how to mend that."""
    found = await memory.get("/config/resources")
    assert [one["name"] for one in found["embedders"]] == [EMBEDDER.name]
    assert [one["name"] for one in found["rerankers"]] == [CROSS_ENCODER.name]
    assert found["language_models"] == []
    assert [one["provider"] for one in found["databases"]] == ["sqlite"]
    for one in [*found["embedders"], *found["rerankers"]]:
        assert (one["status"] == "failed") == ("models install" in (one["error"] or ""))


async def test_a_resource_is_tried_again(memory: Memory) -> None:
    """And its state is told; one that there is not is not found."""
    for noun, name in (("embedders", EMBEDDER.name), ("rerankers", CROSS_ENCODER.name)):
        tried = await memory.post(f"/config/resources/{noun}/{name}/retry", b"")
        assert tried["success"] == (tried["status"] == "ready")
    for noun in ("embedders", "rerankers", "language_models"):
        answer = await memory.send(404, "POST", f"/config/resources/{noun}/nothing/retry")
        assert "nothing" in answer.json()["detail"]["message"]


@pytest.mark.parametrize("noun", ["embedders", "language_models"])
async def test_models_are_neither_added_nor_deleted(memory: Memory, noun: str) -> None:
    """501, and who can."""
    sent = {"name": "n", "provider": "openai", "config": {"api_key": "x"}}
    for method, path in (("POST", ""), ("DELETE", "/n")):
        answer = await memory.send(501, method, f"/config/resources/{noun}{path}", sent)
        assert "RECOLLECT_LLM_URL" in answer.json()["detail"]["message"]
