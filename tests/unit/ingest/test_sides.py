"""Where policies name keys of metadata, what episodes say under them divides a graph.

Texts are names one after the other, as the reader of `tests/property/hidden_reader.py` reads them.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from recollect.governance import policies
from recollect.graph import policy_spec
from recollect.graph.found import FoundEntity, Nodes, encode_direct
from recollect.graph.types import Access, NewEpisode
from recollect.graph.visibility import Constraint, Visibility, side, typed
from recollect.ingest import intake
from recollect.records import episodes, graphs, knowledge, users
from recollect.records.graphs import GraphDetails
from recollect.records.users import UserDetails
from recollect.store.protocol import Store
from tests.contract.store.world import new_project
from tests.property.hidden_reader import WordsReader
from tests.support import here
from tests.support.stores import open_store, raw

START = datetime(2025, 3, 1, tzinfo=UTC)
RED, BLUE = {"team": "red"}, {"team": "blue"}


@dataclass
class World:
    """A graph `g` and a user `ann` that are told things, a day apart."""

    store: Store
    access: Access
    day: int = 0

    async def says(self, text: str, metadata: Any = None, user: str | None = None) -> str:
        """An episode, read; its uuid."""
        self.day += 1
        at = START + timedelta(days=self.day)
        new = NewEpisode(kind="text", content=text, metadata=metadata, created_at=at)
        return await self._add(new, user)

    async def _add(self, new: NewEpisode, user: str | None) -> str:
        owner = None if user else "g"
        await self.store.write(intake.add_episodes, self.access, user, owner, [new])
        await self.settle()
        rows = await self.rows("SELECT uuid FROM episodes ORDER BY id DESC LIMIT 1")
        return str(rows[0][0])

    async def settle(self) -> None:
        """Read and fold all that has to be."""
        await here.learn(self.store, WordsReader())
        await here.read_over(self.store, WordsReader())
        await here.learn(self.store, WordsReader())

    async def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """What the tables say."""
        return await self.store.read(lambda tx: [tuple(row) for row in raw(tx).execute(sql, ())])

    async def facts(self) -> list[tuple[Any, ...]]:
        """Each fact with its side, how many episodes stand behind it, and whether it is over."""
        return await self.rows(
            "SELECT f.fact, f.side, count(p.episode_id), f.invalid_at IS NOT NULL FROM facts f"
            " JOIN supports p ON p.fact_id = f.id GROUP BY f.id ORDER BY f.id"
        )

    async def guard(self, *keys: str) -> None:
        """A policy that names keys of metadata, in place of the one before."""
        rule = {"id": "r", "type": "authorization", "effect": "allow", "actions": ["graph.search"]}
        rules = [rule | {"id": key, "attributes": {key: ["red"]}} for key in keys] or [rule]
        whole = {"policy_set": {"name": "s", "spec": {"policies": rules}}}
        document = policy_spec.check(whole, frozenset({"graph.search"}))
        await self.store.write(policies.apply, self.access.project_id, document)
        await self.settle()

    async def delete(self, fact: str) -> None:
        """Somebody removes the first fact of these words."""
        found = await self.rows(f"SELECT uuid FROM facts WHERE fact = '{fact}' ORDER BY id")  # noqa: S608
        await self.store.write(knowledge.delete_fact, self.access, found[0][0])
        await self.settle()

    def seeing(self, team: str) -> Access:
        """Somebody who sees what one team said."""
        only = Constraint(required=(("team", frozenset({typed(team)})),))
        return replace(self.access, visibility=Visibility(allowed=(only,)))


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """Nothing is told yet."""
    store = open_store(tmp_path, readers=1)
    access = await new_project(store, "first")
    await store.write(graphs.create, access, "g", GraphDetails())
    details = UserDetails(first_name="Ann", last_name="Lee")
    await store.write(users.create, access, "ann", details)
    yield World(store, access)
    await store.close()


def _of(metadata: Any) -> str:
    return side(metadata, ["team"])


def test_a_side_is_written_in_one_way() -> None:
    """Whatever the order and the spelling of its values; without any it is empty."""
    assert side({"a": [2, 1.0, "1"], "b": True, "c": 1}, ["b", "a"]) == side(
        {"b": [True], "a": ["1", 1, 2.0]}, ["a", "b"]
    )
    assert side({"a": 1}, ["a"]) != side({"a": "1"}, ["a"]) != side({"a": True}, ["a"])
    assert side({"c": 1}, ["a"]) == side(None, ["a"]) == ""


async def test_what_is_said_again_beyond_a_wall_is_a_fact_of_its_own(world: World) -> None:
    """With nodes, times and episodes of its own; on the same side it is the same fact."""
    await world.guard("team")
    for metadata in (RED, BLUE, RED, None, {"other": 1}):
        await world.says("Adalwin zither", metadata)
    fact = "Adalwin likes zither"
    expected = [(fact, _of(RED), 2, 0), (fact, _of(BLUE), 1, 0), (fact, "", 2, 0)]
    assert await world.facts() == expected
    nodes = await world.rows("SELECT side, count(*) FROM entities WHERE is_user = 0 GROUP BY side")
    assert sorted(nodes) == sorted([(_of(RED), 2), (_of(BLUE), 2), ("", 2)])
    times = await world.rows(
        "SELECT count(DISTINCT valid_at), count(DISTINCT created_at) FROM facts f"
    )
    assert times[0][0] >= 3


async def test_nothing_ends_beyond_a_wall(world: World) -> None:
    """Somebody moves on one side only."""
    await world.guard("team")
    await world.says("Adalwin Xanten", RED)
    await world.says("Adalwin Wismar", BLUE)
    await world.says("Adalwin Vechta", BLUE)
    assert [(fact, over) for fact, _, _, over in await world.facts()] == [
        ("Adalwin lives in Xanten", 0),
        ("Adalwin lives in Wismar", 1),
        ("Adalwin lives in Vechta", 0),
    ]


async def test_walls_are_drawn_and_taken_down_in_what_was_told_before(world: World) -> None:
    """By the policy alone; also through what callers wrote down."""
    await world.says("Adalwin zither", RED)
    await world.says("Adalwin zither", BLUE)
    nodes = encode_direct(Nodes(nodes=(FoundEntity(name="Adalwin", kind="person"),)))
    await world._add(NewEpisode(kind="nodes", content=nodes, metadata=BLUE), None)
    fact = "Adalwin likes zither"
    together = [(fact, "", 2, 0)]
    mentions = (
        "SELECT n.side, count(*) FROM mentions m JOIN entities n ON n.id = m.entity_id"
        " WHERE n.name = 'Adalwin' GROUP BY n.side ORDER BY 2"
    )
    assert await world.facts() == together
    await world.guard("team")
    assert await world.facts() == [(fact, _of(RED), 1, 0), (fact, _of(BLUE), 1, 0)]
    assert await world.rows(mentions) == [(_of(RED), 1), (_of(BLUE), 2)]
    await world.guard()
    assert await world.facts() == together
    assert await world.rows("SELECT count(*) FROM readings WHERE side IS NOT NULL") == [(0,)]


async def test_an_episode_changes_sides_with_its_metadata(world: World) -> None:
    """What it said goes along."""
    await world.guard("team")
    await world.says("Adalwin zither", RED)
    uuid = await world.says("Adalwin zither", BLUE)
    await world.store.write(episodes.update_metadata, world.access, uuid, RED)
    await world.settle()
    assert await world.facts() == [("Adalwin likes zither", _of(RED), 2, 0)]


async def test_what_a_deleted_episode_leaves_stays_on_its_side(world: World) -> None:
    """The fact keeps its uuid, since another episode of the side stands behind it."""
    await world.guard("team")
    await world.says("Adalwin zither", BLUE)
    first = await world.says("Adalwin zither", RED)
    await world.says("Adalwin zither", RED)
    before = await world.rows("SELECT uuid, side FROM facts ORDER BY id")
    await world.store.write(episodes.delete, world.access, first)
    await world.settle()
    graph = await world.store.read(graphs.get, world.access, "g")
    await here.fold(world.store, graph.id)
    assert await world.rows("SELECT uuid, side FROM facts ORDER BY id") == before
    assert [count for _, _, count, _ in await world.facts()] == [1, 1]


async def test_the_users_node_is_told_as_each_side_knows_it(world: World) -> None:
    """One node, found by one uuid; the attributes, the summary and the metadata of what is seen."""
    await world.guard("team")
    await world.says("me zither trait00001q", RED, "ann")
    await world.says("me walnut trait00002q", BLUE, "ann")
    whole = await world.store.read(users.told_node, world.access, "ann")
    assert whole.attributes is not None
    assert whole.attributes["trait"] == "trait00002q"
    for team, liked, trait in (("red", "zither", "trait00001q"), ("blue", "walnut", "trait00002q")):
        seen = await world.store.read(users.told_node, world.seeing(team), "ann")
        assert seen.uuid == whole.uuid
        assert seen.summary == f"Ann Lee likes {liked}."
        assert seen.metadata == {"team": [team]}
        assert seen.attributes == {**whole.attributes, "trait": trait}


async def test_a_name_that_one_side_gave_the_user_is_unknown_beyond(world: World) -> None:
    """Who writes it there writes of somebody else."""
    await world.guard("team")
    own = FoundEntity(name="Ann Lee", kind="person", who="user", aliases=("Adalwin",))
    alias = encode_direct(Nodes(nodes=(own,)))
    await world._add(NewEpisode(kind="nodes", content=alias, metadata=RED), "ann")
    await world.says("Adalwin zither", BLUE, "ann")
    await world.says("Adalwin walnut", RED, "ann")
    told = await world.rows(
        "SELECT f.fact, n.is_user FROM facts f JOIN entities n ON n.id = f.source_id"
        " WHERE f.extractor IS NOT NULL ORDER BY f.id"
    )
    assert told == [("Adalwin likes zither", 0), ("Adalwin likes walnut", 1)]


async def test_what_was_deleted_by_hand_before_a_wall_comes_back_on_neither_side(
    world: World,
) -> None:
    """A change that is made afterwards is one on its own side."""
    await world.says("Adalwin zither and Adalwin walnut", RED)
    await world.says("Adalwin zither and Adalwin walnut", BLUE)
    await world.delete("Adalwin likes zither")
    await world.guard("team")
    walnut = "Adalwin likes walnut"
    assert await world.facts() == [(walnut, _of(RED), 1, 0), (walnut, _of(BLUE), 1, 0)]
    await world.delete(walnut)
    graph = await world.store.read(graphs.get, world.access, "g")
    await here.fold(world.store, graph.id)
    assert await world.facts() == [(walnut, _of(BLUE), 1, 0)]
