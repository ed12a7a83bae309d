"""Structured logs: one line per request and per job, ids yes, message text no.

In a terminal they are for whoever sits there: a request is one short line that also names its path and,
where it was refused, says why. Neither is written anywhere else: both may quote what was sent.
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

REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="")  # of what is being answered
REQUEST_DONE = "request.done"
LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}
_encode = msgspec.json.Encoder(enc_hook=repr).encode
# Whatever could move the cursor, change colours or turn the direction of writing.
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_REFUSED = 400  # the least status of what was
_SHOWN_CHARS = 200  # of a path, or of why something was refused
_RESET = "\033[0m"
_COLOURS = {
    2: "\033[32m",
    3: "\033[36m",
    4: "\033[33m",
    5: "\033[31m",
}  # by the first digit of a status


def _line(logger: Any, method: str, event: Any) -> bytes:
    """An event as one line of JSON, in one step: every request pays for this."""
    error = event.pop("exc_info", None)
    if isinstance(error, BaseException):
        event["exception"] = "".join(traceback.format_exception(error))
    named = {"time": system_clock(), "level": method, "event": event.pop("event", "")}
    asked = REQUEST_ID.get()
    if asked:
        named["request_id"] = asked
    return _encode({**named, **event})


def safe(text: str) -> str:
    """What came from outside, without what a terminal would obey."""
    return _UNSAFE.sub("\ufffd", text)


class _ForPeople:
    """Events as lines to read: of a request when, what, how it ended, how long it took and why not."""

    def __init__(self, *, coloured: bool) -> None:
        self._coloured = coloured
        self._others = structlog.dev.ConsoleRenderer(
            colors=coloured,
            pad_event_to=0,
            # Without the values of variables: a key or a message may be among them.
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
    # Third parties speak only when something is wrong.
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(name)s: %(message)s")


def for_people() -> bool:
    """Whether somebody reads along, who may see what is written nowhere."""
    return isinstance(structlog.get_config()["processors"][-1], _ForPeople)


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
