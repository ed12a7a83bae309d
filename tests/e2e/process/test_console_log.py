"""At a terminal the log is for a person: one short line per request, with its path and why it was refused."""

import contextlib
import os
import pty
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from subprocess import DEVNULL, Popen

import httpx

from tests.support.server import DEFAULT_KEY, HOST, free_port, program, program_environment

COLOURS = re.compile(r"\x1b\[\d+m")
KEY = {"Authorization": f"Api-Key {DEFAULT_KEY}"}


class Terminal:
    """A server whose standard error is a terminal, and what is written there."""

    def __init__(self, data: Path, **environment: str) -> None:
        self._ours, theirs = pty.openpty()
        self.url = f"http://{HOST}:{free_port()}"
        port = self.url.rpartition(":")[2]
        self._process = Popen(
            program("serve", "--port", port, "--data", str(data), "--workers", "0"),
            env=program_environment(RECOLLECT_API_KEY=DEFAULT_KEY, TERM="xterm", **environment),
            stdin=DEVNULL,
            stdout=DEVNULL,
            stderr=theirs,
        )
        os.close(theirs)
        self._written = b""
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError):  # what a terminal says when nobody writes to it any more
            while piece := os.read(self._ours, 65536):
                self._written += piece

    def stop(self) -> list[str]:
        """End the server; every line that was written."""
        self._process.terminate()
        self._process.wait(30)
        self._reading.join(10)
        os.close(self._ours)
        return self._written.decode().splitlines()


@contextlib.contextmanager
def asked(data: Path, **environment: str) -> Iterator[list[str]]:
    """What a terminal shows of a few requests."""
    terminal = Terminal(data, **environment)
    lines: list[str] = []
    try:
        with httpx.Client(
            base_url=terminal.url,
            headers=KEY,
            transport=httpx.HTTPTransport(retries=8),
            timeout=60,
            trust_env=False,
        ) as http:
            http.get("/health")
            http.get("/api/v2/users/nobody?secret=plugh", headers={"X-Request-Id": "mine"})
            http.post("/api/v2/users", json={"user_id": "a\x1b[31m/b"})
            http.get("/api/v2/users/%1B%5B31m")
    finally:
        lines += terminal.stop()
    yield lines


def test_a_person_reads_one_short_line_per_request(tmp_path: Path) -> None:
    with asked(tmp_path / "data") as lines:
        text = "\n".join(lines)
    plain = [COLOURS.sub("", line) for line in lines]
    requests = [line for line in plain if re.match(r"\d\d:\d\d:\d\d (GET|POST) /", line)]
    assert re.fullmatch(r"\S+ GET /health 200 [\d.]+ ms", requests[0]), requests
    wanted = r"\S+ GET /api/v2/users/nobody 404 [\d.]+ ms user not found: nobody \[mine\]"
    assert re.fullmatch(wanted, requests[1]), requests
    assert " POST /api/v2/users 400 " in requests[2]
    assert "user_id: " in requests[2]
    assert " GET /api/v2/users/%1B%5B31m " in requests[3]
    assert len(requests) == 4
    assert "\x1b[33m404\x1b[0m" in text, "a refusal is seen at a glance"
    assert "plugh" not in text, "a query may be a question of somebody"
    assert "a\x1b[31m" not in text, "what was sent does not colour the terminal"


def test_a_terminal_can_be_given_json(tmp_path: Path) -> None:
    with asked(tmp_path / "data", RECOLLECT_LOG_FORMAT="json") as lines:
        done = [line for line in lines if '"request.done"' in line]
    assert len(done) == 4
    assert all(line.startswith('{"time":') for line in done)
    assert "nobody" not in "".join(done)
