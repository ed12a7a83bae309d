"""The words, numbers, texts and signs that a filter consists of, each with its place."""

from typing import Any, Literal

import regex

from recollect.errors import InvalidInput
from recollect.graph.scalars import written_number
from recollect.graph.types import Record
from recollect.limits import ECHO_CHARS_MAX, FILTER_TEXT_CHARS_MAX, FILTER_VALUE_CHARS_MAX

Kind = Literal["word", "number", "text", "sign", "end"]

_TOKEN = regex.compile(
    r"""
      (?P<space>\s+)
    | (?P<text>'(?:[^']|'')*+'|"(?:[^"]|"")*+")
    | (?P<number>[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\p{L}\p{M}\p{N}_.]))
    | (?P<word>[\p{L}\p{M}\p{N}_.]+)
    | (?P<sign>!=|<>|<=|>=|[=<>(),])
    """,
    regex.VERBOSE,
)


class Token(Record):
    """A part of a filter: how it is written, what it means, and at which character it begins."""

    kind: Kind
    written: str
    value: Any
    at: int


def refuse(what: str, at: int) -> InvalidInput:
    """What is wrong with a filter, and where."""
    return InvalidInput(f"filter: {what} at character {at}")


def echo(text: str) -> str:
    """Some of what was written, no more than a message should carry."""
    return repr(text if len(text) <= ECHO_CHARS_MAX else text[:ECHO_CHARS_MAX] + "…")


def tokens(text: str) -> list[Token]:
    """All of them in order, and one that says where the end is."""
    if len(text) > FILTER_TEXT_CHARS_MAX:
        raise InvalidInput(f"filter: has more than {FILTER_TEXT_CHARS_MAX} characters")
    found, place = [], 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise _unknown(text, place)
        if match.lastgroup != "space":
            found.append(_token(match.lastgroup, match[0], place + 1))
        place = match.end()
    return [*found, Token(kind="end", written="", value=None, at=len(text) + 1)]


def _unknown(text: str, place: int) -> InvalidInput:
    if text[place] in "'\"":
        return refuse("a quoted text has no end; it begins", place + 1)
    return refuse(f"unexpected {echo(text[place])}", place + 1)


def _token(kind: Any, written: str, at: int) -> Token:
    value: Any = written
    if kind == "text":
        quote = written[0]
        value = written[1:-1].replace(quote * 2, quote)
    if kind == "number":
        value = written_number(written)
        if value is None:
            raise refuse(f"a number that is too large, {echo(written)},", at)
    if len(written) > FILTER_VALUE_CHARS_MAX:
        raise refuse(f"more than {FILTER_VALUE_CHARS_MAX} characters in one value", at)
    return Token(kind=kind, written=written, value=value, at=at)
