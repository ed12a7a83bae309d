"""A single webhook call: signed as in Standard Webhooks, sent, and its status read.

Only the head of the response is read, within bounds. A redirect is treated like any other response
and not followed. No proxy, cookie or credential of this machine is used.
"""

import asyncio
import base64
import hashlib
import hmac
import re
import ssl
import time
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from urllib.parse import SplitResult, urlsplit

from recollect.errors import RecollectError
from recollect.governance.outbox import Owed
from recollect.governance.webhooks import SECRET_PREFIX
from recollect.graph.webhooks import Try
from recollect.limits import WEBHOOK_ANSWER_BYTES_MAX
from recollect.settings import Network
from recollect.webhooks.addresses import address_of

_STATUS = re.compile(rb"HTTP/1\.[01] ([1-5][0-9]{2})(?: |\r)")
_CLOSE_S = 1.0


def signature(secret: str, delivery: str, timestamp: int, body: bytes) -> str:
    """The value of the `webhook-signature` header."""
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = f"{delivery}.{timestamp}.".encode() + body
    digest = hmac.new(key, signed, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"


async def send(owed: Owed, now: datetime, *, timeout_s: float, private: Sequence[Network]) -> Try:
    """Make a call and return its outcome; failures are outcomes, not exceptions."""
    began = time.monotonic()
    status, error = None, None
    try:
        async with asyncio.timeout(timeout_s):
            status = await _post(owed, now, private)
    except TimeoutError:
        error = f"no answer within {timeout_s:g} s"
    except RecollectError as refused:
        error = refused.message
    except (OSError, EOFError, ValueError) as failed:
        # The message may quote the response; the error's type says enough.
        error = f"{type(failed).__name__}: {getattr(failed, 'strerror', None) or 'no HTTP answer'}"
    duration_ms = round((time.monotonic() - began) * 1000)
    return Try(at=now, status=status, error=error, duration_ms=duration_ms)


async def _post(owed: Owed, now: datetime, private: Sequence[Network]) -> int:
    parts = urlsplit(owed.row.url)
    host, encrypted = parts.hostname or "", parts.scheme == "https"
    port = parts.port or (443 if encrypted else 80)
    address = await address_of(host, port, private)
    reader, writer = await asyncio.open_connection(
        address,
        port,
        ssl=trusted() if encrypted else None,
        server_hostname=host if encrypted else None,
        limit=WEBHOOK_ANSWER_BYTES_MAX,
    )
    try:
        writer.write(_head(owed, parts, round(now.timestamp())) + owed.body)
        await writer.drain()
        return await _status(reader)
    finally:
        writer.close()
        try:
            async with asyncio.timeout(_CLOSE_S):
                await writer.wait_closed()
        except (OSError, TimeoutError):
            writer.transport.abort()


@cache
def trusted() -> ssl.SSLContext:
    """The machine's trust store, or the file that `SSL_CERT_FILE` names."""
    return ssl.create_default_context()


def _head(owed: Owed, parts: SplitResult, timestamp: int) -> bytes:
    row = owed.row
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    lines = [
        f"POST {target} HTTP/1.1",
        f"Host: {parts.netloc}",
        "Content-Type: application/json",
        f"Content-Length: {len(owed.body)}",
        "User-Agent: recollect",
        f"webhook-id: {row.uuid}",
        f"webhook-timestamp: {timestamp}",
        f"webhook-signature: {_signatures(owed, timestamp)}",
        "Connection: close",
    ]
    return "\r\n".join([*lines, "", ""]).encode("ascii")


def _signatures(owed: Owed, timestamp: int) -> str:
    """One signature, and a second one for a while after a rotation; a receiver accepts either."""
    row = owed.row
    secrets = [row.secret]
    if row.old_secret is not None and timestamp * 1_000_000 < (row.old_secret_until or 0):
        secrets.append(row.old_secret)
    return " ".join(signature(one, row.uuid, timestamp, owed.body) for one in secrets)


async def _status(reader: asyncio.StreamReader) -> int:
    """The status of the final response, after any interim ones."""
    left = WEBHOOK_ANSWER_BYTES_MAX
    while True:
        line = await reader.readuntil(b"\n")
        found = _STATUS.match(line)
        if found is None:
            raise ValueError("no status line")
        status = int(found[1])
        if status >= 200:
            return status
        while line.strip():
            left -= len(line)
            if left < 0:
                raise ValueError("too long a head")
            line = await reader.readuntil(b"\n")
