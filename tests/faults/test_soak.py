"""An hour of what users do all day, by four projects at once: memory stays flat, nothing is lost, nobody waits for long.

A project lives through one life after the other: it says things in a thread and in a graph, searches, asks for contexts, deletes
some of what it said, and in the end compares what is there with what was acknowledged, carries the graph through a file into a
copy, and forgets all of it. So what is stored stays about as much, and memory that grows has no excuse. SOAK_SECONDS says how
long it goes on, SOAK_SEED has it draw the same again.

Flat: a straight line through the resident memory of the second half, of each process, rises by no more than RISE_MAX of its
middle from its beginning to its end.
"""

import asyncio
import itertools
import os
import random
import secrets
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import psutil
import pytest

from tests.e2e.process.test_crash import (
    KEY,
    Call,
    Door,
    Lane,
    Place,
    _append,
    _ask,
    _check_lane,
    _episodes,
    _prepare,
)
from tests.faults.test_chaos import CITIES, _all_read, _check_file, _command
from tests.support.forkserver import ForkServer
from tests.support.rawhttp import Connection
from tests.support.server import EXTRACTION_ON, create_key, create_project

SECONDS = float(os.environ.get("SOAK_SECONDS", "60"))
TENANTS = 4
LIFE_CALLS = 15  # appends of a lane, then the next life
PAUSE_S = (0.4, 1.2)  # between the appends of a lane
SEARCH_EVERY_S = 0.25
CONTEXT_EVERY_S = 1.0
DELETE_SHARE = 0.2  # of the appends to a graph
PROBE_EVERY_S = 0.05
SAMPLE_EVERY_S = 1.0
RISE_MAX = 0.05
READ_S_MAX = 900.0  # a busy machine is no loss
ASKED = (
    "Where does Ann live?",
    "Who moved to Oslo?",
    "What is known of Lisbon?",
    "When did she move?",
)


@dataclass
class Noted:
    """What was done, and how long it took, in milliseconds."""

    done: Counter[str] = field(default_factory=Counter)
    searches: list[float] = field(default_factory=list)
    health: list[float] = field(default_factory=list)
    resident: dict[str, list[tuple[float, float]]] = field(default_factory=dict)  # (s, MB)


@asynccontextmanager
async def _connected(door: Door) -> AsyncIterator[Connection]:
    """A kept connection, closed also when its user is told to stop."""
    connection = await Connection.open(door.port)
    try:
        yield connection
    finally:
        await connection.close()


class Tenant:
    """One project and what it does, one life after the other until it is told that it is the last."""

    def __init__(self, name: str, door: Door, place: Place, noted: Noted, seed: float) -> None:
        self._name, self._door, self._place, self._noted = name, door, place, noted
        self._dice = random.Random(seed)  # noqa: S311
        self.last = asyncio.Event()

    async def live(self) -> None:
        """Lives, the last of which is whole, too."""
        for number in itertools.count():
            thread = Lane("thread", f"{self._name}-talk-{number}", writers=1)
            graph = Lane("graph", f"{self._name}-notes-{number}", writers=1)
            await _prepare(self._door, [thread, graph])
            async with asyncio.TaskGroup() as together:
                readers = [
                    together.create_task(self._search(thread, graph)),
                    together.create_task(self._contexts(thread)),
                ]
                writers = [together.create_task(self._say(lane)) for lane in (thread, graph)]
                await asyncio.wait(writers)
                for reader in readers:
                    reader.cancel()
            await self._compare([thread, graph])
            await self._carry(graph)
            if self.last.is_set():
                return
            await _ask(self._door, "DELETE", f"/api/v2/users/{thread.user}")
            await _ask(self._door, "DELETE", f"/api/v2/graph/{graph.name}")
            self._noted.done["forgotten lives"] += 1

    async def _say(self, lane: Lane) -> None:
        """Numbered things; some of those in a graph are deleted again."""
        (calls,) = lane.calls
        async with _connected(self._door) as connection:
            await self._say_all(connection, lane, calls)

    async def _say_all(self, connection: Connection, lane: Lane, calls: list[Call]) -> None:
        """On one connection."""
        for number in range(LIFE_CALLS):
            some = range(self._dice.randint(1, 3))
            call = Call(
                [
                    f"{lane.name} {number}.{n}: Ann moved to {self._dice.choice(CITIES)}."
                    for n in some
                ]
            )
            call.uuids = await _append(connection, lane, call.contents, self._door.key)
            calls.append(call)
            self._noted.done["episodes"] += len(call.contents)
            if lane.kind == "graph" and self._dice.random() < DELETE_SHARE:
                await self._delete(calls.pop(self._dice.randrange(len(calls))))
            await asyncio.sleep(self._dice.uniform(*PAUSE_S))

    async def _delete(self, call: Call) -> None:
        for uuid in call.uuids or ():
            await _ask(self._door, "DELETE", f"/api/v2/graph/episodes/{uuid}")
            self._noted.done["deletes"] += 1

    async def _search(self, thread: Lane, graph: Lane) -> None:
        """Questions to the user and to the graph in turn, on one connection."""
        async with _connected(self._door) as connection:
            for number in itertools.count():
                whose = {"user_id": thread.user} if number % 2 else {"graph_id": graph.name}
                scope = ("edges", "episodes", "nodes")[number % 3]
                text = f"{self._dice.choice(ASKED)} {number}"  # none is embedded already
                body = {**whose, "query": text, "scope": scope, "limit": 10}
                began = time.perf_counter()
                answer = await connection.request(
                    "POST", "/api/v2/graph/search", body, key=self._door.key
                )
                self._noted.searches.append(1000 * (time.perf_counter() - began))
                assert answer.status == 200, answer
                await asyncio.sleep(SEARCH_EVERY_S)

    async def _contexts(self, thread: Lane) -> None:
        while True:
            await _ask(self._door, "GET", f"/api/v2/threads/{thread.name}/context")
            self._noted.done["contexts"] += 1
            await asyncio.sleep(CONTEXT_EVERY_S)

    async def _compare(self, lanes: list[Lane]) -> None:
        """Everything acknowledged is there and read, nothing else is."""
        for lane in lanes:
            deadline = time.monotonic() + READ_S_MAX
            found = await _episodes(self._door, lane)
            while not all(one["processed"] for one in found) and time.monotonic() < deadline:
                await asyncio.sleep(1)
                found = await _episodes(self._door, lane)
            _check_lane(lane, found)

    async def _carry(self, graph: Lane) -> None:
        """Export the graph and import it beside itself, while everybody goes on."""
        file = self._place.data.parent / f"{graph.name}.jsonl"
        of = ("--project", self._name, "--data", str(self._place.data))
        copy = Lane("graph", f"{graph.name}-copy", writers=1)
        await asyncio.to_thread(_command, "export", str(file), "--graph", graph.name, *of)
        into = ("--into", copy.name, "--new-ids")
        await asyncio.to_thread(_command, "import", str(file), *into, *of)
        file.unlink()
        there, carried = [await _episodes(self._door, lane) for lane in (graph, copy)]
        assert [one["content"] for one in carried] == [one["content"] for one in there]
        await _ask(self._door, "DELETE", f"/api/v2/graph/{copy.name}")
        self._noted.done["imports"] += 1


async def _probe(place: Place, noted: Noted) -> None:
    """Ask for `/health` all the time."""
    async with _connected(place) as connection:
        while True:
            began = time.perf_counter()
            assert (await connection.request("GET", "/health")).status == 200
            noted.health.append(1000 * (time.perf_counter() - began))
            await asyncio.sleep(PROBE_EVERY_S)


async def _sample(place: Place, noted: Noted) -> None:
    """Note what the server holds, and the processes that read for it."""
    began = time.monotonic()
    root = psutil.Process(place.pid)
    while True:
        held = {"server": root.memory_info().rss}
        held["readers"] = sum(one.memory_info().rss for one in root.children(recursive=True))
        for what, size in held.items():
            noted.resident.setdefault(what, []).append((time.monotonic() - began, size / 1e6))
        await asyncio.sleep(SAMPLE_EVERY_S)


def _rise(samples: list[tuple[float, float]]) -> tuple[float, float]:
    """The middle of the second half in MB, and by how much a line through it rises, as a share of that."""
    times, sizes = np.array(samples[len(samples) // 2 :]).T
    slope, _ = np.polyfit(times, sizes, 1)
    middle = float(np.median(sizes))
    return middle, float(slope * (times[-1] - times[0])) / middle


def _report(noted: Noted, seconds: float) -> None:
    searches, health = np.array(noted.searches), np.array(noted.health)
    p50, p99 = np.percentile(searches, [50, 99])
    print(f"\n{seconds:.0f} s, load average {os.getloadavg()[0]:.1f}, {dict(noted.done)}")
    print(
        f"{len(searches)} searches: p50 {p50:.0f} ms, p99 {p99:.0f}, longest {searches.max():.0f}"
    )
    longest, usual = health.max(), np.percentile(health, 99)
    print(f"{len(health)} times /health: p99 {usual:.0f} ms, longest {longest:.0f}")
    for what, samples in noted.resident.items():
        middle, rise = _rise(samples)
        quarters = [f"{part.mean():.0f}" for part in np.array_split(np.array(samples)[:, 1], 4)]
        print(f"{what}: {middle:.0f} MB, by quarters {', '.join(quarters)}, rise {rise:+.1%}")


async def _run(base: Path, seed: int) -> Noted:
    dice, noted = random.Random(seed), Noted()  # noqa: S311
    with ForkServer(base / "server.log", RECOLLECT_API_KEY=KEY, **EXTRACTION_ON) as forks:
        place = Place(base, forks)
        names = [f"tenant-{number}" for number in range(TENANTS)]
        for name in names:
            create_project(place.data, name)
        doors = [Door(place.port, create_key(place.data, name)) for name in names]
        await place.start()
        await place.ready()
        tenants = [
            Tenant(name, door, place, noted, dice.random())
            for name, door in zip(names, doors, strict=True)
        ]
        began = time.monotonic()
        async with asyncio.TaskGroup() as together:
            watching = [together.create_task(one(place, noted)) for one in (_probe, _sample)]
            living = [together.create_task(tenant.live()) for tenant in tenants]
            await asyncio.wait(living, timeout=SECONDS, return_when=asyncio.FIRST_EXCEPTION)
            for tenant in tenants:
                tenant.last.set()
            await asyncio.wait(living)
            for task in watching:
                task.cancel()
        _report(noted, time.monotonic() - began)
        await _all_read(place)
        place.kill()
    await asyncio.to_thread(_check_file, place.data)
    found = await asyncio.to_thread(_command, "doctor", "--check", "--data", str(place.data))
    assert [one for one in found if one["state"] == "wrong"] == []
    verified = await asyncio.to_thread(_command, "rebuild", "--verify", "--data", str(place.data))
    assert {one["result"] for one in verified} == {"same"}, verified
    return noted


@pytest.mark.long
async def test_an_hour_of_four_projects_loses_nothing_and_keeps_its_memory(tmp_path: Path) -> None:
    """What was acknowledged is there, what was deleted is gone, and the server is as large as before."""
    seed = int(os.environ.get("SOAK_SEED") or secrets.randbits(32))
    print(f"SOAK_SEED={seed}")
    noted = await _run(tmp_path, seed)
    rises = {what: _rise(samples)[1] for what, samples in noted.resident.items()}
    assert all(rise <= RISE_MAX for rise in rises.values()), rises
