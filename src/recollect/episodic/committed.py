"""The committed side of a session: its log and context, changed by one mutation at a time.

Everything is saved before it is to be seen. What cannot be saved has not happened.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from recollect.episodic import jsonl
from recollect.episodic.context import merged
from recollect.episodic.episode import Episode
from recollect.episodic.log import Episodic
from recollect.episodic.storage import State, Storages

T = TypeVar("T")


class Committed:
    """A log and a context in storages. Its methods are called while the mutation is held."""

    def __init__(
        self,
        storages: Storages,
        items: Iterable[Any],
        context: Mapping[str, Any],
        now: Callable[[], str] | None,
    ) -> None:
        self._storages = storages
        self._initial_items, self._initial_context = list(items), merged(context)
        self._now = now
        self._one_at_a_time = asyncio.Lock()
        self._loaded = False
        self._text = ""  # the log as it was last saved: only what is new is written anew
        self._text_length = 0
        self.log, self.context = self.beginning()

    def beginning(self) -> tuple[Episodic, dict[str, Any]]:
        """The log and context of a session that nothing has happened in."""
        log = Episodic(now=self._now)
        log.append_items(self._initial_items, source="user")
        return log, merged(self._initial_context)

    @asynccontextmanager
    async def mutation(self) -> AsyncIterator[None]:
        """The right to change something; those who wait get it in the order they came."""
        async with self._one_at_a_time:
            yield

    async def load(self) -> None:
        """Take up what the storages hold, the first time."""
        if self._loaded:
            return
        state = await self._storages.load()
        if state is not None:
            self.log = Episodic.from_jsonl(state.episodic, now=self._now)
            self.context = dict(state.context)
        self._loaded = True

    async def commit(self, added: Sequence[Episode]) -> None:
        """Append episodes under new ids."""
        candidate = self.log.fork()
        stored = candidate.adopt(added)
        if self._storages:
            text = self._extended(stored)
            await self._storages.save(self.context, text)
            self._text, self._text_length = text, len(candidate)
        self.log.adopt(stored)

    def _extended(self, added: Sequence[Episode]) -> str:
        """The log with what is added, as JSONL."""
        new = jsonl.dump([*self.log.episodes[self._text_length :], *added])
        return "\n".join(text for text in (self._text, new) if text)

    async def replace(self, log: Episodic, context: dict[str, Any]) -> None:
        """Put another log and context in the place of these."""
        if self._storages:
            text = log.to_jsonl()
            await self._storages.save(context, text)
            self._text, self._text_length = text, len(log)
        self.log, self.context, self._loaded = log, context, True

    def state(self) -> State:
        """What is stored."""
        return State(merged(self.context), self.log.to_jsonl())

    async def exists(self) -> bool:
        """Whether a storage holds a valid state."""
        return await self._storages.load() is not None

    async def remove(self) -> None:
        """Delete what is stored."""
        await self._storages.remove()


async def to_the_end(work: Coroutine[Any, Any, T]) -> T:
    """Do the work even if the one who waits for it is cancelled; then the cancellation goes on."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        if not task.done():
            await asyncio.wait([task])
        if not task.cancelled():
            task.exception()
        raise
