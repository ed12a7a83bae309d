"""HTTP/1.1 by hand on a loopback connection: bytes are sent as they are, and nothing is retried."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any, Self

HOST = "127.0.0.1"


class ConnectionEnded(Exception):
    """The other side closed the connection before the response was complete."""


@dataclass(frozen=True)
class Answer:
    """Status, headers by lower-case name, and body."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


class Connection:
    """One keep-alive connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @classmethod
    async def open(cls, port: int) -> Self:
        """Connect; raises OSError if nobody listens."""
        return cls(*await asyncio.open_connection(HOST, port))

    async def close(self) -> None:
        """Close the connection, whatever state it is in."""
        self.writer.close()
        try:
            await self.writer.wait_closed()
        except OSError:
            return

    async def request(
        self,
        method: str,
        path: str | bytes,
        body: Any = None,
        *,
        key: str | None = None,
        headers: tuple[tuple[str, str], ...] = (),
    ) -> Answer:
        """Send a request and read the response."""
        raw = (
            b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        )
        target = path.encode() if isinstance(path, str) else path
        lines = [f"{method} ".encode() + target + b" HTTP/1.1", b"Host: localhost"]
        if key is not None:
            lines.append(f"Authorization: Api-Key {key}".encode())
        if body is not None:
            lines.append(f"Content-Length: {len(raw)}".encode())
        lines += [f"{name}: {value}".encode("latin-1") for name, value in headers]
        return await self.send(b"\r\n".join(lines) + b"\r\n\r\n" + raw, method=method)

    async def send(self, raw: bytes, *, method: str = "GET") -> Answer:
        """Send bytes as they are and read one response."""
        try:
            self.writer.write(raw)
            await self.writer.drain()
        except OSError as error:
            raise ConnectionEnded(str(error)) from error
        return await self.read(method)

    async def read(self, method: str = "GET") -> Answer:
        """Read one response."""
        try:
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = {
                name.lower(): value.strip()
                for name, _, value in (line.partition(":") for line in head[1:] if line)
            }
            status = int(head[0].split()[1])
            bodiless = method == "HEAD" or status in (204, 304)
            body = b"" if bodiless else await self._body(headers)
        except (OSError, asyncio.IncompleteReadError) as error:
            raise ConnectionEnded(str(error)) from error
        return Answer(status, headers, body)

    async def _body(self, headers: dict[str, str]) -> bytes:
        if "content-length" in headers:
            return await self.reader.readexactly(int(headers["content-length"]))
        if headers.get("transfer-encoding") != "chunked":
            return await self.reader.read()
        pieces = []
        while size := int(await self.reader.readuntil(b"\r\n"), 16):
            pieces.append((await self.reader.readexactly(size + 2))[:-2])
        await self.reader.readuntil(b"\r\n")
        return b"".join(pieces)
