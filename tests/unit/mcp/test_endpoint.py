"""The life of `/mcp` inside the application, and requests from inside the process."""

import asyncio
from pathlib import Path

from recollect.governance import keys
from recollect.graph.types import Access
from recollect.mcp.endpoint import PATH, Endpoint
from tests.support.asgi import Program, exchange, program

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
ACCEPT = [("Accept", "application/json"), ("Content-Type", "application/json")]


async def test_the_endpoint_starts_with_its_first_request_and_ends_on_close(tmp_path: Path) -> None:
    async with program(tmp_path / "data") as running:
        endpoint = Endpoint(running.app)
        running.app.mount(PATH, endpoint)
        before = len(asyncio.all_tasks())
        answers = await asyncio.gather(
            *(running.send("POST", PATH, CALL, headers=ACCEPT) for _ in range(3))
        )
        assert [len(answer.json()["result"]["tools"]) for answer in answers] == [13] * 3
        assert len(asyncio.all_tasks()) > before
        await running.app.close()
        await asyncio.sleep(0)
        assert len(asyncio.all_tasks()) == before


async def test_closing_what_was_never_asked_is_nothing(tmp_path: Path) -> None:
    async with program(tmp_path / "data") as running:
        running.app.mount(PATH, Endpoint(running.app))
        assert (await running.send("POST", PATH, CALL, anonymous=True)).status == 401
        await running.app.close()


async def test_a_revoked_key_is_out_at_the_next_request(tmp_path: Path) -> None:
    async with program(tmp_path / "data") as running:
        running.app.mount(PATH, Endpoint(running.app))
        made = await running.services.store.write(keys.create_key, "default", "short-lived")
        await running.services.store.write(keys.revoke_key, made.key.uuid)
        answer = await running.send("POST", PATH, CALL, headers=ACCEPT, key=made.secret)
        assert (answer.status, answer.message) == (401, "unauthorized")
        await running.app.close()


async def inside(running: Program, *, key: str = "") -> Access:
    """Somebody of the default project who has no key."""
    project = await running.services.store.read(keys.project_named, "default")
    return Access(project_id=project.id, project_uuid=project.uuid, key_uuid=key)


async def test_a_request_from_inside_is_answered_logged_and_audited(tmp_path: Path) -> None:
    async with program(tmp_path / "data") as running:
        access = await inside(running)
        made = await running.app.answer(access, "POST", "/api/v2/users", body=b'{"user_id":"a b"}')
        assert made.status == 200
        found = await running.app.answer(access, "GET", "/api/v2/users/a%20b")
        assert b'"user_id":"a b"' in found.body
        missing = await running.app.answer(access, "GET", "/api/v2/users/nobody")
        assert missing.status == 404
        done = [line for line in running.logs if line["event"] == "request.done"]
        assert [(line["action"], line["status"]) for line in done] == [
            ("user.add", 200),
            ("user.get", 200),
            ("user.get", 404),
        ]
        told = running.rows("SELECT actor, action FROM audit_entries WHERE action = 'user.add'")
        assert told == [("command", "user.add")]


async def test_a_path_beside_the_endpoint_is_left_to_the_routes(tmp_path: Path) -> None:
    async with program(tmp_path / "data") as running:
        running.app.mount(PATH, Endpoint(running.app))
        assert (await exchange(running.app, "GET", b"/mcp/x", b"", [], [b""])).status == 404
