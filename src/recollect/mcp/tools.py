"""What a tool is: a name and words for a model, parameters, and the request it stands for."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import msgspec

from recollect.errors import InvalidInput
from recollect.graph.types import Json
from recollect.mcp import shapes
from recollect.mcp.parameters import Parameter

V2 = "/api/v2"


class Request(NamedTuple):
    """A request to one of the server's own routes; *path* and *query* are escaped."""

    method: str
    path: str
    query: str = ""
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Tool:
    """A thin face of a route.

    *failed* begins the text of an error. *shaped* makes what is told of what the route answers.
    *writes*: it needs the permission to write; *destroys*: what it changes cannot be brought back. *missing* makes
    what the request needs and did not find, such as a user nobody heard of before. *owned* asks
    whose it is that the request adds to, where the arguments name somebody.
    """

    name: str
    title: str
    description: str
    parameters: tuple[Parameter, ...]
    request: Callable[[Json], Request]
    failed: str
    shaped: Callable[[Any], Any] = shapes.as_it_is
    writes: bool = False
    destroys: bool = False
    repeatable: bool = True
    missing: Callable[[Json], list[Request]] | None = None
    owned: Callable[[Json], Request | None] | None = None


def get(*path: str, **query: Any) -> Request:
    """A read; parameters that are None are left out of the query."""
    return Request("GET", place(*path), asked(**query))


def post(*path: str, body: Json) -> Request:
    """A request with a body."""
    return Request("POST", place(*path), body=msgspec.json.encode(body))


def place(*path: str, under: str = V2) -> str:
    """A path out of its parts, each of which is escaped."""
    return "/".join([under, *(quote(part, safe="") for part in path)])


def asked(**query: Any) -> str:
    """A query string of whatever is not None."""
    return urlencode({name: value for name, value in query.items() if value is not None})


def needed(arguments: Json, name: str) -> str:
    """A required argument, which the schema lets be empty and no route does."""
    value = arguments.get(name)
    if not value:
        raise InvalidInput(f"{name}: must not be empty")
    return str(value)


def whole(arguments: Json, name: str) -> int | None:
    """A count, which JSON may write as 10.0."""
    value = arguments.get(name)
    return None if value is None else int(value)
