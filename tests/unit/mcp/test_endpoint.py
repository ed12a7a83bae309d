"""The life of `/mcp` inside the application, and calls of tools from inside the process."""

import asyncio
from pathlib import Path

import pytest

from recollect.app import users
from recollect.governance import keys
from recollect.graph.types import Access
from recollect.mcp import actions, calls
from recollect.mcp.endpoint import PATH, Endpoint
from tests.support.asgi import Program, exchange, program

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
ACCEPT = [("Accept", "application/json"), ("Content-Type", "application/json")]


async def test_the_endpoint_starts_with_its_first_request_and_ends_on_close(tmp_path: Path) -> None:
    async with program(tmp_path / "data") as running:
        endpoint = Endpoint(running.app.gate)
        running.app.mount(PATH, endpoint)
        before = len(asyncio.all_tasks())
        answers = await asyncio.gather(
            *(running.send("POST", PATH, CALL, headers=ACCEPT) for _ in range(3))
        )
        assert [len(answer.json()["result"]["tools"]) for answer in answers] == [14] * 3
        assert len(asyncio.all_tasks()) > before
        await running.app.close()
        await asyncio.sleep(0)
        assert len(asyncio.all_tasks()) == before


async def test_closing_what_was_never_asked_is_nothing(tmp_path: Path) -> None:
    async with program(tmp_path / "data") as running:
        running.app.mount(PATH, Endpoint(running.app.gate))
        assert (await running.send("POST", PATH, CALL, anonymous=True)).status == 401
        await running.app.close()


async def test_a_revoked_key_is_out_at_the_next_request(tmp_path: Path) -> None:
    async with program(tmp_path / "data") as running:
        running.app.mount(PATH, Endpoint(running.app.gate))
        made = await running.services.store.write(keys.create_key, "default", "short-lived")
        await running.services.store.write(keys.revoke_key, made.key.uuid)
        answer = await running.send("POST", PATH, CALL, headers=ACCEPT, key=made.secret)
        assert (answer.status, answer.message) == (401, "unauthorized")
        await running.app.close()


async def inside(running: Program, *, key: str = "") -> Access:
    """Somebody of the default project who has no key."""
    project = await running.services.store.read(keys.project_named, "default")
    return Access(project_id=project.id, project_uuid=project.uuid, key_uuid=key)


async def test_a_call_from_inside_is_answered_logged_and_audited(tmp_path: Path) -> None:
    async with program(tmp_path / "data") as running:
        gate, access = running.app.gate, await inside(running)
        made = await calls.ask(gate, access, actions.ADD_USER, user_id="a b")
        assert made["user_id"] == "a b"
        found = await calls.run(gate, access, "get_user", {"user_id": "a b"})
        assert '"user_id": "a b"' in found.text
        missing = await calls.run(gate, access, "get_user", {"user_id": "nobody"})
        assert missing.text == "could not get the user: 404: user not found: nobody"
        done = [line for line in running.logs if line["event"] == "request.done"]
        assert [(line["action"], line["status"]) for line in done] == [
            ("user.add", 200),
            ("user.get", 200),
            ("user.get", 404),
        ]
        told = running.rows("SELECT actor, action FROM audit_entries WHERE action = 'user.add'")
        assert told == [("command", "user.add")]


async def test_what_breaks_behind_a_tool_is_logged_and_told_as_a_fault_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> None:
        raise ZeroDivisionError("secret words")

    monkeypatch.setattr(users, "get", broken)
    async with program(tmp_path / "data") as running:
        access = await inside(running)
        outcome = await calls.run(running.app.gate, access, "get_user", {"user_id": "ann"})
        crashed = [line for line in running.logs if line["event"] == "request.crashed"]
    assert outcome == ("could not get the user: 500: internal server error", None)
    assert [line["action"] for line in crashed] == ["user.get"]


async def test_a_path_beside_the_endpoint_is_left_to_the_routes(tmp_path: Path) -> None:
    async with program(tmp_path / "data") as running:
        running.app.mount(PATH, Endpoint(running.app.gate))
        assert (await exchange(running.app, "GET", b"/mcp/x", b"", [], [b""])).status == 404
