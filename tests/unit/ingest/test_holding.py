"""A graph that is only held: no worker begins meanwhile, and nothing of its queue changes."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from recollect.errors import LeaseLost
from recollect.graph.types import Access, Graph
from recollect.ingest import queue
from recollect.limits import LEASE_S
from recollect.records import graphs
from recollect.store.protocol import Store
from tests.contract.store.world import StillClock, add_text, new_graph, new_project
from tests.support.stores import open_store, raw


@pytest.fixture
def clock() -> StillClock:
    """Time stands still."""
    return StillClock()


@pytest.fixture
async def store(tmp_path: Path, clock: StillClock) -> AsyncIterator[Store]:
    """An empty store."""
    opened = open_store(tmp_path, clock=clock)
    yield opened
    await opened.close()


@pytest.fixture
async def access(store: Store) -> Access:
    """A key to a project."""
    return await new_project(store, "p")


@pytest.fixture
async def graph(store: Store, access: Access) -> Graph:
    """A graph without a job."""
    return await new_graph(store, access, "g")


async def queued(store: Store) -> list[tuple[Any, ...]]:
    """The queue as it is."""

    def look(tx: Any) -> list[tuple[Any, ...]]:
        return [
            tuple(row) for row in raw(tx).execute("SELECT graph_id, wait_until, lease FROM queue")
        ]

    return await store.read(look)


async def test_no_worker_gets_a_graph_that_is_held(
    store: Store, access: Access, graph: Graph
) -> None:
    """Afterwards its jobs are due as they were."""
    await add_text(store, access, "g", "one")
    before = await queued(store)
    held = await store.write(queue.hold, graph.id, "fold")
    assert held is not None
    assert held.jobs == []
    assert await store.write(queue.claim, "me") is None
    await store.write(queue.let_go, held)
    assert await queued(store) == before
    claimed = await store.write(queue.claim, "me")
    assert claimed is not None
    assert [job.attempts for job in claimed.jobs] == [0]


async def test_a_graph_that_a_worker_has_is_not_held(
    store: Store, access: Access, graph: Graph
) -> None:
    """Nor one that somebody else holds."""
    await add_text(store, access, "g", "one")
    claimed = await store.write(queue.claim, "me")
    assert claimed is not None
    assert await store.write(queue.hold, graph.id, "fold") is None
    await store.write(queue.release, claimed)
    assert await store.write(queue.hold, graph.id, "fold") is not None
    assert await store.write(queue.hold, graph.id, "other") is None


async def test_a_graph_without_jobs_leaves_the_queue_again(store: Store, graph: Graph) -> None:
    """It was in it only to be held."""
    held = await store.write(queue.hold, graph.id, "fold")
    assert held is not None
    assert len(await queued(store)) == 1
    await store.write(queue.let_go, held)
    assert await queued(store) == []


async def test_a_job_that_waits_for_its_next_try_waits_on(
    store: Store, access: Access, graph: Graph, clock: StillClock
) -> None:
    """Holding a graph does not bring it forward."""
    await add_text(store, access, "g", "one")
    claimed = await store.write(queue.claim, "me")
    assert claimed is not None
    failed = (claimed, claimed.jobs[0], "x")
    await store.write(queue.fail, *failed, attempts_max=9, backoff_first_s=60.0)
    held = await store.write(queue.hold, graph.id, "fold")
    assert held is not None
    await store.write(queue.let_go, held)
    assert await store.write(queue.claim, "me") is None
    clock.advance(61)
    assert await store.write(queue.claim, "me") is not None


async def test_who_held_it_too_long_gives_back_nothing(
    store: Store, access: Access, graph: Graph, clock: StillClock
) -> None:
    """A worker may have it by then."""
    await add_text(store, access, "g", "one")
    slow = await store.write(queue.hold, graph.id, "fold")
    assert slow is not None
    clock.advance(LEASE_S + 1)
    claimed = await store.write(queue.claim, "me")
    assert claimed is not None
    await store.write(queue.let_go, slow)
    await store.write(queue.check_lease, claimed)


async def test_a_graph_that_is_gone_cannot_be_held(
    store: Store, access: Access, graph: Graph
) -> None:
    """And one that goes while it is held can still be let go."""
    held = await store.write(queue.hold, graph.id, "fold")
    assert held is not None
    await store.write(graphs.delete, access, "g")
    await store.write(queue.let_go, held)
    with pytest.raises(LeaseLost):
        await store.write(queue.hold, graph.id, "fold")
