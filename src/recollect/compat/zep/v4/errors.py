"""How errors are reported to clients of Zep v4: a code, a message, and the field it is about."""

import re
from typing import Literal

import msgspec

from recollect import errors, log
from recollect.api.errors import ErrorFormat, headers_of, message_of, status_of
from recollect.api.http import Reply
from recollect.graph.types import Json

_OUR_FAULT = "internal server error"
_FIELD = re.compile(r"([A-Za-z_][\w.\-\[\]]*): ")
ErrorCode4 = Literal[
    "conflict",
    "payload_too_large",
    "idempotency_key_reused",
    "method_not_allowed",
    "invalid_request",
    "unauthorized",
    "forbidden",
    "not_found",
    "not_offered",
    "rate_limited",
    "unavailable",
    "bad_gateway",
    "internal",
    "failed",
]
_CODES: dict[type[errors.RecollectError], ErrorCode4] = {
    errors.AlreadyExists: "conflict",
    errors.BodyTooLarge: "payload_too_large",
    errors.KeyReused: "idempotency_key_reused",
    errors.MethodNotAllowed: "method_not_allowed",
    errors.InvalidInput: "invalid_request",
    errors.NotAuthenticated: "unauthorized",
    errors.NotAllowed: "forbidden",
    errors.NotFound: "not_found",
    errors.NotOffered: "not_offered",
    errors.LimitReached: "rate_limited",
    errors.Conflict: "conflict",
    errors.Unavailable: "unavailable",
    errors.ModelAnswerInvalid: "bad_gateway",
}


class ErrorBody4(msgspec.Struct, omit_defaults=True):
    """What went wrong, and the field it is about where there is one."""

    code: ErrorCode4
    message: str
    param: str | None = None
    details: Json | None = None
    request_id: str | None = None


class Error4(msgspec.Struct):
    """Every error body of Zep v4."""

    error: ErrorBody4


def body_for(error: Exception) -> tuple[int, ErrorBody4]:
    """The status and the body of an error; an internal error says nothing more than that."""
    asked = log.REQUEST_ID.get() or None
    if isinstance(error, errors.InvariantViolated) or not isinstance(error, errors.RecollectError):
        return 500, ErrorBody4(code="internal", message=_OUR_FAULT, request_id=asked)
    status = 409 if isinstance(error, errors.AlreadyExists) else status_of(error)
    code: ErrorCode4 = next(
        (_CODES[kind] for kind in type(error).__mro__ if kind in _CODES), "internal"
    )
    said = message_of(error)
    named = _FIELD.match(said) if isinstance(error, errors.InvalidInput) else None
    param = named[1] if named else None
    return status, ErrorBody4(code=code, message=said, param=param, request_id=asked)


def _reply_for(error: Exception) -> Reply:
    """The reply for an error."""
    status, body = body_for(error)
    headers = headers_of(error) if isinstance(error, errors.RecollectError) else {}
    return Reply.json(Error4(body), status, headers)


reply_for = ErrorFormat(Error4, _reply_for)
