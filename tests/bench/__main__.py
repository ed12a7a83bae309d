"""`make bench`: speed as ratios, measured in one run, with the floor beside each figure."""

import argparse
import asyncio
import platform
import sqlite3
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import httpx
import psutil

from tests.bench import episodic, extraction, folding, memories, narrowed, scale, search, writing
from tests.bench.load import drive, request
from tests.support.server import Server

_ROUNDS = 5
_SECONDS = 2.0
_TEXT = "I have been thinking about the move to Lisbon, and Emma found a flat near the river. " * 5


def bare_commits(folder: Path, seconds: float) -> float:
    """Single-row commits per second to SQLite, WAL and FULL, nothing else in the way."""
    connection = sqlite3.connect(folder / "bare.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE IF NOT EXISTS e (id INTEGER PRIMARY KEY, g INTEGER, c TEXT)")
    began, count = time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        connection.execute("INSERT INTO e (g, c) VALUES (1, ?)", (_TEXT,))
        count += 1
    rate = count / (time.perf_counter() - began)
    connection.close()
    return rate


def prepare(server: Server, threads: int) -> None:
    """A user with a thread per client."""
    with server.http() as http:
        http.post("/users", json={"user_id": "bench", "first_name": "Bo"}).raise_for_status()
        for number in range(threads):
            body = {"thread_id": f"t{number}", "user_id": "bench"}
            http.post("/threads", json=body).raise_for_status()


def cold_start(folder: Path) -> float:
    """Seconds from starting the process to its first ready answer."""
    began = time.perf_counter()
    with Server(folder / "cold"):
        return time.perf_counter() - began


def machine() -> str:
    """What the figures were taken on."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    return f"{platform.machine()}, {psutil.cpu_count()} cores, Python {platform.python_version()}, commit {commit or '?'}"


def measure(folder: Path, rounds: int, seconds: float) -> None:
    """Run everything in turn, several rounds, and print medians of the ratios."""
    body = b'{"messages":[{"role":"user","name":"Bo","content":"%s"}]}' % _TEXT.encode()
    rates: dict[str, list[float]] = {}
    waits: dict[str, list[float]] = {}

    def note(name: str, result: dict[str, float]) -> None:
        rates.setdefault(name, []).append(result["per_s"])
        waits.setdefault(name, []).append(result["p50_ms"])

    with Server(folder / "data") as server:
        resting_mb = psutil.Process(server.pid).memory_info().rss / 1e6
        prepare(server, 16)
        append = [
            request("POST", f"/api/v2/threads/t{n}/messages", server.api_key, body)
            for n in range(16)
        ]
        get = request("GET", "/api/v2/users/bench", server.api_key)
        empty = request("GET", "/health", server.api_key)
        for _ in range(rounds):
            bare = bare_commits(folder, seconds)
            rates.setdefault("bare", []).append(bare)
            note("append 1", drive(server.port, 1, seconds, lambda n, i: append[n]))
            note("append 16", drive(server.port, 16, seconds, lambda n, i: append[n]))
            wait_until_idle(server)
            note("empty", drive(server.port, 8, seconds, lambda n, i: empty))
            note("user.get", drive(server.port, 8, seconds, lambda n, i: get))
    starts = [cold_start(folder) for _ in range(rounds)]
    report(rates, waits, starts, resting_mb)


def wait_until_idle(server: Server) -> None:
    """Reads are measured while no job runs."""
    for _ in range(600):
        text = httpx.get(f"{server.url}/metrics").text
        if "recollect_jobs_pending 0.0" in text:
            return
        time.sleep(0.1)


def report(
    rates: dict[str, list[float]],
    waits: dict[str, list[float]],
    starts: list[float],
    resting_mb: float,
) -> None:
    """Print the table."""

    def ratio(name: str, floor: str) -> float:
        return statistics.median(a / b for a, b in zip(rates[name], rates[floor], strict=True))

    print(f"# {machine()}\n")
    print("| what | per second | p50 ms | ratio | goal |")
    print("|---|---|---|---|---|")
    for name, floor, goal in (
        ("append 1", "bare", "≥ 0.5"),
        ("append 16", "bare", "≥ 3"),
        ("user.get", "empty", "≥ 0.5"),
    ):
        rate, wait = statistics.median(rates[name]), statistics.median(waits[name])
        print(
            f"| {name} | {rate:.0f} | {wait:.2f} | {ratio(name, floor):.2f} of {floor} | {goal} |"
        )
    for name in ("bare", "empty"):
        print(f"| {name} | {statistics.median(rates[name]):.0f} | | floor | |")
    print(f"| cold start to ready, s | {statistics.median(starts):.2f} | | | ≤ 1.5 |")
    print(f"| resident memory at rest, MB | {resting_mb:.0f} | | | |")


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=_ROUNDS)
    parser.add_argument("--seconds", type=float, default=_SECONDS)
    parser.add_argument(
        "--only",
        choices=[
            "http",
            "reading",
            "folding",
            "search",
            "narrowed",
            "episodic",
            "memories",
            "scale",
            "writing",
        ],
        help="one of the parts",
    )
    search.add_options(parser)
    options = parser.parse_args()
    if options.only in (None, "http"):
        with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
            measure(Path(folder), options.rounds, options.seconds)
    if options.only in (None, "reading"):
        print()
        asyncio.run(extraction.measure(quick=False))
    if options.only in (None, "folding"):
        print(f"\n# {machine()}\n")
        with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
            folding.measure(Path(folder))
    if options.only in (None, "search"):
        print(f"\n# {machine()}\n")
        search.measure(search.plan_of(options))
    if options.only in (None, "narrowed"):
        print(f"\n# {machine()}\n")
        narrowed.measure(options.rounds, options.searches)
    if options.only in (None, "episodic"):
        print(f"\n# {machine()}\n")
        with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
            episodic.measure(Path(folder), options.rounds, options.seconds)
    if options.only in (None, "writing"):
        print(f"\n# {machine()}\n")
        writing.measure(options.rounds, options.seconds)
    if options.only == "scale":
        print(f"\n# {machine()}\n")
        scale.measure()
    if options.only in (None, "memories"):
        print(f"\n# {machine()}\n")
        with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
            memories.measure(Path(folder), options.rounds)


if __name__ == "__main__":
    main()
