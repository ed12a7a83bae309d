"""The route table, and matching a path to its route."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from recollect.api.errors import ErrorFormat, reply_for
from recollect.api.http import Reply
from recollect.app.authorize import Actions, narrowed
from recollect.app.services import Services
from recollect.errors import RecollectError
from recollect.graph.types import Access

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]


@dataclass(slots=True)
class Call:
    """One decoded request: the caller's access, path parameters, query and body."""

    services: Services
    access: Access
    path: dict[str, str]
    query: Any
    body: Any
    headers: Sequence[tuple[bytes, bytes]] = ()
    asked: str = ""  # method, path and query as received
    actions: Actions = field(default_factory=lambda: Actions(()))
    again: Callable[[], Awaitable[Access]] | None = None  # access as of now; raises if refused

    def access_for(self, action: str) -> Access | None:
        """The caller's access for another action that the answer includes; None if it is denied."""
        decision = self.actions.decide(self.access, action)
        return narrowed(self.access, decision) if decision.allowed else None


Handler = Callable[[Call], Awaitable[Any]]


class Nothing(msgspec.Struct):
    """No query parameters, or no body."""


@dataclass(frozen=True, slots=True)
class Route:
    """A method and a path, the types of its input and answer, and its action name in policies.

    A *body* of type `bytes` is passed on raw; *takes* and *gives* are content types. The answer has the
    type of the handler's return annotation; a handler that returns a `Reply` has to set *answer*.
    """

    method: Method
    path: str
    action: str
    handler: Handler
    summary: str
    body: Any = Nothing
    query: Any = Nothing
    answer: Any = ...
    status: int = 200
    or_nothing: bool = False  # 204 if there is nothing to return
    public: bool = False
    reads: bool = False  # it changes nothing, although its method suggests it
    erases: bool = False  # its target may be gone afterwards, although it is not a DELETE
    takes: str = "application/json"
    gives: str = "application/json"
    shows: str | None = None  # the read action that covers what a write returns
    refusal: ErrorFormat = reply_for  # how errors are reported to its clients
    also: tuple[type[RecollectError], ...] = ()  # errors besides those that any route may have
    admin: bool = False  # it manages access: takes an admin key, whatever the policies say

    def __post_init__(self) -> None:
        if self.answer is ...:
            returned = self.handler.__annotations__["return"]
            object.__setattr__(self, "answer", None if returned is Reply else returned)

    @property
    def mutates(self) -> bool:
        """Whether calling it may change stored data."""
        return not (self.reads or self.method == "GET")


@dataclass(slots=True)
class _PathNode:
    literals: "dict[str, _PathNode]" = field(default_factory=dict)
    parameter: "_PathNode | None" = None
    routes: dict[str, tuple[Route, list[str]]] = field(default_factory=dict)
    refusals: set[ErrorFormat] = field(default_factory=set)  # of all routes below it


class Router:
    """A tree of path segments; a literal wins over a parameter, and empty segments never match."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self.routes = tuple(routes)
        self._root = _PathNode()
        for route in self.routes:
            self._add(route)

    def _add(self, route: Route) -> None:
        place, names = self._root, []
        for part in route.path.split("/")[1:]:
            if part.startswith("{"):
                names.append(part[1:-1])
                place.parameter = place.parameter or _PathNode()
                place = place.parameter
            else:
                place = place.literals.setdefault(part, _PathNode())
            place.refusals.add(route.refusal)
        if route.method in place.routes:
            raise ValueError(f"two routes for {route.method} {route.path}")
        place.routes[route.method] = (route, names)

    def find(self, method: str, parts: list[str]) -> tuple[Route, dict[str, str]] | None:
        """The route for a request and its path parameters, or None."""
        found = self._match(self._root, parts, 0, [], method)
        if found is None:
            return None
        route, names, values = found
        return route, dict(zip(names, values, strict=True))

    def methods(self, parts: list[str]) -> list[str]:
        """The methods that a path has."""
        candidates = ("GET", "POST", "PUT", "PATCH", "DELETE")
        return [m for m in candidates if self.find(m, parts) is not None]

    def refusal(self, parts: list[str]) -> ErrorFormat:
        """The error format for a path without a route: that of the routes with the same prefix."""
        place: _PathNode | None = self._root
        for part in parts:
            place = place.literals.get(part) if place else None
            if place and len(place.refusals) == 1:
                return next(iter(place.refusals))
        return reply_for

    def _match(
        self, place: _PathNode, parts: list[str], depth: int, values: list[str], method: str
    ) -> tuple[Route, list[str], list[str]] | None:
        if depth == len(parts):
            entry = place.routes.get(method)
            return None if entry is None else (*entry, values)
        part = parts[depth]
        literal = place.literals.get(part)
        if literal is not None:
            found = self._match(literal, parts, depth + 1, values, method)
            if found is not None:
                return found
        if place.parameter is None or not part:
            return None
        return self._match(place.parameter, parts, depth + 1, [*values, part], method)
