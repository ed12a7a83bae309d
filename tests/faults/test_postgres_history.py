"""Several servers and workers on one database: kills, pauses and restarts of the database, at random.

What was acknowledged is there once, was learned once and in its order, and a fold of the log gives
the same graphs. HISTORY_SECONDS and HISTORY_SEED make it shorter, or the same again.
"""

import asyncio
import contextlib
import itertools
import os
import random
import secrets
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from recollect.app.services import open_services
from recollect.ingest import rebuild
from recollect.settings import Settings
from recollect.store.postgres import dialect
from recollect.store.postgres.connection import Connection, connect
from tests.property.invariants import FORBIDDEN
from tests.support import postgres
from tests.support.postgres import PostgresServer
from tests.support.server import DIES_WITH_STARTER, free_port, program, program_environment

SECONDS = float(os.environ.get("HISTORY_SECONDS", "180"))
DRAINED_S_MAX = 600.0
FAULT_EVERY_S = 4.0
GRAPHS = 6
KEY = "history"
CITIES = ("Lisbon", "Oslo", "Rome", "Porto", "Turin", "Bergen")


@dataclass
class Node:
    """A process of the program: an API server without workers, or a worker."""

    name: str
    words: tuple[str, ...]
    url: str
    base: Path
    port: int | None = None
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it; it is ready when it is."""
        environment = program_environment(
            RECOLLECT_STORE=self.url, RECOLLECT_API_KEY=KEY, RECOLLECT_EXTRACTION="on"
        )
        words = program(*self.words, "--data", str(self.base / self.name))
        with (self.base / f"{self.name}.log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", DIES_WITH_STARTER, *words],
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def signal(self, number: int) -> None:
        """Send it, and what it has started, a signal."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.signal(signal.SIGKILL)
        if self.process is not None:
            self.process.wait()
            self.process = None


@dataclass
class Lane:
    """What one writer said to one graph, and whether it was acknowledged."""

    graph: str
    said: list[str] = field(default_factory=list)
    acknowledged: set[str] = field(default_factory=set)


@pytest.mark.long
async def test_a_history_of_faults_loses_doubles_and_disorders_nothing(tmp_path: Path) -> None:
    """The whole of it; what happened is printed."""
    seed = int(os.environ.get("HISTORY_SEED") or secrets.randbits(32))
    print(f"HISTORY_SEED={seed}")
    with postgres.running(durable=True) as server:
        url = server.url(server.new_database())
        async with _nodes(url, tmp_path) as nodes:
            lanes = [Lane(f"graph-{number % GRAPHS}") for number in range(GRAPHS + 2)]
            await _prepare(nodes[:2])
            counted = await _play(server, nodes, lanes, random.Random(seed))  # noqa: S311
            seconds = await asyncio.to_thread(_drained, url)
        _check(url, lanes)
        await _check_fold(url, tmp_path)
    acknowledged, said = (sum(len(part) for part in parts) for parts in _parts(lanes))
    print(
        f"{acknowledged} of {said} acknowledged; {dict(counted)}; all learned {seconds:.0f} s later"
    )
    assert acknowledged > said / 4


def _parts(lanes: Sequence[Lane]) -> tuple[list[set[str]], list[list[str]]]:
    return [lane.acknowledged for lane in lanes], [lane.said for lane in lanes]


@asynccontextmanager
async def _nodes(url: str, base: Path) -> AsyncIterator[list[Node]]:
    """Two API servers and two workers."""
    nodes = []
    for number in range(2):
        port = free_port()
        words = ("serve", "--workers", "0", "--port", str(port))
        nodes.append(Node(f"api-{number}", words, url, base, port))
    nodes += [Node(f"worker-{number}", ("worker",), url, base) for number in range(2)]
    for node in nodes:
        node.start()
    try:
        yield nodes
    finally:
        for node in nodes:
            node.kill()


async def _prepare(servers: Sequence[Node]) -> None:
    async with httpx.AsyncClient(trust_env=False, timeout=10) as http:
        for node in servers:
            await _ready(http, node)
        for number in range(GRAPHS):
            made = await http.post(
                f"http://127.0.0.1:{servers[0].port}/api/v2/graph/create",
                headers={"Authorization": f"Api-Key {KEY}"},
                json={"graph_id": f"graph-{number}"},
            )
            assert made.is_success, made.text


async def _ready(http: httpx.AsyncClient, node: Node) -> None:
    until = time.monotonic() + 120
    while time.monotonic() < until:
        with contextlib.suppress(httpx.TransportError):
            if (await http.get(f"http://127.0.0.1:{node.port}/ready")).is_success:
                return
        await asyncio.sleep(0.2)
    pytest.fail(f"{node.name} is not ready\n{(node.base / f'{node.name}.log').read_text()[-3000:]}")


async def _play(
    server: PostgresServer, nodes: Sequence[Node], lanes: Sequence[Lane], dice: random.Random
) -> Counter[str]:
    """Say things to all graphs while faults happen; then let everything run again."""
    ports = [node.port for node in nodes if node.port is not None]
    async with httpx.AsyncClient(trust_env=False, timeout=20) as http:
        writers = [
            asyncio.create_task(_write(http, ports, number, lane, random.Random(dice.random())))  # noqa: S311
            for number, lane in enumerate(lanes)
        ]
        counted = await _faults(server, nodes, dice)
        for task in writers:
            task.cancel()
        await asyncio.gather(*writers, return_exceptions=True)
    return counted


async def _write(
    http: httpx.AsyncClient, ports: Sequence[int], number: int, lane: Lane, dice: random.Random
) -> None:
    """Say numbered things for ever, each once, to one server or the other."""
    for count in itertools.count():
        said = f"{number}-{count:05}: Ann moved to {dice.choice(CITIES)}."
        lane.said.append(said)
        with contextlib.suppress(httpx.TransportError):
            answer = await http.post(
                f"http://127.0.0.1:{dice.choice(ports)}/api/v2/graph",
                headers={"Authorization": f"Api-Key {KEY}"},
                json={"graph_id": lane.graph, "type": "text", "data": said},
            )
            if answer.is_success:
                lane.acknowledged.add(said)
            else:
                assert answer.status_code == httpx.codes.SERVICE_UNAVAILABLE, answer.text
        await asyncio.sleep(dice.uniform(0.2, 1.5))


async def _faults(
    server: PostgresServer, nodes: Sequence[Node], dice: random.Random
) -> Counter[str]:
    counted: Counter[str] = Counter()
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        await asyncio.sleep(dice.expovariate(1 / FAULT_EVERY_S))
        fault = dice.choice(("kill", "kill", "pause", "database"))
        if fault == "database":
            await asyncio.to_thread(server.stop, dice.choice(("fast", "immediate")))
            await asyncio.sleep(dice.uniform(0, 3))
            await asyncio.to_thread(server.start)
            counted["database restarted"] += 1
            continue
        node = dice.choice(nodes)
        if fault == "kill":
            node.kill()
            await asyncio.sleep(dice.uniform(0, 2))
            node.start()
        else:
            node.signal(signal.SIGSTOP)
            await asyncio.sleep(dice.uniform(1, 20))
            node.signal(signal.SIGCONT)
        counted[f"{node.name.partition('-')[0]} {fault}ed".replace("pauseed", "paused")] += 1
    return counted


def _drained(url: str) -> float:
    """Wait until nothing is owed any more; how long that took."""
    began = time.monotonic()
    with closing(connect(url)) as connection:
        while time.monotonic() - began < DRAINED_S_MAX:
            if _one(connection, "SELECT count(*) FROM jobs WHERE status = 'pending'") == 0:
                return time.monotonic() - began
            time.sleep(0.5)
        owed = connection.execute("SELECT * FROM queue").fetchall()
    pytest.fail(f"still owed after {DRAINED_S_MAX:.0f} s: {owed}")


def _one(connection: Connection, sql: str) -> int:
    row = connection.execute(sql.encode()).fetchone()
    assert row is not None
    return int(row[0])


def _check(url: str, lanes: Sequence[Lane]) -> None:
    with closing(connect(url)) as connection:
        connection.execute("SET recollect.project = '*'")  # else row-level security shows nothing
        _check_log(connection, lanes)
        _check_order(connection)
        for what, query in FORBIDDEN.items():
            portable = dialect.translated(query).replace("x''", "''::bytea").replace("%%", "%")
            assert connection.execute(portable.encode()).fetchall() == [], what


def _check_log(connection: Connection, lanes: Sequence[Lane]) -> None:
    """What was acknowledged is there once; what was not, once or not at all; each writer's in order."""
    asked = "SELECT g.graph_id, e.content FROM episodes e JOIN graphs g ON g.id = e.graph_id ORDER BY e.seq"
    there: dict[str, list[str]] = {}
    for graph, content in connection.execute(asked):
        there.setdefault(graph, []).append(content)
    for lane in lanes:
        own = [one for one in there.get(lane.graph, []) if one in set(lane.said)]
        assert lane.acknowledged <= set(own)
        assert own == sorted(set(own))
    assert _one(connection, "SELECT count(*) FROM jobs WHERE status <> 'succeeded'") == 0
    assert _one(connection, "SELECT count(*) FROM episodes WHERE processed_at IS NULL") == 0


def _check_order(connection: Connection) -> None:
    """No episode of a graph was learned before an earlier one."""
    disorder = (
        "SELECT count(*) FROM jobs a JOIN jobs b ON b.graph_id = a.graph_id AND b.id > a.id"
        " WHERE b.completed_at < a.completed_at"
    )
    assert _one(connection, disorder) == 0
    twice = "SELECT count(*) - count(DISTINCT episode_id) FROM readings"
    assert _one(connection, twice) == 0


async def _check_fold(url: str, base: Path) -> None:
    """Folding every log again gives the same graphs."""
    services = await open_services(Settings(data=base / "fold", store=url))  # type: ignore[arg-type]
    try:
        before = await services.store.read(rebuild.states, None)
        for one in before:
            await services.store.write(rebuild.again, one.id)
            await services.folder.fold(one.id)
        after = await services.store.read(rebuild.states, None)
    finally:
        await services.close()
    assert [one.digest for one in after] == [one.digest for one in before]
    assert sum(one.facts for one in after) > 0
