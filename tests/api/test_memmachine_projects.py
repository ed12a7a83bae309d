"""Projects of memory clients are graphs: made, read, listed and deleted under both their names."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.memory import Memory, remembering

NAMED = {"org_id": "acme", "project_id": "p1"}
CONFIG = {
    "backend": None,
    "reranker": "",
    "embedder": "",
    "vector_graph_store": "",
    "vector_store": "",
    "segment_store": "",
    "properties_schema": {},
}


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    """The application with a graph `g` and a user `ann`."""
    async with remembering(tmp_path / "data") as made:
        yield made


async def refused(memory: Memory, status: int, path: str, body: Any) -> str:
    """What a refusal says, after a look at its shape."""
    detail = (await memory.send(status, "POST", path, body)).json()["detail"]
    assert detail["code"] == status
    return str(detail["message"])


async def test_a_project_is_made_and_read_again(memory: Memory) -> None:
    """With its description and with what it is wished to be made of."""
    config = {**CONFIG, "backend": "event", "embedder": "mine", "properties_schema": {"n": "int"}}
    made = await memory.send(
        201, "POST", "/projects", {**NAMED, "description": "d", "config": config}
    )
    assert made.json() == {**NAMED, "description": "d", "config": config}
    assert await memory.post("/projects/get", NAMED) == made.json()


async def test_a_project_needs_only_its_ids(memory: Memory) -> None:
    """The rest is empty."""
    made = await memory.send(201, "POST", "/projects", NAMED)
    assert made.json() == {**NAMED, "description": "", "config": CONFIG}


async def test_a_project_exists_once(memory: Memory) -> None:
    """The second one is told so, by the status that clients wait for, and changes nothing."""
    await memory.send(201, "POST", "/projects", {**NAMED, "description": "first"})
    said = await refused(memory, 409, "/projects", {**NAMED, "description": "second"})
    assert "acme/p1" in said
    assert (await memory.post("/projects/get", NAMED))["description"] == "first"


@pytest.mark.parametrize("path", ["get", "delete", "episode_count/get"])
async def test_an_unknown_project_is_not_found(memory: Memory, path: str) -> None:
    """And is not made by being asked for."""
    assert "acme/p1" in await refused(memory, 404, f"/projects/{path}", NAMED)
    assert NAMED not in await memory.post("/projects/list", b"")


@pytest.mark.parametrize("path", ["", "/get", "/delete", "/episode_count/get"])
@pytest.mark.parametrize("field", ["org_id", "project_id"])
async def test_an_id_that_cannot_be_is_refused_by_name(
    memory: Memory, path: str, field: str
) -> None:
    """Missing, empty, or with signs that no client sends."""
    other = next(name for name in NAMED if name != field)
    for bad in ({}, {field: ""}, {field: "a.b"}, {field: "a/b"}, {field: 7}):
        said = await refused(memory, 422, f"/projects{path}", {other: "x", **bad})
        assert field in said, said


async def test_a_graph_of_other_clients_is_a_project_and_the_other_way_round(
    memory: Memory,
) -> None:
    """Under the documented names; what has none here is not listed."""
    for graph_id in ("notes", "acme.p2", "a.b.c", "with space"):
        await memory.post("/graph/create", {"graph_id": graph_id, "description": "of another"})
    await memory.post("/users", {"user_id": "bo@example.com"})
    await memory.send(201, "POST", "/projects", {**NAMED, "description": "of ours"})
    listed = await memory.post("/projects/list", b"")
    assert sorted((one["org_id"], one["project_id"]) for one in listed) == [
        ("acme", "p1"),
        ("acme", "p2"),
        ("recollect:users", "ann"),
        ("universal", "g"),
        ("universal", "notes"),
    ]
    found = await memory.post("/projects/get", {"org_id": "universal", "project_id": "notes"})
    assert found["description"] == "of another"
    assert (await memory.get("/graph/acme.p1"))["description"] == "of ours"
    assert "acme.p1" in [one["graph_id"] for one in (await memory.get("/graph/list-all"))["graphs"]]
    groups = (await memory.get("/groups-ordered"))["groups"]
    assert "acme.p1" in [one["group_id"] for one in groups]


async def test_deleting_a_project_deletes_its_graph_with_all_it_holds(memory: Memory) -> None:
    """Also what was chosen for it; a receipt tells of it, and the audit log does not name it."""
    await memory.send(201, "POST", "/projects", {**NAMED, "config": {"embedder": "mine"}})
    await memory.post("/memories", {**NAMED, "messages": [{"content": "Unheard-of words."}]})
    await memory.send(204, "POST", "/memory/episodic/config", {**NAMED, "enabled": False})
    answer = await memory.send(204, "POST", "/projects/delete", NAMED)
    assert answer.body == b""
    await refused(memory, 404, "/projects/get", NAMED)
    await memory.send(404, "GET", "/graph/acme.p1")
    rows = memory.running.rows
    assert rows("SELECT count(*) FROM episodes WHERE content = 'Unheard-of words.'") == [(0,)]
    assert [kind for (kind,) in rows("SELECT kind FROM erasures")] == ["graph"]
    assert rows("SELECT count(*) FROM audit_entries WHERE target LIKE '%acme.p1%'") == [(0,)]
    await memory.send(201, "POST", "/projects", NAMED)
    assert (await memory.post("/projects/get", NAMED))["config"] == CONFIG
    assert (await memory.post("/memory/episodic/config/get", NAMED))["enabled"] is True


@pytest.mark.parametrize("path", ["/projects", "/projects/delete"])
async def test_users_are_made_and_deleted_where_users_are(memory: Memory, path: str) -> None:
    """Their graphs are projects all the same."""
    user = {"org_id": "recollect:users", "project_id": "ann"}
    assert "/api/v2/users" in await refused(memory, 422, path, user)
    assert (await memory.post("/projects/get", user))["project_id"] == "ann"


async def test_a_project_counts_the_episodes_that_may_be_seen(memory: Memory) -> None:
    """Read or not; for a key that sees some of them, those."""
    for team in ("red", "blue", "red"):
        message = {"content": "hello", "metadata": {"team": team}}
        await memory.post("/memories", {**NAMED, "messages": [message]})
    path = "/projects/episode_count/get"
    assert await memory.post(path, NAMED) == {"count": 3}
    red = {"effect": "allow", "actions": ["readonly"], "attributes": {"team": ["red"]}}
    assert await memory.post(path, NAMED, key=await memory.key(red)) == {"count": 2}


async def test_another_project_of_the_server_has_nothing_of_it(memory: Memory) -> None:
    """The project comes from the key alone."""
    await memory.send(201, "POST", "/projects", NAMED)
    answer = await memory.running.send("POST", "/api/v2/projects/get", NAMED, anonymous=True)
    assert answer.status == 401
    assert answer.json()["detail"]["message"] == "unauthorized"


async def test_health_and_metrics_are_where_clients_look(memory: Memory) -> None:
    """Without a key, as their own paths are."""
    for path in ("/api/v2/health", "/api/v2/metrics"):
        answer = await memory.running.send("GET", path, anonymous=True)
        assert answer.status == 200
    health = (await memory.running.send("GET", "/api/v2/health", anonymous=True)).json()
    assert set(health) == {"status", "service", "version"}
