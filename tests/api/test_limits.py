"""Rates and quotas of keys and projects: off unless asked for, told as clients expect, counted once."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect.app import diagnosis
from recollect.app.diagnosis import Finding
from recollect.app.gate import Rates
from recollect.governance import keys
from recollect.graph.usage import NO_LIMITS, UsageLimits, of_settings
from recollect.mcp.endpoint import PATH, Endpoint
from recollect.settings import Settings
from tests.support.asgi import Answer, Program, program

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
ACCEPT = [("Accept", "application/json"), ("Content-Type", "application/json")]
ADMIN = "an-admin-key-of-the-default-project"


class Hand:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        """The time it was set to."""
        return self.now


@asynccontextmanager
async def limited(folder: Path, clock: Any = None, **limits: Any) -> AsyncIterator[Program]:
    """The application with limits in its settings, and with one user."""
    async with program(folder, clock=clock or Hand(), **limits) as made:
        made.app.gate.rates = Rates(clock=lambda: 0.0)  # no bucket fills
        made.app.mount(PATH, Endpoint(made.app.gate))
        await made.send("POST", "/api/v2/users", {"user_id": "jane"})
        await made.send("POST", "/api/v2/threads", {"thread_id": "t", "user_id": "jane"})
        yield made
        await made.app.close()


async def say(running: Program, count: int = 1, key: str | None = None) -> Answer:
    """So many messages in one call."""
    said = [{"role": "user", "name": "Jane", "content": "I like tea."}] * count
    return await running.send("POST", "/api/v2/threads/t/messages", {"messages": said}, key=key)


async def another_key(running: Program, **options: Any) -> str:
    made = await running.services.store.write(keys.create_key, "default", "other", **options)
    return made.secret


async def tool(running: Program, name: str, key: str | None = None, **arguments: Any) -> Any:
    """What a tool answers, over HTTP."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    asked = {**call, "params": {"name": name, "arguments": arguments}}
    answer = await running.send("POST", PATH, asked, headers=ACCEPT, key=key)
    return answer.json()["result"]


def test_nothing_is_limited_by_default(tmp_path: Path) -> None:
    assert of_settings(Settings(data=tmp_path)) == NO_LIMITS


@pytest.mark.parametrize(
    ("path", "told"),
    [
        pytest.param("/api/v2/users/jane", lambda said: said["message"], id="zep 2 and 3"),
        pytest.param("/api/v4/project", lambda said: said["error"]["message"], id="zep 4"),
        pytest.param(
            "/api/v2/memories/semantic/config/missing",
            lambda said: said["message"],
            id="no such route is refused before it is counted",
        ),
    ],
)
async def test_a_key_that_asks_too_often_is_told_which_limit_and_when(
    path: str, told: Any, tmp_path: Path
) -> None:
    async with limited(tmp_path / "data", key_requests_per_s=0.5, key_requests_burst=5) as running:
        answers = [await running.send("GET", path) for _ in range(4)]
    if answers[0].status == 404:
        assert {answer.status for answer in answers} == {404}
        return
    assert [answer.status for answer in answers] == [200, 200, 200, 429]
    assert told(answers[-1].json()) == (
        "key_requests_per_s: 0.5 requests per second are allowed to one key, 5 at once; "
        "try again in 2 s"
    )
    assert answers[-1].header("retry-after") == "2"


async def test_memory_clients_are_told_in_their_own_shape(tmp_path: Path) -> None:
    async with limited(tmp_path / "data", key_requests_per_s=1, key_requests_burst=2) as running:
        answer = await running.send("POST", "/api/v2/projects/list", {})
    assert (answer.status, answer.json()["detail"]["exception"]) == (429, "LimitReached")
    assert answer.json()["detail"]["code"] == 429


async def test_generation_4_has_a_code_for_it(tmp_path: Path) -> None:
    async with limited(tmp_path / "data", key_requests_per_s=1, key_requests_burst=2) as running:
        answer = await running.send("GET", "/api/v4/project")
    assert (answer.status, answer.json()["error"]["code"]) == (429, "rate_limited")


async def test_a_project_is_limited_over_all_its_keys_and_others_are_not(tmp_path: Path) -> None:
    limits = {"project_requests_per_s": 1, "project_requests_burst": 4}
    async with limited(tmp_path / "data", **limits) as running:
        other = await another_key(running)
        await running.services.store.write(keys.create_project, "elsewhere")
        made = await running.services.store.write(keys.create_key, "elsewhere", "k")
        path = "/api/v2/users/jane"
        asked = [await running.send("GET", path, key=key) for key in (None, other, other)]
        elsewhere = await running.send("GET", path, key=made.secret)
        public = await running.send("GET", "/health", anonymous=True)
    assert [answer.status for answer in asked] == [200, 200, 429]
    assert asked[-1].message.startswith("project_requests_per_s: 1 requests per second")
    assert (elsewhere.status, public.status) == (404, 200)


async def test_a_message_of_the_protocol_counts_as_one_request(tmp_path: Path) -> None:
    async with limited(tmp_path / "data", key_requests_per_s=1, key_requests_burst=4) as running:
        listed = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        answers = [await running.send("POST", PATH, listed, headers=ACCEPT) for _ in range(3)]
    assert [answer.status for answer in answers] == [200, 200, 429]
    told = answers[-1].json()
    assert told["error"]["message"].startswith("429: key_requests_per_s: 1 requests")
    assert answers[-1].header("retry-after") == "1"


async def test_episodes_of_a_day_are_counted_over_every_way_in(tmp_path: Path) -> None:
    """Messages, data, triples, batches and tools; what is refused leaves nothing behind."""
    async with limited(tmp_path / "data", project_episodes_per_day=9) as running:
        writer = await another_key(running, mcp_write=True)
        assert (await say(running, 2)).status == 200
        data = {"type": "text", "data": "Jane likes tea.", "user_id": "jane"}
        assert (await running.send("POST", "/api/v2/graph", data)).status == 200
        several = [{"type": "text", "data": "Tea."}] * 2
        batch = {"user_id": "jane", "episodes": several}
        assert (await running.send("POST", "/api/v2/graph-batch", batch)).status == 200
        await tool(running, "add_memory", writer, user_id="jane", content="I like cake.")
        draft = (await running.send("POST", "/api/v2/batches", {})).json()["batch_id"]
        item = {"type": "graph_episode", "user_id": "jane", "data": "x", "data_type": "text"}
        items = f"/api/v2/batches/{draft}/items"
        assert (await running.send("POST", items, {"items": [item, item]})).status == 200
        assert (await running.send("POST", f"/api/v2/batches/{draft}/process")).status == 200
        used = (await running.send("GET", "/api/v1/project/limits")).json()
        refused = await say(running, 2)
        by_tool = await tool(running, "add_memory", writer, thread_id="t", content="More.")
        after = await tool(running, "add_memory", writer, thread_id="t", content="Too much.")
        stored = running.rows("SELECT count(*) FROM episodes")
    assert used["episodes_today"] == 8
    assert (refused.status, refused.header("retry-after")) == (429, "43201")
    assert refused.message == (
        "project_episodes_per_day: 9 per day are allowed to one project; 8 are used, and this asks "
        "for 2 more; the next day begins in 43201 s"
    )
    assert not by_tool["isError"]
    assert after["isError"]
    assert "429: project_episodes_per_day: 9 per day" in after["content"][0]["text"]
    assert stored == [(9,)]


async def test_bytes_of_a_day_are_those_of_requests_that_write(tmp_path: Path) -> None:
    async with limited(tmp_path / "data", key_bytes_per_day=600) as running:
        search = {"user_id": "jane", "query": "x" * 300}
        searched = [await running.send("POST", "/api/v2/graph/search", search) for _ in range(3)]
        first = await running.send("POST", "/api/v2/users", {"user_id": "b" * 100})
        second = await running.send(
            "PATCH", "/api/v2/users/jane", {"metadata": {"note": "y" * 500}}
        )
        other = await another_key(running)
        third = await running.send(
            "PATCH", "/api/v2/users/jane", {"metadata": {"note": "y" * 500}}, key=other
        )
        counted = running.rows("SELECT key_uuid <> '', sum(bytes) FROM usage GROUP BY 1")
    assert {answer.status for answer in searched} == {200}
    assert first.status == 200
    assert second.status == 429
    assert second.message.startswith("key_bytes_per_day: 600 per day are allowed to one key; ")
    assert third.status == 200
    assert [scope for scope, _ in counted] == [1], "the project has no such quota"


async def test_a_quota_survives_a_restart_and_ends_with_the_day(tmp_path: Path) -> None:
    clock = Hand()
    async with limited(tmp_path / "data", clock, key_episodes_per_day=3) as running:
        assert (await say(running, 3)).status == 200
    async with limited(tmp_path / "data", clock, key_episodes_per_day=3) as running:
        clock.now = NOON + timedelta(hours=11, minutes=59)
        late = await say(running)
        assert (late.status, late.header("retry-after")) == (429, "61")
        clock.now = NOON + timedelta(hours=12)
        assert (await say(running)).status == 200
        clock.now = NOON + timedelta(days=40)
        assert (await say(running)).status == 200
        assert running.rows("SELECT count(*) FROM usage") == [(1,)], "old days are forgotten"


async def test_an_operator_chooses_the_limits_of_a_project(tmp_path: Path) -> None:
    path = "/api/v1/projects/small/limits"
    async with limited(tmp_path / "data", key_episodes_per_day=1) as running:
        store = running.services.store
        await store.write(keys.create_key, "default", "admin", ADMIN, admin=True)
        await store.write(keys.create_project, "small")
        theirs = await store.write(keys.create_key, "small", "admin", admin=True)
        chosen = {"key_episodes_per_day": None, "project_episodes_per_day": 2}
        made = await running.send("PUT", path, chosen, key=ADMIN)
        assert made.json() == {
            "project": "small",
            "in_force": {
                **dict.fromkeys(made.json()["in_force"]),
                "project_episodes_per_day": 2,
            },
            "chosen": chosen,
            "episodes_today": 0,
            "bytes_today": 0,
        }
        own = await running.send("GET", "/api/v1/project/limits", key=theirs.secret)
        assert own.json() == made.json()
        nowhere = "/api/v1/projects/none/limits"
        for method, named in (("GET", path), ("PUT", path), ("GET", nowhere), ("PUT", nowhere)):
            tried = await running.send(method, named, {}, key=theirs.secret)
            assert (tried.status, tried.message.split(",")[0]) == (
                403,
                "only an admin key of the project 'default'",
            )
        for wrong in ({"key_episodes_per_day": 0}, {"project_bytes_per_day": 1.5}, {"other": 1}):
            assert (await running.send("PUT", path, wrong, key=ADMIN)).status == 400
        nobody = await running.send("PUT", nowhere, {}, key=ADMIN)
        assert nobody.status == 404
        graph = {"graph_id": "g"}
        await running.send("POST", "/api/v2/graph/create", graph, key=theirs.secret)
        data = {**graph, "type": "text", "data": "x"}
        sent = [
            await running.send("POST", "/api/v2/graph", data, key=theirs.secret) for _ in range(3)
        ]
        assert [answer.status for answer in sent] == [200, 200, 429]
        told = running.rows(
            "SELECT target, outcome FROM audit_entries WHERE action = 'project.set_limits'"
        )
        assert any(outcome == "done" for _, outcome in told)
        back = await running.send("PUT", path, {}, key=ADMIN)
        assert back.json()["in_force"]["key_episodes_per_day"] == 1


async def test_the_doctor_names_a_quota_that_is_used_up(tmp_path: Path) -> None:
    """Of which key and project, how much of it, and until when."""
    limits = {"key_episodes_per_day": 4, "project_episodes_per_day": 100}
    clock = Hand()
    clock.now = datetime.now(UTC)
    async with limited(tmp_path / "data", clock=clock, **limits) as running:
        chosen = of_settings(running.services.settings)
        assert (await say(running, 3)).status == 200
        assert "quota" not in {one.what for one in look(tmp_path / "data", chosen)}
        assert (await say(running, 1)).status == 200
        assert (await say(running, 1)).status == 429
        (found,) = [one for one in look(tmp_path / "data", chosen) if one.what == "quota"]
    assert (found.state, found.mend.partition(";")[0]) == (
        "warning",
        "writes beyond it are answered with 429 until midnight UTC",
    )
    assert "key_episodes_per_day of key " in found.says
    assert found.says.endswith("of default: 4 of 4 used today")


def look(folder: Path, limits: UsageLimits) -> list[Finding]:
    """What the doctor says of a folder."""
    return diagnosis.store(folder, served=False, limits=limits)
