"""A graph that is folded apart is put back as it is there, at once and only if nobody was faster."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from recollect.derive import readings
from recollect.graph import predicates
from recollect.graph.found import Found, FoundEntity, FoundFact
from recollect.graph.types import Access, Graph
from recollect.ingest import fold, rebuild
from recollect.records import episodes, graphs, knowledge, threads
from recollect.records.knowledge import FactChange
from recollect.store.protocol import Transaction
from recollect.store.sqlite import SqliteStore
from recollect.store.sqlite.apart import FoldedApart
from tests.contract.store.world import (
    StillClock,
    add_messages,
    add_text,
    new_graph,
    new_project,
    new_thread,
    new_user,
)
from tests.property import invariants
from tests.property.reader import VECTOR, ScriptedReader
from tests.support import here

ONE, TWO = "01900000-0000-7000-8000-000000000001", "01900000-0000-7000-8000-000000000002"
TABLE = predicates.load()


class World:
    """A store with one graph that a scripted reader learns."""

    def __init__(self, folder: Path, store: SqliteStore, access: Access, graph: Graph) -> None:
        self.folder, self.store, self.access, self.graph = folder, store, access, graph

    async def say(self, *texts: str) -> list[int]:
        """Add texts and learn them; gives their row ids."""
        receipt = await add_text(self.store, self.access, "g", *texts)
        await here.learn(self.store, ScriptedReader())
        return [episode.id for episode in receipt.episodes]

    async def read_again(self, number: int, found: Found) -> None:
        """Put another reading in the place of an episode's."""
        await self.store.write(readings.replace, number, found, (None,) * len(found.facts))

    async def folded(self) -> FoldedApart:
        """The graph, folded apart from the beginning."""
        apart = await self.store.apart(self.graph.id)
        await apart.run(fold.start_over, self.graph.id)
        await self.go_on(apart)
        return apart

    async def go_on(self, apart: FoldedApart) -> None:
        """Fold what is left."""
        while await apart.run(fold.go_on, self.graph.id, TABLE, limit=3):
            pass

    async def digest(self) -> str:
        """That of the graph as it is in the file."""
        return await self.store.read(rebuild.digest, self.graph.id)

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
    yield World(folder, store, access, await new_graph(store, access, "g"))
    await store.close()
    invariants.check(folder)


def said(*named: tuple[str, str | None, str | None]) -> Found:
    """Facts of one person each: a place, the uuid asked for it, and that of its fact."""
    people = tuple(FoundEntity(name=f"P{n}", kind="person") for n in range(len(named)))
    places = tuple(FoundEntity(name=name, kind="place", uuid=uuid) for name, uuid, _ in named)
    facts = tuple(
        FoundFact(
            source=n,
            target=len(named) + n,
            name="LIKES",
            predicate="LIKES",
            fact=f"P{n} likes {name}",
            uuid=uuid,
        )
        for n, (name, _, uuid) in enumerate(named)
    )
    return Found(entities=people + places, facts=facts)


async def test_a_graph_that_is_as_it_was_is_left_alone(world: World) -> None:
    """Nothing is written and nothing becomes findable anew; but it is no longer to be folded."""
    await world.say("alpha beta gamma", "alpha delta", "beta gamma")
    await world.store.write(rebuild.again, world.graph.id)
    state = "SELECT index_version, folded FROM graphs"
    before, rows_ = await world.all(state), await world.all("SELECT * FROM facts ORDER BY id")
    apart = await world.folded()
    told = apart._apart.difference()
    assert not any((*told.removed.values(), *told.written.values(), told.closings, told.found))
    assert (told.unfound, any(told.touched.values()), told.chapters_differ) == ({}, False, False)
    assert await apart.put_back(fold.settle)
    await apart.close()
    assert await world.all(state) == before
    assert await world.all("SELECT * FROM facts ORDER BY id") == rows_
    assert await world.all("SELECT fold_from FROM graphs") == [(None,)]


async def test_a_graph_in_which_everything_is_different_is_put_back_whole(world: World) -> None:
    """And one of which nothing is left."""
    numbers = await world.say(*["alpha beta gamma"] * 30)
    other = [said((f"town{n}", None, None)) for n in range(30)]
    for number, found in zip(numbers, other, strict=True):
        await world.read_again(number, found)
    apart = await world.folded()
    assert await apart.put_back(fold.settle)
    await apart.close()
    assert len(await world.all("SELECT 1 FROM facts")) == 30
    assert await world.all("SELECT 1 FROM facts WHERE fact LIKE 'alpha%'") == []
    for number in numbers:
        await world.read_again(number, Found())
    apart = await world.folded()
    assert await apart.put_back(fold.settle)
    await apart.close()
    for table in ("facts", "entities", "supports", "mentions", "observations"):
        assert await world.all(f"SELECT 1 FROM {table}") == []  # noqa: S608
    found = "SELECT item_kind FROM index_rows WHERE terms IS NOT NULL AND item_kind <> 'episode'"
    assert await world.all(found) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([("Rome", None, ONE), ("Oslo", None, TWO)], [("Rome", None, TWO), ("Oslo", None, ONE)]),
        ([("Rome", ONE, None), ("Oslo", TWO, None)], [("Rome", TWO, None), ("Oslo", ONE, None)]),
        ([("Rome", ONE, TWO), ("Oslo", None, None)], [("Rome", None, None), ("Oslo", ONE, TWO)]),
        ([("Oslo", None, None), ("Rome", ONE, TWO)], [("Rome", ONE, TWO)]),
    ],
    ids=["facts exchange", "entities exchange", "both move on", "a row goes"],
)
async def test_uuids_may_change_hands(world: World, before: Sequence[Any], after: Any) -> None:
    """No two rows have one at any moment, and everybody keeps their episodes."""
    (number,) = await world.say("nothing")
    for found in (before, after, before):
        await world.read_again(number, said(*found))
        apart = await world.folded()
        assert await apart.put_back(fold.settle)
        await apart.close()
        facts = await world.all(
            "SELECT n.name, f.fact, f.uuid, n.uuid, p.episode_id FROM facts f"
            " JOIN entities n ON n.id = f.target_id JOIN supports p ON p.fact_id = f.id ORDER BY 2"
        )
        assert [row[0] for row in facts] == [name for name, _, _ in found]
        for (_, place, fact), row in zip(found, facts, strict=True):
            assert fact in (None, row[2])
            assert place in (None, row[3])
            assert row[4] == number


async def test_an_entity_that_is_heard_of_earlier_takes_its_facts_along(world: World) -> None:
    """Its row has another number then, and what pointed to the old one is not lost with that."""
    first, second = await world.say("nothing", "nothing")
    await world.read_again(second, said(("Rome", None, None), ("Oslo", None, None)))
    await here.settle(world.store, world.graph.id)
    old = dict(await world.all("SELECT name, id FROM entities"))
    await world.read_again(first, Found(entities=(FoundEntity(name="P1", kind="person"),)))
    await here.settle(world.store, world.graph.id)
    new = dict(await world.all("SELECT name, id FROM entities"))
    assert new["P1"] < min(old.values())
    assert len(await world.all("SELECT 1 FROM supports")) == 2
    assert len(await world.all("SELECT 1 FROM mentions")) == 5


async def other_reading(world: World) -> None:
    """A reading that is replaced."""
    ((number,),) = await world.all("SELECT min(id) FROM episodes")
    await world.read_again(number, said(("Rome", None, None)))


async def correction(world: World) -> None:
    """A fact that is changed by hand."""
    ((uuid, *_), *_) = await world.all("SELECT uuid FROM facts")
    change = FactChange(fact="somebody lives somewhere", vector=VECTOR)
    await world.store.write(knowledge.update_fact, world.access, uuid, change)


async def more(world: World) -> None:
    """An episode that is learned."""
    await world.say("beta delta")


async def deletion(world: World) -> None:
    """An episode that is taken out of the log."""
    ((uuid, *_), *_) = await world.all("SELECT uuid FROM episodes")
    await world.store.write(episodes.delete, world.access, uuid)


@pytest.mark.parametrize("change", [other_reading, correction, more, deletion])
async def test_who_is_outrun_changes_nothing(world: World, change: Any) -> None:
    """What was folded apart is not the graph any more; the file has what came meanwhile."""
    await world.say("alpha beta gamma", "alpha delta")
    await world.store.write(rebuild.again, world.graph.id)
    apart = await world.folded()
    await change(world)
    before, state = await world.digest(), await world.all("SELECT * FROM graphs")
    assert not await apart.put_back(fold.settle)
    await apart.close()
    assert await world.digest() == before
    assert await world.all("SELECT * FROM graphs") == state
    await here.settle(world.store, world.graph.id)
    settled = await world.digest()
    await here.fold(world.store, world.graph.id)
    assert await world.digest() == settled


@pytest.mark.parametrize("change", [correction, more])
async def test_what_is_added_meanwhile_is_caught_up_with(world: World, change: Any) -> None:
    """Then it is put back with that."""
    await world.say("alpha beta gamma", "alpha delta")
    await world.store.write(rebuild.again, world.graph.id)
    apart = await world.folded()
    await change(world)
    await change(world)
    before = await world.digest()
    assert await apart.catch_up()
    await world.go_on(apart)
    assert await apart.put_back(fold.settle)
    await apart.close()
    assert await world.digest() == before


async def test_what_was_said_and_is_not_read_yet_is_no_part_of_it(world: World) -> None:
    """It is taken in by whoever reads it, after the fold."""
    await world.say("alpha beta gamma")
    await world.store.write(rebuild.again, world.graph.id)
    await add_text(world.store, world.access, "g", "alpha delta")
    before = await world.digest()
    apart = await world.folded()
    await add_text(world.store, world.access, "g", "beta delta")
    assert await apart.catch_up()
    await world.go_on(apart)
    assert await apart.put_back(fold.settle)
    await apart.close()
    assert await world.digest() == before
    await here.learn(world.store, ScriptedReader())
    learned = await world.digest()
    assert learned != before
    await here.fold(world.store, world.graph.id)
    assert await world.digest() == learned


@pytest.mark.parametrize("change", [other_reading, deletion])
async def test_what_changed_cannot_be_caught_up_with(world: World, change: Any) -> None:
    """Places before the last one were folded already."""
    await world.say("alpha beta gamma", "alpha delta")
    apart = await world.folded()
    await change(world)
    assert not await apart.catch_up()
    await apart.close()


async def test_a_graph_that_is_gone_is_not_put_back(world: World) -> None:
    """Neither under its number nor at all."""
    await world.say("alpha beta gamma")
    apart = await world.folded()
    told = apart._apart.difference()
    await world.store.write(graphs.delete, world.access, "g")
    assert not await apart.catch_up()
    assert not await apart._put(told, fold.settle)
    await apart.close()
    assert await world.all("SELECT 1 FROM facts") == []


async def test_a_thread_that_goes_meanwhile_does_not_come_back(world: World) -> None:
    """Its messages stay in the graph without it."""
    user = await new_user(world.store, world.access, "u", first_name="Jane")
    await new_thread(world.store, world.access, "t", "u")
    await add_messages(world.store, world.access, "t", "alpha beta gamma", "alpha delta")
    await here.learn(world.store, ScriptedReader())
    world.graph = await world.store.read(graphs.of_user, world.access, "u")
    apart = await world.folded()
    await world.store.write(threads.delete_keeping_graph, world.access, "t")
    assert not await apart.put_back(fold.settle)
    assert not await apart.catch_up()
    await apart.close()
    before = await world.digest()
    await here.settle(world.store, user.graph_id)
    assert await world.digest() == before
    assert await world.all("SELECT 1 FROM summaries") == []


async def test_nobody_sees_what_is_folded_apart(world: World) -> None:
    """The file is read only, and is let go between two looks."""
    await world.say("alpha beta gamma")
    before = await world.digest()
    apart = await world.store.apart(world.graph.id)
    await apart.run(fold.start_over, world.graph.id)

    def rename(tx: Transaction) -> None:
        tx.graphs.fold_again(graph_id=world.graph.id, seq=7)

    await apart.run(rename)
    assert await world.digest() == before
    assert await world.all("SELECT fold_from FROM graphs") == [(None,)]
    await apart.close()
