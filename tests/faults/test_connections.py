"""One connection cannot take the server down, whatever it sends or does not read."""

import contextlib
import re
import shutil
import socket
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from recollect.api.http import address_of
from recollect.cli.connections import Crowd
from recollect.limits import (
    BODY_PAUSE_S_MAX,
    HEAD_S_MAX,
    HEADERS_MAX,
    REQUEST_S_MAX,
    UNREAD_BYTES_MAX,
    UNREAD_S_MAX,
)
from tests.support.server import HOST, Server

FLOOD_BYTES = 64 * 1024 * 1024
GROWTH_BYTES_MAX = 24 * 1024 * 1024
HEALTH_S_MAX = 0.1
LOOKS = 25
PRLIMIT = shutil.which("prlimit")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("connections") / "data") as running:
        _healths(running)
        yield running


def _healths(server: Server) -> list[float]:
    """The seconds that /health takes, on a connection of its own each time."""
    took = []
    for _ in range(LOOKS):
        began = time.perf_counter()
        with socket.create_connection((HOST, server.port), timeout=10) as line:
            line.sendall(b"GET /health HTTP/1.1\r\nhost: here\r\n\r\n")
            assert line.recv(4096).startswith(b"HTTP/1.1 200 ")
        took.append(time.perf_counter() - began)
    return took


def _flood(server: Server, first: bytes, piece: Callable[[int], bytes]) -> tuple[int, bytes]:
    """Send without end and without reading; says how much went out, and what was answered."""
    sent = 0
    with socket.create_connection((HOST, server.port), timeout=5) as line:
        with contextlib.suppress(OSError):
            line.sendall(first)
            while sent < FLOOD_BYTES:
                sent += line.send(piece(sent))
        with contextlib.suppress(OSError):
            return sent, line.recv(4096)
    return sent, b""


FLOODS = {
    "endless headers": (
        b"GET /health HTTP/1.1\r\nhost: here\r\n",
        lambda n: b"".join(b"x-%d-%d: 1\r\n" % (n, i) for i in range(2_000)),
    ),
    "one endless header value": (
        b"GET /health HTTP/1.1\r\nhost: here\r\nx-long: ",
        lambda _: b"a" * 65_536,
    ),
    "one endless header name": (b"GET /health HTTP/1.1\r\n", lambda _: b"a" * 65_536),
    "an endless path": (b"GET /", lambda _: b"a" * 65_536),
    "endless empty lines": (b"", lambda _: b"\r\n" * 32_768),
    "an endless chunk size": (
        b"POST /mcp HTTP/1.1\r\nhost: here\r\ntransfer-encoding: chunked\r\n\r\n1;",
        lambda _: b"a" * 65_536,
    ),
    "endless trailers": (
        b"POST /api/v2/users HTTP/1.1\r\nhost: here\r\ntransfer-encoding: chunked\r\n\r\n0\r\nx: ",
        lambda _: b"a" * 65_536,
    ),
    "a body that nobody wants": (
        b"POST /api/v2/users HTTP/1.1\r\nhost: here\r\ntransfer-encoding: chunked\r\n\r\n",
        lambda _: b"10000\r\n" + b"a" * 65_536 + b"\r\n",
    ),
    "unread pipelined answers": (
        b"",
        lambda _: b"GET /docs HTTP/1.1\r\nhost: here\r\n\r\n" * 2_000,
    ),
    "unread pipelined refusals": (b"", lambda _: b"GET /x HTTP/1.1\r\n\r\n" * 4_000),
}


@pytest.mark.parametrize("name", FLOODS)
def test_a_flood_leaves_memory_flat_and_health_fast(server: Server, name: str) -> None:
    """64 MB of it at most: 24 MB of growth at most, and /health below 100 ms during and after."""
    process = psutil.Process(server.pid)
    before = process.memory_info().rss
    first, piece = FLOODS[name]
    sent, answer = _flood(server, first, piece)
    took = _healths(server)
    growth = process.memory_info().rss - before
    print(
        f"{name}: {sent / 1e6:.1f} MB taken, {growth / 1e6:.1f} MB more, "
        f"/health {statistics.median(took) * 1e3:.1f} ms, answered {answer[:40]!r}"
    )
    assert growth < GROWTH_BYTES_MAX
    assert sent < FLOOD_BYTES
    assert statistics.median(took) < HEALTH_S_MAX


def test_health_is_fast_while_answers_lie_unread(server: Server) -> None:
    """Ten connections that ask for pages and read nothing, all open at once."""
    process = psutil.Process(server.pid)
    before = process.memory_info().rss
    asked = b"GET /openapi.json HTTP/1.1\r\nhost: here\r\n\r\n" * 2_000
    with contextlib.ExitStack() as lines:
        for _ in range(10):
            line = lines.enter_context(socket.create_connection((HOST, server.port)))
            line.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                while line.send(asked):
                    pass
        took = _healths(server)
        growth = process.memory_info().rss - before
    print(f"{growth / 1e6:.1f} MB more, /health {statistics.median(took) * 1e3:.1f} ms")
    assert growth < 2 * GROWTH_BYTES_MAX
    assert statistics.median(took) < HEALTH_S_MAX


def _talk(server: Server, sent: bytes) -> bytes:
    """Everything that is answered until the connection closes."""
    with socket.create_connection((HOST, server.port), timeout=10) as line:
        line.sendall(sent)
        got = b""
        with contextlib.suppress(ConnectionResetError):
            while piece := line.recv(65_536):
                got += piece
        return got


def test_what_is_too_large_is_named(server: Server) -> None:
    """414 for path and query, 431 for headers, in the shape of every error."""
    many = b"".join(b"x-%d: 1\r\n" % number for number in range(HEADERS_MAX + 1))
    cases = {
        b"GET /%s HTTP/1.1\r\n\r\n" % (b"a" * 20_000): (b" 414 ", b"path and query: at most"),
        b"GET /health HTTP/1.1\r\n%s\r\n" % many: (b" 431 ", b"headers: at most 100"),
        b"GET /health HTTP/1.1\r\nx: %s\r\n\r\n" % (b"a" * 80_000): (b" 431 ", b"65536 bytes"),
        b"no such thing\r\n\r\n": (b" 400 ", b"invalid HTTP request"),
    }
    for sent, (status, message) in cases.items():
        answer = _talk(server, sent)
        assert status in answer.split(b"\r\n", 1)[0]
        assert b'{"message": "' in answer
        assert message in answer


def test_what_was_sent_ahead_is_answered_in_order(server: Server) -> None:
    """Three hundred requests at once, read at leisure; a bad one behind them is told last."""
    asked = b"".join(
        b"GET /api/v2/users/u%d HTTP/1.1\r\nhost: here\r\nauthorization: Api-Key %s\r\n\r\n"
        % (number, server.api_key.encode())
        for number in range(300)
    )
    answer = _talk(server, asked + b"no such thing\r\n\r\n")
    assert re.findall(rb"HTTP/1\.1 (\d+) ", answer) == [b"404"] * 300 + [b"400"]
    assert re.findall(rb"not found: u(\d+)", answer) == [b"%d" % n for n in range(300)]


def test_a_body_in_pieces_behind_another_request_arrives(server: Server) -> None:
    """Reading stops for a while between them, and goes on."""
    key = server.api_key.encode()
    body = b'{"user_id": "ahead", "first_name": "%s"}' % (b"a" * 900)
    one = (
        b"GET /api/v2/users-ordered?pageSize=1 HTTP/1.1\r\nauthorization: Api-Key %s\r\n\r\n" % key
    )
    two = (
        b"POST /api/v2/users HTTP/1.1\r\nauthorization: Api-Key %s\r\nconnection: close\r\n"
        b"content-length: %d\r\n\r\n" % (key, len(body))
    )
    with socket.create_connection((HOST, server.port), timeout=10) as line:
        line.sendall(one * 200 + two + body[:100])
        time.sleep(0.3)
        line.sendall(body[100:])
        got = b""
        while piece := line.recv(65_536):
            got += piece
    assert got.count(b"HTTP/1.1 200 ") == 201
    assert got.endswith(b"}")
    assert b'"user_id":"ahead"' in got


@pytest.mark.parametrize("sort", ["h2c", "websocket"])
def test_an_upgrade_is_answered_without_and_closed(server: Server, sort: str) -> None:
    """What comes after it would not be understood, so nobody waits for an answer to that."""
    asked = b"GET /health HTTP/1.1\r\nconnection: Upgrade\r\nupgrade: %s\r\n\r\n" % sort.encode()
    answer = _talk(server, asked + b"GET /health HTTP/1.1\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"connection: close" in answer


def test_who_stops_sending_is_still_answered(server: Server) -> None:
    """Half of a connection may close before the answer comes."""
    with socket.create_connection((HOST, server.port), timeout=10) as line:
        line.sendall(b"GET /ready HTTP/1.1\r\nhost: here\r\n\r\n")
        line.shutdown(socket.SHUT_WR)
        got = b""
        while piece := line.recv(65_536):
            got += piece
    assert got.startswith(b"HTTP/1.1 200 ")
    assert got.endswith(b'{"status":"ready"}')


@pytest.mark.skipif(PRLIMIT is None, reason="prlimit is not installed")
def test_connections_stay_below_the_descriptors(tmp_path: Path) -> None:
    """Of 256 descriptors 128 are for connections; 400 idle ones do not keep /health out."""
    under = (str(PRLIMIT), "--nofile=256:256")
    with Server(tmp_path / "data", under=under) as server, contextlib.ExitStack() as lines:
        for _ in range(400):
            line = lines.enter_context(socket.create_connection((HOST, server.port)))
            line.sendall(b"GET /health HTTP/1.1\r\n")
        took = _healths(server)
        process = psutil.Process(server.pid)
        open_files = process.num_fds()
        print(f"{open_files} descriptors, /health {statistics.median(took) * 1e3:.1f} ms")
        assert open_files < 256
        assert statistics.median(took) < HEALTH_S_MAX
        assert "connections.limited" in server.log.read_text(encoding="utf-8")


def test_too_many_at_work_are_told_so(tmp_path: Path) -> None:
    """Whoever has a request under way stays; one more is refused with 503, and the log says it."""
    environment = {"RECOLLECT_CONNECTIONS_MAX": "4", "RECOLLECT_CONNECTIONS_PER_ADDRESS_MAX": "4"}
    half = b"POST /api/v2/users HTTP/1.1\r\nauthorization: Api-Key %s\r\ncontent-length: 9\r\n\r\n{"
    with Server(tmp_path / "data", environment=environment) as server:
        with contextlib.ExitStack() as lines:
            for _ in range(4):
                line = lines.enter_context(socket.create_connection((HOST, server.port)))
                line.sendall(half % server.api_key.encode())
            time.sleep(0.3)
            answer = _talk(server, b"")
            assert answer.startswith(b"HTTP/1.1 503 ")
            assert b"too many connections" in answer
        assert "connections.refused" in server.log.read_text(encoding="utf-8")
        time.sleep(0.3)
        _healths(server)


class _Known:
    """A connection as the crowd sees it."""

    def __init__(self, address: str = "a", *, waits: float | None = 0.0) -> None:
        self.address = address
        self.waits_since = waits
        self.asks_since: float | None = None
        self.heard_at = 0.0
        self.unread = 0
        self.ended = ""

    def unread_bytes(self) -> int:
        return self.unread

    def late(self, what: str) -> None:
        self.ended = what

    def abort(self) -> None:
        self.ended = "aborted"


def test_who_waits_longest_makes_room() -> None:
    """Within an address first; nobody who has a request under way."""
    crowd = Crowd(most=3, per_address=2)
    older, newer, other = _Known(waits=1.0), _Known(waits=2.0), _Known("b", waits=0.5)
    assert all(crowd.enter(one, 3.0) for one in (older, newer, other))
    assert crowd.enter(_Known(waits=None), 3.0)
    assert (older.ended, newer.ended, other.ended) == ("aborted", "", "")
    assert crowd.enter(_Known("c", waits=None), 3.0)
    assert other.ended == "aborted"
    newer.waits_since = None
    assert not crowd.enter(_Known(), 3.0)
    assert len(crowd) == 3


@pytest.mark.parametrize(
    ("waits", "asks", "after"),
    [
        (0.0, 0.0, HEAD_S_MAX),
        (None, 0.0, BODY_PAUSE_S_MAX),
    ],
)
def test_half_a_request_does_not_stay(waits: float | None, asks: float, after: float) -> None:
    """Half a head and half a body, until their time is over."""
    crowd, one = Crowd(most=3, per_address=3), _Known(waits=waits)
    one.asks_since = asks
    crowd.enter(one, 0.0)
    crowd.sweep(after - 0.1)
    assert not one.ended
    crowd.sweep(after + 0.1)
    assert one.ended


def test_a_trickled_body_does_not_stay() -> None:
    """A byte now and then is not enough."""
    crowd, one = Crowd(most=3, per_address=3), _Known(waits=None)
    one.asks_since, one.heard_at = 0.0, REQUEST_S_MAX
    crowd.enter(one, 0.0)
    crowd.sweep(REQUEST_S_MAX + 1)
    assert "body" in one.ended


def test_unread_answers_do_not_stay() -> None:
    """By time where nothing is taken, and the largest first where all hold too much."""
    crowd, stuck, slow = Crowd(most=9, per_address=9), _Known(waits=None), _Known(waits=None)
    for one in (stuck, slow):
        crowd.enter(one, 0.0)
        one.unread = 1_000
    for second in range(int(UNREAD_S_MAX) + 2):
        slow.unread -= 1
        crowd.sweep(float(second))
    assert (stuck.ended, slow.ended) == ("aborted", "")
    large = _Known(waits=None)
    large.unread = UNREAD_BYTES_MAX
    crowd.enter(large, 0.0)
    crowd.sweep(100.0)
    assert (large.ended, slow.ended) == ("aborted", "")


def test_what_counts_as_one_address() -> None:
    """One machine has a whole network of version 6 to itself."""
    assert address_of(("10.0.0.7", 1)) == "10.0.0.7"
    assert address_of(("::ffff:10.0.0.7", 1)) == "10.0.0.7"
    assert address_of(("2001:db8::1", 1)) == address_of(("2001:db8::2", 1))
    assert address_of(("2001:db8::1", 1)) != address_of(("2001:db8:0:1::1", 1))
