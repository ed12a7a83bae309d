"""The real server with real models, of which something is taken away: nothing innocent is parked."""

import json
import os
import re
import signal
import sqlite3
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from recollect.settings import Settings
from tests.support.server import EXTRACTION_ON, Server, program_environment, run_program

KILLS = 6
KILLED_WITHIN_S = 15.0
SOON_S = 120.0
HELD = "SELECT 1 FROM queue WHERE lease IS NOT NULL OR reason IS NOT NULL"


@pytest.fixture
def models() -> Path:
    """Where the weights of this machine are."""
    return Settings().models


def until(true: Callable[[], bool], what: str, seconds: float = SOON_S) -> float:
    """Wait until something holds; how long that took."""
    began = time.monotonic()
    while not true():
        assert time.monotonic() - began < seconds, f"not within {seconds:.0f} s: {what}"
        time.sleep(0.05)
    return time.monotonic() - began


def tell(client: httpx.Client, text: str, graph: str = "g") -> None:
    """Have something remembered."""
    body = {"type": "text", "data": text, "graph_id": graph}
    client.post("/graph", json=body).raise_for_status()


def number(server: Server, name: str) -> float:
    """One of the metrics."""
    told = httpx.get(f"{server.url}/metrics", timeout=30, trust_env=False).text
    found = re.search(rf"^{name} (\S+)$", told, re.MULTILINE)
    assert found is not None, name
    return float(found[1])


def counts(server: Server) -> tuple[int, int]:
    """How many jobs are pending, and how many are parked."""
    return int(number(server, "recollect_jobs_pending")), int(
        number(server, "recollect_jobs_parked")
    )


def asked(server: Server, query: str) -> list[tuple[Any, ...]]:
    """What is in the file."""
    with closing(sqlite3.connect(server.data / "recollect.db", timeout=30)) as connection:
        return connection.execute(query).fetchall()


def facts(server: Server) -> list[str]:
    """What was learned."""
    return [row[0] for row in asked(server, "SELECT fact FROM facts ORDER BY id")]


def doctor(data: Path, **environment: str) -> list[dict[str, Any]]:
    """What the doctor finds."""
    done = run_program(
        "doctor",
        "--check",
        "--json",
        "--data",
        str(data),
        environment=program_environment(**environment),
        timeout=SOON_S,
    )
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_missing_weights_are_waited_for(tmp_path: Path, models: Path) -> None:
    """Much longer than all tries of a job take; in sight; and when they come, it goes on."""
    empty = tmp_path / "models"
    empty.mkdir()
    environment = {
        **EXTRACTION_ON,
        "RECOLLECT_MODELS": str(empty),
        "RECOLLECT_JOB_BACKOFF_FIRST_S": "0.1",  # five tries take 1.5 s
        "RECOLLECT_WORKERS": "1",
    }
    server = Server(tmp_path / "data", environment=environment)
    with ExitStack() as held:
        held.callback(server.stop)
        server.start(until="/health")  # without weights it is not ready, and works all the same
        client = held.enter_context(server.http())
        client.post("/graph/create", json={"graph_id": "g"}).raise_for_status()
        tell(client, "Ann moved to Lisbon.")
        until(lambda: number(server, "recollect_workers_resting") == 1, "the worker rests")
        time.sleep(3)
        assert counts(server) == (1, 0)
        assert number(server, "recollect_graphs_hindered") == 1
        told = {one["what"]: one["says"] for one in doctor(server.data, **environment)}
        assert "not installed" in told["waiting"]
        for weights in models.iterdir():
            (empty / weights.name).symlink_to(weights)
        seconds = until(lambda: counts(server) == (0, 0), "it goes on by itself")
        print(f"went on {seconds:.1f} s after the weights were there")
        assert any("Lisbon" in fact for fact in facts(server))
        assert number(server, "recollect_workers_resting") == 0


def test_six_kills_of_the_reader_park_nothing(tmp_path: Path) -> None:
    """Within fifteen seconds, each at work on the same message."""
    environment = {**EXTRACTION_ON, "RECOLLECT_WORKERS": "1"}
    with Server(tmp_path / "data", environment=environment) as server, server.http() as client:
        client.post("/graph/create", json={"graph_id": "g"}).raise_for_status()
        tell(client, "Ann moved to Lisbon.")
        killed: set[int] = set()
        began = time.monotonic()
        while len(killed) < KILLS and time.monotonic() - began < SOON_S:
            killed |= _killed_readers(server.pid)
            time.sleep(KILLED_WITHIN_S / KILLS / 10)
        assert len(killed) == KILLS
        print(f"{len(killed)} kills in {time.monotonic() - began:.1f} s")
        until(lambda: counts(server) == (0, 0), "it is read in the end")
        assert any("Lisbon" in fact for fact in facts(server))


def _killed_readers(server: int) -> set[int]:
    """Kill the processes that read for a server."""
    found = set()
    for child in psutil.Process(server).children(recursive=True):
        with suppress(psutil.Error, ProcessLookupError):
            if "spawn_main" in " ".join(child.cmdline()):
                os.kill(child.pid, signal.SIGKILL)
                found.add(child.pid)
    return found


def test_six_kills_of_the_server_park_nothing(tmp_path: Path) -> None:
    """Each after a worker took the message, which then was alone in it."""
    server = Server(tmp_path / "data", environment=EXTRACTION_ON)
    server.start()
    with server.http() as client:
        client.post("/graph/create", json={"graph_id": "g"}).raise_for_status()
        tell(client, "Ann moved to Lisbon.")
    for _ in range(KILLS):
        until(lambda: bool(asked(server, HELD)) or counts(server) == (0, 0), "it is taken")
        server.kill()
        server.start()
    try:
        until(lambda: counts(server) == (0, 0), "it is read in the end")
        assert any("Lisbon" in fact for fact in facts(server))
        assert asked(server, "SELECT attempts, error FROM jobs") == [(0, None)]
    finally:
        server.stop()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it notices when it goes on")
def test_a_stopped_reader_ends_with_its_server(tmp_path: Path) -> None:
    """It cannot see to that itself; it would stay for good, with all its weights."""
    with Server(tmp_path / "data", environment=EXTRACTION_ON) as server:
        with server.http() as client:
            client.post("/graph/create", json={"graph_id": "g"}).raise_for_status()
            tell(client, "Tom lives in Rome.")
        until(lambda: counts(server) == (0, 0), "it is read")
        every = psutil.Process(server.pid).children(recursive=True)
        readers = [one for one in every if "spawn_main" in " ".join(one.cmdline())]
        assert readers
        for reader in readers:
            reader.suspend()
        os.kill(server.pid, signal.SIGKILL)  # it alone, not its group
        _, left = psutil.wait_procs(readers, timeout=10)
        assert all(one.status() == psutil.STATUS_ZOMBIE for one in left)
