"""`recollect mcp` as a process: how it ends, what it refuses, what it prints where."""

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.server import Server, free_port, program, program_environment

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def start(folder: Path, *options: str, **environment: str) -> subprocess.Popen[str]:
    """The command with pipes to speak through."""
    return subprocess.Popen(
        program("mcp", "--data", str(folder), *options),
        env=program_environment(folder, **environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ask(running: subprocess.Popen[str], message: dict[str, Any]) -> Any:
    """Send one line and read one."""
    assert running.stdin is not None
    assert running.stdout is not None
    running.stdin.write(json.dumps(message) + "\n")
    running.stdin.flush()
    return json.loads(running.stdout.readline())


def call(running: subprocess.Popen[str], tool: str, **arguments: Any) -> str:
    """The text that a tool answers."""
    params = {"name": tool, "arguments": arguments}
    asked = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}
    return str(ask(running, asked)["result"]["content"][0]["text"])


def test_it_speaks_on_a_new_folder_and_ends_with_its_input(tmp_path: Path) -> None:
    with start(tmp_path / "data") as running:
        assert ask(running, HELLO)["result"]["serverInfo"]["name"] == "recollect"
        assert "404" in call(running, "get_user", user_id="nobody")
        out, err = running.communicate(timeout=30)
    assert (running.returncode, out) == (0, "")
    assert "request.done" in err


def test_it_ends_when_it_is_told_to_though_its_input_stays_open(tmp_path: Path) -> None:
    with start(tmp_path / "data") as running:
        ask(running, HELLO)
        running.send_signal(signal.SIGTERM)
        assert running.wait(timeout=30) == 0


def test_a_child_on_its_own_learns_what_it_is_told(tmp_path: Path) -> None:
    with start(tmp_path / "data", "--write", RECOLLECT_EXTRACTION="on") as running:
        ask(running, HELLO)
        call(running, "add_memory", user_id="bo", content="Bo Berg works at Acme Corporation.")
        deadline = time.monotonic() + 60
        while "Acme" not in call(running, "get_user_edges", user_id="bo"):
            assert time.monotonic() < deadline, "nothing was learned"
            time.sleep(0.1)
        running.communicate(timeout=60)
    assert running.returncode == 0


@pytest.mark.parametrize(
    ("options", "key", "why"),
    [
        ((), "nobody's", "RECOLLECT_API_KEY is no key of this store"),
        (("--url", f"http://127.0.0.1:{free_port()}"), "some-key", "cannot be used"),
    ],
)
def test_what_it_cannot_do_is_said_at_once(
    tmp_path: Path, options: tuple[str, ...], key: str, why: str
) -> None:
    with start(tmp_path / "data", *options, RECOLLECT_API_KEY=key) as running:
        out, err = running.communicate(timeout=60)
    assert (running.returncode, out) == (1, "")
    assert why in " ".join(err.split())
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("key", "path", "why"),
    [
        ("nobody's", "", "it does not know the key in RECOLLECT_API_KEY (401)"),
        (None, "", "it requires a key, and RECOLLECT_API_KEY is not set (401)"),
        ("the server's", "/elsewhere", "there is nothing at"),
    ],
)
def test_why_a_server_cannot_be_used_is_said_at_once(
    server: Server, tmp_path: Path, key: str | None, path: str, why: str
) -> None:
    """The guide to the MCP tools, section "Error Handling": 401 Unauthorized."""
    known = {"the server's": server.api_key, "nobody's": "nobody's"}
    given = {"RECOLLECT_API_KEY": known[key]} if key else {}
    with start(tmp_path / "data", "--url", server.url + path, **given) as running:
        out, err = running.communicate(timeout=60)
    assert (running.returncode, out) == (1, "")
    assert f"the server at {server.url}{path} cannot be used: {why}" in " ".join(err.split())
