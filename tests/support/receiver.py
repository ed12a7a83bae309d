"""A webhook receiver: a real server on loopback that fails on request."""

import asyncio
import base64
import hashlib
import hmac
import json
import ssl
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

LOOPBACK = "127.0.0.1/32"
OK = b"HTTP/1.1 204 No Content\r\n\r\n"
PATIENCE_S = 60.0  # a delivery that was interrupted by a crash is repeated after its lease


@dataclass
class Heard:
    """One call that was received."""

    target: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        """The body as JSON."""
        return json.loads(self.raw)

    def is_signed_with(self, secret: str) -> bool:
        """Whether the Standard Webhooks signature is valid, computed here again from the specification."""
        key = base64.b64decode(secret.split("_", 1)[1])
        at = self.headers["webhook-timestamp"]
        said = b".".join([self.headers["webhook-id"].encode(), at.encode(), self.raw])
        right = base64.b64encode(hmac.digest(key, said, hashlib.sha256)).decode()
        fresh = abs(time.time() - int(at)) < 300
        return fresh and f"v1,{right}" in self.headers["webhook-signature"].split(" ")


@dataclass
class Receiver:
    """Answers the first calls with *answers*, and all later ones with success."""

    port: int = 0
    tls: ssl.SSLContext | None = None
    answers: list[bytes | None] = field(default_factory=list)
    heard: list[Heard] = field(default_factory=list)
    _come: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def url(self) -> str:
        """Where it listens."""
        place = "http://127.0.0.1" if self.tls is None else "https://localhost"
        return f"{place}:{self.port}/told?of=it"

    async def until(self, enough: Callable[[list[Heard]], object]) -> list[Heard]:
        """Wait until *enough* accepts the calls received so far."""
        async with asyncio.timeout(PATIENCE_S):
            while not enough(self.heard):
                self._come.clear()
                await self._come.wait()
        return self.heard

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Handle one call; if the answer is None, never answer."""
        with suppress(OSError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = dict(_header(line) for line in head[1:] if line)
            raw = await reader.readexactly(int(headers["content-length"]))
            self.heard.append(Heard(head[0].split(" ")[1], headers, raw))
            answer = self.answers.pop(0) if self.answers else OK
            self._come.set()
            if answer is None:
                await reader.read()  # until the other side gives up
            else:
                writer.write(answer)
                await writer.drain()
        writer.close()


def _header(line: str) -> tuple[str, str]:
    name, _, value = line.partition(": ")
    return name.lower(), value


@asynccontextmanager
async def receiving(
    *answers: bytes | None, tls: ssl.SSLContext | None = None
) -> AsyncIterator[Receiver]:
    """A receiver that listens."""
    made = Receiver(answers=list(answers), tls=tls)
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0, ssl=tls)
    made.port = server.sockets[0].getsockname()[1]
    async with server:
        yield made


def status(code: int, *headers: str) -> bytes:
    """A response with that status."""
    return "\r\n".join([f"HTTP/1.1 {code} So", *headers, "Content-Length: 2", "", "no"]).encode()
