"""What may be seen is there without what only hidden episodes gave it; the rest is not there."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from recollect.errors import NotAllowed, NotFound
from recollect.governance import keys
from recollect.graph.filters import NO_FILTERS, Filters, MetadataTree, ValueTest
from recollect.graph.types import Access
from recollect.graph.visibility import Visibility
from recollect.ingest import queue
from recollect.records import (
    cloning,
    derived,
    episodes,
    knowledge,
    listing,
    seeing,
    shapes,
    telling,
    users,
    walking,
)
from recollect.records.cloning import ClonedEnds
from recollect.records.knowledge import EntityChange, FactChange
from recollect.records.pages import PageRequest, read_cursor
from recollect.store import rows
from recollect.store.protocol import Transaction
from tests.contract.store.world import START
from tests.support.stores import open_store
from tests.unit.subjects.small_world import (
    NOT_SECRET,
    ONLY_PUBLIC,
    PUBLIC,
    SECRET,
    TOUCHED_BY_PUBLIC,
    World,
    new_world,
    seen_by,
    wanting,
)

ALL = PageRequest(order="uuid/asc", limit=50)
NOWHERE = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """Bob is mentioned in public, Eve in secret, Rome in both; facts of all three mixtures."""
    store = open_store(tmp_path)
    project = await store.write(keys.create_project, "first")
    access = Access(project_id=project.id, project_uuid=project.uuid, key_uuid="")
    made = await new_world(store, access)
    await made.say(open_talk=PUBLIC, closed_talk=SECRET, more_talk=PUBLIC, idle_talk=None)
    await made.know("Bob", "open_talk", "more_talk", attributes={"age": 4})
    await made.know("Eve", "closed_talk")
    await made.know("Rome", "open_talk", "closed_talk", attributes={"size": 9})
    await made.join("Bob", "Rome", "Bob lives in Rome", "open_talk")
    await made.join("Eve", "Rome", "Eve lives in Rome", "closed_talk")
    await made.join("Bob", "Eve", "Bob knows Eve", "open_talk", "closed_talk")
    yield made
    await store.close()


def as_seen(world: World, visibility: Visibility | None) -> Access:
    """The asker of the world with a visibility."""
    return seen_by(world.access, visibility)


async def test_who_sees_everything_gets_back_what_was_read(world: World) -> None:
    """The very things, at no cost: not one query is asked."""

    def unchanged(tx: Transaction) -> None:
        fact = rows.fact(tx.facts.of_entity(entity_id=world.entities["Bob"], limit=1)[0])
        entity = rows.entity(tx.entities.by_id(id=world.entities["Bob"]))  # type: ignore[arg-type]
        assert seeing.facts(None, world.access, [fact])[0] is fact  # type: ignore[arg-type]
        assert seeing.entities(None, world.access, [entity])[0] is entity  # type: ignore[arg-type]
        episode = world.episodes["open_talk"]
        assert seeing.episodes(world.access, [episode])[0] is episode

    await world.store.read(unchanged)


async def test_everything_derived_carries_the_metadata_of_its_episodes(world: World) -> None:
    """Per key the distinct values, the first said first; an empty map where there are none."""
    page = await world.store.read(knowledge.facts_page, world.access, world.graph, ALL)
    carried = {fact.fact: fact.metadata for fact in page.items}
    assert carried["Bob lives in Rome"] == {"class": ["public"]}
    assert carried["Bob knows Eve"] == {"class": ["public", "secret"]}
    assert carried["Ann has the user id ann"] == {}
    rome = await world.store.read(knowledge.entity, world.access, world.uuids["Rome"])
    assert rome.metadata == {"class": ["public", "secret"]}


async def test_a_changed_episode_is_there_in_the_next_read(world: World) -> None:
    """Nothing of it is kept."""
    closed = world.episodes["closed_talk"].uuid
    await world.store.write(episodes.update_metadata, world.access, closed, {"class": "open"})
    eve = await world.store.read(knowledge.entity, world.access, world.uuids["Eve"])
    assert eve.metadata == {"class": ["open"]}


@pytest.mark.parametrize(
    ("visibility", "wanted"),
    [
        (ONLY_PUBLIC, {"Bob lives in Rome"}),
        (TOUCHED_BY_PUBLIC, {"Bob lives in Rome", "Bob knows Eve"}),
        (NOT_SECRET, {"Bob lives in Rome", "The user's name is Ann", "Ann has the user id ann"}),
    ],
)
async def test_facts_are_there_by_all_their_episodes_together(
    world: World, visibility: Visibility, wanted: set[str]
) -> None:
    """In lists, and by their uuids."""
    access = as_seen(world, visibility)
    page = await world.store.read(knowledge.facts_page, access, world.graph, ALL)
    assert {fact.fact for fact in page.items} == wanted
    for sentence, uuid in world.facts.items():
        if sentence in wanted:
            assert (await world.store.read(knowledge.fact, access, uuid)).fact == sentence
        else:
            with pytest.raises(NotFound):
                await world.store.read(knowledge.fact, access, uuid)


async def test_a_seen_fact_names_nobody_and_no_hidden_episode(world: World) -> None:
    """Its ends are uuids; metadata that only a hidden episode gives is not there."""
    access = as_seen(world, TOUCHED_BY_PUBLIC)
    fact = await world.store.read(knowledge.fact, access, world.facts["Bob knows Eve"])
    assert (fact.source_name, fact.target_name) == ("", "")
    assert (fact.source_labels, fact.target_labels) == ([], [])
    assert (fact.source_uuid, fact.target_uuid) == (world.uuids["Bob"], world.uuids["Eve"])
    assert fact.episodes == [world.episodes["open_talk"].uuid]
    assert fact.metadata == {"class": ["public"]}


@pytest.mark.parametrize(
    ("read", "uuid"),
    [
        (knowledge.fact, lambda world: world.facts["Eve lives in Rome"]),
        (knowledge.entity, lambda world: world.uuids["Eve"]),
        (episodes.get, lambda world: world.episodes["closed_talk"].uuid),
    ],
)
async def test_what_is_hidden_is_absent_to_the_letter(world: World, read, uuid) -> None:
    """The same error as for something that never was, but for the uuid it repeats."""
    access = as_seen(world, ONLY_PUBLIC)
    with pytest.raises(NotFound) as hidden:
        await world.store.read(read, access, uuid(world))
    with pytest.raises(NotFound) as absent:
        await world.store.read(read, access, NOWHERE)
    assert hidden.value.message.replace(uuid(world), NOWHERE) == absent.value.message


async def test_an_entity_with_a_hidden_episode_goes_without_attributes(world: World) -> None:
    """Nobody knows which episode gave them."""
    access = as_seen(world, TOUCHED_BY_PUBLIC)
    rome = await world.store.read(knowledge.entity, access, world.uuids["Rome"])
    bob = await world.store.read(knowledge.entity, access, world.uuids["Bob"])
    assert (rome.attributes, bob.attributes) == (None, {"age": 4})
    assert rome.metadata == {"class": ["public"]}


async def test_a_summary_is_told_again_of_the_facts_that_may_be_seen(world: World) -> None:
    """Word for word when nothing is hidden, and empty when everything is."""
    some = await world.store.read(
        knowledge.entity, as_seen(world, TOUCHED_BY_PUBLIC), world.uuids["Rome"]
    )
    assert some.summary == "Bob lives in Rome."
    every = Visibility(
        allowed=(wanting(subset=True, **{"class": "public"}), wanting(**{"class": "secret"}))
    )
    whole = await world.store.read(knowledge.entity, as_seen(world, every), world.uuids["Rome"])
    assert whole.summary == "What is told of Rome."
    await world.know("Oslo", "open_talk")
    await world.join("Eve", "Oslo", "Eve left Oslo", "closed_talk")
    none = await world.store.read(
        knowledge.entity, as_seen(world, ONLY_PUBLIC), world.uuids["Oslo"]
    )
    assert none.summary == ""


async def test_a_fact_that_is_hidden_only_as_a_whole_is_not_summed_up(world: World) -> None:
    """Each of its episodes may be seen, but not both together."""
    await world.say(red_talk={"colour": "red"}, blue_talk={"colour": "blue"})
    await world.know("Kim", "red_talk", "blue_talk", attributes={"x": 1})
    await world.know("Lea", "red_talk", "blue_talk", "open_talk")
    await world.join("Kim", "Lea", "Kim likes Lea", "red_talk", "blue_talk")
    mixed = Visibility(denied=(wanting(colour=["red", "blue"], **{"class": []}),))
    assert mixed.sees({"colour": ["red", "blue"], "class": ["public"]})
    lea = await world.store.read(knowledge.entity, as_seen(world, mixed), world.uuids["Lea"])
    assert lea.summary == ""


async def test_a_page_counts_what_may_be_seen(world: World) -> None:
    """Sizes and cursors know nothing of the rest."""
    for number in range(6):
        kind = PUBLIC if number % 2 else SECRET
        await world.say(**{f"talk_{number}": kind})
        await world.know(f"node {number}", f"talk_{number}")
        await world.join("Bob", "Bob", f"fact {number}", f"talk_{number}")
    access = as_seen(world, ONLY_PUBLIC)
    wanted = {"Bob lives in Rome", "fact 1", "fact 3", "fact 5"}
    told: list[str] = []
    request = PageRequest(order="uuid/asc", limit=2)
    for _ in range(2):
        page = await world.store.read(knowledge.facts_page, access, world.graph, request)
        assert len(page.items) == 2
        told += [fact.fact for fact in page.items]
        request = replace(request, after=read_cursor(page.next_cursor, request.order))
    assert page.next_cursor is None
    assert sorted(told) == sorted(wanted)
    nodes = await world.store.read(knowledge.entities_page, access, world.graph, ALL)
    assert {node.name for node in nodes.items} == {"Bob", "node 1", "node 3", "node 5"}
    said = await world.store.read(episodes.page, access, world.graph, ALL, None)
    assert {one.metadata["class"] for one in said.items if one.metadata} == {"public"}
    assert len(said.items) == 5


async def test_a_page_goes_on_behind_more_hidden_things_than_it_looks_at(world: World) -> None:
    """The first look may see nothing at all."""
    access = as_seen(world, ONLY_PUBLIC)
    for number in range(210):
        await world.join("Eve", "Eve", f"hidden {number}", "closed_talk")
    await world.join("Bob", "Bob", "the last", "more_talk")
    request = PageRequest(order="uuid/asc", limit=1)
    first = await world.store.read(knowledge.facts_page, access, world.graph, request)
    after = replace(request, after=read_cursor(first.next_cursor, request.order))
    second = await world.store.read(knowledge.facts_page, access, world.graph, after)
    assert [fact.fact for fact in (*first.items, *second.items)] == [
        "Bob lives in Rome",
        "the last",
    ]
    assert second.next_cursor is None


async def test_degrees_count_the_facts_that_may_be_seen(world: World) -> None:
    """Rome has two facts, one of them hidden; so has Bob, and one is mixed."""
    access = as_seen(world, TOUCHED_BY_PUBLIC)
    request = PageRequest(order="degree/desc", limit=1)
    degrees = []
    for _ in range(2):
        page = await world.store.read(listing.entities, access, world.graph, request)
        degrees += [(one.entity.name, one.degree) for one in page.items]
        request = replace(request, after=read_cursor(page.next_cursor, request.order))
    assert degrees == [("Bob", 2), ("Rome", 1)]
    assert page.next_cursor is None


async def test_nodes_are_listed_with_the_episodes_that_may_be_seen(world: World) -> None:
    """Also where they are looked up by uuid."""
    access = as_seen(world, TOUCHED_BY_PUBLIC)
    page = await world.store.read(listing.entities, access, world.graph, ALL)
    listed = {one.entity.name: one.episodes for one in page.items}
    assert listed["Rome"] == [world.episodes["open_talk"].uuid]
    assert set(listed) == {"Bob", "Rome"}


async def test_bounded_lists_are_cut_after_the_hidden_is_gone(world: World) -> None:
    """What may be seen is not crowded out by newer hidden things."""
    access = as_seen(world, ONLY_PUBLIC)
    rome = await world.store.read(
        knowledge.entity, as_seen(world, TOUCHED_BY_PUBLIC), world.uuids["Rome"]
    )
    holding = await world.store.read(knowledge.facts_holding, access, world.graph, 1)
    of_rome = await world.store.read(knowledge.facts_of_entity, access, rome, 1)
    said = await world.store.read(knowledge.episodes_of_entity, access, rome, 1)
    last = await world.store.read(episodes.last, access, world.graph, 2)
    assert [fact.fact for fact in holding] == ["Bob lives in Rome"]
    assert [fact.fact for fact in of_rome] == ["Bob lives in Rome"]
    assert [one.content for one in said] == ["open talk"]
    assert [one.content for one in last] == ["more talk", "open talk"]


async def test_the_facts_of_a_thread_are_those_its_seen_messages_state(world: World) -> None:
    """A fact that may be seen, but that only a hidden message said here, is not among them."""
    access = as_seen(world, TOUCHED_BY_PUBLIC)
    found = await world.store.read(knowledge.facts_of_thread, access, world.thread, None, 10)
    assert [fact.fact for fact in found] == ["Bob knows Eve", "Bob lives in Rome"]
    secret = as_seen(world, Visibility(allowed=(wanting(**{"class": "secret"}),)))
    found = await world.store.read(knowledge.facts_of_thread, secret, world.thread, None, 10)
    assert [fact.fact for fact in found] == ["Eve lives in Rome"]


async def test_an_episode_names_what_may_be_seen_of_what_came_out_of_it(world: World) -> None:
    """Nodes and facts alike."""
    access = as_seen(world, ONLY_PUBLIC)
    nodes, facts = await world.store.read(
        knowledge.mentions, access, world.episodes["open_talk"], 10
    )
    assert [node.name for node in nodes] == ["Bob"]
    assert [fact.fact for fact in facts] == ["Bob lives in Rome"]


async def test_messages_are_counted_and_paged_as_they_may_be_seen(world: World) -> None:
    """Offsets, the newest, and totals."""
    access = as_seen(world, ONLY_PUBLIC)
    thread = world.thread
    second = await world.store.read(episodes.messages, access, thread, limit=1, offset=1)
    beyond = await world.store.read(episodes.messages, access, thread, limit=5, offset=2)
    newest = await world.store.read(episodes.last_messages, access, thread, 2)
    assert [one.content for one in second] == ["more talk"]
    assert beyond == []
    assert [one.content for one in newest] == ["open talk", "more talk"]
    assert await world.store.read(episodes.message_count, access, thread) == 2
    shown = await world.store.read(episodes.in_graph_of_thread, access, thread, 10)
    assert [one.content for one in shown] == ["open talk", "more talk"]


async def test_nothing_is_found_by_a_node_that_may_not_be_seen(world: World) -> None:
    """Episodes that mention it are not listed for its uuid."""
    access = as_seen(world, ONLY_PUBLIC)
    await world.say(shared_talk=PUBLIC)
    await world.know("Ida", "shared_talk", "closed_talk")
    for name, count in (("Bob", 2), ("Ida", 0)):
        found = await world.store.read(episodes.page, access, world.graph, ALL, [world.uuids[name]])
        assert len(found.items) == count


async def test_a_step_leads_only_along_what_may_be_seen(world: World) -> None:
    """Not to hidden nodes along visible facts, nor to visible nodes along hidden facts."""
    access = as_seen(world, TOUCHED_BY_PUBLIC)
    bob = await world.store.read(knowledge.entity, access, world.uuids["Bob"])
    near = await world.store.read(walking.neighbours, access, bob, ALL, "both", NO_FILTERS)
    assert [each.entity.name for each in near.page.items] == ["Rome"]
    (only,) = near.page.items
    assert [(fact.fact, fact.target_name) for fact in only.facts] == [("Bob lives in Rome", "")]
    assert only.entity.summary == "Bob lives in Rome."


async def test_a_walk_meets_only_what_may_be_seen(world: World) -> None:
    """Hidden seeds are passed over like unknown ones."""
    access = as_seen(world, TOUCHED_BY_PUBLIC)
    limits = walking.Limits(depth=3, nodes=50, facts=50)
    seeds = [world.uuids["Eve"], world.uuids["Bob"]]
    found = await world.store.read(
        walking.subgraph, access, world.graph, seeds, "both", limits, NO_FILTERS
    )
    assert {entity.name for entity in found.entities} == {"Bob", "Rome"}
    assert [fact.fact for fact in found.facts] == ["Bob lives in Rome"]
    assert {fact.source_name for fact in found.facts} == {""}


async def test_a_filter_finds_out_nothing_about_hidden_episodes(world: World) -> None:
    """A fact that may be seen does not pass for what only a hidden episode says."""
    access = as_seen(world, TOUCHED_BY_PUBLIC)
    tree = MetadataTree(
        joined_by="and", tests=(ValueTest(name="class", operator="=", value="secret"),)
    )
    bob = await world.store.read(knowledge.entity, access, world.uuids["Bob"])
    for asker, wanted in ((world.access, ["Eve"]), (access, [])):
        near = await world.store.read(
            walking.neighbours, asker, bob, ALL, "both", Filters(episode_metadata=tree)
        )
        assert [each.entity.name for each in near.page.items] == wanted


async def test_shapes_are_counted_over_facts_with_seen_ends(world: World) -> None:
    """The names and labels of hidden nodes are in no pattern."""
    access = as_seen(world, TOUCHED_BY_PUBLIC)
    found = await world.store.read(
        shapes.read, access, world.graph, NO_FILTERS, now=START, half_life_days=None
    )
    assert {named.name for named in found.nodes.values()} == {"Bob", "Rome"}
    assert len(found.links) == 1


async def test_a_user_whose_node_is_hidden_has_no_summary(world: World) -> None:
    """The node of a fresh user carries nothing, which a key for public things does not see."""
    access = as_seen(world, ONLY_PUBLIC)
    for read in (users.node, users.told_node, derived.user_summary):
        with pytest.raises(NotFound, match=r"^node not found: the node of user ann$"):
            await world.store.read(read, access, "ann")
    seen = await world.store.read(derived.user_summary, as_seen(world, NOT_SECRET), "ann")
    assert seen == "The user's name is Ann."


async def test_a_user_summary_speaks_of_what_may_be_seen(world: World) -> None:
    """What a language model wrote of everything is for those who may see everything."""
    await world.join("Ann", "Rome", "Ann lives in Rome", "open_talk")
    await world.join("Ann", "Eve", "Ann fears Eve", "closed_talk")

    def written(tx: Transaction) -> None:
        changes = tx.graphs.by_id(id=world.graph.id).changes  # type: ignore[index]
        tx.summaries.user_summary_put(
            graph_id=world.graph.id,
            summary="Ann, who fears Eve.",
            basis=derived.rules.basis([]),
            episode_count=1,
            now=1,
            changes=changes,
        )

    await world.store.write(written)
    whole = await world.store.read(derived.user_summary, world.access, "ann")
    assert whole == "Ann, who fears Eve."
    some = await world.store.read(derived.user_summary, as_seen(world, NOT_SECRET), "ann")
    assert "fears" not in some
    assert "Ann" in some


async def test_a_correction_keeps_what_its_maker_does_not_see(world: World) -> None:
    """A new name does not cost an entity the attributes and the summary that were hidden."""
    access = as_seen(world, TOUCHED_BY_PUBLIC)
    change = EntityChange(name="Roma")
    made = await world.store.write(knowledge.update_entity, access, world.uuids["Rome"], change)
    assert (made.name, made.attributes, made.summary) == ("Roma", None, "Bob lives in Rome.")
    whole = await world.store.read(knowledge.entity, world.access, world.uuids["Rome"])
    assert (whole.name, whole.attributes) == ("Roma", {"size": 9})
    assert whole.summary == "What is told of Rome."


async def test_a_correction_of_a_fact_keeps_what_its_maker_does_not_see(world: World) -> None:
    """Another sentence does not cost a fact the attributes that were hidden."""
    uuid = world.facts["Bob knows Eve"]
    given = FactChange(attributes={"since": 3})
    await world.store.write(knowledge.update_fact, world.access, uuid, given)
    access = as_seen(world, TOUCHED_BY_PUBLIC)
    for change in (FactChange(fact="Bob met Eve"), FactChange(attributes={"where": "Oslo"})):
        made = await world.store.write(knowledge.update_fact, access, uuid, change)
        assert (made.fact, made.attributes) == ("Bob met Eve", None)
    whole = await world.store.read(knowledge.fact, world.access, uuid)
    assert whole.attributes == {"since": 3, "where": "Oslo"}


@pytest.mark.parametrize("write", [knowledge.delete_entity, knowledge.delete_fact, episodes.delete])
async def test_what_is_hidden_cannot_be_deleted(world: World, write) -> None:
    """It is not there."""
    access = as_seen(world, ONLY_PUBLIC)
    hidden = {
        knowledge.delete_entity: world.uuids["Eve"],
        knowledge.delete_fact: world.facts["Eve lives in Rome"],
        episodes.delete: world.episodes["closed_talk"].uuid,
    }
    with pytest.raises(NotFound):
        await world.store.write(write, access, hidden[write])
    assert await world.store.read(knowledge.entity, world.access, world.uuids["Eve"])


async def test_who_may_not_see_everything_copies_nothing(world: World) -> None:
    """A copy would hold all of it."""
    with pytest.raises(NotAllowed, match="policies hide part of the graph"):
        await world.store.write(
            cloning.clone,
            as_seen(world, ONLY_PUBLIC),
            ClonedEnds(source_user="ann", target_user="eve"),
        )


async def test_a_narrowed_answer_costs_as_many_queries_for_one_thing_as_for_many(
    world: World,
) -> None:
    """Metadata comes in one query for all facts, and so do the ends that may be told."""
    asked: list[str] = []

    def counting(tx: Transaction) -> None:
        class Counting:
            def all(self, name: str, params: dict[str, object]) -> object:
                asked.append(name)
                return tx._statements.all(name, params)

            def one(self, name: str, params: dict[str, object]) -> object:
                asked.append(name)
                return tx._statements.one(name, params)

        counted = Transaction(Counting(), lambda: tx.now, tx.new_id)  # type: ignore[arg-type]
        found = [
            rows.fact(row) for row in tx.facts.of_entity(entity_id=world.entities["Bob"], limit=9)
        ]
        assert len(found) == 2
        telling.facts(counted, world.access, found)
        telling.facts(counted, as_seen(world, TOUCHED_BY_PUBLIC), found)

    await world.store.read(counting)
    whole, narrowed = ["facts.metadata"], ["links.sources_of_facts", "closings.endings_of_facts"]
    assert asked == [*whole, "graphs.by_id", *narrowed, "graphs.by_id"]


async def test_parked_jobs_are_told_of_episodes_that_may_be_seen(world: World) -> None:
    """And only those can be tried again."""

    def park(tx: Transaction) -> None:
        for episode in world.episodes.values():
            tx.jobs.park(graph_id=episode.graph_id, id=episode.id, error="", now=1)

    await world.store.write(park)
    access = as_seen(world, ONLY_PUBLIC)
    parked = await world.store.read(queue.parked, access, 2)
    wanted = [world.episodes[name].uuid for name in ("open_talk", "more_talk")]
    assert [job.episode_uuid for job in parked] == wanted
    with pytest.raises(NotFound):
        await world.store.write(queue.retry, access, world.episodes["closed_talk"].uuid)
    await world.store.write(queue.retry, access, wanted[0])
    assert len(await world.store.read(queue.parked, access, 9)) == 1
