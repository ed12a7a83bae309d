"""An hour of random faults, and a thousand kills: what was acknowledged is read, once and in order.

Several servers run side by side and share the kills, since most of a run is waiting. CHAOS_SECONDS,
CHAOS_KILLS and CHAOS_SEED make it shorter, rarer, or the same again.
"""

import asyncio
import contextlib
import itertools
import json
import os
import random
import secrets
import signal
import sqlite3
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

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
    _tail,
)
from tests.e2e.process.test_reading import model_environment, one_fact
from tests.support.forkserver import CLOCK_SHIFT, ForkServer
from tests.support.rawhttp import Connection, ConnectionEnded
from tests.support.scripted_model import Request, ScriptedModel, Step, fails
from tests.support.server import EXTRACTION_ON, program, program_environment

SECONDS = float(os.environ.get("CHAOS_SECONDS", "3600"))
KILLS = int(os.environ.get("CHAOS_KILLS", "1000"))
SERVERS = 4
OTHER_FAULTS_EVERY_S = 6.0  # of all servers together
PAUSE_S = (
    5.0,
    25.0,
)  # a server that is killed every few seconds reads little: it is to come to an end
ROOM = "size=400m"
DRAINED_S_MAX = max(600.0, SECONDS)
CITIES = ("Lisbon", "Oslo", "Rome", "Porto", "Turin", "Bergen")


class Outside:
    """Everything around the server that can go wrong: disk, clock, endpoint, processes."""

    def __init__(self, base: Path, place: Place, dice: random.Random, *, has_disk: bool) -> None:
        self.counted: Counter[str] = Counter()
        self.endpoint_down = False
        self.clock = base / "clock"
        self._filler = place.data / "filler"
        self._place = place
        self._dice = dice
        self._faults = {
            "reader killed": self._kill_reader,
            "reader stopped": self._stop_reader,
            "server stopped": self._stop_server,
            "clock set": self._set_clock,
            "endpoint down": self._endpoint_outage,
        }
        if has_disk:
            self._faults["disk full"] = self._fill_disk

    async def kill(self) -> None:
        """Pull the plug, and start again."""
        self._place.kill()
        await asyncio.sleep(self._dice.uniform(0, 0.2))
        await self._place.start()
        await self._place.ready()
        self.counted["server killed"] += 1

    async def any_fault(self) -> None:
        """One of the others."""
        what = self._dice.choice(sorted(self._faults))
        await self._faults[what]()
        self.counted[what] += 1

    def mend(self) -> None:
        """Put everything right."""
        self.endpoint_down = False
        self._filler.unlink(missing_ok=True)
        self.clock.write_text("0")

    def _readers(self) -> list[int]:
        with contextlib.suppress(psutil.Error):
            every = psutil.Process(self._place.pid).children(recursive=True)
            return [one.pid for one in every if "spawn_main" in " ".join(one.cmdline())]
        return []

    async def _kill_reader(self) -> None:
        self._signal(signal.SIGKILL, *self._readers())

    async def _stop_reader(self) -> None:
        self._signal(signal.SIGSTOP, *self._readers())  # nobody lets it go on

    async def _stop_server(self) -> None:
        self._signal(signal.SIGSTOP, self._place.pid)
        await asyncio.sleep(self._dice.uniform(0.5, 5))
        self._signal(signal.SIGCONT, self._place.pid)

    async def _fill_disk(self) -> None:
        with self._filler.open("wb", buffering=0) as filler, contextlib.suppress(OSError):
            while filler.write(bytes(1 << 20)):
                pass
        await asyncio.sleep(self._dice.uniform(1, 5))
        self._filler.unlink()

    async def _set_clock(self) -> None:
        days = self._dice.choice((-2, -1, -0.04, 0, 0.04, 1))
        self.clock.write_text(str(days * 86_400))

    async def _endpoint_outage(self) -> None:
        self.endpoint_down = not self.endpoint_down

    @staticmethod
    def _signal(number: int, *pids: int) -> None:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)


async def _write(place: Place, lane: Lane, writer: int, dice: random.Random) -> None:
    """Say numbered things for ever, each once, whatever happened to it."""
    for number in itertools.count():
        await place.up.wait()
        said = f"{lane.name} {writer} {number}: Ann moved to {dice.choice(CITIES)}."
        call = Call([said])
        lane.calls[writer].append(call)
        with contextlib.suppress(OSError, ConnectionEnded, AssertionError, TimeoutError):
            async with asyncio.timeout(20):
                connection = await Connection.open(place.port)
                try:
                    call.uuids = await _append(connection, lane, call.contents)
                finally:
                    await connection.close()
        await asyncio.sleep(dice.uniform(*PAUSE_S))


async def _play(outside: Outside, dice: random.Random) -> None:
    """So many kills and a fault every few seconds, at random moments of the time between them.

    How long a fault lasts and a start takes does not count, so that a slow machine is not killed
    more often than a fast one before it could answer anyone.
    """
    others = int(SECONDS / OTHER_FAULTS_EVERY_S / SERVERS)
    moments = [(dice.uniform(0, SECONDS), "kill") for _ in range(KILLS // SERVERS)]
    moments += [(dice.uniform(0, SECONDS), "other") for _ in range(others)]
    last = 0.0
    for moment, what in sorted(moments):
        await asyncio.sleep(moment - last)
        await (outside.kill() if what == "kill" else outside.any_fault())
        last = moment


async def _metric(door: Door, name: str) -> float:
    told = (await _ask(door, "GET", "/metrics")).body.decode()
    return sum(float(line.split()[-1]) for line in told.splitlines() if line.startswith(name))


async def _all_read(place: Place) -> float:
    """Wait until nothing is owed any more; how long that took."""
    began = time.monotonic()
    owed = (0.0, 0.0, 0.0)
    while time.monotonic() - began < DRAINED_S_MAX:
        with contextlib.suppress(OSError, ConnectionEnded):
            owed = (
                await _metric(place, "recollect_jobs_pending "),
                await _metric(place, "recollect_readings_waiting{"),
                await _metric(place, "recollect_graphs_to_fold "),
            )
            if not any(owed):
                return time.monotonic() - began
        await asyncio.sleep(0.5)
    said = f"still owed after {DRAINED_S_MAX:.0f} s: jobs, readings and folds {owed}"
    pytest.fail(f"{said}\n{_owed(place.data)}\n{_tail(place.forks.log)}")


PARKED = {
    "job": "SELECT j.id, e.uuid, j.attempts, j.lost, j.error FROM jobs j"
    " JOIN episodes e ON e.id = j.id WHERE j.status = 'parked'",
    "reading": "SELECT r.episode_id, e.uuid, r.attempts, 0, r.error FROM rereadings r"
    " JOIN episodes e ON e.id = r.episode_id WHERE r.status = 'parked'",
}
OWED = {
    "queue": "SELECT * FROM queue",
    "jobs": "SELECT id, graph_id, run, attempts, lost, error FROM jobs WHERE status = 'pending'",
    "readings": "SELECT * FROM rereadings",
}
LINES_AROUND = 6


def _why_parked(data: Path, log: Path) -> str:
    """What is parked, the reason that is written down, and what the log says around its tries."""
    told = []
    with closing(sqlite3.connect(data / "recollect.db")) as connection:
        for what, sql in PARKED.items():
            for number, uuid, attempts, lost, error in connection.execute(sql).fetchall():
                told.append(
                    f"{what} {number} is parked ({attempts} failures, {lost} deaths): {error}"
                )
                told += _around(log, uuid)
    return "\n".join(told)


def _around(log: Path, uuid: str) -> list[str]:
    """The lines that name an episode, and those before and after; requests are left out."""
    every = log.read_text(errors="replace").splitlines()
    lines = [line[:400] for line in every if '"request.done"' not in line]
    near: set[int] = set()
    for number, line in enumerate(lines):
        if uuid in line:
            near.update(range(number - LINES_AROUND, number + LINES_AROUND + 1))
    return [f"  {lines[number]}" for number in sorted(near) if 0 <= number < len(lines)]


def _owed(data: Path) -> str:
    """What waits, as it is in the file."""
    with closing(sqlite3.connect(data / "recollect.db")) as connection:
        found = {what: connection.execute(sql).fetchmany(20) for what, sql in OWED.items()}
    return "\n".join(f"{what}: {row}" for what, some in found.items() for row in some)


WRONG = {
    "jobs that did not succeed": "SELECT count(*) FROM jobs WHERE status <> 'succeeded'",
    "parked readings": "SELECT count(*) FROM rereadings WHERE status = 'parked'",
    "graphs left in the queue": "SELECT count(*) FROM queue",
    "episodes that were not processed": "SELECT count(*) FROM episodes WHERE processed_at IS NULL",
    "episodes without a reading": "SELECT count(*) FROM episodes e WHERE NOT EXISTS"
    " (SELECT 1 FROM readings r WHERE r.episode_id = e.id)",
}


def _check_file(data: Path) -> None:
    with closing(sqlite3.connect(data / "recollect.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        found = {what: connection.execute(sql).fetchone()[0] for what, sql in WRONG.items()}
        assert not any(found.values()), found


def _command(*words: str) -> Any:
    done = subprocess.run(
        program(*words, "--json"),
        env=program_environment(**EXTRACTION_ON),
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout.splitlines()[0])


@contextmanager
def _small_disk(folder: Path) -> Iterator[bool]:
    """A file system of its own that can be filled; False where none can be mounted."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", ROOM, "tmpfs", str(folder)]
    with contextlib.suppress(OSError):
        if subprocess.run(mount, capture_output=True, check=False).returncode == 0:
            try:
                yield True
            finally:
                subprocess.run(["umount", "-l", str(folder)], check=False)
            return
    yield False


async def _run(base: Path, seed: int, *, has_disk: bool) -> None:
    dice = random.Random(seed)  # noqa: S311
    lanes = [Lane("thread", "talk", writers=1), Lane("graph", "notes", writers=2)]
    lanes += [Lane("graph", f"more-{n}", writers=1) for n in range(2)]
    down: list[Outside] = []

    def answer(request: Request) -> Step:
        return fails(503) if down and down[0].endpoint_down else one_fact(request)

    with ScriptedModel(otherwise=answer) as model:
        environment = model_environment(model, **{CLOCK_SHIFT: str(base / "clock")})
        with ForkServer(base / "server.log", RECOLLECT_API_KEY=KEY, **environment) as forks:
            place = Place(base, forks)
            outside = Outside(base, place, dice, has_disk=has_disk)
            down.append(outside)
            await place.start()
            await place.ready()
            await _prepare(place, lanes)
            writers = [
                asyncio.create_task(_write(place, lane, writer, random.Random(dice.random())))  # noqa: S311
                for lane in lanes
                for writer in range(lane.writers)
            ]
            await _play(outside, dice)
            for task in writers:
                task.cancel()
            await asyncio.gather(*writers, return_exceptions=True)
            outside.mend()
            seconds = await _all_read(place)
            why = _why_parked(place.data, place.forks.log)
            assert not why, why
            for lane in lanes:
                _check_lane(lane, await _episodes(place, lane))
            place.kill()
    await asyncio.to_thread(_check_file, place.data)
    calls = [call for lane in lanes for one in lane.calls for call in one]
    acknowledged = sum(call.uuids is not None for call in calls)
    print(f"{base.name}: {acknowledged} of {len(calls)} acknowledged; {dict(outside.counted)}")
    print(f"{base.name}: all read {seconds:.0f} s after the last fault")
    assert acknowledged > len(calls) / 10
    found = await asyncio.to_thread(_command, "doctor", "--check", "--data", str(place.data))
    assert [one for one in found if one["state"] == "wrong"] == []
    verified = await asyncio.to_thread(_command, "rebuild", "--verify", "--data", str(place.data))
    assert {one["result"] for one in verified} == {"same"}, verified


@pytest.mark.long
async def test_an_hour_of_faults_loses_doubles_and_parks_nothing(tmp_path: Path) -> None:
    """Kills, stops, full disks, clocks and endpoints, at random; then everything is in order."""
    seed = int(os.environ.get("CHAOS_SEED") or secrets.randbits(32))
    print(f"CHAOS_SEED={seed}")
    async with asyncio.TaskGroup() as together:
        for number in range(SERVERS):
            base = tmp_path / f"server-{number}"
            base.mkdir()
            together.create_task(_of_one_server(base, seed + number))


async def _of_one_server(base: Path, seed: int) -> None:
    with _small_disk(base / "data") as has_disk:
        await _run(base, seed, has_disk=has_disk)
