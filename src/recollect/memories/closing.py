"""Closing what nobody needs any more, out of everyone's way."""

import asyncio
from collections import deque
from collections.abc import Callable
from contextvars import Context
from typing import Protocol

from recollect import log
from recollect.limits import INSTANCE_CLOSE_S_MAX

_log = log.get(__name__)


class Instance(Protocol):
    """Something that can be closed."""

    async def close(self) -> None:
        """Let go of everything; called once, when nobody holds it any more."""


class Closer:
    """Closes instances in the background, one after the other, in the order they are handed in.

    One that fails or takes too long is told in the log and nowhere else.
    """

    def __init__(self) -> None:
        self._waiting: deque[tuple[Instance, Callable[[], None]]] = deque()
        self._task: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        """How many are not closed yet."""
        return len(self._waiting)

    def close_soon(self, instance: Instance, then: Callable[[], None]) -> None:
        """Close an instance, and call *then* when that is done or has failed."""
        self._waiting.append((instance, then))
        if self._task is None or self._task.done():
            # In a context of its own: it closes what others hand in, too.
            self._task = asyncio.create_task(self._run(), context=Context())

    async def _run(self) -> None:
        while self._waiting:
            instance, then = self._waiting[0]
            await _close(instance)
            self._waiting.popleft()
            then()
            await asyncio.sleep(0)  # closing many leaves room for others


async def _close(instance: Instance) -> None:
    try:
        async with asyncio.timeout(INSTANCE_CLOSE_S_MAX):
            await instance.close()
    except Exception as error:  # noqa: BLE001 - nobody is there who could do anything about it
        _log.warning("instance.not_closed", error=type(error).__name__, exc_info=error)
