"""The memory of one graph, and the instances that a process holds.

A route uses it like this; the answer is None where the memory is switched off:

    async with call.services.memories.hold(graph) as memory:
        recalled = await memory.recall(call.access, question)

Everything is derived from the log. A cached window is checked against the graph's row on every use,
so it does not matter who wrote in the meantime, or in which process.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, suppress
from contextvars import Context
from functools import partial
from typing import Protocol, TypeVar

from recollect.episodic_memory import long_term, settings, short_term
from recollect.episodic_memory.manager import FACTORY, InstanceManager, MemoryMetrics
from recollect.episodic_memory.settings import (
    Bounds,
    MemoryQuery,
    MemorySettings,
    Recalled,
    ShortTerm,
)
from recollect.errors import InvariantViolated, NotFound
from recollect.graph.episode_filters import EpisodeTree
from recollect.graph.types import Access, Episode, Graph, Record
from recollect.limits import INSTANCE_WAIT_S, INSTANCE_WINDOWS_MAX
from recollect.search.finder import Finder
from recollect.search.query import Hit
from recollect.settings import Settings
from recollect.store import rows
from recollect.store.protocol import Store, Transaction

Mark = tuple[int, ...]
_MARKED = ("last_seq", "index_epoch", "index_version", "changes", "condensed")
ReadWindow = Callable[
    [Transaction, Access, Graph, Bounds, EpisodeTree | None, int],
    ShortTerm,
]


class SearchPast(Protocol):
    """How the long-term memory is searched, leaving out the uuids in *without*."""

    async def __call__(
        self, access: Access, graph: Graph, question: MemoryQuery, *, without: frozenset[str]
    ) -> tuple[Hit[Episode], ...]: ...


class Parameters(Record):
    """What an instance is built from."""

    graph_uuid: str
    store: Store
    usual: MemorySettings  # used where neither the graph nor its project chose
    short_term: ReadWindow
    long_term: SearchPast
    metrics: MemoryMetrics


class InstanceState(Record):
    """A graph with its settings, and a mark that changes with its log.

    Appending moves `last_seq`; learning, changes and removals take a new `index_version`; a
    deletion counts as a change even if nothing was indexed, and so does a new fold. `condensed`
    moves with the chapters.
    """

    graph: Graph
    mark: Mark
    settings: MemorySettings


def state(tx: Transaction, access: Access, graph_uuid: str, usual: MemorySettings) -> InstanceState:
    """A graph of the caller's project with its memory settings."""
    row = tx.graphs.by_uuid(uuid=graph_uuid, project_id=access.project_id)
    if row is None:
        raise NotFound("graph not found")
    graph = rows.graph(row)
    return InstanceState(
        graph=graph,
        mark=tuple(getattr(row, column) for column in _MARKED),
        settings=settings.of_graph(tx, access, graph, usual),
    )


class MemoryInstance:
    """Both memories of one graph, safe for concurrent use."""

    def __init__(self, given: Parameters) -> None:
        self._given = given
        self._mark: Mark | None = None
        self._windows: OrderedDict[str, ShortTerm] = OrderedDict()  # all as of the mark
        self._closed = False

    async def recall(self, access: Access, question: MemoryQuery) -> Recalled | None:
        """What both memories answer; None if they are switched off.

        The window comes first: it is cached or quickly read, and its episodes take no room in the
        answer of the long-term memory.
        """
        if self._closed:
            raise InvariantViolated("a memory was asked after it was closed")
        given = self._given
        with given.metrics.query():
            now = await given.store.glance(state, access, given.graph_uuid, given.usual)
            if not now.settings.is_on:
                return None
            window = await self._window(access, question, now)
            told = frozenset(episode.uuid for episode in window.episodes)
            past: tuple[Hit[Episode], ...] = ()
            if now.settings.long_term:
                past = await given.long_term(access, now.graph, question, without=told)
            return Recalled(short_term=window, long_term=past)

    async def close(self) -> None:
        """Drop all cached windows."""
        self._closed = True
        self._windows.clear()

    async def _window(self, access: Access, question: MemoryQuery, now: InstanceState) -> ShortTerm:
        """The current window, cached for callers that may see everything."""
        if not now.settings.short_term:
            return ShortTerm()
        if access.visibility is not None:
            return (await self._read(access, question))[1]
        key = _key(now.settings.window, question)
        if now.mark == self._mark and key in self._windows:
            self._windows.move_to_end(key)
            return self._windows[key]
        then, window = await self._read(access, question)
        self._remember(then.mark, _key(then.settings.window, question), window)
        return window

    async def _read(self, access: Access, question: MemoryQuery) -> tuple[InstanceState, ShortTerm]:
        given = self._given
        return await given.store.read(
            _look, access, given.graph_uuid, given.usual, given.short_term, question
        )

    def _remember(self, mark: Mark, key: str, window: ShortTerm) -> None:
        if self._closed:
            return
        if mark != self._mark:
            self._windows.clear()
            self._mark = mark
        self._windows[key] = window
        while len(self._windows) > INSTANCE_WINDOWS_MAX:
            self._windows.popitem(last=False)


def _look(
    tx: Transaction,
    access: Access,
    graph_uuid: str,
    usual: MemorySettings,
    read: ReadWindow,
    question: MemoryQuery,
) -> tuple[InstanceState, ShortTerm]:
    """The window and its mark, from one snapshot."""
    now = state(tx, access, graph_uuid, usual)
    bounds = now.settings.window
    return now, read(tx, access, now.graph, bounds, question.tree, question.limit)


def _key(bounds: Bounds, question: MemoryQuery) -> str:
    """What a window depends on besides the log. Spelled out, because 1 and true compare equal."""
    return repr((bounds, question.tree, question.limit))


R = TypeVar("R")


class Memories:
    """The instances of a process, by the uuid of their graph."""

    def __init__(self, store: Store, finder: Finder, chosen: Settings) -> None:
        self.metrics = MemoryMetrics(FACTORY)
        self._store = store
        self._search = partial(long_term.search, finder, store)
        self._usual = settings.usual(chosen)
        self._sweep_s = chosen.memory_sweep_s
        self._sweeper: asyncio.Task[None] | None = None
        self._manager: InstanceManager[MemoryInstance] = InstanceManager(
            self._open,
            capacity=chosen.memory_instances_max,
            life_s=chosen.memory_life_s,
            wait_s=INSTANCE_WAIT_S,
            metrics=self.metrics,
        )

    def hold(self, graph: Graph) -> AbstractAsyncContextManager[MemoryInstance]:
        """The memory of a graph, kept open while in the context."""
        if self._sweeper is None:  # not before there is anything to sweep
            # In its own context, because it outlives the request that starts it.
            self._sweeper = asyncio.create_task(self._manager.run(self._sweep_s), context=Context())
        return self._manager.hold(graph.uuid)

    def forget(self, graph_uuid: str) -> None:
        """Drop what is cached of a graph because something was erased."""
        self._manager.evict(graph_uuid)

    async def delete(self, graph: Graph, wipe: Callable[[], Awaitable[R]]) -> R:
        """Wipe a graph while nobody uses its memory; Conflict if that takes too long."""
        return await self._manager.delete(graph.uuid, wipe)

    async def close(self) -> None:
        """Close every instance, and open no more."""
        await self._manager.close()
        if self._sweeper is not None:
            self._sweeper.cancel()
            with suppress(asyncio.CancelledError):
                await self._sweeper

    async def _open(self, graph_uuid: str) -> MemoryInstance:
        return MemoryInstance(
            Parameters(
                graph_uuid=graph_uuid,
                store=self._store,
                usual=self._usual,
                short_term=short_term.read,
                long_term=self._search,
                metrics=self.metrics,
            )
        )
