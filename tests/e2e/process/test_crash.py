"""Acknowledged means kept: the server is killed again and again while clients write to it.

Whatever the moment of the kill, after the restart every acknowledged episode is there once and in
order, an unacknowledged call is there whole or not at all, and the queue goes on to its end.
"""

import asyncio
import contextlib
import itertools
import os
import random
import secrets
import sqlite3
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.support.forkserver import ForkServer
from tests.support.rawhttp import Connection, ConnectionEnded
from tests.support.server import free_port

KEY = "key-of-the-crash-test"
KILLS = 60
KILLS_LONG = 1500
READY_SECONDS_MAX = 60.0  # four of them may start at once on two busy cores
# A graph that was held at the moment of a crash may wait for the end of its dead holder's lease.
DRAIN_SECONDS_MAX = 90.0
SOON_SECONDS = 10.0
KILL_AFTER_MS = (5.0, 150.0)
KILL_IN_START_SHARE = 0.1
KILL_IN_START_MS_MAX = 120.0
EPISODES_PER_CALL_MAX = 4


@dataclass
class Call:
    """One request: the episodes in it, and their uuids once they were acknowledged."""

    contents: list[str]
    uuids: list[str] | None = None


@dataclass
class Lane:
    """A thread or a graph, written to by clients that number what they say."""

    kind: str
    name: str
    writers: int
    calls: list[list[Call]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.calls = [[] for _ in range(self.writers)]

    @property
    def user(self) -> str:
        """Whose thread it is."""
        return f"user-of-{self.name}"


@dataclass
class Door:
    """Where a server listens, and the key that it is asked with."""

    port: int
    key: str = KEY


class Place(Door):
    """The server's data folder and port, and whether it is up at the moment."""

    def __init__(self, base: Path, forks: ForkServer) -> None:
        super().__init__(free_port())
        self.data = base / "data"
        self.forks = forks
        self.up = asyncio.Event()
        self.pid = 0

    async def start(self) -> None:
        """Start the server, without waiting for it."""
        self.pid = self.forks.serve(self.data, self.port)

    async def ready(self) -> None:
        """Wait until it answers, then let the clients go."""
        deadline = time.monotonic() + READY_SECONDS_MAX
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError, ConnectionEnded):
                connection = await Connection.open(self.port)
                try:
                    if (await connection.request("GET", "/ready")).status == 200:
                        self.up.set()
                        return
                finally:
                    await connection.close()
            if not self.forks.alive(self.pid):
                pytest.fail(f"the server ended by itself\n{_tail(self.forks.log)}")
            await asyncio.sleep(0.004)
        pytest.fail(f"not ready in {READY_SECONDS_MAX} s\n{_tail(self.forks.log)}")

    def kill(self) -> None:
        """Pull the plug."""
        self.up.clear()
        self.forks.kill(self.pid)


def _tail(log: Path) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-30:]) if log.exists() else ""


async def _ask(door: Door, method: str, path: str, body: Any = None) -> Any:
    connection = await Connection.open(door.port)
    try:
        answer = await connection.request(method, path, body, key=door.key)
    finally:
        await connection.close()
    assert answer.status == 200, (method, path, answer)
    return answer


async def _prepare(door: Door, lanes: list[Lane]) -> None:
    """The users, threads and graphs that the lanes write to."""
    for lane in lanes:
        if lane.kind == "thread":
            await _ask(door, "POST", "/api/v2/users", {"user_id": lane.user})
            body = {"thread_id": lane.name, "user_id": lane.user}
            await _ask(door, "POST", "/api/v2/threads", body)
        else:
            await _ask(door, "POST", "/api/v2/graph/create", {"graph_id": lane.name})


async def _write(place: Place, lane: Lane, writer: int, dice: random.Random) -> None:
    """Write to a lane for ever: numbered episodes, each number once, whatever happened to it."""
    numbers = itertools.count()
    connection: Connection | None = None
    try:
        while True:
            await place.up.wait()
            count = dice.randint(1, EPISODES_PER_CALL_MAX)
            call = Call([f"{lane.name} {writer} {next(numbers)} says hello" for _ in range(count)])
            try:
                connection = connection or await Connection.open(place.port)
                # Noted before it is sent: it may be stored without our hearing of it.
                lane.calls[writer].append(call)
                call.uuids = await _append(connection, lane, call.contents)
            except (OSError, ConnectionEnded):
                if connection is not None:
                    await connection.close()
                    connection = None
                await asyncio.sleep(0.002)
    finally:
        if connection is not None:
            await connection.close()


async def _append(
    connection: Connection, lane: Lane, contents: list[str], key: str = KEY
) -> list[str]:
    if lane.kind == "thread":
        messages = [{"role": "user", "name": "Jane", "content": text} for text in contents]
        path = f"/api/v2/threads/{lane.name}/messages"
        answer = await connection.request("POST", path, {"messages": messages}, key=key)
        assert answer.status == 200, answer
        uuids: list[str] = answer.json()["message_uuids"]
        return uuids
    episodes = [{"type": "text", "data": text} for text in contents]
    body = {"graph_id": lane.name, "episodes": episodes}
    answer = await connection.request("POST", "/api/v2/graph-batch", body, key=key)
    assert answer.status == 200, answer
    return [episode["uuid"] for episode in answer.json()]


@asynccontextmanager
async def _traffic(place: Place, lanes: list[Lane], dice: random.Random) -> AsyncIterator[None]:
    """Clients that write in the background; what fails in one of them fails the test."""
    tasks = [
        asyncio.create_task(_write(place, lane, writer, random.Random(dice.random())))  # noqa: S311
        for lane in lanes
        for writer in range(lane.writers)
    ]
    try:
        yield
        for task in tasks:
            if task.done():
                task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _kill_again_and_again(place: Place, kills: int, dice: random.Random) -> None:
    for _ in range(kills):
        await place.start()
        if dice.random() < KILL_IN_START_SHARE:
            # In the middle of opening the store and recovering the log.
            await asyncio.sleep(dice.uniform(0, KILL_IN_START_MS_MAX) / 1000)
        else:
            await place.ready()
            await asyncio.sleep(dice.uniform(*KILL_AFTER_MS) / 1000)
        place.kill()


async def _drained(place: Place, seconds_max: float = DRAIN_SECONDS_MAX) -> None:
    """Wait until the queue is empty."""
    deadline = time.monotonic() + seconds_max
    pending = -1.0
    while time.monotonic() < deadline:
        text = (await _ask(place, "GET", "/metrics")).body.decode()
        (line,) = [x for x in text.splitlines() if x.startswith("recollect_jobs_pending ")]
        pending = float(line.split()[1])
        if pending == 0:
            return
        await asyncio.sleep(0.1)
    pytest.fail(f"{pending:.0f} jobs are still pending after {seconds_max:.0f} s")


async def _episodes(door: Door, lane: Lane) -> list[dict[str, Any]]:
    """What the server says a lane holds, oldest first."""
    found: list[dict[str, Any]] = []
    if lane.kind == "thread":
        while True:
            path = f"/api/v2/threads/{lane.name}/messages?limit=1000&cursor={len(found)}"
            page = (await _ask(door, "GET", path)).json()["messages"]
            found += page
            if not page:
                return found
    cursor: str | None = None
    while True:
        path = f"/api/v2/graph/episodes/graph/{lane.name}"
        body = {"limit": 50, "direction": "asc", "cursor": cursor}
        answer = await _ask(door, "POST", path, body)
        found += answer.json()
        cursor = answer.headers.get("zep-next-cursor")
        if not cursor:
            return found


def _check_lane(lane: Lane, found: list[dict[str, Any]]) -> None:
    """Each acknowledged episode once, under its uuid, in order; other calls whole or absent."""
    assert all(episode["processed"] for episode in found), f"{lane.name}: not all are processed"
    times = Counter(episode["content"] for episode in found)
    assert set(times.values()) <= {1}, f"{lane.name}: twice: {[c for c in times if times[c] > 1]}"
    place = {episode["content"]: number for number, episode in enumerate(found)}
    by_content = {episode["content"]: episode["uuid"] for episode in found}
    sent: set[str] = set()
    for calls in lane.calls:
        last = -1
        for call in calls:
            sent.update(call.contents)
            there = [content for content in call.contents if content in place]
            if call.uuids is not None:
                assert there == call.contents, f"{lane.name}: lost {call.contents}"
                assert [by_content[c] for c in there] == call.uuids, f"{lane.name}: other uuids"
            assert there in ([], call.contents), f"{lane.name}: half of {call.contents} is there"
            for content in there:
                assert place[content] > last, f"{lane.name}: {content} is out of order"
                last = place[content]
            if there:
                together = [place[content] for content in there]
                assert together == list(range(together[0], together[0] + len(there)))
    assert set(place) <= sent, f"{lane.name}: holds what nobody sent"


ORPHANS = {
    "episodes without a job": "SELECT count(*) FROM episodes e WHERE ignored = 0"
    " AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.id = e.id)",
    "jobs that did not succeed": "SELECT count(*) FROM jobs WHERE status <> 'succeeded'",
    "jobs of another graph": "SELECT count(*) FROM jobs j JOIN episodes e ON e.id = j.id"
    " WHERE j.graph_id <> e.graph_id",
    "failed attempts": "SELECT count(*) FROM jobs WHERE attempts > 0",
    "graphs left in the queue": "SELECT count(*) FROM queue",
    "episodes that were not processed": "SELECT count(*) FROM episodes WHERE processed_at IS NULL",
    "episodes that cannot be found": "SELECT count(*) FROM episodes e WHERE NOT EXISTS"
    " (SELECT 1 FROM index_rows i WHERE i.graph_id = e.graph_id AND i.item_id = e.id"
    " AND i.item_kind = 'episode' AND i.terms IS NOT NULL)",
    "entities that cannot be found": "SELECT count(*) FROM entities n WHERE NOT EXISTS"
    " (SELECT 1 FROM index_rows i WHERE i.graph_id = n.graph_id AND i.item_id = n.id"
    " AND i.item_kind = 'entity' AND i.terms IS NOT NULL)",
    "facts that cannot be found": "SELECT count(*) FROM facts f WHERE NOT EXISTS"
    " (SELECT 1 FROM index_rows i WHERE i.graph_id = f.graph_id AND i.item_id = f.id"
    " AND i.item_kind = 'fact' AND i.terms IS NOT NULL)",
    "index rows of nothing": "SELECT count(*) FROM index_rows i WHERE"
    " (i.item_kind = 'episode' AND NOT EXISTS"
    "  (SELECT 1 FROM episodes e WHERE e.id = i.item_id AND e.graph_id = i.graph_id))"
    " OR (i.item_kind = 'entity' AND NOT EXISTS"
    "  (SELECT 1 FROM entities n WHERE n.id = i.item_id AND n.graph_id = i.graph_id))"
    " OR (i.item_kind = 'thread_summary' AND NOT EXISTS"
    "  (SELECT 1 FROM summaries s WHERE s.id = i.item_id AND s.graph_id = i.graph_id))"
    " OR (i.item_kind = 'fact' AND NOT EXISTS"
    "  (SELECT 1 FROM facts f WHERE f.id = i.item_id AND f.graph_id = i.graph_id))"
    " OR i.item_kind NOT IN ('episode', 'entity', 'fact', 'thread_summary') OR i.terms IS NULL",
    "gaps in a graph's numbering": "SELECT count(*) FROM graphs g WHERE last_seq <>"
    " (SELECT count(*) FROM episodes e WHERE e.graph_id = g.id)",
    "episodes that share a version": "SELECT count(*) FROM graphs g WHERE index_version <"
    " (SELECT count(*) FROM index_rows i WHERE i.graph_id = g.id)",
    "changes that nobody will see": "SELECT count(*) FROM graphs g WHERE index_version <>"
    " (SELECT coalesce(max(version), 0) FROM index_rows i WHERE i.graph_id = g.id)",
}


def _check_file(data: Path) -> None:
    """The file is sound and nothing in it hangs in the air."""
    with closing(sqlite3.connect(data / "recollect.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        wrong = {
            what: count
            for what, sql in ORPHANS.items()
            if (count := connection.execute(sql).fetchone()[0])
        }
        assert not wrong, wrong


def _lanes(*, wide: bool) -> list[Lane]:
    count = 4 if wide else 2
    lanes = [Lane("thread", f"thread-{n}", writers=1) for n in range(count)]
    lanes += [Lane("graph", f"graph-{n}", writers=1) for n in range(count)]
    # Two clients in one thread and two in one graph: each keeps its own order.
    return [
        *lanes,
        Lane("thread", "busy-thread", writers=2),
        Lane("graph", "busy-graph", writers=2),
    ]


async def _run(base: Path, kills: int, lanes: list[Lane], seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311
    with ForkServer(base / "server.log", RECOLLECT_API_KEY=KEY) as forks:
        place = Place(base, forks)
        await place.start()
        await place.ready()
        await _prepare(place, lanes)
        place.kill()
        async with _traffic(place, lanes, dice):
            await _kill_again_and_again(place, kills, dice)
        await place.start()
        await place.ready()
        await _drained(place)
        for lane in lanes:
            acknowledged = sum(call.uuids is not None for calls in lane.calls for call in calls)
            assert acknowledged > kills / 10, f"{lane.name}: hardly any traffic ({acknowledged})"
            _check_lane(lane, await _episodes(place, lane))
        place.kill()
        _check_file(place.data)


def _seed() -> int:
    """Random, printed when a test fails, and chosen by CRASH_SEED to see it again."""
    seed = int(os.environ.get("CRASH_SEED") or secrets.randbits(32))
    print(f"CRASH_SEED={seed}")
    return seed


async def test_sixty_kills_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    """Killed 60 times at random moments of traffic and of starting, nothing is lost or doubled."""
    await _run(tmp_path, KILLS, _lanes(wide=False), _seed())


@pytest.mark.long
async def test_many_more_kills_with_more_clients_lose_nothing(tmp_path: Path) -> None:
    """The same for much longer and with more clients at once."""
    await _run(tmp_path, KILLS_LONG, _lanes(wide=True), _seed())


async def test_the_queue_goes_on_soon_after_a_crash(tmp_path: Path) -> None:
    """What a killed server was working on is taken up again within seconds of the restart."""
    lanes = [Lane("graph", "graph", writers=2)]
    dice = random.Random(1)  # noqa: S311
    with ForkServer(tmp_path / "server.log", RECOLLECT_API_KEY=KEY) as forks:
        place = Place(tmp_path, forks)
        await place.start()
        await place.ready()
        await _prepare(place, lanes)
        async with _traffic(place, lanes, dice):
            await _kill_while_held(place)
        await place.start()
        await place.ready()
        await _drained(place, SOON_SECONDS)


async def _kill_while_held(place: Place) -> None:
    """Kill the server at a moment when a worker holds a graph."""
    for _ in range(200):
        await asyncio.sleep(0.05)
        place.kill()
        with closing(sqlite3.connect(place.data / "recollect.db")) as connection:
            held = "SELECT count(*) FROM queue WHERE lease IS NOT NULL"
            if connection.execute(held).fetchone()[0]:
                return
        await place.start()
        await place.ready()
    pytest.fail("no worker ever held a graph")
