"""Episodes that are kept for one memory: found but not learned from, or the other way round."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recollect.extract.brief import Brief, Extracted
from recollect.graph.found import Found
from recollect.graph.types import Access, MemoryKind, NewEpisode
from recollect.ingest import extractors, intake, pipeline, rebuild
from recollect.ingest.extractors import LanguageModelExtractor
from recollect.store import rows
from recollect.store.protocol import Store, Transaction
from tests.contract.store.world import findable, new_project, work
from tests.support import here
from tests.support.stores import open_store

AT = datetime(2024, 5, 1, 10, 0, tzinfo=UTC)
PARTS: tuple[tuple[str, MemoryKind | None], ...] = (
    ("I work at Acme.", None),
    ("I live in Lisbon.", "episodic"),
    ("My sister Emma plays the violin.", "semantic"),
)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    """An empty store."""
    opened = open_store(tmp_path)
    yield opened
    await opened.close()


@pytest.fixture
async def access(store: Store) -> Access:
    """A key to a project."""
    return await new_project(store, "p")


async def say(store: Store, access: Access) -> dict[str, str]:
    """One remark for both memories and one for each alone; their uuids by what they say."""
    said = [
        NewEpisode(
            kind="message",
            content=content,
            role="user",
            speaker="Ann",
            producer="Ann",
            created_at=AT,
            kept_for=kept_for,
        )
        for content, kept_for in PARTS
    ]
    receipt = await store.write(intake.add_entries, access, "standalone", "notes", said)
    return {new.content: uuid for new, uuid in zip(said, receipt.uuids, strict=True)}


def facts(tx: Transaction) -> set[str]:
    """Every fact of the graph."""
    return {row.fact for row in _told(tx, "fact")}


def _told(tx: Transaction, kind: str) -> list[Any]:
    between = tx.index.rows_between(graph_id=1, since=0, until=2**53)
    ids = [row.item_id for row in between if row.item_kind == kind]
    read = {"fact": tx.facts.told_by_ids, "entity": tx.entities.by_ids}[kind]
    return read(ids=rows.to_json(ids))


def vectors(tx: Transaction) -> dict[str, bool]:
    """Whether each episode is found by its meaning, too."""
    between = tx.index.rows_between(graph_id=1, since=0, until=2**53)
    held = {row.item_id: row.vector for row in between if row.item_kind == "episode"}
    found = tx.episodes.by_ids(ids=rows.to_json(list(held)))
    return {row.content: held[row.id] is not None for row in found}


async def test_nothing_is_learned_from_what_is_for_the_episodic_memory(
    store: Store, access: Access
) -> None:
    uuids = await say(store, access)
    await here.learn(store)
    told = await store.read(facts)
    assert any("Acme" in fact for fact in told)
    assert any("violin" in fact for fact in told)
    assert not any("Lisbon" in fact for fact in told)
    names = {row.name for row in await store.read(_told, "entity")}
    assert "Emma" in names
    assert "Lisbon" not in names
    assert await store.read(findable, 1, "episode") == set(uuids.values())
    assert await store.read(vectors) == {content: True for content, _ in PARTS}


async def test_nothing_is_learned_from_it_again_when_the_graph_is_rebuilt(
    store: Store, access: Access
) -> None:
    await say(store, access)
    await here.learn(store)
    before = await store.read(rebuild.digest, 1), await store.read(facts)
    await here.fold(store, 1)
    assert (await store.read(rebuild.digest, 1), await store.read(facts)) == before


async def test_without_an_extractor_all_are_found_and_nothing_is_learned(
    store: Store, access: Access
) -> None:
    uuids = await say(store, access)
    await work(store)
    assert await store.read(findable, 1) == set(uuids.values())


class CountingModel:
    """A language model that finds nothing and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.is_down = False

    async def read(self, reading: Brief) -> Found:
        """Nothing."""
        self.asked.append(reading.content)
        return Found()


class HereProcess:
    """The other process, without being one."""

    def __init__(self, *_: object) -> None:
        pass

    async def read(self, readings: list[Brief]) -> list[Extracted]:
        """What the embedded extractor finds."""
        return here.extractor().embedded.read(readings)

    async def finish(self, reading: Brief, found: Found) -> Extracted:
        """What was found, made findable."""
        return here.extractor().embedded.finish(reading, found)

    async def close(self) -> None:
        """Nothing to end."""


async def test_no_language_model_is_asked_about_it(
    store: Store, access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extractors, "ExtractionProcess", HereProcess)
    model = CountingModel()
    extractor: pipeline.Extractor = LanguageModelExtractor(model, Path("none"))  # type: ignore[arg-type]
    await say(store, access)
    await here.learn(store, extractor)
    assert model.asked == [content for content, kept_for in PARTS if kept_for != "episodic"]
    assert await store.read(vectors) == {content: True for content, _ in PARTS}
    assert await store.read(facts) == set()
