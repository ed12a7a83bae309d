"""How frameworks call the memory, synchronously or not, and the texts for the model."""

import asyncio
from collections.abc import Coroutine
from datetime import datetime
from typing import Any, TypeVar

from recollect.errors import Conflict
from recollect.library.memory import Memory
from recollect.library.results import Fact
from recollect.library.sync_memory import SyncMemory

T = TypeVar("T")

SEARCH = (
    "Search what is remembered: facts about people and things, with the time at which they were "
    "true. Ask in plain words for what you need to know."
)
ADD = (
    "Remember something for later conversations. Write one or a few full sentences that name who "
    "and what is meant."
)
NOTHING = "Nothing is remembered about that."
REMEMBERED = "Remembered."


class Reach:
    """A memory that can be called from asynchronous and from synchronous code."""

    def __init__(self, memory: Memory | SyncMemory) -> None:
        synchronous = isinstance(memory, SyncMemory)
        self.memory: Memory = memory._behind if isinstance(memory, SyncMemory) else memory
        self._portal = memory._portal if isinstance(memory, SyncMemory) else None
        self._loop = None if synchronous else _running_loop()

    async def ask(self, work: Coroutine[Any, Any, T]) -> T:
        """Await *work* without blocking the event loop."""
        if self._portal is None:
            self._loop = self._loop or asyncio.get_running_loop()
            return await work
        return await asyncio.to_thread(self._portal.call, work)

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Block until *work* is done; must not be called in the memory's own event loop."""
        if self._portal is not None:
            return self._portal.call(work)
        if self._loop is None or self._loop is _running_loop():
            work.close()
            raise Conflict(
                "this memory is asynchronous: await it, or open a SyncMemory for code that does not"
            )
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


async def recall(
    memory: Memory, query: str, limit: int, *, user: str | None, graph: str | None
) -> str:
    """The result of a search for a model: one fact per line, with its time."""
    found = await memory.search(query, user=user, graph=graph, limit=limit)
    return "\n".join(_line(fact) for fact in found) or NOTHING


async def remember(memory: Memory, content: str, *, user: str | None, graph: str | None) -> str:
    """Store what a model wrote, as a text without a speaker."""
    await memory.add(content, user=user, graph=graph, kind="text")
    return REMEMBERED


def _line(fact: Fact) -> str:
    start, end = _day(fact.valid_at), _day(fact.invalid_at)
    if end is not None:
        return (
            f"- {fact.text} (until {end})" if start is None else f"- {fact.text} ({start} to {end})"
        )
    return f"- {fact.text}" if start is None else f"- {fact.text} (since {start})"


def _day(moment: datetime | None) -> str | None:
    return None if moment is None else moment.date().isoformat()
