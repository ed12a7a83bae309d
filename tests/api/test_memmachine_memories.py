"""Adding, asking, listing and forgetting episodes as memory clients do, over one memory."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from recollect.limits import MEMORY_MESSAGES_PER_CALL_MAX
from tests.support.memory import Memory, remembering

NAMED = {"org_id": "acme", "project_id": "p1"}
NOWHERE = "00000000-0000-4000-8000-000000000000"
RED = {"effect": "allow", "actions": ["readonly", "memory.delete"], "attributes": {"team": ["red"]}}
Json = dict[str, Any]


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    """The application with a graph `g` and a user `ann`."""
    async with remembering(tmp_path / "data") as made:
        yield made


async def add(memory: Memory, *messages: Json | str, **fields: Any) -> list[str]:
    """Remember messages, and read them at once; their ids."""
    sent = [{"content": one} if isinstance(one, str) else one for one in messages]
    answer = await memory.post("/memories", {**NAMED, **fields, "messages": sent})
    await memory.learn()
    return [one["uid"] for one in answer["results"]]


async def listed(memory: Memory, key: str | None = None, **fields: Any) -> list[Json]:
    """A page of episodes."""
    content = (await memory.post("/memories/list", {**NAMED, **fields}, key=key))["content"]
    assert set(content) == {"episodic_memory", "semantic_memory"}
    assert content["semantic_memory"] is None
    found: list[Json] = content["episodic_memory"]
    return found


async def said(memory: Memory, **fields: Any) -> list[str]:
    """What the episodes of a page say."""
    return [one["content"] for one in await listed(memory, **fields)]


async def search(memory: Memory, query: str = "anything", **fields: Any) -> Json:
    """What the memories answer."""
    answer = await memory.post("/memories/search", {**NAMED, "query": query, **fields})
    assert set(answer["content"]) == {"episodic_memory", "semantic_memory"}
    found: Json = answer["content"]
    return found


def window(found: Json) -> list[str]:
    """What the episodes of the short-term memory say."""
    return [one["content"] for one in found["episodic_memory"]["short_term_memory"]["episodes"]]


def past(found: Json) -> list[str]:
    """What the episodes of the long-term memory say."""
    return [one["content"] for one in found["episodic_memory"]["long_term_memory"]["episodes"]]


async def refused(memory: Memory, status: int, path: str, body: Any) -> str:
    """What a refusal says."""
    answer = await memory.send(status, "POST", path, {**NAMED, **body})
    return str(answer.json()["detail"]["message"])


# ---------------------------------------------------------------- adding


async def test_what_was_added_is_told_again_as_it_was_sent(memory: Memory) -> None:
    """Every field; scalars can be filtered by, the rest of the metadata is kept."""
    metadata = {"user_id": "u1", "n": 3, "tags": ["a", "b"], "none": None}
    message = {
        "content": "Noted.",
        "producer": "bot",
        "produced_for": "u1",
        "timestamp": "2024-01-02T03:04:05",
        "role": "system",
        "metadata": metadata,
        "episode_type": "message",
    }
    (uid,) = await add(memory, message)
    (found,) = await listed(memory)
    assert found == {
        "uid": uid,
        "content": "Noted.",
        "session_key": "acme/p1",
        "created_at": "2024-01-02T03:04:05Z",
        "producer_id": "bot",
        "producer_role": "system",
        "produced_for_id": "u1",
        "episode_type": "message",
        "content_type": "string",
        "filterable_metadata": {"user_id": "u1", "n": 3},
        "metadata": metadata,
    }
    (recalled,) = (await search(memory))["episodic_memory"]["short_term_memory"]["episodes"]
    assert recalled == {
        "uid": uid,
        "content": "Noted.",
        "producer_id": "bot",
        "producer_role": "system",
        "produced_for_id": "u1",
        "episode_type": "message",
        "metadata": metadata,
        "created_at": "2024-01-02T03:04:05Z",
        "score": None,
    }


async def test_the_project_is_made_on_adding_and_by_nothing_else(memory: Memory) -> None:
    """Asking and listing answer that there is nothing."""
    found = await search(memory)
    assert (window(found), past(found), found["semantic_memory"]) == ([], [], [])
    assert await listed(memory) == []
    assert NAMED not in await memory.post("/projects/list", b"")
    await add(memory, "one", "two", "three")
    assert NAMED in await memory.post("/projects/list", b"")
    assert await said(memory) == ["one", "two", "three"]


async def test_a_project_that_is_not_named_is_the_usual_one(memory: Memory) -> None:
    """The client's own default."""
    await memory.post("/memories", {"messages": [{"content": "hello"}]})
    usual = {"org_id": "universal", "project_id": "universal"}
    assert await memory.post("/projects/episode_count/get", usual) == {"count": 1}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": [{"content": "x"}] * (MEMORY_MESSAGES_PER_CALL_MAX + 1)}, "messages"),
        ({"messages": [{}]}, "content"),
        ({"messages": [{"content": "fine"}, {"content": " "}]}, "messages[1].content"),
        ({"messages": [{"content": "x", "timestamp": "soon"}]}, "messages[0].timestamp"),
        ({"messages": [{"content": "x", "timestamp": True}]}, "timestamp"),
        ({"messages": [{"content": "x", "metadata": {"_a": 1}}]}, "messages[0].metadata._a"),
        ({"messages": [{"content": "x", "episode_type": "mail"}]}, "messages[0].episode_type"),
        ({"messages": [{"content": "x"}], "types": ["other"]}, "types"),
        ({"messages": [{"content": "x"}], "org_id": "a.b"}, "org_id"),
        ({"messages": [{"content": "x"}], "project_id": "list-all", "org_id": "universal"}, "id"),
    ],
)
async def test_a_bad_call_is_refused_by_name_and_leaves_nothing(
    memory: Memory, body: Json, field: str
) -> None:
    """Not even the project."""
    before = memory.running.writes()
    assert field in await refused(memory, 422, "/memories", body)
    assert memory.running.writes() == before


async def test_unknown_fields_are_ignored(memory: Memory) -> None:
    """Newer clients may send more."""
    await add(memory, {"content": "hello", "mood": "good"}, agent="x")
    assert await said(memory) == ["hello"]


async def test_an_unknown_user_is_not_made_by_adding(memory: Memory) -> None:
    """Users have an API of their own."""
    body = {"org_id": "recollect:users", "project_id": "nobody", "messages": [{"content": "x"}]}
    assert "nobody" in await refused(memory, 404, "/memories", body)


# ---------------------------------------------------------------- one memory beneath


async def test_other_clients_read_what_was_added_here(memory: Memory) -> None:
    """Speaker, role and metadata under their names."""
    metadata = {"user_id": "u1", "tags": ["a"]}
    await add(memory, {"content": "I live in Oslo.", "role": "user", "metadata": metadata})
    (found,) = await memory.listed("episodes", "graph/acme.p1")
    assert (found["role"], found["role_type"]) == ("u1", "user")
    assert (found["source"], found["content"]) == ("message", "I live in Oslo.")
    assert found["metadata"] == metadata
    facts = [one["fact"] for one in await memory.listed("edge", "graph/acme.p1")]
    assert any("u1" in fact.casefold() and "Oslo" in fact for fact in facts), facts


async def test_what_other_clients_added_is_read_here(memory: Memory) -> None:
    """Messages of threads as those of their user, whoever spoke; data of a graph as the user's."""
    await memory.thread("t")
    await memory.say("t", {"content": "I like tea.", "metadata": {"list": ["x"], "n": 1}})
    await memory.say("t", {"content": "Noted.", "role": "assistant", "name": None})
    await memory.tell("Paris is a city.")
    of_ann = {"org_id": "recollect:users", "project_id": "ann"}
    first, second = await listed(memory, **of_ann)
    assert (first["producer_id"], first["producer_role"]) == ("Ann Lee", "user")
    assert first["session_key"] == "recollect:users/ann"
    assert first["metadata"] == {"list": ["x"], "n": 1}
    assert first["filterable_metadata"] == {"n": 1}
    assert (second["producer_id"], second["producer_role"]) == ("assistant", "assistant")
    (told,) = await listed(memory, org_id="universal", project_id="g")
    assert (told["producer_id"], told["content"]) == ("user", "Paris is a city.")
    found = await search(memory, "tea?", **of_ann, filter="producer_id = 'Ann Lee'")
    assert window(found) + past(found) == ["I like tea."]


async def test_users_of_one_project_do_not_contradict_each_other(memory: Memory) -> None:
    """Both are "user" to their client."""
    for user, city in (("u1", "Oslo"), ("u2", "Rome")):
        await add(memory, {"content": f"I live in {city}.", "metadata": {"user_id": user}})
    edges = await memory.listed("edge", "graph/acme.p1")
    assert len(edges) >= 2
    assert all(one.get("invalid_at") is None for one in edges), edges


async def test_a_message_is_read_with_what_was_said_before_in_its_session(memory: Memory) -> None:
    """ "She" is whom the same session named, never whom another one did."""

    async def say(content: str, session: str | None) -> None:
        metadata = {"user_id": "u1"} | ({"session_id": session} if session else {})
        await add(memory, {"content": content, "metadata": metadata})

    await say("My sister Emma visited me.", "s1")
    await say("My friend Olga visited me.", "s2")
    await say("She lives in Madrid.", "s1")
    facts = [one["fact"] for one in await memory.listed("edge", "graph/acme.p1")]
    madrid = [fact for fact in facts if "Madrid" in fact]
    assert any("Emma" in fact for fact in madrid), facts
    assert not any("Olga" in fact for fact in madrid), facts


# ---------------------------------------------------------------- asking


async def test_both_memories_are_asked_unless_one_is_named(memory: Memory) -> None:
    """What is not asked is null."""
    await add(memory, {"content": "I live in Oslo.", "metadata": {"user_id": "u1"}})
    both = await search(memory, "Where does u1 live?")
    assert window(both) == ["I live in Oslo."]
    assert any("Oslo" in one["value"] for one in both["semantic_memory"])
    episodic = await search(memory, types=["episodic"])
    assert episodic["semantic_memory"] is None
    assert episodic["episodic_memory"] is not None
    semantic = await search(memory, types=["semantic"])
    assert semantic["episodic_memory"] is None
    assert semantic["semantic_memory"] is not None


async def test_what_left_the_window_is_found_in_the_past(memory: Memory) -> None:
    """In no two places, with a score, and only what the filter lets by."""
    body = {**NAMED, "message_capacity": 2}
    await add(memory, "The cat is called Mimi.", "Rain again.", "Lunch was good.", "I am tired.")
    await memory.send(204, "POST", "/memory/episodic/short_term/config", body)
    found = await search(memory, "What is the cat called?", top_k=3)
    assert window(found) == ["Lunch was good.", "I am tired."]
    assert "The cat is called Mimi." in past(found)
    assert not set(window(found)) & set(past(found))
    episodes = found["episodic_memory"]["long_term_memory"]["episodes"]
    assert all(isinstance(one["score"], float) for one in episodes)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"top_k": 0}, "top_k"),
        ({"top_k": -1}, "top_k"),
        ({"expand_context": -1}, "expand_context"),
        ({"score_threshold": "high"}, "score_threshold"),
        ({"query": None}, "query"),
        ({"query": "x" * 10_000}, "query"),
        ({"filter": "metadata.a = "}, "filter"),
        ({"filter": "nonsense = 'x'"}, "filter"),
        ({"types": ["other"]}, "types"),
        ({"org_id": "a b"}, "org_id"),
    ],
)
async def test_a_bad_question_is_refused_by_name(memory: Memory, fields: Json, field: str) -> None:
    """Before anything is looked at."""
    assert field in await refused(memory, 422, "/memories/search", {"query": "x", **fields})


async def test_a_key_that_sees_part_is_answered_from_that_part(memory: Memory) -> None:
    """In searches and in lists, and it deletes nothing else."""
    key = await memory.key(RED)
    red, blue = await add(
        memory,
        {"content": "red words", "metadata": {"team": "red"}},
        {"content": "blue words", "metadata": {"team": "blue"}},
    )
    assert [one["uid"] for one in await listed(memory, key=key)] == [red]
    asked = {**NAMED, "query": "words"}
    found = (await memory.post("/memories/search", asked, key=key))["content"]
    assert window(found) + past(found) == ["red words"]
    for ids in ([blue], [red, blue]):
        body = {**NAMED, "episodic_ids": ids}
        await memory.send(404, "POST", "/memories/episodic/delete", body, key=key)
    everything = {**NAMED, "filter": "producer_id = 'user'"}
    await memory.send(204, "POST", "/memories/episodic/delete", everything, key=key)
    assert await said(memory) == ["blue words"]


# ---------------------------------------------------------------- listing


async def test_a_list_is_in_the_order_of_time_in_pages_from_0(memory: Memory) -> None:
    """Whenever it was added; a page past the end is empty."""
    days = [3, 1, 2]
    messages = [{"content": f"day {n}", "timestamp": f"2024-01-0{n}"} for n in days]
    await add(memory, *messages)
    assert await said(memory) == ["day 1", "day 2", "day 3"]
    assert await said(memory, page_size=2) == ["day 1", "day 2"]
    assert await said(memory, page_size=2, page_num=1) == ["day 3"]
    assert await said(memory, page_size=2, page_num=10**12) == []
    found = await said(memory, filter="created_at >= date('2024-01-02') AND producer_id = 'user'")
    assert found == ["day 2", "day 3"]


async def test_a_list_of_features_has_no_episodes(memory: Memory) -> None:
    """One of the two is null."""
    await add(memory, {"content": "I live in Oslo.", "metadata": {"user_id": "u1"}})
    body = {**NAMED, "type": "semantic"}
    content = (await memory.post("/memories/list", body))["content"]
    assert content["episodic_memory"] is None
    assert any("Oslo" in one["value"] for one in content["semantic_memory"])


@pytest.mark.parametrize(
    ("fields", "field"),
    [({"page_size": 0}, "page_size"), ({"page_num": -1}, "page_num"), ({"type": "x"}, "type")],
)
async def test_a_bad_page_is_refused_by_name(memory: Memory, fields: Json, field: str) -> None:
    """Not clamped to something that was not asked for."""
    assert field in await refused(memory, 422, "/memories/list", fields)


# ---------------------------------------------------------------- forgetting


async def test_episodes_are_forgotten_all_or_none(memory: Memory) -> None:
    """One that is not there keeps the others; then all go, with what rested on them alone."""
    metadata = {"user_id": "u1"}
    sent = [{"content": text, "metadata": metadata} for text in ("I live in Oslo.", "I like tea.")]
    one, two = await add(memory, *sent)
    path = "/memories/episodic/delete"
    said_then = await refused(memory, 404, path, {"episodic_ids": [one, NOWHERE]})
    assert NOWHERE in said_then
    assert len(await listed(memory)) == 2
    body = {**NAMED, "episodic_id": one, "episodic_ids": [one, two]}
    assert (await memory.send(204, "POST", path, body)).body == b""
    assert await listed(memory) == []
    assert await memory.listed("edge", "graph/acme.p1") == []
    assert memory.running.rows("SELECT kind, scrubbed FROM erasures") == [("episodes", 1)]


async def test_episodes_are_forgotten_by_a_filter(memory: Memory) -> None:
    """Those that it lets by, of this project alone; none is no failure."""
    await add(memory, {"content": "a", "metadata": {"k": "x"}}, {"content": "b"})
    await add(memory, {"content": "c", "metadata": {"k": "x"}}, project_id="p2")
    for _ in range(2):
        body = {**NAMED, "filter": "metadata.k = 'x'"}
        await memory.send(204, "POST", "/memories/episodic/delete", body)
    assert await said(memory) == ["b"]
    assert await said(memory, project_id="p2") == ["c"]


async def test_an_episode_of_another_project_is_not_found(memory: Memory) -> None:
    """By whatever id it is named."""
    (uid,) = await add(memory, "hello", project_id="p2")
    await add(memory, "hello")
    await refused(memory, 404, "/memories/episodic/delete", {"episodic_id": uid})
    assert len(await listed(memory, project_id="p2")) == 1


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({}, "episodic_id"),
        ({"episodic_ids": [], "filter": " "}, "episodic_id"),
        ({"episodic_id": "12"}, "episodic_id"),
        ({"episodic_ids": [NOWHERE], "filter": "uid = 'x'"}, "filter"),
        ({"filter": "k ="}, "filter"),
    ],
)
async def test_a_bad_deletion_is_refused_by_name(memory: Memory, fields: Json, field: str) -> None:
    """Above all one that names nothing, which must not mean everything."""
    await add(memory, "hello")
    assert field in await refused(memory, 422, "/memories/episodic/delete", fields)
    assert await said(memory) == ["hello"]
