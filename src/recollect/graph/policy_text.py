"""Parsing the text of a policy set, YAML or JSON, into plain values.

YAML is restricted to what JSON can express: no anchors or aliases (a small text could expand
without bound), no tags, no duplicate keys. A plain scalar is text unless it is a JSON number, true,
false or null, so `mode: off` means "off" and a date stays text.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn

import yaml

from recollect.errors import InvalidInput
from recollect.graph.checks import echo
from recollect.limits import POLICY_BYTES_MAX, POLICY_DEPTH_MAX

_FIELD = "document"
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,39})\Z")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?\Z")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}


def read(text: str) -> Any:
    """Parse a text; one that begins with a brace is JSON, any other YAML."""
    if len(text.encode(errors="surrogatepass")) > POLICY_BYTES_MAX:
        raise InvalidInput(f"{_FIELD}: at most {POLICY_BYTES_MAX} bytes")
    return _json(text) if text.lstrip().startswith("{") else _yaml(text)


def _json(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_number)
    except RecursionError as error:
        raise InvalidInput(f"{_FIELD}: nested too deeply") from error
    except ValueError as error:
        raise InvalidInput(f"{_FIELD}: not valid JSON: {error}") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise InvalidInput(f"{_FIELD}: the key {echo(key)} appears twice in one object")
        found[key] = value
    return found


def _no_number(word: str) -> NoReturn:
    raise InvalidInput(f"{_FIELD}: {word} is not a number that JSON knows")


def _yaml(text: str) -> Any:
    try:
        return _Reading(text).document()
    except yaml.MarkedYAMLError as error:
        line = f" in line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise InvalidInput(f"{_FIELD}: not valid YAML{line}: {error.problem}") from error
    except (yaml.YAMLError, ValueError) as error:
        raise InvalidInput(f"{_FIELD}: not valid YAML: {error}") from error


class _Reading:
    """Builds plain values from the events of a YAML text, which must hold one document."""

    def __init__(self, text: str) -> None:
        self._events: Iterator[Any] = iter(yaml.parse(text, Loader=yaml.SafeLoader))

    def document(self) -> Any:
        next(self._events)  # the stream begins
        if not isinstance(next(self._events), yaml.DocumentStartEvent):
            raise InvalidInput(f"{_FIELD}: is empty")
        value = self._value(next(self._events), 0)
        next(self._events)  # the document ends
        if not isinstance(next(self._events), yaml.StreamEndEvent):
            raise InvalidInput(f"{_FIELD}: must be one YAML document, not several")
        return value

    def _value(self, event: Any, depth: int) -> Any:
        _refuse_extras(event, depth)
        if isinstance(event, yaml.ScalarEvent):
            return _scalar(event)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._list(depth)
        return self._mapping(depth)

    def _list(self, depth: int) -> list[Any]:
        found = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            found.append(self._value(event, depth + 1))
        return found

    def _mapping(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                raise InvalidInput(f"{_FIELD}: line {_line(event)}: a key must be a word")
            _refuse_extras(event, depth)
            if event.value in found:
                raise InvalidInput(
                    f"{_FIELD}: line {_line(event)}: the key {echo(event.value)} appears twice"
                )
            found[event.value] = self._value(next(self._events), depth + 1)
        return found


def _refuse_extras(event: Any, depth: int) -> None:
    if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
        raise InvalidInput(f"{_FIELD}: line {_line(event)}: anchors and aliases are not read")
    if event.tag is not None:
        raise InvalidInput(f"{_FIELD}: line {_line(event)}: tags such as !!str are not read")
    if depth > POLICY_DEPTH_MAX:
        raise InvalidInput(f"{_FIELD}: line {_line(event)}: nested too deeply")


def _scalar(event: yaml.ScalarEvent) -> Any:
    text: str = event.value
    if not event.implicit[0]:  # it is quoted
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.match(text):
        return int(text)
    return float(text) if _NUMBER.match(text) else text


def _line(event: Any) -> int:
    line: int = event.start_mark.line
    return line + 1
