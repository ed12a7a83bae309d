"""What people changed by hand, and what deleted episodes left, when walls are drawn or moved.

Texts are names one after the other, as the reader of `tests/property/hidden_reader.py` reads them.
"""

from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from recollect.exchange import exporter, importer
from recollect.exchange.exporter import ExportRequest
from recollect.exchange.importer import ImportTarget
from recollect.governance import keys
from recollect.graph.visibility import side
from recollect.records import cloning, episodes, graphs, knowledge, users
from recollect.records.cloning import ClonedEnds
from recollect.records.graphs import GraphDetails
from recollect.records.knowledge import EntityChange, FactChange
from recollect.records.users import UserDetails
from tests.contract.store.world import new_project
from tests.support import here
from tests.support.stores import open_store
from tests.unit.exchange.world import unseen
from tests.unit.ingest.test_sides import BLUE, RED, World

NORTH, SOUTH = {"area": "north"}, {"area": "south"}
ZITHER, WALNUT = "Adalwin likes zither", "Adalwin likes walnut"


class Edited(World):
    """The same, and what is done to it."""

    async def fold(self) -> None:
        """Fold everything from the start."""
        for (number,) in await self.rows("SELECT id FROM graphs"):
            await here.fold(self.store, number)

    async def told(self) -> list[tuple[str, str]]:
        """The facts with their sides, but for those of records."""
        return [(fact, where) for fact, where, *_ in await self.facts()]

    async def delete_on(self, fact: str, metadata: Any, *named: str) -> None:
        """Somebody removes the fact of these words on one side."""
        uuid = await self._uuid(fact, side(metadata, named))
        await self.store.write(knowledge.delete_fact, self.access, uuid)
        await self.settle()

    async def reword_on(self, fact: str, metadata: Any, to: str, *named: str) -> None:
        """Somebody corrects the fact of these words on one side."""
        uuid = await self._uuid(fact, side(metadata, named))
        await self.store.write(knowledge.update_fact, self.access, uuid, FactChange(fact=to))
        await self.settle()

    async def _uuid(self, fact: str, where: str) -> str:
        sql = "SELECT uuid, fact, side FROM facts ORDER BY id"
        return next(uuid for uuid, *said in await self.rows(sql) if said == [fact, where])

    async def forget_episode(self, uuid: str) -> None:
        """Somebody deletes an episode."""
        await self.store.write(episodes.delete, self.access, uuid)
        await self.settle()

    async def copy(self, to: str) -> None:
        """Somebody copies the graph."""
        ends = ClonedEnds(source_graph="g", target_graph=to)
        await self.store.write(cloning.clone, self.access, ends)
        await self.settle()

    async def write_on_user(self, **attributes: Any) -> None:
        """Somebody writes attributes into the user's own node."""
        node = await self.store.read(users.told_node, self.access, "ann")
        change = EntityChange(attributes=attributes)
        await self.store.write(knowledge.update_entity, self.access, node.uuid, change)
        await self.settle()

    async def trait(self, team: str) -> Any:
        """What somebody who sees one team is told of the user."""
        seen = await self.store.read(users.told_node, self.seeing(team), "ann")
        return (seen.attributes or {}).get("trait")


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[Edited]:
    """Nothing is told yet."""
    store = open_store(tmp_path, readers=1)
    access = await new_project(store, "first")
    await store.write(graphs.create, access, "g", GraphDetails())
    await store.write(users.create, access, "ann", UserDetails(first_name="Ann", last_name="Lee"))
    yield Edited(store, access)
    await store.close()


async def test_a_deletion_by_hand_stays_on_its_side_when_its_subject_is_gone(world: Edited) -> None:
    """The same words on another side are somebody else's."""
    await world.guard("team")
    red = await world.says("Adalwin zither", RED)
    await world.says("Adalwin zither", BLUE)
    await world.delete_on(ZITHER, RED, "team")
    await world.forget_episode(red)
    await world.fold()
    assert await world.told() == [(ZITHER, side(BLUE, ["team"]))]


async def test_what_is_changed_of_the_user_on_one_side_is_not_on_another(world: Edited) -> None:
    """Though facts of the user have an end in common on all sides."""
    await world.guard("team")
    red = await world.says("me zither", RED, "ann")
    await world.says("me zither", BLUE, "ann")
    await world.delete_on("Ann Lee likes zither", RED, "team")
    await world.forget_episode(red)
    await world.fold()
    assert await world.told() == [("Ann Lee likes zither", side(BLUE, ["team"]))]


async def test_a_correction_stays_on_its_side_when_its_episode_is_read_again(world: Edited) -> None:
    """Found by its words under another uuid, and on its own side only."""
    await world.guard("team")
    first = await world.says("me zither", RED, "ann")
    await world.says("me zither", RED, "ann")
    await world.says("me zither", BLUE, "ann")
    await world.reword_on("Ann Lee likes zither", RED, "Ann Lee builds zithers", "team")
    await world.store.write(episodes.delete, world.access, first, "forget")
    await world.settle()
    told = dict(map(reversed, await world.told()))
    assert told[side(BLUE, ["team"])] == "Ann Lee likes zither"


async def test_what_was_deleted_stays_so_when_a_second_key_becomes_guarded(world: Edited) -> None:
    """On all sides that its own becomes, and on no other."""
    await world.guard("team")
    for metadata in (RED | NORTH, RED | SOUTH, BLUE | NORTH):
        await world.says("Adalwin zither and Adalwin walnut", metadata)
    await world.delete_on(ZITHER, RED, "team")
    named = ["area", "team"]
    await world.guard(*named)
    expected = [(WALNUT, RED | NORTH), (WALNUT, RED | SOUTH)]
    expected += [(ZITHER, BLUE | NORTH), (WALNUT, BLUE | NORTH)]
    assert await world.told() == [(fact, side(said, named)) for fact, said in expected]
    await world.guard("area")
    assert (ZITHER, side(SOUTH, ["area"])) not in await world.told()


async def test_what_was_deleted_is_one_with_what_it_meets_when_a_wall_is_taken_down(
    world: Edited,
) -> None:
    """And it stays deleted when the wall is drawn again."""
    await world.guard("team")
    await world.says("Adalwin zither and Adalwin walnut", RED)
    await world.says("Adalwin zither and Adalwin walnut", BLUE)
    await world.delete_on(ZITHER, RED, "team")
    await world.guard()
    assert await world.told() == [(WALNUT, "")]
    await world.guard("team")
    assert {fact for fact, _ in await world.told()} == {WALNUT}


async def test_what_a_hidden_episode_left_does_not_move_when_a_second_key_is_guarded(
    world: Edited,
) -> None:
    """The fact is the one that a hidden episode brought, and has its uuid and its times."""
    await world.guard("team")
    first = await world.says("Adalwin zither", RED)
    await world.says("Adalwin zither", RED)
    await world.forget_episode(first)
    told = "SELECT uuid, created_at FROM facts WHERE extractor IS NOT NULL ORDER BY id"
    kept = await world.rows(told)
    await world.says("Adalwin zither")
    await world.guard("area", "team")
    there = side(RED, ["team"])
    assert await world.rows("SELECT DISTINCT side FROM readings WHERE remains IS NOT NULL") == [
        (there,)
    ]
    assert await world.told() == [(ZITHER, there), (ZITHER, "")]
    assert (await world.rows(told))[:1] == kept
    await world.guard()
    assert await world.rows("SELECT side FROM readings") == [(None,)] * 3


async def test_what_an_episode_left_keeps_no_name_that_only_another_side_knows(
    world: Edited,
) -> None:
    """Or a side would notice by its uuids what is said on another."""
    await world.guard("team")
    first = await world.says("Adalwin zither and Adalwin walnut", BLUE)
    await world.says("Adalwin walnut", BLUE)
    await world.says("Brunhild zither", RED)
    await world.forget_episode(first)
    (left,) = await world.rows("SELECT found FROM readings WHERE remains IS NOT NULL")
    assert "walnut" in left[0]
    assert "zither" not in left[0]
    await world.says("Adalwin zither", BLUE)
    told = "SELECT uuid, name, side FROM entities ORDER BY uuid"
    before = await world.rows(told)
    await world.fold()
    assert await world.rows(told) == before


async def test_what_an_episode_left_goes_when_nobody_knows_its_side(world: Edited) -> None:
    """It said something under the key that is guarded now; what, went with it."""
    await world.guard("team")
    first = await world.says("Adalwin zither", RED | NORTH)
    await world.says("Adalwin zither", RED)
    await world.forget_episode(first)
    before = await world.rows("SELECT uuid FROM facts")
    await world.guard("area", "team")
    assert await world.told() == [(ZITHER, side(RED, ["team"]))]
    assert await world.rows("SELECT uuid FROM facts") != before
    assert await world.rows("SELECT count(*) FROM readings WHERE remains IS NOT NULL") == [(0,)]


async def test_what_was_left_before_there_were_walls_is_public_only_if_it_was(
    world: Edited,
) -> None:
    """What carried a key that is guarded now was not."""
    plain = await world.says("Adalwin zither")
    red = await world.says("Adalwin walnut", RED)
    await world.says("Adalwin zither and Adalwin walnut")
    for uuid in (plain, red):
        await world.forget_episode(uuid)
    before = dict(await world.rows("SELECT fact, uuid FROM facts"))
    await world.guard("team")
    after = dict(await world.rows("SELECT fact, uuid FROM facts"))
    assert after[ZITHER] == before[ZITHER]
    assert after[WALNUT] != before[WALNUT]


async def test_what_is_written_by_hand_into_the_users_node_is_told_on_all_sides(
    world: Edited,
) -> None:
    """Also where a side taught the same key before; and what is taken away is gone for all."""
    await world.guard("team")
    await world.says("me zither trait00001q", RED, "ann")
    await world.says("me yoghurt", BLUE, "ann")
    await world.write_on_user(trait="by hand")
    assert [await world.trait(team) for team in ("red", "blue")] == ["by hand"] * 2
    await world.says("me walnut trait00002q", BLUE, "ann")
    await world.fold()
    assert [await world.trait(team) for team in ("red", "blue")] == ["by hand"] * 2
    await world.write_on_user(trait=None)
    await world.fold()
    assert [await world.trait(team) for team in ("red", "blue")] == [None] * 2


async def test_a_graph_with_walls_is_copied_with_its_patterns(world: Edited) -> None:
    """A pattern of one side is one of that side in the copy."""
    await world.guard("team")
    for _ in range(3):
        await world.says("Adalwin zither", RED)
    assert await world.rows("SELECT count(*) FROM observations") == [(1,)]
    await world.copy("h")
    told = "SELECT json_extract(key, '$[4]') FROM observations"
    assert await world.rows(told) == [(side(RED, ["team"]),)] * 2


async def test_a_file_that_is_read_under_new_ids_has_them_in_its_patterns(world: Edited) -> None:
    """A pattern is found again by its key, which names an entity; so it is there once."""
    await world.guard("team")
    for _ in range(3):
        await world.says("Adalwin zither", RED)
    project = await world.store.read(keys.project_named, "first")
    file = BytesIO()
    await world.store.read(
        exporter.export, ExportRequest(project=project, graph_id="g"), file.write, unseen
    )
    file.seek(0)
    target = ImportTarget(project="first", into="h", new_ids=True)
    await world.store.write(importer.load, file, target, unseen)
    told = (
        "SELECT o.uuid, o.key, n.graph_id = o.graph_id FROM observations o"
        " JOIN entities n ON n.uuid = json_extract(o.key, '$[2]') ORDER BY o.uuid"
    )
    imported = await world.rows(told)
    assert [own for *_, own in imported] == [1, 1]
    await world.fold()
    assert await world.rows(told) == imported


async def test_a_deletion_in_a_copy_stays_on_its_side(world: Edited) -> None:
    """As in the original."""
    await world.guard("team")
    for metadata in (RED, BLUE):
        await world.says("Adalwin zither and Adalwin walnut", metadata)
    await world.delete_on(ZITHER, RED, "team")
    await world.copy("h")
    assert sorted(await world.told()) == sorted(
        2
        * [
            (WALNUT, side(RED, ["team"])),
            (ZITHER, side(BLUE, ["team"])),
            (WALNUT, side(BLUE, ["team"])),
        ]
    )
