"""What it costs to search with a metadata filter, and as a key that may not see everything.

Every episode has metadata of its own, as where its sender puts an id into it. The same graph is
asked in each way in turn, in the same rounds; the figure is the wait against that of a plain search.
"""

import asyncio
import os
import sqlite3
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from recollect.asgi import route_table
from recollect.governance import keys, policies
from recollect.graph import policy_spec
from recollect.store.protocol import Transaction
from recollect.store.sqlite import SqliteStore
from tests.bench import graphs
from tests.bench.cases import Case
from tests.bench.clients import Answers, Clients
from tests.support.server import Server

_NAME = "labelled"
_SEED = 7
_GOAL = 1.5
_KINDS = "abcde"


class Way(NamedTuple):
    """A way to search: with which key, and narrowed by what."""

    title: str
    key: str
    filters: dict[str, Any] | None = None


def _leaf(name: str, operator: str, value: Any) -> dict[str, Any]:
    return {"property_name": name, "comparison_operator": operator, "property_value": value}


_TREE = {
    "type": "or",
    "groups": [
        {"type": "and", "filters": [_leaf("kind", "=", "a"), _leaf("weight", ">", 10)]},
        {"type": "and", "filters": [_leaf("kind", "CONTAINS", "b,c"), _leaf("weight", "<", 50)]},
    ],
}
_RULES = {
    "two kinds of five allowed": [
        {"effect": "allow", "actions": ["readonly"], "attributes": {"kind": [kind]}}
        for kind in "ab"
    ],
    "one kind of five denied": [
        {"effect": "allow", "actions": ["readonly"]},
        {
            "effect": "deny",
            "actions": ["readonly"],
            "attributes": {"kind": ["c"]},
            "subset_match": True,
        },
    ],
}


def _restricted(tx: Transaction, name: str, rules: Sequence[dict[str, Any]]) -> str:
    """A new key that these rules govern."""
    project = keys.project_named(tx, keys.DEFAULT_PROJECT)
    made = keys.create_key(tx, project.name, name, role="default_deny")
    numbered = [{"id": f"r{n}", "type": "authorization", **rule} for n, rule in enumerate(rules)]
    written = {"policy_set": {"name": name, "spec": {"policies": numbered}}}
    document = policy_spec.check(written, {route.action for route in route_table()})
    policies.apply(tx, project.id, document)
    policies.attach(tx, project.id, made.key.uuid, name)
    return made.secret


async def _keys(folder: Path) -> dict[str, str]:
    store = SqliteStore.open(folder)
    try:
        return {name: await store.write(_restricted, name, _RULES[name]) for name in _RULES}
    finally:
        await store.close()


def _write(folder: Path, facts: int) -> None:
    with Server(folder) as server, server.http() as http:
        http.post("/graph/create", json={"graph_id": _NAME}).raise_for_status()
    path = folder / "recollect.db"
    with sqlite3.connect(path) as connection:
        ((graph_id,),) = connection.execute("SELECT id FROM graphs WHERE graph_id = ?", (_NAME,))
    graphs.fill(path, graph_id, facts, _SEED)
    with sqlite3.connect(path) as connection:
        connection.execute(
            "UPDATE episodes SET metadata = json_object("
            "'kind', substr(?, 1 + id % 5, 1), 'weight', id % 97, 'id', id)",
            (_KINDS,),
        )
    connection.close()


def _rounds(
    server: Server, ways: Sequence[Way], case: Case, rounds: int, searches: int
) -> dict[str, list[Answers]]:
    asked = case.questions({_NAME: _SEED})
    found: dict[str, list[Answers]] = {way.title: [] for way in ways}
    with Clients(1) as clients:
        for number in range(rounds + 1):  # the first one warms up
            for way in ways:
                # No question twice: what was embedded once is remembered.
                questions = [next(asked)[1] for _ in range(searches)]
                calls = [
                    {"graph_id": _NAME, "query": text, "scope": "edges", "limit": 10}
                    | ({"search_filters": way.filters} if way.filters else {})
                    for text in questions
                ]
                answers = clients.search(server, calls, 1, key=way.key)
                if number:
                    found[way.title].append(answers)
    return found


def _report(found: dict[str, list[Answers]], plain: str) -> None:
    print("| search of 1e5 facts, one client | p50 ms | server CPU ms | found | of plain | goal |")
    print("|---|---|---|---|---|---|")
    for title, rounds in found.items():
        ratios = [
            statistics.median(one.waits) / statistics.median(other.waits)
            for one, other in zip(rounds, found[plain], strict=True)
        ]
        waits = [wait for answers in rounds for wait in answers.waits]
        hits = [count for answers in rounds for count in answers.found]
        print(
            f"| {title} | {statistics.median(waits):.1f} "
            f"| {statistics.median(a.server_cpu for a in rounds):.1f} "
            f"| {statistics.mean(hits):.1f} | {statistics.median(ratios):.2f} "
            f"| {'' if title == plain else f'≤ {_GOAL:g}'} |"
        )


def measure(rounds: int, searches: int, facts: int = 100_000) -> None:
    """All of it."""
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as place:
        folder = Path(place) / "data"
        _write(folder, facts)
        restricted = asyncio.run(_keys(folder))
        with Server(folder) as server:
            filters = {"episode_metadata_filters": _TREE}
            ways = [
                Way("plain", server.api_key),
                Way("metadata tree of four tests", server.api_key, filters),
                *(Way(f"policy: {name}", key) for name, key in restricted.items()),
                Way("policy and tree", restricted["one kind of five denied"], filters),
            ]
            found = _rounds(server, ways, Case("", [_NAME], facts), rounds, searches)
    _report(found, "plain")
    print(f"\nLoad average {os.getloadavg()[0]:.1f} after; median of {rounds} rounds.")
