"""What a server has committed is told, whenever it is killed; and the commands see to it."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any

from tests.support.receiver import LOOPBACK, receiving
from tests.support.server import Server, program_environment, run_program

CHOSEN = {"RECOLLECT_WEBHOOK_PRIVATE": LOOPBACK, "RECOLLECT_WEBHOOK_TIMEOUT_S": "5"}


def command(data: Path, *words: str) -> str:
    """What `recollect webhook` prints."""
    done = run_program(
        "webhook",
        *words,
        "--data",
        str(data),
        environment=program_environment(data, **CHOSEN),
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def told(data: Path, *words: str) -> Any:
    """The same, for programs."""
    return json.loads(command(data, *words, "--json"))


async def test_a_server_that_is_killed_between_commit_and_delivery_tells_of_it_when_it_is_back(
    tmp_path: Path,
) -> None:
    """Killed once before anybody could be called, and once while the call was under way."""
    data = tmp_path / "data"
    server = Server(data, environment=CHOSEN)
    async with receiving(None) as receiver:
        with server:
            made = told(data, "create", receiver.url)
            command(data, "change", made["id"], "--url", "http://127.0.0.1:1/")
            await asyncio.to_thread(_say, server, "Anna likes pears.")
            server.kill()
            command(data, "change", made["id"], "--url", receiver.url)
            (waiting,) = told(data, "log", made["id"], "--state", "waiting")
            assert waiting["event"] == "episode.processed"
            command(data, "redeliver", made["id"], waiting["uuid"])
            await asyncio.to_thread(server.start)
            await receiver.until(bool)
            server.kill()
            await asyncio.to_thread(server.start)
            first, second = await receiver.until(lambda heard: len(heard) == 2)
            assert first.headers["webhook-id"] == second.headers["webhook-id"] == waiting["uuid"]
            assert first.raw == second.raw
            assert second.is_signed_with(made["secret"])
            await asyncio.to_thread(_until_delivered, data, made["id"])
            (hook,) = told(data, "list")
            assert (hook["waiting"], hook["given_up"], hook["state"]) == (0, 0, "on")
            assert "204" in command(data, "log", made["id"])
            assert "deleted" in command(data, "delete", made["id"])


def _say(server: Server, text: str) -> None:
    with server.http() as http:
        http.post("/graph/create", json={"graph_id": "shelf"}).raise_for_status()
        body = {"type": "text", "data": text, "graph_id": "shelf"}
        uuid = http.post("/graph", json=body).raise_for_status().json()["uuid"]
        deadline = time.monotonic() + 30
        while not http.get(f"/graph/episodes/{uuid}").json().get("processed"):
            assert time.monotonic() < deadline
            time.sleep(0.02)


def _until_delivered(data: Path, hook: str) -> None:
    deadline = time.monotonic() + 30
    while not told(data, "log", hook, "--state", "delivered"):
        assert time.monotonic() < deadline
