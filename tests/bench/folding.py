"""A long log folded again: how long it takes, and how long requests wait meanwhile."""

import asyncio
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

import httpx
from msgspec.structs import replace

from recollect.extract.brief import Brief, Extracted
from recollect.governance import keys
from recollect.graph import predicates
from recollect.graph.found import Found
from recollect.graph.types import Access, NewEpisode
from recollect.ingest import rebuild
from recollect.ingest.folder import Folder
from recollect.records import graphs
from recollect.records.graphs import GraphDetails
from recollect.store.protocol import Transaction
from recollect.store.sqlite import SqliteStore
from tests.bench import extraction
from tests.bench.load import drive_all, request
from tests.support import here
from tests.support.server import DEFAULT_KEY, Server

_READ = 400
_EPISODES = 10_000
_PAUSE_S = 0.02
_QUIET_S = 10.0


class Repeated:
    """What was found in some real turns, over and over about other people and things: a long log
    without the hours that reading it would take."""

    together = 16
    wants_known = False
    predicates = predicates.load()

    def __init__(self, found: Sequence[Extracted]) -> None:
        self._found = found
        self._count = 0

    async def extract(self, readings: Sequence[Brief]) -> list[Extracted]:
        """The next ones."""
        return [self._next() for _ in readings]

    def _next(self) -> Extracted:
        block, number = divmod(self._count, len(self._found))
        self._count += 1
        return _about_others(self._found[number], block)

    async def close(self) -> None:
        """Nothing to let go of."""


def _about_others(extracted: Extracted, block: int) -> Extracted:
    if not block:
        return extracted
    found = extracted.found
    names = [item.name for item in found.entities if item.who is None]

    def renamed(text: str) -> str:
        for name in names:
            text = text.replace(name, f"{name} {block}")
        return text

    entities = tuple(
        item if item.who else replace(item, name=f"{item.name} {block}", aliases=())
        for item in found.entities
    )
    facts = tuple(replace(fact, fact=renamed(fact.fact)) for fact in found.facts)
    told = Found(entities=entities, facts=facts, extractor=found.extractor)
    return replace(extracted, found=told)


async def _fill(folder: Path, episodes: int) -> int:
    """A graph of so many episodes; tells its row id."""
    said = extraction.turns(episodes)
    found = await _read(said[:_READ])
    store = SqliteStore.open(folder, readers=1)
    try:
        access = await store.write(_access)
        graph = await store.write(graphs.create, access, "g", GraphDetails())
        await extraction.fill(store, access, said)
        await here.learn(store, Repeated(found))
        return graph.id
    finally:
        await store.close()


async def _read(said: Sequence[NewEpisode]) -> list[Extracted]:
    """What the embedded reader finds in some turns."""
    briefs = [
        Brief(
            kind="message",
            content=one.content,
            at=one.created_at or extraction.START,
            speaker=one.speaker,
        )
        for one in said
    ]
    return await here.extractor().extract(briefs)


def _access(tx: Transaction) -> Access:
    keys.ensure_default(tx, DEFAULT_KEY)
    access = keys.authenticate(tx, keys.hashed(DEFAULT_KEY))
    assert access is not None
    return access


async def _fold(folder: Path, graph_id: int) -> tuple[float, float, bool]:
    """Wall and CPU seconds of a fold from the first place, and whether it came out the same."""
    store = SqliteStore.open(folder, readers=1)
    try:
        before = await store.read(rebuild.digest, graph_id)
        await store.write(rebuild.again, graph_id)
        began, cpu = time.perf_counter(), time.process_time()
        await Folder(store, predicates.load()).fold(graph_id)
        took = time.perf_counter() - began, time.process_time() - cpu
        after = await store.read(rebuild.digest, graph_id)
        return *took, before == after
    finally:
        await store.close()


def _search(server: Server) -> bytes:
    body = b'{"query": "Who likes pottery?", "graph_id": "g", "scope": "edges", "limit": 5}'
    return request("POST", "/api/v2/graph/search", server.api_key, body)


def _waits(server: Server, *, folding: bool) -> list[float]:
    """Milliseconds of each request, of several kinds in turn: while a graph is folded, or after."""
    said = b'{"graph_id": "g2", "type": "text", "data": "Ann moved to Lisbon."}'
    several = [
        _search(server),
        request("POST", "/api/v2/graph", server.api_key, said),
        request("GET", "/api/v2/graph/g", server.api_key),
    ]
    waits: list[float] = []
    ends = time.perf_counter() + _QUIET_S
    while _folded(server) < 1 if folding else time.perf_counter() < ends:
        waits += drive_all(server.port, 1, several * 5)
        time.sleep(_PAUSE_S)
    return waits


def _folded(server: Server) -> float:
    text = httpx.get(f"{server.url}/metrics").text
    lines = [line for line in text.splitlines() if 'recollect_folds_total{outcome="done"}' in line]
    return float(lines[0].split()[-1]) if lines else 0.0


def measure(folder: Path, episodes: int = _EPISODES) -> None:
    """Print the table."""
    graph_id = asyncio.run(_fill(folder, episodes))
    seconds, cpu, same = asyncio.run(_fold(folder, graph_id))
    with Server(folder) as server:
        with server.http() as http:
            http.post("/graph/create", json={"graph_id": "g2"}).raise_for_status()
        _waits(server, folding=False)  # with the models being loaded
        with server.http() as http:
            first = http.get("/graph/episodes/graph/g", params={"lastn": episodes}).json()
            oldest = first["episodes"][-1]["uuid"]
            http.delete(f"/graph/episodes/{oldest}").raise_for_status()
        # Whoever searches first reads the segment anew, as after every deletion: no matter of folding.
        (anew,) = drive_all(server.port, 1, [_search(server)])
        busy = _waits(server, folding=True)
        quiet = _waits(server, folding=False)
    print("| what | measured | goal |")
    print("|---|---|---|")
    print(f"| {episodes} episodes folded again, s (CPU s) | {seconds:.1f} ({cpu:.1f}) | <= 15 |")
    print(f"| digest after it | {'equal' if same else 'DIFFERENT'} | equal |")
    print(
        f"| the first search after the deletion, which reads the segment anew, ms | {anew:.1f} | |"
    )
    for name, waits in (("meanwhile", busy), ("afterwards", quiet)):
        longest, middle = max(waits), statistics.median(waits)
        print(
            f"| a request {name}, ms: median, longest of {len(waits)} | {middle:.1f}, {longest:.1f} | |"
        )
    print(f"| longer wait by the fold, ms | {max(busy) - max(quiet):.1f} | <= 100 |")
