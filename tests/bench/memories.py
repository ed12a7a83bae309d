"""Memories: what an idle sweep costs, and adding and searching through the released client.

Two floors, measured in turn with the client: the same requests, sent raw on a kept connection, and
the graph search of the same episodes by the routes of the other clients, raw as well.
"""

import asyncio
import json
import os
import statistics
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import httpx
from prometheus_client import CollectorRegistry

from recollect.episodic_memory.manager import InstanceManager, MemoryMetrics, MetricsFactory
from tests.bench.load import Requests, drive_all, request
from tests.contract.sdk.environments import MM, client_environment, python_of
from tests.support.server import EXTRACTION_ON, Server

_SESSIONS = 10_000
_EPISODES = 1_000
_PER_CALL = 25
_PER_ROUND = 48  # calls of each kind and of all clients together
_TOGETHER = 8
_ORG, _PROJECT = "bench", "talk"
_NAMES = {"org_id": _ORG, "project_id": _PROJECT}
_GRAPH = f"{_ORG}.{_PROJECT}"
_WHO = ("Emma", "Bo", "Lena", "Omar", "Ines", "Paul", "Mia", "Theo", "Ruth", "Ivan")
_DID = ("moved to", "wrote about", "found a flat in", "came back from", "dreams of", "left")
_WHERE = ("Lisbon", "Oslo", "Porto", "Riga", "Turin", "Ghent", "Bergen", "Malaga", "Split")
_WHEN = ("last spring", "on Monday", "two years ago", "in March", "yesterday", "as a child")
_SCRIPT = Path(__file__).with_name("memory_client.py")


class Rounds(NamedTuple):
    """The waits of calls, in milliseconds, round by round."""

    waits: list[list[float]]

    def at(self, share: float) -> float:
        """The wait that this share of all calls did not exceed."""
        every = sorted(wait for one in self.waits for wait in one)
        return every[min(int(len(every) * share), len(every) - 1)]

    def of(self, floor: "Rounds") -> float:
        """The median over rounds of how much longer a call took than the floor's of that round."""
        pairs = zip(self.waits, floor.waits, strict=True)
        return statistics.median(statistics.median(a) / statistics.median(b) for a, b in pairs)


class Idle:
    """An instance that holds nothing."""

    async def close(self) -> None:
        """Nothing to let go of."""


async def _make(key: str) -> Idle:
    return Idle()


async def sweeping(sessions: int) -> dict[str, float]:
    """Milliseconds of sweeps with so many idle instances, and of holding one that is open."""
    clock = [0.0]
    manager: InstanceManager[Idle] = InstanceManager(
        _make,
        capacity=sessions,
        life_s=600.0,
        wait_s=60.0,
        metrics=MemoryMetrics(MetricsFactory(CollectorRegistry())),
        now=lambda: clock[0],
    )
    found: dict[str, float] = {}
    began = time.perf_counter()
    for number in range(sessions):
        async with manager.hold(str(number)):
            pass
    found["first use of all"] = _ms(began)
    began = time.perf_counter()
    for number in range(1_000):
        async with manager.hold(str(number)):
            pass
    found["holding one that is open"] = _ms(began) / 1_000
    quiet = []
    for _ in range(200):
        began = time.perf_counter()
        manager.sweep()
        quiet.append(_ms(began))
    found["sweep, nothing expired"] = statistics.median(quiet)
    clock[0] = 601.0
    began = time.perf_counter()
    manager.sweep()
    found["sweep, all expired"] = _ms(began)
    await manager.close()
    found["until all of them are closed"] = _ms(began)
    return found


def _ms(began: float) -> float:
    return (time.perf_counter() - began) * 1000


class MemoryClients:
    """Released memory clients, each a process of its own, kept for the whole bench."""

    def __init__(self, server: Server, count: int) -> None:
        self._server = server
        self._running = [
            subprocess.Popen(
                [str(python_of(MM)), "-I", str(_SCRIPT)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=client_environment(),
                text=True,
            )
            for _ in range(count)
        ]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in self._running:
            process.kill()
            process.communicate()

    def __call__(self, calls: Sequence[tuple[str, dict[str, Any]]], clients: int) -> list[float]:
        """Share calls out to so many clients; milliseconds of each call."""
        chosen = self._running[:clients]
        for number, process in enumerate(chosen):
            place = {"base_url": self._server.url, "api_key": self._server.api_key, **_NAMES}
            assert process.stdin is not None
            process.stdin.write(json.dumps({**place, "calls": calls[number::clients]}) + "\n")
            process.stdin.flush()
        return [1000 * wait for process in chosen for wait in self._answer(process)]

    def _answer(self, process: "subprocess.Popen[str]") -> list[float]:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"a client ended; the server:\n{self._server.log_tail()}")
        waits: list[float] = json.loads(line)
        return waits


def _sentences() -> Iterator[str]:
    """Things to say, no two alike."""
    number = 0
    while True:
        who, did = _WHO[number % len(_WHO)], _DID[number // 7 % len(_DID)]
        where, when = _WHERE[number // 3 % len(_WHERE)], _WHEN[number // 11 % len(_WHEN)]
        yield f"{who} {did} {where} {when}, and told me about house {number} there."
        number += 1


def _questions() -> Iterator[str]:
    """Questions, no two alike: what was embedded once is remembered."""
    for number, said in enumerate(_sentences()):
        who, *_ = said.split()
        yield f"What did {who} say about {_WHERE[number % len(_WHERE)]} and house {number * 7}?"


def _fill(server: Server, said: Iterator[str]) -> None:
    """Episodes in one project, all of them read."""
    with server.http() as http:
        for _ in range(_EPISODES // _PER_CALL):
            messages = [{"content": next(said), "producer": "Ann"} for _ in range(_PER_CALL)]
            body = {**_NAMES, "types": ["episodic"], "messages": messages}
            http.post("/memories", json=body).raise_for_status()
    _wait_until_read(server)


def _wait_until_read(server: Server) -> None:
    for _ in range(1_200):
        if "recollect_jobs_pending 0.0" in httpx.get(f"{server.url}/metrics").text:
            return
        time.sleep(0.1)
    raise RuntimeError("the episodes were not read in time")


def _raw(server: Server, path: str, bodies: Sequence[dict[str, Any]]) -> Requests:
    encoded = (json.dumps(body).encode() for body in bodies)
    return [request("POST", f"/api/v2{path}", server.api_key, body) for body in encoded]


def _round(
    server: Server, through: MemoryClients, clients: int, said: Iterator[str], asked: Iterator[str]
) -> dict[str, list[float]]:
    """One round of every kind, in turn."""

    def some(texts: Iterator[str]) -> list[str]:
        return [next(texts) for _ in range(_PER_ROUND)]

    added = {**_NAMES, "types": ["episodic"]}
    wanted = {**_NAMES, "top_k": 10, "filter": "", "types": ["episodic", "semantic"]}
    adds = [{**added, "messages": [{"content": text}]} for text in some(said)]
    searches = [{**wanted, "query": text} for text in some(asked)]
    graph = [{"graph_id": _GRAPH, "scope": "episodes", "query": text} for text in some(asked)]
    found = {
        "search, client": through([("search", {"query": text}) for text in some(asked)], clients),
        "search, raw": drive_all(server.port, clients, _raw(server, "/memories/search", searches)),
        "graph search, raw": drive_all(server.port, clients, _raw(server, "/graph/search", graph)),
        "add, client": through(
            [("add", {"content": text, "memory_types": ["episodic"]}) for text in some(said)],
            clients,
        ),
        "add, raw": drive_all(server.port, clients, _raw(server, "/memories", adds)),
    }
    _wait_until_read(server)
    return found


def _through_the_client(folder: Path, rounds: int) -> dict[int, dict[str, Rounds]]:
    said, asked = _sentences(), _questions()
    found: dict[int, dict[str, Rounds]] = {1: {}, _TOGETHER: {}}
    with Server(folder / "memories", environment=EXTRACTION_ON) as server:
        _fill(server, said)
        with MemoryClients(server, _TOGETHER) as through:
            for number in range(rounds + 1):  # the first one warms up
                for clients, kinds in found.items():
                    for kind, waits in _round(server, through, clients, said, asked).items():
                        if number:
                            kinds.setdefault(kind, Rounds([])).waits.append(waits)
    return found


def _report(found: dict[int, dict[str, Rounds]]) -> None:
    floors = {"search": ("search, raw", "graph search, raw"), "add": ("add, raw",)}
    print(f"| {_EPISODES:,} episodes | clients | p50 ms | p95 ms | of raw | of graph search |")
    print("|---|---|---|---|---|---|")
    for clients, kinds in found.items():
        for name, waits in kinds.items():
            beside = [
                f"{waits.of(kinds[floor]):.2f}" if floor != name else ""
                for floor in floors.get(name.split(",")[0], ())
            ]
            columns = " | ".join([*beside, "", ""][:2])
            print(
                f"| {name} | {clients} | {waits.at(0.5):.1f} | {waits.at(0.95):.1f} | {columns} |"
            )


def measure(folder: Path, rounds: int) -> None:
    """Print both tables."""
    print(f"| {_SESSIONS:,} idle instances | ms |")
    print("|---|---|")
    for name, took in asyncio.run(sweeping(_SESSIONS)).items():
        print(f"| {name} | {took:.4f} |")
    print()
    _report(_through_the_client(folder, rounds))
    print(f"\nLoad average {os.getloadavg()[0]:.1f} after; {rounds} rounds of {_PER_ROUND} calls.")
