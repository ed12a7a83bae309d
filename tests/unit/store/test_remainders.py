"""What a deleted episode leaves behind: what others stand behind as well, and no word more."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from recollect.derive import readings
from recollect.governance import erasure
from recollect.graph.found import Found, FoundEntity, FoundFact
from recollect.graph.types import Access
from recollect.records import knowledge
from recollect.records.knowledge import FactChange
from recollect.store.sqlite import SqliteStore
from tests.contract.store.world import StillClock, add_text, new_graph, new_project
from tests.property.reader import VECTOR, ScriptedReader
from tests.support import here


class World:
    """A store with one graph that a scripted reader learns."""

    def __init__(self, store: SqliteStore, access: Access, graph_id: int) -> None:
        self.store, self.access, self.graph_id = store, access, graph_id

    async def say(self, *texts: str) -> list[int]:
        """Add texts and learn them; gives their row ids."""
        receipt = await add_text(self.store, self.access, "g", *texts)
        await here.learn(self.store, ScriptedReader())
        return [episode.id for episode in receipt.episodes]

    async def erase(self, number: int, mode: erasure.Mode = "delete") -> None:
        """Take an episode out of the log."""
        await self.store.write(erasure.forget_episodes, [number], mode)

    async def left(self) -> dict[int, tuple[set[str], set[str]]]:
        """The facts and the entities that are left of deleted episodes, by their places."""

        def look(tx: Any) -> list[Any]:
            return list(tx.readings.remainders_of_graph(graph_id=self.graph_id))

        found = {row.seq: readings.reading(row).found for row in await self.store.read(look)}
        return {
            seq: ({fact.fact for fact in one.facts}, {entity.name for entity in one.entities})
            for seq, one in found.items()
        }

    async def all(self, sql: str) -> list[tuple[Any, ...]]:
        """Rows of the file."""

        def look(tx: Any) -> list[tuple[Any, ...]]:
            return [tuple(row) for row in tx._connection.execute(sql)]

        return await self.store.read(look)


@pytest.fixture
async def world(folder: Path) -> AsyncIterator[World]:
    """An empty graph."""
    store = SqliteStore.open(folder, clock=StillClock())
    access = await new_project(store, "p")
    yield World(store, access, (await new_graph(store, access, "g")).id)
    await store.close()


FACTS = "SELECT f.uuid, f.fact, f.created_at, i.vector FROM facts f JOIN index_rows i"
FACTS += " ON i.item_kind = 'fact' AND i.item_id = f.id ORDER BY f.fact"


async def test_what_nobody_else_says_leaves_nothing(world: World) -> None:
    """Neither do names that nobody answers to."""
    first, _ = await world.say("alpha gamma", "beta delta")
    await world.erase(first)
    assert await world.left() == {}
    await here.settle(world.store, world.graph_id)
    assert await world.all("SELECT name FROM entities ORDER BY name") == [("Beta",), ("Delta",)]


async def test_what_others_say_as_well_keeps_uuids_times_and_vectors(world: World) -> None:
    """Though half of what was read with it is gone."""
    first, _ = await world.say("alpha gamma beta delta", "beta delta")
    before = await world.all(FACTS)
    people = await world.all("SELECT uuid, name FROM entities WHERE name IN ('Beta', 'Delta')")
    await world.erase(first)
    assert await world.left() == {1: ({"beta lives in delta"}, {"Beta", "Delta"})}
    await here.settle(world.store, world.graph_id)
    assert await world.all(FACTS) == before[1:]
    assert await world.all("SELECT uuid, name FROM entities") == people
    assert await world.left() == {1: ({"beta lives in delta"}, {"Beta", "Delta"})}


async def test_the_words_of_the_episode_are_not_kept(world: World) -> None:
    """Of a place only what the fold asks for is left."""
    first, _ = await world.say("alpha gamma hush", "alpha gamma")
    await world.erase(first)
    ((found, remains),) = await world.all(
        "SELECT found, remains FROM readings WHERE episode_id IS NULL"
    )
    assert "hush" not in found + remains


async def test_who_only_said_it_again_leaves_no_fact(world: World) -> None:
    """It is another's, and stays with that one."""
    _, second = await world.say("alpha gamma", "alpha gamma")
    before = await world.all(FACTS)
    await world.erase(second)
    assert await world.left() == {2: (set(), {"Alpha", "Gamma"})}
    await here.settle(world.store, world.graph_id)
    assert await world.all(FACTS) == before


async def test_a_fact_that_was_corrected_keeps_its_uuid_and_its_words(world: World) -> None:
    """What it said at first is what the others say."""
    first, _ = await world.say("alpha gamma", "alpha gamma")
    ((uuid,),) = await world.all("SELECT uuid FROM facts")
    change = FactChange(fact="alpha is at home in gamma", vector=VECTOR)
    await world.store.write(knowledge.update_fact, world.access, uuid, change)
    before = await world.all(FACTS)
    await world.erase(first)
    assert await world.left() == {1: ({"alpha lives in gamma"}, {"Alpha", "Gamma"})}
    await here.settle(world.store, world.graph_id)
    assert await world.all(FACTS) == before


async def test_forgetting_leaves_nothing(world: World) -> None:
    """Not even of what was left before, once nobody says it any more."""
    first, second, third = await world.say("alpha gamma", "alpha gamma", "alpha gamma")
    await world.erase(first, "forget")
    assert await world.left() == {}
    await world.erase(second)
    assert await world.left() == {2: (set(), {"Alpha", "Gamma"})}
    await world.erase(third, "forget")
    assert await world.left() == {}
    await here.settle(world.store, world.graph_id)
    assert await world.all("SELECT 1 FROM facts UNION SELECT 1 FROM entities") == []


async def test_what_is_deleted_by_hand_goes_from_what_was_left(world: World) -> None:
    """And does not come back when the others say it."""
    first, _ = await world.say("alpha gamma", "alpha gamma")
    await world.erase(first)
    ((uuid,),) = await world.all("SELECT uuid FROM facts")
    await world.store.write(knowledge.delete_fact, world.access, uuid)
    assert await world.left() == {1: (set(), {"Alpha", "Gamma"})}
    await here.settle(world.store, world.graph_id)
    assert await world.all("SELECT 1 FROM facts") == []


async def test_what_nobody_says_any_more_goes_when_the_graph_is_folded(world: World) -> None:
    """The last one that stood behind it was read otherwise."""
    first, second = await world.say("alpha gamma", "alpha gamma")
    await world.erase(first)
    await world.store.write(readings.replace, second, Found(), ())
    await here.settle(world.store, world.graph_id)
    assert await world.left() == {}
    assert await world.all("SELECT 1 FROM facts UNION SELECT 1 FROM entities") == []


async def test_an_entity_keeps_the_names_that_were_used_for_it(world: World) -> None:
    """Names stay when an episode is deleted; those of someone else who went do not."""
    first, second = await world.say("nothing", "nothing")
    zed = FoundEntity(name="Zed", kind="person")
    found = Found(entities=(FoundEntity(name="Ann", kind="person", aliases=("Annie",)), zed))
    await world.store.write(readings.replace, first, found, ())
    more = Found(entities=(FoundEntity(name="Ann", kind="person"),))
    await world.store.write(readings.replace, second, more, ())
    await here.settle(world.store, world.graph_id)
    await world.erase(first)
    await here.settle(world.store, world.graph_id)
    assert await world.all("SELECT name, names FROM entities") == [("Ann", '["Ann","Annie"]')]
    assert await world.left() == {1: (set(), {"Ann"})}


async def test_whom_a_deleted_episode_cited_stands_behind_it_still(world: World) -> None:
    """They bore it out themselves."""
    first, second = await world.say("nothing", "nothing")
    ends = (FoundEntity(name="Ann", kind="person"), FoundEntity(name="tea", kind="topic"))
    fact = FoundFact(
        source=0, target=1, name="LIKES", predicate="LIKES", fact="Ann likes tea", cites=(1,)
    )
    found = Found(entities=ends, facts=(fact,))
    await world.store.write(readings.replace, second, found, (VECTOR,))
    await here.settle(world.store, world.graph_id)
    before = await world.all(FACTS)
    await world.erase(second)
    await here.settle(world.store, world.graph_id)
    assert await world.all(FACTS) == before
    assert await world.all("SELECT episode_id FROM supports") == [(first,)]


async def test_an_episode_bears_out_only_the_fact_that_cites_it(world: World) -> None:
    """The other facts of the same reading rest on their own episode alone."""
    first, second = await world.say("nothing", "nothing")
    ends = (FoundEntity(name="Ann", kind="person"), FoundEntity(name="tea", kind="topic"))
    tea = FoundFact(
        source=0, target=1, name="LIKES", predicate="LIKES", fact="Ann likes tea", cites=(1,)
    )
    milk = FoundFact(source=0, target=0, name="DRINKS", predicate="DRINKS", fact="Ann drinks milk")
    found = Found(entities=ends, facts=(tea, milk))
    await world.store.write(readings.replace, second, found, (VECTOR, VECTOR))
    await here.settle(world.store, world.graph_id)
    said = "SELECT f.fact, s.episode_id FROM supports s JOIN facts f ON f.id = s.fact_id"
    behind = await world.all(f"{said} ORDER BY f.fact, s.episode_id")
    assert behind == [
        ("Ann drinks milk", second),
        ("Ann likes tea", first),
        ("Ann likes tea", second),
    ]
