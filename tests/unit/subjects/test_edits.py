"""What is changed by hand is written down with its place, and meant what it was made for."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from recollect.derive import readings
from recollect.errors import InvariantViolated
from recollect.graph.found import Found, FoundEntity, FoundFact
from recollect.graph.gist import mark
from recollect.graph.types import Access
from recollect.records import edits, knowledge, users
from recollect.records.edit_subjects import Edit
from recollect.records.knowledge import EntityChange, FactChange
from recollect.records.users import UserDetails
from recollect.store.protocol import Store
from tests.contract.store.world import StillClock, add_text, new_graph, new_project, new_user
from tests.property.reader import ScriptedReader
from tests.support import here
from tests.support.stores import open_store, raw

ANN, TEA = FoundEntity(name="Ann", kind="person"), FoundEntity(name="tea", kind="topic")


def likes(*sentences: str) -> Found:
    """What Ann is said to like."""
    facts = [
        FoundFact(source=0, target=1, name="LIKES", predicate="LIKES", fact=sentence)
        for sentence in sentences
    ]
    return Found(entities=(ANN, TEA), facts=tuple(facts))


class World:
    """A store with a graph of three episodes that say nothing to begin with."""

    def __init__(self, store: Store, access: Access, graph_id: int) -> None:
        self.store, self.access, self.graph_id = store, access, graph_id
        self.numbers: list[int] = []

    async def read_as(self, place: int, found: Found) -> None:
        """Let the episode at a place say something else."""
        vectors = (None,) * len(found.facts)
        await self.store.write(readings.replace, self.numbers[place - 1], found, vectors)
        await here.settle(self.store, self.graph_id)

    async def facts(self) -> dict[str, str]:
        """Uuids by sentences."""
        found = await self.store.read(
            lambda tx: [(r["fact"], r["uuid"]) for r in tx.digests.part("facts", graph_id=1)]
        )
        return dict(found)

    async def say(self, *texts: str) -> None:
        """Add episodes and have them learned."""
        receipt = await add_text(self.store, self.access, "g", *texts)
        await here.learn(self.store, ScriptedReader())
        self.numbers += [episode.id for episode in receipt.episodes]

    async def correct(self, uuid: str, sentence: str) -> None:
        """Give a fact other words."""
        change = FactChange(fact=sentence)
        await self.store.write(knowledge.update_fact, self.access, uuid, change)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """Three episodes."""
    store = open_store(tmp_path, clock=StillClock())
    access = await new_project(store, "p")
    made = World(store, access, (await new_graph(store, access, "g")).id)
    await made.say("one", "two", "three")
    yield made
    await store.close()


async def test_an_edit_is_made_after_the_last_place_that_is_known(world: World) -> None:
    """Whatever is said later may change the same thing again."""
    await world.read_as(2, likes("Ann likes tea"))
    (uuid,) = (await world.facts()).values()
    await world.correct(uuid, "Ann loves tea")
    await world.say("four")
    await world.correct(uuid, "Ann adores tea")

    def places(tx: Any) -> list[int]:
        return [row.seq for row in tx.edits.due(graph_id=1, before=None)]

    assert await world.store.read(places) == [3, 4]


async def test_marks_remember_what_a_thing_said_before(world: World) -> None:
    """The newest first, each once."""
    await world.read_as(1, likes("Ann likes tea"))
    (uuid,) = (await world.facts()).values()
    for words in ("Ann loves tea", "Ann adores tea", "Ann loves tea"):
        await world.correct(uuid, words)
    told = await world.store.read(edits.marks_of, uuid, "Ann loves tea")
    assert sorted(told[1:]) == sorted([mark("Ann likes tea"), mark("Ann adores tea")])
    assert told[0] == mark("Ann loves tea")


async def test_an_edit_finds_its_fact_under_another_uuid(world: World) -> None:
    """An earlier episode turned out to say the same, so that the fact is that one's now."""
    await world.read_as(2, likes("Ann likes tea"))
    (uuid,) = (await world.facts()).values()
    await world.correct(uuid, "Ann loves tea")
    await world.correct(uuid, "Ann adores tea")
    await world.read_as(1, likes("Ann likes tea"))
    found = await world.facts()
    assert set(found) == {"Ann adores tea"}
    assert uuid not in found.values()


async def test_an_edit_whose_fact_is_gone_is_passed_over(world: World) -> None:
    """Another that has the uuid now was not meant; once the fact is back, the edit holds again."""
    await world.read_as(1, likes("Ann likes tea"))
    (uuid,) = (await world.facts()).values()
    await world.correct(uuid, "Ann loves tea")
    await world.read_as(1, likes("Ann brews coffee"))
    assert await world.facts() == {"Ann brews coffee": uuid}
    await world.read_as(1, likes("Ann likes tea"))
    assert await world.facts() == {"Ann loves tea": uuid}


async def test_an_edit_of_an_entity_knows_it_by_any_of_its_names(world: World) -> None:
    """Another of that uuid was not meant, and one of another uuid may be."""
    await world.read_as(1, likes("Ann likes tea"))
    ((uuid,), *_) = await _entities(world, "Ann")
    change = EntityChange(name="Anna", summary="A singer.")
    await world.store.write(knowledge.update_entity, world.access, uuid, change)
    change = EntityChange(attributes={"voice": "alto"})
    await world.store.write(knowledge.update_entity, world.access, uuid, change)
    await here.fold(world.store, world.graph_id)
    anna = await world.store.read(knowledge.entity, world.access, uuid)
    assert (anna.name, anna.attributes) == ("Anna", {"voice": "alto"})
    await world.read_as(1, Found(entities=(FoundEntity(name="Bob", kind="person"), ANN)))
    bob = await world.store.read(knowledge.entity, world.access, uuid)
    assert (bob.name, bob.summary, bob.attributes) == ("Bob", "", None)
    ((other,),) = await _entities(world, "Anna")
    anna = await world.store.read(knowledge.entity, world.access, other)
    assert (anna.summary, anna.attributes) == ("A singer.", {"voice": "alto"})
    two = (FoundEntity(name="Bob", kind="person"), ANN, FoundEntity(name="Ann", kind="place"))
    await world.read_as(1, Found(entities=two))
    assert len(await _entities(world, "Ann")) == 2, "nobody knows which of them was meant"


async def test_what_is_said_of_a_user_by_hand_outlives_another_name(world: World) -> None:
    """The user's own node is that whatever it is called."""
    user = await new_user(world.store, world.access, "u", first_name="Jane")
    change = EntityChange(summary="A singer.")
    await world.store.write(knowledge.update_entity, world.access, user.entity_uuid, change)
    await world.store.write(users.update, world.access, "u", UserDetails(first_name="Joan"))
    await here.settle(world.store, user.graph_id)
    node = await world.store.read(users.node, world.access, "u")
    assert (node.name, node.summary) == ("Joan", "A singer.")


async def _entities(world: World, name: str) -> list[tuple[str]]:
    def look(tx: Any) -> list[tuple[str]]:
        found = raw(tx).execute("SELECT uuid FROM entities WHERE name = ?", (name,))
        return [tuple(row) for row in found]

    return await world.store.read(look)


async def test_a_later_edit_does_not_fall_to_an_earlier_one(world: World) -> None:
    """What an edit takes away says nothing of what is not there yet."""
    await world.read_as(1, likes("Ann likes tea"))
    (uuid,) = (await world.facts()).values()
    await world.store.write(knowledge.delete_fact, world.access, uuid)
    await world.say("alpha gamma")
    (uuid,) = (await world.facts()).values()
    await world.correct(uuid, "alpha is at home in gamma")
    await here.fold(world.store, world.graph_id)
    assert await world.facts() == {"alpha is at home in gamma": uuid}


async def test_a_deleted_fact_may_be_said_again(world: World) -> None:
    """After the place where it was deleted, it is news."""
    await world.read_as(1, likes("Ann likes tea"))
    (uuid,) = (await world.facts()).values()
    await world.store.write(knowledge.delete_fact, world.access, uuid)
    assert await world.facts() == {}
    await world.say("four")
    await world.read_as(4, likes("Ann likes tea"))
    assert set(await world.facts()) == {"Ann likes tea"}
    await world.read_as(2, likes("Ann likes tea"))
    found = await world.facts()
    assert set(found) == {"Ann likes tea"}
    assert uuid not in found.values()


async def test_nobody_carries_out_what_nobody_knows(world: World) -> None:
    """An edit of a later version is no reason to go on without it."""
    await world.read_as(1, likes("Ann likes tea"))
    ((sentence, uuid),) = (await world.facts()).items()
    edit = Edit(kind="fact.sing", subject=uuid, marks=(mark(sentence),))  # type: ignore[arg-type]
    with pytest.raises(InvariantViolated):
        await world.store.write(edits.make, world.graph_id, edit)
