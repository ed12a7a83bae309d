"""Errors as replies: one status table, and one body, `{"message": …, "request_id": …}`, for all of them."""

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from recollect import errors, log
from recollect.api.http import Reply
from recollect.limits import REFUSAL_CHARS_MAX

STATUS: dict[type[errors.RecollectError], int] = {
    errors.InvalidInput: 400,
    errors.AlreadyExists: 400,  # 409 would make older clients retry for a quarter of a minute
    errors.AnswerRefused: 422,
    errors.BodyTooLarge: 413,
    errors.KeyReused: 422,
    errors.MethodNotAllowed: 405,
    errors.NotAuthenticated: 401,
    errors.NotAllowed: 403,
    errors.NotFound: 404,
    errors.NotOffered: 501,
    errors.LimitReached: 429,
    errors.Conflict: 409,
    errors.LogMoved: 409,
    errors.Unavailable: 503,
    errors.StoreUnavailable: 503,
    errors.StoreDamaged: 503,
    errors.ModelUnavailable: 503,
    errors.ModelRejected: 503,
    errors.ReaderLost: 503,
    errors.ReaderStopped: 503,
    errors.BudgetExhausted: 503,
    errors.ModelAnswerInvalid: 502,
    errors.LeaseLost: 503,
    errors.InvariantViolated: 500,
}


def status_of(error: errors.RecollectError) -> int:
    """The status for an error: its own, or that of its nearest ancestor in the table."""
    for kind in type(error).__mro__:
        if kind in STATUS:
            return STATUS[kind]
    return 500


@dataclass(frozen=True)
class ErrorFormat:
    """How errors are reported to one kind of client: the type of the body, and the reply."""

    body: type
    reply: Callable[[Exception], Reply]

    def __call__(self, error: Exception) -> Reply:
        """The reply for *error*."""
        return self.reply(error)


class Error(msgspec.Struct, omit_defaults=True):
    """Every error body, but for those that a foreign product's clients expect."""

    message: str
    request_id: str = ""


def _reply_for(error: Exception) -> Reply:
    """The reply for an error of ours; any other exception is an internal error."""
    known = error if isinstance(error, errors.RecollectError) else errors.InvariantViolated()
    body = Error(message_of(known), log.REQUEST_ID.get())
    return Reply.json(body, status_of(known), headers_of(known))


reply_for = ErrorFormat(Error, _reply_for)


def message_of(error: errors.RecollectError) -> str:
    """The message for the client, cut to a bound in case it quotes the input.

    An internal error says nothing more than that.
    """
    if isinstance(error, errors.InvariantViolated):
        return "internal server error"
    said = error.message
    return said if len(said) <= REFUSAL_CHARS_MAX else said[:REFUSAL_CHARS_MAX] + "…"


def headers_of(error: errors.RecollectError) -> dict[str, str]:
    """The headers of an error: when to retry, how to authenticate, which methods are allowed."""
    if isinstance(error, errors.Unavailable):
        return {"Retry-After": "1"}
    if isinstance(error, errors.LimitReached):
        return {"Retry-After": str(error.retry_after_s)}
    if isinstance(error, errors.NotAuthenticated):
        return {"WWW-Authenticate": "Api-Key"}
    if isinstance(error, errors.MethodNotAllowed):
        return {"Allow": ", ".join(error.allowed)}
    if isinstance(error, errors.LogMoved):
        return {"Recollect-Last-Id": str(error.last_id)}
    return {}
