"""An id leads from an answer to its line in the log; in a terminal that line is for people."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from recollect.mcp.endpoint import PATH, Endpoint
from tests.support.asgi import Program, program
from tests.support.server import Server

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
MARKER = "xyzzy"


@pytest.fixture
async def running(tmp_path: Path) -> AsyncIterator[Program]:
    async with program(tmp_path / "data") as made:
        made.app.mount(PATH, Endpoint(made.app.gate))
        yield made
        await made.app.close()


@pytest.mark.parametrize(
    "sent", ["a", "req_1.2:3/4+5=@x-y", "0af7651916cd43dd8448eb211c80319c", "a" * 128]
)
async def test_a_sane_id_of_the_client_is_taken_over(running: Program, sent: str) -> None:
    answer = await running.send("GET", "/health", headers=[("X-Request-Id", sent)])
    assert answer.header("x-request-id") == sent


@pytest.mark.parametrize(
    "sent", ["", "a b", "a\tb", "\x1b[31m", "é", "a" * 129, '"', "<a>", "a\\n"]
)
async def test_any_other_is_replaced(running: Program, sent: str) -> None:
    answer = await running.send("GET", "/health", headers=[("X-Request-Id", sent)])
    assert UUID.fullmatch(answer.header("x-request-id") or "")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/health"),
        ("HEAD", "/health"),
        ("GET", "/metrics"),
        ("GET", "/nowhere"),
        ("GET", "/api/v2/users/nobody"),
        ("GET", "/api/v4/nowhere"),
        ("POST", "/api/v2/memories/search"),
        ("GET", PATH),
        ("POST", PATH),
    ],
)
async def test_every_answer_has_one_also_in_the_body_of_an_error(
    running: Program, method: str, path: str
) -> None:
    answer = await running.send(method, path, b"{}", headers=[("X-Request-Id", "mine")])
    assert [value for name, value in answer.headers if name == b"x-request-id"] == [b"mine"]
    if answer.status >= 400 and not (path == PATH and method == "POST"):  # those are JSON-RPC's
        body = answer.json()
        if "detail" not in body:  # MemMachine's clients expect theirs and nothing more
            assert (body.get("error") or body)["request_id"] == "mine"


def test_the_line_of_the_log_has_it_and_other_requests_have_others(tmp_path: Path) -> None:
    with Server(tmp_path / "data") as server:
        with server.http() as http:
            mine = http.get(f"/users/{MARKER}", headers={"X-Request-Id": "mine"})
            other = http.get("/projects/info")
            tool = _call_tool(server)
        server.stop()
        lines = _lines(server.log.read_text())
    assert mine.json()["request_id"] == mine.headers["x-request-id"] == "mine"
    done = {line["request_id"]: line for line in lines if line["event"] == "request.done"}
    assert done["mine"]["status"] == 404
    assert done["mine"]["error"] == "NotFound"
    assert done[other.headers["x-request-id"]]["action"] == "project.get"
    assert done[tool.headers["x-request-id"]]["method"] == "MCP"
    assert MARKER not in server.log.read_text(), "paths and words of refusals are not kept"


def _call_tool(server: Server) -> httpx.Response:
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "get_user", "arguments": {"user_id": "nobody"}},
    }
    key = {
        "Authorization": f"Bearer {server.api_key}",
        "Accept": "application/json, text/event-stream",
    }
    answer = httpx.post(f"{server.url}/mcp", json=call, headers=key, timeout=60, trust_env=False)
    assert answer.status_code == 200, answer.text
    return answer


def _lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]
