"""A fact over our own routes: why it is known, what ended it, and taking that back."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from recollect.governance import audit, keys
from recollect.governance.audit import Entry, Wanted
from recollect.ingest import rebuild
from tests.support import here
from tests.support.asgi import Answer
from tests.support.memory import Json, Memory, remembering

PUBLIC, SECRET = {"class": "public"}, {"class": "secret"}
NOWHERE = "00000000-0000-4000-8000-000000000000"
WORKS, LEFT = "Ann Lee works at Siemens", "Ann Lee left Siemens"
READS = {"effect": "allow", "actions": ["readonly"]}
IN_PUBLIC = {"attributes": {"class": ["public"]}}


class World(Memory):
    """Ann worked at Siemens until she left, of which two messages tell."""

    works = ""
    left = ""
    hired: str = ""
    quit: str = ""

    async def ask(self, status: int, method: str, path: str, *, key: str | None = None) -> Answer:
        """One request on our own routes about a fact."""
        answer = await self.running.send(method, f"/api/v1/facts/{path}", key=key)
        assert answer.status == status, answer.body
        return answer

    async def why(self, uuid: str, *, key: str | None = None) -> Any:
        """All that is told of a fact."""
        return (await self.ask(200, "GET", uuid, key=key)).json()

    async def log(self) -> list[Entry]:
        """The entries of the audit log, newest first."""
        store = self.running.services.store
        project = await store.read(keys.project_named, keys.DEFAULT_PROJECT)
        return await store.read(audit.page, project.id, Wanted(), limit=100)

    async def found(self, query: str) -> list[Json]:
        """The facts that a search for what holds now finds."""
        asked = {"user_id": "ann", "query": query, "search_filters": HOLDING}
        return list((await self.post("/graph/search", asked))["edges"])


HOLDING = {"invalid_at": [[{"comparison_operator": "IS NULL"}]]}


async def worked(memory: Memory, left: Json) -> World:
    """Ann tells of her job in public, and that she left it with the metadata given."""
    world = World(memory.running)
    await world.thread("t")
    said = {"content": "I work at Siemens.", "created_at": "2024-01-10T00:00:00Z"}
    (world.hired,) = await world.say("t", {**said, "metadata": PUBLIC})
    said = {"content": "I left Siemens.", "created_at": "2025-03-02T00:00:00Z"}
    (world.quit,) = await world.say("t", {**said, "metadata": left})
    world.works = (await world.edge(WORKS, "user/ann"))["uuid"]
    world.left = (await world.edge(LEFT, "user/ann"))["uuid"]
    return world


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """Everything was said in public."""
    async with remembering(tmp_path) as memory:
        yield await worked(memory, PUBLIC)


@pytest.fixture
async def whispered(tmp_path: Path) -> AsyncIterator[World]:
    """That she left is a secret."""
    async with remembering(tmp_path) as memory:
        yield await worked(memory, SECRET)


async def test_a_fact_tells_what_stands_behind_it_and_what_ended_it(world: World) -> None:
    """Which episodes in which words; which fact and which episode, and on whose word."""
    told = await world.why(world.works)
    assert told["fact"]["fact"] == WORKS
    assert told["fact"]["event_at"] is None
    assert told["fact"]["invalid_at"] == "2025-03-02T00:00:00Z"
    stated, closed = told["evidence"]
    assert (stated["role"], stated["episode"]["uuid"]) == ("states", world.hired)
    assert stated["episode"]["content"][slice(*stated["span"])] == "I work at Siemens."
    assert (closed["role"], closed["episode"]["uuid"]) == ("closes", world.quit)
    (ending,) = told["endings"]
    assert (ending["by_fact"]["uuid"], ending["by_episode"]["uuid"]) == (world.left, world.quit)
    assert (ending["judge"], ending["sure"]) == ("table", None)
    assert ending["ended_at"] == told["fact"]["invalid_at"]
    assert told["closed"] == []
    assert told["reopened_at"] is None


async def test_a_fact_tells_what_it_ended(world: World) -> None:
    """The other side of the same closing."""
    told = await world.why(world.left)
    assert told["endings"] == []
    (closed,) = told["closed"]
    assert (closed["fact"]["uuid"], closed["by_episode"]["uuid"]) == (world.works, world.quit)
    assert (closed["judge"], closed["ended_at"]) == ("table", "2025-03-02T00:00:00Z")


async def test_a_closing_is_taken_back(world: World) -> None:
    """The fact holds, is found, has no ending, and says that someone opened it."""
    assert WORKS not in [one["fact"] for one in await world.found("Siemens")]
    told = (await world.ask(200, "POST", f"{world.works}/reopen")).json()
    assert (told["uuid"], told["fact"]) == (world.works, WORKS)
    assert (told["invalid_at"], told["expired_at"]) == (None, None)
    assert WORKS in [one["fact"] for one in await world.found("Siemens")]
    after = await world.why(world.works)
    assert after["endings"] == []
    assert after["reopened_at"] is not None
    assert (await world.why(world.left))["closed"] == []
    node = await world.get("/users/ann/node")
    assert WORKS in node["node"]["summary"]


async def test_what_was_taken_back_stays_open_when_the_graph_is_folded(world: World) -> None:
    """And so does what is said of it afterwards."""
    store = world.running.services.store
    await world.ask(200, "POST", f"{world.works}/reopen")
    ((graph_id,),) = world.running.rows("SELECT graph_id FROM facts WHERE uuid = ?", world.works)
    before = await store.read(rebuild.digest, graph_id)
    await here.fold(store, graph_id)
    assert await store.read(rebuild.digest, graph_id) == before
    assert (await world.edge(WORKS, "user/ann"))["uuid"] == world.works
    assert (await world.edge(WORKS, "user/ann")).get("invalid_at") is None


async def test_a_fact_without_an_end_cannot_be_opened(world: World) -> None:
    """It is a conflict, once more as well, and the log tells of the attempt."""
    await world.ask(200, "POST", f"{world.works}/reopen")
    for uuid in (world.works, world.left):
        refused = await world.ask(409, "POST", f"{uuid}/reopen")
        assert refused.message == "the fact has no end to undo"
    entry = (await world.log())[0]
    assert (entry.action, entry.outcome, entry.status) == ("graph.edge.reopen", "failed", 409)


async def test_what_is_not_there_is_neither_told_nor_opened(world: World) -> None:
    """Both routes say the same."""
    for method, path in (("GET", NOWHERE), ("POST", f"{NOWHERE}/reopen")):
        assert (await world.ask(404, method, path)).message == f"fact not found: {NOWHERE}"


async def test_the_audit_log_tells_who_took_back_what(world: World) -> None:
    """The fact by its uuid, and no word of it."""
    await world.ask(200, "POST", f"{world.works}/reopen")
    entry = (await world.log())[0]
    assert (entry.action, entry.outcome) == ("graph.edge.reopen", "done")
    assert entry.target == f"edge:{world.works}"
    assert "Siemens" not in str(entry)


async def test_a_narrowed_key_is_told_no_ending_that_rests_on_what_is_hidden(
    whispered: World,
) -> None:
    """Neither the fact nor the episode nor whose word it was."""
    own = await whispered.key({**READS, **IN_PUBLIC}, subset_match=True)
    told = await whispered.why(whispered.works, key=own)
    assert [one["episode"]["uuid"] for one in told["evidence"]] == [whispered.hired]
    assert told["endings"] == []
    await whispered.ask(404, "GET", whispered.left, key=own)
    assert whispered.left not in str(told)
    assert whispered.quit not in str(told)


async def test_a_narrowed_key_is_not_told_what_a_fact_ended_if_that_is_hidden(
    whispered: World,
) -> None:
    """Seen from the other side: the fact that ended it may be seen, the ended one may not."""
    own = await whispered.key({**READS, "attributes": {"class": ["secret"]}})
    told = await whispered.why(whispered.left, key=own)
    assert (told["fact"]["fact"], told["closed"]) == (LEFT, [])
    await whispered.ask(404, "GET", whispered.works, key=own)


async def test_episodes_are_told_to_keys_that_may_get_episodes(world: World) -> None:
    """Without that action the facts are told, and what ended them, without any episode."""
    own = await world.key({"effect": "allow", "actions": ["graph.edge.get"]})
    told = await world.why(world.works, key=own)
    assert told["evidence"] == []
    (ending,) = told["endings"]
    assert (ending["by_fact"]["uuid"], ending["by_episode"]) == (world.left, None)
    assert "I left" not in str(told)


async def test_what_was_written_as_knowledge_has_no_episode_to_read(world: World) -> None:
    """Its entry in the log is named by the fact, but is no evidence and ended nothing."""
    triple = {"source_node_name": "Ann Lee", "target_node_name": "Siemens", "fact_name": "LEFT"}
    await world.triple(**triple, fact="Ann Lee left Siemens for good")
    uuid = (await world.edge("Ann Lee left Siemens for good"))["uuid"]
    told = await world.why(uuid)
    assert (len(told["fact"]["episodes"]), told["evidence"]) == (1, [])


async def test_a_narrowed_key_opens_what_it_may_change_and_see(whispered: World) -> None:
    """As for an update: both the action and the reading of the fact count. An end that it is not told
    of is none, and stays."""
    opens = {"effect": "allow", "actions": ["graph.edge.reopen"], **IN_PUBLIC}
    reads = {**READS, **IN_PUBLIC}
    strict = await whispered.key(opens, reads)
    await whispered.ask(404, "POST", f"{whispered.works}/reopen", key=strict)
    blind = await whispered.key(opens, subset_match=True)
    await whispered.ask(403, "POST", f"{whispered.works}/reopen", key=blind)
    watching = await whispered.key(reads, subset_match=True)
    await whispered.ask(403, "POST", f"{whispered.works}/reopen", key=watching)
    assert (await whispered.edge(WORKS, "user/ann"))["invalid_at"] is not None
    own = await whispered.key(opens, reads, subset_match=True)
    await whispered.ask(409, "POST", f"{whispered.works}/reopen", key=own)
    assert (await whispered.edge(WORKS, "user/ann"))["invalid_at"] is not None
