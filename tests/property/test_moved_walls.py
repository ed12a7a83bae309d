"""Walls that policies draw, move and take down, while people tell, correct and delete.

Whatever the order: a fact stands on one side with all that stands behind it, what was deleted by hand
before and after is not told there again, and a fold from the first place gives the same graph.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from recollect.records import episodes, graphs, knowledge, users
from recollect.records.graphs import GraphDetails
from recollect.records.knowledge import EntityChange, FactChange
from recollect.records.users import UserDetails
from tests.contract.store.world import new_project
from tests.support import here
from tests.support.stores import open_store
from tests.unit.ingest.test_sides import World

STEPS = 25
VALUES = {"team": ["red", "blue"], "area": ["north", "south"]}
WHO = ["Adalwin", "Brunhild", "me"]
WHAT = ["zither", "walnut", "Xanten", "Wismar", "trait00001q", "trait00002q"]
BEYOND = (
    "SELECT count(*) FROM facts f JOIN supports p ON p.fact_id = f.id"
    " JOIN readings r ON r.episode_id = p.episode_id WHERE f.side <> coalesce(r.side, '')"
)
BEYOND_ENDS = (
    "SELECT count(*) FROM facts f JOIN entities n ON n.id IN (f.source_id, f.target_id)"
    " WHERE n.is_user = 0 AND n.side <> f.side"
)
GRAPH = (
    "SELECT uuid, fact, side, invalid_at, attributes FROM facts ORDER BY uuid",
    "SELECT uuid, name, names, side, attributes, summary FROM entities ORDER BY uuid",
    "SELECT side, names, attributes FROM user_sides ORDER BY side",
    "SELECT uuid, key, summary FROM observations ORDER BY uuid",
)


class Told(World):
    """A user's graph and whatever may happen to it."""

    dice: Random

    async def tell(self) -> None:
        """Somebody says a few things, with some metadata."""
        picked = {key: self.dice.choice(told) for key, told in VALUES.items()}
        said = {key: value for key, value in picked.items() if self.dice.random() < 0.7}
        words = " ".join(self.dice.choice(WHO) + " " + self.dice.choice(WHAT) for _ in range(2))
        await self.says(words, said or None, "ann")

    async def rule(self) -> None:
        """A policy names other keys."""
        await self.guard(*self.dice.sample(list(VALUES), self.dice.randrange(3)))

    async def delete_episode(self) -> None:
        """An episode goes, or is forgotten."""
        if uuid := await self._any("episodes"):
            mode = self.dice.choice(["delete", "delete", "forget"])
            await self.store.write(episodes.delete, self.access, uuid, mode)

    async def move_episode(self) -> None:
        """An episode goes to another side."""
        if uuid := await self._any("episodes"):
            key = self.dice.choice(list(VALUES))
            change = {key: self.dice.choice([None, *VALUES[key]])}
            await self.store.write(episodes.update_metadata, self.access, uuid, change)

    async def delete_fact(self) -> None:
        """A fact is removed by hand."""
        if uuid := await self._any("facts WHERE extractor IS NOT NULL"):
            await self.store.write(knowledge.delete_fact, self.access, uuid)

    async def correct_fact(self) -> None:
        """A fact is corrected by hand."""
        if uuid := await self._any("facts WHERE extractor IS NOT NULL"):
            change = FactChange(fact=f"Somebody wrote {self.dice.randrange(5)} by hand")
            await self.store.write(knowledge.update_fact, self.access, uuid, change)

    async def write_attribute(self) -> None:
        """An entity, or the user's own node, is told something by hand."""
        if uuid := await self._any("entities"):
            change = EntityChange(attributes={"trait": self.dice.choice(["by hand", None])})
            await self.store.write(knowledge.update_entity, self.access, uuid, change)

    async def _any(self, table: str) -> str | None:
        found = await self.rows(f"SELECT uuid FROM {table} ORDER BY uuid")  # noqa: S608
        return str(self.dice.choice(found)[0]) if found else None

    async def whole(self) -> list[Any]:
        """All that can be told of the graph."""
        return [await self.rows(sql) for sql in GRAPH]


STEPS_KNOWN: list[Callable[[Told], Awaitable[None]]] = [
    *[Told.tell] * 6,
    *[Told.rule] * 2,
    Told.delete_episode,
    Told.move_episode,
    *[Told.delete_fact] * 2,
    Told.correct_fact,
    Told.write_attribute,
]


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[Told]:
    """Nothing is told yet."""
    store = open_store(tmp_path, readers=1)
    access = await new_project(store, "first")
    await store.write(graphs.create, access, "g", GraphDetails())
    await store.write(users.create, access, "ann", UserDetails(first_name="Ann", last_name="Lee"))
    yield Told(store, access)
    await store.close()


async def _play(world: Told, seed: int, steps: int) -> None:
    world.dice = Random(seed)  # noqa: S311
    for _ in range(steps):
        step = world.dice.choice(STEPS_KNOWN)
        await step(world)
        if world.dice.random() < 0.6:
            await world.settle()
    await world.settle()
    assert await world.rows(BEYOND) == [(0,)]
    assert await world.rows(BEYOND_ENDS) == [(0,)]
    before = await world.whole()
    for (number,) in await world.rows("SELECT id FROM graphs"):
        await here.fold(world.store, number)
    assert await world.whole() == before


@pytest.mark.parametrize("seed", range(3))
async def test_walls_move_and_everything_stays_on_its_side(world: Told, seed: int) -> None:
    """A few histories."""
    await _play(world, seed, STEPS)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 140))
async def test_many_walls_move_and_everything_stays_on_its_side(world: Told, seed: int) -> None:
    """Many longer ones."""
    await _play(world, seed, 2 * STEPS)
