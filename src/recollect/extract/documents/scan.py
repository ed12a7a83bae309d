"""JSON text to a tree whose leaves know where in the text they stand."""

import json
import re
from typing import Literal, TypeAlias

from recollect.errors import InvalidInput
from recollect.graph.types import Record
from recollect.limits import JSON_DEPTH_MAX

Span = tuple[int, int]

_STRINGS = json.JSONDecoder(strict=False)
_BLANK = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORD = re.compile(r"true|false|null")
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


class Scalar(Record):
    """A leaf. Numbers stay as they are written, so that none is too large or loses digits."""

    kind: Literal["text", "number", "truth", "null"]
    text: str
    span: Span


class Row(Record):
    """A list."""

    items: "tuple[Node, ...]"
    span: Span


class Thing(Record):
    """An object. Of a key that occurs twice the last value counts."""

    fields: "dict[str, Node]"
    span: Span


Node: TypeAlias = Scalar | Row | Thing


def scan(text: str) -> Node:
    """The document in *text*. What is nested too deep to be meant for reading is left out."""
    node, end = _node(text, _skip(text, 0), JSON_DEPTH_MAX)
    if _skip(text, end) != len(text):
        raise InvalidInput(f"not valid JSON: something follows at character {end}")
    return node


def _skip(text: str, position: int) -> int:
    found = _BLANK.match(text, position)
    return found.end() if found else position


def _node(text: str, start: int, levels: int) -> tuple[Node, int]:
    first = text[start : start + 1]
    if first in ("{", "[") and first:
        if levels == 0:
            end = _closing(text, start)
            return Scalar(kind="null", text="null", span=(start, end)), end
        return _thing(text, start, levels) if first == "{" else _row(text, start, levels)
    if first == '"':
        value, end = _string(text, start)
        return Scalar(kind="text", text=value, span=(start, end)), end
    return _bare(text, start)


def _bare(text: str, start: int) -> tuple[Scalar, int]:
    if found := _NUMBER.match(text, start):
        return Scalar(kind="number", text=found[0], span=found.span()), found.end()
    if found := _WORD.match(text, start):
        kind: Literal["truth", "null"] = "null" if found[0] == "null" else "truth"
        return Scalar(kind=kind, text=found[0], span=found.span()), found.end()
    raise InvalidInput(f"not valid JSON: no value at character {start}")


def _string(text: str, start: int) -> tuple[str, int]:
    if text[start : start + 1] != '"':
        raise InvalidInput(f"not valid JSON: no string at character {start}")
    try:
        value, end = _STRINGS.raw_decode(text, start)
    except ValueError as error:
        raise InvalidInput(f"not valid JSON: {error}") from error
    # Half a surrogate pair can be written in JSON and nowhere else.
    return str(value).encode("utf-8", "replace").decode("utf-8"), end


def _row(text: str, start: int, levels: int) -> tuple[Row, int]:
    items: list[Node] = []
    position = _skip(text, start + 1)
    while text[position : position + 1] != "]":
        if items:
            position = _comma(text, position)
        item, end = _node(text, position, levels - 1)
        items.append(item)
        position = _skip(text, end)
    return Row(items=tuple(items), span=(start, position + 1)), position + 1


def _thing(text: str, start: int, levels: int) -> tuple[Thing, int]:
    fields: dict[str, Node] = {}
    position = _skip(text, start + 1)
    while text[position : position + 1] != "}":
        if fields:
            position = _comma(text, position)
        key, end = _string(text, position)
        position = _skip(text, end)
        if text[position : position + 1] != ":":
            raise InvalidInput(f"not valid JSON: no colon at character {position}")
        fields.pop(key, None)
        fields[key], end = _node(text, _skip(text, position + 1), levels - 1)
        position = _skip(text, end)
    return Thing(fields=fields, span=(start, position + 1)), position + 1


def _comma(text: str, position: int) -> int:
    if text[position : position + 1] != ",":
        raise InvalidInput(f"not valid JSON: no comma at character {position}")
    return _skip(text, position + 1)


def _closing(text: str, start: int) -> int:
    depth = 0
    for found in _BRACKET.finditer(text, start):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(found[0], 0)
        if depth == 0:
            return found.end()
    raise InvalidInput(f"not valid JSON: nothing closes character {start}")
