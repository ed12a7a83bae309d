"""The classes of the guide to short-term and long-term memory, in a program without a server.

Guide: short-long-term-memory. Each test names the section whose words it holds us to.
"""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry

from recollect import Memory
from recollect.errors import Conflict, InvalidInput, NotFound
from recollect.library.episodic_memory import (
    EpisodeEntry,
    EpisodeType,
    EpisodicMemory,
    EpisodicMemoryManager,
    EpisodicMemoryParams,
    LongTermMemory,
    MetricsFactory,
    ShortTermMemory,
)
from recollect.settings import Settings

KEY = "acme/support"
LINES = ("The cat is called Mimi.", "Rain again.", "Lunch was good.", "I am tired.")


def settings(**more: object) -> Settings:
    return Settings.model_validate({"extraction": "off", **more})


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    """A memory that stores what it is told without reading it."""
    async with Memory.open(tmp_path / "data", settings=settings()) as opened:
        yield opened


async def told(session: EpisodicMemory) -> None:
    await session.add(*(EpisodeEntry(content=line, producer_id="Ann") for line in LINES))


def test_an_entry_has_a_text() -> None:
    """EpisodeEntry: `content` is a str; a whole message in its place is refused at once."""
    with pytest.raises(InvalidInput, match="content: must be a string, got dict"):
        EpisodeEntry(content={"content": "I moved."})  # type: ignore[arg-type]


def test_an_entry_maps_the_words_of_the_client() -> None:
    """Data Mapping, and EpisodeEntry: every field of the guide, the time in UTC, the type message."""
    entry = EpisodeEntry.from_message(
        "Hello.",
        producer="bot",
        produced_for="ann",
        role="assistant",
        timestamp="Tue, 5 Mar 2024 10:00:00 +0100",
        metadata={"n": 1},
    )
    assert entry == EpisodeEntry(
        content="Hello.",
        producer_id="bot",
        produced_for_id="ann",
        producer_role="assistant",
        created_at=datetime(2024, 3, 5, 9, tzinfo=UTC),
        metadata={"n": 1},
        episode_type=EpisodeType.MESSAGE,
    )
    naive = EpisodeEntry(content="x", created_at=datetime(2024, 3, 5, 9))
    assert naive.created_at == entry.created_at
    with pytest.raises(InvalidInput, match="created_at"):
        EpisodeEntry(content="x", created_at="03/05/2024")  # type: ignore[arg-type]


async def test_what_is_added_comes_back_from_both_memories(memory: Memory) -> None:
    """Memory Configuration: the window of the most recent N, and the search of the rest."""
    async with memory.episodic.session(KEY) as session:
        await told(session)
        await session.configure_short_term_memory(message_capacity=2)
        found = await session.query("What is the cat called?", limit=3)
        assert found is not None
        window = [one.content for one in found.short_term_memory]
        assert window == ["Lunch was good.", "I am tired."]
        past = {one.content: one for one in found.long_term_memory}
        assert "The cat is called Mimi." in past
        assert not set(window) & set(past)
        assert past["The cat is called Mimi."].producer_id == "Ann"
        assert past["The cat is called Mimi."].score is not None
        await session.configure_long_term_memory(enabled=False)
        found = await session.query("What is the cat called?")
        assert found is not None
        assert found.long_term_memory == ()
        await session.configure_short_term_memory(enabled=False)
        assert await session.query("What is the cat called?") is None


async def test_an_instance_is_made_of_what_the_guide_names(memory: Memory) -> None:
    """EpisodicMemoryParams: the key, the two memories and the factory of metrics."""
    async with memory.episodic.session(KEY) as session:
        params = session.params
        assert isinstance(params, EpisodicMemoryParams)
        assert (params.session_key, session.session_key) == (KEY, KEY)
        assert isinstance(params.long_term_memory, LongTermMemory)
        assert isinstance(params.short_term_memory, ShortTermMemory)
        assert isinstance(params.metrics_factory, MetricsFactory)
        again = EpisodicMemory(params)
        await told(again)
        assert len((await params.short_term_memory.read(limit=3))[0]) == 3
        assert (await params.short_term_memory.size()).episodes == 100


async def test_metrics_count_what_comes_in_and_what_is_asked(memory: Memory) -> None:
    """EpisodicMemoryParams, metrics_factory: monitoring ingestion rates."""
    registry = CollectorRegistry()
    factory = MetricsFactory(registry)
    async with memory.episodic.session(KEY) as session:
        parts = session.params
        counted = EpisodicMemory(
            EpisodicMemoryParams(
                session_key=KEY,
                long_term_memory=parts.long_term_memory,
                short_term_memory=parts.short_term_memory,
                metrics_factory=factory,
            )
        )
        await told(counted)
        await counted.query("cat")
    assert registry.get_sample_value("recollect_memory_ingestion_count_total") == len(LINES)
    assert registry.get_sample_value("recollect_memory_query_count_total") == 1


async def test_references_are_counted_and_the_instance_is_shared(memory: Memory) -> None:
    """Lifecycle Management, Creation and Reference Counting."""
    manager = memory.episodic
    assert isinstance(manager, EpisodicMemoryManager)
    assert manager.references(KEY) is None
    async with manager.session(KEY) as one:
        assert manager.references(KEY) == 1
        async with manager.session(KEY) as other:
            assert other is one
            assert manager.references(KEY) == 2
        assert manager.references(KEY) == 1
    assert manager.references(KEY) == 0
    async with manager.session(KEY) as later:
        assert later is one, "it is kept for a while"
    assert manager.open_count == 1


async def test_an_idle_instance_is_closed_and_a_held_one_is_not(tmp_path: Path) -> None:
    """Lifecycle Management, Cleanup: at zero references, and after `max_life_time`."""
    chosen = settings(memory_life_s=0.2, memory_sweep_s=0.02)
    async with Memory.open(tmp_path / "data", settings=chosen) as memory:
        manager = memory.episodic
        assert manager.max_life_time == 0.2
        async with manager.session(KEY) as held:
            async with manager.session("acme/other") as idle:
                await told(idle)
            async with asyncio.timeout(20):
                while manager.open_count > 1:  # noqa: ASYNC110 - it is the sweeper's own pace
                    await asyncio.sleep(0.01)
            assert manager.references(KEY) == 1
            await told(held)
        with pytest.raises(Conflict, match="was released"):
            await idle.query("cat")
        async with manager.session("acme/other") as again:
            assert again is not idle
            found = await again.query("cat")
            assert found is not None
            assert [one.content for one in found.short_term_memory] == list(LINES)


async def test_a_session_is_erased_once_nobody_holds_it(memory: Memory) -> None:
    """Lifecycle Management: what was said is gone with it, and the next one begins anew."""
    manager = memory.episodic
    async with manager.session(KEY) as session:
        await told(session)
    await manager.delete(KEY)
    async with manager.session(KEY) as session:
        found = await session.query("cat")
        assert found is not None
        assert found.short_term_memory == ()
    with pytest.raises(NotFound):
        await manager.delete("acme/nowhere")
    with pytest.raises(InvalidInput, match="forget the user"):
        await manager.delete("recollect:users/ann")


@pytest.mark.parametrize("key", ["", "acme", "a/b/c", "a b/c", "/x"])
async def test_a_key_is_an_organisation_and_a_project(memory: Memory, key: str) -> None:
    """EpisodicMemoryParams, session_key: `{org_id}/{project_id}`."""
    with pytest.raises(InvalidInput):
        async with memory.episodic.session(key):
            pass


async def test_what_cannot_be_kept_is_refused_by_name(memory: Memory) -> None:
    """Data Mapping, Role Assignment; and a search without sense."""
    async with memory.episodic.session(KEY) as session:
        with pytest.raises(InvalidInput, match=r"messages\[0\]\.role"):
            await session.add(EpisodeEntry(content="x", producer_role="narrator"))
        with pytest.raises(InvalidInput, match="at least one"):
            await session.add()
        with pytest.raises(InvalidInput, match="limit"):
            await session.query("cat", limit=0)
        with pytest.raises(NotFound, match=KEY):
            await session.configure_short_term_memory(message_capacity=3)


async def test_a_closed_memory_gives_out_no_sessions(tmp_path: Path) -> None:
    """Those who still hold one are told so."""
    memory = await Memory.open(tmp_path / "data", settings=settings())
    async with memory.episodic.session(KEY) as session:
        await told(session)
    await memory.close()
    await memory.close()
    with pytest.raises(Conflict, match="closed"):
        async with memory.episodic.session(KEY):
            pass
    with pytest.raises(Conflict):
        await session.query("cat")
