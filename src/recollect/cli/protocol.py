"""uvicorn's HTTP/1.1 protocol with bounds, and with one system call per response."""

import asyncio
import json
from typing import Any, cast

from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from recollect.api.http import address_of
from recollect.cli.connections import Crowd
from recollect.limits import (
    BODY_BYTES_MAX,
    HEAD_BYTES_MAX,
    HEADERS_MAX,
    PARSED_BYTES_AT_ONCE,
    TARGET_BYTES_MAX,
)

_BAD, _LATE, _LONG_TARGET, _LARGE_HEAD, _FULL = 400, 408, 414, 431, 503


class _Gathering:
    """A transport that joins the pieces of a response before it sends them.

    uvicorn writes head and body separately; sent that way, each costs a system call and wakes the
    client once.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._pieces: list[bytes] = []
        self._call_soon = asyncio.get_running_loop().call_soon

    def write(self, piece: bytes) -> None:
        """Buffer *piece* until the end of this iteration of the event loop."""
        self._pieces.append(piece)
        if len(self._pieces) == 1:
            self._call_soon(self._flush)

    def _flush(self) -> None:
        pieces, self._pieces = self._pieces, []
        if pieces and not self._transport.is_closing():
            self._transport.write(b"".join(pieces))

    def close(self) -> None:
        """Send what is buffered, then close."""
        self._flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class _Flow(FlowControl):
    """Resumes reading only when everything read before has been answered."""

    def __init__(self, protocol: "BoundedProtocol") -> None:
        super().__init__(protocol.transport)
        self._protocol = protocol

    def resume_reading(self) -> None:
        """Resume, unless answers are still owed."""
        if not self._protocol.owes_answers:
            super().resume_reading()


class _Refused(Exception):
    """Aborts the parser: the request is refused."""


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's protocol over a gathering transport, with a bound on everything a client sends.

    Pipelined input is parsed in small pieces, and only up to a request that has to wait for the answer to
    another. Until then, the rest stays unparsed and reading from the client is paused.
    """

    def __init__(self, *args: Any, crowd: Crowd, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._crowd = crowd
        self.address = ""
        self.waits_since: float | None = self.loop.time()
        self.asks_since: float | None = self.waits_since
        self.heard_at = self.loop.time()
        self._rest = b""
        self._told = False  # the parser reported something in the current piece
        self._silent_bytes = 0  # parsed without the parser reporting anything
        self._dropped_bytes = 0  # of a body that arrived after its response
        self._refusal = (_BAD, "invalid HTTP request")
        self._last_words: tuple[int, str] | None = None  # after the running response

    @property
    def owes_answers(self) -> bool:
        """Whether more has to be answered, parsed or not, after the running response."""
        return bool(self.pipeline or self._rest or self._last_words)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Insert the gathering transport, and refuse the connection if there is no room."""
        super().connection_made(_Gathering(transport))  # type: ignore[arg-type]
        self.flow = _Flow(self)
        self.address = address_of(self.client)
        if not self._crowd.enter(self, self.loop.time()):
            self._refuse(_FULL, "too many connections")

    def connection_lost(self, exc: Exception | None) -> None:
        """Release the connection's place."""
        self._crowd.leave(self)
        self._rest = b""
        self.pipeline.clear()
        super().connection_lost(exc)

    # Input.

    def data_received(self, data: bytes) -> None:
        """Parse the data, or buffer it while earlier requests are owed an answer."""
        self.heard_at = self.loop.time()
        if self.owes_answers:
            self._rest += data  # in flight when reading was paused
        else:
            if self.waits_since is not None and self.asks_since is None:
                self.asks_since = self.heard_at
            self._parse(data)

    def _parse(self, data: bytes) -> None:
        for begin in range(0, len(data), PARSED_BYTES_AT_ONCE):
            end = begin + PARSED_BYTES_AT_ONCE
            self._told = False
            super().data_received(data[begin:end])
            self._silent_bytes = 0 if self._told else self._silent_bytes + (end - begin)
            if self._silent_bytes > HEAD_BYTES_MAX:
                self._refuse(_LARGE_HEAD, f"headers: at most {HEAD_BYTES_MAX} bytes")
            if self.transport.is_closing():
                return
            if self.pipeline or self._last_words:
                self._rest = data[end:]
                self.flow.pause_reading()
                return

    def on_message_begin(self) -> None:
        """A request begins."""
        self._told = True
        self._dropped_bytes = 0
        if self.asks_since is None:
            self.asks_since = self.loop.time()
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Part of path and query."""
        super().on_url(url)
        if len(self.url) > TARGET_BYTES_MAX:
            self._stop(_LONG_TARGET, f"path and query: at most {TARGET_BYTES_MAX} bytes")

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header, or a trailer of a chunked body."""
        super().on_header(name, value)
        if len(self.headers) > HEADERS_MAX:
            self._stop(_LARGE_HEAD, f"headers: at most {HEADERS_MAX}")

    def on_headers_complete(self) -> None:
        """Start the request, unless others are before it."""
        self._told = True
        self.waits_since = None
        super().on_headers_complete()
        if self.parser.should_upgrade():  # not supported: nothing after this request is parsed
            self.cycle.keep_alive = False

    def eof_received(self) -> bool:  # type: ignore[override]
        """A client that only closed its sending side still gets a response that has not begun."""
        if not self._answering or self.cycle.response_started:
            return False
        self.cycle.keep_alive = False
        return True

    def on_body(self, body: bytes) -> None:
        """Part of the body; after the response, a bounded amount is discarded."""
        self._told = True
        if self.cycle.response_complete:
            self._dropped_bytes += len(body)
            if self._dropped_bytes > BODY_BYTES_MAX:
                self.transport.abort()
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is complete."""
        self._told = True
        self.asks_since = None
        super().on_message_complete()

    # Output.

    def on_response_complete(self) -> None:
        """Continue with what arrived in the meantime."""
        super().on_response_complete()
        if self.pipeline or self.transport.is_closing():
            return
        if self._last_words is not None:
            self._refuse(*self._last_words)
            return
        if self.cycle.response_complete:
            self.waits_since = self.loop.time()
        rest, self._rest = self._rest, b""
        self._parse(rest)
        self.flow.resume_reading()

    def unread_bytes(self) -> int:
        """How many bytes of responses the client has not read."""
        return self.transport.get_write_buffer_size()

    def late(self, what: str) -> None:
        """Drop a client that does not finish its request, or did not begin one."""
        if self.headers is None:
            self.transport.abort()
        else:
            self._refuse(_LATE, what)

    def abort(self) -> None:
        """Drop the client at once."""
        self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        """Answer a request that cannot be parsed, or whose parsing was aborted."""
        self._refuse(*self._refusal)

    def _stop(self, status: int, message: str) -> None:
        self._refusal = (status, message)
        raise _Refused

    def _refuse(self, status: int, message: str) -> None:
        """Send an error and close, after the running response."""
        if self.transport.is_closing():
            return
        if self._answering:
            self._last_words = (status, message)
            self.asks_since = None
            self.flow.pause_reading()
            return
        body = json.dumps({"message": message}).encode()
        head = (
            b"content-type: application/json\r\nconnection: close\r\n"
            b"content-length: %d\r\n\r\n" % len(body)
        )
        self.transport.write(STATUS_LINE[status] + head + body)
        self.transport.close()

    @property
    def _answering(self) -> bool:
        """Whether a complete request, or one whose response has begun, is not fully answered yet."""
        newest = cast(RequestResponseCycle | None, self.cycle)
        if self.pipeline or newest is None or newest.response_complete:
            return bool(self.pipeline)
        return newest.response_started or not newest.more_body
