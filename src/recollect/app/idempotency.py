"""Idempotent writes: a request that is sent again gets the stored answer and is not carried out twice."""

from collections.abc import Callable
from datetime import timedelta
from functools import update_wrapper, wraps
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar

from recollect.app.services import Services
from recollect.errors import Conflict, KeyReused
from recollect.governance.receipts import Erased
from recollect.graph.types import Access, Record
from recollect.limits import KEPT_ANSWERS_S
from recollect.store import rows
from recollect.store.protocol import Transaction

# Answers to writes are stored for a day.
#
# An answer is stored in the transaction of its write: both are committed, or neither. So a client that
# never received the answer can safely retry.


def _find_kept(tx: Transaction, access: Access, key: str, request: str) -> bytes | None:
    """The stored answer to *request* under this idempotency key; None if it is new.

    Each API key has its own idempotency keys. *request* is a digest.
    """
    row = tx.answers.find(
        project_id=access.project_id,
        key_uuid=access.key_uuid,
        idempotency_key=key,
        since=_since(tx),
    )
    if row is None:
        return None
    if row.request != request:
        raise KeyReused("Idempotency-Key: already used with a different request")
    if row.answer is None:
        raise Conflict("this request was already carried out, and its answer has been erased since")
    return bytes(row.answer)


def _keep(
    tx: Transaction, access: Access, key: str, request: str, answer: bytes, graph_id: int | None
) -> None:
    """Store an answer; *graph_id* is the graph whose content it quotes, if any."""
    tx.answers.expire(since=_since(tx))
    tx.answers.insert(
        project_id=access.project_id,
        key_uuid=access.key_uuid,
        idempotency_key=key,
        request=request,
        graph_id=graph_id,
        answer=answer,
        now=rows.micros(tx.now),
    )


def _since(tx: Transaction) -> int:
    return rows.micros(tx.now - timedelta(seconds=KEPT_ANSWERS_S))


P = ParamSpec("P")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Once(Record):
    """An idempotency key, a digest of the *request* it came with, and how to encode the answer."""

    key: str
    request: str
    encode: Callable[[Any], bytes]


class AnsweredBefore(Exception):
    """The same request was answered before, with *body*; nothing was done this time."""

    def __init__(self, body: bytes) -> None:
        super().__init__()
        self.body = body


class Done(Record, Generic[T]):
    """What a unit of work did: its answer, the graph whose content that quotes, and, for the audit log,
    what was created or erased."""

    value: T
    graph_id: int | None = None
    made: Any = None
    erased: Erased | None = None


class UseCase(Protocol[T_co]):
    """A use case with its other arguments bound."""

    async def __call__(self, *, once: Once | None) -> T_co:
        """Carry it out."""


class RepeatableWrite(Generic[P, T]):
    """A use case that is one unit of work and that a caller may retry with an idempotency key."""

    def __init__(self, unit: Callable[Concatenate[Transaction, Access, P], Done[T]]) -> None:
        self._unit = unit
        update_wrapper(self, unit)

    async def __call__(
        self, services: Services, access: Access, /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run it without an idempotency key."""
        return await write(services, access, None, self._unit, *args, **kwargs)

    def bind(
        self, services: Services, access: Access, /, *args: P.args, **kwargs: P.kwargs
    ) -> UseCase[T]:
        """Bind its arguments, for callers that have an idempotency key."""

        async def run(*, once: Once | None) -> T:
            return await write(services, access, once, self._unit, *args, **kwargs)

        return run


def repeatable(
    unit: Callable[Concatenate[Transaction, Access, P], Done[T]],
) -> RepeatableWrite[P, T]:
    """Turn a unit of work into a use case, as in `app.units`."""
    return RepeatableWrite(unit)


async def write(
    services: Services,
    access: Access,
    once: Once | None,
    unit: Callable[Concatenate[Transaction, Access, P], Done[T]],
    *args: P.args,
    **kwargs: P.kwargs,
) -> T:
    """Run *unit* unless it was answered before (AnsweredBefore); wake workers, and wipe what it erased."""

    @wraps(unit)  # spans use its name, and it keeps what `beside_others` marked
    def bound(tx: Transaction, access: Access) -> Done[T]:
        return unit(tx, access, *args, **kwargs)

    if once is None:
        done = await services.store.write(bound, access)
    else:
        known = await services.store.glance(_find_kept, access, once.key, once.request)
        if known is not None:
            raise AnsweredBefore(known)
        outcome = await services.store.write(_once, access, once, bound)
        if isinstance(outcome, bytes):
            raise AnsweredBefore(outcome)
        done = outcome
    services.wake_workers()
    if done.erased is not None:
        await services.wipe(done.erased)
    return done.value


def _once(
    tx: Transaction, access: Access, once: Once, unit: Callable[[Transaction, Access], Done[T]]
) -> Done[T] | bytes:
    known = _find_kept(tx, access, once.key, once.request)
    if known is not None:  # a concurrent request was faster
        return known
    done = unit(tx, access)
    body = once.encode(done.value)
    _keep(tx, access, once.key, once.request, body, done.graph_id)
    return done
