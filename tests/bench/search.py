"""Speed of search over HTTP with a released client, with its floor beside it in the same run."""

import argparse
import asyncio
import os
import sqlite3
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil

from recollect.models import embedder
from recollect.search.segment import Segment
from recollect.settings import Settings
from tests.bench import graphs, search_report
from tests.bench.cases import Case, Plan
from tests.bench.clients import TOGETHER, Clients
from tests.bench.floor import Cold, Opened, parts
from tests.support.server import Server

_SIZES = (1_000, 10_000, 100_000)
_LARGE = 1_000_000
_MANY, _MANY_LARGE = 100, 1_000
_SEED = 7
_WARM_UP = 5
_COLD_ROUNDS = 3
_COLD_MAX = 100_000


def _write(folder: Path, cases: Sequence[Case]) -> dict[str, int]:
    """Make the graphs of all cases; the seed that each was made from."""
    sizes = {name: case.facts for case in cases for name in case.names}
    with Server(folder) as server, server.http() as http:
        for name in sizes:
            http.post("/graph/create", json={"graph_id": name}).raise_for_status()
    seeds = {name: _SEED + 1_000_000 * number for number, name in enumerate(sizes)}
    path = folder / "recollect.db"
    for name, facts in sizes.items():
        with sqlite3.connect(path) as connection:
            query = "SELECT id FROM graphs WHERE graph_id = ?"
            ((graph_id,),) = connection.execute(query, (name,)).fetchall()
        connection.close()
        graphs.fill(path, graph_id, facts, seeds[name])
    return seeds


async def _segments(folder: Path, cases: Sequence[Case]) -> dict[str, Segment]:
    """A segment of each case in this process; the first graph stands for many."""
    async with Opened(folder) as opened:
        return {name: await opened.segment(name) for name in {c.names[0] for c in cases}}


def _call(case: Case, question: tuple[str, str]) -> dict[str, Any]:
    name, text = question
    return {"graph_id": name, "query": text, "scope": case.scope, "limit": 10}


def _search(
    server: Server,
    clients: Clients,
    case: Case,
    segment: Segment,
    seeds: dict[str, int],
    plan: Plan,
) -> None:
    """Rounds of a case: over HTTP, then the floor, then over HTTP by eight at once."""
    models, asked = Settings().models, case.questions(seeds)
    for _ in range(max(_WARM_UP, len(case.names))):
        clients.search(server, [_call(case, next(asked))], 1)
    for _ in range(plan.rounds):
        questions = [next(asked) for _ in range(plan.searches)]
        case.alone.append(clients.search(server, [_call(case, q) for q in questions], 1))
        case.floor.append([parts(models, segment, case.kind, text) for _, text in questions])
        more = [_call(case, next(asked)) for _ in range(2 * plan.searches)]
        case.together.append(clients.search(server, more, TOGETHER))


def _forget_snapshots(folder: Path) -> None:
    with sqlite3.connect(folder / "recollect.db") as connection:
        connection.execute("DELETE FROM index_snapshots")
    connection.close()


def _first_search(
    folder: Path, clients: Clients, warm: Case, case: Case, seeds: dict[str, int]
) -> tuple[float, int]:
    """Milliseconds of a new process's first search of a graph, and by how much it grew.

    Searches of another graph come first, so that the embedder is loaded.
    """
    others, asked = warm.questions(seeds), case.questions(seeds)
    with Server(folder) as server:
        for _ in range(_WARM_UP):
            clients.search(server, [_call(warm, next(others))], 1)
        before = psutil.Process(server.pid).memory_info().rss
        answers = clients.search(server, [_call(case, next(asked))], 1)
        return answers.waits[0], psutil.Process(server.pid).memory_info().rss - before


def _cold(folder: Path, clients: Clients, cases: Sequence[Case], seeds: dict[str, int]) -> None:
    """First searches of a large graph, from its rows and from what was kept of its segment."""
    single = [c for c in cases if len(c.names) == 1 and c.facts <= _COLD_MAX]
    case = max(single, key=lambda c: c.facts, default=cases[0])
    if case is cases[0]:
        print("\nFirst searches: skipped, the only graph is the one that loads the embedder.")
        return
    _, text = next(case.questions(seeds))
    vector = embedder.load(Settings().models).queries([text])[0]
    inside: dict[str, list[Cold]] = {"rows": [], "snapshot": []}
    outside: dict[str, list[tuple[float, int]]] = {"rows": [], "snapshot": []}

    async def both() -> None:
        async with Opened(folder) as opened:
            for source in ("rows", "snapshot"):
                inside[source].append(await opened.cold(case.names[0], text, vector))

    for _ in range(_COLD_ROUNDS):
        _forget_snapshots(folder)
        asyncio.run(both())
        outside["snapshot"].append(_first_search(folder, clients, cases[0], case, seeds))
        _forget_snapshots(folder)
        outside["rows"].append(_first_search(folder, clients, cases[0], case, seeds))
    search_report.cold(case.facts, inside, outside)


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this part."""
    parser.add_argument("--large", action="store_true", help="search: a million facts, too")
    parser.add_argument("--sizes", help="search: facts in one graph, between commas")
    parser.add_argument("--many", type=int, help="search: how many graphs of a thousand facts")
    parser.add_argument("--searches", type=int, default=40, help="search: by one client per round")
    parser.add_argument("--real", type=int, default=6_000, help="search: real vectors for recall")


def plan_of(options: argparse.Namespace) -> Plan:
    """What the options ask for."""
    chosen = (int(size) for size in (options.sizes or "").split(",") if size)
    sizes = tuple(chosen) or (*_SIZES, *((_LARGE,) if options.large else ()))
    many = (_MANY_LARGE if options.large else _MANY) if options.many is None else options.many
    return Plan(sizes, many, options.rounds, options.searches, options.real)


def measure(plan: Plan) -> None:
    """All of it."""
    cases = plan.cases()
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as place:
        folder = Path(place) / "data"
        seeds = _write(folder, cases)
        segments = asyncio.run(_segments(folder, cases))
        before = os.getloadavg()
        with Clients(TOGETHER) as clients:
            with Server(folder) as server:
                for case in cases:
                    _search(server, clients, case, segments[case.names[0]], seeds, plan)
            search_report.searches(cases)
            search_report.parts(cases)
            segments.clear()
            _cold(folder, clients, cases, seeds)
    search_report.recalled(plan)
    after = os.getloadavg()
    print(f"\nLoad average {before[0]:.1f} before and {after[0]:.1f} after; median of ", end="")
    print(f"{plan.rounds} rounds of {plan.searches} searches, floor and figure in turn.")
