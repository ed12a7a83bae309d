"""What a tool is: a name and words for a model, arguments, and what it does with them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol

from recollect.mcp import shapes
from recollect.mcp.actions import Action
from recollect.mcp.arguments import Arguments


class Ask(Protocol):
    """Carries out an action for whoever called the tool, and gives its answer as plain values."""

    def __call__(self, action: Action, name: str = "", /, **fields: Any) -> Awaitable[Any]:
        """Raises a RecollectError when it is refused, or fails."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A thin face of a use case, or of several.

    *failed* begins the text of an error. *shaped* makes what is told of what the use case answers.
    *writes*: it needs the permission to write; *destroys*: what it changes cannot be brought back.
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
    of_user: bool = False  # it is for one user, and may be for the one it is served for
