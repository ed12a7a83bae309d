"""Observations and summaries as far as what they rest on may be seen."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recollect.derive import effective
from recollect.errors import NotFound
from recollect.governance import keys
from recollect.graph.types import Access, Json, NewEpisode
from recollect.graph.visibility import Visibility
from recollect.ingest import intake
from recollect.records import derived, seeing
from recollect.records.pages import PageRequest
from recollect.store import numbers, rows
from recollect.store.protocol import Transaction
from tests.support.stores import open_store
from tests.unit.subjects.small_world import (
    NOT_SECRET,
    ONLY_PUBLIC,
    PUBLIC,
    SECRET,
    TOUCHED_BY_PUBLIC,
    World,
    new_world,
    seen_by,
    wanting,
)

ALL = PageRequest(order="uuid/asc", limit=50)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """A thread with messages of two classes; Bob lives in Rome in public, and fears Eve."""
    store = open_store(tmp_path)
    project = await store.write(keys.create_project, "first")
    access = Access(project_id=project.id, project_uuid=project.uuid, key_uuid="")
    made = await new_world(store, access)
    await made.say(
        we_talk_in_the_open=PUBLIC, we_talk_behind_doors=SECRET, we_talk_once_more=PUBLIC
    )
    await made.know("Bob", "we_talk_in_the_open")
    await made.join("Bob", "Bob", "Bob lives in Rome", "we_talk_in_the_open")
    await made.join("Bob", "Bob", "Bob fears Eve", "we_talk_behind_doors")
    await made.join("Bob", "Bob", "Bob drinks tea", "we_talk_in_the_open", "we_talk_behind_doors")
    yield made
    await store.close()


def observe(tx: Transaction, world: World, key: str, *sentences: str) -> str:
    """An observation that rests on facts; its uuid."""
    uuid = tx.new_id()
    number = tx.observations.insert(
        **numbers.of_graph(world.graph.id),
        uuid=uuid,
        graph_id=world.graph.id,
        entity_id=world.entities["Bob"],
        kind="repeats",
        key=key,
        name=key,
        summary=key,
        label="Pattern",
        start_at=None,
        latest_evidence_at=None,
        end_at=None,
        created_at=1,
    )
    uuids = rows.to_json([world.facts[sentence] for sentence in sentences])
    found = tx.facts.by_uuids(graph_id=world.graph.id, uuids=uuids)
    tx.observations.facts_add(id=number, facts=rows.to_json([row.id for row in found]))
    return uuid


def sum_up(tx: Transaction, world: World, text: str, *sentences: str, document: bool) -> None:
    """A summary of the thread, or of the document `d`, that may speak of facts."""
    number = tx.summaries.insert(
        **numbers.of_graph(world.graph.id),
        uuid=tx.new_id(),
        graph_id=world.graph.id,
        thread_id=None if document else world.thread.id,
        document_id="d" if document else None,
        summary=text,
        now=5,
        covered_at=9,
    )
    uuids = rows.to_json([world.facts[sentence] for sentence in sentences])
    found = tx.facts.by_uuids(graph_id=world.graph.id, uuids=uuids)
    tx.summaries.facts_add(id=number, facts=rows.to_json([row.id for row in found]))
    everything = tx.episodes.last(graph_id=world.graph.id, limit=99)
    ids = rows.to_json([row.id for row in everything])
    tx.episodes.processed(graph_id=world.graph.id, ids=ids, now=7)


async def test_an_observation_is_there_with_every_fact_behind_it(world: World) -> None:
    """By its own metadata and by theirs; the hidden episodes of a visible one are not named."""
    for name, facts in {
        "open": ["Bob lives in Rome"],
        "both": ["Bob lives in Rome", "Bob fears Eve"],
        "mixed": ["Bob drinks tea"],
    }.items():
        await world.store.write(observe, world, name, *facts)

    async def seen(visibility: Visibility | None) -> dict[str, tuple[list[str], Json]]:
        access = seen_by(world.access, visibility)
        page = await world.store.read(derived.observations_page, access, world.graph, ALL)
        return {one.name: (one.episodes, dict(one.metadata)) for one in page.items}

    public = world.episodes["we_talk_in_the_open"].uuid
    secret = world.episodes["we_talk_behind_doors"].uuid
    assert (await seen(None))["both"] == ([public, secret], {"class": ["public", "secret"]})
    assert await seen(ONLY_PUBLIC) == {"open": ([public], {"class": ["public"]})}
    assert await seen(TOUCHED_BY_PUBLIC) == {
        "open": ([public], {"class": ["public"]}),
        "mixed": ([public], {"class": ["public"]}),
    }


async def test_a_hidden_observation_is_absent_to_the_letter(world: World) -> None:
    """By uuid, with the same words."""
    uuid = await world.store.write(observe, world, "both", "Bob fears Eve")
    access = seen_by(world.access, ONLY_PUBLIC)
    with pytest.raises(NotFound) as hidden:
        await world.store.read(derived.observation, access, uuid)
    assert hidden.value.message == f"observation not found: {uuid}"


async def test_a_thread_summary_is_told_again_without_what_is_hidden(world: World) -> None:
    """It reaches as far as the newest message that may be seen, and no further."""
    spoken = ("Bob lives in Rome", "Bob fears Eve")
    await world.store.write(sum_up, world, "Bob, of Rome, fears Eve.", *spoken, document=False)
    whole = await world.store.read(derived.thread_summary, world.access, "t")
    assert whole.summary == "Bob, of Rome, fears Eve."
    assert whole.metadata == {"class": ["public", "secret"]}
    wide = seen_by(world.access, TOUCHED_BY_PUBLIC)
    some = await world.store.read(derived.thread_summary, wide, "t")
    assert some.summary == "Bob lives in Rome."
    assert some.metadata == {"class": ["public"]}
    assert some.covered_at == world.episodes["we_talk_once_more"].created_at
    with pytest.raises(NotFound, match="no summary of this thread yet: t"):
        await world.store.read(derived.thread_summary, seen_by(world.access, ONLY_PUBLIC), "t")


async def test_a_summary_without_facts_is_told_again_from_messages(world: World) -> None:
    """Of those that may be seen."""
    await world.store.write(sum_up, world, "Much talk behind doors.", document=False)
    access = seen_by(world.access, TOUCHED_BY_PUBLIC)
    page = await world.store.read(derived.thread_summaries_page, access, world.graph, ALL)
    (told,) = page.items
    assert told.summary == "user: we talk in the open. user: we talk once more."


async def test_a_summary_stands_as_it_is_where_nothing_is_hidden(world: World) -> None:
    """Each class by itself, and both together, may be seen."""
    await world.store.write(sum_up, world, "As it was.", "Bob fears Eve", document=False)
    every = Visibility(
        allowed=(
            wanting(subset=True, **{"class": "public"}),
            wanting(subset=True, **{"class": "secret"}),
        )
    )
    found = await world.store.read(derived.thread_summary, seen_by(world.access, every), "t")
    assert found.summary == "As it was."


async def test_the_summary_of_a_document_follows_the_same_rule(world: World) -> None:
    """Its episodes are those of the document."""
    new = [
        NewEpisode(kind="text", content=f"{name} words are here", document_id="d", metadata=given)
        for name, given in (("open", PUBLIC), ("closed", SECRET))
    ]
    await world.store.write(intake.add_episodes, world.access, "ann", None, new)
    await world.store.write(sum_up, world, "Open and closed.", document=True)

    async def told(visibility: Visibility | None) -> list[str]:
        access = seen_by(world.access, visibility)
        page = await world.store.read(derived.document_summaries_page, access, world.graph, ALL)
        return [one.summary for one in page.items]

    assert await told(None) == ["Open and closed."]
    assert await told(TOUCHED_BY_PUBLIC) == ["open words are here."]
    assert await told(ONLY_PUBLIC) == await told(NOT_SECRET) == []


async def test_distinct_metadata_is_read_once_however_many_episodes_have_it(world: World) -> None:
    """In the order in which an episode first had it; typed, and with lists by their elements."""
    many: dict[str, Json | None] = {f"said_{n}": PUBLIC for n in range(30)}
    await world.say(**many, other={"class": ["x", 5, "5", True]}, none=None)
    await world.know("Ida", *many, "other", "none")

    def read(tx: Transaction) -> tuple[list[Json | None], dict[str, list[object]]]:
        number = world.entities["Ida"]
        given = effective.sources(tx, "entity", [number])[number]
        return given, dict(effective.of(tx, "entity", [number])[number])  # type: ignore[arg-type]

    given, carried = await world.store.read(read)
    assert given == [PUBLIC, {"class": ["x", 5, "5", True]}, None]
    assert [(type(v), v) for v in carried["class"]] == [
        (str, "public"),
        (str, "x"),
        (int, 5),
        (str, "5"),
        (bool, True),
    ]


def test_a_document_is_judged_by_its_flat_metadata() -> None:
    """Nested values are no values; what is left decides."""
    access = Access(project_id=1, project_uuid="", key_uuid="", visibility=ONLY_PUBLIC)
    assert seeing.document(access, {"class": "public", "deep": {"class": "secret"}})
    assert seeing.document(access, {"class": ["public", {"a": 1}, None]})
    assert not seeing.document(access, {"class": {"public": 1}})
    assert not seeing.document(access, None)
