"""What the explorer stands on: its files, and the routes that show a memory with its reasons."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from recollect.governance import keys
from recollect.native import pages
from recollect.store.protocol import Transaction
from tests.support.asgi import Answer
from tests.support.memory import Json, Memory, remembering

ADMIN = "the-key-of-the-administrator"
PUBLIC, SECRET = {"class": "public"}, {"class": "secret"}
READS = {"effect": "allow", "actions": ["readonly"]}
IN_PUBLIC = {"attributes": {"class": ["public"]}}
WORKS, LEFT, LIVES = (
    "Ann Lee works at Siemens",
    "Ann Lee left Siemens",
    "Ann Lee lives in Porto",
)


class World(Memory):
    """Ann tells where she works and lives in public, and in secret that she left her job."""

    async def ask(
        self,
        status: int,
        method: str,
        path: str,
        body: Any = b"",
        *,
        key: str | None = None,
        query: str = "",
        headers: tuple[tuple[str, str], ...] = (),
    ) -> Answer:
        """One request, by its whole path."""
        answer = await self.running.send(method, path, body, key=key, query=query, headers=headers)
        assert answer.status == status, answer.body
        return answer

    async def explained(self, text: str, **more: Any) -> Json:
        """A search of ann's facts with its reasons."""
        body = {"query": text, "user_id": "ann", **more}
        told: Json = (await self.ask(200, "POST", "/api/v1/search/explain", body)).json()
        return told

    async def of(self, sentence: str) -> str:
        """The uuid of a fact of ann's."""
        return str((await self.edge(sentence, "user/ann"))["uuid"])

    async def doubt(self, older: str, newer: str, sure: float) -> None:
        """Let a fact cast doubt on another, as the judge would."""
        older, newer = await self.of(older), await self.of(newer)

        ((fact_id,),) = self.running.rows("SELECT id FROM facts WHERE uuid = ?", older)
        ((by,),) = self.running.rows("SELECT id FROM facts WHERE uuid = ?", newer)
        ((episode,),) = self.running.rows(
            "SELECT min(episode_id) FROM supports WHERE fact_id = ?", by
        )
        values = {"fact_id": fact_id, "by_fact_id": by, "episode_id": episode, "sure": sure}

        def put(tx: Transaction) -> None:
            tx.doubts.insert(judge="judge.test", **values)

        await self.running.services.store.write(put)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """Two threads of ann's, all read."""
    async with remembering(tmp_path) as memory:
        made = World(memory.running)
        await made.thread("work")
        await made.thread("home")
        said = {"content": "I work at Siemens.", "created_at": "2024-01-10T00:00:00Z"}
        await made.say("work", {**said, "metadata": PUBLIC})
        said = {"content": "I live in Porto.", "created_at": "2024-02-10T00:00:00Z"}
        await made.say("home", {**said, "metadata": PUBLIC})
        said = {"content": "I left Siemens.", "created_at": "2025-03-02T00:00:00Z"}
        await made.say("work", {**said, "metadata": SECRET})
        store = made.running.services.store
        await store.write(keys.create_key, keys.DEFAULT_PROJECT, "administrator", ADMIN, admin=True)
        yield made


async def test_the_page_is_served_to_anybody_under_a_strict_policy(world: World) -> None:
    """No script or style but our own files, and text is never taken for markup."""
    page = await world.running.send("GET", "/", key="nobody")
    assert page.status == 200
    assert b"<script" in page.body
    policy = page.header("content-security-policy") or ""
    for rule in ("default-src 'none'", "script-src 'self'", "require-trusted-types-for 'script'"):
        assert rule in policy
    assert "unsafe" not in policy


async def test_its_files_are_served_with_their_type_and_once(world: World) -> None:
    """Whoever has a file is told that it is still the same."""
    assert {"index.html", "app.js", "style.css"} <= pages.names()
    for name in pages.names():
        answer = await world.ask(200, "GET", f"/explorer/{name}")
        assert "javascript" in str(answer.header("content-type")) or not name.endswith(".js")
        again = (("if-none-match", str(answer.header("etag"))),)
        assert (await world.ask(304, "GET", f"/explorer/{name}", headers=again)).body == b""
    for name in ("..%2Fasgi.py", "nothing.js", "%2e%2e", "__init__.py"):
        await world.ask(404, "GET", f"/explorer/{name}")


async def test_the_backlog_counts_what_waits_by_graph(world: World) -> None:
    """Nothing waits at first; an episode that nobody has read yet does."""
    told = (await world.ask(200, "GET", "/api/v1/jobs")).json()
    assert (told["pending"], told["parked"], told["graphs"]) == (0, 0, [])
    await world.post("/graph", {"graph_id": "g", "type": "text", "data": "Bob likes tea."})
    told = (await world.ask(200, "GET", "/api/v1/jobs")).json()
    assert told["pending"] == 1
    assert told["graphs"] == [{"graph_kind": "standalone", "graph": "g", "pending": 1}]


async def test_a_key_counts_only_what_it_may_see(world: World) -> None:
    """A hidden episode waits for nobody."""
    key = await world.key({**READS, **IN_PUBLIC})
    for data, metadata in (("Bob likes tea.", SECRET), ("Bob likes milk.", PUBLIC)):
        body = {"graph_id": "g", "type": "text", "data": data, "metadata": metadata}
        await world.post("/graph", body)
    assert (await world.ask(200, "GET", "/api/v1/jobs", key=key)).json()["pending"] == 1


async def test_a_fact_is_erased_with_a_receipt(world: World) -> None:
    """The fact is gone, what said it stays, and the receipt can be read again."""
    uuid = await world.of(LIVES)
    receipt = (await world.ask(200, "DELETE", f"/api/v1/facts/{uuid}")).json()
    assert (receipt["kind"], receipt["subject"]) == ("fact", uuid)
    assert receipt["removed"]["facts"] == 1
    assert receipt["removed"]["episodes"] == 0
    again = await world.ask(200, "GET", f"/api/v1/erasures/{receipt['uuid']}")
    assert again.json()["removed"] == receipt["removed"]
    await world.ask(404, "GET", f"/api/v1/facts/{uuid}")
    await world.ask(404, "DELETE", f"/api/v1/facts/{uuid}")


async def test_threads_are_searched_by_their_own_and_their_users_id(world: World) -> None:
    """A part of either will do, in any case."""

    async def found(text: str) -> list[str]:
        told = (await world.ask(200, "GET", "/api/v2/threads", query=f"search={text}")).json()
        assert told["total_count"] == len(told["threads"])
        return sorted(one["thread_id"] for one in told["threads"])

    assert await found("WOR") == ["work"]
    assert await found("ann") == ["home", "work"]
    assert await found("nobody") == []


async def test_lists_and_subgraphs_tell_what_stood_at_a_moment(world: World) -> None:
    """Before she left, Ann worked at Siemens; later she did not."""
    node = await world.node("Ann Lee", "user/ann")
    for moment, expected in (("2024-06-01T00:00:00Z", True), ("2025-06-01T00:00:00Z", False)):
        listed = await world.listed("edge", "user/ann", valid_at=moment)
        assert (WORKS in [one["fact"] for one in listed]) is expected
        around = {"seed_node_uuids": [node["uuid"]], "user_id": "ann", "valid_at": moment}
        near = await world.post("/graph/subgraph", around)
        assert (WORKS in [one["fact"] for one in near["edges"]]) is expected
    assert await world.listed("edge", "user/ann", known_at="2020-01-01T00:00:00Z") == []
    assert "valid_at" in await world.refused("/graph/edge/user/ann", {"valid_at": "soon"})


async def test_doubts_are_listed_and_go_when_someone_decides(world: World) -> None:
    """The surest first; keeping both takes a doubt away."""
    await world.doubt(LIVES, LEFT, 0.4)
    told = (await world.ask(200, "GET", "/api/v1/users/ann/doubts")).json()
    (doubt,) = told["doubts"]
    assert (doubt["fact"]["fact"], doubt["doubt"]["by_fact"]["fact"]) == (LIVES, LEFT)
    assert (doubt["doubt"]["sure"], doubt["doubt"]["judge"]) == (0.4, "judge.test")
    assert doubt["doubt"]["by_episode"]["content"] == "I left Siemens."
    assert told["truncated"] is False
    await world.ask(200, "POST", f"/api/v1/facts/{doubt['fact']['uuid']}/reopen")
    assert (await world.ask(200, "GET", "/api/v1/users/ann/doubts")).json()["doubts"] == []
    assert (await world.ask(200, "GET", "/api/v1/graphs/g/doubts")).json()["doubts"] == []
    await world.ask(404, "GET", "/api/v1/users/nobody/doubts")


async def test_a_doubt_is_not_told_to_who_may_not_see_its_reason(world: World) -> None:
    """That she left is a secret, and so is what it makes doubtful."""
    await world.doubt(LIVES, LEFT, 0.4)
    key = await world.key({**READS, **IN_PUBLIC})
    assert (await world.ask(200, "GET", "/api/v1/users/ann/doubts", key=key)).json()["doubts"] == []


async def test_a_search_is_explained_by_the_parts_of_its_scores(world: World) -> None:
    """It finds what a plain search finds, in that order, and the best has the best place."""
    told = await world.explained("Where does Ann live?")
    plain = await world.post("/graph/search", {"query": "Where does Ann live?", "user_id": "ann"})
    assert [one["uuid"] for one in told["hits"]] == [one["uuid"] for one in plain["edges"]]
    assert [one["score"] for one in told["hits"]] == [one["score"] for one in plain["edges"]]
    best = told["hits"][0]
    assert best["fact"]["fact"] == LIVES
    assert best["weighed"]["place"] == 1
    assert set(best["weighed"]["parts"]) == {"known", "meaning", "words", "told", "answer"}
    assert best["weighed"]["parts"]["meaning"] > 0
    assert best["weighed"]["score"] == pytest.approx(best["score"])


async def test_a_missed_fact_tells_where_it_fell_out(world: World) -> None:
    """Found, behind the limit, kept out by a filter, or not there at all."""
    lives = await world.of(LIVES)

    async def way(**more: Any) -> tuple[bool, str, bool, str]:
        missed = (await world.explained("Where does Ann live?", **more))["missed"]
        last = missed["steps"][-1]
        return missed["found"], last["name"], last["passed"], last["why"]

    assert await way(fact_uuid=lives) == (True, "answer", True, "it is in the answer")
    kept_out = {"edge_types": ["WORKS_AT"]}
    found, name, passed, why = await way(fact_uuid=lives, search_filters=kept_out)
    assert (found, name, passed, why) == (False, "filters", False, "kept out by edge_types")
    found, name, passed, why = await way(fact_uuid=await world.of(LEFT), limit=1)
    assert (found, name, passed) == (False, "answer", False)
    assert why == "reading them with the question puts 1 others before it"
    absent = "00000000-0000-4000-8000-000000000000"
    assert (await way(fact_uuid=absent))[:3] == (False, "there", False)
    assert (await way(fact_uuid=lives, scope="episodes"))[:3] == (False, "scope", False)
    refused = {"query": "x", "user_id": "ann", "scope": "auto"}
    assert "auto" in (await world.ask(400, "POST", "/api/v1/search/explain", refused)).message


async def test_a_context_tells_what_was_left_out_and_why(world: World) -> None:
    """The text is the one that an agent gets; without room, what was found is named."""
    told = (await world.ask(200, "GET", "/api/v1/threads/home/context")).json()
    plain = await world.get("/threads/home/context")
    assert told["context"] == plain["context"]
    assert "I live in Porto." in told["asked"]
    small = (
        await world.ask(200, "GET", "/api/v1/threads/home/context", query="max_characters=60")
    ).json()
    assert len(small["context"]) <= 60
    assert (LIVES, "no room left") in {
        (one["line"].split(" (")[0].strip(" -"), one["why"]) for one in small["left_out"]
    }
    await world.ask(404, "GET", "/api/v1/threads/nothing/context")


async def test_a_map_has_the_best_connected_first_and_is_cut_to_bounds(world: World) -> None:
    """Edges name nodes by their places; a label or a relation narrows both."""
    whole = (await world.ask(200, "POST", "/api/v1/graph/map", {"user_id": "ann"})).json()
    names = [one["name"] for one in whole["nodes"]]
    assert names[0] == "Ann Lee"
    assert {"Siemens", "Porto"} <= set(names)
    joined = {(names[source], names[target], name) for source, target, name in whole["edges"]}
    assert ("Ann Lee", "Porto", "LIVES_IN") in joined
    assert whole["nodes"][0]["degree"] >= 3
    cut = {"user_id": "ann", "max_nodes": 2}
    small = (await world.ask(200, "POST", "/api/v1/graph/map", cut)).json()
    assert len(small["nodes"]) == 2
    assert small["truncated"]
    assert small["nodes_total"] == whole["nodes_total"]
    living = {"user_id": "ann", "search_filters": {"edge_types": ["LIVES_IN"]}}
    narrowed = (await world.ask(200, "POST", "/api/v1/graph/map", living)).json()
    assert {one["name"] for one in narrowed["nodes"]} == {"Ann Lee", "Porto"}
    too_many = {"user_id": "ann", "max_nodes": 2_001}
    assert "max_nodes" in (await world.ask(400, "POST", "/api/v1/graph/map", too_many)).message


async def test_a_key_is_told_what_it_is(world: World) -> None:
    """Whether it manages access, and nothing that is secret."""
    own = (await world.ask(200, "GET", "/api/v1/key")).json()
    assert own["is_admin"] is False
    assert (await world.ask(200, "GET", "/api/v1/key", key=ADMIN)).json()["is_admin"] is True


async def test_an_administrator_sees_what_another_key_sees(world: World) -> None:
    """Every read is answered as that key would be answered, and nothing can be changed so."""
    secret = await world.key({**READS, **IN_PUBLIC})
    listed = (await world.ask(200, "GET", "/api/v1/keys", key=ADMIN)).json()["keys"]
    (uuid,) = [one["uuid"] for one in listed if one["name"] == "scoped"]
    seen_as: dict[str, Any] = {"key": ADMIN, "headers": (("recollect-as", uuid),)}
    for method, path, body in (
        ("POST", "/api/v2/graph/edge/user/ann", {}),
        ("GET", "/api/v2/threads/work/messages", b""),
        ("POST", "/api/v1/graph/map", {"user_id": "ann"}),
    ):
        seen = await world.ask(200, method, path, body, **seen_as)
        assert seen.body == (await world.ask(200, method, path, body, key=secret)).body
    hidden = await world.of(LEFT)
    await world.ask(404, "GET", f"/api/v1/facts/{hidden}", **seen_as)
    await world.ask(403, "GET", "/api/v1/keys", **seen_as)
    refused = await world.ask(403, "DELETE", f"/api/v1/facts/{hidden}", **seen_as)
    assert "read-only" in refused.message
    await world.ask(200, "GET", f"/api/v1/facts/{hidden}", key=ADMIN)


async def test_only_an_administrator_sees_as_another_key_of_the_project(world: World) -> None:
    """No other key may, and a key that is not there is not found."""
    nobody = (("recollect-as", "00000000-0000-4000-8000-000000000000"),)
    assert "admin" in (await world.ask(403, "GET", "/api/v1/jobs", headers=nobody)).message
    await world.ask(404, "GET", "/api/v1/jobs", key=ADMIN, headers=nobody)
