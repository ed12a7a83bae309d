"""Forgetting episodes takes what rested on them alone, and nothing else."""

from collections.abc import Callable

import pytest

from recollect.errors import NotFound
from recollect.governance import erasure
from recollect.graph.types import Access, Episode, Graph
from recollect.records import episodes, graphs, knowledge, threads, users
from recollect.records.pages import PageRequest
from recollect.store import rows
from recollect.store.protocol import Store, Transaction
from tests.contract.store.world import (
    SEES_ALL,
    add_messages,
    add_text,
    findable,
    index_items,
    index_rows,
    insert_entity,
    insert_fact,
    new_graph,
    new_thread,
    new_user,
    packed_words,
    work,
)

EVERYTHING = PageRequest(order="uuid/asc", limit=100)


async def _left(store: Store, graph: Graph) -> tuple[set[str], set[str]]:
    """Names of the entities and sentences of the facts that are left."""
    entities = await store.read(knowledge.entities_page, SEES_ALL, graph, EVERYTHING)
    facts = await store.read(knowledge.facts_page, SEES_ALL, graph, EVERYTHING)
    return {entity.name for entity in entities.items}, {fact.fact for fact in facts.items}


async def _prepare(
    store: Store, access: Access, learn: Callable[[Transaction, int, list[Episode]], None]
) -> tuple[Graph, list[Episode]]:
    graph = await new_graph(store, access, "g")
    heard = (await add_text(store, access, "g", "e0", "e1", "e2")).episodes
    await store.write(learn, graph.id, heard)
    return graph, heard


async def test_a_fact_that_another_episode_supports_stays(store: Store, access: Access) -> None:
    """Heard twice, forgotten once: the fact stays and names the episode that is left."""

    def learn(tx: Transaction, graph_id: int, heard: list[Episode]) -> None:
        a = insert_entity(tx, graph_id, "A", heard[:2])
        b = insert_entity(tx, graph_id, "B", heard[:2])
        insert_fact(tx, graph_id, (a, b), "twice", heard[:2])
        insert_fact(tx, graph_id, (a, b), "once", heard[:1])

    graph, heard = await _prepare(store, access, learn)
    await store.write(episodes.delete, access, heard[0].uuid)
    assert await _left(store, graph) == ({"A", "B"}, {"twice"})
    (fact,) = (await store.read(knowledge.facts_page, access, graph, EVERYTHING)).items
    assert fact.episodes == [heard[1].uuid]
    await store.write(episodes.delete, access, heard[1].uuid)
    assert await _left(store, graph) == (set(), set())


async def test_an_entity_that_another_episode_mentions_stays(store: Store, access: Access) -> None:
    """Only the one that nothing else mentions goes, with its fact."""

    def learn(tx: Transaction, graph_id: int, heard: list[Episode]) -> None:
        shared = insert_entity(tx, graph_id, "shared", heard)
        alone = insert_entity(tx, graph_id, "alone", heard[:1])
        insert_fact(tx, graph_id, (shared, alone), "gone", heard[:1])

    graph, heard = await _prepare(store, access, learn)
    await store.write(episodes.delete, access, heard[0].uuid)
    assert await _left(store, graph) == ({"shared"}, set())


async def test_an_entity_without_facts_goes_with_its_only_mention(
    store: Store, access: Access
) -> None:
    """A name that was dropped once, and forgotten, leaves nothing."""

    def learn(tx: Transaction, graph_id: int, heard: list[Episode]) -> None:
        insert_entity(tx, graph_id, "dropped", heard[:1])
        insert_entity(tx, graph_id, "other", heard[1:2])

    graph, heard = await _prepare(store, access, learn)
    await store.write(episodes.delete, access, heard[0].uuid)
    assert await _left(store, graph) == ({"other"}, set())


async def test_a_node_stays_while_a_surviving_fact_touches_it(store: Store, access: Access) -> None:
    """D6: a fact can outlive the last mention of one of its ends; the end outlives it too."""

    def learn(tx: Transaction, graph_id: int, heard: list[Episode]) -> None:
        a = insert_entity(tx, graph_id, "A", heard[:2])
        b = insert_entity(tx, graph_id, "B", heard[:1])
        insert_fact(tx, graph_id, (a, b), "kept alive", heard[:2])

    graph, heard = await _prepare(store, access, learn)
    await store.write(episodes.delete, access, heard[0].uuid)
    assert await _left(store, graph) == ({"A", "B"}, {"kept alive"})
    await store.write(episodes.delete, access, heard[1].uuid)
    assert await _left(store, graph) == (set(), set())


async def test_episodes_forgotten_together_count_together(store: Store, access: Access) -> None:
    """What two episodes support goes when both go at once, and not when one stays."""

    def learn(tx: Transaction, graph_id: int, heard: list[Episode]) -> None:
        a = insert_entity(tx, graph_id, "A", heard[:2])
        b = insert_entity(tx, graph_id, "B", heard)
        insert_fact(tx, graph_id, (a, b), "by two", heard[:2])
        insert_fact(tx, graph_id, (a, b), "by two others", heard[1:])

    graph, heard = await _prepare(store, access, learn)
    await store.write(erasure.forget_episodes, [heard[0].id, heard[1].id])
    assert await _left(store, graph) == ({"A", "B"}, {"by two others"})


async def test_forgetting_nothing_changes_nothing(store: Store, access: Access) -> None:
    """An empty list, or episodes that are long gone, are no trouble."""
    graph, heard = await _prepare(store, access, lambda tx, graph_id, found: None)
    await store.write(erasure.forget_episodes, [])
    await store.write(erasure.forget_episodes, [10**9])
    assert len(await store.read(episodes.last, access, graph, 10)) == len(heard)


async def test_the_users_own_node_and_profile_survive(store: Store, access: Access) -> None:
    """Deleting every message leaves the user's node, the profile facts, and nothing else."""
    await new_user(store, access, "jane", first_name="Jane")
    await new_thread(store, access, "t", "jane")
    heard = (await add_messages(store, access, "t", "a", "b")).episodes
    node = await store.read(users.node, access, "jane")
    graph = await store.read(graphs.of_user, access, "jane")

    def learn(tx: Transaction) -> None:
        for episode in heard:
            tx.links.mentions_add(pairs=rows.to_json([(node.id, episode.id)]))
        bonn = insert_entity(tx, graph.id, "Bonn", heard)
        insert_fact(tx, graph.id, (node.id, bonn), "Jane lives in Bonn", heard)

    await store.write(learn)
    await store.write(threads.delete, access, "t")
    assert await store.read(users.node, access, "jane") == node
    assert await _left(store, graph) == (
        {"Jane"},
        {"Jane has the user id jane", "The user's name is Jane"},
    )


async def test_a_fact_of_the_user_goes_while_the_node_stays(store: Store, access: Access) -> None:
    """The node's survival does not keep what an episode said about it."""
    await new_user(store, access, "jane")
    await new_thread(store, access, "t", "jane")
    heard = (await add_messages(store, access, "t", "a")).episodes
    node = await store.read(users.node, access, "jane")
    graph = await store.read(graphs.of_user, access, "jane")
    fact = await store.write(insert_fact, graph.id, (node.id, node.id), "Jane is tired", heard)
    await store.write(episodes.delete, access, heard[0].uuid)
    with pytest.raises(NotFound):
        await store.read(knowledge.fact, access, fact)
    assert await store.read(users.node, access, "jane") == node


async def test_what_is_forgotten_is_not_found_and_its_words_are_gone(
    store: Store, access: Access
) -> None:
    """The index keeps a mark for segments that hold the item, without any of its terms."""
    graph = await new_graph(store, access, "g")
    heard = (await add_text(store, access, "g", "alpha", "beta")).episodes
    await work(store)
    before = await store.read(index_items, graph.id)
    alpha, beta = (("episode", episode.id) for episode in heard)
    assert before == {alpha: packed_words("alpha"), beta: packed_words("beta")}
    await store.write(episodes.delete, access, heard[0].uuid)
    assert await store.read(index_items, graph.id) == {alpha: None, beta: packed_words("beta")}
    assert await store.read(findable, graph.id) == {heard[1].uuid}


async def test_every_change_of_the_index_has_a_version_of_its_own(
    store: Store, access: Access
) -> None:
    """A segment that asks for what is newer than it gets every later change, deletions too."""
    graph = await new_graph(store, access, "g")
    heard = (await add_text(store, access, "g", "a", "b", "c")).episodes
    await work(store)

    def since(tx: Transaction, version: int) -> list[tuple[int, int]]:
        found = index_rows(tx, graph.id, version)
        assert {row.item_kind for row in found} <= {"episode"}
        return [(row.version, row.item_id) for row in found]

    ids = [episode.id for episode in heard]
    assert await store.read(since, 0) == list(enumerate(ids, start=1))
    await store.write(erasure.forget_episodes, [heard[0].id, heard[2].id])
    changes = await store.read(since, 3)
    assert [version for version, _ in changes] == [4, 5]
    assert {number for _, number in changes} == {ids[0], ids[2]}
    assert await store.read(since, 5) == []
