"""A worker finishes what it holds, falls back to one by one, and outlives what goes wrong."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import pytest

from recollect.errors import LeaseLost, StoreUnavailable
from recollect.graph.types import Access, Job
from recollect.ingest import pipeline, queue
from recollect.ingest.queue import Claim
from recollect.ingest.worker import Process, Worker
from recollect.limits import LEASE_S
from recollect.records import episodes, graphs
from recollect.store.protocol import Store
from tests.contract.store.world import (
    StillClock,
    add_text,
    findable,
    new_graph,
    new_project,
)
from tests.support.stores import open_store

TRIES = 2


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


def new_worker(store: Store, process: Process = pipeline.process) -> Worker:
    """A worker that parks after two tries."""
    return Worker(store, owner="w", attempts_max=TRIES, backoff_first_s=1.0, process=process)


class Recording:
    """A process that notes each call, and fails where it is told to."""

    def __init__(self, fails: Callable[[Sequence[str]], bool] = lambda contents: False) -> None:
        self.calls: list[list[str]] = []
        self._fails = fails

    async def __call__(self, store: Store, held: Claim, jobs: Sequence[Job]) -> None:
        contents = [job.episode.content for job in jobs]
        self.calls.append(contents)
        if self._fails(contents):
            raise ValueError("a bad episode: with its own words")
        await pipeline.process(store, held, jobs)


async def test_a_step_without_work_says_so(store: Store) -> None:
    """False means that there was nothing to claim."""
    assert not await new_worker(store).step()


async def test_jobs_of_a_claim_are_processed_together(store: Store, access: Access) -> None:
    """One call, one transaction for all of them, and the graph leaves the queue."""
    await add_text(store, access, "g", "a", "b", "c")
    process = Recording()
    worker = new_worker(store, process)
    assert await worker.step()
    assert process.calls == [["a", "b", "c"]]
    state = await store.read(queue.state)
    assert (state.pending, state.graphs) == (0, 0)
    assert not await worker.step()


async def test_a_group_that_fails_is_tried_one_by_one(store: Store, access: Access) -> None:
    """What stands before the bad one is done; what stands after it waits, so that order holds."""
    graph = await store.read(graphs.get, access, "g")
    sent = (await add_text(store, access, "g", "a", "bad", "c")).episodes
    process = Recording(lambda contents: "bad" in contents)
    await new_worker(store, process).step()
    assert process.calls == [["a", "bad", "c"], ["a"], ["bad"]]
    assert await store.read(findable, graph.id) == {sent[0].uuid}
    state = await store.read(queue.state)
    assert (state.pending, state.parked) == (2, 0)


async def test_a_single_job_is_tried_once_per_claim(store: Store, access: Access) -> None:
    """Failing alone counts as one try, not as a group's and then its own."""
    await add_text(store, access, "g", "bad")
    process = Recording(lambda contents: True)
    await new_worker(store, process).step()
    assert process.calls == [["bad"]]


async def test_a_group_failure_costs_no_try(
    store: Store, access: Access, clock: StillClock
) -> None:
    """A group that fails only as a group leaves every job succeeded and no error behind."""
    receipt = await add_text(store, access, "g", "a", "b")
    process = Recording(lambda contents: len(contents) > 1)
    await new_worker(store, process).step()
    assert process.calls == [["a", "b"], ["a"], ["b"]]
    task = await store.read(queue.task, access, receipt.task_uuid)
    assert (task.status, task.error) == ("succeeded", None)


async def test_a_bad_job_is_parked_and_the_next_one_passes(
    store: Store, access: Access, clock: StillClock
) -> None:
    """After its tries it is set aside with its error; what came later is done. Both can be found."""
    graph = await store.read(graphs.get, access, "g")
    sent = (await add_text(store, access, "g", "bad", "good")).episodes
    worker = new_worker(store, Recording(lambda contents: "bad" in contents))
    for _ in range(TRIES):
        assert await worker.step()
        clock.advance(60)
    assert await worker.step()
    assert await store.read(findable, graph.id) == {sent[0].uuid, sent[1].uuid}
    (parked,) = await store.read(queue.parked, access, 10)
    assert (parked.episode_uuid, parked.attempts) == (sent[0].uuid, TRIES)
    assert parked.error.startswith("ValueError (test_worker.py:"), "it quotes nothing"


async def test_a_lost_lease_ends_the_step_quietly(
    store: Store, access: Access, clock: StillClock
) -> None:
    """A worker that was too slow does nothing more; the other one's work stands."""
    graph = await store.read(graphs.get, access, "g")
    await add_text(store, access, "g", "a", "b")

    async def slow(store_: Store, held: Claim, jobs: Sequence[Job]) -> None:
        clock.advance(LEASE_S + 1)
        while await new_worker(store).step():
            pass
        await pipeline.process(store_, held, jobs)

    assert await new_worker(store, slow).step()
    assert len(await store.read(findable, graph.id)) == 2
    assert (await store.read(queue.state)).parked == 0


async def test_a_graph_deleted_under_way_ends_the_step_quietly(
    store: Store, access: Access
) -> None:
    """No trace, no error, and the worker goes on."""
    await add_text(store, access, "g", "a", "b")

    async def process(store_: Store, held: Claim, jobs: Sequence[Job]) -> None:
        await store_.write(graphs.delete, access, "g")
        await pipeline.process(store_, held, jobs)

    worker = new_worker(store, process)
    assert await worker.step()
    assert not await worker.step()


async def test_an_episode_deleted_before_its_failure_is_noted_does_not_stop_the_rest(
    store: Store, access: Access
) -> None:
    """Its failure is nobody's any more; the next step does what is left."""
    graph = await store.read(graphs.get, access, "g")
    sent = (await add_text(store, access, "g", "bad", "good")).episodes
    deleted = False

    async def process(store_: Store, held: Claim, jobs: Sequence[Job]) -> None:
        nonlocal deleted
        if not deleted and len(jobs) == 1:
            await store_.write(episodes.delete, access, sent[0].uuid)
            deleted = True
        if any(job.episode.content == "bad" for job in jobs):
            raise ValueError
        await pipeline.process(store_, held, jobs)

    worker = new_worker(store, process)
    while await worker.step():
        pass
    assert await store.read(findable, graph.id) == {sent[1].uuid}


@pytest.mark.parametrize("error", [StoreUnavailable("gone"), LeaseLost()])
async def test_trouble_of_the_store_is_not_a_jobs_failure(
    store: Store, access: Access, clock: StillClock, error: Exception
) -> None:
    """No try is counted, however often; the job is done later as if nothing had been."""
    receipt = await add_text(store, access, "g", "a")

    async def process(store_: Store, held: Claim, jobs: Sequence[Job]) -> None:
        raise error

    for _ in range(4 if isinstance(error, StoreUnavailable) else 1):
        try:
            await new_worker(store, process).step()
        except StoreUnavailable:
            assert isinstance(error, StoreUnavailable)
    if isinstance(error, LeaseLost):
        clock.advance(LEASE_S)
    held = await store.write(queue.claim, "w")
    assert held is not None
    assert held.jobs[0].attempts == 0
    assert (await store.read(queue.task, access, receipt.task_uuid)).error is None


async def test_a_stop_finishes_what_is_under_way(store: Store, access: Access) -> None:
    """The claimed jobs are done and the graph is given back before the worker ends."""
    graph = await store.read(graphs.get, access, "g")
    await add_text(store, access, "g", "a", "b")
    started, go_on = asyncio.Event(), asyncio.Event()

    async def process(store_: Store, held: Claim, jobs: Sequence[Job]) -> None:
        started.set()
        await go_on.wait()
        await pipeline.process(store_, held, jobs)

    worker = new_worker(store, process)
    running = asyncio.ensure_future(worker.run())
    await asyncio.wait_for(started.wait(), 5)
    worker.stop()
    await asyncio.sleep(0.01)
    assert not running.done()
    go_on.set()
    await asyncio.wait_for(running, 5)
    assert len(await store.read(findable, graph.id)) == 2
    assert (await store.read(queue.state)).graphs == 0


async def test_a_stop_between_single_jobs_gives_the_rest_back(store: Store, access: Access) -> None:
    """Jobs that were not begun are free for another worker at once, in order."""
    await add_text(store, access, "g", "a", "b", "c")
    seen: list[str] = []

    async def process(store_: Store, held: Claim, jobs: Sequence[Job]) -> None:
        if len(jobs) > 1:
            raise ValueError
        seen.append(jobs[0].episode.content)
        worker.stop()
        await pipeline.process(store_, held, jobs)

    worker = new_worker(store, process)
    await asyncio.wait_for(worker.run(), 5)
    assert seen == ["a"]
    held = await store.write(queue.claim, "other")
    assert held is not None
    assert [job.episode.content for job in held.jobs] == ["b", "c"]


async def test_a_worker_that_is_woken_works_at_once(store: Store, access: Access) -> None:
    """New episodes do not wait for the next look into the queue."""
    done = asyncio.Event()

    async def process(store_: Store, held: Claim, jobs: Sequence[Job]) -> None:
        await pipeline.process(store_, held, jobs)
        done.set()

    worker = new_worker(store, process)
    running = asyncio.ensure_future(worker.run())
    await asyncio.sleep(0.05)
    await add_text(store, access, "g", "a")
    worker.wake()
    await asyncio.wait_for(done.wait(), 0.9)
    worker.stop()
    await asyncio.wait_for(running, 5)


async def test_a_stopped_worker_that_sleeps_ends_at_once(store: Store) -> None:
    """Stopping wakes it."""
    worker = new_worker(store)
    running = asyncio.ensure_future(worker.run())
    await asyncio.sleep(0.02)
    worker.stop()
    await asyncio.wait_for(running, 0.5)


async def test_two_workers_share_graphs_but_never_one_graph(store: Store, access: Access) -> None:
    """Every job is done once, in order within its graph."""
    for n in range(4):
        await new_graph(store, access, f"g{n}")
        for m in range(3):
            await add_text(store, access, f"g{n}", f"{n}-{m}a", f"{n}-{m}b")
    order: dict[int, list[str]] = {}
    inside: set[int] = set()

    async def process(store_: Store, held: Claim, jobs: Sequence[Job]) -> None:
        assert held.graph_id not in inside
        inside.add(held.graph_id)
        await asyncio.sleep(0.001)
        await pipeline.process(store_, held, jobs)
        order.setdefault(held.graph_id, []).extend(job.episode.content for job in jobs)
        inside.discard(held.graph_id)

    workers = [new_worker(store, process) for _ in range(3)]

    async def drain(worker: Worker) -> None:
        while await worker.step():
            pass

    await asyncio.gather(*(drain(worker) for worker in workers))
    assert sorted(order.values()) == [
        [f"{n}-{m}{half}" for m in range(3) for half in "ab"] for n in range(4)
    ]


async def test_a_worker_outlives_a_store_in_trouble(store: Store, access: Access) -> None:
    """It waits and tries again; whatever the error was, one bad moment is not its end."""
    await add_text(store, access, "g", "a")
    troubles = [StoreUnavailable("full"), RuntimeError("unforeseen")]

    class Troubled:
        """The real store, after some failures."""

        async def write(self, *args: object) -> object:
            if troubles:
                raise troubles.pop()
            return await store.write(*args)  # type: ignore[arg-type]

    worker = new_worker(Troubled())  # type: ignore[arg-type]
    running = asyncio.ensure_future(worker.run())
    for _ in range(200):
        worker.wake()
        await asyncio.sleep(0.005)
        if (await store.read(queue.state)).pending == 0:
            break
    assert not running.done()
    worker.stop()
    await asyncio.wait_for(running, 5)
    assert (await store.read(queue.state)).pending == 0


async def test_a_lease_that_cannot_be_given_back_hides_no_trouble(
    store: Store, access: Access, clock: StillClock
) -> None:
    """The first error is the one that is told; the lease then runs out by itself."""
    await add_text(store, access, "g", "a")
    broken = False

    class Breaking:
        """The real store, until it breaks."""

        async def write(self, *args: object) -> object:
            if broken:
                raise OSError("all broken")
            return await store.write(*args)  # type: ignore[arg-type]

    async def process(store_: Store, held: Claim, jobs: Sequence[Job]) -> None:
        nonlocal broken
        broken = True
        raise StoreUnavailable("full")

    with pytest.raises(StoreUnavailable, match="full"):
        await new_worker(Breaking(), process).step()  # type: ignore[arg-type]
    assert await store.write(queue.claim, "w") is None
    clock.advance(LEASE_S)
    assert await store.write(queue.claim, "w") is not None


async def test_a_worker_that_is_cancelled_gives_the_graph_back(
    store: Store, access: Access
) -> None:
    """A stop that could not wait for a job is no death: the next worker may begin at once."""
    await add_text(store, access, "g", "a", "b")
    started = asyncio.Event()

    async def process(store_: Store, held: Claim, jobs: Sequence[Job]) -> None:
        started.set()
        await asyncio.Event().wait()

    step = asyncio.ensure_future(new_worker(store, process).step())
    await asyncio.wait_for(started.wait(), 5)
    step.cancel()
    with pytest.raises(asyncio.CancelledError):
        await step
    held = await store.write(queue.claim, "other")
    assert held is not None
    assert [job.episode.content for job in held.jobs] == ["a", "b"]


async def test_a_backlog_is_worked_off_without_pauses(
    store: Store, access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a worker that was idle waits for what arrives together."""
    monkeypatch.setattr("recollect.ingest.worker._GATHER_S", 30.0)
    for n in range(5):
        await new_graph(store, access, f"g{n}")
        await add_text(store, access, f"g{n}", "a")
    done = asyncio.Event()
    calls = []

    async def process(store_: Store, held: Claim, jobs: Sequence[Job]) -> None:
        await pipeline.process(store_, held, jobs)
        calls.append(held.graph_id)
        if len(calls) == 5:
            done.set()
            worker.stop()

    worker = new_worker(store, process)
    running = asyncio.ensure_future(worker.run())
    await asyncio.wait_for(done.wait(), 5)
    await asyncio.wait_for(running, 5)


async def test_what_arrives_together_is_claimed_together(
    store: Store, access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that was idle gives others a moment to arrive."""
    monkeypatch.setattr("recollect.ingest.worker._GATHER_S", 0.5)
    process = Recording()
    worker = new_worker(store, process)
    running = asyncio.ensure_future(worker.run())
    await asyncio.sleep(0.05)
    for word in ("a", "b", "c"):
        await add_text(store, access, "g", word)
        worker.wake()
    for _ in range(100):
        await asyncio.sleep(0.02)
        if process.calls:
            break
    worker.stop()
    await asyncio.wait_for(running, 5)
    assert process.calls == [["a", "b", "c"]]


async def test_search_terms_are_made_off_the_loop(
    store: Store, access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long episode holds up no request."""
    await add_text(store, access, "g", "a", "b")
    threads: list[int] = []

    def watched(text: str) -> list[str]:
        threads.append(threading.get_ident())
        return [text]

    monkeypatch.setattr("recollect.store.index.terms", watched)
    await new_worker(store).step()
    assert len(threads) == 2
    assert threading.get_ident() not in threads
