"""Everything raised on purpose, as one tree.

RecollectError
├── InvalidInput          the caller can fix it; names the field
│   ├── AlreadyExists     an id that already exists
│   ├── AnswerRefused     an agent's reading that breaks a rule; says where
│   ├── BodyTooLarge
│   ├── KeyReused         an idempotency key that came with another request before
│   └── MethodNotAllowed  the path exists, but not for this method
├── NotAuthenticated      no key, or one we do not know
├── NotAllowed            a key we know, asking for what it may not do
├── NotFound
├── NotOffered            a client knows it, this server has nothing behind it; says why
├── LimitReached          more than is allowed just now; says which limit, and when to come back
├── Conflict              right request, wrong moment
│   └── LogMoved          a log is not where the caller thinks it is; says where it is
├── Unavailable           try again later
│   ├── StoreUnavailable
│   │   └── StoreDamaged   its file is not what it should be; says what to do
│   ├── ModelUnavailable
│   │   ├── ModelRejected  it is there, and does not take this one request
│   │   └── ReaderLost     the process that reads ended or hung at work
│   │       └── ReaderStopped  somebody stopped it
│   └── BudgetExhausted   and says when there is room again
├── ModelAnswerInvalid    the model answered, out of shape
├── LeaseLost             another worker took the graph over
└── InvariantViolated     our own bug: stop and keep the evidence
"""

import errno
from datetime import datetime
from pathlib import PurePath

_SHORTAGES = frozenset(
    {
        *(errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO),
        *(errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN),
    }
)


class RecollectError(Exception):
    """Base of the tree. The docstring of a subclass is its default message."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (self.__doc__ or "").strip())

    @property
    def message(self) -> str:
        """The message for the caller."""
        return str(self.args[0])


def is_shortage(error: BaseException) -> bool:
    """Whether the system is out of a resource: disk space, memory, descriptors, threads, a working disk."""
    if isinstance(error, RuntimeError):
        return "can't start new thread" in str(error)
    return isinstance(error, OSError) and error.errno in _SHORTAGES


def described(error: BaseException) -> str:
    """What may be stored and shown of an error: its message only if that quotes no stored data.

    For any other error, its type and where it was raised.
    """
    name = type(error).__name__
    if isinstance(error, RecollectError) or getattr(error, "quotes_nothing", False):
        return f"{name}: {error}"
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None:
        return name
    return f"{name} ({PurePath(last.tb_frame.f_code.co_filename).name}:{last.tb_lineno})"


class InvalidInput(RecollectError):
    """The request is not valid."""


class AlreadyExists(InvalidInput):
    """The id already exists."""


class AnswerRefused(InvalidInput):
    """The answer is not a reading of the episode."""


class BodyTooLarge(InvalidInput):
    """The request body is too large."""


class KeyReused(InvalidInput):
    """Idempotency-Key: already used with a different request."""


class MethodNotAllowed(InvalidInput):
    """The path does not allow this method."""

    def __init__(self, method: str, allowed: list[str]) -> None:
        super().__init__(f"{method} is not allowed on this path; allowed: {', '.join(allowed)}")
        self.allowed = allowed


class NotAuthenticated(RecollectError):
    """unauthorized"""


class NotAllowed(RecollectError):
    """forbidden"""


class NotFound(RecollectError):
    """not found"""


class NotOffered(RecollectError):
    """This server does not offer that."""


class LimitReached(RecollectError):
    """A limit is exceeded."""

    def __init__(self, message: str | None = None, *, retry_after_s: int = 1) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class Conflict(RecollectError):
    """The request conflicts with the current state."""


class LogMoved(Conflict):
    """The log is not at the expected position."""

    def __init__(self, expected: int, last_id: int) -> None:
        super().__init__(f"expected_last_id: the last id is {last_id}, not {expected}")
        self.last_id = last_id


class Unavailable(RecollectError):
    """Try again later."""


class StoreUnavailable(Unavailable):
    """The store cannot be used right now."""


class StoreDamaged(StoreUnavailable):
    """The store's file is damaged."""


class ModelUnavailable(Unavailable):
    """A model is missing or does not answer."""


class ModelRejected(ModelUnavailable):
    """The language model does not accept the request."""


class ReaderLost(ModelUnavailable):
    """The extraction process ended while working.

    *others_die*: so did the one before it, or so they do when nobody asks them anything.
    """

    def __init__(self, message: str | None = None, *, others_die: bool = False) -> None:
        super().__init__(message or "The extraction process ended while working.")
        self.others_die = others_die


class ReaderStopped(ReaderLost):
    """The extraction process was stopped."""


class BudgetExhausted(Unavailable):
    """The token budget is exhausted."""

    def __init__(self, message: str | None = None, *, retry_at: datetime | None = None) -> None:
        super().__init__(message)
        self.retry_at = retry_at


class ModelAnswerInvalid(RecollectError):
    """The language model's answer cannot be used."""


class LeaseLost(RecollectError):
    """Another worker holds this graph now."""


class InvariantViolated(RecollectError):
    """An invariant does not hold."""
