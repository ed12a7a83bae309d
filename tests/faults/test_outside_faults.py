"""What fails outside of a message is not held against it: it waits, and goes on by itself."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest

from recollect.errors import ModelUnavailable, ReaderLost, RecollectError, StoreUnavailable
from recollect.graph.types import Access, Job
from recollect.ingest import pipeline, queue, rebuild
from recollect.ingest.folder import Folder
from recollect.ingest.queue import Claim
from recollect.ingest.worker import Worker
from recollect.limits import JOB_BACKOFF_MAX_S, LEASE_S, OUTSIDE_PAUSE_MAX_S
from recollect.store.protocol import Store
from tests.contract.store.world import StillClock, add_text, findable, new_graph
from tests.support.three_words import ThreeWords

TRIES = 5
LONG_S = JOB_BACKOFF_MAX_S


class Environment:
    """Reads what it is given, unless it is broken; some words break the reader by themselves."""

    def __init__(self) -> None:
        self.broken: Exception | None = None
        self.bad: dict[str, Exception] = {}
        self._extractor = ThreeWords()

    async def process(self, store: Store, held: Claim, jobs: Sequence[Job]) -> None:
        """As a worker has it done."""
        await self.check()
        for job in jobs:
            if job.episode.content in self.bad:
                raise self.bad[job.episode.content]
        await pipeline.process(store, held, jobs, extractor=self._extractor)

    async def check(self) -> None:
        """Something harmless."""
        if self.broken is not None:
            raise self.broken

    def worker(self, store: Store) -> Worker:
        """One that works here."""
        return Worker(
            store,
            owner="w",
            attempts_max=TRIES,
            backoff_first_s=1.0,
            process=self.process,
            check=self.check,
        )


@pytest.fixture
def environment() -> Environment:
    """All in order."""
    return Environment()


async def steps(worker: Worker, clock: StillClock, count: int) -> None:
    """Let a worker try so often, each time after the longest pause."""
    for _ in range(count):
        with suppress(StoreUnavailable):
            await worker.step()
        clock.advance(LONG_S)


@pytest.mark.parametrize(
    "broken",
    [ModelUnavailable("the parser is not installed"), ReaderLost(), OSError("too many files")],
    ids=["missing weights", "a reader that dies of anything", "something unforeseen"],
)
async def test_what_is_wrong_with_everything_parks_nothing(
    store: Store,
    access: Access,
    clock: StillClock,
    environment: Environment,
    broken: Exception,
) -> None:
    """Fifty tries in hours; when it is mended, everything is done in order as if nothing had been."""
    graph = await new_graph(store, access, "g")
    receipt = await add_text(store, access, "g", "ann likes tea", "ann likes jam")
    environment.broken = broken
    worker = environment.worker(store)
    await steps(worker, clock, 50)
    state = await store.read(queue.state)
    assert (state.pending, state.parked) == (2, 0)
    assert worker.trouble is not None
    (told,) = await store.read(queue.hindrances, 10)
    says = str(broken) if isinstance(broken, RecollectError) else "OSError"  # it may quote a path
    assert (told.graphs, says in told.reason) == (1, True)
    environment.broken = None
    await steps(worker, clock, 2)
    assert worker.trouble is None or (await store.read(queue.state)).pending == 0
    task = await store.read(queue.task, access, receipt.task_uuid or "")
    assert (task.status, task.error) == ("succeeded", None)
    assert await store.read(queue.hindrances, 10) == []
    assert len(await store.read(findable, graph.id, "fact")) == 2


async def test_a_part_that_is_missing_is_waited_for(
    store: Store, access: Access, clock: StillClock, environment: Environment
) -> None:
    """Where something harmless can be read and yet a model is missing; for half a minute at most."""
    await new_graph(store, access, "g")
    await add_text(store, access, "g", "x")
    environment.bad["x"] = ModelUnavailable("the embedder is not installed")
    worker = environment.worker(store)
    await steps(worker, clock, 20)
    assert (await store.read(queue.state)).parked == 0
    await worker.step()
    environment.bad.clear()
    clock.advance(OUTSIDE_PAUSE_MAX_S)
    await worker.step()
    assert (await store.read(queue.state)).pending == 0


@pytest.mark.parametrize("error", [ValueError("odd"), ReaderLost()])
async def test_only_what_fails_while_others_are_read_is_parked(
    store: Store, access: Access, clock: StillClock, environment: Environment, error: Exception
) -> None:
    """After its tries; the next ones pass, and it is found by its words."""
    graph = await new_graph(store, access, "g")
    said = (await add_text(store, access, "g", "bad", "ann likes tea")).episodes
    environment.bad["bad"] = error
    await steps(environment.worker(store), clock, TRIES + 1)
    (parked,) = await store.read(queue.parked, access, 10)
    assert (parked.episode_uuid, parked.attempts) == (said[0].uuid, TRIES)
    assert await store.read(findable, graph.id, "episode") == {one.uuid for one in said}


async def test_a_retried_episode_is_learned_as_of_its_place(
    store: Store, access: Access, clock: StillClock, environment: Environment
) -> None:
    """Where Ann lives is what she said last, not what was read last; and a rebuild says the same."""
    graph = await new_graph(store, access, "g")
    (late,) = (await add_text(store, access, "g", "ann lives_in rome")).episodes
    clock.advance(60)
    await add_text(store, access, "g", "ann lives_in oslo")
    environment.bad["ann lives_in rome"] = ValueError("odd")
    worker = environment.worker(store)
    await steps(worker, clock, TRIES + 1)
    environment.bad.clear()
    await store.write(queue.retry, access, late.uuid)
    await steps(worker, clock, 2)
    folder = Folder(store, ThreeWords.predicates)
    await folder.fold(graph.id)
    assert await _open_facts(store, graph.id) == ["Ann lives in Oslo"]
    assert (await store.read(queue.state)).parked == 0
    before, after = await _digests(store, folder, graph.id)
    assert before == after


async def test_a_full_disk_is_no_death(
    store: Store, access: Access, clock: StillClock, environment: Environment
) -> None:
    """However long nothing can be given back, nobody takes the job for one that kills."""
    await new_graph(store, access, "g")
    await add_text(store, access, "g", "x")
    full = _Full(store)
    environment.bad["x"] = StoreUnavailable("the disk is full")
    worker = environment.worker(full)  # type: ignore[arg-type]
    for _ in range(3 * TRIES):
        with suppress(StoreUnavailable):
            await worker.step()
        clock.advance(2 * LEASE_S)
    full.is_full = False
    environment.bad.clear()
    await steps(worker, clock, 2)
    state = await store.read(queue.state)
    assert (state.pending, state.parked) == (0, 0)


class _Full:
    """The real store; nothing can be given back while the disk is full."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.read, self.glance = store.read, store.glance
        self.is_full = True

    async def write(self, unit: object, *args: object, **more: object) -> object:
        """One unit of work."""
        if unit is queue.release and self.is_full:
            raise StoreUnavailable("the disk is full")
        return await self._store.write(unit, *args, **more)  # type: ignore[arg-type]


async def _open_facts(store: Store, graph_id: int) -> list[str]:
    def look(tx: Any) -> list[str]:
        sql = "SELECT fact FROM facts WHERE graph_id = ? AND invalid_at IS NULL ORDER BY id"
        return [row[0] for row in tx._connection.execute(sql, (graph_id,))]

    return await store.read(look)


async def _digests(store: Store, folder: Folder, graph_id: int) -> tuple[str, str]:
    """What was derived of a graph, before and after it is rebuilt."""
    before = await store.read(rebuild.digest, graph_id)
    await store.write(rebuild.again, graph_id)
    await folder.fold(graph_id)
    return before, await store.read(rebuild.digest, graph_id)
