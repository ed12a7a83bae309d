"""Entities and facts: read by uuid and by page, corrected by hand, inside one project."""

from datetime import timedelta

import pytest

from recollect.errors import InvalidInput, NotFound
from recollect.graph.types import Access, Entity, Fact, Graph
from recollect.records import graphs, knowledge, users
from recollect.records.knowledge import EntityChange, FactChange
from recollect.records.pages import PageRequest, read_cursor
from recollect.store.protocol import Store, Transaction
from tests.contract.store.world import (
    SEES_ALL,
    StillClock,
    add_text,
    insert_entity,
    insert_fact,
    new_graph,
    new_user,
)

EVERYTHING = PageRequest(order="uuid/asc", limit=100)


async def _entities(store: Store, graph: Graph) -> dict[str, Entity]:
    page = await store.read(knowledge.entities_page, SEES_ALL, graph, EVERYTHING)
    return {entity.name: entity for entity in page.items}


async def _facts(store: Store, graph: Graph) -> dict[str, Fact]:
    page = await store.read(knowledge.facts_page, SEES_ALL, graph, EVERYTHING)
    return {fact.fact: fact for fact in page.items}


@pytest.fixture
async def graph(store: Store, access: Access) -> Graph:
    """Jane and Acme, joined by one fact, from two episodes."""
    made = await new_graph(store, access, "g")
    heard = (await add_text(store, access, "g", "first", "second")).episodes

    def learn(tx: Transaction) -> None:
        jane = insert_entity(tx, made.id, "Jane", heard)
        acme = insert_entity(tx, made.id, "Acme", heard[:1])
        insert_fact(tx, made.id, (jane, acme), "Jane works at Acme", heard)

    await store.write(learn)
    return made


async def test_a_fact_names_its_ends_and_its_episodes(
    store: Store, access: Access, graph: Graph
) -> None:
    """Names and labels of both entities, and the supporting episodes in order."""
    fact = (await _facts(store, graph))["Jane works at Acme"]
    assert await store.read(knowledge.fact, access, fact.uuid) == fact
    assert (fact.source_name, fact.target_name) == ("Jane", "Acme")
    assert fact.source_labels == fact.target_labels == ["Entity"]
    entities = await _entities(store, graph)
    assert (fact.source_uuid, fact.target_uuid) == (entities["Jane"].uuid, entities["Acme"].uuid)
    assert len(fact.episodes) == 2
    of_jane = await store.read(knowledge.episodes_of_entity, access, entities["Jane"], 10)
    assert [episode.uuid for episode in of_jane] == list(reversed(fact.episodes))
    assert await store.read(knowledge.facts_of_entity, access, entities["Acme"], 10) == [fact]


async def test_an_episode_names_what_came_out_of_it(
    store: Store, access: Access, graph: Graph
) -> None:
    """Its entities and facts, and no others."""
    jane = (await _entities(store, graph))["Jane"]
    second, first = await store.read(knowledge.episodes_of_entity, access, jane, 10)
    entities, facts = await store.read(knowledge.mentions, access, first, 10)
    assert [entity.name for entity in entities] == ["Jane", "Acme"]
    assert [fact.fact for fact in facts] == ["Jane works at Acme"]
    entities, facts = await store.read(knowledge.mentions, access, second, 10)
    assert [entity.name for entity in entities] == ["Jane"]
    assert len(facts) == 1


async def test_knowledge_of_another_project_cannot_be_reached(
    store: Store, access: Access, stranger: Access, graph: Graph
) -> None:
    """Knowing a uuid is not enough to read, change or delete what it names."""
    jane = (await _entities(store, graph))["Jane"]
    fact = (await _facts(store, graph))["Jane works at Acme"]
    for refused in (
        store.read(knowledge.entity, stranger, jane.uuid),
        store.read(knowledge.fact, stranger, fact.uuid),
        store.write(knowledge.update_entity, stranger, jane.uuid, EntityChange(name="x")),
        store.write(knowledge.update_fact, stranger, fact.uuid, FactChange(name="x")),
        store.write(knowledge.delete_entity, stranger, jane.uuid),
        store.write(knowledge.delete_fact, stranger, fact.uuid),
    ):
        with pytest.raises(NotFound):
            await refused
    assert (await _entities(store, graph))["Jane"] == jane
    assert (await _facts(store, graph))["Jane works at Acme"] == fact


async def test_correcting_an_entity_changes_what_is_named(
    store: Store, access: Access, graph: Graph
) -> None:
    """What is not given stays; attributes merge; the base label stays in front."""
    jane = (await _entities(store, graph))["Jane"]
    change = EntityChange(labels=["Person", "Entity"], attributes={"age": 30, "city": "Bonn"})
    typed = await store.write(knowledge.update_entity, access, jane.uuid, change)
    assert (typed.name, typed.labels) == ("Jane", ["Entity", "Person"])
    change = EntityChange(name="Jane Smith", summary="Works.", attributes={"age": None})
    renamed = await store.write(knowledge.update_entity, access, jane.uuid, change)
    assert (renamed.name, renamed.summary, renamed.attributes) == (
        "Jane Smith",
        "Works.",
        {"city": "Bonn"},
    )
    assert renamed.labels == ["Entity", "Person"]
    with pytest.raises(InvalidInput, match="labels"):
        await store.write(
            knowledge.update_entity, access, jane.uuid, EntityChange(labels=["A", "B"])
        )
    with pytest.raises(InvalidInput, match="name"):
        await store.write(knowledge.update_entity, access, jane.uuid, EntityChange(name=" "))


async def test_correcting_a_fact_changes_what_is_named(
    store: Store, access: Access, graph: Graph, clock: StillClock
) -> None:
    """Times can be set and unset; an end before the beginning is refused."""
    fact = (await _facts(store, graph))["Jane works at Acme"]
    begin, end = clock.moment - timedelta(days=2), clock.moment - timedelta(days=1)
    change = FactChange(fact="Jane worked at Acme", valid_at=begin, invalid_at=end)
    past = await store.write(knowledge.update_fact, access, fact.uuid, change)
    assert (past.fact, past.valid_at, past.invalid_at) == ("Jane worked at Acme", begin, end)
    assert (past.name, past.episodes) == (fact.name, fact.episodes)
    with pytest.raises(InvalidInput, match="invalid_at"):
        await store.write(
            knowledge.update_fact,
            access,
            fact.uuid,
            FactChange(invalid_at=begin - timedelta(seconds=1)),
        )
    reopened = await store.write(
        knowledge.update_fact, access, fact.uuid, FactChange(invalid_at=None)
    )
    assert (reopened.valid_at, reopened.invalid_at) == (begin, None)


async def test_deleting_an_entity_takes_its_facts(
    store: Store, access: Access, graph: Graph
) -> None:
    """A fact needs both its ends; the other entity stays."""
    acme = (await _entities(store, graph))["Acme"]
    await store.write(knowledge.delete_entity, access, acme.uuid)
    assert set(await _entities(store, graph)) == {"Jane"}
    assert await _facts(store, graph) == {}


async def test_deleting_a_fact_keeps_its_entities(
    store: Store, access: Access, graph: Graph
) -> None:
    """Only the sentence goes."""
    fact = (await _facts(store, graph))["Jane works at Acme"]
    await store.write(knowledge.delete_fact, access, fact.uuid)
    assert set(await _entities(store, graph)) == {"Jane", "Acme"}
    with pytest.raises(NotFound):
        await store.read(knowledge.fact, access, fact.uuid)


async def test_a_users_own_node_cannot_be_deleted(store: Store, access: Access) -> None:
    """It goes with the user, not before."""
    await new_user(store, access, "jane")
    node = await store.read(users.node, access, "jane")
    with pytest.raises(InvalidInput):
        await store.write(knowledge.delete_entity, access, node.uuid)
    assert await store.read(users.node, access, "jane") == node


async def test_only_what_holds_now_is_told(
    store: Store, access: Access, graph: Graph, clock: StillClock
) -> None:
    """Not yet true, no longer true and known to be wrong are left out; ends are exclusive."""
    now, day = clock.moment, timedelta(days=1)

    def learn(tx: Transaction) -> None:
        end = insert_entity(tx, graph.id, "Bonn", [])
        for sentence, times in {
            "began today": {"valid_at": now},
            "begins tomorrow": {"valid_at": now + day},
            "ended now": {"valid_at": now - day, "invalid_at": now},
            "ends tomorrow": {"valid_at": now - day, "invalid_at": now + day},
            "expired now": {"expired_at": now},
            "always": {},
        }.items():
            insert_fact(tx, graph.id, (end, end), sentence, [], **times)

    await store.write(learn)
    holding = await store.read(knowledge.facts_holding, access, graph, 100)
    assert [fact.fact for fact in holding] == [
        "always",
        "ends tomorrow",
        "began today",
        "Jane works at Acme",
    ]
    assert len(await store.read(knowledge.facts_holding, access, graph, 2)) == 2
    clock.advance(day.total_seconds())
    later = {fact.fact for fact in await store.read(knowledge.facts_holding, access, graph, 100)}
    assert later == {"always", "began today", "begins tomorrow", "Jane works at Acme"}


@pytest.mark.parametrize("limit", [1, 2, 100])
@pytest.mark.parametrize("order", ["uuid", "created_at", "degree"])
@pytest.mark.parametrize("direction", ["asc", "desc"])
async def test_entity_pages_hold_everything_once(
    store: Store, access: Access, clock: StillClock, order: str, direction: str, limit: int
) -> None:
    """Every order, both ways, any page size; equal keys are told apart by uuid."""
    graph = await new_graph(store, access, "g")

    def learn(tx: Transaction) -> None:
        ends = [insert_entity(tx, graph.id, str(n), []) for n in range(3)]
        insert_fact(tx, graph.id, (ends[0], ends[1]), "a", [])
        insert_fact(tx, graph.id, (ends[0], ends[0]), "b", [])

    await store.write(learn)
    clock.advance(1)
    await store.write(insert_entity, graph.id, "3", [])
    backwards = direction == "desc"
    entities = list((await _entities(store, graph)).values())
    degree = {"0": 2, "1": 1, "2": 0, "3": 0}
    keys = {
        "uuid": lambda e: e.uuid,
        "created_at": lambda e: (e.created_at, e.uuid),
        "degree": lambda e: (degree[e.name], e.uuid),
    }
    wanted = sorted(entities, key=keys[order], reverse=backwards)
    got, cursor = [], None
    while True:
        after = read_cursor(cursor, f"{order}/{direction}")
        request = PageRequest(order=f"{order}/{direction}", limit=limit, after=after)
        page = await store.read(knowledge.entities_page, access, graph, request)
        got += page.items
        cursor = page.next_cursor
        if cursor is None:
            break
    assert got == wanted


@pytest.mark.parametrize("order", ["uuid", "created_at", "valid_at"])
@pytest.mark.parametrize("direction", ["asc", "desc"])
async def test_fact_pages_hold_everything_once(
    store: Store, access: Access, clock: StillClock, order: str, direction: str
) -> None:
    """Facts without a beginning sort as the oldest, and none is lost between pages."""
    graph = await new_graph(store, access, "g")
    now = clock.moment

    def learn(tx: Transaction) -> None:
        end = insert_entity(tx, graph.id, "x", [])
        for n, valid_at in enumerate([now, None, now - timedelta(days=1), None, now]):
            insert_fact(tx, graph.id, (end, end), str(n), [], valid_at=valid_at)

    await store.write(learn)
    facts = list((await _facts(store, graph)).values())
    oldest = now - timedelta(days=9999)
    keys = {
        "uuid": lambda f: f.uuid,
        "created_at": lambda f: (f.created_at, f.uuid),
        "valid_at": lambda f: (f.valid_at or oldest, f.uuid),
    }
    wanted = sorted(facts, key=keys[order], reverse=direction == "desc")
    got, cursor = [], None
    while True:
        after = read_cursor(cursor, f"{order}/{direction}")
        request = PageRequest(order=f"{order}/{direction}", limit=2, after=after)
        page = await store.read(knowledge.facts_page, access, graph, request)
        got += page.items
        cursor = page.next_cursor
        if cursor is None:
            break
    assert got == wanted


async def test_knowledge_stays_in_its_graph(store: Store, access: Access, graph: Graph) -> None:
    """Pages and current facts of another graph show nothing of this one."""
    other = await new_graph(store, access, "other")
    assert await _entities(store, other) == {}
    assert await _facts(store, other) == {}
    assert await store.read(knowledge.facts_holding, access, other, 10) == []
    assert (await store.read(graphs.get, access, "g")).id == graph.id
