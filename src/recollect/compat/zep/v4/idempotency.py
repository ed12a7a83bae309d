"""Idempotent writes for clients that send an Idempotency-Key."""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any, TypeVar

import msgspec

from recollect.api.http import Reply
from recollect.api.router import Call
from recollect.app.idempotency import AnsweredBefore, Once, UseCase
from recollect.errors import InvalidInput
from recollect.limits import IDEMPOTENCY_KEY_CHARS_MAX

T = TypeVar("T")
_HEADER = b"idempotency-key"
_encode = msgspec.json.Encoder().encode


async def write(call: Call, use_case: UseCase[T], show: Callable[[T], Any] | None = None) -> Reply:
    """The response to a write, new or as it was sent before; without *show* it is empty."""
    body = await answer(call, use_case, show)
    return Reply(200, body) if body else Reply.nothing()


async def answer(call: Call, use_case: UseCase[T], show: Callable[[T], Any] | None) -> bytes:
    """The body of the response to a write, as bytes."""

    def encode(value: T) -> bytes:
        return b"" if show is None else _encode(show(value))

    key = _key(call.headers)
    once = None if key is None else Once(key=key, request=_digest(call), encode=encode)
    try:
        return encode(await use_case(once=once))
    except AnsweredBefore as before:
        return before.body


def _key(headers: Sequence[tuple[bytes, bytes]]) -> str | None:
    raw = next((value for name, value in headers if name == _HEADER), None)
    if raw is None:
        return None
    key = raw.decode("latin-1").strip()
    if not 1 <= len(key) <= IDEMPOTENCY_KEY_CHARS_MAX or not key.isascii():
        raise InvalidInput(
            f"Idempotency-Key: must be 1 to {IDEMPOTENCY_KEY_CHARS_MAX} ASCII characters"
        )
    return key


def _digest(call: Call) -> str:
    """What identifies a request: method, path, query, body, and the caller's visibility.

    The visibility is part of it so that a stored answer is not repeated once its content is hidden.
    """
    digest = blake2b(call.asked.encode(errors="replace"), digest_size=16)
    digest.update(b"\0" + _steady(call.access.visibility).encode())
    digest.update(b"\0" + (call.body if isinstance(call.body, bytes) else _encode(call.body)))
    return digest.hexdigest()


def _steady(value: Any) -> str:
    """A value as text that is the same in every process: sets are sorted."""
    if isinstance(value, frozenset):
        return f"{{{','.join(sorted(map(_steady, value)))}}}"
    if isinstance(value, tuple):
        return f"({','.join(map(_steady, value))})"
    if isinstance(value, msgspec.Struct):
        return _steady(tuple(getattr(value, name) for name in value.__struct_fields__))
    return repr(value)
