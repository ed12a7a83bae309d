"""Why a fact is known, as far as the asker may see it; and entities by what they are called."""

import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recollect.errors import InvalidInput, NotFound
from recollect.governance import keys
from recollect.graph.types import Access
from recollect.store.knowledge import put_names
from recollect.store.sqlite import SqliteStore, migrate
from recollect.store.sqlite.connection import connect, statements
from recollect.subjects import knowledge, provenance
from recollect.subjects.knowledge import FactChange
from tests.unit.subjects.small_world import (
    ONLY_PUBLIC,
    PUBLIC,
    SECRET,
    TOUCHED_BY_PUBLIC,
    World,
    new_world,
    seen_by,
)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """Bob knows Eve, as was said in public and in secret; there are two called Kim."""
    store = SqliteStore.open(tmp_path)
    project = await store.write(keys.create_project, "first")
    access = Access(project_id=project.id, project_uuid=project.uuid, key_uuid="")
    made = await new_world(store, access)
    await made.say(open_talk=PUBLIC, closed_talk=SECRET)
    for name in ("Bob", "Eve", "Kim_Stone", "Kim_Bell"):
        await made.know(name, "open_talk", "closed_talk")
        called = [name.replace("_", " ")]
        await store.write(put_names, made.graph.id, made.entities[name], called)
    await made.join("Bob", "Eve", "Bob knows Eve", "open_talk", "closed_talk")
    await made.join("Bob", "Eve", "Bob met Eve", "closed_talk")
    yield made
    await store.close()


async def test_every_episode_behind_a_fact_is_told_in_order(world: World) -> None:
    uuid = world.facts["Bob knows Eve"]
    found = await world.store.read(provenance.of_fact, world.access, uuid)
    assert found.fact.uuid == uuid
    assert [one.episode.content for one in found.evidence] == ["open talk", "closed talk"]
    assert {one.role for one in found.evidence} == {"states"}
    assert found.endings == ()


async def test_hidden_episodes_are_not_among_the_evidence(world: World) -> None:
    asker = seen_by(world.access, TOUCHED_BY_PUBLIC)
    found = await world.store.read(provenance.of_fact, asker, world.facts["Bob knows Eve"])
    assert [one.episode.content for one in found.evidence] == ["open talk"]
    asker = seen_by(world.access, ONLY_PUBLIC)
    with pytest.raises(NotFound, match="fact not found"):
        await world.store.read(provenance.of_fact, asker, world.facts["Bob met Eve"])


async def test_an_end_that_was_set_by_hand_has_no_reason(world: World) -> None:
    end = datetime(2025, 1, 1, tzinfo=UTC)
    uuid = world.facts["Bob knows Eve"]
    change = FactChange(invalid_at=end)
    await world.store.write(knowledge.update_fact, world.access, uuid, change)
    (ending,) = (await world.store.read(provenance.of_fact, world.access, uuid)).endings
    assert (ending.by_fact, ending.by_episode, ending.ended_at) == (None, None, end)


async def test_an_entity_answers_to_its_name_and_an_unclear_one_is_asked_back(
    world: World,
) -> None:
    async def called(name: str) -> str:
        found = await world.store.read(provenance.entity_called, world.access, world.graph, name)
        return found.uuid

    assert await called("kim STONE") == world.uuids["Kim_Stone"]
    assert await called(world.uuids["Kim_Bell"]) == world.uuids["Kim_Bell"]
    with pytest.raises(InvalidInput, match=r"Kim Stone .* Kim Bell .* give the uuid"):
        await called("Kim")
    for unknown in ("Zoe", "", "!", "Kim Miller", "Bob Stone"):
        with pytest.raises(NotFound, match="entity not found"):
            await called(unknown)


@pytest.mark.parametrize("name", ["evidence_of_fact", "endings_of_fact"])
def test_what_stands_behind_a_fact_is_found_by_keys(tmp_path: Path, name: str) -> None:
    connection = connect(tmp_path / "x.db", writer=True)
    try:
        migrate.apply(connection)
        sql = statements()[name]
        values = dict.fromkeys(re.findall(r":(\w+)", sql), 1)
        plan = connection.execute(f"EXPLAIN QUERY PLAN {sql}", values).fetchall()
        assert not [row["detail"] for row in plan if row["detail"].startswith("SCAN")]
    finally:
        connection.close()
