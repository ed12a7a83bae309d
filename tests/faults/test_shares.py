"""One project's flood delays another one's message by one claim in progress per worker, no more."""

import asyncio
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from recollect.errors import InvalidInput, NotFound, Unavailable
from recollect.graph.types import Access, Job
from recollect.ingest import intake, pipeline, queue, shares
from recollect.ingest.queue import Claim
from recollect.ingest.session_listeners import Listeners
from recollect.ingest.worker import Worker
from recollect.limits import EPISODE_CHARS_MAX, JOBS_PER_COMMIT_MAX, LOG_LISTENERS_KEPT
from recollect.records import graphs
from recollect.store.protocol import Store, Transaction
from tests.contract.store.world import StillClock, add_text, new_graph, new_project, text

WORKERS = 2
CALL = 20


def flood(tx: Transaction, access: Access, graphs_count: int, messages: int) -> None:
    """So many graphs with so many messages each."""
    for n in range(graphs_count):
        graphs.create(tx, access, f"g{n}", graphs.GraphDetails())
        for first in range(0, messages, CALL):
            some = [text(f"flood {m}") for m in range(first, min(first + CALL, messages))]
            intake.add_episodes(tx, access, None, f"g{n}", some)


class Line:
    """Notes which claims are begun, and lets each take a moment."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.is_busy, self.single_done = asyncio.Event(), asyncio.Event()

    async def __call__(self, store: Store, held: Claim, jobs: Sequence[Job]) -> None:
        self.begun.append(jobs[0].episode.content)
        if len(self.begun) == 20:
            self.is_busy.set()
        await asyncio.sleep(0.005)
        await pipeline.process(store, held, jobs)
        if jobs[0].episode.content == "hello":
            self.single_done.set()


@pytest.mark.parametrize(
    ("graphs_count", "messages"),
    [(1, 2_500), (2_000, 1)],
    ids=["one graph of 2,500", "2,000 graphs of one"],
)
async def test_a_flood_delays_others_by_one_claim_per_worker(
    store: Store, access: Access, graphs_count: int, messages: int
) -> None:
    """However deep the backlog is when the single message comes."""
    other = await new_project(store, "other")
    await new_graph(store, other, "mine")
    await store.write(flood, access, graphs_count, messages)
    line = Line()
    workers = [
        Worker(store, owner="w", attempts_max=5, backoff_first_s=1.0, process=line)
        for _ in range(WORKERS)
    ]
    running = [asyncio.ensure_future(worker.run()) for worker in workers]
    await asyncio.wait_for(line.is_busy.wait(), 30)
    await add_text(store, other, "mine", "hello")
    came = len(line.begun)
    await asyncio.wait_for(line.single_done.wait(), 30)
    for worker in workers:
        worker.stop()
    await asyncio.gather(*running)
    between = line.begun.index("hello") - came
    print(f"claims begun between the message's arrival and its own: {between}")
    assert between <= WORKERS


async def test_a_claim_is_no_more_text_than_one_episode_may_have(
    store: Store, access: Access
) -> None:
    """So a claim in progress is never longer than the longest single job."""
    await new_graph(store, access, "g")
    for _ in range(4):
        await add_text(store, access, "g", "x" * 6_000)
    await add_text(store, access, "g", *["short"] * CALL)
    sizes = []
    while (held := await store.write(queue.claim, "me")) is not None:
        sizes.append([len(job.episode.content) for job in held.jobs])
        await pipeline.process(store, held, held.jobs)
        await store.write(queue.release, held)
    assert sizes[:3] == [[6_000], [6_000], [6_000]]
    assert all(sum(one) <= EPISODE_CHARS_MAX for one in sizes)
    assert max(map(len, sizes)) == JOBS_PER_COMMIT_MAX
    assert sum(map(len, sizes)) == 4 + CALL


async def served(store: Store, claims: int) -> dict[str, int]:
    """Work off some claims; how many each graph had of them."""
    found: dict[str, int] = {}
    for _ in range(claims):
        held = await store.write(queue.claim, "me", 1)
        assert held is not None
        of = held.jobs[0].episode.content
        found[of] = found.get(of, 0) + 1
        await pipeline.process(store, held, held.jobs)
        await store.write(queue.release, held)
    return found


async def test_projects_share_by_their_weights(store: Store, access: Access) -> None:
    """Three to one, when the operator says so; alike before."""
    other = await new_project(store, "other")
    for of, content in ((access, "a" * 100), (other, "b" * 100)):
        await new_graph(store, of, "g")
        for _ in range(6):
            await add_text(store, of, "g", *[content] * CALL)
    assert set((await served(store, 40)).values()) == {20}
    await store.write(shares.weigh, "other", 3.0)
    shared = await served(store, 80)
    assert shared == {"a" * 100: 20, "b" * 100: 60}


async def test_nobody_saves_up_turns_by_being_idle(store: Store, access: Access) -> None:
    """A project that comes late is served at once, and then in turns."""
    await new_graph(store, access, "g")
    for _ in range(5):
        await add_text(store, access, "g", *["early"] * CALL)
    await served(store, 50)
    late = await new_project(store, "late")
    await new_graph(store, late, "g")
    await add_text(store, late, "g", *["later"] * CALL)
    assert (await served(store, 20)) == {"early": 10, "later": 10}


async def test_a_weight_that_cannot_be_is_refused(store: Store, access: Access) -> None:
    """With what it may be; a project that is not there is named."""
    for wrong in (0.0, -1.0, 1e9, float("nan")):
        with pytest.raises(InvalidInput, match=r"weight: must be from 0\.01 to 100"):
            await store.write(shares.weigh, "p", wrong)
    with pytest.raises(NotFound, match="nobody"):
        await store.write(shares.weigh, "nobody", 2.0)
    assert await store.read(shares.weight, access.project_id) == 1.0


@pytest.mark.parametrize("others", [0, 500])
async def test_a_claim_costs_the_same_however_many_wait(
    store: Store, access: Access, clock: StillClock, tmp_path: Path, others: int
) -> None:
    """It hops from project to project; each claim stays far below a hundredth of a second."""
    await store.write(flood, access, 1 + others, 1)
    began = asyncio.get_running_loop().time()
    await served(store, 1 + others)
    seconds = (asyncio.get_running_loop().time() - began) / (1 + others)
    print(f"{seconds * 1000:.1f} ms per job with {others} graphs waiting")
    assert seconds < 0.5


def test_one_project_does_not_take_all_places_of_listeners() -> None:
    """The last of them are for whoever has few; who leaves makes room."""
    listeners = Listeners()
    with ExitStack() as held:
        while True:
            try:
                listeners.check_room(1)
            except Unavailable:
                break
            held.enter_context(listeners.listening(1, 7))
        for _ in range(LOG_LISTENERS_KEPT):
            listeners.check_room(2)
            held.enter_context(listeners.listening(2, 8))
        with pytest.raises(Unavailable):
            listeners.check_room(3)
    listeners.check_room(1)
