"""Structured logs: one line per request and per job, ids yes, message text no."""

import logging
import sys
import traceback
from contextlib import suppress
from typing import IO, Any, BinaryIO, Literal, TextIO, cast

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


class _Lenient:
    """A file to which writing may fail: a full disk under the log must not fail a request."""

    def __init__(self, file: IO[Any]) -> None:
        self._file = file

    def write(self, text: Any) -> None:
        """Write, if that is possible."""
        with suppress(OSError):
            self._file.write(text)

    def flush(self) -> None:
        """Let it be seen, if that is possible."""
        with suppress(OSError):
            self._file.flush()


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
            structlog.WriteLoggerFactory(cast(TextIO, _Lenient(sys.stderr)))
            if pretty
            else structlog.BytesLoggerFactory(cast(BinaryIO, _Lenient(sys.stderr.buffer)))
        ),
        cache_logger_on_first_use=True,
    )
    # Third parties speak only when something is wrong.
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(name)s: %(message)s")


class _Quiet:
    """A logger that is silent until the process has configured logging.

    Unconfigured, structlog writes to standard output, which belongs to whoever imports us.
    """

    def __init__(self, name: str) -> None:
        self._behind = structlog.get_logger(name)

    def __getattr__(self, method: str) -> Any:
        return getattr(self._behind, method) if structlog.is_configured() else _say_nothing


def _say_nothing(*_: Any, **__: Any) -> None:
    """Nobody listens."""


def get(name: str) -> Any:
    """A logger whose events are named `<noun>.<past tense>`."""
    return _Quiet(name)
