"""Structured logs: one line per request and per job, ids yes, message text no.

On a terminal they are for people: a request is one short line that also has its path and, if it was refused,
the reason. Neither is written anywhere else, because both may quote user data.
"""

import logging
import re
import sys
import textwrap
import traceback
from contextlib import suppress
from contextvars import ContextVar
from typing import IO, Any, BinaryIO, Literal, TextIO, cast

import msgspec
import structlog

from recollect.clock import system_clock

REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="")  # of the current request
REQUEST_DONE = "request.done"
LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}
_encode = msgspec.json.Encoder(enc_hook=repr).encode
# Characters that could move the cursor, change colours or reverse the text direction.
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_REFUSED = 400  # the lowest error status
_SHOWN_CHARS = 200  # of a path or a reason
_RESET = "\033[0m"
_COLOURS = {
    2: "\033[32m",
    3: "\033[36m",
    4: "\033[33m",
    5: "\033[31m",
}  # by the first digit of the status


def _line(logger: Any, method: str, event: Any) -> bytes:
    """An event as one line of JSON, in one step because it is on the path of every request."""
    error = event.pop("exc_info", None)
    if isinstance(error, BaseException):
        event["exception"] = "".join(traceback.format_exception(error))
    named = {"time": system_clock(), "level": method, "event": event.pop("event", "")}
    asked = REQUEST_ID.get()
    if asked:
        named["request_id"] = asked
    return _encode({**named, **event})


def safe(text: str) -> str:
    """Untrusted text with control characters replaced, safe to print on a terminal."""
    return _UNSAFE.sub("\ufffd", text)


class _ForPeople:
    """Events as lines for people; a request is its time, path, status, duration and reason."""

    def __init__(self, *, coloured: bool) -> None:
        self._coloured = coloured
        self._others = structlog.dev.ConsoleRenderer(
            colors=coloured,
            pad_event_to=0,
            # No values of variables: they may include a key or a message.
            exception_formatter=structlog.dev.plain_traceback,
        )

    def __call__(self, logger: Any, method: str, event: Any) -> str:
        now = f"{system_clock().astimezone():%H:%M:%S}"
        if event.get("event") == REQUEST_DONE:
            return f"{now} {self._request(event)}"
        asked = REQUEST_ID.get()
        told = {**event, "request_id": asked} if asked else event
        return f"{now} {self._others(logger, method, {**told, 'level': method})}"

    def _request(self, event: Any) -> str:
        status, asked = event["status"], REQUEST_ID.get()
        path = _in_line(event.get("path") or event["action"])
        words = [
            event.get("method", ""),
            path,
            self._status(status),
            f"{event['duration_ms']:g} ms",
        ]
        if status >= _REFUSED:
            words += [_in_line(event.get("why", "")), f"[{asked}]" if asked else ""]
        return " ".join(word for word in words if word)

    def _status(self, status: int) -> str:
        if not self._coloured:
            return str(status)
        return f"{_COLOURS.get(status // 100, '')}{status}{_RESET}"


def _in_line(text: str) -> str:
    return textwrap.shorten(safe(text), _SHOWN_CHARS, placeholder="…")


class _Lenient:
    """A file that ignores write errors: a full disk under the log must not fail a request."""

    def __init__(self, file: IO[Any]) -> None:
        self._file = file

    def write(self, text: Any) -> None:
        """Write, if that is possible."""
        with suppress(OSError):
            self._file.write(text)

    def flush(self) -> None:
        """Flush, if that is possible."""
        with suppress(OSError):
            self._file.flush()


def configure(format_: Literal["json", "console", "auto"], level: str) -> None:
    """Set up logging for the whole process. Called by entry points, never at import."""
    pretty = format_ == "console" or (format_ == "auto" and sys.stderr.isatty())
    structlog.configure(
        processors=[_ForPeople(coloured=sys.stderr.isatty()) if pretty else _line],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=(
            structlog.WriteLoggerFactory(cast(TextIO, _Lenient(sys.stderr)))
            if pretty
            else structlog.BytesLoggerFactory(cast(BinaryIO, _Lenient(sys.stderr.buffer)))
        ),
        cache_logger_on_first_use=True,
    )
    # Third-party libraries log only warnings and errors.
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(name)s: %(message)s")


def for_people() -> bool:
    """Whether logs go to a terminal, where details may be shown that are never stored."""
    return isinstance(structlog.get_config()["processors"][-1], _ForPeople)


class _Quiet:
    """A logger that is silent until the process has configured logging.

    Unconfigured, structlog writes to standard output, which belongs to the importing program.
    """

    def __init__(self, name: str) -> None:
        self._behind = structlog.get_logger(name)

    def __getattr__(self, method: str) -> Any:
        return getattr(self._behind, method) if structlog.is_configured() else _say_nothing


def _say_nothing(*_: Any, **__: Any) -> None:
    """Discard an event."""


def get(name: str) -> Any:
    """A logger whose events are named `<noun>.<past tense>`."""
    return _Quiet(name)
