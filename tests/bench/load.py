"""A lean HTTP/1.1 load generator: raw sockets, keep-alive, one request at a time per client."""

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import partial

import uvloop

MakeRequest = Callable[[int, int], bytes]
Requests = Sequence[bytes]


class Client(asyncio.Protocol):
    """One connection that sends its next request when the answer is whole."""

    def __init__(self, number: int, make: MakeRequest, until: float) -> None:
        self.number = number
        self.make = make
        self.until = until
        self.done = 0
        self.failed = 0
        self.waits: list[float] = []
        self.finished: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._buffer = b""
        self._sent_at = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin at once."""
        self.transport = transport
        self._send()

    def _send(self) -> None:
        self._sent_at = time.perf_counter()
        self.transport.write(self.make(self.number, self.done))

    def data_received(self, data: bytes) -> None:
        """Count an answer when its body is whole."""
        self._buffer += data
        head, separator, body = self._buffer.partition(b"\r\n\r\n")
        if not separator or len(body) < _length(head):
            return
        now = time.perf_counter()
        self.waits.append(now - self._sent_at)
        self.failed += not head.startswith(b"HTTP/1.1 200")
        self._buffer = b""
        self.done += 1
        if now >= self.until:
            self.transport.close()
            self.finished.set_result(None)
        else:
            self._send()

    def connection_lost(self, error: Exception | None) -> None:
        """A lost connection ends the client."""
        if not self.finished.done():
            self.failed += 1
            self.finished.set_result(None)


def _length(head: bytes) -> int:
    at = head.lower().index(b"content-length:") + 15
    return int(head[at : at + 12].split(b"\r\n")[0])


async def _drive(port: int, clients: int, seconds: float, make: MakeRequest) -> dict[str, float]:
    loop = asyncio.get_running_loop()
    began = time.perf_counter()
    running = []
    for number in range(clients):
        _, client = await loop.create_connection(
            partial(Client, number, make, began + seconds), "127.0.0.1", port
        )
        running.append(client)
    await asyncio.gather(*(client.finished for client in running))
    took = time.perf_counter() - began
    waits = sorted(wait for client in running for wait in client.waits)
    failed = sum(client.failed for client in running)
    if failed:
        raise RuntimeError(f"{failed} requests failed")
    return {
        "per_s": sum(client.done for client in running) / took,
        "p50_ms": waits[len(waits) // 2] * 1000,
        "p99_ms": waits[int(len(waits) * 0.99)] * 1000,
    }


def drive(port: int, clients: int, seconds: float, make: MakeRequest) -> dict[str, float]:
    """Requests per second and latencies of *clients* closed-loop clients."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_drive(port, clients, seconds, make))


async def _exchange(port: int, requests: Requests) -> list[float]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    waits = []
    for one in requests:
        began = time.perf_counter()
        writer.write(one)
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(_length(head))
        waits.append((time.perf_counter() - began) * 1000)
        if not head.startswith(b"HTTP/1.1 2"):
            raise RuntimeError(head.decode())
    writer.close()
    await writer.wait_closed()
    return waits


async def _exchange_all(port: int, clients: int, requests: Requests) -> list[float]:
    parts = [_exchange(port, requests[number::clients]) for number in range(clients)]
    return [wait for part in await asyncio.gather(*parts) for wait in part]


def drive_all(port: int, clients: int, requests: Requests) -> list[float]:
    """Milliseconds of each request, shared out to clients that send theirs one after the other."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_exchange_all(port, clients, requests))


def request(method: str, path: str, key: str, body: bytes = b"") -> bytes:
    """The bytes of one request."""
    return (
        f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Api-Key {key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode() + body
