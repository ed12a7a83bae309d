"""A thread with an event loop, where the memory runs for code that does not await."""

import asyncio
import threading
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from recollect.errors import Conflict

T = TypeVar("T")
Behind = TypeVar("Behind")


class Portal:
    """Runs coroutines in its thread while the caller waits; it ends when it is closed."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended: asyncio.Event | None = None
        self._ready = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._work, name="recollect-memory", daemon=True)
        self._thread.start()
        self._ready.wait()

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for *work* to end in the other thread, and return or raise what came of it."""
        with self._lock:
            loop = self._loop
            if loop is None or not self._thread.is_alive():
                work.close()
                raise Conflict("this memory is closed: use it while it is open")
            future = asyncio.run_coroutine_threadsafe(work, loop)
        try:
            return future.result()
        except BaseException:  # the one who waits may be interrupted
            future.cancel()
            raise

    def close(self) -> None:
        """End the loop and its thread; safe to repeat."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is not None and self._ended is not None:
            loop.call_soon_threadsafe(self._ended.set)
            self._thread.join()

    def _work(self) -> None:
        with self._runner as runner:
            runner.run(self._until_closed())

    async def _until_closed(self) -> None:
        self._ended = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._ready.set()
        await self._ended.wait()


class Face(Generic[Behind]):
    """What the generated classes have in common: the asynchronous object behind them."""

    def __init__(self, portal: Portal, behind: Behind) -> None:
        self._portal = portal
        self._behind = behind

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return self._portal.call(work)


class OpenFace(Face[Behind]):
    """The face of what is opened and closed, and ends its thread with it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Finish what is being learned and let go of the folder; safe to repeat."""
        raise NotImplementedError
