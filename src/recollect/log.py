"""Structured logs: one line per request and per job, ids yes, message text no."""

import logging
import sys
import traceback
from typing import Any, Literal

import msgspec
import structlog

from recollect.clock import system_clock

LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}
_encode = msgspec.json.Encoder(enc_hook=repr).encode


def _line(logger: Any, method: str, event: Any) -> bytes:
    """An event as one line of JSON, in one step: every request pays for this."""
    error = event.pop("exc_info", None)
    if isinstance(error, BaseException):
        event["exception"] = "".join(traceback.format_exception(error))
    named = {"time": system_clock(), "level": method, "event": event.pop("event", "")}
    return _encode({**named, **event})


def configure(format_: Literal["json", "console", "auto"], level: str) -> None:
    """Set up logging for the whole process. Called by entry points, never at import."""
    pretty = format_ == "console" or (format_ == "auto" and sys.stderr.isatty())
    for_people: list[Any] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        # Without the values of variables: a key or a message may be among them.
        structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback),
    ]
    structlog.configure(
        processors=for_people if pretty else [_line],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=(
            structlog.WriteLoggerFactory(sys.stderr)
            if pretty
            else structlog.BytesLoggerFactory(sys.stderr.buffer)
        ),
        cache_logger_on_first_use=True,
    )
    # Third parties speak only when something is wrong.
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(name)s: %(message)s")


def get(name: str) -> Any:
    """A logger whose events are named `<noun>.<past tense>`."""
    return structlog.get_logger(name)
