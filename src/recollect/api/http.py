"""Requests and replies, close to ASGI: bytes in, bytes out, no unnecessary work."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, MutableMapping
from contextlib import aclosing, suppress
from ipaddress import ip_address, ip_network
from typing import Any, TypeVar
from urllib.parse import parse_qsl, unquote_to_bytes

import msgspec

from recollect.errors import BodyTooLarge, InvalidInput, NotAuthenticated
from recollect.graph.checks import has_nul
from recollect.graph.types import Json
from recollect.limits import BODY_BYTES_MAX

T = TypeVar("T")

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

PROTECTED_RESOURCE = "/.well-known/oauth-protected-resource"  # RFC 9728
AS_KEY = b"recollect-as"  # the uuid of the key whose view an admin wants to see
_IPV6_HOST_BITS = 64  # one machine can use any address in its /64
_HOST_CHARS_MAX = 64
_SCHEMES = ("api-key", "bearer")
_SEARCHED_BYTES_MAX = 256 * 1024
_NO_CONTENT = 204
_JSON = (b"content-type", b"application/json")
_encode = msgspec.json.Encoder().encode
_decode_any = msgspec.json.Decoder().decode
_decoders: dict[Any, msgspec.json.Decoder[Any]] = {}


class Disconnected(Exception):
    """The client disconnected before its request was complete."""


class Reply:
    """A complete response."""

    __slots__ = ("body", "headers", "status")

    def __init__(
        self, status: int, body: bytes, headers: list[tuple[bytes, bytes]] | None = None
    ) -> None:
        self.status = status
        self.body = body
        self.headers = [_JSON] if headers is None else headers

    @property
    def size(self) -> int:
        """The size of the body in bytes, sent or not."""
        return len(self.body)

    @classmethod
    def json(cls, value: Any, status: int = 200, headers: dict[str, str] | None = None) -> "Reply":
        """*value* as JSON, with extra headers if any."""
        extra = [(k.lower().encode(), v.encode()) for k, v in (headers or {}).items()]
        return cls(status, _encode(value), [_JSON, *extra])

    @classmethod
    def typed(cls, body: bytes, content_type: str, status: int = 200) -> "Reply":
        """Bytes of another content type."""
        return cls(status, body, [(b"content-type", content_type.encode())])

    @classmethod
    def nothing(cls) -> "Reply":
        """204 No Content."""
        return cls(_NO_CONTENT, b"", [])

    async def send(self, send: Send) -> None:
        """Send the response."""
        headers = list(self.headers)
        if self.status != _NO_CONTENT:  # 204 must not have a Content-Length
            headers.append((b"content-length", str(len(self.body)).encode()))
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": self.body})


class StreamReply(Reply):
    """A streamed response, whose length is not known at the start.

    *endless*: it goes on until the client disconnects, so it watches for that.
    """

    __slots__ = ("_pieces", "_sent", "endless")

    def __init__(
        self,
        pieces: AsyncGenerator[bytes, None],
        headers: list[tuple[bytes, bytes]],
        *,
        endless: bool = False,
    ) -> None:
        super().__init__(200, b"", headers)
        self._pieces = pieces
        self._sent = 0
        self.endless = endless

    @property
    def size(self) -> int:
        """How many bytes of body were sent so far."""
        return self._sent

    async def stream(self, send: Send, receive: Receive, *, head_only: bool = False) -> None:
        """Send the response until it ends or the client disconnects.

        An error on the way is raised and leaves the response unterminated, which tells the client.
        """
        await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
        async with aclosing(self._pieces):
            if head_only:
                await send({"type": "http.response.body", "body": b""})
            elif self.endless:
                await _until(_gone(receive), self._send_all(send))
            else:
                await self._send_all(send)

    async def _send_all(self, send: Send) -> None:
        async for piece in self._pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
            self._sent += len(piece)
        await send({"type": "http.response.body", "body": b""})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _until(end: Awaitable[None], work: Awaitable[None]) -> None:
    """Run *work*, and cancel it when *end* completes first."""
    tasks = [asyncio.ensure_future(work), asyncio.ensure_future(end)]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task


async def read_body(scope: Scope, receive: Receive) -> bytes:
    """The whole body, also of a GET; a Content-Length beyond the limit is rejected unread."""
    for name, value in scope["headers"]:
        if name == b"content-length" and _too_large(value):
            raise BodyTooLarge(f"body: at most {BODY_BYTES_MAX} bytes")
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Disconnected
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > BODY_BYTES_MAX:
            raise BodyTooLarge(f"body: at most {BODY_BYTES_MAX} bytes")
        if not message.get("more_body"):
            return b"".join((*chunks, chunk)) if chunks else chunk
        chunks.append(chunk)


def _too_large(content_length: bytes) -> bool:
    # Check the number of digits first: a very long number is slow to convert.
    return len(content_length) > 18 or (
        content_length.isdigit() and int(content_length) > BODY_BYTES_MAX
    )


def header(scope: Scope, wanted: bytes) -> bytes | None:
    """The first header of that (lower-case) name."""
    for name, value in scope["headers"]:
        if name == wanted:
            found: bytes = value
            return found
    return None


def address_of(peer: tuple[str, int] | None) -> str:
    """The address of a peer for counting; all of an IPv6 /64 is one address."""
    host = peer[0][:_HOST_CHARS_MAX] if peer else ""
    try:
        plain = ip_address(host.partition("%")[0])
    except ValueError:  # a Unix socket, or what a proxy calls unknown
        return host
    if plain.version == 4:
        return host
    mapped = getattr(plain, "ipv4_mapped", None)
    return str(mapped or ip_network((int(plain), _IPV6_HOST_BITS), strict=False))


def secret(scope: Scope) -> str:
    """The key in the Authorization header; raises NotAuthenticated if there is none."""
    raw = header(scope, b"authorization")
    if raw is None:
        raise NotAuthenticated
    scheme, _, given = raw.decode("latin-1").strip().partition(" ")
    if scheme.lower() not in _SCHEMES or not given.strip():
        raise NotAuthenticated
    return given.strip()


def segments(scope: Scope) -> list[str]:
    """The path split at its slashes while still escaped, then each part decoded.

    This way, an escaped slash inside an id stays inside it.
    """
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    raw = raw.split(b"?", 1)[0]
    try:
        if b"%" not in raw:
            return raw.decode().split("/")[1:]
        return [unquote_to_bytes(part).decode() for part in raw.split(b"/")[1:]]
    except UnicodeDecodeError as error:
        raise InvalidInput("path: not valid UTF-8") from error


def parse_body(body: bytes, type_: Any) -> Any:
    """The body as *type_*; an empty one counts as an empty object."""
    decoder = _decoders.get(type_)
    if decoder is None:
        decoder = _decoders[type_] = msgspec.json.Decoder(type_)
    try:
        value = decoder.decode(body or b"{}")
        if has_nul(body):
            raise InvalidInput(f"{_field_with_nul(body)}: must not contain a NUL character")
    except msgspec.ValidationError as error:
        raise InvalidInput(explain(str(error))) from error
    except msgspec.DecodeError as error:
        raise InvalidInput(f"body: not valid JSON: {error}") from error
    except UnicodeDecodeError as error:
        raise InvalidInput("body: not valid UTF-8") from error
    except RecursionError as error:
        raise InvalidInput("body: nested too deeply") from error
    return value


def fitted(value: Json, type_: type[T]) -> T:
    """An already decoded body as *type_*, with the same checks as `parse_body`."""
    try:
        made = msgspec.convert(value, type_)
        where = _path_to_nul(value, "body")
    except msgspec.ValidationError as error:
        raise InvalidInput(explain(str(error))) from error
    except RecursionError as error:
        raise InvalidInput("body: nested too deeply") from error
    if where is not None:
        raise InvalidInput(f"{where}: must not contain a NUL character")
    return made


def _field_with_nul(body: bytes) -> str:
    """The field with the NUL character; only small bodies are searched for it."""
    if len(body) > _SEARCHED_BYTES_MAX:
        return "body"
    return _path_to_nul(_decode_any(body), "body") or "body"


def _path_to_nul(value: Any, path: str) -> str | None:
    if isinstance(value, str):
        return path if "\0" in value else None
    if isinstance(value, list):
        inside = ((f"{path}[{number}]", item) for number, item in enumerate(value))
    elif isinstance(value, dict):
        if any("\0" in key for key in value):
            return path
        inside = ((key if path == "body" else f"{path}.{key}", v) for key, v in value.items())
    else:
        return None
    return next((found for where, item in inside if (found := _path_to_nul(item, where))), None)


def parse_query(scope: Scope, type_: Any) -> Any:
    """The query string as *type_*; the last value of a repeated name wins.

    Unknown parameters are ignored, unless the type forbids them.
    """
    raw: bytes = scope.get("query_string", b"")
    try:
        pairs = parse_qsl(raw.decode("ascii"), keep_blank_values=False, errors="strict")
    except (UnicodeDecodeError, ValueError) as error:
        raise InvalidInput("query: not valid UTF-8") from error
    if any("\0" in value for _, value in pairs):
        raise InvalidInput("query: must not contain a NUL character")
    try:
        return msgspec.convert(dict(pairs), type_, strict=False)
    except msgspec.ValidationError as error:
        raise InvalidInput(explain(str(error), "query")) from error


def explain(message: str, sent: str = "body") -> str:
    """A decoder's error message with the field first: `messages[0].content: expected str …`."""
    what, _, where = message.partition(" - at `")
    field = where.rstrip("`").removeprefix("$").lstrip(".").replace("[...]", "")
    if "missing required field" in what:
        name = what.split("`")[1]
        return f"{field}.{name}: is required" if field else f"{name}: is required"
    what = what[:1].lower() + what[1:].replace("`", "")
    return f"{field or sent}: {what}"
