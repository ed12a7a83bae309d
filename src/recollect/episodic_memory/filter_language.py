"""MemMachine's filter language.

    condition   = together {OR together}
    together    = negated {AND negated}
    negated     = {NOT} (test | "(" condition ")")
    test        = field (= | != | <> | > | < | >= | <=) value
                | field [NOT] IN "(" value {"," value} ")"
                | field IS [NOT] NULL
    field       = uid | producer_id | producer_role | produced_for_id | episode_type | created_at
                | m.key | metadata.key
    value       = quoted text | bare word | number | TRUE | FALSE | date("(" quoted text ")")

Keywords are case-insensitive. A quote inside quoted text is doubled. The semantics of tests are in
`graph/episode_filters.py`.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Literal, get_args

import regex

from recollect.errors import InvalidInput
from recollect.graph.episode_filters import (
    ORDERED,
    Comparison,
    EpisodeTest,
    EpisodeTree,
    Field,
    Literals,
    moment_of,
    written_number,
)
from recollect.graph.types import Record
from recollect.limits import (
    ECHO_CHARS_MAX,
    FILTER_LIST_MAX,
    FILTER_TESTS_MAX,
    FILTER_TEXT_CHARS_MAX,
    FILTER_TEXT_DEPTH_MAX,
    FILTER_VALUE_CHARS_MAX,
)

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
    """A token of a filter: its text, its value, and the position where it begins."""

    kind: Kind
    written: str
    value: Any
    at: int


def refuse(what: str, at: int) -> InvalidInput:
    """The error for a filter, with its position."""
    return InvalidInput(f"filter: {what} at character {at}")


def echo(text: str) -> str:
    """The start of what was written, short enough for an error message."""
    return repr(text if len(text) <= ECHO_CHARS_MAX else text[:ECHO_CHARS_MAX] + "…")


def tokens(text: str) -> list[Token]:
    """All tokens in order, followed by an end token."""
    if len(text) > FILTER_TEXT_CHARS_MAX:
        raise InvalidInput(f"filter: has more than {FILTER_TEXT_CHARS_MAX} characters")
    found, position = [], 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise _unknown(text, position)
        if match.lastgroup != "space":
            found.append(_token(match.lastgroup, match[0], position + 1))
        position = match.end()
    return [*found, Token(kind="end", written="", value=None, at=len(text) + 1)]


def _unknown(text: str, position: int) -> InvalidInput:
    if text[position] in "'\"":
        return refuse("a quoted text has no end; it begins", position + 1)
    return refuse(f"unexpected {echo(text[position])}", position + 1)


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


FIELDS: tuple[Field, ...] = tuple(name for name in get_args(Field) if name != "metadata")
_PREFIXES = ("m.", "metadata.")
_COMPARED: dict[str, Comparison] = {
    "=": "=",
    "!=": "<>",
    "<>": "<>",
    ">": ">",
    "<": "<",
    ">=": ">=",
    "<=": "<=",
}
_TRUTHS = {"TRUE": True, "FALSE": False}
_RESERVED = frozenset({"AND", "OR", "NOT", "IN", "IS", "NULL"})

_Part = EpisodeTest | EpisodeTree
_Join = Literal["and", "or"]


def parse(text: str) -> EpisodeTree | None:
    """The tree that *text* describes; None if it is empty.

    Anything unreadable is refused with its position; nothing is ignored.
    """
    found = tokens(text)
    return None if len(found) == 1 else _FilterParser(found).all()


class _FilterParser:
    """A recursive descent over the tokens."""

    def __init__(self, found: list[Token]) -> None:
        self._tokens = found
        self._place = 0
        self._depth = 0
        self._tests = 0

    def all(self) -> EpisodeTree:
        """The whole condition, with nothing after it."""
        part = self._condition()
        if self._next.kind != "end":
            raise self._expected("AND, OR or the end")
        return part if isinstance(part, EpisodeTree) else _tree("and", [part])

    @property
    def _next(self) -> Token:
        return self._tokens[self._place]

    def _take(self) -> Token:
        token = self._next
        self._place += 1
        return token

    def _is(self, *written: str) -> bool:
        """Whether these tokens come next, as keywords or signs."""
        coming = self._tokens[self._place : self._place + len(written)]
        return [_plain(token) for token in coming] == list(written)

    def _accept(self, *written: str) -> bool:
        found = self._is(*written)
        if found:
            self._place += len(written)
        return found

    def _expect(self, written: str) -> None:
        if not self._accept(written):
            raise self._expected(written)

    def _expected(self, what: str) -> Exception:
        token = self._next
        found = echo(token.written) if token.kind != "end" else "nothing"
        return refuse(f"expected {what}, found {found}", token.at)

    def _condition(self) -> _Part:
        return self._joined("or", self._together)

    def _together(self) -> _Part:
        return self._joined("and", self._negated)

    def _joined(self, how: _Join, read: Callable[[], _Part]) -> _Part:
        parts = [read()]
        while self._accept(how.upper()):
            parts.append(read())
        return parts[0] if len(parts) == 1 else _tree(how, parts)

    def _negated(self) -> _Part:
        turned = False
        while self._accept("NOT"):
            turned = not turned
        part = self._enclosed() if self._is("(") else self._test()
        return _tree("not", [part]) if turned else part

    def _enclosed(self) -> _Part:
        opening = self._take()
        self._depth += 1
        if self._depth > FILTER_TEXT_DEPTH_MAX:
            raise refuse(
                f"more than {FILTER_TEXT_DEPTH_MAX} parentheses inside one another", opening.at
            )
        part = self._condition()
        self._expect(")")
        self._depth -= 1
        return part

    def _test(self) -> _Part:
        start = self._next
        field, key = self._field()
        self._tests += 1
        if self._tests > FILTER_TESTS_MAX:
            raise refuse(f"more than {FILTER_TESTS_MAX} comparisons", start.at)
        if self._accept("IS"):
            return self._absence(field, key)
        turned = self._accept("NOT", "IN")
        if turned or self._accept("IN"):
            listed = EpisodeTest(field=field, key=key, comparison="IN", value=self._list(field))
            return _tree("not", [listed]) if turned else listed
        return self._comparison(field, key)

    def _field(self) -> tuple[Field, str]:
        token = self._next
        if token.kind != "word" or _plain(token) in _RESERVED:
            raise self._expected("a field")
        self._place += 1
        for prefix in _PREFIXES:
            if token.written.startswith(prefix) and token.written != prefix:
                return "metadata", token.written.removeprefix(prefix)
        for name in FIELDS:
            if token.written == name:
                return name, ""
        known = f"known are {', '.join(FIELDS)}, and m.key or metadata.key for metadata"
        raise refuse(f"unknown field {echo(token.written)} ({known})", token.at)

    def _absence(self, field: Field, key: str) -> _Part:
        turned = self._accept("NOT")
        self._expect("NULL")
        test = EpisodeTest(field=field, key=key, comparison="IS NULL")
        return _tree("not", [test]) if turned else test

    def _comparison(self, field: Field, key: str) -> EpisodeTest:
        sign = self._next
        comparison = _COMPARED.get(sign.written) if sign.kind == "sign" else None
        if comparison is None:
            raise self._expected("a comparison, IN or IS")
        if field == "uid" and comparison in ORDERED:
            raise refuse(f"uid has no order, {sign.written} cannot compare it", sign.at)
        self._place += 1
        value = self._value(field)
        return EpisodeTest(field=field, key=key, comparison=comparison, value=value)

    def _list(self, field: Field) -> tuple[Literals, ...]:
        self._expect("(")
        start = self._next
        values = [self._value(field)]
        while self._accept(","):
            values.append(self._value(field))
            if len(values) > FILTER_LIST_MAX:
                raise refuse(
                    f"more than {FILTER_LIST_MAX} values in the list that begins", start.at
                )
        self._expect(")")
        sorts = {_sort(value) for value in values}
        if len(sorts) > 1 or (field != "created_at" and not sorts <= {str, float}):
            raise refuse("IN takes numbers only or texts only; the list begins", start.at)
        return tuple(values)

    def _value(self, field: Field) -> Literals:
        token = self._next
        value = self._literal()
        if field != "created_at":
            return value
        moment = moment_of(value)
        if moment is None:
            raise refuse(
                f"created_at compares with a moment in ISO 8601, {echo(token.written)} is none,",
                token.at,
            )
        return moment

    def _literal(self) -> Literals:
        if self._is("DATE", "("):
            return self._date()
        token = self._next
        if token.kind in ("sign", "end") or _plain(token) in _RESERVED:
            raise self._expected("a value")
        self._place += 1
        value: Literals = _TRUTHS.get(_plain(token), token.value)
        return value

    def _date(self) -> datetime:
        self._place += 2
        token = self._next
        moment = moment_of(token.value) if token.kind == "text" else None
        if moment is None:
            raise self._expected("a quoted moment in ISO 8601")
        self._place += 1
        self._expect(")")
        return moment


def _plain(token: Token) -> str:
    """The form in which keywords and signs are compared; quoted text is neither."""
    named = token.kind in ("word", "sign") and token.written.isascii()
    return token.written.upper() if named else ""


def _sort(value: Any) -> type:
    """Integers and floats have the same type in comparisons."""
    return float if type(value) is int else type(value)


def _tree(how: Literal["and", "or", "not"], parts: list[_Part]) -> EpisodeTree:
    return EpisodeTree(
        joined_by=how,
        tests=tuple(part for part in parts if isinstance(part, EpisodeTest)),
        trees=tuple(part for part in parts if isinstance(part, EpisodeTree)),
    )
