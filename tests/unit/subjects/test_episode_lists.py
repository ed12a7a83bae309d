"""Lists of raw episodes by when they happened, and by conditions, as far as they may be seen."""

import re
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect import limits
from recollect.episodic_memory.filter_language import parse
from recollect.graph.types import Access, Graph, Json, NewEpisode
from recollect.graph.visibility import Visibility
from recollect.ingest import intake
from recollect.records import episode_lists
from recollect.store.protocol import Store
from recollect.store.sqlite import migrate
from recollect.store.sqlite.connection import connect, statements
from tests.contract.store.world import SEES_ALL, new_graph, new_project
from tests.support.stores import open_store
from tests.unit.subjects.small_world import NOT_SECRET, ONLY_PUBLIC, PUBLIC, SECRET, seen_by

DAY = datetime(2024, 1, 1, tzinfo=UTC)


class Log:
    """A graph that nobody reads."""

    def __init__(self, store: Store, access: Access, graph: Graph) -> None:
        self.store, self.access, self.graph = store, access, graph

    async def add(self, content: str, day: int, metadata: Json | None = None, **more: Any) -> str:
        """An episode of a day; its uuid."""
        given: dict[str, Any] = {"kind": "message", **more}
        new = NewEpisode(
            content=content, created_at=DAY + timedelta(days=day), metadata=metadata, **given
        )
        receipt = await self.store.write(
            intake.add_episodes, self.access, None, self.graph.graph_id, [new]
        )
        (uuid,) = receipt.uuids
        return uuid

    async def page(
        self,
        text: str = "",
        *,
        size: int = 100,
        number: int = 0,
        visibility: Visibility | None = None,
    ) -> list[str]:
        """What the episodes of a page say."""
        found = await self.store.read(
            episode_lists.page,
            seen_by(self.access, visibility),
            self.graph,
            parse(text),
            size=size,
            number=number,
        )
        return [episode.content for episode in found]

    async def uuids(self, text: str = "", visibility: Visibility | None = None) -> Sequence[str]:
        """The uuids of those of which a text holds."""
        access = seen_by(self.access, visibility)
        return await self.store.read(episode_lists.uuids, access, self.graph, parse(text))

    async def count(self, visibility: Visibility | None = None) -> int:
        """How many there are."""
        return await self.store.read(
            episode_lists.count, seen_by(self.access, visibility), self.graph
        )


@pytest.fixture
async def log(tmp_path: Path) -> AsyncIterator[Log]:
    """An empty graph beside one that is not."""
    store = open_store(tmp_path)
    access = await new_project(store, "p")
    other = Log(store, access, await new_graph(store, access, "other"))
    await other.add("elsewhere", 0, PUBLIC)
    yield Log(store, access, await new_graph(store, access, "g"))
    await store.close()


async def test_the_oldest_come_first_and_then_those_stored_first(log: Log) -> None:
    """Whenever they were added; with conditions, and for who may not see all, as without."""
    for content, day in (("d", 3), ("b", 1), ("c", 1), ("a", 0)):
        await log.add(content, day, PUBLIC)
    assert await log.page() == ["a", "b", "c", "d"]
    assert await log.page("m.class = public") == ["a", "b", "c", "d"]
    assert await log.page(visibility=ONLY_PUBLIC) == ["a", "b", "c", "d"]


@pytest.mark.parametrize("text", ["", "m.class IS NULL OR m.class = secret"])
@pytest.mark.parametrize("visibility", [None, NOT_SECRET])
async def test_pages_are_cut_from_what_may_be_seen_and_holds(
    log: Log, text: str, visibility: Visibility | None
) -> None:
    """Each has its size; what is left out leaves no gap."""
    for number in range(9):
        await log.add(str(number), 9 - number, [None, PUBLIC, SECRET][number % 3])
    wanted = [
        str(number)
        for number in reversed(range(9))
        if (not text or number % 3 != 1) and (visibility is None or number % 3 != 2)
    ]
    for size in (1, 2, 100):
        pages = [
            await log.page(text, size=size, number=number, visibility=visibility)
            for number in range(10)
        ]
        assert [one for page in pages for one in page] == wanted
        assert all(len(page) == size for page in pages[: len(wanted) // size])
    assert await log.page(text, size=1_000, number=2**62, visibility=visibility) == []


async def test_more_than_one_look_are_one_list(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    """However few rows are held at a time."""
    for number in range(7):
        await log.add(str(number), -number, {"n": str(number)})
    for size in (1, 2, 3, 7, 8):
        monkeypatch.setattr(episode_lists, "EPISODES_PER_LOOK", size)
        assert await log.page("m.n <> 3") == ["6", "5", "4", "2", "1", "0"]
        assert len(await log.uuids("m.n > 3")) == 3
    assert limits.EPISODES_PER_LOOK > 8


async def test_raw_episodes_are_listed_and_direct_knowledge_is_not(log: Log) -> None:
    """Those nobody learns from are raw episodes, too."""
    await log.add("heard", 0, ignored=True, role="system")
    await log.add("read", 1, kind="text")
    await log.add("kept", 2, kept_for="semantic")
    direct: tuple[Any, ...] = ("fact_triple", "nodes")
    for kind in direct:
        new = NewEpisode(kind=kind, content="{}", created_at=DAY)
        await log.store.write(intake.add_direct, SEES_ALL, log.graph.id, [new])
    listed = ["heard", "read", "kept"]
    assert await log.page() == await log.page("m.x IS NULL") == listed
    assert await log.count() == len(await log.uuids()) == 3
    assert await log.page(visibility=NOT_SECRET) == listed


async def test_counts_and_uuids_know_nothing_of_what_is_hidden(log: Log) -> None:
    """Nor of what other graphs have."""
    seen = await log.add("open", 1, PUBLIC, producer="bot")
    hidden = await log.add("closed", 0, SECRET, producer="bot")
    assert (await log.count(), await log.count(ONLY_PUBLIC)) == (2, 1)
    assert await log.uuids("producer_id = 'bot'") == [hidden, seen]
    assert await log.uuids("producer_id = 'bot'", NOT_SECRET) == [seen]
    assert await log.uuids(f"uid = '{hidden}'", NOT_SECRET) == []
    assert await log.uuids("producer_id = 'user'") == []


async def test_conditions_look_at_every_field_of_a_row(log: Log) -> None:
    """As at an episode."""
    uuid = await log.add("x", 1, {"a": "5"}, producer="ann", role="expert", addressee="bob")
    await log.add("y", 2, speaker="Eve")
    for text in (
        f"uid = '{uuid}'",
        "producer_id = ann",
        "producer_role = expert",
        "produced_for_id = bob",
        "created_at < '2024-01-03'",
        "m.a = 5",
    ):
        assert await log.page(text) == ["x"], text
        assert await log.page(f"NOT {text}") == ["y"], text
    assert await log.page("producer_id = 'Eve'") == ["y"]


def test_no_list_looks_at_another_graph(tmp_path: Path) -> None:
    """Each goes by the index of its graph."""
    connection = connect(tmp_path / "x.db", writer=True)
    try:
        migrate.apply(connection)
        for name in ("episodes.by_time", "episodes.judged", "episodes.of_graph_count"):
            sql = statements()[name]
            values = dict.fromkeys(re.findall(r":(\w+)", sql), 1)
            plan = connection.execute(f"EXPLAIN QUERY PLAN {sql}", values).fetchall()
            details = [row["detail"] for row in plan]
            assert not [one for one in details if one.startswith("SCAN") and one != "SCAN i"], (
                details
            )
            assert any("(graph_id=?" in one for one in details), details
    finally:
        connection.close()
