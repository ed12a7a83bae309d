"""How errors are reported to MemMachine's clients: their own status codes, and one object with the reason."""

import msgspec

from recollect import errors
from recollect.api.errors import ErrorFormat, headers_of, message_of, status_of
from recollect.api.http import Reply

_OUR_FAULT = "internal server error"


class RefusalDetail(msgspec.Struct):
    """What went wrong; two fields are the client's and stay empty."""

    code: int
    message: str
    exception: str
    internal_error: str = ""
    trace: str = ""


class Refusal(msgspec.Struct):
    """Every error body of MemMachine."""

    detail: RefusalDetail


def _reply_for(error: Exception) -> Reply:
    """The reply for an error; an internal error says nothing more than that."""
    if isinstance(error, errors.InvariantViolated) or not isinstance(error, errors.RecollectError):
        return _reply(500, _OUR_FAULT, "InternalError")
    return _reply(_status(error), message_of(error), type(error).__name__, headers_of(error))


def _status(error: errors.RecollectError) -> int:
    if isinstance(error, errors.AlreadyExists):
        return 409
    usual = status_of(error)
    return 422 if usual == 400 else usual


def _reply(status: int, message: str, kind: str, headers: dict[str, str] | None = None) -> Reply:
    detail = RefusalDetail(code=status, message=message, exception=kind)
    return Reply.json(Refusal(detail), status, headers)


reply_for = ErrorFormat(Refusal, _reply_for)
