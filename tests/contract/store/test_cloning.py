"""A copy of a graph has all that the graph has, under ids of its own."""

import pytest

from recollect.errors import AlreadyExists, InvalidInput, NotFound
from recollect.graph import names
from recollect.graph.terms import packed
from recollect.graph.terms import terms as terms_of
from recollect.graph.types import Access, Episode
from recollect.ingest import intake, queue
from recollect.records import cloning, episodes, graphs, guidance, knowledge, threads, users
from recollect.records.cloning import ClonedEnds, Copied
from recollect.records.guidance import EntityType, Instruction, Ontology, Targets
from recollect.records.pages import PageRequest
from recollect.store import index, rows
from recollect.store.protocol import Store, Transaction
from tests.contract.store.world import (
    SEES_ALL,
    add_messages,
    add_text,
    findable,
    index_rows,
    insert_entity,
    insert_fact,
    message,
    new_graph,
    new_thread,
    new_user,
    text,
    work,
)

TYPES = Ontology(entity_types=(EntityType(name="Tea", description="A drink."),))
ALL = PageRequest(order="uuid/asc", limit=100)


async def copy_graph(store: Store, access: Access, source: str, target: str) -> Copied:
    """A standalone graph under another name."""
    return await store.write(
        cloning.clone, access, ClonedEnds(source_graph=source, target_graph=target)
    )


async def copy_user(store: Store, access: Access, source: str, target: str) -> Copied:
    """A user under another name."""
    return await store.write(
        cloning.clone, access, ClonedEnds(source_user=source, target_user=target)
    )


def learn(tx: Transaction, graph_id: int, source: int | None, said: list[Episode]) -> None:
    """Two entities and a fact that all of *said* support, as findable as if they were read."""
    first = source or insert_entity(tx, graph_id, "Paul", said)
    second = insert_entity(tx, graph_id, "Eric", said)
    uuid = insert_fact(tx, graph_id, (first, second), "Paul met Eric", said)
    listed = rows.to_json([uuid])
    (fact,) = tx.facts.ids_by_uuids(graph_id=graph_id, uuids=listed)
    items = [index.entity_item(first, "Paul", ""), index.entity_item(second, "Eric", "")]
    index.put(tx, graph_id, [*items, index.fact_item(fact, "Paul met Eric", b"v")])


def indexed(tx: Transaction, graph_id: int) -> list[tuple[str, bytes | None, bytes | None]]:
    """What the index holds, without the numbers that are a graph's own."""
    found = [(r.item_kind, r.terms, r.vector) for r in index_rows(tx, graph_id)]
    return sorted(found, key=repr)


def told(tx: Transaction, graph: graphs.Graph) -> list[tuple[str, str, str, list[str]]]:
    """Every fact with the names of its ends and the words of its episodes."""
    known = {episode.uuid: episode.content for episode in episodes.last(tx, SEES_ALL, graph, 100)}
    return [
        (fact.fact, fact.source_name, fact.target_name, [known[uuid] for uuid in fact.episodes])
        for fact in knowledge.facts_page(tx, SEES_ALL, graph, ALL).items
    ]


def mentioned(tx: Transaction, graph: graphs.Graph) -> dict[str, list[str]]:
    """Every entity's name with the words of the episodes that mention it."""
    return {
        entity.name: [e.content for e in knowledge.episodes_of_entity(tx, SEES_ALL, entity, 100)]
        for entity in knowledge.entities_page(tx, SEES_ALL, graph, ALL).items
    }


async def test_a_copy_tells_the_same_under_new_uuids(store: Store, access: Access) -> None:
    """Facts, entities, episodes and which stands behind which."""
    graph = await new_graph(store, access, "band", name="Band", description="Loud.")
    said = await add_text(store, access, "band", "Paul met Eric.", "They met.")
    await work(store)
    await store.write(learn, graph.id, None, said.episodes)
    copied = (await copy_graph(store, access, "band", "tribute")).graph
    assert (copied.graph_id, copied.name, copied.description) == ("tribute", "Band", "Loud.")
    for read in (told, mentioned):
        assert await store.read(read, copied) == await store.read(read, graph)
    for page in (knowledge.facts_page, knowledge.entities_page):
        old = {item.uuid for item in (await store.read(page, access, graph, ALL)).items}
        new = {item.uuid for item in (await store.read(page, access, copied, ALL)).items}
        assert len(old) == len(new)
        assert not old & new
    here = await store.read(findable, copied.id, "episode")
    assert here == {e.uuid for e in await store.read(episodes.last, access, copied, 100)}
    for kind, page in (("fact", knowledge.facts_page), ("entity", knowledge.entities_page)):
        items = {item.uuid for item in (await store.read(page, access, copied, ALL)).items}
        assert await store.read(findable, copied.id, kind) == items
    assert await store.read(indexed, copied.id) == await store.read(indexed, graph.id)


async def test_a_copy_and_its_original_live_apart(store: Store, access: Access) -> None:
    """What is added to, or deleted from, one of them is not in the other."""
    await new_graph(store, access, "band")
    await add_text(store, access, "band", "one")
    copied = (await copy_graph(store, access, "band", "tribute")).graph
    await add_text(store, access, "tribute", "two")
    assert len(await store.read(episodes.last, access, copied, 10)) == 2
    graph = await store.read(graphs.get, access, "band")
    assert [e.content for e in await store.read(episodes.last, access, graph, 10)] == ["one"]
    await store.write(graphs.delete, access, "band")
    assert len(await store.read(episodes.last, access, copied, 10)) == 2


async def test_the_task_of_a_copy_is_done_when_nothing_is_owed(
    store: Store, access: Access
) -> None:
    """Episodes that were processed are processed in the copy as well."""
    await new_graph(store, access, "band")
    await add_text(store, access, "band", "one", "two")
    await work(store)
    copied = await copy_graph(store, access, "band", "tribute")
    assert copied.task_uuid
    task = await store.read(queue.task, access, copied.task_uuid)
    assert (task.status, task.jobs) == ("succeeded", 2)
    assert await work(store) == 0


async def test_what_waits_is_owed_to_the_copy_as_well(store: Store, access: Access) -> None:
    """An episode that was not processed yet is processed once for each."""
    await new_graph(store, access, "band")
    await add_text(store, access, "band", "one")
    await work(store)
    await add_text(store, access, "band", "two")
    copied = await copy_graph(store, access, "band", "tribute")
    assert copied.task_uuid
    assert (await store.read(queue.task, access, copied.task_uuid)).status == "processing"
    assert await work(store) == 2
    assert (await store.read(queue.task, access, copied.task_uuid)).status == "succeeded"
    assert len(await store.read(findable, copied.graph.id)) == 2


async def test_an_empty_graph_can_be_copied(store: Store, access: Access) -> None:
    """There is no task then, because there is nothing to wait for."""
    await new_graph(store, access, "band")
    assert (await copy_graph(store, access, "band", "tribute")).task_uuid is None
    await add_text(store, access, "tribute", "one")
    assert await work(store) == 1


async def test_guidance_of_a_graph_is_copied_with_it(store: Store, access: Access) -> None:
    """And is the copy's own from then on; the project's is nobody's copy."""
    await new_graph(store, access, "band")
    here, rule = Targets(graph_ids=("band",)), [Instruction(name="how", text="briefly")]
    await store.write(guidance.set_ontology, access, here, TYPES)
    await store.write(guidance.add_instructions, access, "extraction", here, rule)
    copied = (await copy_graph(store, access, "band", "tribute")).graph
    await store.write(guidance.set_ontology, access, here, Ontology())
    where = guidance.scope_of(copied)
    assert await store.read(guidance.ontology_at, access, where) == TYPES
    found = await store.read(guidance.instructions_at, access, where, "extraction")
    assert [item.text for item in found] == ["briefly"]


async def test_a_copied_user_is_a_user_of_its_own(store: Store, access: Access) -> None:
    """Same profile, another id; the facts tell the new id and not the old one."""
    await new_user(store, access, "ann", first_name="Ann", email="a@x.io", metadata={"a": 1})
    copied = (await copy_user(store, access, "ann", "eve")).graph
    user = await store.read(users.get, access, "eve")
    assert (user.first_name, user.email, user.metadata) == ("Ann", "a@x.io", {"a": 1})
    node = await store.read(users.node, access, "eve")
    assert (node.is_user, node.uuid) == (True, user.entity_uuid)
    assert (node.attributes or {})["user_id"] == "eve"
    assert sorted(fact for fact, *_ in await store.read(told, copied)) == [
        "Ann has the email a@x.io",
        "Ann has the user id eve",
        "The user's name is Ann",
    ]


async def test_what_a_user_is_known_for_is_copied_onto_the_new_node(
    store: Store, access: Access
) -> None:
    """Facts and mentions of the old node are the new one's, and so is what it learned."""
    user = await new_user(store, access, "ann", first_name="Ann")
    await new_thread(store, access, "talk", "ann")
    said = await add_messages(store, access, "talk", "I met Eric.")
    own = await store.read(users.node, access, "ann")
    await store.write(learn, user.graph_id, own.id, said.episodes)

    def teach(tx: Transaction) -> None:
        tx.links.mentions_add(pairs=rows.to_json([(own.id, said.episodes[0].id)]))
        tx.entities.learn(
            id=own.id,
            name="Ann",
            labels=rows.to_json(own.labels),
            summary="Met Eric.",
            attributes=rows.to_json({**(own.attributes or {}), "hobby": "music"}),
            kind="person",
            names=rows.to_json(["Ann", "ann", "Annie"]),
        )

    await store.write(teach)
    copied = (await copy_user(store, access, "ann", "eve")).graph
    node = await store.read(users.node, access, "eve")
    assert (node.name, node.summary) == ("Ann", "Met Eric.")
    assert node.attributes is not None
    assert (node.attributes["user_id"], node.attributes["hobby"]) == ("eve", "music")
    facts = await store.read(knowledge.facts_of_entity, access, node, 100)
    assert "Paul met Eric" in {fact.fact for fact in facts}
    assert (await store.read(mentioned, copied))["Ann"] == ["I met Eric."]

    def answers_to(tx: Transaction, name: str) -> set[int]:
        return {
            row
            for key in names.keys(name)
            for row in tx.entities.ids_by_key(graph_id=copied.id, key=key, limit=10)
        }

    assert await store.read(answers_to, "Annie") == {node.id}
    assert await store.read(answers_to, "eve") == {node.id}


async def test_threads_stay_with_their_user(store: Store, access: Access) -> None:
    """What was said is in the copy's log, but not in a thread; ignored roles are left behind."""
    await new_user(store, access, "ann")
    await new_thread(store, access, "talk", "ann")
    both = [message("hello"), message("aside", ignored=True)]
    await store.write(intake.add_messages, access, "talk", both)
    copied = (await copy_user(store, access, "ann", "eve")).graph
    found = await store.read(episodes.last, access, copied, 10)
    assert [(e.content, e.kind, e.thread_id) for e in found] == [("hello", "message", None)]
    assert await store.read(threads.of_user, access, "eve", 10) == []
    assert (await store.read(users.get, access, "eve")).thread_count == 0
    talk = await store.read(threads.get, access, "talk")
    assert await store.read(episodes.message_count, access, talk) == 2


async def test_a_copy_goes_to_an_id_that_is_free(
    store: Store, access: Access, stranger: Access
) -> None:
    """In the caller's own project: another project's ids say nothing about it."""
    for who in (access, stranger):
        await new_graph(store, who, "band")
        await new_user(store, who, "ann")
    await new_graph(store, stranger, "theirs")
    await new_graph(store, access, "taken")
    with pytest.raises(AlreadyExists, match="target_graph_id"):
        await copy_graph(store, access, "band", "taken")
    with pytest.raises(AlreadyExists):
        await copy_user(store, access, "ann", "ann")
    with pytest.raises(NotFound):
        await copy_graph(store, access, "theirs", "mine")
    with pytest.raises(InvalidInput):
        await store.write(cloning.clone, access, ClonedEnds(source_graph="band", target_user="eve"))
    assert (await copy_graph(store, access, "band", "theirs")).graph.graph_id == "theirs"


async def test_a_copy_can_be_copied(store: Store, access: Access) -> None:
    """A copy is a graph like any other."""
    graph = await new_graph(store, access, "a")
    said = await store.write(intake.add_episodes, access, None, "a", [text("x", document_id="d")])
    found = [await store.read(episodes.get, access, uuid) for uuid in said.uuids]
    await store.write(learn, graph.id, None, found)
    await copy_graph(store, access, "a", "b")
    last = (await copy_graph(store, access, "b", "c")).graph
    assert await store.read(told, last) == await store.read(told, graph)
    assert len(await store.read(episodes.of_document, access, last, "d", 10)) == 1


async def test_a_copied_user_is_found_by_the_new_name(store: Store, access: Access) -> None:
    """A user of whom only the id is known is called by it, and not by that of the original."""
    await new_user(store, access, "ann")
    copied = (await copy_user(store, access, "ann", "eve")).graph
    words = [terms for kind, terms, _ in await store.read(indexed, copied.id) if kind == "entity"]
    assert words == [packed(terms_of("eve"))]
