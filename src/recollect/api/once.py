"""Writing once, however often a client asks: the answer is kept in the transaction of the write."""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any, Concatenate, ParamSpec

import msgspec

from recollect.api.http import Reply
from recollect.api.router import Call
from recollect.errors import InvalidInput
from recollect.governance.receipts import Erased
from recollect.graph.types import Access, Record
from recollect.limits import IDEMPOTENCY_KEY_CHARS_MAX
from recollect.store.protocol import Transaction
from recollect.subjects import kept_answers

P = ParamSpec("P")
_HEADER = b"idempotency-key"
_encode = msgspec.json.Encoder().encode


class Done(Record):
    """What a unit did: its answer, the graph whose words are in that, and for the audit log what was
    made or erased."""

    answer: Any = None
    graph_id: int | None = None
    made: Any = None
    erased: Erased | None = None


class Outcome(Record):
    """An answer as it goes out, now or again; nothing was made when it goes out again."""

    body: bytes
    made: Any = None
    erased: Erased | None = None


Unit = Callable[Concatenate[Transaction, Access, P], Done]


async def outcome(call: Call, unit: Unit[P], *args: P.args, **kwargs: P.kwargs) -> Outcome:
    """Do *unit*, unless this very request was answered before; then see to what follows from it."""

    def bound(tx: Transaction, access: Access) -> Done:
        return unit(tx, access, *args, **kwargs)

    key = _key(call.headers)
    if key is None:
        done = await call.services.store.write(_plainly, call.access, bound)
    else:
        request = _digest(call)
        known = await call.services.store.glance(kept_answers.find, call.access, key, request)
        if known is not None:
            return Outcome(body=known)
        done = await call.services.store.write(_once, call.access, bound, key, request)
    call.services.wake_workers()
    if done.erased is not None:
        await call.services.wipe(done.erased)
    return done


async def write(call: Call, unit: Unit[P], *args: P.args, **kwargs: P.kwargs) -> Reply:
    """The same as a whole answer; one without words says nothing."""
    done = await outcome(call, unit, *args, **kwargs)
    return Reply(200, done.body) if done.body else Reply.nothing()


def _plainly(tx: Transaction, access: Access, unit: Unit[[]]) -> Outcome:
    return _outcome(unit(tx, access))


def _once(tx: Transaction, access: Access, unit: Unit[[]], key: str, request: str) -> Outcome:
    known = kept_answers.find(tx, access, key, request)  # somebody may have been quicker
    if known is not None:
        return Outcome(body=known)
    done = unit(tx, access)
    made = _outcome(done)
    kept_answers.keep(tx, access, key, request, made.body, done.graph_id)
    return made


def _outcome(done: Done) -> Outcome:
    body = b"" if done.answer is None else _encode(done.answer)
    return Outcome(body=body, made=done.erased or done.made, erased=done.erased)


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
    """What tells requests apart: the method, the path, the query, what the body says, and what the
    caller may see, so that nothing is told again that was hidden since."""
    digest = blake2b(call.asked.encode(errors="replace"), digest_size=16)
    digest.update(b"\0" + _steady(call.access.sight).encode())
    digest.update(b"\0" + (call.body if isinstance(call.body, bytes) else _encode(call.body)))
    return digest.hexdigest()


def _steady(value: Any) -> str:
    """A value as text that is the same in every process: sets have no order of their own."""
    if isinstance(value, frozenset):
        return f"{{{','.join(sorted(map(_steady, value)))}}}"
    if isinstance(value, tuple):
        return f"({','.join(map(_steady, value))})"
    if isinstance(value, msgspec.Struct):
        return _steady(tuple(getattr(value, name) for name in value.__struct_fields__))
    return repr(value)
