"""A thread with an event loop that runs the memory for synchronous code."""

import asyncio
import threading
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from recollect.errors import Conflict

T = TypeVar("T")
Behind = TypeVar("Behind")


class Portal:
    """Runs coroutines in its own thread while the caller waits."""

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
        """Run *work* in the other thread, wait for it, and return its result or raise its error."""
        with self._lock:
            loop = self._loop
            if loop is None or not self._thread.is_alive():
                work.close()
                raise Conflict("this memory is closed: use it while it is open")
            future = asyncio.run_coroutine_threadsafe(work, loop)
        try:
            return future.result()
        except BaseException:  # the waiting thread may be interrupted
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
    """Base of the generated classes: holds the asynchronous object behind them."""

    def __init__(self, portal: Portal, behind: Behind) -> None:
        self._portal = portal
        self._behind = behind

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return self._portal.call(work)


class OpenFace(Face[Behind]):
    """Base of a generated class that is opened and closed; closing it ends the thread."""

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
        """Finish what is being learned and close the folder; safe to repeat."""
        raise NotImplementedError
