"""Parses JSON into a tree whose nodes know their position in the text."""

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


class JsonScalar(Record):
    """A leaf. Numbers stay as written, so that none is too large or loses digits."""

    kind: Literal["text", "number", "truth", "null"]
    text: str
    span: Span


class JsonArray(Record):
    """A list."""

    items: "tuple[Node, ...]"
    span: Span


class JsonObject(Record):
    """An object. If a key occurs twice, the last value counts."""

    fields: "dict[str, Node]"
    span: Span


Node: TypeAlias = JsonScalar | JsonArray | JsonObject


def parse_json(text: str) -> Node:
    """Parse the document in *text*. Values nested deeper than `JSON_DEPTH_MAX` become null."""
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
            return JsonScalar(kind="null", text="null", span=(start, end)), end
        return _thing(text, start, levels) if first == "{" else _row(text, start, levels)
    if first == '"':
        value, end = _string(text, start)
        return JsonScalar(kind="text", text=value, span=(start, end)), end
    return _bare(text, start)


def _bare(text: str, start: int) -> tuple[JsonScalar, int]:
    if found := _NUMBER.match(text, start):
        return JsonScalar(kind="number", text=found[0], span=found.span()), found.end()
    if found := _WORD.match(text, start):
        kind: Literal["truth", "null"] = "null" if found[0] == "null" else "truth"
        return JsonScalar(kind=kind, text=found[0], span=found.span()), found.end()
    raise InvalidInput(f"not valid JSON: no value at character {start}")


def _string(text: str, start: int) -> tuple[str, int]:
    if text[start : start + 1] != '"':
        raise InvalidInput(f"not valid JSON: no string at character {start}")
    try:
        value, end = _STRINGS.raw_decode(text, start)
    except ValueError as error:
        raise InvalidInput(f"not valid JSON: {error}") from error
    # JSON can contain half a surrogate pair; UTF-8 cannot.
    return str(value).encode("utf-8", "replace").decode("utf-8"), end


def _row(text: str, start: int, levels: int) -> tuple[JsonArray, int]:
    items: list[Node] = []
    position = _skip(text, start + 1)
    while text[position : position + 1] != "]":
        if items:
            position = _comma(text, position)
        item, end = _node(text, position, levels - 1)
        items.append(item)
        position = _skip(text, end)
    return JsonArray(items=tuple(items), span=(start, position + 1)), position + 1


def _thing(text: str, start: int, levels: int) -> tuple[JsonObject, int]:
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
    return JsonObject(fields=fields, span=(start, position + 1)), position + 1


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
