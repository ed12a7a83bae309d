"""Why a fact is known, as far as the asker may see it; and entities by what they are called."""

import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recollect.derive.knowledge import put_names
from recollect.errors import InvalidInput, NotFound
from recollect.governance import keys
from recollect.graph.types import Access
from recollect.records import knowledge, provenance
from recollect.records.knowledge import FactChange
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.sqlite import migrate
from recollect.store.sqlite.connection import connect, statements
from tests.support.stores import open_store
from tests.unit.subjects.small_world import (
    ONLY_PUBLIC,
    PUBLIC,
    SECRET,
    TOUCHED_BY_PUBLIC,
    World,
    new_world,
    seen_by,
)

END = datetime(2024, 5, 1, tzinfo=UTC)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """Bob knows Eve, as was said in public and in secret; there are two called Kim."""
    store = open_store(tmp_path)
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
    assert (ending.judge, ending.sure) == ("hand", None)


async def close(world: World, sentence: str, by: str, heard: str | None) -> None:
    """Let one fact end another on the word of a reader, as an episode was heard."""
    facts = {
        name: (await world.store.read(knowledge.fact, world.access, uuid)).id
        for name, uuid in world.facts.items()
    }

    def write(tx: Transaction) -> None:
        tx.closings.insert(
            fact_id=facts[sentence],
            by_fact_id=facts[by],
            episode_id=None if heard is None else world.episodes[heard].id,
            ended_at=rows.micros(END),
            expired_at=None,
            judge="model:episode.v2",
            sure=0.8,
        )

    await world.store.write(write)


async def test_a_closing_is_told_from_both_sides_with_whose_word_it_was(world: World) -> None:
    """Which fact, which episode, who said so and how sure."""
    await close(world, "Bob knows Eve", "Bob met Eve", "closed_talk")
    knows, met = world.facts["Bob knows Eve"], world.facts["Bob met Eve"]
    (ending,) = (await world.store.read(provenance.of_fact, world.access, knows)).endings
    (closed,) = (await world.store.read(provenance.of_fact, world.access, met)).closed
    assert ending.by_fact is not None
    assert (ending.by_fact.uuid, closed.fact.uuid) == (met, knows)
    for told in (ending, closed):
        assert told.by_episode == world.episodes["closed_talk"]
        assert (told.ended_at, told.judge, told.sure) == (END, "model:episode.v2", 0.8)


@pytest.mark.parametrize("heard", ["open_talk", "closed_talk", None])
async def test_a_closing_by_what_is_hidden_is_not_told(world: World, heard: str | None) -> None:
    """Not even that somebody said so; the fact itself tells that it ended."""
    await close(world, "Bob knows Eve", "Bob met Eve", heard)
    asker = seen_by(world.access, TOUCHED_BY_PUBLIC)
    found = await world.store.read(provenance.of_fact, asker, world.facts["Bob knows Eve"])
    assert found.endings == ()


@pytest.mark.parametrize(("heard", "told"), [("open_talk", 1), ("closed_talk", 0), (None, 1)])
async def test_what_a_fact_closed_is_told_if_nothing_of_it_is_hidden(
    world: World, heard: str | None, told: int
) -> None:
    """The closed fact and the episode that closed it."""
    await world.join("Bob", "Eve", "Bob forgot Eve", "open_talk")
    await close(world, "Bob knows Eve", "Bob forgot Eve", heard)
    await close(world, "Bob met Eve", "Bob forgot Eve", heard)
    uuid = world.facts["Bob forgot Eve"]
    assert len((await world.store.read(provenance.of_fact, world.access, uuid)).closed) == 2
    asker = seen_by(world.access, TOUCHED_BY_PUBLIC)
    found = await world.store.read(provenance.of_fact, asker, uuid)
    assert [one.fact.fact for one in found.closed] == ["Bob knows Eve"] * told


async def test_episodes_are_left_out_for_who_may_read_none(world: World) -> None:
    """What ended a fact is told all the same, without the episode."""
    await close(world, "Bob knows Eve", "Bob met Eve", "closed_talk")
    uuid = world.facts["Bob knows Eve"]
    found = await world.store.read(provenance.of_fact, world.access, uuid)
    assert provenance.with_episodes(found, world.access) == found
    without = provenance.with_episodes(found, None)
    assert without.evidence == ()
    assert [(one.by_fact, one.by_episode) for one in without.endings] == [
        (found.endings[0].by_fact, None)
    ]
    partly = provenance.with_episodes(found, seen_by(world.access, ONLY_PUBLIC))
    assert [one.episode.content for one in partly.evidence] == ["open talk"]
    assert partly.endings == without.endings


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


@pytest.mark.parametrize(
    "name",
    [
        "links.evidence_of_fact",
        "closings.endings_of_fact",
        "closings.closed_by_fact",
        "facts.reopened",
    ],
)
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
