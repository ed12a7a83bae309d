"""A worker holds on to its graph while it works, and gives it back when it cannot go on."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from recollect.errors import StoreUnavailable
from recollect.graph.types import Access, Job
from recollect.ingest import pipeline, queue
from recollect.ingest.queue import Claim
from recollect.ingest.worker import Process, Worker
from recollect.limits import LEASE_S
from recollect.records import graphs
from recollect.store.protocol import Store
from tests.contract.store.world import StillClock, add_text, new_graph, new_project
from tests.support.stores import open_store


@pytest.fixture
def clock() -> StillClock:
    """The store's clock, in the test's hand."""
    return StillClock()


@pytest.fixture
async def store(tmp_path: Path, clock: StillClock) -> AsyncIterator[Store]:
    """An empty store."""
    opened = open_store(tmp_path, clock=clock)
    yield opened
    await opened.close()


@pytest.fixture
async def access(store: Store) -> Access:
    """A key to a project with a graph."""
    access = await new_project(store, "p")
    await new_graph(store, access, "g")
    return access


@pytest.fixture(autouse=True)
def beats_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lease is renewed every hundredth of a second; it still lasts as long as ever."""
    monkeypatch.setattr("recollect.ingest.worker.LEASE_S", 0.03)


def new_worker(store: Any, process: Process, **more: Any) -> Worker:
    """A worker that parks after two tries."""
    return Worker(store, owner="w", attempts_max=2, backoff_first_s=1.0, process=process, **more)


class Flaky:
    """The real store, whose renewals of a lease fail as often as told."""

    def __init__(self, store: Store, failures: int) -> None:
        self._store = store
        self.failures = failures
        self.read = store.read

    async def write(self, unit: Any, *args: Any, **more: Any) -> Any:
        """One unit, or trouble."""
        if unit is queue.check_lease and self.failures:
            self.failures -= 1
            raise StoreUnavailable("full")
        return await self._store.write(unit, *args, **more)


@pytest.mark.parametrize("failures", [0, 3])
async def test_long_work_keeps_its_lease(
    store: Store, access: Access, clock: StillClock, failures: int
) -> None:
    """It is renewed while the work goes on; a store in trouble meanwhile is asked again."""
    await add_text(store, access, "g", "a")
    held_until = []

    async def slow(store_: Store, held: Claim, jobs: Sequence[Job]) -> None:
        for _ in range(3):
            clock.advance(LEASE_S * 0.9)
            await asyncio.sleep(0.1)
            held_until.append(await store.write(queue.claim, "thief"))
        await pipeline.process(store_, held, jobs)

    flaky = Flaky(store, failures)
    assert await new_worker(flaky, slow).step()
    assert held_until == [None, None, None]
    assert flaky.failures == 0
    assert (await store.read(queue.state)).pending == 0


async def test_nothing_goes_on_after_a_step(store: Store, access: Access) -> None:
    """The one who renews ends with the work, however that ends."""

    async def bad(store_: Store, held: Claim, jobs: Sequence[Job]) -> None:
        raise StoreUnavailable("full")

    for process in (pipeline.process, bad):
        await add_text(store, access, "g", "a")
        before = asyncio.all_tasks()
        try:
            await new_worker(store, process).step()
        except StoreUnavailable:
            assert process is bad
        assert asyncio.all_tasks() == before


async def test_who_renews_ends_quietly_when_the_graph_is_gone(store: Store, access: Access) -> None:
    """The step finds out by itself when it writes."""
    await add_text(store, access, "g", "a")

    async def process(store_: Store, held: Claim, jobs: Sequence[Job]) -> None:
        await store.write(graphs.delete, access, "g")
        await asyncio.sleep(0.05)
        await pipeline.process(store_, held, jobs)

    assert await new_worker(store, process).step()


async def test_only_the_part_that_fails_is_tried_one_by_one(store: Store, access: Access) -> None:
    """The claims before it are done and stay so; those after it wait, so that order holds."""
    await add_text(store, access, "g", "a", "b", "c", "bad", "e")
    calls: list[list[str]] = []

    async def process(store_: Store, held: Claim, jobs: Sequence[Job]) -> None:
        calls.append([job.episode.content for job in jobs])
        if "bad" in calls[-1]:
            raise ValueError
        await pipeline.process(store_, held, jobs)

    worker = new_worker(store, process, together=2)
    while await worker.step():
        pass
    assert calls == [["a", "b"], ["c", "bad"], ["c"], ["bad"]]


async def test_what_reads_one_by_one_is_asked_once_per_try(
    store: Store, access: Access, clock: StillClock
) -> None:
    """A failure costs one call, not one in a group and another one alone."""
    await add_text(store, access, "g", "bad", "good")
    calls: list[str] = []

    async def process(store_: Store, held: Claim, jobs: Sequence[Job]) -> None:
        calls.extend(job.episode.content for job in jobs)
        if "bad" in [job.episode.content for job in jobs]:
            raise ValueError
        await pipeline.process(store_, held, jobs)

    worker = new_worker(store, process, together=1)
    for _ in range(3):
        await worker.step()
        clock.advance(60)
    assert calls == ["bad", "bad", "good"]


async def test_a_stop_between_parts_gives_the_rest_back(store: Store, access: Access) -> None:
    """What was not begun is free for another worker at once."""
    await add_text(store, access, "g", "a", "b", "c")

    async def process(store_: Store, held: Claim, jobs: Sequence[Job]) -> None:
        await pipeline.process(store_, held, jobs)
        worker.stop()

    worker = new_worker(store, process, together=2)
    assert await worker.step()
    held = await store.write(queue.claim, "other")
    assert held is not None
    assert [job.episode.content for job in held.jobs] == ["c"]
