"""Structured logs: one line per request and per job, ids yes, message text no."""

import logging
import sys
from typing import Any, Literal

import msgspec
import structlog

LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}
_encode = msgspec.json.Encoder(enc_hook=repr).encode


def _to_bytes(logger: Any, method: str, event: Any) -> bytes:
    """An event as one line of JSON; a request waits for this, so it is kept short."""
    return _encode(event)


def configure(format_: Literal["json", "console", "auto"], level: str) -> None:
    """Set up logging for the whole process. Called by entry points, never at import."""
    pretty = format_ == "console" or (format_ == "auto" and sys.stderr.isatty())
    common: list[Any] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    ending: list[Any] = (
        [structlog.dev.ConsoleRenderer()]
        if pretty
        else [structlog.processors.format_exc_info, _to_bytes]
    )
    structlog.configure(
        processors=[*common, *ending],
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
