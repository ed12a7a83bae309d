"""What tools take: the parameters, their JSON schema, and arguments held against it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from recollect.errors import InvalidInput
from recollect.graph.types import Json
from recollect.limits import INTEGER_MAX

Kind = Literal["string", "integer", "number", "strings", "object"]
_SCHEMAS: dict[Kind, Json] = {
    "string": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "strings": {"type": ["array", "null"], "items": {"type": "string"}},
    "object": {"type": "object"},
}
_WANTED: dict[Kind, str] = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "strings": "a list of strings, or null",
    "object": "an object",
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One named argument of a tool. A *default* stands in for one that is not given.

    *choices* and *maximum* tell what a route accepts, or beyond what it gives no more; the route
    is who decides, so that a model is told by it in words what is wrong.
    """

    name: str
    kind: Kind
    description: str
    required: bool = False
    default: str | int | None = None
    choices: tuple[str, ...] = ()
    maximum: int | None = None


def schema(parameters: Sequence[Parameter]) -> Json:
    """The JSON schema of a tool's arguments: an object with these properties and no others."""
    return {
        "type": "object",
        "properties": {each.name: _property(each) for each in parameters},
        "required": [each.name for each in parameters if each.required],
        "additionalProperties": False,
    }


def _property(parameter: Parameter) -> Json:
    described = {**_SCHEMAS[parameter.kind], "description": parameter.description}
    if parameter.choices:
        described["enum"] = list(parameter.choices)
    if parameter.maximum is not None:
        described["maximum"] = parameter.maximum
    if parameter.default is not None:
        described["default"] = parameter.default
    return described


def checked(parameters: Sequence[Parameter], arguments: Json) -> Json:
    """The arguments that were given, with defaults; raises InvalidInput where they do not fit.

    A zero value (0, an empty text, an empty list) counts as not given.
    """
    known = {each.name: each for each in parameters}
    for name, value in arguments.items():
        if name not in known:
            raise InvalidInput(f"{name}: no such parameter; there are {', '.join(known)}")
        if not _fits(value, known[name].kind):
            raise InvalidInput(f"{name}: must be {_WANTED[known[name].kind]}")
    for each in parameters:
        if each.required and each.name not in arguments:
            raise InvalidInput(f"{each.name}: is required")
    given = {name: value for name, value in arguments.items() if value}
    return {each.name: each.default for each in parameters if each.default is not None} | given


def _fits(value: Any, kind: Kind) -> bool:
    if kind == "string":
        return isinstance(value, str) and _is_text(value)
    if kind == "object":
        return isinstance(value, dict) and _is_json(value)
    if kind == "strings":
        return value is None or (isinstance(value, list) and all(_fits(v, "string") for v in value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if isinstance(value, int) and abs(value) > INTEGER_MAX:  # perhaps too large for a float
        return False
    if not math.isfinite(value):
        return False
    return kind == "number" or (value == int(value) and abs(value) <= INTEGER_MAX)


def _is_text(value: str) -> bool:
    """Whether it can be written in UTF-8: half a surrogate pair cannot."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_json(value: Json) -> bool:
    """The same for every text inside of something."""
    try:
        msgspec.json.encode(value)
    except UnicodeEncodeError:
        return False
    return True
