"""Calling what others wrote: hooks, tools and models, plain functions or coroutine functions."""

import asyncio
from collections.abc import Callable, Iterable
from inspect import Parameter, signature
from typing import Any

from recollect.episodic.storage import settled

POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


class Caller:
    """Calls functions, each with as many of the arguments as it takes: `lambda: items` needs none.

    With *threads*, plain ones run in a worker thread, so that a slow one stops nobody.
    """

    def __init__(self, *, threads: bool = False) -> None:
        self._threads = threads

    async def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The result, waited for if it has to be."""
        arguments = _taken(function, arguments)
        if self._threads and not asyncio.iscoroutinefunction(function):
            return await settled(await asyncio.to_thread(function, *arguments))
        return await settled(function(*arguments))

    async def all(self, functions: Iterable[Callable[..., Any]], *arguments: Any) -> list[Any]:
        """Call one after the other; the results that are not None."""
        results = [await self.call(function, *arguments) for function in functions]
        return [result for result in results if result is not None]

    async def first(self, functions: Iterable[Callable[..., Any]], *arguments: Any) -> Any:
        """Call one after the other until a result is not None."""
        for function in functions:
            result = await self.call(function, *arguments)
            if result is not None:
                return result
        return None


def _taken(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The first of the arguments, as far as the function has room for them."""
    try:
        kinds = [parameter.kind for parameter in signature(function).parameters.values()]
    except (TypeError, ValueError):  # some builtins do not tell
        return arguments
    if Parameter.VAR_POSITIONAL in kinds:
        return arguments
    return arguments[: sum(kind in POSITIONAL for kind in kinds)]
