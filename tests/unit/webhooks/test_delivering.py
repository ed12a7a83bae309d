"""A project is told what happened, at least once, signed, and by nobody else's hook."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect.governance import keys, outbox
from recollect.graph.webhooks import EVENTS
from recollect.ingest import queue
from recollect.webhooks import deliverer, sending
from recollect.webhooks.deliverer import Deliverer
from tests.support.asgi import Program, program
from tests.support.certificates import Authority
from tests.support.receiver import LOOPBACK, Receiver, receiving, status

ADMIN = "the-key-of-the-one-who-manages"
SOON: dict[str, Any] = {
    "webhook_backoff_first_s": 0.05,
    "webhook_timeout_s": 0.5,
    "webhook_private": LOOPBACK,
}


class World:
    """A program that delivers, and somebody who is told."""

    def __init__(self, running: Program, receiver: Receiver) -> None:
        self.running, self.receiver = running, receiver
        self.hook: dict[str, Any] = {}

    async def ask(self, method: str, path: str, body: Any = b"", key: str = ADMIN) -> Any:
        answer = await self.running.send(method, path, body, key=key)
        assert answer.status in (200, 201, 202), answer
        return answer.json()

    async def register(self, **more: Any) -> dict[str, Any]:
        body = {"url": self.receiver.url, "events": list(EVENTS), **more}
        self.hook = await self.ask("POST", "/api/v1/webhooks", body)
        return self.hook

    async def says(self, text: str, graph: str = "shelf") -> str:
        added = await self.ask(
            "POST", "/api/v2/graph", {"type": "text", "data": text, "graph_id": graph}
        )
        await self.running.work()
        return str(added["uuid"])

    async def deliveries(self, query: str = "") -> list[dict[str, Any]]:
        path = f"/api/v1/webhooks/{self.hook['uuid']}/deliveries"
        answer = await self.running.send("GET", path, query=query, key=ADMIN)
        found: list[dict[str, Any]] = answer.json()["deliveries"]
        return found

    async def ended(self, state: str, count: int = 1) -> list[dict[str, Any]]:
        """Wait until so many deliveries have come to an end."""
        async with asyncio.timeout(20):
            while len(found := await self.deliveries(f"state={state}")) < count:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        return found


@asynccontextmanager
async def world(
    folder: Path, *answers: bytes | None, tls: ssl.SSLContext | None = None, **chosen: Any
) -> AsyncIterator[World]:
    async with (
        receiving(*answers, tls=tls) as receiver,
        program(folder, **SOON | chosen) as running,
        delivering(running),
    ):
        await running.services.store.write(keys.create_key, "default", "admin", ADMIN, admin=True)
        made = World(running, receiver)
        await made.ask("POST", "/api/v2/graph/create", {"graph_id": "shelf"})
        yield made


@asynccontextmanager
async def delivering(running: Program) -> AsyncIterator[None]:
    at_work = Deliverer(running.services.store, running.services.settings, running.services.clock)
    task = asyncio.create_task(at_work.run())
    try:
        yield
    finally:
        at_work.stop()
        await task


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deliverer, "_POLL_S", 0.02)


async def test_an_episode_is_told_of_in_ids_and_times_and_signed(tmp_path: Path) -> None:
    async with world(tmp_path) as told:
        hook = await told.register()
        uuid = await told.says("Anna likes pears.")
        (heard,) = await told.receiver.until(bool)
        assert heard.target == "/told?of=it"
        assert heard.is_signed_with(hook["secret"])
        assert not heard.is_signed_with("whsec_" + "A" * 43 + "=")
        assert heard.body["type"] == "episode.processed"
        assert heard.body["data"]["episode_uuid"] == uuid
        assert heard.body["data"]["graph_id"] == "shelf"
        assert b"pears" not in heard.raw
        (delivery,) = await told.ended("delivered")
        assert heard.headers["webhook-id"] == delivery["uuid"]
        assert [one["status"] for one in delivery["tries"]] == [204]
        shown = await told.ask("GET", "/api/v1/webhooks")
        assert hook["secret"] not in str(shown)


@pytest.fixture
def authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Authority]:
    """One that this machine trusts, as `SSL_CERT_FILE` says."""
    made = Authority(tmp_path / "authority")
    monkeypatch.setenv("SSL_CERT_FILE", str(made.cert))
    sending.trusted.cache_clear()
    yield made
    sending.trusted.cache_clear()


async def test_a_receiver_behind_tls_is_told_and_tried_again(
    tmp_path: Path, authority: Authority
) -> None:
    async with world(tmp_path / "data", status(503), tls=authority.server("localhost")) as told:
        hook = await told.register()
        await told.says("Anna likes pears.")
        heard = await told.receiver.until(lambda heard: len(heard) == 2)
        assert all(one.is_signed_with(hook["secret"]) for one in heard)
        (delivery,) = await told.ended("delivered")
        assert [one["status"] for one in delivery["tries"]] == [503, 204]


@pytest.mark.parametrize(("stranger", "name"), [(True, "localhost"), (False, "elsewhere.example")])
async def test_nobody_is_told_who_is_not_vouched_for(
    tmp_path: Path, authority: Authority, stranger: bool, name: str
) -> None:
    """By an authority that is trusted here, and under the name that is called."""
    by = Authority(tmp_path / "stranger") if stranger else authority
    async with world(tmp_path / "data", tls=by.server(name), webhook_attempts_max=1) as told:
        await told.register()
        await told.says("Anna likes pears.")
        (delivery,) = await told.ended("given_up")
        assert told.receiver.heard == []
        assert delivery["tries"][0]["error"].startswith("SSLCertVerificationError")


async def test_after_a_change_both_secrets_sign_for_a_while(tmp_path: Path) -> None:
    async with world(tmp_path) as told:
        old = (await told.register())["secret"]
        path = f"/api/v1/webhooks/{told.hook['uuid']}/rotate"
        new = (await told.ask("POST", path, {"grace_h": 1}))["secret"]
        await told.says("Anna likes pears.")
        (heard,) = await told.receiver.until(bool)
        assert heard.is_signed_with(old)
        assert heard.is_signed_with(new)
        last = (await told.ask("POST", path, {"grace_h": 0}))["secret"]
        await told.says("Ben likes plums.")
        _, heard = await told.receiver.until(lambda heard: len(heard) == 2)
        assert [heard.is_signed_with(one) for one in (old, new, last)] == [False, False, True]
        assert len(heard.headers["webhook-signature"].split(" ")) == 1


async def test_the_old_secret_signs_no_more_after_its_time(tmp_path: Path) -> None:
    later = timedelta(0)
    async with world(tmp_path, clock=lambda: datetime.now(UTC) + later) as told:
        old = (await told.register())["secret"]
        path = f"/api/v1/webhooks/{told.hook['uuid']}/rotate"
        new = (await told.ask("POST", path, {"grace_h": 0.02}))["secret"]
        later = timedelta(minutes=2)
        await told.says("Anna likes pears.")
        (heard,) = await told.receiver.until(bool)
        assert (heard.is_signed_with(old), heard.is_signed_with(new)) == (False, True)
        answer = await told.running.send("POST", path, {"grace_h": -1}, key=ADMIN)
        assert answer.status == 400


async def test_words_are_told_to_whoever_asks_for_them(tmp_path: Path) -> None:
    async with world(tmp_path) as told:
        await told.register(with_text=True)
        await told.says("Anna likes pears.")
        (heard,) = await told.receiver.until(bool)
        assert heard.body["data"]["text"] == "Anna likes pears."


async def test_a_fact_that_ends_is_told_of_once(tmp_path: Path) -> None:
    async with world(tmp_path) as told:
        await told.register(events=["fact.closed"])
        old, _ = await tell_two_facts(told)
        (heard,) = await told.receiver.until(bool)
        assert heard.body["data"]["fact_uuid"] == old
        assert heard.body["data"]["invalid_at"] == "2024-05-01T00:00:00Z"
        assert heard.body["data"]["episode_uuid"] is not None
        other = (await tell_two_facts(told, "Ben"))[1]
        change = {"invalid_at": "2025-01-01T00:00:00Z"}
        await told.ask("PATCH", f"/api/v2/graph/edge/{other}", change)
        heard_all = await told.receiver.until(lambda heard: len(heard) == 3)
        assert heard_all[-1].body["data"]["fact_uuid"] == other


async def tell_two_facts(told: World, who: str = "Anna") -> tuple[str, str]:
    """Where somebody lives, and then elsewhere, as callers write it down."""
    for place, since in (("Berlin", "2023-05-01"), ("Paris", "2024-05-01")):
        body = {
            "graph_id": "shelf",
            "fact": f"{who} lives in {place}",
            "fact_name": "LIVES_IN",
            "source_node_name": who,
            "target_node_name": place,
            "valid_at": f"{since}T00:00:00Z",
            "created_at": f"{since}T00:00:00Z",
        }
        await told.ask("POST", "/api/v2/graph/add-fact-triple", body)
        await told.running.work()
    edges = await told.ask("POST", "/api/v2/graph/edge/graph/shelf", {})
    uuids = {edge["fact"]: edge["uuid"] for edge in edges}
    return uuids[f"{who} lives in Berlin"], uuids[f"{who} lives in Paris"]


async def test_a_job_that_is_parked_is_told_of(tmp_path: Path) -> None:
    async with world(tmp_path) as told:
        await told.register(events=["job.parked"])
        uuid = (
            await told.ask(
                "POST", "/api/v2/graph", {"type": "text", "data": "x", "graph_id": "shelf"}
            )
        )["uuid"]
        store = told.running.services.store
        held = await store.write(queue.claim, "test")
        assert held is not None
        tries: dict[str, Any] = {"attempts_max": 1, "backoff_first_s": 1.0}
        assert await store.write(queue.fail, held, held.jobs[0], "broken", **tries)
        (heard,) = await told.receiver.until(bool)
        assert heard.body["type"] == "job.parked"
        assert (heard.body["data"]["episode_uuid"], heard.body["data"]["attempts"]) == (uuid, 1)
        assert b"broken" not in heard.raw


async def test_what_fails_is_tried_again_under_the_same_id(tmp_path: Path) -> None:
    """It fails, redirects, says nothing, says nonsense and too much, and is well at last."""
    long = b"HTTP/1.1 103 Early\r\n" + b"x: y\r\n" * 10_000
    moved = status(302, "Location: http://127.0.0.1:1/elsewhere")
    answers = (status(500), moved, None, b"nonsense\r\n\r\n", long)
    async with world(tmp_path, *answers, webhook_backoff_first_s=0.001) as told:
        await told.register()
        await told.says("Anna likes pears.")
        heard = await told.receiver.until(lambda heard: len(heard) == 6)
        assert len({one.headers["webhook-id"] for one in heard}) == 1
        assert {one.target for one in heard} == {"/told?of=it"}
        (delivery,) = await told.ended("delivered")
        assert [one["status"] for one in delivery["tries"]] == [500, 302, None, None, None, 204]
        assert delivery["tries"][2]["error"] == "no answer within 0.5 s"


async def test_what_fails_too_often_is_given_up_in_the_open(tmp_path: Path) -> None:
    async with world(tmp_path, status(500), status(500), webhook_attempts_max=2) as told:
        await told.register()
        await told.says("Anna likes pears.")
        (delivery,) = await told.ended("given_up")
        assert delivery["attempts"] == 2
        (hook,) = (await told.ask("GET", "/api/v1/webhooks"))["webhooks"]
        assert (hook["given_up"], hook["waiting"]) == (1, 0)
        metrics = (await told.running.send("GET", "/metrics")).body
        assert b'recollect_webhook_deliveries{state="given_up"} 1.0' in metrics
        again = f"/api/v1/webhooks/{hook['uuid']}/deliveries/{delivery['uuid']}/redeliver"
        await told.ask("POST", again)
        (delivery,) = await told.ended("delivered")
        assert [one["status"] for one in delivery["tries"]] == [500, 500, 204]


async def test_one_that_is_gone_is_switched_off(tmp_path: Path) -> None:
    async with world(tmp_path, status(410)) as told:
        await told.register()
        await told.says("Anna likes pears.")
        await told.ended("given_up")
        (hook,) = (await told.ask("GET", "/api/v1/webhooks"))["webhooks"]
        assert hook["off"] == outbox.GONE_REASON
        await told.says("Anna likes plums.")
        assert len(await told.deliveries()) == 1, "nothing further is owed to it"
        await told.ask("PATCH", f"/api/v1/webhooks/{hook['uuid']}", {"on": True})
        await told.says("Anna likes figs.")
        await told.ended("delivered")


async def test_a_slow_one_keeps_no_other_waiting(tmp_path: Path) -> None:
    async with world(tmp_path, *[None] * 50) as told, receiving() as quick:
        await told.register()
        told.receiver, slow = quick, told.receiver
        await told.register()
        for number in range(5):
            await told.says(f"Anna likes fruit {number}.")
        async with asyncio.timeout(2):
            await quick.until(lambda heard: len(heard) == 5)
        assert len(slow.heard) < 5


async def test_private_addresses_are_refused_when_called_and_when_registered(
    tmp_path: Path,
) -> None:
    async with world(tmp_path, webhook_private="") as told:
        body = {"url": told.receiver.url, "events": ["episode.processed"]}
        answer = await told.running.send("POST", "/api/v1/webhooks", body, key=ADMIN)
        assert answer.status == 403
        name = told.receiver.url.replace("127.0.0.1", "localhost")
        await told.register(url=name)
        await told.says("Anna likes pears.")
        async with asyncio.timeout(20):
            while not (await told.deliveries())[0]["tries"]:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        (delivery,) = await told.deliveries()
        assert "RECOLLECT_WEBHOOK_PRIVATE" in delivery["tries"][0]["error"]
        assert told.receiver.heard == []


async def test_a_project_hears_of_itself_only(tmp_path: Path) -> None:
    async with world(tmp_path) as told:
        store = told.running.services.store
        await store.write(keys.create_project, "other")
        await store.write(keys.create_key, "other", "admin", "the-key-of-another", admin=True)
        place = {"url": told.receiver.url, "events": list(EVENTS)}
        await told.ask("POST", "/api/v1/webhooks", place, key="the-key-of-another")
        await told.says("Anna likes pears.")
        assert await store.read(
            lambda tx: [one.waiting for one in tx.webhooks.states(limit=9)]
        ) == [0]
        assert told.receiver.heard == []


async def test_only_who_manages_the_project_has_webhooks(tmp_path: Path) -> None:
    async with world(tmp_path) as told:
        place = {"url": told.receiver.url, "events": list(EVENTS)}
        answer = await told.running.send("POST", "/api/v1/webhooks", place)
        assert answer.status == 403


async def test_what_is_forgotten_is_told_to_nobody(tmp_path: Path) -> None:
    async with world(tmp_path, *[status(500)] * 9, webhook_backoff_first_s=60) as told:
        await told.register()
        kept, gone = await told.says("Anna likes pears."), await told.says("Ben likes plums.")
        await told.ask("DELETE", f"/api/v1/episodes/{gone}")
        (delivery,) = await told.deliveries()
        assert delivery["data"]["episode_uuid"] == kept


async def test_a_crash_between_the_call_and_its_note_repeats_it(tmp_path: Path) -> None:
    """Who took a delivery and died has told nobody: it is due again when its time is over."""
    moment = datetime(2026, 5, 1, tzinfo=UTC)

    def clock() -> datetime:
        return moment

    async with receiving() as receiver, program(tmp_path, clock=clock, **SOON) as running:
        store = running.services.store
        await store.write(keys.create_key, "default", "admin", ADMIN, admin=True)
        told = World(running, receiver)
        await told.ask("POST", "/api/v2/graph/create", {"graph_id": "shelf"})
        await told.register()
        await told.says("Anna likes pears.")
        (number,) = await store.read(outbox.due)
        first = await store.write(outbox.take, number, 30.0)
        assert first is not None
        assert await store.read(outbox.due) == []
        moment += timedelta(seconds=31)
        second = await store.write(outbox.take, number, 30.0)
        assert second is not None
        assert (second.row.uuid, second.body) == (first.row.uuid, first.body)


async def test_the_log_and_what_waits_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "WEBHOOK_WAITING_MAX", 3)
    monkeypatch.setattr(outbox, "WEBHOOK_LOG_MAX", 2)
    async with world(tmp_path, webhook_private="") as told:
        await told.register(url="http://nobody.invalid/", events=["episode.processed"])
        for number in range(5):
            await told.says(f"Anna likes fruit {number}.")
        (hook,) = (await told.ask("GET", "/api/v1/webhooks"))["webhooks"]
        assert (hook["waiting"], hook["missed"]) == (3, 2)
    monkeypatch.setattr(outbox, "WEBHOOK_WAITING_MAX", 9)  # all five may wait at once
    async with world(tmp_path / "log") as told:
        await told.register()
        for number in range(5):
            await told.says(f"Anna likes fruit {number}.")
        await told.receiver.until(lambda heard: len(heard) == 5)
        async with asyncio.timeout(20):
            while any(one["state"] == "waiting" for one in await told.deliveries()):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        assert len(await told.deliveries()) == 2


@pytest.mark.parametrize(
    ("attempts", "whole"), [(1, 5.0), (2, 20.0), (4, 320.0), (9, 21_600.0), (99, 21_600.0)]
)
def test_pauses_grow_and_are_spread(attempts: int, whole: float) -> None:
    assert outbox.pause_s(attempts, 5.0, 0.5) == whole
    assert outbox.pause_s(attempts, 5.0, 0.0) == whole * 0.75
    assert outbox.pause_s(attempts, 5.0, 1.0) == whole * 1.25


@pytest.mark.parametrize(
    "url", ["ftp://a.example/", "https://", "https://u:p@a.example/", "https://a.example/ b", "a"]
)
async def test_what_is_no_address_is_refused(tmp_path: Path, url: str) -> None:
    async with world(tmp_path) as told:
        body = {"url": url, "events": ["episode.processed"]}
        answer = await told.running.send("POST", "/api/v1/webhooks", body, key=ADMIN)
        assert answer.status == 400
        assert "url" in answer.message
