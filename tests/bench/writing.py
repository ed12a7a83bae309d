"""How fast episodes are appended to either store, by one client and by sixteen, in one process and in two.

The floor is a loop of bare inserts by as many clients into the same kind of store, each committed by itself. All are
measured in turn, several rounds, each on disk before it counts.
"""

import asyncio
import sqlite3
import statistics
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack, closing
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import psutil
import psycopg

from recollect.graph.types import Access, NewEpisode
from recollect.ingest import intake
from recollect.store.postgres import PostgresStore
from recollect.store.protocol import Store
from recollect.store.sqlite import SqliteStore
from tests.contract.store.world import new_graph, new_project
from tests.support import postgres

CLIENTS = 16
TEXT = "I have been thinking about the move to Lisbon, and Emma found a flat near the river. " * 5
_TABLE = "CREATE TABLE IF NOT EXISTS bare (g BIGINT, c TEXT)"


async def _graphs(store: Store, count: int) -> Access:
    access = await new_project(store, "bench")
    for number in range(count):
        await new_graph(store, access, f"g{number}")
    return access


async def _appended(store: Store, access: Access, first: int, clients: int, until: float) -> int:
    """How many episodes so many clients got onto disk, each into a graph of its own."""

    async def client(number: int) -> int:
        count = 0
        while time.time() < until:
            said = [NewEpisode(kind="text", content=TEXT)]
            await store.write(intake.add_episodes, access, None, f"g{number}", said)
            count += 1
        return count

    return sum(await asyncio.gather(*[client(first + n) for n in range(clients)]))


def _process(url: str, access: Access, first: int, clients: int, until: float) -> int:
    """The clients of one process of several."""

    async def run() -> int:
        store = PostgresStore.open(url)
        try:
            return await _appended(store, access, first, clients, until)
        finally:
            await store.close()

    return asyncio.run(run())


def _two_processes(url: str, access: Access, seconds: float) -> float:
    half = CLIENTS // 2
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        list(pool.map(_process, [url] * 2, [access] * 2, [0, half], [1, 1], [0.0, 0.0]))  # loaded
        until = time.time() + seconds
        done = pool.map(_process, [url] * 2, [access] * 2, [0, half], [half] * 2, [until] * 2)
        return sum(done) / seconds


def _bare(insert: Callable[[float], int], clients: int, seconds: float) -> float:
    """Inserts a second by so many threads at once."""
    counts: list[int] = []
    until = time.time() + seconds
    threads = [
        threading.Thread(target=lambda: counts.append(insert(until))) for _ in range(clients)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    return sum(counts) / seconds


def _bare_postgres(url: str, until: float) -> int:
    count = 0
    with closing(psycopg.connect(url, autocommit=True)) as connection:
        while time.time() < until:
            connection.execute("INSERT INTO bare (g, c) VALUES (%s, %s)", (1, TEXT))
            count += 1
    return count


def _bare_sqlite(file: Path, until: float) -> int:
    count = 0
    with closing(sqlite3.connect(file, isolation_level=None, timeout=60)) as connection:
        connection.execute("PRAGMA synchronous = FULL")
        while time.time() < until:
            connection.execute("INSERT INTO bare (g, c) VALUES (?, ?)", (1, TEXT))
            count += 1
    return count


async def _rates(store: Store, access: Access, seconds: float) -> dict[str, float]:
    alone = await _appended(store, access, 0, 1, time.time() + seconds)
    many = await _appended(store, access, 0, CLIENTS, time.time() + seconds)
    return {"1 client": alone / seconds, "16 clients": many / seconds}


async def _on_sqlite(folder: Path, seconds: float) -> dict[str, float]:
    store = SqliteStore.open(folder / "data")
    file = folder / "bare.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(_TABLE)
    try:
        rates = await _rates(store, await _graphs(store, CLIENTS), seconds)
    finally:
        await store.close()
    bare = _bare(lambda until: _bare_sqlite(file, until), CLIENTS, seconds)
    return rates | {"bare, 16 clients": bare}


async def _on_postgres(database: postgres.PostgresServer, seconds: float) -> dict[str, float]:
    url = database.url(database.new_database())
    store = PostgresStore.open(url)
    try:
        access = await _graphs(store, CLIENTS)
        rates = await _rates(store, access, seconds)
    finally:
        await store.close()
    rates["16 clients, two processes"] = await asyncio.to_thread(
        _two_processes, url, access, seconds
    )
    with closing(psycopg.connect(url, autocommit=True)) as connection:
        connection.execute(_TABLE)
    return rates | {
        "bare, 16 clients": _bare(lambda until: _bare_postgres(url, until), CLIENTS, seconds)
    }


def measure(rounds: int, seconds: float) -> None:
    """Both stores in turn; medians, and each as a share of its floor."""
    found: dict[str, list[dict[str, float]]] = {"SQLite": [], "PostgreSQL": []}
    with postgres.running(durable=True) as database:
        for _ in range(rounds):
            with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
                found["SQLite"].append(asyncio.run(_on_sqlite(Path(folder), seconds)))
            found["PostgreSQL"].append(asyncio.run(_on_postgres(database, seconds)))
    print("| store | appends by | a second | of its floor |\n|---|---|---|---|")
    for name, each in found.items():
        for who in each[0]:
            rate = statistics.median(one[who] for one in each)
            share = statistics.median(one[who] / one["bare, 16 clients"] for one in each)
            print(f"| {name} | {who} | {rate:.0f} | {share:.2f} |")


def _database_seconds(database: postgres.PostgresServer) -> float:
    """Seconds of a core that the database's processes have used, those that ended left out."""
    pid = int((database.folder / "data" / "postmaster.pid").read_text().split()[0])
    used = [one.cpu_times() for one in psutil.Process(pid).children()]
    return sum(one.user + one.system for one in used)


def _told(
    name: str, database: postgres.PostgresServer, count: int, run: Callable[[], object]
) -> None:
    """Do something and print what each of so many writes has cost."""
    began, client, server = time.time(), time.process_time(), _database_seconds(database)
    run()
    client, server = time.process_time() - client, _database_seconds(database) - server
    print(
        f"| {name} | {count / (time.time() - began):.0f} | {1e3 * client / count:.2f} ms"
        f" | {1e3 * server / count:.2f} ms |"
    )


def costs(each: int = 20) -> None:
    """What an append and a bare insert cost by sixteen clients, so many each: for a machine too busy for rates."""
    print("| PostgreSQL | a second | client | database |\n|---|---|---|---|")
    with postgres.running(durable=True) as database, asyncio.Runner() as runner:
        url = database.url(database.new_database())
        store = runner.run(_opened(url))
        access = runner.run(_graphs(store, CLIENTS))
        runner.run(_append_each(store, access, each))  # statements are prepared by then
        _told(
            "append", database, each * CLIENTS,
            lambda: runner.run(_append_each(store, access, each)),
        )  # fmt: skip
        runner.run(store.close())
        with closing(psycopg.connect(url, autocommit=True)) as connection:
            connection.execute(_TABLE)
        with ThreadPoolExecutor(CLIENTS) as pool, ExitStack() as open_:
            clients = [
                open_.enter_context(closing(psycopg.connect(url, autocommit=True)))
                for _ in range(CLIENTS)
            ]
            insert = partial(_insert_each, count=each)
            list(pool.map(insert, clients))
            _told(
                "bare insert", database, each * CLIENTS, lambda: deque(pool.map(insert, clients), 0)
            )


async def _opened(url: str) -> PostgresStore:
    return PostgresStore.open(url)


async def _append_each(store: Store, access: Access, count: int) -> None:
    async def client(number: int) -> None:
        for _ in range(count):
            said = [NewEpisode(kind="text", content=TEXT)]
            await store.write(intake.add_episodes, access, None, f"g{number}", said)

    await asyncio.gather(*map(client, range(CLIENTS)))


def _insert_each(connection: psycopg.Connection[tuple[object, ...]], count: int) -> None:
    for _ in range(count):
        connection.execute("INSERT INTO bare (g, c) VALUES (%s, %s)", (1, TEXT))


if __name__ == "__main__":
    costs()
