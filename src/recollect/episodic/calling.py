"""Calling what others wrote: hooks, tools and models, plain functions or coroutine functions."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from recollect.episodic.storage import settled


class Caller:
    """Calls functions.

    With *threads*, plain ones run in a worker thread, so that a slow one stops nobody.
    """

    def __init__(self, *, threads: bool = False) -> None:
        self._threads = threads

    async def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The result, waited for if it has to be."""
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
