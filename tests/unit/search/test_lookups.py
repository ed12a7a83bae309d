"""Whom a question names, and row ids in the place of uuids: of its own graph and of no other."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from recollect.graph import names
from recollect.graph.filters import Filters
from recollect.graph.types import Access, Graph
from recollect.records import knowledge
from recollect.search.prepare import _longest, look_up
from recollect.search.query import Lookups, Query
from recollect.store.protocol import Store, Transaction
from tests.contract.store.world import (
    START,
    Stored,
    add_text,
    insert_entity,
    insert_fact,
    new_graph,
    new_project,
)
from tests.support.stores import open_store

PEOPLE = ("Emma", "Emma Stone", "Berlin", "New York City", "Will")


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    """An empty store."""
    opened = open_store(tmp_path)
    yield opened
    await opened.close()


@pytest.fixture
async def access(store: Store) -> Access:
    """A key to a project."""
    return await new_project(store, "p")


async def learned(store: Store, access: Access, graph_id: str) -> tuple[Graph, dict[str, int], str]:
    """A graph of a few entities by name, and a fact between the first two."""
    graph = await new_graph(store, access, graph_id)
    said = await add_text(store, access, graph_id, "x")

    def write(tx: Transaction, sent: Stored) -> tuple[dict[str, int], str]:
        ids = {}
        for name in PEOPLE:
            ids[name] = insert_entity(tx, graph.id, name, sent.episodes)
            key = "=" + names.normal(name)
            tx.entities.name_insert(graph_id=graph.id, key=key, entity_id=ids[name])
        ends = (ids["Emma"], ids["Berlin"])
        return ids, insert_fact(tx, graph.id, ends, "Emma likes Berlin", sent.episodes)

    return graph, *(await store.write(write, said))


def query(text: str = "", **more: Any) -> Query:
    """A question at some time."""
    return Query(text=text, kind="fact", now=START, **more)


async def found(store: Store, graph: Graph, asked: Query) -> Lookups:
    """What is known of it."""
    return await store.read(look_up, graph.id, asked)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Where does Emma live?", {"Emma": "Emma"}),
        ("where does EMMA live?", {"Emma": "EMMA"}),
        (
            "Did Emma Stone see New York City?",
            {"Emma Stone": "Emma Stone", "New York City": "New York City"},
        ),
        ("Emma's flat in Berlin", {"Emma": "Emma's", "Berlin": "Berlin"}),
        ("New York", {}),
        ("Who will come?", {}),
        ("", {}),
    ],
)
async def test_names_are_resolved_and_the_longest_wins(
    store: Store, access: Access, text: str, named: dict[str, str]
) -> None:
    """By whole names; a word that finds nothing is no name by itself."""
    graph, ids, _ = await learned(store, access, "g")
    resolved = await found(store, graph, query(text))
    assert {one.entity_id: text[one.start : one.end] for one in _longest(resolved.named)} == {
        ids[name]: span for name, span in named.items()
    }


async def test_another_graphs_names_are_unknown(store: Store, access: Access) -> None:
    """Each graph has entities of its own."""
    await learned(store, access, "g")
    empty = await new_graph(store, access, "empty")
    assert (await found(store, empty, query("Where does Emma live?"))).named == ()


async def test_uuids_become_row_ids(store: Store, access: Access) -> None:
    """Of facts, entities and episodes, wherever a query may speak of them."""
    graph, ids, fact = await learned(store, access, "g")
    emma = (await store.read(_entity, ids["Emma"])).uuid
    (said,) = (await add_text(store, access, "g", "y")).episodes
    filters = Filters(
        edge_uuids=(fact,),
        episode_uuids=(said.uuid,),
        source_node_uuids=(emma,),
        target_node_uuids=(emma, "nobody"),
        connected_node_uuids=(),
    )
    asked = query(filters=filters, center_uuid=emma, near_uuid=emma, origin_uuids=(emma, said.uuid))
    resolved = await found(store, graph, asked)
    number = (await store.read(knowledge.fact, access, fact)).id
    assert (resolved.facts, resolved.episodes) == ((number,), (said.id,))
    assert resolved.sources == resolved.targets == (ids["Emma"],)
    assert resolved.connected == ()
    assert resolved.center == resolved.near == resolved.origin_entities == (ids["Emma"],)
    assert resolved.origin_episodes == (said.id,)


def _entity(tx: Transaction, number: int):
    (row,) = tx.entities.by_ids(ids=f"[{number}]")
    return row


async def test_what_is_not_given_does_not_narrow(store: Store, access: Access) -> None:
    """None is everything, an empty list is nothing."""
    graph, _, _ = await learned(store, access, "g")
    resolved = await found(store, graph, query())
    assert resolved == Lookups()
    narrowed = await found(store, graph, query(filters=Filters(edge_uuids=())))
    assert (narrowed.facts, narrowed.episodes) == ((), None)


async def test_another_graphs_uuids_are_unknown(store: Store, access: Access) -> None:
    """Also when they are given as filters, which then let nothing by."""
    _, ids, fact = await learned(store, access, "g")
    emma = (await store.read(_entity, ids["Emma"])).uuid
    (said,) = (await add_text(store, access, "g", "y")).episodes
    other, _, _ = await learned(store, access, "other")
    filters = Filters(edge_uuids=(fact,), episode_uuids=(said.uuid,), source_node_uuids=(emma,))
    asked = query(filters=filters, center_uuid=emma, near_uuid=emma, origin_uuids=(emma, said.uuid))
    resolved = await found(store, other, asked)
    assert (resolved.facts, resolved.episodes, resolved.sources) == ((), (), ())
    assert (resolved.center, resolved.near) == ((), ())
    assert (resolved.origin_entities, resolved.origin_episodes) == ((), ())


async def test_a_long_question_is_looked_through_in_no_time(store: Store, access: Access) -> None:
    """Names far behind are not looked for, and nothing breaks."""
    graph, ids, _ = await learned(store, access, "g")
    resolved = await found(store, graph, query("Emma " + "word " * 1_500 + "Berlin"))
    assert [one.entity_id for one in resolved.named] == [ids["Emma"]]
