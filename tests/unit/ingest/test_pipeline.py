"""The path of many episodes at once: one that is bad holds up nobody for good, none is read twice."""

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from recollect.extract.brief import Brief, Extracted
from recollect.graph.found import Found, FoundEntity
from recollect.graph.types import Access, NewEpisode
from recollect.ingest import intake, pipeline, queue
from recollect.ingest.worker import Worker
from recollect.records import episodes
from recollect.store.protocol import Store
from tests.contract.store.test_learning import AT, Told, facts, says
from tests.contract.store.world import (
    StillClock,
    findable,
    message,
    new_project,
    new_thread,
    new_user,
)
from tests.support import here
from tests.support.stores import open_store

TRIES = 2
WORDS = [f"w{number}" for number in range(20)]
SAID = {
    word: says("LIKES", FoundEntity(name=word, kind="topic"), f"Jane Smith likes {word}", number)
    for number, word in enumerate(WORDS)
}


class Stumbling(Told):
    """Fails on some texts, in whatever company they come."""

    def __init__(self, said: dict[str, Found], bad: set[str], together: int = 16) -> None:
        super().__init__(said, together)
        self.bad = bad
        self.given: list[list[str]] = []

    async def extract(self, readings: Sequence[Brief]) -> list[Extracted]:
        """What was told of each text, or trouble."""
        self.given.append([reading.content for reading in readings])
        if self.bad & set(self.given[-1]):
            raise ValueError("unreadable")
        return await super().extract(readings)


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
    """A key to a project with a user who has a thread."""
    access = await new_project(store, "p")
    await new_user(store, access, "jane", first_name="Jane", last_name="Smith")
    await new_thread(store, access, "t", "jane")
    return access


async def say(store: Store, access: Access, *contents: str, ignored: bool = False) -> list[str]:
    """Messages; says their uuids."""
    sent = [message(content, ignored=ignored) for content in contents]
    return (await store.write(intake.add_messages, access, "t", sent)).uuids


async def work(store: Store, clock: StillClock, using: Told | None) -> None:
    """A worker until nothing is left to do."""
    worker = Worker(
        store,
        owner="w",
        attempts_max=TRIES,
        backoff_first_s=1.0,
        process=partial(pipeline.process, extractor=using),
        together=using.together if using else 16,
    )
    for _ in range(2 * len(WORDS)):
        if not await worker.step():
            return
        clock.advance(60)
    raise AssertionError("it never ends")


@pytest.mark.parametrize("together", [1, 3, 16])
async def test_only_the_bad_one_is_parked(
    store: Store, access: Access, clock: StillClock, together: int
) -> None:
    """The others are learned, each once and in order; the graph waits for it no longer."""
    for start in range(0, 20, 10):
        await say(store, access, *WORDS[start : start + 10])
    told = Stumbling(SAID, {"w5"}, together)
    await work(store, clock, told)
    (parked,) = await store.read(queue.parked, access, 10)
    assert parked.error.startswith("ValueError")  # what it says may quote somebody
    learned = await store.read(facts, 1)
    assert sorted(fact.target_name for fact in learned) == sorted(set(WORDS) - {"w5"})
    assert all(len(fact.episodes) == 1 for fact in learned)
    assert told.read == [word for word in WORDS if word != "w5"]
    asked = Counter(word for given in told.given for word in given)
    assert asked["w5"] == (TRIES if together == 1 else TRIES * 2)
    # Mended and retried, it is learned, too, once the graph is folded again from its place.
    told.bad = set()
    await store.write(queue.retry, access, parked.episode_uuid)
    await work(store, clock, told)
    assert len(await store.read(facts, 1)) == len(WORDS) - 1
    await here.settle(store, 1)
    assert len(await store.read(facts, 1)) == len(WORDS)


async def test_ignored_deleted_and_finished_ones_are_not_read(
    store: Store, access: Access, clock: StillClock
) -> None:
    """Only what is still owed is given to the extractor."""
    await say(store, access, "w0", ignored=True)
    deleted, _, _ = await say(store, access, "w1", "w2", "w3")
    held = await store.write(queue.claim, "me")
    assert held is not None
    told = Told(SAID)
    await pipeline.process(store, held, held.jobs[1:2], extractor=told)
    await store.write(episodes.delete, access, deleted)
    await pipeline.process(store, held, held.jobs, extractor=told)
    assert told.read == ["w2", "w3"]
    assert {fact.target_name for fact in await store.read(facts, 1)} == {"w2", "w3"}


async def test_an_episode_sent_twice_is_two_episodes_and_one_fact(
    store: Store, access: Access, clock: StillClock
) -> None:
    """In one group as in two."""
    await say(store, access, "w1", "w1")
    await say(store, access, "w1")
    await work(store, clock, Told(SAID))
    (fact,) = await store.read(facts, 1)
    assert len(fact.episodes) == 3


async def test_without_an_extractor_episodes_are_found_and_nothing_is_learned(
    store: Store, access: Access, clock: StillClock
) -> None:
    """What a caller wrote down as knowledge is done with, but not found."""
    uuids = await say(store, access, "w1", "w2")
    direct = NewEpisode(kind="nodes", content='{"nodes": []}', created_at=AT)
    await store.write(intake.add_direct, access, 1, [direct])
    await work(store, clock, None)
    assert await store.read(findable, 1, "episode") == set(uuids)
    assert await store.read(facts, 1) == []
    assert (await store.read(queue.state)).pending == 0


async def test_what_a_reading_is_given(store: Store, access: Access, clock: StillClock) -> None:
    """What was said before in the thread, ignored roles included, and never what came after."""
    await say(store, access, "w0", ignored=True)
    await say(store, access, *WORDS[1:10])
    seen: list[Brief] = []

    class Watching(Told):
        async def extract(self, readings: Sequence[Brief]) -> list[Extracted]:
            seen.extend(readings)
            return await super().extract(readings)

    await work(store, clock, Watching(SAID))
    assert [reading.content for reading in seen] == WORDS[1:10]
    for number, reading in enumerate(seen, start=1):
        said = [turn.content for turn in reading.before]
        assert said == WORDS[max(0, number - 6) : number]
        assert reading.user is not None
        assert reading.user.name == "Jane Smith"
        assert reading.known == ()
