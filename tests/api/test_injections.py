"""The injection log: what went into which context, for whom and why; what it follows and what not."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from recollect.app import injections
from recollect.governance import keys
from recollect.graph.types import Access
from tests.support import here
from tests.support.asgi import program
from tests.support.memory import GRAPH, Json, Memory

CELLO = "I play the cello in an orchestra."
DOG = "My dog is called Rex."
PUBLIC, SECRET = {"class": "public"}, {"class": "secret"}


class World(Memory):
    """Ann talked of her cello and of her dog; the contexts that she gets are kept."""

    async def context(self, thread: str = "t", *, key: str | None = None, query: str = "") -> str:
        """The context of a thread."""
        path = f"/api/v2/threads/{thread}/context"
        answer = await self.running.send("GET", path, query=query, key=key)
        assert answer.status == 200, answer.body
        return str(answer.json()["context"])

    async def kept(self, *, key: str | None = None, query: str = "") -> list[Json]:
        """The log, the newest first."""
        answer = await self.running.send("GET", "/api/v1/injections", query=query, key=key)
        assert answer.status == 200, answer.body
        return list(answer.json()["injections"])

    async def lines(self, uuid: str, *, key: str | None = None) -> list[Json]:
        """The pieces of one context."""
        answer = await self.running.send("GET", f"/api/v1/injections/{uuid}", key=key)
        assert answer.status == 200, answer.body
        return list(answer.json()["lines"])

    async def newest(self, *, key: str | None = None) -> list[Json]:
        """The pieces of the newest context."""
        return await self.lines((await self.kept(key=key))[0]["uuid"], key=key)

    async def access(self) -> Access:
        """That of whoever has the folder."""
        store = self.running.services.store
        project = await store.read(keys.project_named, keys.DEFAULT_PROJECT)
        return Access(project_id=project.id, project_uuid=project.uuid, key_uuid="")

    async def settle(self) -> None:
        """Fold what has to be folded."""
        ((graph,),) = self.running.rows("SELECT id FROM graphs WHERE graph_id = ?", "ann")
        await here.settle(self.running.services.store, int(graph))


async def _told(running: Any) -> World:
    world = World(running)
    await world.post("/users", {"user_id": "ann", "first_name": "Ann", "last_name": "Lee"})
    await world.post("/graph/create", {"graph_id": GRAPH})
    for thread in ("t", "u"):
        await world.thread(thread)
    await world.say("u", {"content": CELLO, "metadata": PUBLIC})
    await world.say("u", {"content": DOG, "metadata": SECRET})
    await world.say("t", {"content": "What is my dog called?", "metadata": PUBLIC})
    return world


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """Everything is kept, questions as well."""
    async with program(tmp_path, injection_log="questions") as running:
        yield await _told(running)


async def test_the_log_tells_a_context_word_by_word_and_why(world: World) -> None:
    text = await world.context()
    assert "Rex" in text
    (one,) = await world.kept()
    assert (one["graph_kind"], one["graph"], one["thread_id"]) == ("user", "ann", "t")
    assert one["form"] == "block"
    assert one["question"] == "What is my dog called?"
    assert one["key_uuid"]
    lines = await world.newest()
    assert "".join(line["text"] for line in lines) == text
    (rex,) = [line for line in lines if line["kind"] == "fact" and "Rex" in line["text"]]
    assert rex["reason"] == "relevance"
    assert rex["score"] > 0
    assert rex["uuid"] in [edge["uuid"] for edge in await world.listed("edge", "user/ann")]
    for line in lines:
        assert (line["kind"] is None) == (line["reason"] is None), line
        assert line["kind"] is not None or "Rex" not in line["text"], "words of the block only"
    assert {line["reason"] for line in lines if line["kind"] == "user_summary"} <= {"section"}


async def test_what_is_there_because_it_is_new_says_so(world: World) -> None:
    await world.thread("empty")
    await world.context("empty")
    facts = [line for line in await world.newest() if line["kind"] == "fact"]
    assert facts
    assert {(line["reason"], line["score"]) for line in facts} == {("freshness", None)}


@pytest.mark.parametrize(
    ("query", "form"), [("mode=basic", "facts"), ("sections=facts", "narrowed")]
)
async def test_every_form_of_block_is_kept_whole(world: World, query: str, form: str) -> None:
    text = await world.context(query=query)
    (one,) = await world.kept()
    assert one["form"] == form
    assert "".join(line["text"] for line in await world.newest()) == text


async def test_a_template_is_kept_whole(world: World) -> None:
    template = "Who: %{user_summary}\nKnown: %{edges limit=5}\nNames: %{entities limit=5}"
    await world.post("/context-templates", {"template_id": "mine", "template": template})
    text = await world.context(query="template_id=mine")
    lines = await world.newest()
    assert "".join(line["text"] for line in lines) == text
    for line in lines:
        assert line["kind"] is not None or "Rex" not in line["text"], line


async def test_a_look_at_a_context_is_no_context_that_was_given(world: World) -> None:
    assert (await world.running.send("GET", "/api/v1/threads/t/context")).status == 200
    assert await world.kept() == []


async def test_what_is_forgotten_vanishes_from_the_log(world: World) -> None:
    """Facts and episodes by themselves; what was put together, and questions, with them."""
    await world.context()
    await world.context(query="mode=basic")
    assert "Rex" in str(world.running.rows("SELECT text FROM injection_lines"))
    (dog,) = [one for one in await world.listed("episodes", "user/ann") if one["content"] == DOG]
    path = f"/api/v1/episodes/{dog['uuid']}"
    assert (await world.running.send("DELETE", path, query="mode=forget")).status == 200
    for _ in range(2):
        assert "Rex" not in str(world.running.rows("SELECT text FROM injection_lines"))
        assert world.running.rows("SELECT 1 FROM injections WHERE question IS NOT NULL") == []
        await world.settle()
    assert "cello" in str(world.running.rows("SELECT text FROM injection_lines")), "the rest stays"


async def test_a_deleted_fact_vanishes_from_the_log(world: World) -> None:
    await world.context()
    (rex,) = [
        line for line in await world.newest() if line["kind"] == "fact" and "Rex" in line["text"]
    ]
    assert (await world.running.send("DELETE", f"/api/v1/facts/{rex['uuid']}")).status == 200
    left = [line["uuid"] for line in await world.newest()]
    assert rex["uuid"] not in left
    assert None not in {line["uuid"] for line in await world.newest() if line["kind"]}


async def test_the_log_of_a_user_goes_with_the_user(world: World) -> None:
    await world.context()
    await world.send(200, "DELETE", "/users/ann")
    assert world.running.rows("SELECT 1 FROM injections") == []
    assert world.running.rows("SELECT 1 FROM injection_lines") == []


async def test_a_narrowed_key_sees_its_own_and_what_it_may_see(world: World) -> None:
    rule = {"effect": "allow", "actions": ["readonly"]}
    key = await world.key({**rule, "attributes": {"class": ["public"]}})
    await world.context()
    assert await world.kept(key=key) == []
    text = await world.context(key=key)
    assert "cello" in text
    assert "Rex" not in text
    (own,) = await world.kept(key=key)
    assert own["question"] is None
    assert (await world.kept())[0]["uuid"] == own["uuid"]
    lines = await world.lines(own["uuid"], key=key)
    told = [line for line in lines if line["kind"] is not None]
    assert {line["kind"] for line in told} <= {"fact", "episode"}
    assert "cello" in str(told)
    (_, others) = await world.kept()
    path = f"/api/v1/injections/{others['uuid']}"
    assert (await world.running.send("GET", path, key=key)).status == 404


async def test_it_says_of_whom_and_page_by_page(world: World) -> None:
    for _ in range(3):
        await world.context()
    found = [one["uuid"] for one in await world.kept()]
    assert len(found) == 3
    answer = await world.running.send("GET", "/api/v1/injections", query="limit=2")
    assert [one["uuid"] for one in answer.json()["injections"]] == found[:2]
    cursor = answer.json()["next_cursor"]
    assert [one["uuid"] for one in await world.kept(query=f"limit=2&cursor={cursor}")] == found[2:]
    assert len(await world.kept(query="user_id=ann")) == 3
    assert await world.kept(query=f"graph_id={GRAPH}") == []


async def test_keeping_a_context_is_no_act_of_the_caller(world: World) -> None:
    """The audit log tells of what callers do, and a read does nothing."""
    before = world.running.rows("SELECT count(*) FROM audit_entries")
    await world.context()
    assert world.running.rows("SELECT count(*) FROM audit_entries") == before


@pytest.mark.parametrize(("chosen", "rows"), [("off", 0), ("lines", 1)])
async def test_only_what_was_chosen_is_kept(tmp_path: Path, chosen: str, rows: int) -> None:
    async with program(tmp_path, injection_log=chosen) as running:
        world = await _told(running)
        await world.context()
        assert len(await world.kept()) == rows
        assert running.rows("SELECT 1 FROM injections WHERE question IS NOT NULL") == []


async def test_the_log_is_bounded(tmp_path: Path) -> None:
    async with program(tmp_path, injection_log="lines", injection_log_rows_max=2) as running:
        world = await _told(running)
        for _ in range(3):
            await world.context()
        assert len(await world.kept()) == 2


async def test_a_replay_tells_what_would_be_different_today(world: World) -> None:
    text = await world.context()
    (one,) = await world.kept()
    services, access = world.running.services, await world.access()
    told = await injections.replay(services, access, one["uuid"])
    assert told.injection.text == text
    assert (told.changed, told.added, told.left_out) == ([], [], [])
    await world.say("u", {"content": "My dog Rex died yesterday.", "metadata": PUBLIC})
    later = await injections.replay(services, access, one["uuid"])
    assert later.injection.text == text
    assert later.added
    assert "Rex" in " ".join(later.added)


async def test_without_the_question_it_is_not_asked_again(tmp_path: Path) -> None:
    async with program(tmp_path, injection_log="lines") as running:
        world = await _told(running)
        text = await world.context()
        (one,) = await world.kept()
        told = await injections.replay(running.services, await world.access(), one["uuid"])
        assert (told.injection.text, told.added, told.left_out) == (text, None, None)
