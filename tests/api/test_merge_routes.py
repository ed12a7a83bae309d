"""Two entities that are one by hand: what becomes of their facts, and taking it back."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from recollect.governance import audit, keys
from recollect.governance.audit import Entry, Wanted
from recollect.ingest import rebuild
from tests.support import here
from tests.support.asgi import Answer
from tests.support.memory import GRAPH, Json, Memory, remembering

PUBLIC, SECRET = {"class": "public"}, {"class": "secret"}
IN_PUBLIC = {"attributes": {"class": ["public"]}}
ALLOWED = ["readonly", "graph.node.merge", "graph.node.unmerge", "graph.edge.undo"]
LIKES, PLAYS = "Bob likes tea", "Robert Miles plays chess"
NOWHERE = "00000000-0000-4000-8000-000000000000"


class World(Memory):
    """Bob likes tea, and Robert Miles plays chess; they are one and the same."""

    bob = ""
    robert = ""

    async def ask(
        self, status: int, method: str, path: str, body: Any = b"", *, key: str | None = None
    ) -> Answer:
        """One request on our own routes."""
        answer = await self.running.send(method, f"/api/v1/{path}", body, key=key)
        assert answer.status == status, answer.body
        return answer

    async def merge(self, status: int = 200, *, key: str | None = None) -> Answer:
        """Say that they are one."""
        body = {"other": self.robert}
        return await self.ask(status, "POST", f"entities/{self.bob}/merge", body, key=key)

    async def unmerge(self, status: int = 200, *, key: str | None = None) -> Answer:
        """Take it back."""
        return await self.ask(status, "POST", f"entities/{self.robert}/unmerge", key=key)

    async def merged(self, *, key: str | None = None) -> list[Json]:
        """What is one by hand."""
        return list(
            (await self.ask(200, "GET", f"graphs/{GRAPH}/merges", key=key)).json()["merges"]
        )

    async def of(self, name: str) -> list[str]:
        """The facts of the one node of a name."""
        node = await self.node(name)
        return sorted(e["fact"] for e in await self.get(f"/graph/node/{node['uuid']}/entity-edges"))

    async def digest(self) -> str:
        """Of all that is known in the graph."""
        return await self.running.services.store.read(rebuild.digest, self.graph_id)

    async def fold(self) -> None:
        """Fold the graph from the beginning."""
        await here.fold(self.running.services.store, self.graph_id)

    async def forget(self, episode: str) -> None:
        """As if it had never been told."""
        path = f"/api/v1/episodes/{episode}"
        assert (await self.running.send("DELETE", path, query="mode=forget")).status == 200
        await here.settle(self.running.services.store, self.graph_id)

    @property
    def graph_id(self) -> int:
        """The row of the graph."""
        ((found,),) = self.running.rows("SELECT id FROM graphs WHERE graph_id = ?", GRAPH)
        return int(found)

    async def log(self) -> list[Entry]:
        """The entries of the audit log, newest first."""
        store = self.running.services.store
        project = await store.read(keys.project_named, keys.DEFAULT_PROJECT)
        return await store.read(audit.page, project.id, Wanted(), limit=100)


async def told(memory: Memory, one: Json, other: Json) -> World:
    """Both are known by one fact each."""
    world = World(memory.running)
    await world.triple(
        source_node_name="Bob", target_node_name="tea", fact=LIKES, fact_name="LIKES", metadata=one
    )
    await world.triple(
        source_node_name="Robert Miles",
        target_node_name="chess",
        fact=PLAYS,
        fact_name="PLAYS",
        metadata=other,
    )
    world.bob = (await world.node("Bob"))["uuid"]
    world.robert = (await world.node("Robert Miles"))["uuid"]
    return world


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """Everything was told in public."""
    async with remembering(tmp_path) as memory:
        yield await told(memory, PUBLIC, PUBLIC)


async def test_two_become_one_with_all_their_facts(world: World) -> None:
    """One node, which is found by either name; the other is listed as merged."""
    made = (await world.merge()).json()
    assert (made["uuid"], made["name"]) == (world.bob, "Bob")
    assert await world.of("Bob") == [LIKES, PLAYS]
    assert PLAYS in made["summary"]
    await world.send(404, "GET", f"/graph/node/{world.robert}")
    (one,) = await world.merged()
    assert (one["uuid"], one["name"], one["into"]["uuid"]) == (
        world.robert,
        "Robert Miles",
        world.bob,
    )


async def test_what_is_said_of_the_other_later_is_said_of_the_one(world: World) -> None:
    """By its name; its uuid is no more."""
    await world.merge()
    await world.triple(
        source_node_name="Robert Miles",
        target_node_name="Oslo",
        fact="R lives in Oslo",
        fact_name="X",
    )
    assert await world.of("Bob") == [LIKES, "R lives in Oslo", PLAYS]


async def test_a_merge_survives_a_fold(world: World) -> None:
    """The graph that is folded from the beginning is the same one."""
    await world.merge()
    await world.triple(
        source_node_name="Robert Miles",
        target_node_name="Oslo",
        fact="R lives in Oslo",
        fact_name="X",
    )
    before = await world.digest()
    await world.fold()
    assert await world.digest() == before
    assert await world.of("Bob") == [LIKES, "R lives in Oslo", PLAYS]


async def test_taking_it_back_brings_back_two_with_their_own_facts(world: World) -> None:
    """Also what was told meanwhile goes to whom it was told of."""
    before = await world.digest()
    await world.merge()
    await world.unmerge()
    assert await world.digest() == before
    await world.merge()
    await world.triple(
        source_node_name="Robert Miles",
        target_node_name="Oslo",
        fact="R lives in Oslo",
        fact_name="X",
    )
    await world.unmerge()
    assert await world.of("Bob") == [LIKES]
    assert await world.of("Robert Miles") == ["R lives in Oslo", PLAYS]
    assert (await world.node("Robert Miles"))["uuid"] == world.robert
    assert await world.merged() == []
    assert (await world.unmerge(404)).message == f"merged node not found: {world.robert}"


async def test_a_correction_of_the_other_outlives_merging_and_forgetting(world: World) -> None:
    """Its words go only with whom they are about."""
    await world.send(200, "PATCH", f"/graph/node/{world.robert}", {"summary": "A player."})
    await world.merge()
    edge = await world.edge(LIKES)
    await world.forget(edge["episodes"][0])
    await world.unmerge(404)  # with Bob there is nothing left to be merged into
    assert (await world.node("Robert Miles"))["summary"] == "A player."
    edge = await world.edge(PLAYS)
    await world.forget(edge["episodes"][0])
    assert world.running.rows("SELECT 1 FROM edits WHERE kind = 'entity.update'") == []


async def test_the_users_own_node_stays_whoever_is_named_first(world: World) -> None:
    """And takes the other in."""
    body = {"source_node_name": "Annie", "target_node_name": "tea", "fact": "Annie likes tea"}
    await world.post("/graph/add-fact-triple", {"user_id": "ann", "fact_name": "LIKES", **body})
    await world.learn()
    own = (await world.get("/users/ann/node"))["node"]["uuid"]
    other = (await world.node("Annie", "user/ann"))["uuid"]
    made = (await world.ask(200, "POST", f"entities/{other}/merge", {"other": own})).json()
    assert made["uuid"] == own
    assert (await world.edge("Annie likes tea", "user/ann"))["source_node_uuid"] == own


async def test_what_cannot_be_one(world: World) -> None:
    """The same one twice, of two graphs, and who is not there."""
    path = f"entities/{world.bob}/merge"
    assert (
        "merged with itself" in (await world.ask(400, "POST", path, {"other": world.bob})).message
    )
    own = (await world.get("/users/ann/node"))["node"]["uuid"]
    assert "different graphs" in (await world.ask(400, "POST", path, {"other": own})).message
    await world.ask(404, "POST", path, {"other": NOWHERE})
    await world.ask(404, "POST", f"entities/{world.bob}/unmerge")


async def test_the_audit_log_tells_of_both(world: World) -> None:
    """By uuids, and without a name."""
    await world.merge()
    await world.unmerge()
    back, made = (await world.log())[:2]
    assert (made.action, made.target) == ("graph.node.merge", f"node:{world.bob}")
    assert (back.action, back.target) == ("graph.node.unmerge", f"node:{world.robert}")
    assert "Robert" not in str((made, back))


async def test_a_narrowed_key_cannot_merge_what_it_does_not_see(tmp_path: Path) -> None:
    """Nor is it told of it, nor can it take back what others merged."""
    async with remembering(tmp_path) as memory:
        world = await told(memory, PUBLIC, SECRET)
        own = await world.key({"effect": "allow", "actions": ALLOWED, **IN_PUBLIC})
        await here.learn(world.running.services.store)
        await world.merge(404, key=own)
        refused = await world.merge(400)
        assert "policies separate these entities" in refused.message


async def test_a_narrowed_key_merges_what_it_sees(tmp_path: Path) -> None:
    """And takes it back; a key that sees the other side is told nothing."""
    async with remembering(tmp_path) as memory:
        world = await told(memory, PUBLIC, PUBLIC)
        own = await world.key({"effect": "allow", "actions": ALLOWED, **IN_PUBLIC})
        blind = await world.key(
            {"effect": "allow", "actions": ALLOWED, "attributes": {"class": ["secret"]}}
        )
        await here.learn(world.running.services.store)
        await world.merge(key=own)
        assert [one["uuid"] for one in await world.merged(key=own)] == [world.robert]
        assert await world.merged(key=blind) == []
        await world.unmerge(404, key=blind)
        await world.unmerge(key=own)
        assert await world.of("Robert Miles") == [PLAYS]


async def test_a_reopening_and_an_end_are_taken_back(world: World) -> None:
    """One after the other, the newest first, until nothing by hand is left."""
    uuid = (await world.edge(LIKES))["uuid"]
    await world.send(200, "PATCH", f"/graph/edge/{uuid}", {"invalid_at": "2030-01-01T00:00:00Z"})
    await world.ask(200, "POST", f"facts/{uuid}/reopen")
    undone = (await world.ask(200, "POST", f"facts/{uuid}/undo")).json()
    assert undone["invalid_at"] == "2030-01-01T00:00:00Z"
    undone = (await world.ask(200, "POST", f"facts/{uuid}/undo")).json()
    assert undone["invalid_at"] is None
    refused = await world.ask(409, "POST", f"facts/{uuid}/undo")
    assert refused.message == "the fact has no manual change to undo"
    await world.ask(404, "POST", f"facts/{NOWHERE}/undo")
