"""Session logs of the real program: followed over HTTP, and killed again and again while merging."""

import asyncio
import contextlib
import itertools
import json
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.process.test_crash import KEY, Place, _ask, _check_file, _drained, _seed
from tests.support.forkserver import ForkServer
from tests.support.rawhttp import Connection, ConnectionEnded
from tests.support.server import HOST, Server

KILLS = 30
WRITERS = 3
EPISODES_PER_TURN = 5
STOP_SECONDS_MAX = 4.0
LOG = "/api/v1/sessions/s/log"


def _item(text: str) -> dict[str, Any]:
    said = {"type": "message", "role": "user", "content": text}
    return {"type": "item", "payload": {"item": said}, "meta": {"source": "user"}}


# ---------------------------------------------------------------- crashes


async def _turns(place: Place, writer: int, merged: dict[str, list[int] | None]) -> None:
    """Open turns, fill and merge them for ever; *merged* has the ids that were acknowledged."""
    for number in itertools.count():
        await place.up.wait()
        turn = f"{writer}-{number}"
        with contextlib.suppress(OSError, ConnectionEnded, asyncio.IncompleteReadError):
            connection = await Connection.open(place.port)
            try:
                await _turn(connection, turn, merged)
            finally:
                await connection.close()
        await asyncio.sleep(0.001)


async def _turn(connection: Connection, turn: str, merged: dict[str, list[int] | None]) -> None:
    async def ask(path: str, body: Any) -> Any:
        answer = await connection.request("POST", f"{LOG}/turns{path}", body, key=KEY)
        # After a restart the turn may be gone: that is what it is told.
        assert answer.status in (200, 404), answer
        return answer.json() if answer.status == 200 else None

    if await ask("", {"turn_id": turn}) is None:
        return
    merged[turn] = None
    texts = [f"{turn} {place}" for place in range(EPISODES_PER_TURN)]
    for part in (texts[:2], texts[2:]):
        if await ask(f"/{turn}", {"episodes": [_item(text) for text in part]}) is None:
            return
    done = await ask(f"/{turn}/merge", {})
    if done is not None:
        merged[turn] = [one["id"] for one in done["episodes"]]


def _check(log: list[dict[str, Any]], merged: dict[str, list[int] | None]) -> tuple[int, int]:
    """Ids from 1 without gaps; each turn whole, together and once, or dropped and said to be."""
    assert [one["id"] for one in log] == list(range(1, len(log) + 1))
    held: dict[str, list[int]] = {}
    for one in log:
        if one["type"] == "item":
            held.setdefault(one["meta"]["turnId"], []).append(one["id"])
    for turn, ids in held.items():
        assert ids == list(range(ids[0], ids[0] + EPISODES_PER_TURN)), turn
        texts = [log[number - 1]["payload"]["item"]["content"] for number in ids]
        assert texts == [f"{turn} {place}" for place in range(EPISODES_PER_TURN)]
    notes = [one for one in log if one["type"] == "meta"]
    assert {one["payload"]["event"] for one in notes} <= {"turn.discarded"}
    dropped = [one["payload"]["data"]["turnId"] for one in notes]
    assert len(dropped) == len(set(dropped))
    assert not held.keys() & set(dropped), "a turn was both merged and dropped"
    for turn, given in merged.items():
        if given is not None:
            assert held.get(turn) == given, f"{turn} was acknowledged"
    assert held.keys() | set(dropped) >= set(merged), "a turn vanished"
    return len(held), len(dropped)


async def test_kills_while_turns_are_merged_leave_whole_turns_only(tmp_path: Path) -> None:
    """After every kill the log is a whole: turns that were acknowledged, and word of the others."""
    dice = random.Random(_seed())  # noqa: S311
    merged: list[dict[str, list[int] | None]] = [{} for _ in range(WRITERS)]
    with ForkServer(tmp_path / "server.log", RECOLLECT_API_KEY=KEY) as forks:
        place = Place(tmp_path, forks)
        await place.start()
        await place.ready()
        await _ask(place, "POST", "/api/v2/users", {"user_id": "ann"})
        await _ask(place, "POST", "/api/v1/sessions", {"session_id": "s", "user_id": "ann"})
        tasks = [asyncio.create_task(_turns(place, n, merged[n])) for n in range(WRITERS)]
        before: list[dict[str, Any]] = []
        for _ in range(KILLS):
            await asyncio.sleep(dice.uniform(5, 60) / 1000)
            place.kill()
            await place.start()
            await place.ready()
            found = await _whole(place)
            assert _bare(found[: len(before)]) == _bare(before), "what was committed has changed"
            before = found
        for task in tasks:
            assert not task.done() or task.exception() is None, task
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        place.kill()
        await place.start()
        await place.ready()
        log = await _whole(place)
        whole, dropped = _check(log, {t: ids for one in merged for t, ids in one.items()})
        assert whole > KILLS / 4
        assert dropped > KILLS / 8
        assert (await _ask(place, "GET", f"{LOG}/turns")).json() == {"turns": []}
        fed = [one for one in log if one.get("graph_episodes")]
        assert len(fed) == whole * EPISODES_PER_TURN
        await _drained(place)
        place.kill()
        _check_file(place.data)


async def _whole(place: Place) -> list[dict[str, Any]]:
    """The committed log, which comes in pieces when it is long."""
    headers = {"Authorization": f"Api-Key {KEY}"}
    async with httpx.AsyncClient(headers=headers, timeout=30, trust_env=False) as http:
        answer = await http.get(f"http://{HOST}:{place.port}{LOG}?from_id=0")
    assert answer.status_code == 200, answer
    found: list[dict[str, Any]] = answer.json()["episodes"]
    return found


def _bare(log: list[dict[str, Any]]) -> list[Any]:
    return [(one["id"], one["type"], one["meta"], one["payload"]) for one in log]


# ---------------------------------------------------------------- server-sent events


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with Server(tmp_path / "data") as running:
        yield running


class Follower(threading.Thread):
    """A client that follows a stream in a thread of its own."""

    def __init__(self, server: Server, query: str = "", last: str | None = None) -> None:
        super().__init__(daemon=True)
        self.ids: list[int] = []
        self.texts: list[str] = []
        self.began = threading.Event()
        self.ended_well = False
        self._url = f"{server.url}{LOG}/stream?{query}"
        self._headers = {"Authorization": f"Api-Key {server.api_key}"}
        if last is not None:
            self._headers["Last-Event-ID"] = last
        self.start()
        assert self.began.wait(5)

    def run(self) -> None:
        """Read events until the server ends the answer."""
        with (
            httpx.Client(timeout=30, trust_env=False) as http,
            http.stream("GET", self._url, headers=self._headers) as answer,
        ):
            assert answer.headers["content-type"].startswith("text/event-stream")
            for line in answer.iter_lines():
                self.began.set()
                if line.startswith("id: "):
                    self.ids.append(int(line[4:]))
                elif line.startswith("data: "):
                    self.texts.append(json.loads(line[6:])["payload"]["item"]["content"])
        self.ended_well = True

    def until(self, count: int) -> list[int]:
        """Wait for as many events."""
        deadline = time.monotonic() + 5
        while len(self.ids) < count and time.monotonic() < deadline:
            time.sleep(0.005)
        return self.ids


def test_a_log_is_followed_left_and_taken_up_again(server: Server) -> None:
    """Several listeners; one resumes after a restart; none keeps the server from stopping."""

    def append(http: httpx.Client, *texts: str) -> None:
        body = {"episodes": [_item(text) for text in texts]}
        http.post(f"{server.url}{LOG}", json=body).raise_for_status()

    with server.http() as http:
        made = http.post(f"{server.url}/api/v1/sessions", json={"session_id": "s"})
        made.raise_for_status()
        append(http, "one")
        first, second = Follower(server), Follower(server, "from_id=0")
        append(http, "two", "three")
        assert first.until(2) == [2, 3]
        assert second.until(3) == [1, 2, 3]
        with http.stream("GET", f"{server.url}{LOG}/stream") as left:
            assert left.status_code == 200
        append(http, "four")
        assert first.until(3) == [2, 3, 4]
        began = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - began < STOP_SECONDS_MAX
        first.join(5)
        second.join(5)
        assert first.ended_well
        assert second.ended_well
    server.start()
    with server.http() as http:
        append(http, "five")
        resumed = Follower(server, "from_id=0", last="3")
        append(http, "six")
        assert resumed.until(3) == [4, 5, 6]
        assert resumed.texts == ["four", "five", "six"]
        server.stop()
        resumed.join(5)
