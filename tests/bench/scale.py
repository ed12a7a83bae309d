"""What the capacity plan is computed from: bytes and processor time of a fact, a message and a search on PostgreSQL.

Messages of real talks are read by the embedded reader, so that every table is filled as in production. Processor
time is that of the processes that work, so a busy machine changes it less than the clock.
"""

import asyncio
import gzip
import json
import statistics
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import httpx
import psutil
import psycopg

from recollect.graph.types import Access
from recollect.models import embedder
from recollect.records.graphs import of_user
from recollect.search.segments import Segments
from recollect.settings import Settings
from recollect.store.postgres import PostgresStore
from tests.bench.extraction import DATA
from tests.bench.floor import parts, project_access
from tests.support import postgres
from tests.support.server import EXTRACTION_ON, Server

USERS, FACTS, SEARCHES_PER_S = 1_000_000, 1_000_000_000, 10_000
MESSAGES_PER_USER_AND_DAY = 10
BUSY = 0.6  # how much of a core may be used at the busiest hour
ACTIVE = 0.1  # of the users, whose graphs are kept in memory
_CHUNK = 30
_QUESTIONS = 40
_GLANCES = 2_000
_SIZES = """
SELECT relname::text, pg_total_relation_size(oid) FROM pg_class
WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
"""


class Costs(NamedTuple):
    """What was measured: bytes, and milliseconds of a core."""

    messages: int
    facts: int
    disk_per_fact: float
    memory_per_fact: float
    reading_ms: float
    search_ms: float
    first_ms: float
    looks_per_core_s: float
    largest: Sequence[tuple[str, float]]


def _talks(count: int, length: int) -> list[list[tuple[str, str]]]:
    """So many talks of two people, cut to so many messages."""
    found = []
    for talk in json.loads(gzip.decompress(DATA.read_bytes())):
        said = talk["conversation"]
        names = [name for name in said if name.startswith("session_") and name[8:].isdigit()]
        turns = [turn for name in sorted(names, key=lambda n: int(n[8:])) for turn in said[name]]
        found.append([(turn["speaker"], turn["text"]) for turn in turns[:length]])
    return found[:count]


def _tell(server: Server, talks: Sequence[Sequence[tuple[str, str]]]) -> None:
    """Each talk to a user of its own."""
    with server.http() as http:
        for number, talk in enumerate(talks):
            http.post("/users", json={"user_id": f"u{number}", "first_name": talk[0][0]})
            http.post("/threads", json={"thread_id": f"t{number}", "user_id": f"u{number}"})
            said = [{"role": "user", "name": who, "content": text} for who, text in talk]
            for start in range(0, len(said), _CHUNK):
                body = {"messages": said[start : start + _CHUNK]}
                http.post(f"/threads/t{number}/messages", json=body).raise_for_status()


def _wait_until_read(server: Server) -> None:
    while "recollect_jobs_pending 0.0" not in httpx.get(f"{server.url}/metrics").text:
        time.sleep(0.5)


def _spent(server: Server) -> float:
    """Seconds of a core that the server and its readers have used."""
    root = psutil.Process(server.pid)
    used = [one.cpu_times() for one in (root, *root.children(recursive=True))]
    return sum(one.user + one.system for one in used)


def _sizes(url: str) -> dict[str, int]:
    with closing(psycopg.connect(url)) as connection:
        return dict(connection.execute(_SIZES).fetchall())


def _database_seconds(database: postgres.PostgresServer) -> float:
    """Seconds of a core that the database's processes have used, those that ended left out."""
    pid = int((database.folder / "data" / "postmaster.pid").read_text().split()[0])
    used = [one.cpu_times() for one in psutil.Process(pid).children()]
    return sum(one.user + one.system for one in used)


async def _searched(
    store: PostgresStore, talks: Sequence[Sequence[tuple[str, str]]]
) -> tuple[int, float, float]:
    """Bytes of all segments, milliseconds of a first search, and of one more."""
    access: Access = await store.read(project_access)
    segments = Segments(store, bytes_max=1 << 40)
    size, first, more = 0, [], []
    for number, talk in enumerate(talks):
        graph = await store.read(of_user, access, f"u{number}")
        began = time.process_time()
        segment = await segments.of(access, graph)
        first.append(1000 * (time.process_time() - began))
        size += segment.size_bytes
        for _, text in talk[: _QUESTIONS // len(talks)]:
            took = parts(Settings().models, segment, "fact", text[:80])
            more.append(took.embedding.cpu + took.ready.cpu + took.ranked.cpu)
    return size, statistics.median(first), statistics.median(more)


async def _looks(store: PostgresStore, database: postgres.PostgresServer) -> float:
    """How often a core of the database can say which version a graph has."""
    access: Access = await store.read(project_access)
    began = _database_seconds(database)
    for _ in range(_GLANCES):
        await store.glance(of_user, access, "u0")
    return _GLANCES / max(_database_seconds(database) - began, 0.01)


async def _costs(
    database: postgres.PostgresServer, folder: Path, talks: Sequence[Sequence[tuple[str, str]]]
) -> Costs:
    url = database.url(database.new_database())
    place = database.dsn(url.rpartition("/")[2])
    with Server(folder / "data", environment={"RECOLLECT_STORE": url, **EXTRACTION_ON}) as server:
        _wait_until_read(server)
        empty, began = _sizes(place), _spent(server)
        _tell(server, talks)
        _wait_until_read(server)
        reading = _spent(server) - began
    grown = {k: v - empty[k] for k, v in _sizes(place).items()}
    with closing(psycopg.connect(place)) as connection:
        ((facts,),) = connection.execute("SELECT count(*) FROM facts").fetchall()
    embedder.load(Settings().models)
    store = PostgresStore.open(url)
    try:
        size, first, more = await _searched(store, talks)
        looks = await _looks(store, database)
    finally:
        await store.close()
    messages = sum(map(len, talks))
    largest = sorted(grown.items(), key=lambda one: -one[1])[:6]
    return Costs(
        messages, facts, sum(grown.values()) / facts, size / facts, 1000 * reading / messages,
        more, first, looks, [(name, grew / facts) for name, grew in largest],
    )  # fmt: skip


def report(costs: Costs) -> None:
    """Print what was measured, and what follows from it."""
    print(f"{costs.messages} messages gave {costs.facts} facts\n")
    print("| measured | |\n|---|---|")
    print(f"| disk of the database for a fact | {costs.disk_per_fact / 1e3:.1f} kB |")
    for name, grew in costs.largest:
        print(f"| - of that in `{name}` | {grew / 1e3:.2f} kB |")
    print(f"| memory for a fact of a graph in use | {costs.memory_per_fact / 1e3:.2f} kB |")
    print(f"| reading a message | {costs.reading_ms:.0f} ms of a core |")
    print(f"| a search of a graph in memory | {costs.search_ms:.1f} ms of a core |")
    print(f"| fetching a graph before its first search | {costs.first_ms:.0f} ms of a core |")
    print(f"| looks at a graph's version | {costs.looks_per_core_s:.0f} a core-second |\n")
    messages = USERS * MESSAGES_PER_USER_AND_DAY / 86_400
    print("| needed | |\n|---|---|")
    print(f"| disk | {costs.disk_per_fact * FACTS / 1e12:.1f} TB |")
    print(f"| memory, all graphs in use | {costs.memory_per_fact * FACTS / 1e12:.2f} TB |")
    print(f"| memory, one user in ten | {costs.memory_per_fact * FACTS * ACTIVE / 1e9:.0f} GB |")
    print(f"| cores that search | {SEARCHES_PER_S * costs.search_ms / 1e3 / BUSY:.0f} |")
    print(f"| cores that read | {messages * costs.reading_ms / 1e3 / BUSY:.0f} |")
    print(
        f"| cores of the database, for searches | {SEARCHES_PER_S / costs.looks_per_core_s / BUSY:.0f} |"
    )


def measure(count: int = 4, length: int = 120) -> None:
    """Entry point."""
    if not DATA.is_file():
        raise SystemExit(f"{DATA.name} is not there: this bench needs ../shared/data")
    talks = _talks(count, length)
    with (
        postgres.running(durable=True) as database,
        tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder,
    ):
        report(asyncio.run(_costs(database, Path(folder), talks)))


if __name__ == "__main__":
    measure()
