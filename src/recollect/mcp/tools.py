"""The definition of a tool: name, description for a model, arguments, and what it runs."""

import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec import NODEFAULT, UNSET, Meta

from recollect.errors import InvalidInput
from recollect.graph.types import Json
from recollect.limits import INTEGER_MAX
from recollect.mcp import shapes
from recollect.mcp.actions import Action

_KINDS = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "object": "an object",
    ("array", "null"): "a list of strings, or null",
}
_MISFIT = False  # no parameter accepts it


class Arguments(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The arguments of a tool. A zero value (0, an empty text, an empty list) counts as not given."""

    def __post_init__(self) -> None:
        for field in msgspec.structs.fields(self):
            if field.default is not NODEFAULT and not getattr(self, field.name):
                setattr(self, field.name, field.default)


A = TypeVar("A", bound=Arguments)


def described(text: str, **more: Any) -> Meta:
    """The description of a parameter for a model, and further keys of its schema.

    *enum* and *maximum* only document what is accepted. The use case enforces it, so that a model gets an
    error message in plain words.
    """
    return Meta(description=text, extra_json_schema=more or None)


@cache
def schema(takes: type[Arguments]) -> Json:
    """The JSON schema of a tool's arguments: an object with these properties and no others."""
    _, found = msgspec.json.schema_components([takes])
    made = found[takes.__name__]
    properties = {name: _flat(one) for name, one in made["properties"].items()}
    return {
        "type": "object",
        "properties": properties,
        "required": made.get("required", []),
        "additionalProperties": False,
    }


def _flat(described: Json) -> Json:
    """A list or null as `"type": ["array", "null"]`, which more clients understand than `anyOf`."""
    kinds = described.pop("anyOf", None)
    return described if kinds is None else {**kinds[0], "type": ["array", "null"], **described}


def read(takes: type[A], given: Json) -> A:
    """The given arguments with defaults; raises InvalidInput if they do not match the schema."""
    try:
        return msgspec.convert({name: _plain(value) for name, value in given.items()}, takes)
    except msgspec.ValidationError as error:
        raise InvalidInput(_explained(takes, str(error))) from error


def _plain(value: Any) -> Any:
    """The value as JSON sees it: 10.0 is an integer, and what JSON cannot express is never valid."""
    if isinstance(value, float) and value.is_integer() and abs(value) <= INTEGER_MAX:
        return int(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else _MISFIT
    if isinstance(value, int):
        return value if abs(value) <= INTEGER_MAX else _MISFIT
    try:
        msgspec.json.encode(value)
    except (UnicodeEncodeError, RecursionError):  # half a surrogate pair; too deep
        return _MISFIT
    return value


def _explained(takes: type[Arguments], complaint: str) -> str:
    """A decoder's error message in the terms of the schema."""
    properties = schema(takes)["properties"]
    what, _, where = complaint.partition(" - at `$.")
    if where:
        name = where.rstrip("`").partition("[")[0]
        kind = properties[name]["type"]
        return f"{name}: must be {_KINDS[kind if isinstance(kind, str) else tuple(kind)]}"
    name = what.split("`")[1]
    if "unknown field" in what:
        return f"{name}: no such parameter; there are {', '.join(properties)}"
    return f"{name}: is required"


def check_filled(sent: Arguments) -> None:
    """Reject an empty required string: the schema allows it, but no use case does."""
    for field in msgspec.structs.fields(sent):
        if field.default is NODEFAULT and getattr(sent, field.name) == "":
            raise InvalidInput(f"{field.name}: must not be empty")


def given(sent: Arguments, *names: str) -> Json:
    """The named arguments, without those left out."""
    values = {name: getattr(sent, name) for name in names}
    return {name: value for name, value in values.items() if value is not UNSET}


class Ask(Protocol):
    """Runs an action on behalf of the tool's caller, and returns its result as plain values."""

    def __call__(self, action: Action, name: str = "", /, **fields: Any) -> Awaitable[Any]:
        """Raise a RecollectError if it is refused or fails."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A thin wrapper around one use case, or several.

    *failed* starts the text of an error. *shaped* converts the result of the use case. *writes*: it needs
    write permission; *destroys*: its changes cannot be undone.
    """

    name: str
    title: str
    description: str
    takes: type[Arguments]
    run: Callable[[Ask, Any], Awaitable[Any]]
    failed: str
    shaped: Callable[[Any], Any] = shapes.as_it_is
    writes: bool = False
    destroys: bool = False
    repeatable: bool = True
    of_user: bool = False  # it takes a user, who may be the default one
