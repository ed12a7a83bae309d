"""Both stores are told the same, and every search of one is answered as the other answers it.

Times and ids are the same as well, so answers are compared whole: scores, order and every field. What
has the same score comes in the order of its rows, which both stores number as they are told.
"""

import itertools
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import pytest
import pytest_asyncio

from recollect.search import finder
from recollect.search.query import Reranker
from recollect.store.postgres import PostgresStore
from recollect.store.sqlite import SqliteStore
from tests.contract.store.world import CountingIds
from tests.support import postgres
from tests.support.asgi import program
from tests.support.memory import GRAPH, Json, Memory

pytestmark = pytest.mark.asyncio(loop_scope="module")
BEGIN = datetime(2026, 3, 1, 9, tzinfo=UTC)
SCOPES = ("edges", "nodes", "episodes", "observations", "thread_summaries", "auto")
RERANKERS = (None, *get_args(Reranker))
NOT_OVER_ALL = ("node_distance", "episode_mentions")
QUERIES = (
    "Where does Ann live?",
    "who likes green tea",
    "the boat in 2024",
    "Zoë's größte 100% _x_",
    "",
)
SAID = (
    "I live in Oslo with my brother Paul Lee.",
    "Paul Lee works at the Harbour Museum as a guide.",
    "I like green tea, and Paul likes coffee.",
    "In 2024 I bought a boat called Zoë; it's the größte thing I own, 100% _x_.",
    "I moved to Bergen on March 3rd, 2026.",
    "My sister Eve Lee lives in Bergen, too, and she likes green tea.",
)
TOLD: tuple[tuple[str, Json | None], ...] = (
    ("Eve Lee is a doctor at the Haukeland Hospital.", {"team": "blue", "level": 3}),
    ("The Harbour Museum is closed on Mondays.", {"team": "red"}),
    ("Eve Lee is a doctor at the Haukeland Hospital.", None),
    ("Green tea comes from China.", {"team": "blue"}),
)


class TickingClock:
    """A second passes at each look; so both stores are told the same times."""

    def __init__(self) -> None:
        self.now = BEGIN

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


async def fill(memory: Memory) -> None:
    """A user with a thread, and a graph with metadata."""
    await memory.post("/graph/create", {"graph_id": GRAPH})
    await memory.post("/users", {"user_id": "ann", "first_name": "Ann", "last_name": "Lee"})
    await memory.thread("t")
    for text in SAID:
        await memory.say("t", {"content": text})
    for text, metadata in TOLD:
        await memory.tell(text, metadata)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def both(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[list[Memory]]:
    """The same memory twice: in a file and in a database."""
    folder = tmp_path_factory.mktemp("both")
    async with AsyncExitStack() as held:
        worlds = []
        for kind in ("file", "database"):
            clock, ids = TickingClock(), CountingIds()
            place = folder / kind
            store: Any = (
                SqliteStore.open(place, readers=1, clock=clock, ids=ids)
                if kind == "file"
                else PostgresStore.open(
                    postgres.database_of(place), readers=1, clock=clock, ids=ids
                )
            )
            running = await held.enter_async_context(
                program(place, clock=clock, ids=ids, store=store)
            )
            memory = Memory(running)
            await fill(memory)
            worlds.append(memory)
        yield worlds


async def same(both: list[Memory], path: str, body: Json) -> Any:
    """What both answer, if it is the same."""
    file, database = [await memory.post(path, body) for memory in both]
    assert database == file, body
    return file


def _places(center: dict[str, str]) -> list[tuple[Json, str]]:
    return [({"user_id": "ann"}, center["user"]), ({"graph_id": GRAPH}, center["graph"])]


@pytest_asyncio.fixture(loop_scope="module")
async def center(both: list[Memory]) -> dict[str, str]:
    """A node of each graph."""
    users = await same(both, "/graph/node/user/ann", {})
    graph = await same(both, f"/graph/node/graph/{GRAPH}", {})
    assert len(users) > 3
    assert len(graph) > 3
    return {"user": users[0]["uuid"], "graph": graph[0]["uuid"]}


@pytest.mark.parametrize("scope", SCOPES)
async def test_searches_find_the_same_in_the_same_order(
    both: list[Memory], center: dict[str, str], scope: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With every reranker, over a user's graph and one of its own."""
    monkeypatch.setattr(finder, "RERANK_BUDGET_S", 60.0)  # or the clock decides what is judged
    found = 0
    for (place, node), reranker, query in itertools.product(_places(center), RERANKERS, QUERIES):
        if scope == "auto" and reranker in NOT_OVER_ALL:
            continue
        asked = {**place, "query": query, "scope": scope, "limit": 20}
        if reranker is not None:
            asked["reranker"] = reranker
        if reranker == "node_distance":
            asked["center_node_uuid"] = node
        answer = await same(both, "/graph/search", asked)
        found += sum(len(value) for value in answer.values() if isinstance(value, list | str))
    assert found > 0 or scope == "observations", "nothing was found at all"


FILTERS: tuple[Json, ...] = (
    {"edge_types": ["LIVES_IN"]},
    {"node_labels": ["Person"]},
    {"exclude_edge_types": ["LIVES_IN"]},
    {"created_at": [[{"date": "2026-03-01T09:01:00Z", "comparison_operator": ">"}]]},
    {"invalid_at": [[{"comparison_operator": "IS NULL"}]]},
)


@pytest.mark.parametrize("number", range(len(FILTERS)))
async def test_filters_leave_the_same(both: list[Memory], number: int) -> None:
    """Types, labels and times."""
    for scope in ("edges", "nodes"):
        for place in ({"user_id": "ann"}, {"graph_id": GRAPH}):
            asked = {**place, "query": "Bergen", "scope": scope, "search_filters": FILTERS[number]}
            await same(both, "/graph/search", asked)


@pytest.mark.parametrize("noun", ["node", "edge", "episodes"])
async def test_lists_are_the_same(both: list[Memory], noun: str) -> None:
    """What a graph holds, in order."""
    for place in ("user/ann", f"graph/{GRAPH}"):
        if noun == "episodes":
            file, database = [await m.get(f"/graph/episodes/{place}") for m in both]
        else:
            file, database = [await m.post(f"/graph/{noun}/{place}", {}) for m in both]
        assert database == file


async def test_contexts_are_the_same(both: list[Memory]) -> None:
    """The block that an agent is given."""
    file, database = [await memory.get("/threads/t/context") for memory in both]
    assert database == file
    assert "Bergen" in str(file)
