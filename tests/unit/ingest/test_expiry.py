"""What has expired is not known any more, as if it had never been told; the operator may still look."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect.app.gate import Gate
from recollect.governance import keys
from recollect.ingest.expirer import Expirer
from recollect.ingest.folder import Folder
from recollect.mcp.actions import GET_MESSAGES
from recollect.mcp.calls import ask
from recollect.store import rows
from tests.support.asgi import Program, program

ADMIN = "the-key-of-the-one-who-manages"
START = datetime(2026, 5, 1, 12, tzinfo=UTC)
SOON = START + timedelta(hours=1)


class World:
    """A program whose time is in the hand of the test."""

    def __init__(self, kept_days: int | None = None) -> None:
        self.moment = START
        self.kept_days = kept_days
        self.running: Program

    def clock(self) -> datetime:
        return self.moment

    async def ask(self, method: str, path: str, body: Any = b"", key: str = ADMIN) -> Any:
        answer = await self.running.send(method, path, body, key=key)
        assert answer.status in (200, 201, 202), answer
        return answer.json()

    async def says(self, text: str, **more: Any) -> str:
        body = {"type": "text", "data": text, "graph_id": "shelf", **more}
        uuid: str = (await self.ask("POST", "/api/v2/graph", body))["uuid"]
        await self.running.work()
        return uuid

    async def lives_in(self, who: str, place: str, since: str, **more: Any) -> str:
        body = {
            **more,
            "graph_id": "shelf",
            "fact": f"{who} lives in {place}",
            "fact_name": "LIVES_IN",
            "source_node_name": who,
            "target_node_name": place,
            "valid_at": since,
            "created_at": since,
        }
        await self.ask("POST", "/api/v2/graph/add-fact-triple", body)
        await self.running.work()
        return next(edge["uuid"] for edge in await self.edges() if edge["fact"] == body["fact"])

    async def edges(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = await self.ask("POST", "/api/v2/graph/edge/graph/shelf", {})
        return found

    async def keeps_anything(self) -> bool:
        """Whether the store knows of anything that expires or has expired."""
        store = self.running.services.store
        due = await store.read(lambda tx: tx.expiries.due(now=1 << 60))
        return (
            due is not None or await store.read(lambda tx: tx.expiries.oldest_hidden()) is not None
        )

    async def pass_(self, **time: float) -> None:
        """Let time pass, and what has to happen by then happen."""
        self.moment += timedelta(**time)
        services = self.running.services
        await Expirer(services.store, self.kept_days, services.wipe).step()
        graphs = await services.store.read(lambda tx: tx.graphs.to_fold())
        for graph_id in graphs:
            await Folder(services.store, services.predicates).fold(graph_id)

    async def known(self) -> Any:
        """All that lists and searches tell, but for ids."""
        edges = [
            {
                key: value
                for key, value in edge.items()
                if "uuid" not in key and key not in ("episodes", "graph_id")
            }
            for edge in await self.edges()
        ]
        nodes = await self.ask("POST", "/api/v2/graph/node/graph/shelf", {})
        found = {}
        for scope in ("episodes", "edges", "nodes"):
            asked = {"query": "Anna Berlin Paris pears", "graph_id": "shelf", "scope": scope}
            hits = (await self.ask("POST", "/api/v2/graph/search", asked)).get(scope) or []
            found[scope] = [
                (hit.get("content") or hit.get("fact") or hit.get("name"), hit.get("score"))
                for hit in hits
            ]
        listed = await self.ask("GET", "/api/v2/graph/episodes/graph/shelf")
        episodes = [one["content"] for one in listed["episodes"]]
        described = sorted((node["name"], node["summary"]) for node in nodes)
        return sorted(map(str, edges)), described, found, episodes


@asynccontextmanager
async def world(folder: Path, kept_days: int | None = None) -> AsyncIterator[World]:
    made = World(kept_days)
    async with program(folder, clock=made.clock) as made.running:
        store = made.running.services.store
        await store.write(keys.create_key, "default", "admin", ADMIN, admin=True)
        await made.ask("POST", "/api/v2/graph/create", {"graph_id": "shelf"})
        yield made


async def test_an_episode_that_expires_was_never_told(tmp_path: Path) -> None:
    """Also what it had ended holds again, and nothing is found by it."""
    async with world(tmp_path / "knew") as knew, world(tmp_path / "never") as never:
        for one in (knew, never):
            await one.lives_in("Anna", "Berlin", "2023-05-01T00:00:00Z")
            await one.says("Anna likes pears.")
        moved = await knew.lives_in("Anna", "Paris", "2024-05-01T00:00:00Z")
        gone = await knew.says("Anna likes Paris.")
        (behind,) = next(e["episodes"] for e in await knew.edges() if e["uuid"] == moved)
        for uuid in (behind, gone):
            path = f"/api/v1/episodes/{uuid}/expiry"
            told = await knew.ask("PUT", path, {"expires_at": SOON.isoformat()})
            assert await knew.ask("GET", path) == told
        before = await knew.known()
        await knew.pass_(minutes=59)
        assert await knew.known() == before
        await knew.pass_(minutes=1)
        await never.pass_(hours=1)
        assert before != await knew.known()
        assert await knew.known() == await never.known()


async def test_a_fact_expires_and_its_episode_stays(tmp_path: Path) -> None:
    async with world(tmp_path) as one:
        fact = await one.lives_in("Anna", "Berlin", "2023-05-01T00:00:00Z")
        await one.lives_in("Ben", "Rome", "2023-05-01T00:00:00Z")
        path = f"/api/v1/facts/{fact}/expiry"
        await one.ask("PUT", path, {"expires_at": SOON.isoformat()})
        await one.pass_(hours=2)
        assert [edge["fact"] for edge in await one.edges()] == ["Ben lives in Rome"]
        assert (await one.running.send("GET", path, key=ADMIN)).status == 404
        (kept,) = (await one.ask("GET", "/api/v1/expired"))["expired"]
        assert (kept["uuid"], kept["kind"], kept["graph"]) == (fact, "fact", "shelf")
        assert kept["told"]["fact"] == "Anna lives in Berlin"


async def test_only_the_operator_looks_at_what_has_expired(tmp_path: Path) -> None:
    async with world(tmp_path) as one:
        uuid = await one.says("Anna likes pears.")
        await one.ask("PUT", f"/api/v1/episodes/{uuid}/expiry", {"expires_at": SOON.isoformat()})
        await one.pass_(hours=1)
        (kept,) = (await one.ask("GET", "/api/v1/expired"))["expired"]
        assert kept["told"]["content"] == "Anna likes pears."
        assert (await one.running.send("GET", "/api/v1/expired")).status == 403


@pytest.mark.parametrize(("days", "kept"), [(None, 1), (30, 1), (3, 0), (0, 0)])
async def test_it_is_forgotten_for_good_when_the_settings_say(
    tmp_path: Path, days: int | None, kept: int
) -> None:
    async with world(tmp_path, days) as one:
        uuid = await one.says("Anna likes pears.")
        await one.ask("PUT", f"/api/v1/episodes/{uuid}/expiry", {"expires_at": SOON.isoformat()})
        await one.pass_(hours=1)
        await one.pass_(days=4)
        assert len((await one.ask("GET", "/api/v1/expired"))["expired"]) == kept
        assert await one.keeps_anything() == bool(kept)


async def test_what_is_taken_back_or_deleted_does_not_expire(tmp_path: Path) -> None:
    async with world(tmp_path) as one:
        stays, gone = await one.says("Anna likes pears."), await one.says("Ben likes plums.")
        for uuid in (stays, gone):
            path = f"/api/v1/episodes/{uuid}/expiry"
            await one.ask("PUT", path, {"expires_at": SOON.isoformat()})
        await one.ask("PUT", f"/api/v1/episodes/{stays}/expiry", {"expires_at": None})
        await one.ask("DELETE", f"/api/v1/episodes/{gone}")
        assert not await one.keeps_anything()
        await one.pass_(days=1)
        assert (await one.ask("GET", "/api/v1/expired"))["expired"] == []
        assert (await one.ask("GET", f"/api/v2/graph/episodes/{stays}"))["uuid"] == stays


async def test_whoever_deletes_a_thread_deletes_what_expired_of_it(tmp_path: Path) -> None:
    async with world(tmp_path) as one:
        await one.ask("POST", "/api/v2/users", {"user_id": "ann"})
        await one.ask("POST", "/api/v2/threads", {"thread_id": "talk", "user_id": "ann"})
        said = {"messages": [{"role": "user", "content": "I like pears."}]}
        added = await one.ask("POST", "/api/v2/threads/talk/messages", said)
        path = f"/api/v1/episodes/{added['message_uuids'][0]}/expiry"
        await one.ask("PUT", path, {"expires_at": SOON.isoformat()})
        await one.pass_(hours=1)
        assert len((await one.ask("GET", "/api/v1/expired"))["expired"]) == 1
        await one.ask("DELETE", "/api/v1/threads/talk")
        assert not await one.keeps_anything()


SINCE = "2023-05-01T00:00:00Z"


async def test_it_is_hidden_from_the_moment_on_though_nobody_came_by(tmp_path: Path) -> None:
    """Nothing is forgotten in the background here: whoever asks first does not see it."""
    async with world(tmp_path) as one:
        stays = await one.says("Ben likes plums.")
        gone = await one.says("Anna likes pears.", expires_at=SOON.isoformat())
        one.moment = SOON - timedelta(microseconds=1)
        assert (await one.ask("GET", f"/api/v2/graph/episodes/{gone}"))["uuid"] == gone
        one.moment = SOON
        answer = await one.running.send("GET", f"/api/v2/graph/episodes/{gone}", key=ADMIN)
        assert answer.status == 404
        listed = await one.ask("GET", "/api/v2/graph/episodes/graph/shelf")
        assert [episode["uuid"] for episode in listed["episodes"]] == [stays]


async def test_what_another_process_lets_expire_is_hidden_within_a_second(tmp_path: Path) -> None:
    """What is next is remembered for so long; a write of its own is seen at once."""
    async with world(tmp_path) as one:
        uuid = await one.says("Anna likes pears.")
        path = f"/api/v2/graph/episodes/{uuid}"
        await one.ask("GET", path)  # and looks
        store = one.running.services.store
        due: dict[str, Any] = {"kind": "episode", "because": "{}", "expires_at": rows.micros(START)}
        ref = await store.read(lambda tx: tx.episodes.by_uuid(uuid=uuid, project_id=1))
        assert ref is not None
        await store.write(lambda tx: tx.expiries.put(graph_id=ref.graph_id, uuid=uuid, **due))
        await one.ask("GET", path)
        await asyncio.sleep(1.1)
        assert (await one.running.send("GET", path, key=ADMIN)).status == 404


async def test_a_tool_does_not_tell_it_either(tmp_path: Path) -> None:
    async with world(tmp_path) as one:
        await one.ask("POST", "/api/v2/users", {"user_id": "ann"})
        await one.ask("POST", "/api/v2/threads", {"thread_id": "talk", "user_id": "ann"})
        said = {"role": "user", "content": "I like pears.", "expires_at": SOON.isoformat()}
        await one.ask("POST", "/api/v2/threads/talk/messages", {"messages": [said]})
        one.moment = SOON
        services = one.running.services
        gate = Gate(services, [GET_MESSAGES])
        access = await gate.authenticator.access(ADMIN)
        told = await ask(gate, access, GET_MESSAGES, "talk")
        assert told["messages"] == []


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/v2/graph", {"type": "text", "data": "a", "graph_id": "shelf"}),
        ("/api/v2/graph", {"type": "json", "data": '{"a": 1}', "graph_id": "shelf"}),
        ("/api/v2/graph", {"type": "message", "data": "Ann: a", "graph_id": "shelf"}),
    ],
)
async def test_it_is_said_with_what_is_told(tmp_path: Path, path: str, body: Any) -> None:
    async with world(tmp_path) as one:
        made = await one.ask("POST", path, body | {"expires_at": SOON.isoformat()})
        told = await one.ask("GET", f"/api/v1/episodes/{made['uuid']}/expiry")
        assert datetime.fromisoformat(told["expires_at"]) == SOON


async def test_a_fact_that_is_written_down_expires_with_all_that_it_ended(tmp_path: Path) -> None:
    async with world(tmp_path / "knew") as knew, world(tmp_path / "never") as never:
        for one in (knew, never):
            await one.lives_in("Anna", "Berlin", SINCE)
        moved = await knew.lives_in(
            "Anna", "Paris", "2024-05-01T00:00:00Z", expires_at=SOON.isoformat()
        )
        assert {edge["uuid"] for edge in await knew.edges()} > {moved}
        for one in (knew, never):
            await one.pass_(hours=1)
        assert await knew.known() == await never.known()
        gone = {row["uuid"]: row for row in (await knew.ask("GET", "/api/v1/expired"))["expired"]}
        assert gone[moved]["because"]["kind"] == "episode"
        assert gone[gone[moved]["because"]["by"]]["because"]["kind"] == "said"


LASTS: dict[str, Any] = {"name": "LIVES_IN", "description": "Where", "expires_after_days": 2}


@pytest.mark.parametrize(
    "types",
    [
        {"edge_types": [LASTS]},
        {"entity_types": [LASTS | {"name": "Place"}]},
        {
            "edge_types": [LASTS],
            "entity_types": [LASTS | {"name": "Place", "expires_after_days": 9}],
        },
    ],
    ids=["of the edge", "of a node at its end", "the least of both"],
)
async def test_facts_of_a_type_expire_some_days_after_they_were_last_told(
    tmp_path: Path, types: Any
) -> None:
    async with world(tmp_path) as one:
        await one.ask("PUT", "/api/v2/entity-types", types | {"graph_ids": ["shelf"]})
        label = {"target_node_labels": ["Place"]}
        gone = await one.lives_in("Anna", "Berlin", SINCE, **label)
        stays = await one.lives_in("Ben", "Rome", SINCE, **label)
        kept = await one.lives_in("Eve", "Oslo", SINCE, **label)
        await one.ask("PUT", f"/api/v1/facts/{kept}/expiry", {"expires_at": None})
        one.moment += timedelta(days=1)
        assert await one.lives_in("Ben", "Rome", SINCE, **label) == stays
        one.moment += timedelta(days=1)
        assert {edge["uuid"] for edge in await one.edges()} == {stays, kept}
        told = (await one.ask("GET", "/api/v1/expired"))["expired"]
        assert [(row["uuid"], row["because"]["kind"]) for row in told] == [(gone, "type")]
        await one.pass_(days=1)
        assert {edge["uuid"] for edge in await one.edges()} == {kept}


@pytest.mark.parametrize("days", [0, -1, 1e9])
async def test_a_type_lasts_for_a_while(tmp_path: Path, days: float) -> None:
    async with world(tmp_path) as one:
        body = {"edge_types": [LASTS | {"expires_after_days": days}]}
        answer = await one.running.send("PUT", "/api/v2/entity-types", body, key=ADMIN)
        assert answer.status == 400
        assert "edge_types[0].expires_after_days" in answer.json()["message"]


async def test_the_audit_log_tells_it_as_a_change(tmp_path: Path) -> None:
    async with world(tmp_path) as one:
        uuid = await one.says("Anna likes pears.")
        path = f"/api/v1/episodes/{uuid}/expiry"
        for at in (SOON.isoformat(), None):
            await one.ask("PUT", path, {"expires_at": at})
        entries = (await one.ask("GET", "/api/v1/audit"))["entries"]
        told = [entry for entry in entries if entry["target"] == f"episode:{uuid}"]
        assert [entry["action"] for entry in told] == ["graph.episode.update"] * 2


async def test_whoever_may_not_delete_lets_nothing_expire(tmp_path: Path) -> None:
    async with world(tmp_path) as one:
        uuid = await one.says("Anna likes pears.")
        rule = {"id": "keeps", "type": "authorization", "effect": "deny"}
        spec = {"policies": [rule | {"actions": ["graph.episode.delete"]}]}
        rules = {"policy_set": {"name": "keeps", "spec": spec}}
        await one.ask("PUT", "/api/v1/policy-sets", rules)
        key = await one.ask("POST", "/api/v1/keys", {"name": "keeper"})
        await one.ask("PUT", f"/api/v1/keys/{key['uuid']}/policy-sets/keeps")
        path = f"/api/v1/episodes/{uuid}/expiry"
        for at, status in ((SOON.isoformat(), 403), (None, 200)):
            answer = await one.running.send("PUT", path, {"expires_at": at}, key=key["secret"])
            assert answer.status == status, answer


async def test_what_was_kept_of_a_fact_stays_when_something_else_is_deleted(tmp_path: Path) -> None:
    """It had been written by hand, and its episode went with it."""
    async with world(tmp_path) as one:
        fact, other = (
            await one.lives_in("Anna", "Berlin", SINCE),
            await one.says("Ben likes plums."),
        )
        await one.ask("PUT", f"/api/v1/facts/{fact}/expiry", {"expires_at": SOON.isoformat()})
        await one.pass_(hours=1)
        await one.ask("DELETE", f"/api/v1/episodes/{other}")
        (kept,) = (await one.ask("GET", "/api/v1/expired"))["expired"]
        assert (kept["uuid"], kept["because"]["kind"]) == (fact, "said")
