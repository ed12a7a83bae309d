"""The memory inside a program: told, asked, explained and forgotten."""

import asyncio
import shutil
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recollect import Memory
from recollect.errors import Conflict, InvalidInput, ModelUnavailable, NotFound
from recollect.governance import audit
from recollect.governance.audit import Wanted
from recollect.library.results import Entity, Episode, Fact, Observation, Summary
from recollect.models.judge import setting
from recollect.settings import Settings
from tests.unit.library.conftest import Story

UNREAD = Settings.model_validate({"extraction": "off"})


def unread(folder: Path) -> Memory:
    """A memory that stores what it is told without reading it."""
    return Memory.open(folder, settings=UNREAD)


def texts(found: list[Fact]) -> set[str]:
    return {fact.text for fact in found}


async def test_what_was_told_is_found_with_its_times_and_its_source(
    memory: Memory, story: Story
) -> None:
    (fact,) = [
        one
        for one in await memory.search("Where did Ann work?", user="ann")
        if one.name == "WORKS_AT"
    ]
    assert fact.text == str(fact) == "Ann Lee works at Siemens"
    assert (fact.source, fact.target) == ("Ann Lee", "Siemens")
    assert fact.valid_at == datetime(2024, 1, 10, tzinfo=UTC)
    assert fact.invalid_at == datetime(2025, 3, 2, 10, tzinfo=UTC)
    assert story.hired in fact.episodes
    assert fact.score is not None
    assert 0 < fact.score <= 1


@pytest.mark.parametrize(
    ("kind", "type_"),
    [
        ("facts", Fact),
        ("entities", Entity),
        ("episodes", Episode),
        ("observations", Observation),
        ("summaries", Summary),
    ],
)
async def test_each_kind_of_search_answers_with_its_own_type(
    memory: Memory, kind: Any, type_: type
) -> None:
    found = await memory.search("Siemens", user="ann", kind=kind)
    assert all(type(one) is type_ for one in found)
    assert found or kind in ("observations", "summaries")


async def test_a_search_is_narrowed_by_what_is_given(memory: Memory) -> None:
    before = await memory.search("Siemens", user="ann", valid_at="2024-06-01")
    after = await memory.search("Siemens", user="ann", valid_at=datetime(2025, 6, 1))
    assert "Ann Lee works at Siemens" in texts(before) - texts(after)
    assert texts(await memory.search("Siemens", user="ann", types=["LEFT"])) == {
        "Ann Lee left Siemens"
    }
    chat = await memory.search("Siemens", user="ann", metadata={"source": "chat"})
    assert "Ann Lee works at Siemens" in texts(chat)
    assert "Ann Lee left Siemens" not in texts(chat)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"kind": "edges"}, "kind"),
        ({"limit": 0}, "limit"),
        ({"reranker": "best"}, "reranker"),
        ({"reranker": "node_distance"}, "near"),
        ({"valid_at": "soon"}, "valid_at"),
        ({"colour": "red"}, "colour"),
    ],
)
async def test_a_search_says_what_is_wrong_with_it(
    memory: Memory, given: dict[str, Any], named: str
) -> None:
    with pytest.raises(InvalidInput, match=named):
        await memory.search("Siemens", user="ann", **given)


async def test_half_a_character_is_refused_as_a_question(memory: Memory) -> None:
    for ask in (memory.search, memory.context):
        with pytest.raises(InvalidInput, match="unpaired surrogate"):
            await ask("Siemens \ud83d", user="ann")


async def test_whose_memory_is_meant_has_to_be_said_once(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="give one"):
        await memory.search("Siemens")
    with pytest.raises(InvalidInput, match="not both"):
        await memory.facts(user="ann", graph="ships")
    with pytest.raises(NotFound, match="nobody"):
        await memory.facts(user="nobody")


async def test_context_tells_what_matters_to_a_question_or_a_thread(memory: Memory) -> None:
    asked = await memory.context("Where did I work?", user="ann")
    assert "Siemens" in asked
    assert "<USER_SUMMARY>" in asked
    assert "Siemens" in await memory.context(thread="t1")
    ships = await memory.context("What happened to the Vasa?", graph="ships")
    assert "Stockholm" in ships
    assert "<USER_SUMMARY>" not in ships
    assert "Stockholm" in await memory.context(graph="ships"), "the newest facts"


async def test_facts_are_those_that_hold_at_the_time_asked_for(memory: Memory) -> None:
    works = "Ann Lee works at Siemens"
    assert works not in texts(await memory.facts(user="ann"))
    assert works in texts(await memory.facts(user="ann", ended=True))
    assert works in texts(await memory.facts(user="ann", at="2024-06-01"))
    assert works not in texts(await memory.facts(user="ann", at="2025-06-01"))
    assert await memory.facts(user="ann", at="2024-06-01", known_at="2024-06-01") == []
    with pytest.raises(InvalidInput, match="ended"):
        await memory.facts(user="ann", at="2024-06-01", ended=True)


async def test_an_entity_is_found_by_its_name_part_of_it_or_its_uuid(memory: Memory) -> None:
    ann = await memory.entity("Ann Lee", user="ann")
    assert ann.labels == ("Entity", "User")
    assert "Ann Lee left Siemens" in texts(list(ann.facts))
    assert "Ann Lee works at Siemens" not in texts(list(ann.facts)), "it ended"
    assert await memory.entity("ann", user="ann") == ann
    assert await memory.entity(ann.uuid, user="ann") == ann
    with pytest.raises(NotFound, match="entity not found: Bosch"):
        await memory.entity("Bosch", user="ann")


async def test_a_timeline_tells_in_the_order_in_which_things_became_true(memory: Memory) -> None:
    told = [fact.text for fact in await memory.timeline("Siemens", user="ann")]
    assert told == ["Ann Lee works at Siemens", "Ann Lee left Siemens"]
    assert [str(one) for one in await memory.timeline("Siemens", user="ann", limit=1)] == told[1:]
    with pytest.raises(InvalidInput, match="limit"):
        await memory.timeline("Siemens", user="ann", limit=0)


async def test_why_quotes_the_words_behind_a_fact_and_tells_what_ended_it(
    memory: Memory, story: Story
) -> None:
    (works,) = [f for f in await memory.facts(user="ann", ended=True) if f.name == "WORKS_AT"]
    found = await memory.why(works)
    assert found == await memory.why(works.uuid)
    assert found.fact == works
    stated, closed = found.evidence
    assert (stated.role, stated.episode.uuid) == ("states", story.hired)
    assert stated.quoted == "I work at Siemens."
    assert stated.span == (14, 32)
    assert (closed.role, closed.episode.uuid, closed.episode.thread) == ("closes", story.left, "t1")
    (ending,) = found.endings
    assert ending.by_fact is not None
    assert ending.by_fact.text == "Ann Lee left Siemens"
    assert ending.ended_at == works.invalid_at
    assert ending.learned_at == works.given_up_at
    assert ending.by_episode is not None
    assert (ending.by_episode.uuid, ending.judge) == (story.left, setting().version)
    assert ending.sure is not None
    (closed_too,) = (await memory.why(ending.by_fact)).closed
    assert (closed_too.fact, closed_too.judge) == (works, setting().version)
    assert closed_too.by_episode == ending.by_episode
    with pytest.raises(NotFound, match="fact not found"):
        await memory.why("nothing")


async def test_what_an_episode_taught_can_be_asked(memory: Memory, story: Story) -> None:
    assert texts(await memory.learned(story.hired)) == {"Ann Lee works at Siemens"}


async def test_text_of_a_user_is_said_by_them_and_text_of_a_graph_by_nobody(tmp_path: Path) -> None:
    async with unread(tmp_path) as memory:
        await memory.add("Hello", user="ann")
        await memory.add("A page of a book", user="ann", kind="text")
        await memory.add([1, 2], user="ann")
        await memory.add("A ship", graph="ships")
        await memory.add("Ahoy", graph="ships", name="Jim", role="assistant")
        await memory.add("Bye", thread="t", user="bo", role="assistant", name="Al")
        (bye,) = await memory.messages("t")
        said = [
            (one.kind, one.role, one.name)
            for place in ({"user": "ann"}, {"graph": "ships"})
            for one in await _all_episodes(memory, **place)
        ]
    assert said == [
        ("message", "user", None),
        ("text", None, None),
        ("json", None, None),
        ("text", None, None),
        ("message", "assistant", "Jim"),
    ]
    assert (bye.role, bye.name, bye.thread, bye.content) == ("assistant", "Al", "t", "Bye")


async def _all_episodes(memory: Memory, **place: str) -> list[Any]:
    from recollect.app import memories
    from recollect.library import convert
    from recollect.records import episodes

    def read(tx: Any, access: Any) -> list[Any]:
        graph = memories.graph_of(tx, access, memories.MemoryRef(**place))
        return episodes.last(tx, access, graph, 10)

    services, access = memory._engine.opened
    return [convert.episode(one) for one in reversed(await services.store.read(read, access))]


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"content": " ", "user": "ann"}, "data"),
        ({"content": "Hi"}, "user, graph or thread"),
        ({"content": {"a": 1}, "thread": "t", "user": "ann"}, "content"),
        ({"content": {"a": {1}.__iter__()}, "user": "ann"}, "content"),
        ({"content": "Hi", "user": "ann", "role": "king"}, "role"),
        ({"content": "Hi", "user": "ann", "kind": "text", "role": "user"}, "role"),
        ({"content": "Hi", "user": "ann", "created_at": "soon"}, "created_at"),
        ({"content": "Hi", "user": "a/b"}, "user_id"),
        ({"content": "Hi", "user": "ann", "metadata": {"a": {"b": 1}}}, "metadata"),
        ({"content": "Hi \0", "user": "ann"}, "NUL character"),
        ({"content": "Hi \ud83d", "user": "ann"}, "unpaired surrogate"),
        ({"content": "Hi", "user": "ann", "metadata": {"a": "\ud83d"}}, "unpaired surrogate"),
    ],
)
async def test_what_cannot_be_remembered_is_refused_by_name(
    tmp_path: Path, given: dict[str, Any], named: str
) -> None:
    async with unread(tmp_path) as memory:
        with pytest.raises(InvalidInput, match=named):
            await memory.add(**given)


async def test_a_new_thread_needs_its_user_and_keeps_them(tmp_path: Path) -> None:
    async with unread(tmp_path) as memory:
        with pytest.raises(NotFound, match="give its user"):
            await memory.thread("t")
        made = await memory.thread("t", user="ann")
        assert (made.id, made.user) == ("t", "ann")
        assert (await memory.thread("t")).user == "ann"
        with pytest.raises(InvalidInput, match="'ann'"):
            await memory.add("Hi", thread="t", user="bo")


async def test_what_is_told_of_a_user_is_kept_when_more_is_told(tmp_path: Path) -> None:
    async with unread(tmp_path) as memory:
        await memory.user("ann", first_name="Ann", time_zone="Europe/Lisbon")
        ann = await memory.user("ann", last_name="Lee")
        assert ann.id == "ann"
        assert (await memory.entity("Ann Lee", user="ann")).name == "Ann Lee"
        assert "Ann" in " ".join(map(str, await ann.facts()))


async def test_what_another_program_stored_is_learned_by_whoever_works(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, workers=0) as writer, Memory.open(tmp_path) as worker:
        await writer.add("I live in Lisbon.", user="ann")
        assert "Ann lives in Lisbon" in texts(await writer.facts(user="ann"))
        assert "Ann lives in Lisbon" in texts(await worker.facts(user="ann"))


async def test_without_waiting_it_is_on_disk_and_not_yet_learned(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, workers=0) as memory:
        uuid = await memory.add("I live in Lisbon.", user="ann", wait=False)
        assert await memory.learned(uuid) == []


async def test_what_ended_a_fact_is_taken_back(story: Story, tmp_path: Path) -> None:
    """By the fact or its uuid; it is found again at once, and the log tells of it."""
    shutil.copytree(story.folder, tmp_path / "copy")
    async with Memory.open(tmp_path / "copy", workers=0) as memory:
        (works,) = [f for f in await memory.facts(user="ann", ended=True) if f.name == "WORKS_AT"]
        opened = await memory.reopen(works)
        assert (opened.uuid, opened.invalid_at, opened.given_up_at) == (works.uuid, None, None)
        assert opened in await memory.facts(user="ann")
        found = await memory.why(works)
        assert (found.endings, found.fact) == ((), opened)
        assert found.reopened_at is not None
        with pytest.raises(Conflict, match="no end"):
            await memory.reopen(works.uuid)
        with pytest.raises(NotFound, match="fact not found: nothing"):
            await memory.reopen("nothing")
        services, access = memory._engine.opened
        log = await services.store.read(audit.page, access.project_id, Wanted(), limit=1)
        assert [(one.actor, one.action) for one in log] == [("library", "graph.edge.reopen")]
        assert log[0].target == f"edge:{works.uuid}"


async def test_forgetting_takes_what_rested_on_it_and_opens_what_it_ended(
    story: Story, tmp_path: Path
) -> None:
    shutil.copytree(story.folder, tmp_path / "copy")
    async with Memory.open(tmp_path / "copy", workers=0) as memory:
        gone = await memory.forget(episode=story.left)
        assert gone.removed["episodes"] == 1
        assert gone.wiped
        assert "Ann Lee works at Siemens" in texts(await memory.facts(user="ann"))
        (works,) = [f for f in await memory.facts(user="ann") if f.name == "WORKS_AT"]
        assert (await memory.forget(fact=works.uuid)).removed == {"facts": 1}
        assert "Ann Lee works at Siemens" not in texts(await memory.search("Siemens", user="ann"))
        await (await memory.thread("t1")).forget()
        await (await memory.user("ann")).forget()
        with pytest.raises(NotFound):
            await memory.facts(user="ann")
        with pytest.raises(InvalidInput, match="exactly one"):
            await memory.forget()


async def test_what_the_library_changed_is_in_the_audit_log(tmp_path: Path) -> None:
    async with unread(tmp_path) as memory:
        await memory.add("Hello", user="ann")
        await memory.search("Hello", user="ann")
        services, access = memory._engine.opened
        log = await services.store.read(audit.page, access.project_id, Wanted(), limit=10)
    assert [(one.actor, one.action) for one in reversed(log)] == [
        ("library", "project.create"),
        ("library", "graph.add"),
    ]


async def test_a_memory_says_when_it_is_not_open(tmp_path: Path) -> None:
    memory = unread(tmp_path)
    with pytest.raises(Conflict, match="not open yet"):
        await memory.facts(user="ann")
    assert await memory is memory
    await memory.close()
    await memory.close()
    with pytest.raises(Conflict, match="closed"):
        await memory.facts(user="ann")
    with pytest.raises(Conflict, match="once"):
        await memory.__aenter__()


async def test_missing_models_are_said_before_anything_is_stored(tmp_path: Path) -> None:
    nowhere = Settings.model_validate({"models": tmp_path / "none"})
    async with Memory.open(tmp_path / "data", settings=nowhere) as memory:
        with pytest.raises(ModelUnavailable, match="recollect models install"):
            await memory.add("Hello", user="ann")
        with pytest.raises(NotFound):
            await memory.facts(user="ann")


async def test_an_unknown_project_is_refused_and_leaves_nothing_open(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    with pytest.raises(NotFound, match="'other'"):
        async with Memory.open(tmp_path, project="other"):
            pass
    assert set(threading.enumerate()) <= before | _pool()


def test_a_wrong_setting_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_READERS", "many")
    with pytest.raises(InvalidInput, match="RECOLLECT_READERS"):
        Memory.open("anywhere")


async def test_a_closed_memory_leaves_no_task_and_no_thread(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    async with Memory.open(tmp_path) as memory:
        await memory.add("I live in Lisbon.", user="ann")
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert set(threading.enumerate()) <= before | _pool()


def _pool() -> set[threading.Thread]:
    """The threads that the running loop shares and ends itself."""
    return {one for one in threading.enumerate() if one.name.startswith("asyncio_")}
