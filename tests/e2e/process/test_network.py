"""Nothing leaves the machine: seen from outside, by the system calls of whole runs.

A hook inside Python would not see native code, which is where a runtime reports to its vendor.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from tests.support.server import EXTRACTION_ON, Server

_STRACE = shutil.which("strace")
pytestmark = pytest.mark.skipif(_STRACE is None, reason="strace is not installed")
_PLACE = re.compile(r'inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)"')
_HERE = re.compile(r"127\.|::1$|::ffff:127\.")
_PROGRAM = """
from recollect import SyncMemory

memory = SyncMemory.open({folder!r})
memory.add("I moved to Lisbon in May 2024.", user="ann")
print(memory.search("Where does Ann live?", user="ann")[0].text)
memory.close()
"""


def foreign(trace: Path) -> list[str]:
    """The calls that name an address of another machine, or ask who has a name."""
    calls = trace.read_text(encoding="utf-8", errors="replace").splitlines()
    named = ((call, _PLACE.search(call)) for call in calls)
    return [call for call, found in named if found and not _HERE.match(found[1] or found[2])]


def traced(trace: Path, *command: str) -> list[str]:
    """A command whose network calls are written down, those of its children as well."""
    return [str(_STRACE), "-f", "-qq", "-e", "trace=%network", "-o", str(trace), *command]


def test_the_library_calls_nobody(tmp_path: Path) -> None:
    """Opening, reading, embedding, judging, searching, with an empty home."""
    program, trace = _PROGRAM.format(folder=str(tmp_path / "data")), tmp_path / "trace"
    home = {"HOME": str(tmp_path), "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", "")}
    models = {"RECOLLECT_MODELS": str(_models())}
    found = subprocess.run(
        traced(trace, sys.executable, "-c", program),
        env={**os.environ, **home, **models},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert "Lisbon" in found.stdout
    assert foreign(trace) == []
    left = [path.name for path in tmp_path.iterdir() if path.name not in ("data", "trace")]
    assert left == []


def test_the_server_calls_nobody(tmp_path: Path) -> None:
    """From its first request on, with the child process that reads."""
    trace = tmp_path / "trace"
    with Server(tmp_path / "data", environment=EXTRACTION_ON, under=("env",)) as server:
        following = subprocess.Popen(traced(trace, "-p", str(server.pid)))
        try:
            with server.http() as client:
                _tell_and_ask(client)
        finally:
            following.terminate()
            following.wait(timeout=30)
    assert trace.stat().st_size > 0
    assert foreign(trace) == []


def _tell_and_ask(client: httpx.Client) -> None:
    client.post("/users", json={"user_id": "ann", "first_name": "Ann"}).raise_for_status()
    sent = {"type": "text", "data": "Ann moved to Lisbon.", "user_id": "ann"}
    client.post("/graph", json=sent).raise_for_status()
    until = time.monotonic() + 120
    while not client.get("/graph/episodes/user/ann?lastn=1").json()["episodes"][0]["processed"]:
        assert time.monotonic() < until, "not read in time"
        time.sleep(0.2)
    asked = {"query": "Where does Ann live?", "user_id": "ann"}
    assert client.post("/graph/search", json=asked).json()["edges"]


def _models() -> Path:
    from recollect.settings import Settings

    return Settings().models
