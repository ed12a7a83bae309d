"""A scripted language model: a real HTTP server on loopback.

It implements the part of the chat completions protocol that the program uses, and every way to break it.
Each request takes the next step of the script; after the script, *otherwise* answers.
"""

import json
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

import pytest

from recollect.settings import Settings

USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


@dataclass(frozen=True)
class Request:
    """A request that arrived. Header names are in lower case."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def system(self) -> str:
        """The system prompt that was sent."""
        return str(self.body["messages"][0]["content"])

    @property
    def user(self) -> str:
        """The user prompt that was sent."""
        return str(self.body["messages"][1]["content"])


@dataclass(frozen=True)
class Step:
    """One response of the server, after a delay.

    *sent* cuts the connection after that many bytes; *trickle_s* is a pause after each of a hundred pieces.
    """

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    sent: int | None = None
    trickle_s: float = 0.0


Otherwise = Callable[[Request], Step]


def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove settings and proxies that come from the environment of the test run."""
    for name in Settings.model_fields:
        monkeypatch.delenv(f"RECOLLECT_{name.upper()}", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def says(
    content: str | None,
    *,
    finish_reason: str = "stop",
    refusal: str | None = None,
    usage: dict[str, int] | None = USAGE,
    delay_s: float = 0.0,
) -> Step:
    """A chat completion with this content."""
    message = {"role": "assistant", "content": content, "refusal": refusal}
    choice = {"index": 0, "message": message, "finish_reason": finish_reason}
    whole: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [choice],
    }
    if usage is not None:
        whole["usage"] = usage
    return Step(json.dumps(whole).encode(), delay_s=delay_s)


def answers(value: Any, **how: Any) -> Step:
    """A chat completion whose content is this value as JSON."""
    return says(json.dumps(value), **how)


def refuses() -> Step:
    """The model refuses."""
    return says(None, refusal="I'm sorry, I can't help with that.")


def truncated(value: Any) -> Step:
    """The answer is cut off, as it is when the token limit is reached."""
    text = json.dumps(value)
    return says(text[: len(text) // 2], finish_reason="length")


def drops(value: Any) -> Step:
    """The connection breaks in the middle of a good answer."""
    whole = answers(value)
    return Step(whole.body, sent=len(whole.body) // 2)


def fails(status: int, message: str = "no", **headers: str) -> Step:
    """An error response in the format that endpoints use."""
    body = json.dumps({"error": {"message": message, "type": "t", "code": "c"}}).encode()
    return Step(body, status=status, headers={k.replace("_", "-"): v for k, v in headers.items()})


class ScriptedModel:
    """The server. Use it as a context manager; *requests* are those that arrived, in order."""

    def __init__(self, script: Iterable[Step] = (), *, otherwise: Otherwise | None = None) -> None:
        self.requests: list[Request] = []
        self.arrived = threading.Event()
        self.at_once_max = 0
        self._at_once = 0
        self._script = list(script)
        self._otherwise = otherwise
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = False  # closing waits for responses in progress
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    @property
    def url(self) -> str:
        """The base address to configure."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _next(self, request: Request) -> Step:
        with self._lock:
            self.requests.append(request)
            self.arrived.set()
            self._at_once += 1
            self.at_once_max = max(self.at_once_max, self._at_once)
            if self._script:
                return self._script.pop(0)
        if self._otherwise is None:
            return fails(500, "the script is over")
        return self._otherwise(request)

    def _done(self) -> None:
        with self._lock:
            self._at_once -= 1

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                step = server._next(Request(self.path, headers, json.loads(body)))
                server._closing.wait(step.delay_s)
                server._done()
                try:
                    self._send(step)
                except OSError:
                    self.close_connection = True  # the client did not wait

            def _send(self, step: Step) -> None:
                self.send_response(step.status)
                for name, value in {"Content-Type": "application/json", **step.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(step.body)))
                self.end_headers()
                whole = step.body[: step.sent]
                size = len(whole) // 100 + 1 if step.trickle_s else len(whole) + 1
                for at in range(0, len(whole), size):
                    self.wfile.write(whole[at : at + size])
                    server._closing.wait(step.trickle_s)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                pass

        return Handler
