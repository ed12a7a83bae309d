"""What a checked request becomes in the log."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from recollect.governance import keys
from recollect.graph import predicates
from recollect.graph.found import Triple
from recollect.graph.types import Access
from recollect.ingest import direct
from recollect.ingest.direct import GivenTriple
from recollect.ingest.direct_checks import GivenNode
from recollect.records import graphs, threads, users
from recollect.records.graphs import GraphDetails
from recollect.records.users import UserDetails
from recollect.store.protocol import Store, Transaction
from tests.support.stores import open_store

NOW = datetime(2024, 5, 1, 10, tzinfo=UTC)
DAY = timedelta(days=1)
TABLE = predicates.load()


def given(**fields: Any) -> GivenTriple:
    """A triple that passes, but for what is given."""
    ends = {
        "source": GivenNode(where="source_node_", name="Paul"),
        "target": GivenNode(where="target_node_", name="Eric"),
    }
    return GivenTriple(**{"fact": "Paul met Eric", "name": "MET", **ends, **fields})


class World:
    """A store in which it is always the same moment, with a graph and a user."""

    def __init__(self, store: Store, access: Access) -> None:
        self.store = store
        self.access = access

    async def written(self, triple: GivenTriple, user_id: str | None = None) -> Triple:
        """What the log says of a triple."""
        graph_id = None if user_id else "band"
        await self.store.write(direct.add_triple, self.access, user_id, graph_id, triple, TABLE)

        def read(tx: Transaction) -> str:
            (row,) = tx.jobs.next(graph_id=self._graph_id(tx, user_id), limit=1)
            return str(row.episode.content)

        return msgspec.json.decode(await self.store.read(read), type=Triple)

    def _graph_id(self, tx: Transaction, user_id: str | None) -> int:
        return graphs.target(tx, self.access, user_id, None if user_id else "band").id


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """With the graph `band` and the user `ann`."""
    store = open_store(tmp_path, clock=lambda: NOW)
    project = await store.write(keys.create_project, "first")
    access = Access(project_id=project.id, project_uuid=project.uuid, key_uuid="")
    await store.write(graphs.create, access, "band", GraphDetails())
    await store.write(users.create, access, "ann", UserDetails(first_name="Ann"))
    yield World(store, access)
    await store.close()


@pytest.mark.parametrize(
    ("name", "predicate", "negated"),
    [
        ("MET", "MET", False),
        ("LIVES_IN", "LIVES_IN", False),
        ("STARTED_AT", "WORKS_AT", False),
        ("DOES_NOT_LIKE", "LIKES", True),
        ("IS_NOT_MARRIED_TO", "MARRIED_TO", True),
        ("DOES_NOT_YODEL_IN", "YODEL_IN", True),
    ],
)
async def test_a_name_tells_the_relation_and_whether_it_holds(
    world: World, name: str, predicate: str, negated: bool
) -> None:
    """So that a fact written down and one that was read are compared as one kind."""
    fact = (await world.written(given(name=name))).fact
    assert (fact.name, fact.predicate, fact.negated) == (name, predicate, negated)


@pytest.mark.parametrize(
    ("times", "valid_at", "dated"),
    [
        ({}, NOW, False),
        ({"created_at": NOW - DAY}, NOW - DAY, False),
        ({"valid_at": NOW - 2 * DAY, "created_at": NOW - DAY}, NOW - 2 * DAY, True),
        ({"invalid_at": NOW + DAY}, NOW, False),
        ({"invalid_at": NOW - DAY}, None, False),
    ],
    ids=str,
)
async def test_a_fact_holds_from_when_it_was_said_unless_told_otherwise(
    world: World, times: dict[str, datetime], valid_at: datetime | None, dated: bool
) -> None:
    """One that is over already has no known beginning."""
    fact = (await world.written(given(**times))).fact
    assert (fact.valid_at, fact.dated) == (valid_at, dated)


async def test_a_triple_without_a_source_is_about_the_user(world: World) -> None:
    """With what else was said of the source."""
    nobody = GivenNode(where="source_node_", summary="Plays.", attributes={"a": 1, "b": None})
    source = (await world.written(given(source=nobody), "ann")).source
    assert (source.name, source.who, source.summary) == ("Ann", "user", "Plays.")
    assert source.attributes == {"a": 1}


async def test_sentences_of_a_thread_are_about_its_user(world: World) -> None:
    """Word for word, and both of their ends are the user."""
    await world.store.write(threads.create, world.access, "talk", "ann")
    thread = await world.store.read(threads.get, world.access, "talk")
    await world.store.write(direct.add_thread_facts, world.access, thread, ["Ann's car is red. "])

    def read(tx: Transaction) -> Any:
        (row,) = tx.jobs.next(graph_id=thread.graph_id, limit=1)
        return row.episode.content, row.episode.thread_name

    content, name = await world.store.read(read)
    triple = msgspec.json.decode(content, type=Triple)
    assert name == "talk"
    assert (triple.fact.fact, triple.fact.source, triple.fact.target) == ("Ann's car is red.", 0, 0)
    assert triple.source.who == triple.target.who == "user"
