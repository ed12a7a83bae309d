"""First readings without the model's answer, and the second ones that make up for it."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recollect.derive import readings
from recollect.extract.llm import ModelExtractor
from recollect.graph import predicates
from recollect.graph.types import Access, Episode
from recollect.ingest import extractors, rereadings
from recollect.ingest.extractors import AgentExtractor, LanguageModelExtractor
from recollect.ingest.folder import Folder
from recollect.ingest.rereader import Rereader
from recollect.limits import OUTAGE_PAUSE_MAX_S, READING_WAIT_S_MAX
from recollect.models.language_model import LanguageModel
from recollect.records import episodes
from recollect.search.finder import Finder
from recollect.search.segments import Segments
from recollect.settings import Settings
from recollect.store.protocol import Store
from tests.contract.store.world import StillClock, add_text, new_graph, new_project
from tests.support import here
from tests.support.scripted_model import Request, ScriptedModel, Step, alone, answers, fails
from tests.support.second_readings import HereEmbedded, kept, likes, waiting, want
from tests.support.stores import open_store


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    alone(monkeypatch)
    monkeypatch.setattr(extractors, "EmbeddedExtractor", HereEmbedded)


@pytest.fixture
def clock() -> StillClock:
    """Time, in the test's hand."""
    return StillClock()


@pytest.fixture
async def store(tmp_path: Path, clock: StillClock) -> AsyncIterator[Store]:
    """A store with an empty graph."""
    opened = open_store(tmp_path, clock=clock)
    yield opened
    await opened.close()


@pytest.fixture
async def access(store: Store) -> Access:
    """A key to a project with two graphs."""
    made = await new_project(store, "p")
    for name in ("g", "h"):
        await new_graph(store, made, name)
    return made


class Bench:
    """A model behind an endpoint, and both who use it."""

    def __init__(self, store: Store, url: str, clock: StillClock, **settings: object) -> None:
        chosen = Settings(llm_url=url, llm_model="m", llm_timeout_s=1, **settings)  # type: ignore[arg-type]
        self.store = store
        self.model = LanguageModel(chosen, clock=clock)
        table = predicates.load()
        self.first = LanguageModelExtractor(ModelExtractor(self.model, table), Path("none"))
        self.embedded = HereEmbedded()
        self.second = Rereader(
            store,
            Folder(store, table),
            Finder(store, Segments(store, bytes_max=1 << 20), Settings().models),
            self.embedded,
            owner="server",
            clock=clock,
            attempts_max=3,
            backoff_first_s=1.0,
            model=self.model,
            then="model",
        )

    async def tell(self, access: Access, graph: str, *contents: str) -> list[Episode]:
        """Texts that are read as a worker reads them."""
        found = await add_text(self.store, access, graph, *contents)
        await here.learn(self.store, self.first)
        return found.episodes

    async def reread(self) -> None:
        """All that can be read again now."""
        while await self.second.step():
            pass


async def test_without_an_answer_an_episode_is_read_at_first_sight(
    store: Store, access: Access, clock: StillClock
) -> None:
    """It is processed and findable, waits for the model, and is not parked as a job."""
    with ScriptedModel([fails(503)]) as server:
        bench = Bench(store, server.url, clock)
        (episode,) = await bench.tell(access, "g", "Jane works at Acme.")
        assert await store.read(waiting) == {"Jane works at Acme.": ("model", "waiting", 0)}
        read = await store.read(episodes.get, access, episode.uuid)
        assert read.processed_at is not None
        (told,) = await store.read(rereadings.listed, access, limit=9)
        assert "answered 503" in told.reason
        await bench.model.close()


async def test_what_follows_waits_its_turn_without_asking(
    store: Store, access: Access, clock: StillClock
) -> None:
    """While the model is down nobody waits for it; later episodes line up behind the first."""
    with ScriptedModel([fails(503)], otherwise=lambda _: answers(likes())) as server:
        bench = Bench(store, server.url, clock)
        await bench.tell(access, "g", "a first thing", "a second thing")
        await bench.tell(access, "h", "a third thing")
        assert len(server.requests) == 1
        clock.advance(OUTAGE_PAUSE_MAX_S)
        await bench.tell(access, "g", "a fourth thing")
        assert len(server.requests) == 1
        assert len(await store.read(waiting)) == 4
        await bench.model.close()


async def test_when_the_model_is_back_everything_is_read_again_in_order(
    store: Store, access: Access, clock: StillClock
) -> None:
    """Each gets the model's reading at its place; nothing was parked, nothing is left."""
    down = [fails(503), fails(429), fails(500)]
    with ScriptedModel(down, otherwise=lambda _: answers(likes())) as server:
        bench = Bench(store, server.url, clock)
        said = await bench.tell(access, "g", "a first thing", "a second thing", "a third thing")
        for asked in (1, 2, 2, 3, 3, 3):  # ever longer pauses
            await bench.reread()
            assert len(server.requests) == asked
            clock.advance(1)
        assert {state for _, state, tries in (await store.read(waiting)).values()} == {"waiting"}
        clock.advance(OUTAGE_PAUSE_MAX_S)
        await bench.reread()
        assert await store.read(waiting) == {}
        for episode in said:
            assert await store.read(kept, episode) == ["Jane likes chess"]
            found = await store.read(readings.of_episode, episode.id)
            assert found is not None
            assert found.found.extractor.startswith("model:")
            assert found.fact_vectors[0] is not None
        asked = [request.user for request in server.requests[3:]]
        assert [n in text for n, text in zip(("first", "second", "third"), asked, strict=True)] == [
            True
        ] * 3
        await bench.tell(access, "g", "a fourth thing")
        assert len(server.requests) == 7, "and first readings ask the model again"
        await bench.model.close()


async def test_a_model_that_is_not_there_at_all_parks_nothing(
    store: Store, access: Access, clock: StillClock
) -> None:
    """However long it takes."""
    with ScriptedModel() as server:
        url = server.url
    bench = Bench(store, url, clock)
    await bench.tell(access, "g", "a first thing")
    for _ in range(12):
        clock.advance(OUTAGE_PAUSE_MAX_S)
        await bench.reread()
    assert await store.read(waiting) == {"a first thing": ("model", "waiting", 0)}
    (told,) = await store.read(rereadings.listed, access, limit=9)
    assert told.error is not None
    assert "cannot be reached" in told.error
    assert (told.ready_at - clock()).total_seconds() <= OUTAGE_PAUSE_MAX_S
    await bench.model.close()


async def test_a_clock_that_is_set_back_keeps_no_reading_waiting(
    store: Store, access: Access, clock: StillClock
) -> None:
    """What began to wait while it was ahead would else wait until then, up to the longest pause."""
    ahead_s = READING_WAIT_S_MAX * 0.9
    with ScriptedModel(otherwise=lambda _: answers(likes())) as server:
        bench = Bench(store, server.url, clock)
        said = await bench.tell(access, "g", "a first thing", "a second thing")
        clock.advance(ahead_s)
        assert not await bench.second.step()
        await want(store, said, "model")
        clock.advance(-ahead_s)
        await bench.reread()
        assert await store.read(waiting) == {}
        await bench.model.close()


async def test_nonsense_is_parked_after_some_tries_and_tried_again_by_hand(
    store: Store, access: Access, clock: StillClock
) -> None:
    """The next episodes of the graph are read meanwhile."""
    bad = [answers({"facts": "none"})] * 4
    with ScriptedModel(bad, otherwise=lambda _: answers(likes())) as server:
        bench = Bench(store, server.url, clock)
        first, second = await bench.tell(access, "g", "a first thing", "a second thing")
        for _ in range(4):
            await bench.reread()
            clock.advance(10)
        assert await store.read(waiting) == {"a first thing": ("model", "parked", 3)}
        assert await store.read(kept, second) == ["Jane likes chess"]
        await store.write(rereadings.retry, access, first.uuid)
        await bench.reread()
        assert await store.read(kept, first) == ["Jane likes chess"]
        await bench.model.close()


async def test_a_request_that_is_not_accepted_holds_up_nobody_else(
    store: Store, access: Access, clock: StillClock
) -> None:
    """One that is too long for the model is parked in the end; the model is not taken to be down."""

    def too_long(request: Request) -> Step:
        return fails(400, "too long") if "a long thing" in request.user else answers(likes())

    with ScriptedModel(otherwise=too_long) as server:
        bench = Bench(store, server.url, clock)
        await bench.tell(access, "g", "a long thing")
        await bench.tell(access, "h", "another thing")
        assert not bench.model.outage.is_on
        assert "another thing" not in await store.read(waiting)
        for _ in range(4):
            await bench.reread()
            clock.advance(10)
        assert await store.read(waiting) == {"a long thing": ("model", "parked", 3)}
        await bench.model.close()


async def test_a_spent_budget_is_nobodys_failure(
    store: Store, access: Access, clock: StillClock
) -> None:
    """The episode is read at first sight and again when there is room."""
    with ScriptedModel(otherwise=lambda _: answers(likes())) as server:
        bench = Bench(
            store, server.url, clock, llm_tokens_per_hour_max=100, llm_output_tokens_max=64
        )
        _, second = await bench.tell(access, "g", "a first thing", "a second thing")
        assert list(await store.read(waiting)) == ["a second thing"]
        await bench.reread()
        clock.advance(3599)
        await bench.reread()
        assert len(server.requests) == 1
        clock.advance(2)
        await bench.reread()
        assert await store.read(waiting) == {}
        assert await store.read(kept, second) == ["Jane likes chess"]
        await bench.model.close()


async def test_what_is_forgotten_while_the_model_reads_stays_forgotten(
    store: Store, access: Access, clock: StillClock
) -> None:
    """The answer comes to nothing."""
    with ScriptedModel([fails(503)], otherwise=lambda _: answers(likes(), delay_s=0.3)) as server:
        bench = Bench(store, server.url, clock)
        (episode,) = await bench.tell(access, "g", "a first thing")
        clock.advance(10)
        server.arrived.clear()
        step = asyncio.create_task(bench.second.step())
        await asyncio.to_thread(server.arrived.wait)
        await store.write(episodes.delete, access, episode.uuid, "forget")
        assert await step
        assert await store.read(waiting) == {}
        assert await store.read(readings.of_episode, episode.id) is None
        await bench.model.close()


async def test_a_graph_that_was_not_folded_is_folded_before_more_of_it_is_read(
    store: Store, access: Access, clock: StillClock
) -> None:
    """As it is after a crash between an answer and the fold."""
    with ScriptedModel([fails(503)], otherwise=lambda _: answers(likes())) as server:
        bench = Bench(store, server.url, clock)
        (episode,) = await bench.tell(access, "g", "a first thing")
        await store.write(readings.fold_again, episode.graph_id, episode.seq)
        clock.advance(10)
        await bench.reread()
        assert await store.read(waiting) == {}
        await bench.model.close()


async def test_the_embedded_reader_does_episodes_over(
    store: Store, access: Access, clock: StillClock
) -> None:
    """All of a graph, then whoever reads here reads them; one that breaks it is parked alone."""
    with ScriptedModel() as server:
        url = server.url
    bench = Bench(store, url, clock)
    said = await add_text(store, access, "g", "Ann works at Acme.", "broken", "Bob lives in Oslo.")
    await here.learn(store)
    await want(store, said.episodes, "embedded")
    bench.embedded.broken = "broken"
    for _ in range(4):
        await bench.reread()
        clock.advance(10)
    found = await store.read(waiting)
    assert found.pop("broken") == ("embedded", "parked", 3)
    assert {reader for reader, _, _ in found.values()} == {"model"}
    assert await store.read(kept, said.episodes[0]) == ["Ann works at Acme"]
    await bench.model.close()


async def test_with_agents_every_episode_that_says_something_waits_for_one(
    store: Store, access: Access
) -> None:
    """It is read at once all the same."""
    extractor = AgentExtractor(Path("none"))
    await add_text(store, access, "g", "Ann works at Acme.")
    await here.learn(store, extractor)
    assert await store.read(waiting) == {"Ann works at Acme.": ("agent", "waiting", 0)}
    taken = await store.write(rereadings.claim, "agent")
    assert taken is not None
    assert taken.episode.processed_at is not None
