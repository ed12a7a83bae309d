"""The same sessions and agents for code that does not await.

Nothing is written twice: the classes here are made from the asynchronous ones when this module is
imported. One thread runs an event loop; a method called here runs there, and the caller waits.
Models, tools and hooks that are plain functions run in worker threads, so that they may take their
time.

The body of `with session.turn() as turn:` runs in the caller's thread, where nothing can stop it
from outside. An abort marks the turn: `turn.check()` raises TurnAborted, and so does the end of the
body.
"""

import asyncio
import functools
import inspect
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from typing import Any

from recollect.session_log.agent import Agent, AgentSession, Run
from recollect.session_log.session import Session
from recollect.session_log.turns import TurnScope


class LoopThread:
    """A thread with an event loop, started on first use."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def call(self, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """Call on the loop, wait for a coroutine to end, and return or raise its outcome."""
        loop = self._running_loop()
        if threading.current_thread() is self._thread:
            raise RuntimeError("this would wait for itself: await the asynchronous session here")
        future = asyncio.run_coroutine_threadsafe(_called(function, arguments, named), loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            # In a forked process, the parent's thread does not run.
            if self._loop is None or self._thread is None or not self._thread.is_alive():
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=self._loop.run_forever, name="recollect-episodic", daemon=True
                )
                self._thread.start()
            return self._loop


async def _called(
    function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]
) -> Any:
    result = function(*arguments, **named)
    return await result if inspect.iscoroutine(result) else result


PORTAL = LoopThread()


class SyncFacade:
    """The base of the generated classes: it holds the asynchronous object."""

    _behind: Any

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return _faced(getattr(self._behind, name))


def synchronous(behind: type, name: str, **defaults: Any) -> type[Any]:
    """A class like *behind* whose methods block. *defaults* are arguments of its constructor."""

    def __init__(self: SyncFacade, *arguments: Any, **named: Any) -> None:  # noqa: N807
        self._behind = PORTAL.call(behind, *arguments, **{**defaults, **named})

    members: dict[str, Any] = {"__init__": __init__, "__doc__": behind.__doc__}
    for attribute in dir(behind):
        function = inspect.getattr_static(behind, attribute)
        if not attribute.startswith("_") and inspect.isfunction(function):
            made = _iterating if inspect.isasyncgenfunction(function) else _waiting
            members[attribute] = made(function)
    for there, here in (("__aenter__", "__enter__"), ("__aexit__", "__exit__")):
        if hasattr(behind, there):
            members[here] = _waiting(getattr(behind, there))
    return type(name, (SyncFacade,), members)


def _waiting(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def method(self: SyncFacade, *arguments: Any, **named: Any) -> Any:
        return _faced(PORTAL.call(function, self._behind, *arguments, **named))

    return method


def _iterating(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def method(self: SyncFacade, *arguments: Any, **named: Any) -> Iterator[Any]:
        values = function(self._behind, *arguments, **named)
        try:
            while True:
                try:
                    value = PORTAL.call(_following, values)
                except StopAsyncIteration:
                    return
                yield _faced(value)
        finally:
            if not sys.is_finalizing():  # by then the thread has stopped and would never answer
                PORTAL.call(_closed, values)

    return method


async def _following(values: AsyncGenerator[Any, None]) -> Any:
    return await anext(values)


async def _closed(values: AsyncGenerator[Any, None]) -> None:
    await values.aclose()


def _faced(value: Any) -> Any:
    """The synchronous facade of an asynchronous object; other values unchanged."""
    kind = FACES.get(type(value))
    if kind is None:
        return value
    face: Any = object.__new__(kind)
    face._behind = value
    return face


SyncSession = synchronous(Session, "SyncSession")
SyncAgent = synchronous(Agent, "SyncAgent", threads=True)
SyncAgentSession = synchronous(AgentSession, "SyncAgentSession")
SyncRun = synchronous(Run, "SyncRun")
SyncTurnScope = synchronous(TurnScope, "SyncTurnScope")

FACES: dict[type, type[Any]] = {
    Session: SyncSession,
    Agent: SyncAgent,
    AgentSession: SyncAgentSession,
    Run: SyncRun,
    TurnScope: SyncTurnScope,
}
