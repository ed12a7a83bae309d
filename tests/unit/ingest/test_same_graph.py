"""The same log gives the same graph, however it is cut, by however many it is read, and when."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from recollect.extract.brief import Brief, Extracted
from recollect.ingest import pipeline, queue, rebuild
from recollect.ingest.rebuild import GraphState
from recollect.ingest.worker import Worker
from recollect.store.protocol import Store
from tests.contract.store.world import new_project
from tests.support import here
from tests.support.stores import copy_store, open_store
from tests.support.talk import DOCUMENTS, TURNS, talk

NOW = datetime(2024, 12, 1, tzinfo=UTC)
EPISODES = len(TURNS) + len(DOCUMENTS)

Run = Callable[[Path], Awaitable[None]]


class Together(here.HereExtractor):
    """The real extractor, which gets so many episodes at once."""

    def __init__(self, together: int) -> None:
        self.together = together
        self.predicates = here.extractor().predicates
        self.sizes: list[int] = []

    async def extract(self, readings: Sequence[Brief]) -> list[Extracted]:
        """Read, and give others a turn."""
        self.sizes.append(len(readings))
        await asyncio.sleep(0)
        return here.extractor().embedded.read(readings)


def opened(folder: Path) -> Store:
    """The store, at a moment that stands still."""
    return open_store(folder, readers=1, clock=lambda: NOW)


@pytest.fixture(scope="module")
def owed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that owes everything to the graphs of two users."""
    folder = tmp_path_factory.mktemp("owed")

    async def fill() -> None:
        store = opened(folder)
        access = await new_project(store, "p")
        await talk(store, access, "jane")
        await talk(store, access, "joan", "Joan")
        await store.close()

    asyncio.run(fill())
    return folder


@pytest.fixture(scope="module")
def expected(owed: Path, tmp_path_factory: pytest.TempPathFactory) -> list[GraphState]:
    """Both graphs, read by one worker in the usual way."""
    return asyncio.run(states(owed, tmp_path_factory.mktemp("usual") / "x", whole))


async def states(owed: Path, folder: Path, run: Run) -> list[GraphState]:
    """What both graphs are after *run* on a copy of the store."""
    copy_store(owed, folder)
    await run(folder)
    store = opened(folder)
    try:
        return await store.read(rebuild.states)
    finally:
        await store.close()


async def whole(folder: Path, together: int = 16, workers: int = 1) -> None:
    """Everything in one go."""
    store = opened(folder)
    using = Together(together)

    async def drain() -> None:
        process = partial(pipeline.process, extractor=using)
        worker = Worker(
            store,
            owner="w",
            attempts_max=1,
            backoff_first_s=1.0,
            process=process,
            together=together,
        )
        while await worker.step():
            pass

    await asyncio.gather(*(drain() for _ in range(workers)))
    assert sum(using.sizes) == 2 * EPISODES
    assert max(using.sizes) == together
    await store.close()


async def in_pieces(folder: Path) -> None:
    """Three episodes, then a restart; the rest of what was claimed is given back."""
    left = True
    while left:
        store = opened(folder)
        held = await store.write(queue.claim, "w")
        if held is not None:
            await pipeline.process(store, held, held.jobs[:3], extractor=Together(16))
            await store.write(queue.release, held)
        left = held is not None
        await store.close()


async def twice(folder: Path) -> None:
    """Everything, then all again from the log."""
    await whole(folder)
    store = opened(folder)
    for state in await store.read(rebuild.states):
        await here.fold(store, state.id)
    await store.close()


def test_the_graph_is_worth_comparing(expected: list[GraphState]) -> None:
    """Enough was learned, and both users are told apart."""
    jane, joan = expected
    assert jane.facts > 20
    assert jane.unread == joan.unread == 0
    assert jane.digest != joan.digest


@pytest.mark.parametrize(
    "run",
    [
        pytest.param(partial(whole, together=1), id="one by one"),
        pytest.param(partial(whole, together=3), id="three at once"),
        pytest.param(partial(whole, workers=2), id="two workers"),
        pytest.param(in_pieces, id="with restarts"),
        pytest.param(twice, id="rebuilt"),
    ],
)
async def test_it_comes_out_the_same(
    owed: Path, expected: list[GraphState], tmp_path: Path, run: Run
) -> None:
    """Uuids, times and provenance included."""
    assert await states(owed, tmp_path / "x", run) == expected
