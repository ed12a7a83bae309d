"""Second readings: an agent takes an episode as a prompt and returns its answer."""

import asyncio
import time
from weakref import WeakKeyDictionary

from recollect.app.services import Services
from recollect.app.stores import WithStore
from recollect.app.units import reads, writes
from recollect.graph.types import Access
from recollect.ingest import folder, rereadings
from recollect.ingest.agents import Given, Taken
from recollect.ingest.rereadings import Count, Status, Waiting
from recollect.records import graphs
from recollect.store.protocol import Store, Transaction

_COUNTING_REST = 100.0

__all__ = ["Count", "Given", "Status", "Taken", "Waiting"]


async def scope(
    services: WithStore, access: Access, user_id: str | None, graph_id: str | None
) -> int | None:
    """The graph to take readings from; None, for any graph, if none is named."""
    if user_id is None and graph_id is None:
        return None
    return (await services.store.read(graphs.target, access, user_id, graph_id)).id


async def take(services: Services, access: Access, graph: int | None) -> Taken | None:
    """Lease the next episode that waits for an agent; None if there is none now."""
    return await services.agents.take(access, graph)


async def give(
    services: Services, access: Access, episode_uuid: str, lease: str, answer: bytes
) -> Given:
    """Replace the first reading of a leased episode with the agent's answer."""
    return await services.agents.give(access, episode_uuid, lease, answer)


async def give_back(services: Services, access: Access, episode_uuid: str, lease: str) -> None:
    """Release the lease on an episode, if it is still held."""
    await services.agents.give_back(access, episode_uuid, lease)


async def fail(
    services: Services, access: Access, episode_uuid: str, lease: str, error: str
) -> bool:
    """Record that the agent gave no answer; True if this parks the episode."""
    return await services.agents.failed(access, episode_uuid, lease, error)


async def count(services: WithStore, access: Access, graph: int | None) -> int:
    """How many episodes wait for an agent."""
    return await services.store.read(rereadings.waiting_for, access, "agent", graph)


page = reads(rereadings.listed)


@writes
def retry(tx: Transaction, access: Access, episode_uuid: str | None) -> int:
    """Retry one episode now, or all of them, with their attempts reset; returns how many."""
    return rereadings.retry(tx, access, episode_uuid)


async def counts(services: WithStore) -> list[Count]:
    """How many episodes of all projects wait or are parked, by reader."""
    return await services.store.read(rereadings.counts)


async def to_fold(services: WithStore) -> int:
    """How many graphs have readings that are not folded in yet."""
    return len(await services.store.read(folder.due))


class _CountedFacts:
    """The number of facts by reader, cached.

    Counting gets slower with the number of facts, and anybody may ask without a key, so the time spent on
    it is bounded to a small share.
    """

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._counted: dict[str, int] = {}
        self._until = 0.0

    async def by_reader(self, store: Store) -> dict[str, int]:
        """The counts, at most a hundred times as old as counting took."""
        async with self._turn:
            began = time.monotonic()
            if began >= self._until:
                self._counted = await store.read(rereadings.facts_by_reader)
                now = time.monotonic()
                self._until = now + (now - began) * _COUNTING_REST
        return self._counted


_facts: WeakKeyDictionary[Store, _CountedFacts] = WeakKeyDictionary()


async def facts_by_reader(services: WithStore) -> dict[str, int]:
    """The number of facts of all projects by reader, possibly a little out of date."""
    store = services.store
    return await _facts.setdefault(store, _CountedFacts()).by_reader(store)
