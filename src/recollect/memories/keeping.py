"""The memories of a process: one instance for each graph that is in use or was a while ago."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, suppress
from contextvars import Context
from functools import partial
from typing import TypeVar

from recollect.graph.types import Graph
from recollect.limits import INSTANCE_WAIT_S
from recollect.memories import long_term, settings, short_term
from recollect.memories.instance import EpisodicMemory, Parameters
from recollect.memories.manager import InstanceManager
from recollect.memories.metrics import FACTORY, MemoryMetrics
from recollect.search.finder import Finder
from recollect.settings import Settings
from recollect.store.protocol import Store

R = TypeVar("R")


class Memories:
    """Instances by the uuid of their graph, which is never given out twice."""

    def __init__(self, store: Store, finder: Finder, chosen: Settings) -> None:
        self.metrics = MemoryMetrics(FACTORY)
        self._store = store
        self._search = partial(long_term.search, finder, store)
        self._usual = settings.usual(chosen)
        self._sweep_s = chosen.memory_sweep_s
        self._sweeper: asyncio.Task[None] | None = None
        self._manager: InstanceManager[EpisodicMemory] = InstanceManager(
            self._open,
            capacity=chosen.memory_instances_max,
            life_s=chosen.memory_life_s,
            wait_s=INSTANCE_WAIT_S,
            metrics=self.metrics,
        )

    def hold(self, graph: Graph) -> AbstractAsyncContextManager[EpisodicMemory]:
        """The memory of a graph, which stays open until this is left."""
        if self._sweeper is None:  # not before there is anything to sweep
            # In a context of its own: it outlives the request that comes first.
            self._sweeper = asyncio.create_task(self._manager.run(self._sweep_s), context=Context())
        return self._manager.hold(graph.uuid)

    def forget(self, graph_uuid: str) -> None:
        """Hold nothing of a graph, of which something was erased; the next question reads anew."""
        self._manager.evict(graph_uuid)

    async def delete(self, graph: Graph, wipe: Callable[[], Awaitable[R]]) -> R:
        """Wipe a graph while nobody uses its memory; Conflict when someone does for too long."""
        return await self._manager.delete(graph.uuid, wipe)

    async def close(self) -> None:
        """Close every instance, and open no more."""
        await self._manager.close()
        if self._sweeper is not None:
            self._sweeper.cancel()
            with suppress(asyncio.CancelledError):
                await self._sweeper

    async def _open(self, graph_uuid: str) -> EpisodicMemory:
        return EpisodicMemory(
            Parameters(
                graph_uuid=graph_uuid,
                store=self._store,
                usual=self._usual,
                short_term=short_term.read,
                long_term=self._search,
                metrics=self.metrics,
            )
        )
